"""PRES as an area: for one topic, the share of the area between the worst and the best order that a system wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from leadline.errors import InputError
from leadline.measures.hits import Array
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    DEPTH,
    HEIGHT,
    INK,
    WIDTH,
    Figure,
    count,
    decimal,
    needs,
    percent,
    rows_data,
    tips,
    with_rows,
)
from leadline.show.report.drawing import BEHAVE, haloed, report_figure
from leadline.show.report.evidence import Evidence, measure_at

NAME = "pres_area"
SOURCE = "Magdy and Jones, SIGIR 2010, figure 3: PRES is the share of the band to the right of the system's curve"


@report_figure(NAME, section=BEHAVE, label="PRES as an area", place=10)
def figure(evidence: Evidence, run: str | None = None, topic: str | None = None) -> Figure:
    """One run on one topic, between the best and the worst case. Default: a typical topic of the leader."""
    if not len(evidence.answerable):
        return needs(NAME, "PRES as an area", "Needs a topic with a relevant document.", SOURCE)
    who = evidence.leader if run is None else run
    scores = evidence.scores(measure_at("PRES", evidence.effort, evidence.level))
    values = scores.values[evidence.place(who), :, 0]
    t = typical(values) if topic is None else _place(evidence, topic)
    ranks = found_ranks(evidence, who, t)
    rows = curve(ranks, int(evidence.relevant[t]), evidence.effort)
    value = float(values[t])
    won = f"{percent(value)} of the area between worst and best (PRES {decimal(value)})"
    return Figure(
        NAME,
        f"Topic {evidence.topics[t]}: {who} wins {won}",
        reading(ranks, len(rows), evidence.effort, topic is None),
        _chart(rows, evidence.effort, value),
        rows,
        SOURCE,
    )


def _place(evidence: Evidence, topic: str) -> int:
    if topic not in evidence.topics or not evidence.relevant[evidence.topics.index(topic)]:
        raise InputError("topic", f"{topic!r} is not judged, or has no relevant document")
    return evidence.topics.index(topic)


def typical(values: Array) -> int:
    """The index of the topic whose value is nearest to the mean.

    >>> typical(np.array([0.1, np.nan, 0.5, 0.8]))
    2
    """
    return int(np.nanargmin(np.abs(values - np.nanmean(values))))


def found_ranks(evidence: Evidence, run: str, t: int) -> list[int]:
    """The ranks, within the effort, at which a run lists the topic's relevant documents."""
    here = evidence.qrels.topic_of_document[evidence.relevant_documents] == t
    ranks = np.sort(evidence.ranks[evidence.place(run), here])
    return [int(rank) for rank in ranks if 0 < rank <= evidence.effort]


def curve(ranks: Sequence[int], relevant: int, effort: int) -> list[dict[str, Any]]:
    """For each relevant document, the rank at which it is met in the best case, by the run, and in the worst case.

    Documents not found within the effort count as found just after it. PRES is the mean of (worst - met) / effort.

    >>> rows = curve([1, 98, 99, 100], 4, 100)
    >>> [row["met"] for row in rows], sum(row["worst"] - row["met"] for row in rows) / 4 / 100
    ([1, 98, 99, 100], 0.28)
    """
    return [
        {
            "document": i,
            "best": i,
            "met": ranks[i - 1] if i <= len(ranks) else effort + i,
            "worst": effort + i,
            "found": i <= len(ranks),
        }
        for i in range(1, relevant + 1)
    ]


def reading(ranks: Sequence[int], relevant: int, effort: int, chosen: bool) -> str:
    """What was found, and how missing documents count."""
    text = f"{count(len(ranks))} of {count(relevant, 'relevant document')} found within {count(effort, 'document')}"
    missed = relevant - len(ranks)
    if missed:
        text += f"; the {count(missed, 'other')} {'counts' if missed == 1 else 'count'} as found just after that"
    return f"{text}. Strong colour: what PRES counts; faint: what a perfect order would add." + (
        " This topic is the nearest to the mean." if chosen else ""
    )


def _chart(rows: Sequence[dict[str, Any]], effort: int, value: float) -> Any:
    """Relevant documents as layers, each from the rank where it is met to its rank in the worst case."""
    n = len(rows)
    end = effort + n
    x = alt.X(
        "met:Q",
        title="documents read",
        scale=alt.Scale(domain=[0, end], nice=False),
        axis=alt.Axis(grid=False, format="d"),
    )
    y = alt.Y(
        "document:Q",
        title="relevant documents found",
        scale=alt.Scale(domain=[0, n], nice=False),
        axis=alt.Axis(tickMinStep=1, tickCount=5, grid=False),
    )
    base = alt.Chart.of(rows_data()).transform_calculate(below="datum.document - 1")
    tip = tips("document:Q", "best:Q", "met:Q", "worst:Q", "found:N")
    won = base.mark_rect(color=DEPTH[4], stroke=DEPTH[4], strokeWidth=0.7).encode(
        x=x, x2=alt.X2("worst:Q"), y=y, y2=alt.Y2("below:Q"), tooltip=tip
    )
    lost = base.mark_rect(color=DEPTH[0], stroke=DEPTH[0], strokeWidth=0.7).encode(
        x=alt.X("best:Q"), x2=alt.X2("met:Q"), y=y, y2=alt.Y2("below:Q"), tooltip=tip
    )
    stop = alt.Chart.of(alt.values([{"x": effort}])).mark_rule(strokeDash=[4, 3], color=INK).encode(x=alt.X("x:Q"))
    said = haloed(
        [{"x": effort, "y": 0, "text": f"stops at {count(effort, 'document')}"}],
        align="right",
        baseline="bottom",
        dx=-6,
        dy=-6,
    )
    middle = {"x": end / 2, "y": n / 2, "text": f"PRES {decimal(value)}"}
    number = haloed([middle], align="center", fontSize=15, fontWeight="bold")
    return with_rows(alt.layer(lost, won, stop, said, number).properties(width=WIDTH, height=HEIGHT), rows)
