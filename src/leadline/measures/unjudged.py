"""Lists without their unjudged documents, and lists cut at a depth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from leadline.measures.hits import Hits, Integers, Reading


def judged_only(hits: Hits) -> Hits:
    """The lists with only their judged documents, which move up: condensed lists, trec_eval's -J.

    Documents of a grade below 0 are in the pool but not judged, so they go as well.

    >>> condensed = judged_only(Hits.of(ranks=[1, 5, 9], grades=[1, -1, 2]))
    >>> condensed.rank, condensed.retrieved
    (array([1, 2]), array([2]))
    """
    kept = hits.where(hits.grade >= 0)
    rank = kept.running(np.ones(len(kept.rank), bool))
    # What is left of a tie still stands side by side.
    changes = (np.diff(kept.row) != 0) | (np.diff(kept.tie_first) != 0)
    starts = np.flatnonzero(np.r_[True, changes][: len(rank)])
    sizes = np.diff(np.r_[starts, len(rank)])
    first = np.repeat(rank[starts], sizes)
    return replace(
        kept,
        rank=rank,
        retrieved=np.diff(kept.offsets),
        tie_first=first,
        tie_last=first + np.repeat(sizes, sizes) - 1,
        reading=_read_at(kept.reading, kept.row, kept.rank, kept.offsets),
    )


def first_only(hits: Hits, depth: int) -> Hits:
    """The lists cut after so many documents: trec_eval's -M.

    >>> cut = first_only(Hits.of(ranks=[1, 5, 9], relevant=3), depth=5)
    >>> cut.rank, cut.retrieved
    (array([1, 5]), array([5]))
    """
    kept = hits.where(hits.rank <= depth)
    retrieved = np.minimum(hits.retrieved, depth)
    offsets = np.concatenate([[0], np.cumsum(retrieved)])
    row = np.repeat(np.arange(hits.rows), retrieved)
    rank = np.arange(len(row)) - offsets[row] + 1
    return replace(
        kept,
        retrieved=retrieved,
        tie_last=np.minimum(kept.tie_last, depth),
        reading=_read_at(kept.reading, row, rank, offsets),
    )


def _read_at(reading: Reading | None, row: Integers, rank: Integers, offsets: Integers) -> Reading | None:
    """What is known of the documents at these ranks, as the whole of what is read."""
    if reading is None:
        return None
    place = reading.offsets[row] + rank - 1
    return Reading(
        offsets,
        None if reading.words is None else reading.words[place],
        None if reading.seconds is None else reading.seconds[place],
        None if reading.iterations is None else reading.iterations[place],
    )
