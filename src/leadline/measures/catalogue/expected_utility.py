"""Expected global utility: what a searcher who may stop anywhere learns, less the cost of reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.definition import Effort, View, measure
from leadline.measures.hits import Array, Hits, Integers, Reading
from leadline.measures.subtopics import SubtopicHits, subtopic_hits, weights
from leadline.options import Bounds, NotNegative, Share
from leadline.records.other_packages import Theta

_TRACK_COST = 0.001  # of a word, in the Dynamic Domain scorer


def _view(options: Mapping[str, Any]) -> View:
    if options["variant"] == "trecdd":
        return View(order="file", layout="dynamic", needs=frozenset(["subtopics", "iterations", "words"]))
    return View(needs=frozenset(["subtopics", "words"] if options["cost"] else ["subtopics"]))


def _effort(options: Mapping[str, Any]) -> Effort | None:
    cost = options["cost"]
    return "priced" if cost or (cost is None and options["variant"] == "trecdd") else None


@measure("EGU", at="effort", aliases=("EU", "expected_global_utility"), view=_view, effort=_effort)
def expected_global_utility(
    hits: Hits,
    effort: int = 10,
    *,
    stop: Annotated[float, Bounds(0, 1, below=True)] = 0.5,
    gamma: Share = 0.5,
    cost: NotNegative | None = None,
    theta: Theta = "equal",
    variant: Literal["paper", "trecdd"] = "paper",
    rel: int = 1,
) -> Array:
    """What a searcher who stops after each document with probability `stop` is expected to learn, less reading.

    Formula: EGU@N = Σ_c θ_c (1 - gamma^e_c) / (1 - gamma) - cost · Σ_r (1 - stop)^(r - 1) · words_r over the first N
    documents. e_c = Σ (1 - stop)^(r - 1) over the relevant documents of subtopic c: how many of them the searcher is
    expected to read. What is read again is worth gamma of what it was worth before. `cost` is that of a word (default:
    0; above 0 it needs document lengths). The sum over all ways of stopping is replaced by the expected number, as the
    authors do.

    Variants: `trecdd` is the scorer of TREC's Dynamic Domain track (EU): every passage is a subtopic of its own, worth
    its grade (0 as 1); N counts iterations, and each iteration is a list of its own, from whose first document on the
    searcher may stop; the default cost is 0.001.

    Paper: Yang and Lad, Modeling expected utility of multi-session information distillation, ICTIR 2009. The Cube
    Test's authors name it without a formula.

    Range: up to (1 - gamma^e) / (1 - gamma) with e = 1 / stop; below 0 where reading costs more than it brings.

    Unjudged: not relevant; reading it costs.

    Short list: as if followed by documents that are not relevant and cost nothing.

    One of two subtopics is treated first and third: e = 1 + ¼, and ½ · (1 - 0.5^1.25) / 0.5.

    >>> from leadline.measures.subtopics import example
    >>> expected_global_utility(example(["a", "x", "b"], {"a": {"A": 1}, "b": {"A": 1}, "c": {"B": 1}})).round(4)
    array([0.5796])
    """
    if variant == "trecdd":
        return _by_iteration(hits, effort, stop, gamma, _TRACK_COST if cost is None else cost)
    entries = subtopic_hits(hits.where(hits.rank <= effort), level=rel)
    assert hits.qrels is not None
    order = entries.by_group
    starts = np.flatnonzero(entries.seen_before[order] == 0)
    if not len(starts):
        return -_price(hits, cost, stop, effort)
    read = np.add.reduceat((1 - stop) ** (entries.rank[order] - 1), starts)
    worth = weights(hits.qrels, theta)[entries.subtopic[order[starts]]] * _learnt(read, gamma)
    gain = np.bincount(entries.row[order[starts]], weights=worth, minlength=hits.rows)
    return np.asarray(gain - _price(hits, cost, stop, effort), np.float64)


def _learnt(times: Array, gamma: float) -> Array:
    """The worth of what is read this many times, when each time is worth gamma of the time before."""
    return times if gamma == 1 else (1 - gamma**times) / (1 - gamma)


def _price(hits: Hits, cost: float | None, stop: float, effort: int) -> Array:
    """The expected cost of reading the first documents of each row."""
    if not cost:
        return np.zeros(hits.rows)
    if hits.reading is None or hits.reading.words is None:
        raise MeasureError(f"EGU(cost={cost}) needs document lengths: give --lengths FILE (document, words)")
    row, place = _places(hits.reading)
    within = place <= effort
    words = hits.reading.words[within] * (1 - stop) ** (place[within] - 1)
    return cost * np.asarray(np.bincount(row[within], weights=words, minlength=hits.rows), np.float64)


def _places(reading: Reading) -> tuple[Integers, Integers]:
    """The row of every document read, and its place in it from 1."""
    row = np.repeat(np.arange(len(reading.offsets) - 1), np.diff(reading.offsets))
    return row, np.arange(len(row)) - reading.offsets[row] + 1


def _by_iteration(hits: Hits, effort: int, stop: float, gamma: float, cost: float) -> Array:
    """The Dynamic Domain scorer: every iteration is a list, every passage a subtopic worth its grade."""
    reading = hits.reading
    if reading is None or reading.iterations is None or reading.words is None:
        raise MeasureError(
            "variant=trecdd needs runs that number their iterations in the second column, from 0, and --lengths FILE"
        )
    row, _ = _places(reading)
    # The place of each document in its iteration: how often its row and iteration occurred before, and 1.
    order = np.lexsort((reading.iterations, row))
    changed = (np.diff(row[order], prepend=-1) != 0) | (np.diff(reading.iterations[order], prepend=-1) != 0)
    starts = np.flatnonzero(changed)
    place = np.empty(len(row), np.int64)
    place[order] = np.arange(len(row)) - np.repeat(starts, np.diff(starts, append=len(row)))
    reached = np.where(reading.iterations < effort, (1 - stop) ** place, 0.0)
    entries: SubtopicHits = subtopic_hits(hits, level=0, passages=True)
    read = reached[reading.offsets[entries.row] + entries.rank - 1]
    gain = entries.total(np.maximum(entries.grade, 1) * _learnt(read, gamma))
    return gain - cost * np.asarray(np.bincount(row, weights=reached * reading.words, minlength=hits.rows), np.float64)
