"""The range of a score over the orders inside ties."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.definition import Measure
from leadline.measures.hits import Array, Hits, Integers

SHUFFLES = 200  # random orders for measures whose extremes no simple order reaches


def tie_range(measure: Measure, hits: Hits, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return the lowest and highest value of each row over the orders inside ties.

    For measures of grades, sorting each tie by grade reaches the extremes. In a measure of subtopics the gain of a
    document depends on those before it, so random orders are tried as well; the true range may be wider.
    """
    if measure.view.needs & {"words", "seconds", "iterations"}:
        raise MeasureError(
            f"{measure.text}: a measure of reading time has no range over ties; use time=rank, or leave out --ties"
        )
    values = [measure(other) for other in _orders(hits, measure.level, rng, "subtopics" in measure.view.needs)]
    return np.minimum.reduce(values), np.maximum.reduce(values)


def _orders(hits: Hits, level: int, rng: np.random.Generator, shuffled: bool) -> Iterator[Hits]:
    yield hits
    if (hits.tie_first == hits.tie_last).all():
        return
    relevant = hits.relevant(level)
    # The sort key of each hit in its tie: negative before the unjudged documents, positive after them. The orders are:
    # relevant, unjudged, irrelevant; the reverse; relevant, irrelevant, unjudged; the reverse. Pooled documents that
    # nobody judged (grade below 0) stand between the irrelevant and the unjudged ones.
    gain = np.where(relevant, hits.grade, 0)
    wrong = np.where(hits.grade < 0, 0.5, 1.0)
    wrong_last = np.where(relevant, -gain - 1.0, wrong)
    yield reordered(hits, wrong_last)
    yield reordered(hits, -wrong_last)
    judged_first = np.where(relevant, -gain - 2.0, -wrong)
    yield reordered(hits, judged_first)
    yield reordered(hits, -judged_first)
    if shuffled:
        for _ in range(SHUFFLES):
            yield reordered(hits, _shuffled(hits, rng))


def _shuffled(hits: Hits, rng: np.random.Generator) -> Array:
    """Random sort keys that also mix judged with unjudged documents of a tie."""
    spread = np.maximum(hits.tie_last - hits.tie_first, 1)
    return rng.uniform(-1, 1, len(hits.rank)) * spread


def reordered(hits: Hits, place: Array) -> Hits:
    """Return the hits with every tie sorted by `place`, where unjudged documents have place 0.

    >>> hits = replace(Hits.of(ranks=[2], relevant=1, retrieved=4), tie_first=np.array([1]), tie_last=np.array([4]))
    >>> reordered(hits, np.array([1.0])).rank, reordered(hits, np.array([-1.0])).rank
    (array([4]), array([1]))
    """
    # Within each tie, hits get consecutive ranks in the order of `place`; those after 0 follow the unjudged documents.
    order = np.lexsort((place, hits.tie_first, hits.row))
    row, first, last = hits.row[order], hits.tie_first[order], hits.tie_last[order]
    starts = np.flatnonzero(np.r_[True, (row[1:] != row[:-1]) | (first[1:] != first[:-1])][: len(order)])
    sizes = np.diff(np.r_[starts, len(order)])
    within: Integers = np.arange(len(order)) - np.repeat(starts, sizes)
    unjudged = last - first + 1 - np.repeat(sizes, sizes)
    rank = first + within + np.where(place[order] > 0, unjudged, 0)
    again = np.lexsort((rank, row))
    chosen = order[again]
    return replace(
        hits,
        rank=rank[again],
        grade=hits.grade[chosen],
        document=hits.document[chosen],
        tie_first=hits.tie_first[chosen],
        tie_last=hits.tie_last[chosen],
    )
