"""How many topics decide: by drawing topics from those of a pilot, and testing each draw as a verdict is tested."""

from __future__ import annotations

import math
from functools import cache, lru_cache

import numpy as np

from leadline.measures.hits import Array, Integers
from leadline.trust.randomisation import flip_p

POWER = 0.8  # the probability of a decision that `topics_needed` asks for
MANY_TOPICS = 100_000  # if more topics than this are needed, the number is not reported
DRAWS = 2000  # of a study of so many topics: the error of a power of 80 % is 0.9 points
STEP = 1.03  # from one number of topics that is tried to the next, once these are above 33
CLEAR = 1.2  # normal quantiles between the wanted power and one so far off that it is not simulated
SIMULATED = 40  # topics up to which every power is simulated
CHECKED = 1000  # topics up to which draws near the limit are flipped; beyond, the approximation is as good


def topics_needed(
    differences: Array, alpha: float = 0.05, power: float = POWER, *, comparisons: int = 1, seed: int = 1
) -> int | None:
    """How many topics are needed for a difference like this to be significant with this probability.

    Studies of n topics are drawn from the differences by topic, with replacement, and each is decided by flips of signs
    at the level alpha / comparisons: what Holm's correction asks of the first of so many; of others it asks less. The
    fewest topics from which on this power is reached, in steps of 3 % above 33; never fewer than those with which flips
    of signs can decide at all: ahead on all of n topics, p is 2 / 2ⁿ. None if it is above MANY_TOPICS.

    The draws are the same for every pair, so that a larger lead with the same spread never needs more topics.

    >>> topics_needed(np.array([0.1, -0.1, 0.2, 0.0, 0.1, -0.05, 0.15, 0.05]))
    27
    >>> topics_needed(np.full(8, 0.1)), topics_needed(np.full(8, 0.1), comparisons=142)
    (6, 13)
    """
    level = alpha / comparisons
    if not np.isfinite(differences).all() or not differences.any():
        return None
    scaled = differences / np.abs(differences).max()
    mean, deviation = abs(float(scaled.mean())), float(scaled.std())
    if mean < 1e-12:
        return None
    scaled = scaled * np.sign(scaled.mean())

    def enough(topics: int) -> bool:
        if topics > SIMULATED and deviation > 0:
            expected = _normal_power(mean / deviation, topics, level) - _quantile(power)
            if abs(expected) > CLEAR:
                return expected > 0
        return simulated_power(scaled, topics, level, seed=seed) >= power

    tried = topic_numbers(fewest_topics(level))
    # From above, so that a power that rises and falls again with the topics is not taken for enough.
    low, high = -1, len(tried)
    while high - low > 1 and tried[high - 1] > SIMULATED:
        below = max(low, int(np.searchsorted(tried, max(tried[high - 1] // 2, SIMULATED))))
        if not enough(tried[below]):
            low = below
            break
        high = below
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(tried[middle]) else (middle, high)
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


def simulated_power(differences: Array, topics: int, level: float, *, draws: int = DRAWS, seed: int = 1) -> float:
    """The share of studies of so many topics, drawn from these, in which the mean is significantly above 0."""
    counts = _drawn(len(differences), topics, draws, seed)
    sums = counts @ np.stack([differences, differences**2, differences**4], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        square = np.where(sums[:, 0] > 0, sums[:, 0] ** 2 / sums[:, 1], 0.0)
        p = approximate_p(square, sums[:, 2] / sums[:, 1] ** 2, topics)
    found = p < level
    # Draws near the limit are decided as a verdict is. The approximation is worse further out.
    far = max(0.0, math.log(0.05 / level))
    factor = math.exp(0.3 + 0.3 * far if topics <= 100 else 0.2 + 0.1 * far)
    near = np.flatnonzero((p < level * factor) & (p > level / factor)) if topics <= CHECKED else np.empty(0, int)
    if len(near):
        rows = np.repeat(np.tile(differences, len(near)), counts[near].astype(np.intp).ravel())
        found[near] = flip_p(rows.reshape(len(near), topics)) < level
    return float(found.mean())


def approximate_p(square: Array, fourth: Array, topics: int) -> Array:
    """p of the flips from T² = (Σd)² / Σd² and Σd⁴ / (Σd²)²: a beta distribution with the same mean and variance.

    Box and Andersen, Permutation theory in the derivation of robust criteria, JRSS B 1955. For normal differences it is
    Student's t test; within 10 % of p near 0.05 from 25 topics on.
    """
    from scipy.special import betaincc

    total = np.maximum((topics - 1) / np.maximum(2 - 2 * fourth, 1e-12) - 1, 1e-9)
    return np.asarray(betaincc(total / topics, total * (1 - 1 / topics), np.clip(square / topics, 0.0, 1.0)))


@lru_cache(maxsize=32)
def _drawn(of: int, topics: int, draws: int, seed: int) -> Array:
    """How often each of the pilot's topics is in each study."""
    rng = np.random.default_rng((seed, of, topics))
    return rng.multinomial(topics, np.full(of, 1 / of), size=draws).astype(np.float64)


def _normal_power(effect: float, topics: int, level: float) -> float:
    """The normal quantile of the power at so many topics, if means were normal."""
    return effect * math.sqrt(topics) + _quantile(level / 2) * math.sqrt(1 + effect**2)


def _quantile(share: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(share))
