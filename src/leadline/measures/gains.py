"""The gain of a grade, the discount of a rank, and the ideal list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

import numpy as np

from leadline.measures.hits import Array, Hits, Integers
from leadline.options import Bounds

# The last two are ir_measures' names for the first two: one word for gain and discount.
Gain = Literal["linear", "exp", "log2", "exp-log2"]
Discount = Literal["log2", "jk", "zipf"]
Base = Annotated[float, Bounds(1, above=True)]  # of the logarithm that discounts


def gains_of(grades: Integers, gain: Gain = "linear", table: Mapping[int, float] | None = None) -> Array:
    """Return the gain of each grade: from the table, else the grade or 2^grade - 1; 0 for grades below 0.

    >>> gains_of(np.array([-1, 0, 1, 2, 3]), "exp", {1: 0.5})
    array([0. , 0. , 0.5, 3. , 7. ])
    """
    positive = np.maximum(grades, 0).astype(float)
    gains = np.exp2(positive) - 1 if gain in ("exp", "exp-log2") else positive
    for grade, worth in (table or {}).items():
        gains[grades == grade] = worth
    return gains


def discounts(ranks: Integers, discount: Discount = "log2", base: float = 2.0) -> Array:
    """Return the divisor of a gain at each rank: log2(1 + r), r, or Järvelin and Kekäläinen's log_b(r) from rank b on.

    >>> discounts(np.array([1, 2, 4, 8]), "jk", base=4)
    array([1. , 1. , 1. , 1.5])
    """
    if discount == "zipf":
        return ranks.astype(float)
    if discount == "jk":
        return np.maximum(1.0, np.log2(ranks) / np.log2(base))
    return np.log2(ranks + 1.0)


@dataclass(frozen=True)
class Ideal:
    """The gains above 0 of each topic, highest first: the ideal list."""

    topic: Integers
    gain: Array
    offsets: Integers

    @classmethod
    def of(cls, hits: Hits, gain: Gain = "linear", table: Mapping[int, float] | None = None) -> Ideal:
        judged, options = hits.judged, (gain, tuple(sorted((table or {}).items())))
        if options not in judged.remembered:
            gains = gains_of(judged.grades, gain, table)
            order = np.lexsort((-gains, judged.topic))
            order = order[gains[order] > 0]
            topic = judged.topic[order]
            offsets = np.searchsorted(topic, np.arange(len(judged.offsets)))
            judged.remembered[options] = cls(topic, gains[order], offsets)
        ideal: Ideal = judged.remembered[options]
        return ideal

    @cached_property
    def place(self) -> Integers:
        """The rank of each document in the ideal list of its topic."""
        return np.arange(len(self.topic)) - self.offsets[self.topic] + 1

    @property
    def length(self) -> Integers:
        """The number of documents with a gain, for each topic."""
        return np.diff(self.offsets)

    def upto(self, values: Array, topic: Integers, rank: Integers) -> Array:
        """Return the sum of `values`, one per document of the ideal lists, over the first `rank` of a topic's list."""
        within = np.minimum(rank, self.length[topic])
        sums = np.concatenate([[0.0], running_sums(values, self.offsets)])
        return np.where(within > 0, sums[self.offsets[topic] + within], 0.0)


def running_sums(values: Array, offsets: Integers) -> Array:
    """Return running sums within groups, which are the slices between offsets.

    They are added from the front, one position of all groups at a time, so that a perfect list has exactly the sums
    of the ideal list.

    >>> running_sums(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 2, 2, 4]))
    array([1., 3., 3., 7.])
    """
    sums = np.array(values, float)
    lengths = np.diff(offsets)
    longest_first = np.argsort(-lengths, kind="stable")
    starts, lengths = offsets[:-1][longest_first], lengths[longest_first]
    for position in range(1, int(lengths.max(initial=0))):
        at = starts[: np.searchsorted(-lengths, -position)] + position
        sums[at] += sums[at - 1]
    return sums
