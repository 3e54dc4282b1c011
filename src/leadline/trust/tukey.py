"""Randomised Tukey HSD: how far apart would the best and the worst of equal systems be by chance?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from leadline.measures.hits import Array, Integers
from leadline.trust.paired import NUMBERS_AT_ONCE, TestResult, all_pairs, least_extreme


def tukey(matrix: Array, ranges: Array) -> TestResult:
    """The p of every pair: the share of random ranges that are at least as large as the pair's difference.

    Carterette, TOIS 2012; Sakai 2012. The range is that of all systems, so p already allows for the number of pairs
    and needs no further correction. `ranges` come from `random_ranges`, or from `ranges_of` for given arrangements.

    >>> tukey(np.array([[0.2, 0.5], [0.1, 0.2], [0.8, 0.9]]), np.array([0.1, 0.3, 0.5, 0.7])).p
    array([0.75, 0.5 , 0.25])
    """
    first, second = all_pairs(len(matrix))
    means = matrix.mean(axis=1)
    difference = means[first] - means[second]
    # Sorted ranges: those from the insertion point on are at least as large as the difference.
    smaller = np.searchsorted(np.sort(ranges), least_extreme(difference))
    return TestResult(difference, (len(ranges) - smaller) / len(ranges))


def randomised_tukey(matrix: Array, *, rng: np.random.Generator, draws: int = 10_000) -> TestResult:
    """The test with random arrangements: p = (k + 1) / (draws + 1), where k ranges are at least the difference."""
    share = tukey(matrix, random_ranges(matrix, draws, rng))
    return TestResult(share.statistic, (share.p * draws + 1) / (draws + 1))


def random_ranges(matrix: Array, draws: int, rng: np.random.Generator) -> Array:
    """The largest minus the smallest mean after shuffling the systems' scores within each topic, `draws` times."""
    return ranges_of(_shuffled(matrix, draws, rng))


def ranges_of(arrangements: Iterable[Array]) -> Array:
    """The largest minus the smallest mean of given arrangements: blocks of scores, draws × topics × systems."""
    return np.concatenate([np.ptp(block.mean(axis=1), axis=1) for block in arrangements])


def arranged(matrix: Array, places: Integers) -> Array:
    """Scores rearranged within topics: `places` (draws × topics × systems) says whose score each system gets."""
    return np.take_along_axis(matrix.T[None], places, axis=2)


def _shuffled(matrix: Array, draws: int, rng: np.random.Generator) -> Iterator[Array]:
    at_once = max(1, NUMBERS_AT_ONCE // matrix.size)
    for start in range(0, draws, at_once):
        block = np.repeat(matrix.T[None], min(at_once, draws - start), axis=0)
        yield rng.permuted(block, axis=2, out=block)
