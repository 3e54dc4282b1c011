"""The paired bootstrap: with other topics drawn, how often would chance alone give a difference this large?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from leadline.measures.hits import Array, Integers
from leadline.trust.paired import NUMBERS_AT_ONCE, Moments, TestResult, all_pairs, least_extreme

DRAWS_AT_ONCE = 2048
FEWEST_PAIRS = 128  # in a block; with fewer, converting counts to weights would cost more than using them


def bootstrap(matrix: Array, counts: Integers) -> TestResult:
    """Sakai's paired bootstrap test, two-sided, for every pair of systems.

    Sakai, SIGIR 2006. The differences are centred at 0 and drawn with replacement. The level is the share of samples
    whose studentised mean is at least as far from 0 as the observed one. `counts` (draws × topics) says how often each
    topic is in each sample: see `random_counts` and `counts_of`. Systems that never differ have level 1; a difference
    that is the same on every topic has level 0.

    >>> matrix = np.array([[0.2, 0.5, 0.9, 0.4], [0.1, 0.2, 0.4, 0.6]])
    >>> bootstrap(matrix, counts_of([[0, 1, 1, 2], [3, 3, 0, 0], [0, 1, 2, 3]])).p
    array([0.66666667])
    """
    moments = Moments.of(matrix)
    levels = np.empty(len(moments.mean))
    for part in resampled(matrix, moments, counts):
        levels[part.pairs] = part.levels
    return TestResult(moments.t, levels)


def random_counts(topics: int, draws: int, rng: np.random.Generator) -> Integers:
    """How often each topic is in each of `draws` random samples, drawn with replacement, of `topics` topics."""
    counts = np.empty((draws, topics), np.min_scalar_type(topics))
    for start in range(0, draws, DRAWS_AT_ONCE):
        size = min(DRAWS_AT_ONCE, draws - start)
        counts[start : start + size] = counts_of(rng.integers(topics, size=(size, topics)))
    return counts


def counts_of(samples: Integers | list[list[int]]) -> Integers:
    """How often each topic is in each sample, from the indices of the topics drawn (draws × topics).

    >>> counts_of([[0, 2, 2], [1, 0, 2]])
    array([[1, 0, 2],
           [1, 1, 1]])
    """
    places = np.asarray(samples)
    draws, topics = places.shape
    cells = places + topics * np.arange(draws)[:, None]
    return np.bincount(cells.ravel(), minlength=draws * topics).reshape(draws, topics)


@dataclass(frozen=True)
class Resampled:
    """A block of pairs: the absolute means and studentised means in every sample, pairs × draws."""

    pairs: slice
    t: Array  # observed
    means: Array
    ts: Array

    @property
    def levels(self) -> Array:
        """The share of samples whose studentised mean is at least as far from 0 as the observed one."""
        share = (self.ts >= least_extreme(self.t)[:, None]).mean(axis=1)
        return np.asarray(share, np.float64)

    def difference_at(self, alpha: float) -> Array:
        """The mean difference in the sample whose studentised mean is the ⌈alpha · draws⌉-th largest."""
        draws = self.ts.shape[1]
        place = draws - min(draws, max(1, ceiling(alpha * draws)))
        sample = np.argpartition(self.ts, place, axis=1)[:, place]
        return np.take_along_axis(self.means, sample[:, None], axis=1)[:, 0]


def ceiling(value: float) -> int:
    """Round up to a whole number, ignoring rounding errors: 0.07 · 100 is 7, not 7.000000000000001.

    >>> ceiling(0.07 * 100), ceiling(7.1)
    (7, 8)
    """
    return int(np.ceil(value - 1e-9))


def resampled(matrix: Array, moments: Moments, counts: Integers) -> Iterator[Resampled]:
    """The samples of every pair, in blocks of pairs."""
    draws = len(counts)
    values = matrix - matrix[0]
    # The sum over each sample of every system's scores; a pair's sum of differences is a difference of two of these.
    totals = np.empty((len(matrix), draws))
    for block, weights in _blocks(counts):
        totals[:, block] = values @ weights
    first, second = all_pairs(len(matrix))
    at_once = max(FEWEST_PAIRS, NUMBERS_AT_ONCE // draws)
    for start in range(0, len(first), at_once):
        pairs = slice(start, min(start + at_once, len(first)))
        one, other = first[pairs], second[pairs]
        mean, deviation = moments.mean[pairs, None], moments.deviation[pairs, None]
        squares = (values[one] - values[other] - mean) ** 2
        means, ts = np.empty((len(one), draws)), np.empty((len(one), draws))
        for block, weights in _blocks(counts):
            drawn = (totals[one, block] - totals[other, block]) / moments.topics - mean
            means[:, block] = np.abs(drawn)
            ts[:, block] = _studentised(drawn, squares @ weights, deviation, moments.topics)
        yield Resampled(pairs, moments.t[pairs], means, ts)


def _studentised(means: Array, squares: Array, deviation: Array, topics: int) -> Array:
    """The absolute value of each mean over its standard error."""
    variance = (squares - topics * means**2) / (topics - 1)
    # A sample that repeats one topic has no variance apart from rounding errors.
    error = np.sqrt(np.where(variance > 1e-12 * deviation**2, variance, 0.0) / topics)
    # When all differences are equal, the observed t is infinite and no sample is as extreme.
    certain = np.where((np.abs(means) > 1e-9 * deviation) & (deviation > 0), np.inf, 0.0)
    return np.divide(np.abs(means), error, out=certain, where=(error > 0) & (deviation > 0))


def _blocks(counts: Integers) -> Iterator[tuple[slice, Array]]:
    """Blocks of samples as weights, topics × draws."""
    for start in range(0, len(counts), DRAWS_AT_ONCE):
        block = slice(start, start + DRAWS_AT_ONCE)
        yield block, counts[block].astype(np.float64).T
