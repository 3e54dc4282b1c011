"""What every paired test shares, bootstrap, Tukey, and corrections for many tests.

A matrix is systems × topics without gaps (see `aligned`). The pairs of s systems are (0, 1), (0, 2), … (s − 2, s − 1),
and every array over pairs is in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.measures.hits import Array, Integers, Mask
from leadline.measures.samples import COLUMNS, product
from leadline.records.scores import t_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

NUMBERS_AT_ONCE = 1_000_000  # limits the memory of work done in blocks: 8 MB per array
MOST_DRAWS = 10_000_000  # of a test
SAME_DIGITS = 12  # scores that agree to this many digits are equal: they were only added up in another order


@dataclass(frozen=True)
class TestResult:
    """For every pair of systems, the test's statistic and its p."""

    statistic: Array
    p: Array
    interval: tuple[Array, Array] | None = None  # 95 % of the mean difference, where the test has its own


def all_pairs(systems: int) -> tuple[Integers, Integers]:
    """The first and the second system of every pair.

    >>> all_pairs(3)
    (array([0, 0, 1]), array([1, 2, 2]))
    """
    first, second = np.triu_indices(systems, 1)
    return first, second


def pair_places(first: Integers, second: Integers, systems: int) -> Integers:
    """The places of pairs among all pairs, from the places of their systems, the first of which is the lower.

    >>> pair_places(np.array([0, 0, 1]), np.array([1, 2, 2]), 3)
    array([0, 1, 2])
    """
    return np.asarray(first * systems - first * (first + 1) // 2 + second - first - 1)


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


# The paired bootstrap: with other topics drawn, how often would chance alone give a difference this large?


DRAWS_AT_ONCE = 2048
SAMPLES_AT_ONCE = 512  # in a block, whose sums stay in the processor's cache
MOST_T = 1e5  # a larger t is as certain


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
    sampled = Resampled.of(matrix, counts)
    return TestResult(sampled.t, sampled.levels()[0])


def random_counts(topics: int, draws: int, rng: np.random.Generator) -> Integers:
    """How often each topic is in each of `draws` random samples, drawn with replacement, of `topics` topics."""
    counts = np.empty((draws, topics), np.min_scalar_type(topics))
    for start in range(0, draws, DRAWS_AT_ONCE):
        size = min(DRAWS_AT_ONCE, draws - start)
        counts[start : start + size] = counts_of(rng.integers(topics, size=(size, topics)))
    return counts


def counts_of(samples: Integers | list[list[int]], topics: int | None = None) -> Integers:
    """How often each topic is in each sample, from the indices of the topics drawn: as many as there are `topics`.

    >>> counts_of([[0, 2, 2], [1, 0, 2]])
    array([[1, 0, 2],
           [1, 1, 1]])
    """
    places = np.asarray(samples)
    draws, topics = len(places), topics or places.shape[1]
    cells = places + topics * np.arange(draws)[:, None]
    return np.bincount(cells.ravel(), minlength=draws * topics).reshape(draws, topics)


@dataclass(frozen=True)
class Resampled:
    """The samples of every pair of systems, whose sums and sums of squares are computed a block of samples at a time.

    For a sample of n centred differences with the sum s and the sum of squares q, t² = (n − 1) s² / (n q − s²), which
    grows with s² / q. So |t| ≥ c where s² ≥ q · n c² / (n − 1 + c²), without a root or a division for each sample.
    """

    values: Array  # systems × topics, the mean of each system 0
    t: Array  # observed, of each pair
    deviation: Array
    counts: Integers  # samples × topics

    @classmethod
    def of(cls, matrix: Array, counts: Integers) -> Resampled:
        """The samples of these scores, systems × topics."""
        moments = Moments.of(matrix)
        return cls(matrix - matrix.mean(axis=1, keepdims=True), moments.t, moments.deviation, counts)

    def levels(self) -> tuple[Array, Array]:
        """The share of samples at least as far from 0 as the observed t, and the largest s² of each pair."""
        systems, topics = self.values.shape
        least = np.clip(least_extreme(self.t), 0, MOST_T)
        limit = topics * least**2 / (topics - 1 + least**2)
        reached, largest = np.zeros(len(self.t), np.int64), np.zeros(len(self.t))
        start = np.searchsorted(all_pairs(systems)[0], np.arange(systems))  # the pairs of each first system
        parts = -(-len(self.t) * topics // NUMBERS_AT_ONCE)  # of the pairs, whose squares are kept for all samples
        for firsts in map(list, np.array_split(np.arange(systems - 1), parts)):
            theirs = [slice(start[first], start[first + 1]) for first in firsts]
            squares = [
                self._squares(self.values[first + 1 :] - self.values[first], pairs) * limit[pairs, None]
                for first, pairs in zip(firsts, theirs, strict=True)
            ]
            for _, weights in _blocks(self.counts):
                sums = product(self.values, weights)
                size, needed, extreme = np.empty_like(sums), np.empty_like(sums), np.empty(sums.shape, np.bool_)
                for first, pairs, square in zip(firsts, theirs, squares, strict=True):
                    others = slice(first + 1, systems)
                    s = np.subtract(sums[others], sums[first], out=size[others])
                    s2 = np.square(s, out=s)
                    found = np.greater_equal(s2, product(square, weights, needed[others]), out=extreme[others])
                    reached[pairs] += found.view(np.uint8).sum(axis=1, dtype=np.uint16)
                    np.maximum(largest[pairs], s2.max(axis=1), out=largest[pairs])
        # Systems that never differ reach any sample; where the difference never changes, no sample is as extreme.
        share = np.where(self.deviation > 0, reached / len(self.counts), 0.0)
        return np.where(least > 0, share, 1.0), np.where(self.deviation > 0, largest, 0.0)

    def difference_needed(self, alpha: float, largest: Array) -> float:
        """The mean difference in the sample whose |t| is the ⌈alpha · samples⌉-th largest: the largest of all pairs.

        `largest` is the largest s² of each pair, from `levels`. A pair matters only if that is above the best s² so
        far; and if, with Q its largest q, that many samples have s² / q above the best s² / Q.
        """
        draws = len(self.counts)
        place = min(draws, max(1, ceiling(alpha * draws)))
        order = np.argsort(-largest, kind="stable")[: np.count_nonzero(largest)]
        at_once = max(1, NUMBERS_AT_ONCE // draws)
        best = 0.0
        for start in range(0, len(order), at_once):
            pairs = order[start : start + at_once]
            if largest[pairs[0]] <= best:
                break
            pairs = pairs[self._may_matter(pairs, best, place)] if best else pairs
            if len(pairs):
                s2, q = self._sampled(pairs, np.float64)
                sample = np.argpartition(s2 / q, draws - place, axis=1)[:, [draws - place]]
                best = max(best, float(np.take_along_axis(s2, sample, axis=1).max()))
        return float(np.sqrt(best)) / self.values.shape[1]

    def _may_matter(self, pairs: Integers, best: float, place: int) -> Mask:
        """The pairs that may have a better difference: all that do, and some that do not.

        Half the digits are enough for that, with room for the errors of sums of so many of them.
        """
        s2, q = self._sampled(pairs, np.float32)
        topics = self.values.shape[1]
        least = best / q.max(axis=1)
        room = 4 * np.finfo(np.float32).eps * topics**1.5 * (1 + 1 / np.sqrt(least))
        return np.asarray(np.count_nonzero(s2 > (least * (1 - room))[:, None].astype(np.float32) * q, axis=1) >= place)

    def _sampled(self, pairs: Integers, kind: type[np.floating[Any]]) -> tuple[NDArray[Any], NDArray[Any]]:
        """s² and q of some pairs in every sample, pairs × samples, as numbers of this kind."""
        first, second = (systems[pairs] for systems in all_pairs(len(self.values)))
        differences = self.values[first] - self.values[second]
        squares = self._squares(differences, pairs)
        s, q = np.empty((2, len(pairs), len(self.counts)), kind)
        for block, weights in _blocks(self.counts, kind):
            size = s[:, block].shape[1]
            for into, each in ((s, differences), (q, squares)):
                into[:, block] = product(each.astype(kind), weights)[:, :size]
        return np.square(s, out=s), q

    def _squares(self, differences: Array, pairs: slice | Integers) -> Array:
        # A sample that repeats one topic has no variance apart from rounding errors, which must not decide.
        return np.asarray(differences**2 + 1e-13 * self.deviation[pairs, None] ** 2)


def ceiling(value: float) -> int:
    """Round up to a whole number, ignoring rounding errors: 0.07 · 100 is 7, not 7.000000000000001.

    >>> ceiling(0.07 * 100), ceiling(7.1)
    (7, 8)
    """
    return int(np.ceil(value - 1e-9))


def _blocks(counts: Integers, kind: type[np.floating[Any]] = np.float64) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Blocks of samples as weights, topics × samples.

    The last is filled up with samples of every topic once, whose sum of centred differences is 0: none is extreme.
    """
    for start in range(0, len(counts), SAMPLES_AT_ONCE):
        part = counts[start : start + SAMPLES_AT_ONCE]
        weights = np.ones((counts.shape[1], -(-len(part) // COLUMNS[0]) * COLUMNS[0]), kind)
        weights[:, : len(part)] = part.T
        yield slice(start, start + len(part)), weights


# Randomised Tukey HSD: how far apart would the best and the worst of equal systems be by chance?


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


# Corrections for many tests at once: of 100 pairs that do not differ, about 5 look significant at 5 %.


def holm(p: Array) -> Array:
    """Holm's correction: limits the chance of one or more false positives among all pairs; finds more than Bonferroni.

    Holm, Scandinavian Journal of Statistics 1979.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p, kind="stable")
    grown = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return _placed(grown, order)


def bonferroni(p: Array) -> Array:
    """Bonferroni's correction: limits the chance of one or more false positives; p times the number of pairs.

    >>> bonferroni(np.array([0.01, 0.04, 0.5]))
    array([0.03, 0.12, 1.  ])
    """
    return np.minimum(p * len(p), 1.0)


def benjamini_hochberg(p: Array) -> Array:
    """Benjamini and Hochberg's correction: limits the expected share of false positives; finds more than the others.

    Benjamini and Hochberg, Journal of the Royal Statistical Society B 1995.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.04, 0.04])
    """
    order = np.argsort(p, kind="stable")
    grown = p[order] * (len(p) / np.arange(1, len(p) + 1))
    return _placed(np.minimum.accumulate(grown[::-1])[::-1], order)


def holm_limit(p_corrected: Array, alpha: float) -> float:
    """The p, not corrected, below which a pair differs significantly by Holm's correction.

    Of m pairs of which k are significant, they are those with p below alpha / (m − k).

    >>> round(holm_limit(np.array([0.03, 0.06, 0.06]), 0.05), 3)
    0.025
    """
    return alpha / max(1, len(p_corrected) - int((p_corrected < alpha).sum()))


def uncorrected(p: Array) -> Array:
    """p without correction: right for a single pair chosen in advance."""
    return p


def _placed(in_order: Array, order: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Array:
    """Sorted values, at most 1, back in their original order."""
    out = np.empty(len(order))
    out[order] = np.minimum(in_order, 1.0)
    return out


CORRECTIONS: dict[str, Callable[[Array], Array]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
    "none": uncorrected,
}


def corrected(p: Array, correction: str = "holm") -> Array:
    """p corrected for the number of pairs; `correction` is a key of CORRECTIONS."""
    return CORRECTIONS[checked_choice("correction", correction, tuple(CORRECTIONS))](p)
