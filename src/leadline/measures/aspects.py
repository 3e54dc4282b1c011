"""Hits by subtopic: which subtopics a judged document is relevant to, and the weight of each subtopic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.hits import Array, Hits, Integers
from leadline.records.qrels.qrels import Qrels
from leadline.records.qrels.subtopics import Subtopics

if TYPE_CHECKING:
    from numpy.typing import NDArray

Theta = Literal["equal", "claims", "decay", "halving", "given"]


def subtopics_of(hits: Hits) -> Subtopics:
    """Return the subtopics of the judgements; none is an error."""
    if hits.qrels is None or hits.qrels.subtopics is None:
        raise MeasureError(
            "this measure needs judgements by subtopic (topic subtopic document grade), and these have none"
        )
    return hits.qrels.subtopics


@dataclass(frozen=True)
class SubtopicHits:
    """One entry per hit and subtopic it is judged for, in the order of row, rank and subtopic.

    Subtopics are numbered over all topics, as in `Subtopics`.
    """

    hits: Hits
    hit: Integers  # which of the hits
    subtopic: Integers
    grade: Integers

    @property
    def row(self) -> Integers:
        return self.hits.row[self.hit]

    @property
    def rank(self) -> Integers:
        return self.hits.rank[self.hit]

    def total(self, values: NDArray[Any]) -> Array:
        """Return the sum over the entries of each row, added in the order of rank."""
        return np.asarray(np.bincount(self.row, weights=values, minlength=self.hits.rows), float)

    @cached_property
    def by_group(self) -> Integers:
        """The entries sorted by row, subtopic and rank, so that each (row, subtopic) is one slice."""
        return np.lexsort((self.rank, self.subtopic, self.row))

    @cached_property
    def seen_before(self) -> Integers:
        """For each entry, the number of earlier entries with its row and subtopic."""
        order = self.by_group
        row, subtopic = self.row[order], self.subtopic[order]
        # Where each group of equal row and subtopic starts; an entry's place in its group is its count of earlier ones.
        starts = np.flatnonzero(np.r_[True, (row[1:] != row[:-1]) | (subtopic[1:] != subtopic[:-1])][: len(order)])
        place = np.arange(len(order)) - np.repeat(starts, np.diff(np.r_[starts, len(order)]))
        seen = np.empty(len(order), np.int64)
        seen[order] = place
        return seen


def subtopic_hits(hits: Hits, *, level: int = 1, passages: bool = False) -> SubtopicHits:
    """Return the entries of grade `level` and up. Without `passages` a document has its largest passage's grade."""
    table = subtopics_of(hits)
    assert hits.qrels is not None
    document, subtopic, grade = table.document, table.subtopic, table.grade
    if hits.qrels.kind == "passages" and not passages:
        # Rows are sorted by document and subtopic, so the passages of one pair are neighbours: keep the largest grade.
        first = np.flatnonzero(
            np.r_[True, (document[1:] != document[:-1]) | (subtopic[1:] != subtopic[:-1])][: len(document)]
        )
        grade = np.maximum.reduceat(grade, first) if len(first) else grade
        document, subtopic = document[first], subtopic[first]
    kept = grade >= level
    document, subtopic, grade = document[kept], subtopic[kept], grade[kept]
    # The judged rows of each hit's document, one after the other.
    starts = np.searchsorted(document, np.arange(len(hits.qrels.documents) + 1))
    counts = (starts[1:] - starts[:-1])[hits.document]
    hit = np.repeat(np.arange(len(hits.rank)), counts)
    entry = np.arange(len(hit)) - np.repeat(np.cumsum(counts) - counts, counts) + starts[hits.document][hit]
    return SubtopicHits(hits, hit, subtopic[entry], grade[entry].astype(np.int64))


def weights(qrels: Qrels, theta: Theta) -> Array:
    """Return the weight of every subtopic; those of a topic sum to 1.

    >>> qrels = Qrels.from_columns(["7"] * 3, ["d", "e", "f"], [1, 1, 1], subtopics=["1", "2", "3"])
    >>> weights(qrels, "halving").round(3)
    array([0.571, 0.286, 0.143])
    """
    assert qrels.subtopics is not None
    table = qrels.subtopics
    counts = np.diff(table.offsets)
    place = np.arange(len(table.names)) - np.repeat(table.offsets[:-1], counts) + 1
    if theta == "equal":
        raw: NDArray[Any] = np.ones(len(table.names))
    elif theta == "decay":
        raw = 1 / np.log2(1 + place)
    elif theta == "halving":
        raw = 2.0 ** (np.repeat(counts, counts) - place + 1)
    elif theta == "given":
        if table.weights is None:
            raise MeasureError("theta=given needs a fifth column with each subtopic's weight in the judgements")
        raw = table.weights
    else:
        raw = _claim_weights(table)
    totals = np.add.reduceat(raw, table.offsets[:-1]) if len(raw) else raw
    return raw / np.repeat(totals, counts)


def _claim_weights(table: Subtopics) -> Array:
    """1 for independent claims, 0.5 for dependent ones. A subtopic named CLAIM:PARENT is a dependent claim."""
    dependent = np.array([":" in name for name in table.names])
    if dependent.any():
        return np.where(dependent, 0.5, 1.0)
    if table.weights is not None:
        return table.weights
    raise MeasureError(
        "theta=claims needs dependent claims marked: name their subtopics CLAIM:PARENT, "
        "or give the weights 1 and 0.5 in a fifth column"
    )
