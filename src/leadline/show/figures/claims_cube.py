"""How do documents fill the claims or subtopics of a topic? Subtopics against documents read, for each system."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from leadline.errors import InputError
from leadline.measures.hits import Array
from leadline.measures.subtopics import SubtopicHits, subtopic_hits, weights
from leadline.records.other_packages import Theta
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    DEPTH,
    WIDTH,
    Figure,
    both,
    count,
    needs,
    percent,
    rows_data,
    short,
    tips,
    with_rows,
)
from leadline.show.report.drawing import WHERE, report_figure
from leadline.show.report.evidence import Evidence

NAME = "claims_cube"
SOURCE = "Luo, Wing, Yang and Hearst, CIKM 2013: the cube of the Cube Test, a compartment a subtopic, under its lid"
MOST = 6  # systems shown
HEAD = 1.6  # height of the text above each cube, in rows of the cube
ROOM = 480  # pixels for all cubes together

Level = tuple[int, int, float]  # subtopic, rank of a document that adds to it, how full it is then


@report_figure(NAME, section=WHERE, label="claims filling up", place=70)
def figure(
    evidence: Evidence, topic: str | None = None, *, effort: int = 20, gamma: float = 0.5, theta: Theta = "equal"
) -> Figure:
    """How each system fills one topic. Default: the topic on which the first two systems differ most."""
    lack = partial(needs, NAME, "How do documents fill the claims of a topic?", source=SOURCE)
    if evidence.subtopics is None:
        return lack("Needs judgements by subtopic or claim: topic, subtopic, document, grade.")
    if not len(evidence.answerable):
        return lack("Needs a topic with a relevant document.")
    cube = Cube(evidence, effort, gamma, theta)
    t = cube.default_topic() if topic is None else _place(evidence, topic)
    shown = evidence.order[:MOST]
    rows = [row for run in shown for row in cube.rows(run, t)]
    full = {run: cube.full(run, t) for run in shown}
    chart = _chart(cube, shown, full, t, rows)
    said = reading(cube, shown, t, topic is None)
    return Figure(NAME, title(evidence, full, t, effort), said, chart, rows, SOURCE)


def _place(evidence: Evidence, topic: str) -> int:
    if topic not in evidence.topics:
        raise InputError("topic", f"{topic!r} is not judged")
    return evidence.topics.index(topic)


class Cube:
    """How full each subtopic is after each document, for any run and topic."""

    def __init__(self, evidence: Evidence, effort: int, gamma: float, theta: Theta) -> None:
        assert evidence.subtopics is not None
        self.evidence, self.effort, self.gamma = evidence, effort, gamma
        self.table = evidence.subtopics
        self.weights: Array = weights(evidence.qrels, theta)
        self._entries: SubtopicHits = subtopic_hits(evidence.hits.where(evidence.hits.rank <= effort))
        self._starts = np.searchsorted(self._entries.row, np.arange(evidence.hits.rows + 1))

    def subtopics(self, t: int) -> range:
        """The subtopics of a topic."""
        return range(int(self.table.offsets[t]), int(self.table.offsets[t + 1]))

    def levels(self, run: str, t: int) -> list[Level]:
        """Each document of the run that adds to a subtopic, and how full the subtopic is then."""
        row = self.evidence.place(run) * len(self.evidence.topics) + t
        here = slice(self._starts[row], self._starts[row + 1])
        entries = self._entries
        columns = (entries.rank[here], entries.subtopic[here], entries.grade[here])
        found = [(int(rank), int(subtopic), int(grade)) for rank, subtopic, grade in zip(*columns, strict=True)]
        return filled(found, self.gamma, self.table.largest)

    def full(self, run: str, t: int) -> float:
        """The share of the whole need that the run fills within the effort."""
        last = {subtopic: height for subtopic, _, height in self.levels(run, t)}
        return float(sum(self.weights[subtopic] * min(height, 1.0) for subtopic, height in last.items()))

    def default_topic(self) -> int:
        """The topic on which the first two runs differ most; for a single run, the topic nearest to its mean."""
        evidence = self.evidence
        topics = evidence.answerable.tolist()
        first = np.array([self.full(evidence.leader, t) for t in topics])
        if evidence.challenger is None:
            return int(topics[int(np.abs(first - first.mean()).argmin())])
        second = np.array([self.full(evidence.challenger, t) for t in topics])
        return int(topics[int(np.abs(first - second).argmax())])

    def rows(self, run: str, t: int) -> list[dict[str, Any]]:
        """For each subtopic, the ranges of ranks during which it stays equally full."""
        names = self.table.names
        found = []
        for subtopic in self.subtopics(t):
            steps = [(rank, height) for place, rank, height in self.levels(run, t) if place == subtopic]
            for at, (rank, height) in enumerate(steps):
                until = steps[at + 1][0] if at + 1 < len(steps) else self.effort + 1
                found.append(
                    {
                        "run": run,
                        "topic": self.evidence.topics[t],
                        "subtopic": names[subtopic],
                        "from": rank,
                        "until": until - 1,
                        "full": round(min(height, 1.0), 4),
                    }
                )
        return found


def filled(found: Sequence[tuple[int, int, int]], gamma: float, full: int) -> list[Level]:
    """The rule of the Cube Test: how full each subtopic is after each document, from (rank, subtopic, grade) in order.

    A document adds gamma^k × grade / full, where k is the number of documents on the subtopic before it. When their
    grades sum to the largest grade, the lid closes and nothing is added any more.

    >>> filled([(1, 7, 1), (2, 7, 1), (4, 8, 2), (9, 8, 1)], 0.5, 2)
    [(7, 1, 0.5), (7, 2, 0.75), (8, 4, 1.0)]
    """
    height: dict[int, float] = {}
    grades: dict[int, list[int]] = {}
    steps = []
    for rank, subtopic, grade in found:
        before = grades.setdefault(subtopic, [])
        if sum(before) < full:
            height[subtopic] = height.get(subtopic, 0.0) + gamma ** len(before) * grade / full
            steps.append((subtopic, rank, height[subtopic]))
        before.append(grade)
    return steps


def title(evidence: Evidence, full: dict[str, float], t: int, effort: int) -> str:
    """How much of the topic the first two systems fill."""
    first = f"Topic {evidence.topics[t]}: {evidence.leader} fills {percent(full[evidence.leader])} of the need"
    if evidence.challenger is None:
        return f"{first} within {count(effort, 'document')}"
    return f"{first} within {count(effort, 'document')}, {evidence.challenger} {percent(full[evidence.challenger])}"


def reading(cube: Cube, shown: Sequence[str], t: int, chosen: bool) -> str:
    """What stays empty, why this topic was chosen, and what is not shown."""
    all_of = cube.subtopics(t)
    reached = {subtopic for run in shown for subtopic, _, _ in cube.levels(run, t)}
    empty = [cube.table.names[subtopic] for subtopic in all_of if subtopic not in reached]
    text = f"Each row is one of {count(len(all_of), 'subtopic')} and takes colour as documents fill it; "
    if empty:
        text += f"no system shown finds anything for {'subtopic' if len(empty) == 1 else 'subtopics'} {both(empty)}"
    else:
        text += "for each of them something is found"
    if chosen:
        text += ". Of all topics this is the " + (
            "nearest to the mean" if len(shown) == 1 else "one on which the first two differ most"
        )
    left = len(cube.evidence.runs) - len(shown)
    return f"{text}; {count(left, 'system')} not shown." if left else f"{text}."


def _chart(cube: Cube, shown: Sequence[str], full: dict[str, float], t: int, rows: Sequence[dict[str, Any]]) -> Any:
    """All cubes below each other in one view, so that the page can set the width."""
    names = [cube.table.names[subtopic] for subtopic in cube.subtopics(t)]
    block = len(names) + HEAD
    line = min(22.0, max(5.0, ROOM / (block * len(shown))))  # pixels of one row
    tops = {run: place * block + HEAD for place, run in enumerate(shown)}
    heads = [{"y": tops[run] - 0.3, "text": f"{short(run, 40)}: {percent(full[run])} full"} for run in shown]
    grounds = [{"y": tops[run], "y2": tops[run] + len(names), "x": 0, "x2": cube.effort} for run in shown]
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[0, block * len(shown)], reverse=True, nice=False))
    x = alt.X(
        "x:Q",
        title="documents read",
        scale=alt.Scale(domain=[0, cube.effort], nice=False),
        axis=alt.Axis(grid=False, tickMinStep=1, format="d"),
    )
    ground = alt.Chart.of(alt.values(grounds)).mark_rect(color=DEPTH[0], opacity=0.45)
    places = (
        alt.Chart.of(rows_data())
        .transform_lookup(
            lookup="run",
            from_=alt.lookup_data(
                data=alt.values([{"run": r, "top": at} for r, at in tops.items()]), key="run", fields=["top"]
            ),
        )
        .transform_lookup(
            lookup="subtopic",
            from_=alt.lookup_data(
                data=alt.values([{"subtopic": n, "line": i} for i, n in enumerate(names)]),
                key="subtopic",
                fields=["line"],
            ),
        )
    )
    legend = alt.Legend(title="how full", orient="top", format="%", direction="horizontal")
    scale = alt.Scale(type="quantize", domain=[0, 1], range=list(DEPTH[1:]))
    cells = (
        places.transform_calculate(
            x="datum.from - 1", x2="datum.until", y="datum.top + datum.line + 0.08", y2="datum.top + datum.line + 0.92"
        )
        .mark_rect()
        .encode(
            x=x,
            x2=alt.X2("x2:Q"),
            y=y,
            y2=alt.Y2("y2:Q"),
            color=alt.Color("full:Q", scale=scale, legend=legend),
            tooltip=tips("run:N", "subtopic:N", "from:Q", "until:Q", "full:Q"),
        )
    )
    words = alt.Chart.of(alt.values(heads)).mark_text(align="left", baseline="bottom", fontSize=12, fontWeight="bold")
    layers = [
        ground.encode(x=x, x2=alt.X2("x2:Q"), y=y, y2=alt.Y2("y2:Q")),
        cells,
        words.encode(x=alt.XValue(0), y=y, text=alt.Text("text:N")),
    ]
    if line >= 13:
        labels = [{"y": tops[run] + place + 0.5, "text": name} for run in shown for place, name in enumerate(names)]
        named = alt.Chart.of(alt.values(labels)).mark_text(align="right", dx=-6, limit=90)
        layers.append(named.encode(x=alt.XValue(0), y=y, text=alt.Text("text:N")))
    height = round(line * block * len(shown))
    return with_rows(alt.layer(*layers).properties(width=WIDTH, height=height), rows)
