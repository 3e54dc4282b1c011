"""Hits: the ranks of the judged documents in ranked lists. Every measure is a function of these.

Each (run, topic) pair is a row; its hits are the slice from `offsets[i]` to `offsets[i + 1]` of flat arrays, in the
order of rank. Leaving out judgements, or changing the order inside ties, makes other Hits from these; no file is read
twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.records.qrels.qrels import Qrels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Mask = NDArray[np.bool_]
else:
    Array = Integers = Mask = np.ndarray  # numpy.typing takes 8 ms to import


AGAIN = " again "  # stands between the id of a document opened again and a number; ids in files hold no blanks


@dataclass(frozen=True)
class Reading:
    """Data on every document read, judged or not: flat arrays in the order of reading, a slice for each row."""

    offsets: Integers
    words: Array | None = None
    seconds: Array | None = None
    iterations: Integers | None = None


@dataclass(frozen=True)
class Judged:
    """The judgements of each topic, retrieved or not."""

    offsets: Integers
    grades: Integers
    remembered: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)  # ideals, by their options

    @classmethod
    def of(cls, qrels: Qrels) -> Judged:
        return cls(qrels.offsets, qrels.grades.astype(np.int64))

    @cached_property
    def topic(self) -> Integers:
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def count(self, mask: Mask) -> Integers:
        return np.bincount(self.topic[mask], minlength=len(self.offsets) - 1)

    @cached_property
    def best_first(self) -> Integers:
        """The grades of each topic, highest first."""
        return self.grades[np.lexsort((-self.grades, self.topic))]

    @cached_property
    def place(self) -> Integers:
        """The place, from 1, of each entry of `best_first` in its topic."""
        return np.arange(len(self.grades)) - np.repeat(self.offsets[:-1], np.diff(self.offsets)) + 1


@dataclass(frozen=True)
class Hits:
    """The judged documents of every row, by rank."""

    offsets: Integers
    rank: Integers  # from 1
    grade: Integers
    document: Integers  # its place among the judged documents
    retrieved: Integers  # how many documents each row holds
    judged: Judged
    topic: Integers  # of each row: which topic of `judged`
    tie_first: Integers = field(default_factory=lambda: np.empty(0, np.int64), repr=False)
    tie_last: Integers = field(default_factory=lambda: np.empty(0, np.int64), repr=False)
    qrels: Qrels | None = field(default=None, repr=False)
    reading: Reading | None = field(default=None, repr=False)
    _relevant_hits: dict[int, Hits] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        ranks: Sequence[int],
        relevant: int | None = None,
        *,
        grades: Sequence[int] | None = None,
        missed: Sequence[int] = (),
        retrieved: int | None = None,
    ) -> Hits:
        """Return one row for examples: judged documents at these ranks, and `relevant` relevant documents in total.

        `grades` are the grades at `ranks` (default: all 1), `missed` those of judged documents not in the list.
        Give `relevant` or `missed`.

        >>> hits = Hits.of(ranks=[1, 98, 99, 100], relevant=4)
        >>> hits.n_relevant(), hits.retrieved
        (array([4]), array([100]))
        """
        found = np.array(grades if grades is not None else [1] * len(ranks), np.int64)
        if relevant is not None and not missed:
            missed = [1] * (relevant - int((found >= 1).sum()))
        known = np.concatenate([found, np.array(missed, np.int64)]).astype(np.int64)
        rank = np.array(ranks, np.int64)
        return cls(
            offsets=np.array([0, len(rank)]),
            rank=rank,
            grade=found,
            document=np.arange(len(rank)),
            retrieved=np.array([retrieved if retrieved is not None else max(ranks, default=0)]),
            judged=Judged(np.array([0, len(known)]), known),
            topic=np.array([0]),
            tie_first=rank,
            tie_last=rank,
        )

    @property
    def rows(self) -> int:
        return len(self.retrieved)

    @cached_property
    def row(self) -> Integers:
        """The row of each hit."""
        return np.repeat(np.arange(self.rows), np.diff(self.offsets))

    def total(self, values: NDArray[Any]) -> Array:
        """Return the sum over the hits of each row, added in the order of rank."""
        # Without any hits, bincount returns integers, which cannot hold NaN.
        return np.asarray(np.bincount(self.row, weights=values, minlength=self.rows), np.float64)

    def count(self, mask: Mask) -> Integers:
        """Return the number of hits of each row in the mask."""
        return np.bincount(self.row[mask], minlength=self.rows)

    def running(self, mask: Mask, at: Integers | slice = slice(None)) -> Integers:
        """Return for each hit, or those at some places, how many hits of its row down to it are in the mask."""
        counted = np.cumsum(mask, dtype=np.int64)
        before = np.concatenate([[0], counted])[self.offsets[:-1]]
        return counted[at] - before[self.row[at]]

    def relevant(self, level: int = 1) -> Mask:
        return self.grade >= level

    def only_relevant(self, level: int = 1) -> Hits:
        """Return only the relevant hits, which is all that most measures use. Computed once for each level."""
        if level not in self._relevant_hits:
            self._relevant_hits[level] = self.where(self.relevant(level))
        return self._relevant_hits[level]

    def n_relevant(self, level: int = 1) -> Integers:
        """Return the number of relevant documents of each row's topic, found or not: n."""
        return self.judged.count(self.judged.grades >= level)[self.topic]

    def n_judged(self) -> Integers:
        """Return the number of judged documents (grade 0 and up) of each row's topic."""
        return self.judged.count(self.judged.grades >= 0)[self.topic]

    def n_candidates(self) -> Integers:
        """Return the number of documents a reviewer could read: those judged, of any grade, or the list if longer."""
        return np.maximum(np.diff(self.judged.offsets)[self.topic], self.retrieved)

    def found(self, level: int = 1, cutoff: int | None = None) -> Integers:
        """Return the number of relevant documents found within the cutoff: m."""
        found = self.only_relevant(level)
        return np.diff(found.offsets) if cutoff is None else found.count(found.rank <= cutoff)

    def where(self, mask: Mask) -> Hits:
        """Return only the hits in the mask; judgements and ranks stay as they are."""
        kept = np.flatnonzero(mask)
        rank = self.rank[kept]
        return replace(
            self,
            offsets=np.searchsorted(kept, self.offsets),
            rank=rank,
            grade=self.grade[kept],
            document=self.document[kept],
            tie_first=rank if self.tie_first is self.rank else self.tie_first[kept],
            tie_last=rank if self.tie_last is self.rank else self.tie_last[kept],
        )

    def rows_where(self, mask: Mask) -> Hits:
        """Return only some of the rows."""
        inner = self.where(mask[self.row])
        counts = np.diff(inner.offsets)[mask]
        return replace(
            inner,
            offsets=np.concatenate([[0], np.cumsum(counts)]),
            retrieved=self.retrieved[mask],
            topic=self.topic[mask],
            reading=None if self.reading is None else _rows_of_reading(self.reading, mask),
        )


def _rows_of_reading(reading: Reading, mask: Mask) -> Reading:
    counts = np.diff(reading.offsets)
    kept = np.repeat(mask, counts)
    return Reading(
        np.concatenate([[0], np.cumsum(counts[mask])]),
        None if reading.words is None else reading.words[kept],
        None if reading.seconds is None else reading.seconds[kept],
        None if reading.iterations is None else reading.iterations[kept],
    )


def ratio(over: NDArray[Any], under: NDArray[Any] | float) -> Array:
    """Divide; a division by 0 gives 0."""
    under = np.broadcast_to(np.asarray(under, float), np.shape(over))
    return np.divide(over, under, out=np.zeros(np.shape(over)), where=under != 0)
