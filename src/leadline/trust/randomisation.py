"""Tests by flips of signs: randomisation, counted, by saddlepoint or drawn; and Wilcoxon's signed ranks.

Without a number of draws, p comes from the distribution of all flips (`sign_flips`). Drawn flips are the same for all
pairs. The signed sum of the differences of A and B is the signed sum of A minus that of B, so one matrix product
(flips × topics × systems) serves every pair: for 48 systems 1/24 of the work of 1128 pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from leadline.measures.hits import Array, Integers, Mask
from leadline.trust.paired_tests import (
    NUMBERS_AT_ONCE,
    TestResult,
    all_pairs,
    difference_blocks,
    holm,
    least_extreme,
    uncorrected,
    without_rounding_errors,
)

# How far a sum lies from 0 when every difference could as well have the other sign, without drawing signs.
#
# A p of B random flips is never below 1 / (B + 1), so that among thousands of pairs none could be significant. Here up
# to 20 differences are flipped in every way; beyond, p is the saddlepoint approximation of the same distribution
# (Daniels, Tail probability approximations, International Statistical Review 1987; Lugannani and Rice 1980). On 30
# topics of real runs nearly all are within 4 % of the exact p down to p = 0.00001; where an error could change a
# decision, p is counted or drawn (`settled`).
#
# Differences of 0 have no sign and are left out. Nor is a difference flipped that is so large that the sum could not be
# reached without it: of 30 topics with one small loss, only those with smaller differences make a choice.


IN_CACHE = 2**16  # numbers that stay in the processor's cache while they are worked on
ENUMERATED = 20  # differences up to which every flip is counted
NEAR_ENUMERATED = 36  # the same for the few rows whose p is near the limit
NEAR_COUNTED, NEAR_DRAWN = 2.0, 1.1  # the factor around the limit within which p is counted, or drawn
CLOSE = 1.1  # the factor around the limit within which p of a sample is counted; what flips approximate is closer
NEAR_DRAWS = 20_000  # for an error of about 1 %
MOST_DRAWN = 100  # differences beyond which the approximation is better than these draws
SAME = 1e-9  # sizes whose difference is a smaller share of the largest are equal
FINEST_GRID = 1e-3  # of the largest difference: a finer grid is as good as none
BITS = 8  # of a byte, and the signs that they stand for
_SIGNS = np.where(np.unpackbits(np.arange(2**BITS, dtype=np.uint8)[:, None], axis=1), -1.0, 1.0)
SMALLEST = float(np.finfo(np.float64).tiny)  # p is never 0


class Settled(NamedTuple):
    """p of each row, p after correction, and which rows were counted or drawn since they are near the limit."""

    p: Array
    corrected: Array
    checked: Mask


def flip_p(differences: Array, step: float | None = None) -> Array:
    """The two-sided p of the sum of each row: the share of all flips whose sum is at least as far from 0.

    `step` is that of the grid on which all scores lie, 0 if they lie on none, where it is known.

    >>> flip_p(np.array([[0.1, 0.3, 0.5], [0.1, -0.3, 0.5], [0.2, -0.2, 0.0]]))
    array([0.25, 0.75, 1.  ])
    >>> flip_p(np.full((1, 40), 0.1)) == 2.0**-39
    array([ True])
    """
    p = np.ones(len(differences))
    for block in _blocks(len(differences), differences.shape[1]):
        rows = _Rows.of(differences[block])
        found = np.ones(len(rows.count))
        scale = np.abs(differences[block]).max(axis=1, initial=0.0)
        found[rows.few] = _counted(rows.at(rows.few))
        many = rows.differ & ~rows.few
        found[many] = _saddlepoint(rows.at(many), None if step is None else step / scale[many])
        p[block] = found
    return p


def drawn_flip_p(differences: Array, times: Array, step: float) -> Array:
    """The same for samples that have each of these differences so many times: samples × differences, all of one size.

    >>> pilot, times = np.array([0.1, -0.3, 0.5]), np.array([[3.0, 1.0, 57.0], [12.0, 9.0, 40.0]])
    >>> drawn_flip_p(pilot, times, 0.1).round(12).tolist() == [
    ...     float(flip_p(np.repeat(pilot, some.astype(int))[None])[0].round(12)) for some in times
    ... ]
    True
    """
    rows = _Rows.drawn(differences, times)
    p = np.ones(len(times))
    if rows.few.any():
        few = times[rows.few].astype(np.intp)
        p[rows.few] = flip_p(np.repeat(np.tile(differences, len(few)), few.ravel()).reshape(len(few), -1), step)
    many = np.flatnonzero(rows.differ & ~rows.few)
    for block in _blocks(len(many), len(differences), IN_CACHE):
        chosen = many[block]
        p[chosen] = _saddlepoint(rows.at(chosen), np.full(len(chosen), step))
    return p


def grid_step(differences: Array) -> float:
    """The step of which all differences are multiples; 0 if there is none that matters.

    >>> round(grid_step(np.array([0.5, -0.3, 0.2])), 9)
    0.1
    """
    largest = float(np.abs(differences).max(initial=0.0))
    return float(_grid(np.abs(differences)[None] / largest)[0]) * largest if largest else 0.0


def counts_every_flip(differences: Array) -> Mask:
    """For which rows `flip_p` counts every flip, and so is exact."""
    return _Rows.of(differences).few


def settled(
    p: Array, correct: Callable[[Array], Array], alpha: float, differences: Callable[[Integers], Array]
) -> Settled:
    """p and p after correction where no decision rests on the approximation.

    Where p after correction is between half and twice `alpha`, up to 36 differences are flipped in every way. Of more,
    only scores with few distinct values have a distribution with lumps, which the approximation smooths: where these
    are within 10 % of `alpha`, p is drawn. `differences` gives the rows with these indices.
    """
    p = p.copy()
    corrected, seen, checked = correct(p), np.zeros(len(p), np.bool_), np.zeros(len(p), np.bool_)
    # A new p changes what correction makes of others, so that these may come near the limit.
    while len(new := np.flatnonzero(_within(corrected, alpha, NEAR_COUNTED) & ~seen)):
        seen[new] = True
        rows = _Rows.of(differences(new))
        counted = rows.differ & ~rows.few & (rows.free <= NEAR_ENUMERATED)
        p[new[counted]] = _counted(rows.at(counted))
        drawn = rows.differ & (rows.free > NEAR_ENUMERATED) & (rows.count <= MOST_DRAWN)
        drawn &= _within(corrected[new], alpha, NEAR_DRAWN) & _has_lumps(rows)
        p[new[drawn]] = _drawn(rows.at(drawn))
        checked[new[counted | drawn]] = True
        corrected = correct(p)
    return Settled(p, corrected, checked)


def _within(values: Array, limit: float, factor: float) -> Mask:
    return np.asarray((values >= limit / factor) & (values <= limit * factor))


@dataclass(frozen=True)
class _Rows:
    """Rows of differences without their signs, which do not change the distribution of the flips."""

    size: Array  # largest first, the largest of each row 1
    count: Integers  # how many are not 0
    free: Integers  # how many of these could be flipped: the smallest ones
    short: Array  # of the largest possible sum, half of what the observed one lacks: the sizes of the minority's signs
    needed: Array  # the sum from which a flip counts
    differ: Mask  # rows that may have p below 1
    few: Mask  # rows of few differences that could be flipped
    times: Array | None = None  # how often a row has each size, where not once

    @classmethod
    def of(cls, differences: Array) -> _Rows:
        topics = differences.shape[1]
        largest = np.abs(differences).max(axis=1, initial=0.0)
        scale = np.where(largest > 0, largest, 1.0)
        scaled = differences / scale[:, None]
        scaled[np.abs(scaled) < SAME / 1000] = 0.0
        needed = least_extreme(differences.sum(axis=1) / topics) * topics / scale
        size = -np.sort(-np.abs(scaled), axis=1)
        count = (size > 0).sum(axis=1)
        short = np.minimum(np.maximum(scaled, 0).sum(axis=1), np.maximum(-scaled, 0).sum(axis=1))
        differ = needed > 0
        largest_free = (size.sum(axis=1) - needed) / 2
        free = ((size > 0) & (size <= largest_free[:, None])).sum(axis=1)
        return cls(size, count, free, short, needed, differ, differ & (free <= ENUMERATED))

    @classmethod
    def drawn(cls, differences: Array, times: Array) -> _Rows:
        """The samples that have each of these differences so many times: samples × differences."""
        size = np.abs(differences)
        size[size < SAME / 1000 * size.max()] = 0.0
        ahead, behind = times @ np.maximum(differences, 0.0), times @ np.maximum(-differences, 0.0)
        topics = times.sum(axis=1)
        needed = least_extreme((ahead - behind) / topics) * topics
        differ = needed > 0
        largest_free = (ahead + behind - needed) / 2
        free = np.einsum("ij,ij->i", times, (size > 0) & (size <= largest_free[:, None]))
        count = (times @ (size > 0)).astype(np.int64)
        few = differ & (free <= ENUMERATED)
        sizes = np.broadcast_to(size, times.shape)
        return cls(sizes, count, free, np.minimum(ahead, behind), needed, differ, few, times)

    def at(self, mask: Mask | Integers) -> _Rows:
        return _Rows(
            self.size[mask],
            self.count[mask],
            self.free[mask],
            self.short[mask],
            self.needed[mask],
            self.differ[mask],
            self.few[mask],
            None if self.times is None else self.times[mask],
        )

    def added(self, values: Array) -> Array:
        """The sum over each row of a value for each difference."""
        return _added(values, self.times)


def _added(values: Array, times: Array | None) -> Array:
    """The sum of each row, of values that occur so many times."""
    return np.asarray(values.sum(axis=1) if times is None else np.einsum("ij,ij->i", values, times))


def _blocks(rows: int, width: int, numbers: int = NUMBERS_AT_ONCE) -> Iterator[slice]:
    at_once = max(1, numbers // max(1, width))
    return (slice(start, min(start + at_once, rows)) for start in range(0, rows, at_once))


def _counted(rows: _Rows) -> Array:
    """The exact p: of all flips of one half of the differences with all flips of the other, those that reach the sum.

    Of 20 differences these are 1024 and 1024 sums instead of a million: sorted, a search for each of the ones finds how
    many of the others are enough. By symmetry the other side of 0 has as many.
    """
    p = np.exp2(1.0 - rows.count)
    for free in np.unique(rows.free):
        same = np.flatnonzero(rows.free == free)
        half = free // 2
        for block in _blocks(len(same), 2 ** (free - half), IN_CACHE):
            chosen = same[block]
            fixed = rows.count[chosen, None] - free
            size = rows.size[chosen]
            freed = np.take_along_axis(size, fixed + np.arange(free), axis=1)
            wanted = (
                rows.needed[chosen, None] - (size.sum(axis=1) - freed.sum(axis=1))[:, None] - _sums(freed[:, :half])
            )
            others = _sums(freed[:, half:])
            wanted.sort(axis=1)
            others.sort(axis=1)
            found = [
                others.shape[1] * wanted.shape[1] - int(np.searchsorted(some, enough).sum())
                for some, enough in zip(others, wanted, strict=True)
            ]
            p[chosen] *= np.array(found)
    return np.clip(p, SMALLEST, 1.0)


def _sums(size: Array) -> Array:
    """The sums of each row under every choice of signs: those of one half with those of the other."""
    rows, width = size.shape
    if width <= BITS:
        return np.asarray(size @ _SIGNS[: 2**width, BITS - width :].T)
    one, other = _sums(size[:, : width // 2]), _sums(size[:, width // 2 :])
    return np.asarray((one[:, :, None] + other[:, None, :]).reshape(rows, -1))


def _saddlepoint(rows: _Rows, step: Array | None = None) -> Array:
    """The approximate p, for rows whose signs do not all agree.

    With K(t) = Σ log cosh(t d) and K'(t) = s: w = √(2 (t s − K(t))), v = t √K''(t), p = 2 (Φ(−w) + φ(w) (1/v − 1/w)).
    Sums of scores such as P@10 lie on a grid of step 2h. There s is half a step less, and v has sinh(t h) / h instead
    of t (Daniels' second continuity correction): without it p is too small by up to two thirds.
    """
    from scipy.special import ndtr

    p = np.exp2(1.0 - rows.count)
    half_step = _grid(rows.size) if step is None else step
    short = rows.short + half_step / 2
    squares = rows.size**2
    total, spread, fourth = rows.added(rows.size), rows.added(squares), rows.added(squares**2)
    s = total - 2 * short
    z = s / np.sqrt(spread)
    near_0 = z < 1e-3  # where w and v are lost in rounding
    p[near_0] = 2 * ndtr(-np.maximum(z[near_0], 0))
    inner = np.flatnonzero(~near_0)
    h, least = half_step[inner], s[inner] / spread[inner]
    size, count, short = rows.size[inner], rows.count[inner], short[inner]
    times = None if rows.times is None else rows.times[inner]
    # The first terms of the series of t; of samples that are drawn, p to four digits is enough.
    first = least + least**3 * fourth[inner] / (3 * spread[inner])
    t, curvature = _saddle(size, short, least, first, 1e-10 if times is None else 1e-5, times)
    w = _root(size, count, short, t, times)
    on_grid = np.where(h > 0, h, 1.0)
    v = np.where(h > 0, np.sinh(t * h) / on_grid, t) * np.sqrt(curvature)
    p[inner] = np.clip(_tail(w, v), p[inner], 1.0)
    return np.maximum(p, SMALLEST)


def _root(size: Array, count: Integers, short: Array, t: Array, times: Array | None = None) -> Array:
    """w, the root of 2 (t s − K(t)), so that nothing overflows and nothing cancels.

    log cosh x = x + log(1 + e^(−2x)) − log 2.
    """
    # Not log1p, which takes three times as long: the sum has the rounding errors of log 2 anyway.
    left = np.multiply(t[:, None], -2 * size)
    np.exp(left, out=left)
    left += 1
    np.log(left, out=left)
    left = _added(np.where(size > 0, left, 0.0), times)
    return np.asarray(np.sqrt(2 * np.maximum(count * np.log(2) - 2 * t * short - left, 0.0)))


def _tail(w: Array, v: Array) -> Array:
    """Both tails of a distribution by Lugannani and Rice's formula."""
    from scipy.special import ndtr

    return np.asarray(2 * (ndtr(-w) + np.exp(-w * w / 2) / np.sqrt(2 * np.pi) * (1 / v - 1 / w)))


def _saddle(
    size: Array, short: Array, least: Array, t: Array, digits: float = 1e-10, times: Array | None = None
) -> tuple[Array, Array]:
    """The t at which K'(t) is the sum of the sizes less twice what is `short`, and K''(t); from a first `t`.

    K' is concave right of 0, so that Newton's steps never go too far to the right; t d ≥ tanh(t d) makes s / Σ d² a t
    that is at most the one sought. What K' lacks of the largest sum is computed, not K': differences of 1 and 0.001
    lose no digits.
    """
    for _ in range(200):
        x = np.multiply(t[:, None], -2 * size)
        np.exp(x, out=x)
        both = 1 + x
        x /= both  # the share of a difference's flips that have the other sign
        x *= size
        moved = _added(x, times)
        x *= size
        x /= both
        curvature = 4 * _added(x, times)
        step = 2 * (moved - short) / curvature
        if (np.abs(step) <= digits * t).all():
            break
        t = np.maximum(t + step, least)
    return t, curvature


def _grid(size: Array) -> Array:
    """The largest step of which all sizes of a row are multiples; 0 if there is none that matters.

    >>> _grid(np.array([[1.0, 0.6, 0.4], [1.0, 2 / 3, 0.1234567]])).round(9)
    array([0.2, 0. ])
    """
    step = size.max(axis=1, initial=0.0)
    rows = np.flatnonzero(step > 0)
    for column in size.T:
        a, b = step[rows], column[rows].copy()
        while (b > 0).any():  # Euclid's algorithm, of all rows at once
            rest = np.fmod(a, b, out=np.zeros_like(a), where=b > 0)
            rest[(rest < SAME) | (b - rest < SAME)] = 0.0
            a, b = np.where(b > 0, b, a), rest
            b[a < FINEST_GRID] = 0.0
        step[rows] = np.where(a < FINEST_GRID, 0.0, a)
        rows = rows[a >= FINEST_GRID]
    return step


def _has_lumps(rows: _Rows) -> Mask:
    """Rows in which fewer than half of the differences have a size of their own."""
    own = (-np.diff(rows.size, axis=1, append=0.0) > SAME).sum(axis=1)
    return np.asarray(own < rows.count / 2)


def _drawn(rows: _Rows) -> Array:
    """p by draws of flips that reach the sum about every second time, each weighted by how likely it really is.

    The sign of a difference d is + with probability 1 / (1 + e^(−2td)), t the saddlepoint, and a draw with sum x has
    weight e^(K(t) − t x): the error is a small share of p however small p is. The draws have a seed of their own, so
    that p depends on the differences alone.
    """
    p = np.exp2(1.0 - rows.count)
    rng = np.random.default_rng(1)
    for row in range(len(p)):
        size = rows.size[row, : rows.count[row]]
        s = size.sum() - 2 * rows.short[row]
        least = np.array([s / (size**2).sum()])
        t = _saddle(size[None], rows.short[row : row + 1], least, least)[0][0]
        x = np.exp(-2 * t * size)
        flipped = (rng.random((NEAR_DRAWS, len(size))) < x / (1 + x)) @ size
        # log of the weight: K(t) − t (Σ d − 2 flipped)
        weight = np.exp(2 * t * flipped + np.log1p(x).sum() - len(size) * np.log(2))
        reached = size.sum() - 2 * flipped >= rows.needed[row]
        p[row] = np.clip(2 * (weight * reached).mean(), p[row], 1.0)
    return p


# The interval of a mean difference that agrees with the test of all flips: which differences would not be significant?


SUBSETS_COUNTED = 13  # differences up to which the mean of every subset is computed
CORRECTIONS_BY_COUNT = 8  # at most, of an approximate limit, up to as many differences as are flipped in every way
NEAR_COUNT = 1e-3  # of the distance from the mean: a smaller correction is the last
NEAR_LIMIT = 1e-7  # of the distance from the mean to its limit
MOST_STEPS = 100


def flip_interval(differences: Array, p: Array, alpha: float = 0.05) -> tuple[Array, Array]:
    """The interval of the mean of each row that holds what the test would not reject at the level `alpha`.

    `p` is that of the test of each row; 0 is inside if and only if it is at least `alpha`. Hartigan, Using subsample
    values as typical values, JASA 1969: flips of the differences less θ reach their sum where the mean of a subset is
    at most θ. So the limits are quantiles of the means of all subsets that are not empty. Up to 13 differences these
    are all computed; beyond, θ is found at which the saddlepoint gives p = `alpha`, up to 20 corrected by counted p.

    Both limits are infinite where even differences that all agree would not be significant: 5 topics say nothing.

    >>> low, high = flip_interval(np.array([[0.1, 0.3, 0.5, 0.2, 0.1, 0.4]]), np.array([2 / 2**6]))
    >>> low.round(3), high.round(3)
    (array([0.1]), array([0.5]))
    >>> flip_interval(np.array([[0.1, 0.3, 0.5, 0.2, 0.1]]), np.array([2 / 2**5]))
    (array([-inf]), array([inf]))
    """
    rows, topics = differences.shape
    low, high = np.full(rows, -np.inf), np.full(rows, np.inf)
    if 2.0 ** (1 - topics) < alpha:
        if topics <= SUBSETS_COUNTED:
            low, high = _typical_values(differences, alpha)
        else:
            for block in _blocks(rows, topics, IN_CACHE):
                low[block] = _lowest(differences[block], alpha)
                high[block] = -_lowest(-differences[block], alpha)
    # Where many subsets have mean 0, as those of equal scores, a limit is 0 itself, and belongs to the interval. Where
    # p was counted or drawn, the approximate limit may lie on the wrong side of 0 by a little.
    inside = p >= alpha
    low = np.where(inside, np.minimum(low, 0.0), low)
    high = np.where(inside, np.maximum(high, 0.0), high)
    mean = differences.mean(axis=1)
    low = np.where(~inside & (mean > 0), np.maximum(low, NEAR_LIMIT * mean), low)
    high = np.where(~inside & (mean < 0), np.minimum(high, NEAR_LIMIT * mean), high)
    return low, high


def pair_intervals(matrix: Array, pairs: Integers, p: Array, alpha: float = 0.05) -> tuple[Array, Array]:
    """The same for some pairs of systems, of a matrix of systems × topics; `p` as `randomisation` gives theirs."""
    low, high = np.empty(len(p)), np.empty(len(p))
    first, second = (side[pairs] for side in all_pairs(len(matrix)))
    for block in _blocks(len(p), matrix.shape[1]):
        differences = matrix[first[block]] - matrix[second[block]]
        low[block], high[block] = flip_interval(differences, p[block], alpha)
    return low, high


def _typical_values(differences: Array, alpha: float) -> tuple[Array, Array]:
    """The limits by the means of all subsets: the k-th smallest and the k-th largest.

    One less than θ is not rejected has p(θ) = 2 (1 + the number of means up to θ) / 2ⁿ.
    """
    rows, topics = differences.shape
    place = int(np.ceil(alpha * 2.0 ** (topics - 1) * (1 - 1e-12))) - 2  # from 0
    low, high = np.empty(rows), np.empty(rows)
    size = _every_sum(np.ones((1, topics)))[0, 1:]
    for block in _blocks(rows, 2**topics):
        means = _every_sum(differences[block])[:, 1:]
        means /= size
        last = means.shape[1] - 1 - place
        means.partition((place, last), axis=1)
        low[block], high[block] = means[:, place], means[:, last]
    return low, high


def _every_sum(values: Array) -> Array:
    """The sum of every subset of each row, that of the empty one first."""
    sums = np.zeros((len(values), 1))
    for column in values.T:
        sums = np.concatenate([sums, sums + column[:, None]], axis=1)
    return sums


def _lowest(differences: Array, alpha: float) -> Array:
    """The lower limit of each row's mean: the θ below the mean at which the saddlepoint's p is `alpha`.

    Newton's method for the normal quantile of p, nearly a straight line in θ. The limit is between the smallest
    difference and the mean: for a smaller θ all signs agree.
    """
    from scipy.special import ndtri

    topics, wanted = differences.shape[1], -ndtri(alpha / 2)
    mean = differences.mean(axis=1)
    scale = np.abs(differences - mean[:, None]).max(axis=1)
    limit = mean.copy()
    rows = np.flatnonzero(scale > SAME * np.abs(mean))
    centred = (differences[rows] - mean[rows, None]) / scale[rows, None]
    below, above = centred.min(axis=1), np.zeros(len(rows))
    spread = (centred**2).sum(axis=1)
    # (n θ)² / (Σ d² + n θ²) = z², the limit if the flips were normal
    theta = -wanted * np.sqrt(spread / (topics * max(topics - wanted**2, 1.0)))
    theta = np.maximum(theta, 0.9 * below)
    t = -theta * topics / (spread + topics * theta**2)
    found = theta.copy()
    left = np.arange(len(rows))
    for steps in range(MOST_STEPS):
        digits = max(10.0 ** (-2 - 2 * steps), NEAR_LIMIT)  # of t, which the next θ changes again
        shifted = centred - theta[:, None]
        size = np.abs(shifted)
        short = np.maximum(-shifted, 0.0).sum(axis=1)
        total = -theta * topics
        least = total / (spread + topics * theta**2)
        t, curvature = _saddle(size, short, least, np.maximum(t, least), digits)
        w = np.maximum(_root(size, np.full(len(left), topics), short, t), 1e-4)
        p = np.clip(_tail(w, t * np.sqrt(curvature)), 2.0 ** (1 - topics), 1.0)
        z = -ndtri(p / 2)
        # dw/dθ = −t (n − Σ tanh(t (d − θ))) / w
        slope = -t * (topics - np.tanh(t[:, None] * shifted).sum(axis=1)) / w
        below, above = np.where(z > wanted, theta, below), np.where(z > wanted, above, theta)
        step = theta - (z - wanted) / slope
        step = np.where((step > below) & (step < above), step, (below + above) / 2)
        found[left] = step
        going = np.abs(step - theta) > NEAR_LIMIT * -step if digits == NEAR_LIMIT else np.ones(len(step), np.bool_)
        if not going.any():
            break
        left, centred, spread, t = left[going], centred[going], spread[going], t[going]
        theta, below, above = step[going], below[going], above[going]
    limit[rows] += found * scale[rows]
    if topics <= ENUMERATED:
        limit[rows] = _corrected_by_count(differences[rows], mean[rows], limit[rows], wanted)
    return limit


def _corrected_by_count(differences: Array, mean: Array, limit: Array, wanted: float) -> Array:
    """The limits of few differences, from approximate ones: steps towards the θ whose counted p is the level."""
    from scipy.special import ndtri

    topics = differences.shape[1]
    spread = ((differences - mean[:, None]) ** 2).sum(axis=1)
    below, above = differences.min(axis=1), mean.copy()
    left = np.arange(len(limit))
    limit = limit.copy()
    for _ in range(CORRECTIONS_BY_COUNT):
        theta, middle = limit[left], mean[left]
        z = -ndtri(flip_p(differences[left] - theta[:, None]) / 2)
        below[left] = np.where(z > wanted, theta, below[left])
        above[left] = np.where(z > wanted, above[left], theta)
        slope = -topics * spread[left] / (spread[left] + topics * (theta - middle) ** 2) ** 1.5
        step = theta - (z - wanted) / slope
        step = np.where((step > below[left]) & (step < above[left]), step, (below[left] + above[left]) / 2)
        limit[left] = step
        left = left[np.abs(step - theta) > NEAR_COUNT * (middle - theta)]
    return limit


FLIPS_AT_ONCE = 2048  # a block of sums then stays in the processor's cache, and counts of a block fit 16 bits


def randomisation(matrix: Array, *, rng: np.random.Generator | None = None, draws: int | None = None) -> TestResult:
    """Fisher's randomisation test of the mean difference, two-sided, for every pair of systems.

    Fisher, The Design of Experiments, 1935; Smucker, Allan and Carterette, CIKM 2007. Without `draws`, p is found from
    the distribution of all flips (see `sign_flips`). With `draws`, p = (k + 1) / (draws + 1), where k random flips give
    a mean at least as far from 0 as the observed one; when all possible flips are no more, all are tried.

    >>> randomisation(np.array([[0.2, 0.5, 0.9], [0.1, 0.2, 0.4]])).p
    array([0.25])
    """
    first, second = all_pairs(len(matrix))
    means = matrix.mean(axis=1)
    topics = matrix.shape[1]
    if draws is None:
        p = np.concatenate([flip_p(differences) for _, differences in difference_blocks(matrix)])
    elif 2**topics <= draws:
        p = flips_reaching(matrix, every_flip(topics)) / 2 ** (topics - 1)
    else:
        rng = np.random.default_rng(rng)
        p = (flips_reaching(matrix, random_flips(topics, draws, rng)) + 1) / (draws + 1)
    return TestResult(means[first] - means[second], p)


def flip_test(differences: Array, alpha: float = 0.05) -> Settled:
    """The randomisation test of each row of differences by topic, with Holm's correction over the rows.

    >>> flip_test(np.array([[0.1, 0.3, 0.5], [0.1, 0.2, -0.3]])).corrected
    array([0.5, 1. ])
    """
    return settled(flip_p(differences), holm, alpha, differences.__getitem__)


def is_below(differences: Array, limit: float) -> Mask:
    """Whether p of each row is below a limit; where it is close, flips are counted, as `settled` does.

    >>> is_below(np.array([[0.1, 0.3, 0.5], [0.1, 0.2, -0.3]]), 0.3)
    array([ True, False])
    """
    p = flip_p(differences)
    close = np.flatnonzero((p > limit / CLOSE) & (p < limit * CLOSE))
    p[close] = settled(p[close], uncorrected, limit, differences[close].__getitem__).p
    return np.asarray(p < limit)


def random_flips(topics: int, draws: int, rng: np.random.Generator) -> Iterator[Array]:
    """Blocks of random signs, draws × topics."""
    width = -(-topics // 8)
    for start in range(0, draws, FLIPS_AT_ONCE):
        count = min(FLIPS_AT_ONCE, draws - start)
        bits = np.frombuffer(rng.bytes(count * width), np.uint8).reshape(count, width)
        yield _SIGNS[bits].reshape(count, 8 * width)[:, :topics]


def every_flip(topics: int) -> Iterator[Array]:
    """Blocks of all possible signs, with the last topic's sign fixed: flipping every sign changes no absolute sum."""
    total = 2 ** (topics - 1)
    for start in range(0, total, FLIPS_AT_ONCE):
        codes = np.arange(start, min(start + FLIPS_AT_ONCE, total))
        yield np.where((codes[:, None] >> np.arange(topics)) & 1, -1.0, 1.0)


def flips_reaching(matrix: Array, blocks: Iterable[Array]) -> Integers:
    """For every pair, how many of the flips give a mean difference at least as far from 0 as the observed one.

    Blocks are at most 65 535 flips × topics, of 1 and −1.
    """
    systems, topics = matrix.shape
    values = (matrix - matrix[0]) / topics  # keeps the differences, and large scores lose no digits
    means = values.sum(axis=1)
    needed = least_extreme(means[:, None] - means)
    counts = np.zeros((systems, systems), np.int64)
    for flips in blocks:
        # The signed sum of every system, then the difference of each pair of them.
        flipped = values @ flips.T
        differences, extreme = np.empty_like(flipped), np.empty(flipped.shape, np.bool_)
        for first in range(systems - 1):
            others = slice(first + 1, systems)
            size = np.subtract(flipped[others], flipped[first], out=differences[others])
            np.abs(size, out=size)
            found = np.greater_equal(size, needed[first, others, None], out=extreme[others])
            counts[first, others] += found.view(np.uint8).sum(axis=1, dtype=np.uint16)
    return counts[all_pairs(systems)]


# Wilcoxon's signed rank test: do the larger differences favour one system?


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
