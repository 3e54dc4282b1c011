"""Align scores for a comparison: every system on the same topics, no undefined values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from leadline.errors import MismatchError
from leadline.measures.alignment import listed
from leadline.measures.hits import Array
from leadline.records.scores.result import counted
from leadline.records.scores.scores import Scores

LARGEST = 1e100  # beyond this, squares overflow


class Aligned(NamedTuple):
    """Systems × topics without gaps, the names of the topics, and notes about topics left out."""

    matrix: Array
    topics: tuple[str, ...]
    notes: tuple[str, ...]


def aligned(scores: Scores, measure: str) -> Aligned:
    """The values of one measure on the topics where every system has one.

    A topic that is undefined for every system is left out and counted in the notes. A topic that is undefined for some
    systems would make the comparison unfair, so it is left out for all and named in the notes.

    >>> nan = np.nan
    >>> values = np.array([[0.2, 0.4, nan, 0.6], [0.5, nan, nan, 0.7]])[:, :, None]
    >>> aligned(Scores(("a", "b"), ("1", "2", "3", "4"), ("AP",), values), "AP")  # doctest: +NORMALIZE_WHITESPACE
    Aligned(matrix=array([[0.2, 0.6], [0.5, 0.7]]), topics=('1', '4'),
        notes=('AP: 1 topic undefined for every run, left out',
               'AP: topic 2 has no value for b; left out for all runs'))
    """
    values = np.asarray(scores.of(measure), np.float64)
    defined = np.isfinite(values)
    kept = defined.all(axis=0)
    nowhere = ~defined.any(axis=0)
    partly = ~kept & ~nowhere
    notes = []
    if nowhere.any():
        notes.append(f"{measure}: {counted(int(nowhere.sum()), 'topic')} undefined for every run, left out")
    if partly.any():
        lacking = [scores.runs[r] for r in np.flatnonzero(~defined[:, partly].all(axis=1))]
        missing = [scores.topics[t] for t in np.flatnonzero(partly)]
        topics, have = ("topic", "has") if len(missing) == 1 else ("topics", "have")
        notes.append(
            f"{measure}: {topics} {listed(missing)} {have} no value for {listed(lacking, 4)}; left out for all runs"
        )
    if len(scores.runs) < 2:
        raise MismatchError(f"{measure}: {counted(len(scores.runs), 'run')}; a comparison needs two or more")
    if kept.sum() < 2:
        empty = [scores.runs[r] for r in np.flatnonzero(~defined.any(axis=1))]
        cause = f" ({listed(empty, 4)} without any value)" if empty else ""
        raise MismatchError(
            f"{measure}: {counted(int(kept.sum()), 'topic')} with a value for every run{cause}; "
            "a comparison needs two or more, so give scores by topic"
        )
    chosen = np.flatnonzero(kept)
    if np.abs(values[:, chosen]).max() > LARGEST:
        raise MismatchError(
            f"{measure}: a value beyond {LARGEST:g} is too large to be squared, so runs are not compared"
        )
    return Aligned(np.ascontiguousarray(values[:, chosen]), tuple(scores.topics[t] for t in chosen), tuple(notes))
