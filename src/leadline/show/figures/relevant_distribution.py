"""How many relevant documents does each topic have? A bar for each topic, the most first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from leadline.measures.hits import Integers
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    BUOY,
    DEPTH,
    WIDTH,
    Figure,
    count,
    needs,
    percent,
    rows_data,
    sentence,
    tips,
    with_rows,
)
from leadline.show.report.drawing import IN_SLICE, WHERE, haloed, report_figure, slice_param
from leadline.show.report.evidence import Evidence

NAME = "relevant_distribution"
SOURCE = "Judged documents of the relevance level and above, by grade"
HEIGHT = 280
NAMED = 40  # up to this many topics, each has its name below its bar
GRADES = 4  # shades that people can tell apart; higher grades share the darkest
SHADES = {1: (3,), 2: (2, 4), 3: (1, 3, 5), 4: (1, 2, 4, 5)}  # of the depth scale, by the number of grades


@report_figure(NAME, section=WHERE, label="relevant documents per topic", place=50)
def figure(evidence: Evidence) -> Figure:
    """The relevant documents of every topic, by grade, with the median."""
    known = evidence.relevant[evidence.answerable]
    if not len(known):
        return needs(
            NAME, "How many relevant documents has each topic?", "Needs a topic with a relevant document.", SOURCE
        )
    rows = rows_of(evidence)
    return Figure(NAME, title(evidence, known), reading(evidence, known), _chart(evidence, rows, known), rows, SOURCE)


def rows_of(evidence: Evidence) -> list[dict[str, Any]]:
    """A row for each topic and grade of relevance, the topic with the most relevant documents first."""
    grades = np.minimum(evidence.qrels.grades, evidence.level + GRADES - 1)
    topic = evidence.qrels.topic_of_document
    order = sorted(range(len(evidence.topics)), key=lambda t: (-evidence.relevant[t], t))
    present = np.unique(grades[grades >= evidence.level]).tolist()
    counts = {grade: np.bincount(topic[grades == grade], minlength=len(evidence.topics)) for grade in present}
    return [
        {"place": place, "topic": evidence.topics[t], "grade": grade, "documents": int(counts[grade][t])}
        for place, t in enumerate(order, start=1)
        for grade in present
    ]


def title(evidence: Evidence, known: Integers) -> str:
    """The median, and the range over the topics."""
    median, most, least = float(np.median(known)), int(known.max()), int(known.min())
    if most == least:
        return f"Every topic has {count(most, 'relevant document')}"
    return f"Half the topics have {median:g} relevant documents or more; they range from {least} to {most}"


def reading(evidence: Evidence, known: Integers) -> str:
    """What this means for recall, and which topics are left out of means."""
    parts = [f"{count(int(known.sum()), 'relevant document')} in {count(len(known), 'topic')}"]
    tenth = max(1, round(len(known) / 10))
    if len(known) >= 10:
        richest = float(np.sort(known)[::-1][:tenth].sum() / known.sum())
        parts.append(f"the tenth of the topics with the most holds {percent(richest)} of them")
    more = int((known > evidence.effort).sum())
    if more:
        parts.append(f"in {count(more, 'topic')} recall cannot be full after {count(evidence.effort, 'document')}")
    empty = len(evidence.topics) - len(known)
    if empty:
        parts.append(f"{count(empty, 'topic')} without any left out of every mean")
    return sentence("; ".join(parts))


def _chart(evidence: Evidence, rows: Sequence[dict[str, Any]], known: Integers) -> Any:
    few = len(evidence.topics) <= NAMED
    names = [row["topic"] for row in rows if row["grade"] == rows[0]["grade"]]
    axis = alt.Axis(labels=few, ticks=few, labelAngle=-90 if len(names) > 12 else 0, labelLimit=60, labelOverlap=True)
    present = sorted({row["grade"] for row in rows})
    shades = [DEPTH[shade] for shade in SHADES[len(present)]]
    top = evidence.level + GRADES - 1
    label = f"datum.value == {top} ? 'grade {top} and more' : 'grade ' + datum.value"
    legend = alt.Legend(title=None, orient="top", labelExpr=label) if len(present) > 1 else None
    bars = (
        alt.Chart.of(rows_data())
        .transform_filter(IN_SLICE)
        .mark_bar()
        .encode(
            x=alt.X(
                "topic:N",
                sort=names,
                title="topics, the most relevant documents first",
                axis=axis,
                scale=alt.Scale(padding=0.15 if few else 0),
            ),
            y=alt.Y("sum(documents):Q", title="relevant documents", axis=alt.Axis(tickMinStep=1, tickCount=5)),
            color=alt.Color("grade:O", scale=alt.Scale(domain=present, range=shades), legend=legend),
            order=alt.Order("grade:Q", sort="descending"),
            tooltip=tips("topic:N", "grade:O", "documents:Q"),
        )
    )
    median = float(np.median(known))
    line = alt.Chart.of(alt.values([{"y": median}])).mark_rule(strokeDash=[4, 3]).encode(y=alt.Y("y:Q"))
    word = haloed([{"y": median, "text": f"median {median:g}"}], x=alt.XValue("width"), align="right", dx=-4, dy=-8)
    # Where a topic has more relevant documents than are read, recall cannot be full.
    there = alt.expr("effort < most ? 1 : 0")
    read = alt.Chart.of(alt.values([{}])).transform_calculate(y="min(effort, most)", text="'read ' + effort")
    stop = read.mark_rule(color=BUOY, strokeWidth=1.5, opacity=there).encode(y=alt.Y("y:Q"))
    # Left of the word at the median, which can be at the same height.
    said = read.mark_text(color=BUOY, align="right", dx=-100, dy=-8, fontWeight="bold", opacity=there)
    said = said.encode(x=alt.XValue("width"), y=alt.Y("y:Q"), text=alt.Text("text:N"))
    chart = alt.layer(bars, line, word, stop, said)
    most = alt.param(name="most", value=int(known.max()))
    chart = chart.add_params(slice_param(), alt.param(name="effort", value=evidence.effort), most)
    return with_rows(chart.properties(width=WIDTH, height=HEIGHT), rows)
