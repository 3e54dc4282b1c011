"""Effort in the figures: numbers of documents read, scores at each of them, and an axis that also shows the time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from leadline.measures.hits import Array
from leadline.records.scores.scores import Scores
from leadline.show.charts.style import altair
from leadline.show.figures.evidence import Evidence, measure_at
from leadline.show.figures.formatting import THIN

MINUTES = 2  # to read a document: an assumption that the reader of the page can change
LOG_FROM = 100  # an axis that reaches beyond this is logarithmic
_STEPS = (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9)

_HOURS = "(datum.value * minutes < 60 ? format(datum.value * minutes, '.2~r') + ' min' : "
_HOURS += "format(datum.value * minutes / 60, '.2~r') + ' h')"
_COUNT = f"replace(format(datum.value, ',d'), ',', '{THIN}')"


def efforts_up_to(depth: int) -> list[int]:
    """Round numbers of documents from 1 to the depth, enough for a smooth curve.

    >>> efforts_up_to(30)
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25, 30]
    """
    grid: list[int] = []
    decade = 1
    while decade <= max(depth, 1):
        steps: Sequence[float] = (1, 2, 3, 4, 5, 6, 7, 8, 9) if decade == 1 else _STEPS
        grid += [round(step * decade) for step in steps]
        decade *= 10
    kept = [effort for effort in grid if effort < depth]
    return [*kept, max(depth, 1)]


def efforts_of(evidence: Evidence) -> list[int]:
    """The efforts at which curves are drawn: up to the longest list, including the effort of the evidence."""
    depth = max(evidence.depth, 1)
    return sorted({*efforts_up_to(depth), min(evidence.effort, depth)})


def curves(evidence: Evidence, name: str) -> Scores:
    """The scores of a measure at every effort: run × topic × effort."""
    return evidence.scores([measure_at(name, effort, evidence.level) for effort in efforts_of(evidence)])


def recall_after_each(evidence: Evidence, run: str) -> Array:
    """The mean recall after reading 1, 2, … documents, up to the length of the longest list."""
    found = np.zeros(evidence.depth + 1)
    ranks = evidence.ranks[evidence.place(run)]
    topic = evidence.qrels.topic_of_document[evidence.relevant_documents]
    np.add.at(found, ranks, 1 / evidence.relevant[topic] / len(evidence.answerable))
    return np.asarray(np.cumsum(found[1:]), np.float64)


def minutes_param() -> Any:
    """The parameter for how many minutes a document takes; the page has one control for all figures."""
    return altair().param(name="minutes", value=MINUTES)


def first_effort(evidence: Evidence) -> int:
    """The effort at which the line stands when the page opens."""
    grid = efforts_of(evidence)
    return min(evidence.effort, grid[-1]) if len(grid) < 3 else grid[int(len(grid) * 0.6)]


def effort_x(field: str, depth: int, *, title: str = "documents read, and the time that takes") -> Any:
    """The axis of effort, with the reading time below each number; the chart needs `minutes_param`."""
    alt = altair()
    wide = depth > LOG_FROM
    scale = alt.Scale(type="log", domain=[1, depth], nice=False) if wide else alt.Scale(domain=[0, depth], nice=False)
    values = [tick for power in range(9) for tick in (10**power, 3 * 10**power) if tick <= depth] if wide else None
    ticks: dict[str, Any] = {"values": values} if values else {"tickCount": 6}
    axis = alt.Axis(
        labelExpr=f"[{_COUNT}, {_HOURS}]",
        grid=False,
        labelFlush=False,
        labelOverlap="greedy",
        labelSeparation=6,
        **ticks,
    )
    return alt.X(field, title=title, scale=scale, axis=axis)
