"""Scores aligned for a comparison, the order of systems by them, and how alike two orders are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from leadline.errors import InputError, MismatchError
from leadline.measures.hits import Array, Integers, Mask
from leadline.measures.join import listed
from leadline.records.result import counted
from leadline.records.scores import Scores
from leadline.trust.no_verdict import INSTEAD, rests_on_finding

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def sign(better: str) -> float:
    """The factor that makes larger values better: -1 for a measure whose lower values are better, else 1."""
    return -1.0 if better == "lower" else 1.0


def best_first(means: Array, runs: Sequence[str], better: str = "higher") -> list[int]:
    """The indices of the runs by their means, best first; equal means by name, NaN last.

    >>> best_first(np.array([0.2, np.nan, 0.9, 0.9]), ["x", "a", "z", "y"])
    [3, 2, 0, 1]
    """
    keys = np.nan_to_num(-sign(better) * means, nan=np.inf)
    return sorted(range(len(runs)), key=lambda run: (keys[run], runs[run]))


def above(values: Array) -> Mask:
    """For each system (row), which systems (columns) have a strictly larger value."""
    return np.asarray(values[..., None, :] > values[..., :, None])


def places(values: Array) -> Integers:
    """The place of each system, 1 for the largest value; equal values share the better place.

    >>> places(np.array([0.2, 0.5, 0.2]))
    array([2, 1, 2])
    """
    return np.asarray(above(values).sum(axis=-1) + 1, np.int64)


# Align scores for a comparison: every system on the same topics, no undefined values.


LARGEST = 1e100  # beyond this, squares overflow


class Aligned(NamedTuple):
    """Systems × topics without gaps, the names of the topics, and notes about topics left out."""

    matrix: Array
    topics: tuple[str, ...]
    notes: tuple[str, ...]


def aligned(scores: Scores, measure: str) -> Aligned:
    """The values of one measure on the topics where every system has one.

    A topic that is undefined for every system is left out and counted in the notes. A topic that is undefined for some
    systems would make the comparison unfair, so it is left out for all and named in the notes.

    >>> nan = np.nan
    >>> values = np.array([[0.2, 0.4, nan, 0.6], [0.5, nan, nan, 0.7]])[:, :, None]
    >>> aligned(Scores(("a", "b"), ("1", "2", "3", "4"), ("AP",), values), "AP")  # doctest: +NORMALIZE_WHITESPACE
    Aligned(matrix=array([[0.2, 0.6], [0.5, 0.7]]), topics=('1', '4'),
        notes=('AP: 1 topic undefined for every run, left out',
               'AP: topic 2 has no value for b; left out for all runs'))
    """
    values = np.asarray(scores.of(measure), np.float64)
    defined = np.isfinite(values)
    kept = defined.all(axis=0)
    nowhere = ~defined.any(axis=0)
    partly = ~kept & ~nowhere
    notes = []
    if nowhere.any():
        notes.append(f"{measure}: {counted(int(nowhere.sum()), 'topic')} undefined for every run, left out")
    if partly.any():
        lacking = [scores.runs[r] for r in np.flatnonzero(~defined[:, partly].all(axis=1))]
        missing = [scores.topics[t] for t in np.flatnonzero(partly)]
        topics, have = ("topic", "has") if len(missing) == 1 else ("topics", "have")
        notes.append(
            f"{measure}: {topics} {listed(missing)} {have} no value for {listed(lacking, 4)}; left out for all runs"
        )
    if len(scores.runs) < 2:
        raise MismatchError(f"{measure}: {counted(len(scores.runs), 'run')}; a comparison needs two or more")
    if kept.sum() < 2:
        empty = [scores.runs[r] for r in np.flatnonzero(~defined.any(axis=1))]
        cause = f" ({listed(empty, 4)} without any value)" if empty else ""
        raise MismatchError(
            f"{measure}: {counted(int(kept.sum()), 'topic')} with a value for every run{cause}; "
            f"a comparison needs two or more, so {INSTEAD if rests_on_finding(measure) else 'give scores by topic'}"
        )
    chosen = np.flatnonzero(kept)
    if np.abs(values[:, chosen]).max() > LARGEST:
        raise MismatchError(
            f"{measure}: a value beyond {LARGEST:g} is too large to be squared, so runs are not compared"
        )
    return Aligned(np.ascontiguousarray(values[:, chosen]), tuple(scores.topics[t] for t in chosen), tuple(notes))


# How alike are two rankings of systems? Kendall's tau, tau_AP, and their versions for ties.
#
# Systems are on the last axis, larger is better, and the other axes broadcast: comparing one ranking with a thousand
# others is one call.


BLOCK = 4_000_000  # pairs of systems compared at once: a few dozen megabytes


def tau_a(x: ArrayLike, y: ArrayLike) -> Array:
    """Kendall's tau over all pairs of systems: pairs in the same order minus pairs in the opposite order, as a share.

    Formula: tau_a = (C - D) / (s (s - 1) / 2). A pair tied in either ranking counts in neither C nor D.

    Paper: Kendall, Biometrika 1938.

    >>> tau_a([3, 2, 1], [[30, 20, 10], [30, 10, 20], [10, 20, 30]]).round(3)
    array([ 1.   ,  0.333, -1.   ])
    """
    return _by_blocks(_tau_a, x, y)


def tau_b(x: ArrayLike, y: ArrayLike) -> Array:
    """Kendall's tau with a correction for ties: 1 when the two rankings agree in everything, including ties.

    Formula: tau_b = (C - D) / sqrt(pairs not tied in x · pairs not tied in y); without ties the same as tau_a.

    Paper: Kendall, Biometrika 1945.

    NaN when all systems tie in one of the rankings.

    >>> tau_b([3, 2, 1, 1], [[9, 5, 2, 2], [9, 5, 2, 1], [4, 4, 4, 4]]).round(3)
    array([1.   , 0.913,   nan])
    """
    return _by_blocks(_tau_b, x, y)


def tau_ap(truth: ArrayLike, estimate: ArrayLike) -> Array:
    """Tau that weighs the top more: how many of the systems above one in the estimate are truly above it. Asymmetric.

    Formula: tau_AP = 2 / (s - 1) · sum over ranks i >= 2 of (systems above i that truth also puts above) / (i - 1) - 1.

    Paper: Yilmaz, Aslam and Robertson, SIGIR 2008. Where the estimate ties, the mean over all orders of the tied
    systems, which is tau_AP,a of Urbano and Marrero, ICTIR 2017. Ties in the truth are an error: use `tau_ap_b`.

    >>> tau_ap([3, 2, 1], [[30, 20, 10], [20, 30, 10], [30, 10, 20], [9, 9, 1]])
    array([1. , 0. , 0.5, 0.5])
    """
    true = np.asarray(truth, np.float64)
    if has_ties(true).any():
        raise InputError("tau_AP", "two systems tie in the true ranking; use tau_AP,b (tau_ap_b), which allows ties")
    return _by_blocks(_tau_ap, true, estimate)


def tau_ap_b(x: ArrayLike, y: ArrayLike) -> Array:
    """Tau that weighs the top more and allows ties; the mean of both directions, so symmetric.

    Formula: for each system not in the top tie group, the share of those strictly above it that are strictly above it
    in the other ranking too; 2 · mean - 1; averaged over both directions.

    Paper: Urbano and Marrero, ICTIR 2017.

    >>> tau_ap_b([3, 2, 1, 1], [[9, 5, 2, 2], [9, 5, 2, 1], [4, 4, 4, 4]]).round(3)
    array([1.   , 0.889,   nan])
    """
    return _by_blocks(_tau_ap_b, x, y)


def _tau_a(x: Array, y: Array) -> Array:
    # (C − D) over all pairs, tied or not
    pairs = x.shape[-1] * (x.shape[-1] - 1) / 2
    return _ratio(_surplus(above(x), above(y)), pairs)


def _tau_b(x: Array, y: Array) -> Array:
    # (C − D) over the geometric mean of the numbers of pairs that are not tied in x and in y
    above_x, above_y = above(x), above(y)
    return _ratio(_surplus(above_x, above_y), np.sqrt(_count(above_x, (-2, -1)) * _count(above_y, (-2, -1))))


def _tau_ap(truth: Array, estimate: Array) -> Array:
    """tau_AP, with the expected value over random orders of the systems that tie in the estimate.

    A tied group of t with p systems above fills the ranks p+1 to p+t. A member is at each of them equally often, and
    then has k = 0, ..., t-1 of the other members above it, drawn at random.
    """
    systems = estimate.shape[-1]
    truly_above = above(truth)
    higher, beside = above(estimate), estimate[..., None, :] == estimate[..., :, None]
    p, t = _count(higher, -1).astype(np.int64), _count(beside, -1).astype(np.int64)
    right_above, right_beside = _count(higher & truly_above, -1), _count(beside & truly_above, -1)
    harmonic = np.concatenate([[0.0, 0.0], np.cumsum(1 / np.arange(1, systems + 1))])  # H(k) is at index k + 1
    reciprocals = harmonic[p + t] - harmonic[p]  # sum of 1 / (p + k); rank 1 has nothing above it and is skipped
    shares = np.where(p > 0, t - p * reciprocals, t - 1)  # sum of k / (p + k)
    expected = (right_above * reciprocals + right_beside * shares / np.maximum(t - 1, 1)) / t
    return 2 * _ratio(expected.sum(axis=-1), systems - 1) - 1


def _tau_ap_b(x: Array, y: Array) -> Array:
    # Mean over systems of the share of those above in one ranking that are above in both, for x and for y.
    above_x, above_y = above(x), above(y)
    both = _count(above_x & above_y, -1)

    def one_way(higher: Mask) -> Array:
        count = _count(higher, -1)
        shares = np.divide(both, count, out=np.zeros(np.broadcast(both, count).shape), where=count > 0)
        return 2 * _ratio(shares.sum(axis=-1), _count(count > 0, -1)) - 1

    return (one_way(above_x) + one_way(above_y)) / 2


def _surplus(above_x: Mask, above_y: Mask) -> Array:
    """C − D: the number of pairs in the same order minus the number in the opposite order."""
    same = _count(above_x & above_y, (-2, -1))
    return same - _count(above_x & np.swapaxes(above_y, -1, -2), (-2, -1))


def _count(mask: Mask, axis: int | tuple[int, ...]) -> Array:
    return np.asarray(np.count_nonzero(mask, axis=axis), np.float64)


def _ratio(numerator: Array, denominator: Array | float) -> Array:
    numerator, below = np.broadcast_arrays(numerator, denominator)
    return np.divide(numerator, below, out=np.full(numerator.shape, np.nan), where=below > 0)


def has_ties(values: Array) -> Mask:
    """Whether two systems of a ranking have the same value."""
    ordered = np.sort(values, axis=-1)
    return np.asarray((ordered[..., 1:] == ordered[..., :-1]).any(axis=-1))


def _by_blocks(formula: Callable[[Array, Array], Array], x: ArrayLike, y: ArrayLike) -> Array:
    """Check both rankings, then apply the formula to blocks of them that fit into memory."""
    first, second = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if first.ndim == 0 or second.ndim == 0 or first.shape[-1] != second.shape[-1]:
        raise MismatchError(f"rankings of {first.shape[-1:]} and {second.shape[-1:]} systems cannot be compared")
    if np.isnan(first).any() or np.isnan(second).any():
        raise InputError("rank correlation", "a system has no value (NaN); remove it from both rankings")
    if first.ndim == 1 and second.ndim == 1:
        return np.asarray(formula(first, second), np.float64)
    systems = first.shape[-1]
    shape = np.broadcast_shapes(first.shape[:-1], second.shape[:-1])
    rows = int(np.prod(shape, dtype=np.int64))
    step = max(1, BLOCK // max(systems * systems, 1))
    result = np.empty(rows)
    flat = [_rows(values, shape) for values in (first, second)]
    for begin in range(0, rows, step):
        left, right = (values if len(values) == 1 else values[begin : begin + step] for values in flat)
        result[begin : begin + step] = formula(left, right)
    return result.reshape(shape)


def _rows(values: Array, shape: tuple[int, ...]) -> Array:
    """One row per ranking; a single ranking stays one row, so that its pairs are compared once per block."""
    if values.size == values.shape[-1]:
        return values.reshape(1, -1)
    return np.broadcast_to(values, (*shape, values.shape[-1])).reshape(-1, values.shape[-1])
