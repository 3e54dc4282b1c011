"""How many topics decide: drawing topics from those of a pilot, and testing each draw as a verdict is tested.

`topics_needed` is the number that every verdict names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from leadline.measures.hits import Array, Integers
from leadline.trust.paired_tests import counts_of
from leadline.trust.randomisation import drawn_flip_p, grid_step

POWER = 0.8  # the probability of a decision that `topics_needed` asks for
HALF = 0.5  # the share of judgements kept in a sample
STABLE = 0.95  # the share of samples with half the judgements in which a firm lead stays significant
MANY_TOPICS = 100_000  # if more topics than this are needed, the number is not reported
DRAWS = 2000  # studies of so many topics: the error of a power of 80 % is 0.9 points
FIRST_DRAWS = 400  # of them, that are enough where the power is far from the wanted one
FAR = 0.06  # three errors of the first draws; twice that where not one is flipped
STEP = 1.03  # from one number of topics that is tried to the next, once these are above 33
CLEAR = 1.2  # normal quantiles between the wanted power and one so far off that it is not simulated
SIMULATED = 40  # topics up to which every power is simulated
FLIPPED = 1000  # topics up to which draws near the limit are flipped; beyond, the approximation is as good
POINTS = 12  # at which the limit of T² is computed; between them it is a smooth curve


def topics_needed(
    differences: Array,
    alpha: float = 0.05,
    power: float = POWER,
    *,
    comparisons: int = 1,
    halves: Array | None = None,
    samples: int = 100,
    seed: int = 1,
) -> int | None:
    """How many topics are needed for a difference like this to be significant with this probability.

    Studies of n topics are drawn from the differences by topic, with replacement, and each is decided by flips of signs
    at the level alpha / comparisons: what Holm's correction asks of the first of so many; of others it asks less. The
    fewest topics from which on this power is reached, in steps of 3 % above 33; never fewer than those with which flips
    of signs can decide at all: ahead on all of n topics, p is 2 / 2ⁿ. None if it is above MANY_TOPICS.

    `halves` are the differences by samples of half the judgements, samples × topics, NaN for a topic that lost all its
    relevant documents: the lead must then be firm, significant again in 95 % of `samples` of them.

    The draws are the same for every pair, so that a larger lead with the same spread never needs more topics.

    >>> topics_needed(np.array([0.1, -0.1, 0.2, 0.0, 0.1, -0.05, 0.15, 0.05]))
    27
    >>> topics_needed(np.full(8, 0.1)), topics_needed(np.full(8, 0.1), comparisons=142)
    (6, 13)
    """
    pilot = Pilot.of(differences, halves)
    if pilot is None:
        return None
    level, firm = alpha / comparisons, halves is not None
    wanted = _quantile(power)

    def simulated(topics: int, studies: slice, *, flipped: bool = True) -> float:
        found = simulated_power(pilot, topics, level, studies, flipped=flipped, samples=samples, seed=seed)
        return found.firm if firm else found.significant

    def enough(topics: int) -> bool:
        if topics > SIMULATED and pilot.effect < math.inf:
            expected = pilot.effect * math.sqrt(topics) + _quantile(level / 2) * math.sqrt(1 + pilot.effect**2)
            if expected < wanted - CLEAR:
                return False
            if expected > wanted + CLEAR and not firm:
                return True
        first, others = slice(FIRST_DRAWS), slice(FIRST_DRAWS, DRAWS)
        if topics > SIMULATED:
            reached = simulated(topics, first, flipped=False)
            if abs(reached - power) > 2 * FAR:
                return reached >= power
        reached = simulated(topics, first)
        if abs(reached - power) <= FAR:
            reached = (FIRST_DRAWS * reached + (DRAWS - FIRST_DRAWS) * simulated(topics, others)) / DRAWS
        return reached >= power - 1e-12

    tried = topic_numbers(fewest_topics(level))
    # From above, so that a power that rises and falls again with the topics is not taken for enough.
    low, high = -1, len(tried)
    while high - low > 1 and (high == len(tried) or tried[high] > SIMULATED):
        most = tried[min(high, len(tried) - 1)]
        below = len(tried) - 1 if high == len(tried) else int(np.searchsorted(tried, max(most // 2, SIMULATED)))
        below = min(below, high - 1)
        if not enough(int(tried[below])):
            low = below
            break
        high = below
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(int(tried[middle])) else (middle, high)
    return int(tried[high]) if high < len(tried) else None


def fewest_topics(level: float) -> int:
    """The fewest topics with which flips of signs can decide: the first n with 2 / 2ⁿ below the level.

    >>> fewest_topics(0.05), fewest_topics(0.05 / 142)
    (6, 13)
    """
    return math.floor(1 - math.log2(level)) + 1


@cache
def topic_numbers(fewest: int) -> Integers:
    """The numbers of topics that are tried: every one up to 33, then in steps of 3 %."""
    numbers = [fewest]
    while numbers[-1] < MANY_TOPICS:
        numbers.append(min(MANY_TOPICS, max(numbers[-1] + 1, math.floor(numbers[-1] * STEP))))
    return np.array(numbers)


@dataclass(frozen=True)
class Pilot:
    """The differences by topic of two systems from which studies are drawn; the mean is above 0, the largest is 1."""

    differences: Array
    powers: (
        Array  # of each topic: d, d², d⁴; with half of the judgements means of h, h², h⁴, and (co)variances of h and h²
    )
    step: float  # of which all differences are multiples; 0 if there is none

    @classmethod
    def of(cls, differences: Array, halves: Array | None = None) -> Pilot | None:
        """None where there is no difference to plan for."""
        if not np.isfinite(differences).all() or not differences.any():
            return None
        scaled = differences / np.abs(differences).max()
        if abs(scaled.mean()) < 1e-12:
            return None
        scale = np.sign(scaled.mean()) / np.abs(differences).max()
        scaled = differences * scale
        columns = [scaled, scaled**2, scaled**4]
        if halves is not None:
            half = np.nan_to_num(halves * scale)  # a topic that drops out adds nothing
            square = half**2
            columns += [half.mean(axis=0), square.mean(axis=0), (square**2).mean(axis=0), half.var(axis=0)]
            columns += [(half * square).mean(axis=0) - columns[3] * columns[4], square.var(axis=0)]
        return cls(scaled, np.stack(columns, axis=1), grid_step(scaled))

    @property
    def share_apart(self) -> float:
        """The share of topics on which the systems differ: the others have no sign to flip."""
        return float((self.differences != 0).mean())

    @property
    def effect(self) -> float:
        """The mean in standard deviations."""
        deviation = float(self.differences.std())
        return float(self.differences.mean()) / deviation if deviation > 1e-12 else math.inf


class Decided(NamedTuple):
    """How often a lead is found."""

    significant: float
    firm: float  # NaN without samples of half the judgements


def simulated_power(
    pilot: Pilot,
    topics: int,
    level: float,
    studies: slice = slice(DRAWS),
    *,
    flipped: bool = True,
    samples: int = 100,
    seed: int = 1,
) -> Decided:
    """The share of studies of so many topics, drawn from the pilot's, in which the lead is significant, and firm.

    The half of the judgements that a sample leaves each topic is drawn for each topic anew, so that the sum of its
    differences over the root of their squares is nearly normal: how many samples are significant follows from its mean
    and variance.
    Without `flipped` no signs are flipped, and all is decided by the approximation.
    """
    counts = _drawn(len(pilot.differences), topics, studies.stop, seed)[studies].astype(np.float64)
    sums = counts @ pilot.powers
    square, fourth = _of_sums(*sums.T[:3])
    # Draws near the limit are decided as a verdict is; the approximation is worse for few topics and a far limit.
    far = max(0.0, math.log(0.05 / level))
    apart = topics * pilot.share_apart
    factor = math.exp(0.1 + 5 / apart + 30 / apart**2 + far * min(0.6, 16 / apart))
    checked = flipped and topics <= FLIPPED
    found = square > _limit(fourth, topics, level / factor if checked else level)
    if checked:
        near = np.flatnonzero(~found & (square > _limit(fourth, topics, min(level * factor, 0.999))))
        found[near] = drawn_flip_p(pilot.differences, counts[near], pilot.step) < level
    if pilot.powers.shape[1] == 3:
        return Decided(float(found.mean()), math.nan)
    from scipy.special import bdtrc, ndtr

    mean, squares, fourths, variance, together, of_squares = sums.T[3:]
    square, fourth = _of_sums(mean, squares, fourths)
    # The variance of T = Σh / √Σh², to the first order.
    slope = mean / (2 * np.where(squares > 0, squares, 1.0))
    variance = (variance - 2 * slope * together + slope**2 * of_squares) / np.where(squares > 0, squares, 1.0)
    limit = np.sqrt(_limit(fourth, topics, level))
    stays = ndtr((np.sqrt(square) - limit) / np.sqrt(np.maximum(variance, 1e-18)))
    firm = bdtrc(math.ceil(STABLE * samples - 1e-9) - 1, samples, stays)
    return Decided(float(found.mean()), float((found * firm).mean()))


def _of_sums(total: Array, squares: Array, fourths: Array) -> tuple[Array, Array]:
    """T² = (Σd)² / Σd², 0 for a negative sum, and Σd⁴ / (Σd²)²."""
    some = np.where(squares > 0, squares, 1.0)
    return np.where(total > 0, total**2 / some, 0.0), np.where(squares > 0, fourths / some**2, 1.0)


def _limit(fourth: Array, topics: int, level: float) -> Array:
    """The T² from which p of the flips is below the level, given Σd⁴ / (Σd²)².

    T² / n has nearly the beta distribution with the same mean and variance (Box and Andersen, Permutation theory in the
    derivation of robust criteria, JRSS B 1955); for normal differences this is Student's t test.
    """
    from scipy.special import betainccinv

    fourth = np.clip(fourth, 1 / topics, 0.999)
    points = np.linspace(fourth.min(), fourth.max(), POINTS)
    total = np.maximum((topics - 1) / (2 - 2 * points) - 1, 1e-6)
    limits = topics * betainccinv(total / topics, total * (1 - 1 / topics), level)
    return np.asarray(np.interp(fourth, points, limits))


@lru_cache(maxsize=256)
def _drawn(of: int, topics: int, draws: int, seed: int) -> Integers:
    """How often each of the pilot's topics is in each study; the first studies of many are those of few."""
    rng = np.random.default_rng((seed, of, topics))
    if topics > 20 * of:  # where drawing one topic after the other takes longer
        counts = rng.multinomial(topics, np.full(of, 1 / of), size=draws)
    else:
        counts = counts_of(rng.integers(of, size=(draws, topics)), of)
    return counts.astype(np.min_scalar_type(topics))


def _quantile(share: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(share))
