"""The hits of every row by many samples of the judgements at once.

A measure that needs only numbers and sums of the relevant documents takes `Samples` in the place of `Hits`
(`sums_alone` in `@measure`): a hundred samples cost little more than one, to the last bit the same.

>>> hits = Hits.of(ranks=[1, 4, 5], relevant=4)
>>> samples = Samples.of(hits, np.array([[True, False, True, True], [False, False, False, True]]))
>>> samples.n_relevant(), samples.found(), samples.sum_of_precisions()
(array([[3, 1]]), array([[2, 0]]), array([[1.4, 0. ]]))
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from leadline.measures.hits import Array, Hits, Integers, Mask

COLUMNS, ONE_THREAD = (64, 32, 16, 8), 2**18  # of a piece of a matrix product; multiplications that BLAS does not share


def product(rows: Any, weights: Any, out: Any = None) -> Any:
    """The matrix product, in pieces that BLAS computes in one thread, unless a single row is too long for that.

    >>> product(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))
    array([[11.]])
    """
    width = weights.shape[1]
    if width % COLUMNS[-1]:
        filled = np.zeros((len(weights), width + -width % COLUMNS[-1]), weights.dtype)
        filled[:, :width] = weights
        return product(rows, filled)[:, :width]
    if out is None:
        out = np.empty((len(rows), width), weights.dtype)
    fitting = [columns for columns in COLUMNS if rows.size * columns <= ONE_THREAD and width % columns == 0]
    if not fitting and len(rows) > 1:
        half = len(rows) // 2
        product(rows[:half], weights, out[:half])
        product(rows[half:], weights, out[half:])
        return out
    if not rows.size or not width:
        out[...] = 0
        return out
    at_once = fitting[0] if fitting else width
    columns, into = (each.reshape(len(each), -1, at_once).transpose(1, 0, 2) for each in (weights, out))
    np.matmul(rows, columns, out=into)
    return out


@dataclass(frozen=True)
class Samples:
    """The hits by all judgements, and which judgements each sample keeps."""

    hits: Hits
    kept: Array  # judgement × sample: 1 or 0
    _counts: dict[int, Integers] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, hits: Hits, kept: Mask) -> Samples:
        """The samples in the rows of `kept`, samples × judgements."""
        return cls(hits, np.ascontiguousarray(kept.T, dtype=np.float64))

    def n_relevant(self, level: int = 1) -> Integers:
        """The number of relevant documents that a sample keeps of each row's topic, found or not."""
        if level not in self._counts:
            judged = self.hits.judged
            relevant = self.kept * (judged.grades >= level)[:, None]
            counts = [relevant[first:last].sum(axis=0) for first, last in pairwise(judged.offsets.tolist())]
            self._counts[level] = np.array(counts, np.int64).reshape(-1, self.kept.shape[1])[self.hits.topic]
        return self._counts[level]

    def found(self, level: int = 1, cutoff: int | None = None) -> Integers:
        """The number of relevant documents found within the cutoff."""
        found = self._within(level, cutoff)
        return self._summed(found, np.ones(len(found.rank))).astype(np.int64)

    def sum_of_ranks(self, level: int = 1, cutoff: int | None = None) -> Array:
        """The sum of the ranks of the relevant documents found within the cutoff."""
        found = self._within(level, cutoff)
        return self._summed(found, found.rank)

    def sum_of_precisions(self, level: int = 1, cutoff: int | None = None) -> Array:
        """The sum of the precisions at the relevant documents found within the cutoff, added in the order of rank."""
        found = self._within(level, cutoff)
        sizes = np.diff(found.offsets)
        total = np.zeros((found.rows, self.kept.shape[1]))
        for t in range(len(self.hits.judged.offsets) - 1):
            rows = np.flatnonzero((found.topic == t) & (sizes > 0))
            rows = rows[np.argsort(-sizes[rows], kind="stable")]  # the longest first: others end before them
            places, precisions = np.zeros((2, len(rows), total.shape[1]))
            going = np.searchsorted(-sizes[rows], -np.arange(sizes[rows].max(initial=0)), "left")
            for place, count in enumerate(going.tolist()):
                hits = found.offsets[rows[:count]] + place
                kept = self.kept[found.document[hits]]
                counted = places[:count]
                counted += kept
                kept *= counted
                kept /= found.rank[hits, None]
                precisions[:count] += kept
            total[rows] = precisions
        return total

    def _within(self, level: int, cutoff: int | None) -> Hits:
        found = self.hits.only_relevant(level)
        return found if cutoff is None or not (found.rank > cutoff).any() else found.where(found.rank <= cutoff)

    def _summed(self, found: Hits, worth: Integers | Array) -> Array:
        """The sum of whole numbers over the hits that each sample keeps: exact, in whatever order they are added."""
        total = np.zeros((found.rows, self.kept.shape[1]))
        topic = found.topic[found.row]
        order = np.argsort(topic, kind="stable")
        for hits in np.split(order, np.searchsorted(topic[order], np.arange(1, len(self.hits.judged.offsets) - 1))):
            rows, of_row = np.unique(found.row[hits], return_inverse=True)
            documents, column = np.unique(found.document[hits], return_inverse=True)
            table = np.zeros((len(rows), len(documents)))
            table[of_row, column] = worth[hits]
            total[rows] = product(table, self.kept[documents])
        return total
