"""Wilcoxon's signed rank test: do the larger differences favour one system?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leadline.measures.hits import Array, Integers, Mask
from leadline.trust.paired import TestResult, all_pairs, difference_blocks, least_extreme, without_rounding_errors
from leadline.trust.randomisation import every_flip

MOST_EXACT = 50  # topics up to which the exact distribution is used when nothing is tied
MOST_ENUMERATED = 13  # topics up to which all signs are tried when something is tied


def wilcoxon(matrix: Array) -> TestResult:
    """Wilcoxon's signed rank test, two-sided, for every pair of systems.

    Wilcoxon, Biometrics Bulletin 1945. Topics without a difference are dropped, ties share their mean rank, and there
    is no continuity correction. The distribution is exact up to 50 topics without ties or zeros, and up to 13 topics
    with them; otherwise it is the normal approximation with a correction for ties. The statistic is the sum of the
    ranks in favour of the first system.

    >>> tested = wilcoxon(np.array([[0.2, 0.5, 0.9, 0.4], [0.1, 0.2, 0.4, 0.6]]))
    >>> tested.statistic, tested.p
    (array([8.]), array([0.375]))
    """
    pairs, topics = len(all_pairs(len(matrix))[0]), matrix.shape[1]
    statistic, p = np.empty(pairs), np.empty(pairs)
    largest = float(np.abs(matrix).max())
    for block, differences in difference_blocks(matrix):
        ranked = SignedRanks.of(without_rounding_errors(differences, largest))
        statistic[block] = ranked.favourable
        p[block] = ranked.normal()
        if topics <= MOST_EXACT:
            p[block][~ranked.uneven] = ranked.exact(~ranked.uneven)
        if topics <= MOST_ENUMERATED:
            p[block][ranked.uneven] = ranked.enumerated(ranked.uneven)
    return TestResult(statistic, p)


@dataclass(frozen=True)
class SignedRanks:
    """The signed ranks of blocks of differences, pairs × topics."""

    signed: Array  # 0 where there is no difference
    count: Integers  # of differences that are not 0
    ties: Array  # sum of t³ − t over groups of t equal ones
    uneven: Mask  # whether there are ties or zeros

    @classmethod
    def of(cls, differences: Array) -> SignedRanks:
        """Rank the absolute differences of each pair; zeros get no rank, equal values their mean rank."""
        size = np.abs(differences)
        order = np.argsort(size, axis=1, kind="stable")
        in_order = np.take_along_axis(size, order, axis=1)
        place = np.arange(size.shape[1])
        # For every value in order, the first and the last position of the group of values equal to it.
        opens = np.ones(size.shape, np.bool_)
        opens[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
        closes = np.ones(size.shape, np.bool_)
        closes[:, :-1] = opens[:, 1:]
        start = np.maximum.accumulate(np.where(opens, place, 0), axis=1)
        end = np.minimum.accumulate(np.where(closes, place, len(place))[:, ::-1], axis=1)[:, ::-1]
        zeros = (size == 0).sum(axis=1)
        ranks = np.empty_like(size)
        # The mean rank of a group; zeros come first, so dropping them lowers all other ranks by their count.
        np.put_along_axis(ranks, order, (start + end) / 2 + 1 - zeros[:, None], axis=1)
        alike = np.where(in_order == 0, 1.0, end - start + 1)
        ties = (alike**2 - 1).sum(axis=1)
        return cls(np.sign(differences) * ranks, len(place) - zeros, ties, (ties > 0) | (zeros > 0))

    @property
    def favourable(self) -> Array:
        """The sum of the ranks in favour of the first system."""
        return np.maximum(self.signed, 0.0).sum(axis=1)

    def normal(self) -> Array:
        """p by the normal approximation."""
        from scipy.special import ndtr

        # W has mean n(n+1)/4 and variance n(n+1)(2n+1)/24, less sum(t³ − t)/48 for groups of t equal differences.
        n = self.count.astype(np.float64)
        mean = n * (n + 1) / 4
        error = np.sqrt((n * (n + 1) * (2 * n + 1) - self.ties / 2) / 24)
        z = np.divide(self.favourable - mean, error, out=np.zeros(len(n)), where=error > 0)
        return np.asarray(2 * ndtr(-np.abs(z)), np.float64)

    def enumerated(self, pairs: Mask) -> Array:
        """p as the share of all possible signs whose sum is at least as far from 0."""
        signed = self.signed[pairs]
        needed = least_extreme(signed.sum(axis=1))
        total = 2 ** (signed.shape[1] - 1)
        counts = sum((np.abs(flips @ signed.T) >= needed).sum(axis=0) for flips in every_flip(signed.shape[1]))
        return np.asarray(counts / total, np.float64)

    def exact(self, pairs: Mask) -> Array:
        """p from the number of subsets of the ranks 1 … n whose sum is at most the smaller of the two rank sums."""
        # subsets[w] counts the subsets of the ranks so far that sum to w; each new rank is in a subset or not.
        topics = self.signed.shape[1]
        subsets = np.zeros(topics * (topics + 1) // 2 + 1)
        subsets[0] = 1.0
        for rank in range(1, topics + 1):
            subsets[rank:] += subsets[: len(subsets) - rank].copy()
        favourable = self.favourable[pairs].astype(np.int64)
        smaller = np.minimum(favourable, len(subsets) - 1 - favourable)
        return np.minimum(1.0, 2 * np.cumsum(subsets)[smaller] / 2.0**topics)
