"""What every paired test shares: all pairs of systems, their differences by topic, and Student's t.

A matrix is systems × topics without gaps (see `aligned`). The pairs of s systems are (0, 1), (0, 2), … (s − 2, s − 1),
and every array over pairs is in that order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from leadline.errors import InputError
from leadline.measures.hits import Array, Integers
from leadline.records.scores.students_t import t_quantile

NUMBERS_AT_ONCE = 1_000_000  # limits the memory of work done in blocks: 8 MB per array
MOST_DRAWS = 10_000_000  # of a test
SAME_DIGITS = 12  # scores that agree to this many digits are equal: they were only added up in another order


@dataclass(frozen=True)
class TestResult:
    """For every pair of systems, the test's statistic and its p."""

    statistic: Array
    p: Array


def all_pairs(systems: int) -> tuple[Integers, Integers]:
    """The first and the second system of every pair.

    >>> all_pairs(3)
    (array([0, 0, 1]), array([1, 2, 2]))
    """
    first, second = np.triu_indices(systems, 1)
    return first, second


def checked_alpha(alpha: float) -> float:
    """The level of significance; an error unless it is between 0 and 1."""
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float)) or not 0 < alpha < 1:
        raise InputError("alpha", f"must be between 0 and 1, got {alpha!r}; 0.05 is usual")
    return alpha


def checked_draws(draws: int) -> int:
    """The number of draws; an error unless it is between 1 and 10,000,000."""
    if draws < 1:
        raise InputError("draws", f"must be at least 1, got {draws}; use 1000 or more")
    if draws > MOST_DRAWS:
        raise InputError("draws", f"must be at most {MOST_DRAWS:,}, got {draws:,}; a million tell as much")
    return draws


def least_extreme(observed: Array) -> Array:
    """The smallest absolute value at which a random replicate counts as at least as extreme as the observed one.

    Many replicates equal the observed value exactly (scores like P@10 have few distinct values), but sums in another
    order differ in the last digits. Without this margin, rounding errors would decide the test.
    """
    return np.asarray(np.abs(observed) * (1 - 1e-9) - 1e-10, np.float64)


def difference_blocks(matrix: Array) -> Iterator[tuple[slice, Array]]:
    """Blocks of pairs with their differences, pairs × topics."""
    first, second = all_pairs(len(matrix))
    at_once = max(1, NUMBERS_AT_ONCE // matrix.shape[1])
    for start in range(0, len(first), at_once):
        block = slice(start, min(start + at_once, len(first)))
        yield block, matrix[first[block]] - matrix[second[block]]


def without_rounding_errors(values: Array, largest: float) -> Array:
    """The values rounded to 12 digits of the largest score, so that 0.3 − 0.2 equals 0.2 − 0.1.

    >>> without_rounding_errors(np.array([0.3 - 0.2, 0.2 - 0.1]), largest=1.0)
    array([0.1, 0.1])
    """
    digits = SAME_DIGITS - int(np.ceil(np.log10(largest))) if largest > 0 else SAME_DIGITS
    return np.round(values, digits)


def half_width(values: Array, axis: int = -1) -> Array:
    """Half the width of the 95 % interval of the mean along an axis, by Student's t.

    >>> half_width(np.array([[0.2, 0.4, 0.6]])).round(3)
    array([0.497])
    """
    # t quantile (n − 1 degrees of freedom) × sample standard deviation (n − 1) / √n
    n = values.shape[axis]
    return t_quantile(np.array(n - 1)) * values.std(axis=axis, ddof=1) / np.sqrt(n)


@dataclass(frozen=True)
class Moments:
    """Mean and standard deviation (n − 1) of every pair's differences, and how many topics favour each side."""

    topics: int
    mean: Array
    deviation: Array  # exactly 0 where all differences are equal
    higher: Integers  # topics on which the first system has the higher value
    lower: Integers

    @classmethod
    def of(cls, matrix: Array) -> Moments:
        """The moments of every pair of systems (rows) over the topics (columns)."""
        pairs = len(all_pairs(len(matrix))[0])
        mean, deviation = np.empty(pairs), np.empty(pairs)
        higher, lower = np.empty(pairs, np.int64), np.empty(pairs, np.int64)
        largest = float(np.abs(matrix).max())
        for block, differences in difference_blocks(matrix):
            mean[block] = differences.mean(axis=1)
            spread = differences.std(axis=1, ddof=1)
            deviation[block] = np.where(spread > 10.0**-SAME_DIGITS * np.abs(differences).max(axis=1), spread, 0.0)
            signs = np.sign(without_rounding_errors(differences, largest))
            higher[block], lower[block] = (signs > 0).sum(axis=1), (signs < 0).sum(axis=1)
        return cls(matrix.shape[1], mean, deviation, higher, lower)

    @property
    def error(self) -> Array:
        """The standard error of each mean."""
        return self.deviation / np.sqrt(self.topics)

    @property
    def t(self) -> Array:
        """Student's t: 0 for systems that never differ, infinite for a difference that is the same on every topic."""
        return _over(self.mean, self.error)

    @property
    def effect(self) -> Array:
        """The mean difference in standard deviations of the differences (Cohen's d of paired values)."""
        return _over(self.mean, self.deviation)

    def interval(self, level: float = 0.95) -> tuple[Array, Array]:
        """Student's interval of each mean difference."""
        from scipy.special import stdtrit

        width = stdtrit(self.topics - 1, (1 + level) / 2) * self.error
        return self.mean - width, self.mean + width


def _over(mean: Array, spread: Array) -> Array:
    """The mean over its spread; without spread, 0 for a mean of 0 and infinite otherwise."""
    certain = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.divide(mean, spread, out=certain, where=spread > 0)


def student_t(matrix: Array) -> TestResult:
    """Student's paired t test, two-sided, for every pair of systems.

    Student, Biometrika 1908. Systems that never differ have p = 1; a difference that is the same on every topic has
    p = 0.

    >>> student_t(np.array([[0.2, 0.5, 0.9], [0.1, 0.2, 0.4]])).p.round(4)
    array([0.1217])
    """
    from scipy.special import stdtr

    # p = 2 · P(T ≤ −|t|) with n − 1 degrees of freedom
    t = Moments.of(matrix).t
    return TestResult(t, 2 * stdtr(matrix.shape[1] - 1, -np.abs(t)))
