"""Which topics are answered by all systems, and which by none? Every run on every topic, for any measure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from leadline.show import vega_lite as alt
from leadline.show.charts import (
    WIDTH,
    Figure,
    decimal,
    depth_scale,
    drawable,
    narrow,
    needs,
    rounded,
    rows_data,
    tips,
    with_rows,
)
from leadline.show.report.drawing import BOLD, IN_SLICE, WHERE, chosen_params, numbered, report_figure, slice_param
from leadline.show.report.evidence import Evidence
from leadline.trust.by_topic import Spectrogram
from leadline.trust.by_topic import spectrogram as every_run_on_every_topic

NAME = "spectrogram"
MORE = ("nDCG@10", "P@10", "Rprec", "RR")  # after the deciding measure and those of `evidence.trio`
MOST = 160  # runs shown
LABELLED_RUNS, LABELLED_TOPICS = 40, 60
UPRIGHT = 30  # up to this many topics, short names are written level
SOURCE = "Lupu, Huang, Zhu and Tait, Overview of the TREC 2009 Chemical IR track, figures 11 and 12."


@report_figure(NAME, section=WHERE, label="every run on every topic", place=10)
def figure(evidence: Evidence, measures: Sequence[str] | None = None) -> Figure:
    """A heat map of run × topic: the best run at the top, the topic with the best mean on the left."""
    names = list(dict.fromkeys(measures or (evidence.measure.text, *evidence.trio, *MORE)))
    scores = evidence.scores(names)
    usable = [name for name, better in zip(scores.measures, scores.better, strict=True) if better == "higher"]
    if not len(evidence.answerable) or not usable:
        reading = "A topic with a relevant document, and a measure that rises with quality, are needed."
        return needs(NAME, "Every run on every topic", reading, SOURCE)
    found = every_run_on_every_topic(scores, usable[0])
    shown = found.runs[:MOST]
    cubes = {name: scores.of(name) for name in usable}
    places = {run: evidence.place(run) for run in shown}
    columns = {topic: evidence.topics.index(topic) for topic in found.topics}
    rows = [
        {"run": run, "topic": topic}
        | {name: rounded(cube[places[run], columns[topic]], 3) for name, cube in cubes.items()}
        for run in shown
        for topic in found.topics
    ]
    chart = with_rows(_chart(evidence, found, usable, shown), rows)
    return Figure(NAME, *_words(evidence, found), chart, rows, SOURCE, {"wide": True})


def _chart(evidence: Evidence, found: Spectrogram, measures: list[str], shown: Sequence[str]) -> Any:
    """Cells coloured by the measure that the reader chooses; runs and topics are sorted by it."""
    choice = alt.binding_select(options=measures, name="measure")
    many_runs, many_topics = len(shown) > LABELLED_RUNS, len(found.topics) > LABELLED_TOPICS
    by_mean = alt.EncodingSortField(field="value", op="mean", order="descending")
    # If there are many runs, only the leader's name is beside the map; tooltips name the others.
    label = numbered(evidence, shown)
    if many_runs:
        leader = json.dumps(drawable(evidence.leader))
        label = f"datum.value == {leader} || indexof(chosen, datum.value) >= 0 ? {label} : ''"
    upright = len(found.topics) <= UPRIGHT and max(map(len, found.topics)) <= 4
    topic_labels: dict[str, Any] = (
        {"labels": False}
        if many_topics
        else {"labelAngle": 0 if upright else -90, "labelOverlap": "greedy", "labelSeparation": 4}
    )
    runs = alt.Y("run:N", sort=by_mean, title="systems, the best mean at the top" if many_runs else None)
    runs = runs.axis(
        ticks=False, domain=False, labelLimit=200, labelExpr=label, labelOverlap=False, labelFontWeight=BOLD
    )
    topics = alt.X(
        "topic:N",
        sort=by_mean,
        title="topics, the best answered first",
        axis=alt.Axis(ticks=False, domain=False, **topic_labels),
    )
    colour = alt.Color("value:Q", title="score", scale=depth_scale(0, 1))
    colour = colour.legend(orient="top", direction="horizontal", format=".2f", gradientLength=240)
    line = 5 if many_runs else 16
    return (
        alt.Chart.of(rows_data())
        .transform_filter(IN_SLICE)
        .transform_calculate(value="datum[measure]")
        .transform_filter("isValid(datum.value)")
        .mark_rect()
        .encode(
            x=topics,
            y=runs,
            color=colour,
            tooltip=tips("run:N", "topic:N", "value:Q"),
        )
        .add_params(
            alt.param(name="measure", value=measures[0], bind=choice), narrow(), slice_param(), *chosen_params()
        )
        .properties(width=WIDTH, height=max(60, line * len(shown)))
    )


def _words(evidence: Evidence, found: Spectrogram) -> tuple[str, str]:
    """Title and reading: how many topics no system answers, and which are the hardest and the easiest."""
    who = found.answered_by()
    nobody, one = who.count("nobody"), who.count("one")
    hardest, easiest = found.topics[-1], found.topics[0]
    means = np.nanmean(found.values, axis=0)
    topics = len(found.topics)
    if len(found.runs) == 1:
        title = f"{found.runs[0]} answers topic {easiest} best and topic {hardest} least"
    elif nobody:
        title = f"No system answers {nobody} of the {topics} topics"
    elif one:
        title = f"{one} of the {topics} topics {'is' if one == 1 else 'are'} answered by a single system"
    else:
        title = f"Every topic is answered by two systems or more; topic {hardest} is the hardest"
    text = (
        "The more a cell stands out from the background, the better the answer; "
        f"from {found.measure} {decimal(found.fair, 2)} up, half the best mean, a system counts as answering. "
        f"Topic {easiest} is the easiest (mean {decimal(means[0], 2, means)}), "
        f"topic {hardest} the hardest (mean {decimal(means[-1], 2, means)})."
    )
    left = len(found.runs) - MOST
    return title, text + (f" The {left} systems below the best {MOST} are left out." if left > 0 else "")
