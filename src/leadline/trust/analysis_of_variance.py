"""Two-way analysis of variance, system and topic, and the tests of pairs that rest on it: by t, and Tukey's HSD.

All systems share one estimate of chance, from what neither the system nor the topic explains. That is fair where this
rest is as large for every pair of systems; where it is not, a test of each pair by itself is safer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from leadline.measures.hits import Array
from leadline.trust.paired_tests import SAME_DIGITS, TestResult, all_pairs

# Of the distribution of the range: with these steps p is right to 1e-9.
WIDEST = 37.0  # standard deviations; a range beyond has a probability below 1e-140
STEP = 0.01
NORMAL = (-9.0, 28.0, 0.05)  # from, to and step of the largest value
SPREADS = 400  # of the standard deviation


@dataclass(frozen=True)
class Anova:
    """Where the variance of the scores comes from: sums of squares and degrees of freedom of each source.

    Fisher, Statistical Methods for Research Workers, 1925. The model is score = mean + system + topic + rest.

    >>> found = Anova.of(np.array([[0.2, 0.5, 0.8], [0.1, 0.2, 0.6], [0.3, 0.7, 0.9]]))
    >>> round(found.f_systems, 2), round(found.p_systems, 4), found.freedom
    (13.82, 0.016, (2, 2, 4))
    """

    systems: float  # sums of squares
    topics: float
    rest: float
    freedom: tuple[int, int, int]  # of systems, topics and rest

    @classmethod
    def of(cls, matrix: Array) -> Anova:
        """The analysis of scores, systems × topics."""
        s, n = matrix.shape
        centred = matrix - matrix.mean()
        by_system, by_topic = centred.mean(axis=1), centred.mean(axis=0)
        systems, topics = n * float((by_system**2).sum()), s * float((by_topic**2).sum())
        rest = float(((centred - by_system[:, None] - by_topic) ** 2).sum())
        tiny = s * n * (10.0**-SAME_DIGITS * float(np.abs(matrix).max())) ** 2  # rounding errors only
        systems, topics, rest = (0.0 if each <= tiny else each for each in (systems, topics, rest))
        return cls(systems, topics, rest, (s - 1, n - 1, (s - 1) * (n - 1)))

    @property
    def variance(self) -> float:
        """The mean square of the rest."""
        return self.rest / self.freedom[2]

    @property
    def f_systems(self) -> float:
        """How much more the systems differ than the rest explains."""
        return self._f(self.systems, self.freedom[0])

    @property
    def f_topics(self) -> float:
        """How much more the topics differ than the rest explains."""
        return self._f(self.topics, self.freedom[1])

    @property
    def p_systems(self) -> float:
        """The chance of such an F if no system differed from the others."""
        return self._p(self.f_systems, self.freedom[0])

    @property
    def p_topics(self) -> float:
        """The chance of such an F if no topic differed from the others."""
        return self._p(self.f_topics, self.freedom[1])

    def sentence(self) -> str:
        """Both F, and how large the rest is."""
        within = self.freedom[2]
        parts = (
            f"{name} F({freedom}, {within}) = {f:.4g}, p = {p:.2g}"
            for name, freedom, f, p in (
                ("systems", self.freedom[0], self.f_systems, self.p_systems),
                ("topics", self.freedom[1], self.f_topics, self.p_topics),
            )
        )
        rest = f"the rest has a standard deviation of {math.sqrt(self.variance):.3g}"
        return f"two-way analysis of variance: {'; '.join(parts)}; {rest}"

    def _f(self, squares: float, freedom: int) -> float:
        if self.rest:
            return squares / freedom / self.variance
        return math.inf if squares else 0.0

    def _p(self, f: float, freedom: int) -> float:
        from scipy.special import fdtrc

        return float(fdtrc(freedom, self.freedom[2], f)) if math.isfinite(f) else 0.0


def anova_t(matrix: Array) -> TestResult:
    """The t test of every pair with the variance and the degrees of freedom of the analysis of variance, two-sided.

    Fisher, The Design of Experiments, 1935 (least significant difference). Of two systems it is the paired t test.

    >>> anova_t(np.array([[0.2, 0.5, 0.9], [0.1, 0.2, 0.4]])).p.round(4)
    array([0.1217])
    """
    from scipy.special import stdtr, stdtrit

    difference, found = _differences(matrix), Anova.of(matrix)
    error = math.sqrt(2 * found.variance / matrix.shape[1])
    t = _over(difference, error)
    width = stdtrit(found.freedom[2], 0.975) * error
    return TestResult(t, 2 * stdtr(found.freedom[2], -np.abs(t)), (difference - width, difference + width))


def tukey_hsd(matrix: Array) -> TestResult:
    """Tukey's honestly significant difference of every pair, exactly, by the studentised range of all systems.

    Tukey, The problem of multiple comparisons, 1953. p already allows for the number of pairs, and so do the intervals.
    Of two systems it is the paired t test.

    >>> tukey_hsd(np.array([[0.2, 0.5, 0.8], [0.1, 0.2, 0.6], [0.3, 0.7, 0.9]])).p.round(4)
    array([0.0736, 0.2074, 0.014 ])
    """
    difference, found = _differences(matrix), Anova.of(matrix)
    error = math.sqrt(found.variance / matrix.shape[1])
    q = _over(difference, error)
    tail = _studentised_range(len(matrix), found.freedom[2])
    width = tail.critical * error
    return TestResult(q, tail.beyond(np.abs(q)), (difference - width, difference + width))


@lru_cache(maxsize=16)
def _studentised_range(values: int, freedom: int) -> StudentisedRange:
    """The same distribution again for the same numbers: a study of samples asks for it thousands of times."""
    return StudentisedRange(values, freedom)


@dataclass(frozen=True)
class StudentisedRange:
    """The range of so many normal values over an independent estimate of their standard deviation.

    >>> StudentisedRange(3, 10).beyond(np.array([0.0, 3.877, np.inf])).round(4)  # as in the printed tables
    array([1.  , 0.05, 0.  ])
    """

    values: int
    freedom: int

    def beyond(self, q: Array) -> Array:
        """The probability of a range of q or more: P = ∫ f(s) V(q s) ds, where s = √(χ²/freedom) has the density f."""
        from scipy.special import chdtri, gammaln

        half = self.freedom / 2
        low, high = (0.5 * math.log(chdtri(self.freedom, p) / self.freedom) for p in (1 - 1e-15, 1e-18))
        low = min(low, -0.5)  # a tail of 1e-15 cannot be asked for more exactly
        log_s = np.linspace(low, high, SPREADS)
        # The density of log s, by the trapezoid rule, which is exact for what vanishes at both ends.
        log_f = math.log(2) + half * math.log(half) - gammaln(half) + self.freedom * log_s
        weights = np.exp(log_f - half * np.exp(2 * log_s)) * (log_s[1] - log_s[0])
        weights /= weights.sum()
        p = np.zeros(len(q))
        for s, weight in zip(np.exp(log_s).tolist(), weights.tolist(), strict=True):
            r = q * s
            inside = r < WIDEST
            p[inside] += weight * np.exp(self._log_tail(r[inside]))
        p[q <= 0] = 1.0
        return np.clip(p, 0.0, 1.0)

    @cached_property
    def critical(self) -> float:
        """The range that only one in twenty exceeds."""
        from scipy.optimize import brentq

        limit = 1.0
        while self.beyond(np.array([limit]))[0] > 0.05:
            limit *= 2
        return float(brentq(lambda q: float(self.beyond(np.array([q]))[0]) - 0.05, 0.0, limit, xtol=1e-12))

    @cached_property
    def _log_tail(self) -> Callable[[Array], Array]:
        """log V(r), the chance that the range of k standard normal values is r or more.

        V = k ∫ φ(z) (Φ(z)^(k−1) − [Φ(z) − Φ(z−r)]^(k−1)) dz, written so that small values keep their digits.
        """
        from scipy.interpolate import CubicSpline
        from scipy.special import log_ndtr

        widths = np.arange(0.0, WIDEST + STEP / 2, STEP)
        begin, end, step = NORMAL
        z = np.arange(begin, end, step)
        others = self.values - 1
        log_cdf = log_ndtr(z)
        log_weight = math.log(self.values * step / math.sqrt(2 * math.pi)) - z**2 / 2 + others * log_cdf
        weight, tail = np.exp(log_weight), np.ones(len(widths))
        with np.errstate(divide="ignore"):  # far below, Φ(z−r) and Φ(z) are equal to the last digit
            for row, r in enumerate(widths[1:].tolist(), start=1):
                ratio = np.exp(np.minimum(log_ndtr(z - r) - log_cdf, 0.0))
                tail[row] = -(weight * np.expm1(others * np.log1p(-ratio))).sum()
        spline: Callable[[Array], Array] = CubicSpline(widths, np.log(np.minimum(tail, 1.0)))
        return spline


def _differences(matrix: Array) -> Array:
    """The difference of the means of every pair, 0 where it is only a rounding error."""
    first, second = all_pairs(len(matrix))
    means = matrix.mean(axis=1)
    difference = means[first] - means[second]
    return np.where(np.abs(difference) > 10.0**-SAME_DIGITS * np.abs(matrix).max(), difference, 0.0)


def _over(difference: Array, error: float) -> Array:
    """Differences over their error; without error, infinite unless they are 0."""
    if error:
        return difference / error
    return np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
