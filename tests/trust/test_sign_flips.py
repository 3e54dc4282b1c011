"""p of all flips: counted, or from the saddlepoint of their distribution, whose error is known."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from leadline.trust import randomisation
from leadline.trust.paired_tests import holm
from leadline.trust.randomisation import (
    drawn_flip_p,
    flip_interval,
    flip_p,
    flip_test,
    grid_step,
    pair_intervals,
    settled,
)

SCORES = st.floats(-1, 1).map(lambda value: round(value, 2))


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def approximate(differences: np.ndarray) -> np.ndarray:
    """The saddlepoint of rows that would be counted."""
    rows = randomisation._Rows.of(differences)
    p = np.ones(len(differences))
    mixed = rows.differ & (rows.short > 0)
    p[mixed] = randomisation._saddlepoint(rows.at(mixed))
    return p


def counted_one_by_one(row: np.ndarray) -> float:
    sums = [abs(sum(sign * one for sign, one in zip(signs, row, strict=True)))
            for signs in itertools.product((1, -1), repeat=len(row))]  # fmt: skip
    return sum(each >= abs(row.sum()) - 1e-9 for each in sums) / len(sums)


@given(arrays(np.float64, st.integers(1, 9), elements=SCORES))
def test_counted_p_is_that_of_a_loop_over_all_flips(row: np.ndarray) -> None:
    assert flip_p(row[None])[0] == pytest.approx(counted_one_by_one(row), abs=1e-15)


def test_all_flips_of_twenty_topics_are_counted() -> None:
    """Against a million sums made in another way, for scores with and without ties."""
    for row in (rng().normal(0.2, 0.5, 20), rng().integers(-3, 6, 20) / 10):
        codes = np.arange(2**20)[:, None] >> np.arange(20) & 1
        sums = np.where(codes, 1.0, -1.0) @ row
        assert flip_p(row[None])[0] == (np.abs(sums) >= abs(row.sum()) - 1e-9).mean()


DRAWN = {
    "normal": lambda shape: rng().normal(0.0, 1.0, shape),
    "skewed": lambda shape: rng().exponential(1.0, shape) - 1,
    "uniform": lambda shape: rng().uniform(-1, 1, shape),
}


@pytest.mark.parametrize(("topics", "most"), [(12, 0.2), (16, 0.1), (20, 0.04)])
@pytest.mark.parametrize("drawn", DRAWN)
def test_the_saddlepoint_comes_near_the_counted_p(topics: int, most: float, drawn: str) -> None:
    """In three of four cases with p from 0.001 to 0.05, on fewer topics than it is used for."""
    differences = DRAWN[drawn]((4000, topics)) + rng(2).uniform(0, 0.7, (4000, 1))
    exact, near = flip_p(differences), approximate(differences)
    chosen = (exact < 0.05) & (exact > 0.001)
    assert chosen.sum() > 200
    assert np.quantile(np.abs(near[chosen] / exact[chosen] - 1), 0.75) < most


@pytest.mark.parametrize("topics", [22, 25, 30])
@pytest.mark.parametrize("drawn", DRAWN)
def test_the_saddlepoint_is_near_where_it_is_used(topics: int, drawn: str) -> None:
    """More than 20 differences that could be flipped: nearly always within 4 %, 7 % if skewed, however small p is."""
    count = 1500 if topics < 30 else 500  # counting doubles with each two topics
    differences = DRAWN[drawn]((count, topics)) + rng(2).uniform(0, 0.8, (count, 1))
    rows = randomisation._Rows.of(differences)
    used = rows.differ & ~rows.few
    assert used.sum() > 200
    error = np.abs(flip_p(differences)[used] / randomisation._counted(rows.at(used)) - 1)
    assert np.quantile(error, 0.95) < (0.07 if drawn == "skewed" else 0.04)
    assert error.max() < 0.25  # a decision within a factor of 2 is counted


@pytest.mark.parametrize("topics", [21, 30, 60])
def test_lumps_of_coarse_scores_are_allowed_for(topics: int) -> None:
    """Differences of 1 and −1 make the sign test, whose p is known; smoothed lumps would make it half as large."""
    ahead = np.arange(topics // 2 + 1, topics)
    signs = np.array([[0.2] * one + [-0.2] * (topics - one) for one in ahead])
    exact = np.minimum(1, 2 * stats.binom.sf(ahead - 1, topics, 0.5))
    np.testing.assert_allclose(flip_p(signs), exact, rtol=0.03)


def test_p_on_a_grid_is_that_of_a_convolution() -> None:
    """P@10 of 50 topics: the exact distribution of the sum by adding one topic after the other."""
    tenths = rng(3).binomial(10, 0.5, (60, 50)) - rng(4).binomial(10, 0.4, (60, 50))
    exact = []
    for row in tenths:
        sizes = np.abs(row)
        share = np.zeros(sizes.sum() + 1)
        share[0] = 1
        for size in sizes:
            share = (share + np.roll(share, size)) / 2
        sums = 2 * np.arange(len(share)) - sizes.sum()
        exact.append(share[np.abs(sums) >= abs(row.sum())].sum())
    np.testing.assert_allclose(flip_p(tenths / 10), exact, rtol=0.02)


@given(arrays(np.float64, 25, elements=SCORES), st.floats(1e-3, 1e3))
def test_scale_sign_order_and_zeros_change_nothing(row: np.ndarray, scale: float) -> None:
    p = flip_p(row[None])[0]
    assert 0 < p <= 1
    for other in (row * scale, -row, row[::-1], np.concatenate([row, np.zeros(30)])):
        if abs(other.sum()) > 1e-6 or abs(row.sum()) < 1e-12:  # smaller ones are within the margin of equal sums
            assert flip_p(other[None])[0] == pytest.approx(p, rel=1e-6)


@pytest.mark.parametrize("topics", [12, 40, 150])
def test_p_of_drawn_topics_is_that_of_the_topics_one_by_one(topics: int) -> None:
    """Of differences that are smooth, skewed, coarse or often 0, in samples that have each so many times."""
    pilots = (rng(1).normal(0.3, 1, 25), rng(2).exponential(1, 25) - 0.5, rng(3).integers(-2, 5, 25) / 10)
    for pilot in (*pilots, np.where(rng(4).random(25) < 0.5, 0.0, pilots[0])):
        times = rng(5).multinomial(topics, np.full(25, 1 / 25), size=60).astype(float)
        one_by_one = np.array([np.repeat(pilot, some.astype(int)) for some in times])
        found = drawn_flip_p(pilot, times, grid_step(pilot))
        np.testing.assert_allclose(found, flip_p(one_by_one, grid_step(pilot)), rtol=1e-3)


@pytest.mark.parametrize("topics", [15, 30, 200])
def test_a_clearer_lead_has_a_smaller_p(topics: int) -> None:
    """The same sizes, with ever more signs on one side."""
    sizes = rng().uniform(0.01, 1, topics)
    signs = np.where(np.arange(topics) < np.arange(topics // 2 + 1, topics + 1)[:, None], 1, -1)
    order = np.argsort(sizes)[::-1]
    differences = (sizes * signs)[:, np.argsort(order)]
    differences = differences[np.argsort(np.abs(differences.sum(axis=1)))]
    p = flip_p(differences)
    assert (np.diff(p) <= 0).all()
    assert p[-1] == 2.0 ** (1 - topics)


def test_special_cases() -> None:
    equal, opposite = np.zeros((1, 30)), np.tile([0.3, -0.3], (1, 15))
    assert flip_p(equal) == flip_p(opposite) == 1
    assert flip_p(np.full((1, 30), 0.2)) == 2.0**-29
    agreeing = np.concatenate([rng().uniform(0.1, 1, (1, 30)), np.zeros((1, 20))], axis=1)
    assert flip_p(agreeing) == flip_p(-agreeing) == 2.0**-29  # zeros have no sign
    assert 0 < flip_p(np.full((1, 5000), 0.2))[0] < 1e-300
    assert flip_p(np.empty((0, 30))).shape == (0,)


def test_nothing_overflows() -> None:
    """One difference a million times as large as the others, and one tiny against all: t is far from 1."""
    with np.errstate(all="raise", under="ignore"):
        one_large = np.concatenate([[1e6], rng().normal(0.1, 1, 40)])
        nearly_all = np.concatenate([np.full(40, 1.0), [-1e-6]])
        huge = rng().normal(0.3, 1, 400) * 1e90
        p = np.array([flip_p(row[None])[0] for row in (one_large, nearly_all, huge)])
    assert ((p > 0) & (p <= 1)).all()
    assert p[1] == pytest.approx(2.0**-39, rel=0.3)  # either sign of the tiny one: 4 of 2⁴¹ flips
    assert p[2] == pytest.approx(flip_p(rng().normal(0.3, 1, 400)[None] * 0 + huge / 1e90)[0])


def test_a_decision_near_the_limit_is_counted() -> None:
    """30 topics whose saddlepoint is just below the limit, and whose true p is above it."""
    rows = rng(5).choice([0.5, 1 / 3, 2 / 3, 0.75, -0.5, -2 / 3], (300, 30), p=[0.3, 0.1, 0.2, 0.1, 0.15, 0.15])
    near = flip_p(rows)
    all_rows = randomisation._Rows.of(rows)
    exact = randomisation._counted(all_rows)
    row = int(np.flatnonzero((near < exact * 0.99) & (near > 1e-4))[0])
    alpha = float(near[row] + exact[row]) / 2
    assert near[row] < alpha < exact[row]
    found = flip_test(rows[[row]], alpha)
    assert found.checked.all()
    assert found.p[0] == exact[row] > alpha
    assert not flip_test(rows[[row]], alpha / 10).checked.any()


def test_the_count_near_the_limit_is_that_of_the_corrected_p() -> None:
    rows = np.concatenate([rng().normal(0.55, 1, (200, 30)), rng().normal(1.2, 1, (200, 30))])
    p = flip_p(rows)
    found = settled(p, holm, 0.05, rows.__getitem__)
    near = (found.corrected > 0.025) & (found.corrected < 0.1)
    assert near.any()
    assert found.checked[near].all()
    exact = randomisation._counted(randomisation._Rows.of(rows))
    np.testing.assert_allclose(found.p[near], exact[near])
    np.testing.assert_array_equal(found.corrected, holm(found.p))
    np.testing.assert_array_equal(found.p[~found.checked], p[~found.checked])


def test_beyond_counting_lumps_near_the_limit_are_drawn() -> None:
    """50 topics of P@2: p by draws is within 5 % of the exact one, and the same every time."""
    halves = rng(7).choice([-1, 0, 1, 2], (40, 60), p=[0.2, 0.2, 0.4, 0.2])
    chosen = np.flatnonzero((halves != 0).sum(axis=1) > 36)[:5]
    for row in halves[chosen]:
        sizes = np.abs(row)
        share = np.zeros(sizes.sum() + 1)
        share[0] = 1
        for size in sizes:
            share = (share + np.roll(share, size)) / 2
        exact = share[np.abs(2 * np.arange(len(share)) - sizes.sum()) >= abs(row.sum())].sum()
        found, again = (flip_test(row[None] / 2, float(flip_p(row[None] / 2)[0])) for _ in range(2))
        assert found.checked.all()
        assert found.p == again.p == pytest.approx(exact, rel=0.05)
    smooth = rng().normal(0.3, 1, (1, 60))
    assert not flip_test(smooth, float(flip_p(smooth)[0])).checked.any()


def subset_means(row: np.ndarray) -> np.ndarray:
    """The mean of every subset that is not empty, one after the other."""
    return np.sort([np.mean(some) for size in range(1, len(row) + 1) for some in itertools.combinations(row, size)])


@given(arrays(np.float64, st.integers(1, 9), elements=SCORES), st.sampled_from([0.01, 0.05, 0.2, 0.5]))
def test_the_interval_is_that_of_hartigans_typical_values(row: np.ndarray, alpha: float) -> None:
    """The differences less θ have p = 2 (1 + how many means are at most θ) / 2ⁿ: the k-th mean is the limit."""
    found, p = np.concatenate(flip_interval(row[None], flip_p(row[None]), alpha)), flip_p(row[None])[0]
    means = subset_means(row)
    place = math.ceil(round(alpha * 2 ** (len(row) - 1), 9)) - 2
    expected = (-np.inf, np.inf) if place < 0 else (means[place], means[-1 - place])
    if not (p >= alpha and (expected[0] > -1e-9 or expected[1] < 1e-9)):  # a limit at 0 is moved to the side of its p
        np.testing.assert_allclose(found, expected, atol=1e-6)
    low, high = found
    assert (p < alpha) == (low > 0 or high < 0)


@pytest.mark.parametrize("drawn", [*DRAWN, "tenths", "zeros"])
@pytest.mark.parametrize("topics", [5, 8, 13, 14, 20, 21, 40, 150])
def test_0_is_outside_the_interval_if_and_only_if_p_is_below_alpha(topics: int, drawn: str) -> None:
    shape = (40, topics)
    some = {
        "tenths": lambda: np.round(rng().normal(0, 0.2, shape), 1),
        "zeros": lambda: rng().normal(0, 1, shape) * (rng(3).random(shape) < 0.3),
    }
    rows = some[drawn]() if drawn in some else DRAWN[drawn](shape)
    rows = rows + (rows != 0) * np.round(rng(2).uniform(-1, 1, (40, 1)) * 3 * rows.std() / np.sqrt(topics), 1)
    for alpha in (0.05, 0.2):
        p = flip_p(rows)
        low, high = flip_interval(rows, p, alpha)
        np.testing.assert_array_equal(p < alpha, (low > 0) | (high < 0))
        assert (low <= rows.mean(axis=1) + 1e-9).all()
        assert (high >= rows.mean(axis=1) - 1e-9).all()
        assert not np.isnan([low, high]).any()


@pytest.mark.parametrize(("topics", "most"), [(14, 0.02), (17, 0.02)])
@pytest.mark.parametrize("drawn", DRAWN)
def test_approximate_limits_are_near_those_of_all_subsets(topics: int, most: float, drawn: str) -> None:
    rows = DRAWN[drawn]((60, topics)) + 0.2
    p = flip_p(rows)
    low, high = flip_interval(rows, p)
    true_low, true_high = randomisation._typical_values(rows, 0.05)
    error = np.maximum(abs(low - true_low), abs(high - true_high)) / (true_high - true_low)
    assert np.median(error) < 0.005
    assert error.max() < most


def test_at_the_limits_p_is_alpha() -> None:
    """Beyond 20 topics: the differences less a limit are just not significant."""
    rows = rng().normal(0.3, 1, (50, 35))
    for limit in flip_interval(rows, flip_p(rows)):
        np.testing.assert_allclose(flip_p(rows - limit[:, None]), 0.05, rtol=1e-4)


def test_the_intervals_of_pairs_move_with_the_scores() -> None:
    matrix = rng().random((4, 30))
    p = np.concatenate([flip_p(matrix[[a]] - matrix[[b]]) for a, b in itertools.combinations(range(4), 2)])
    pairs = np.arange(6)
    low, high = pair_intervals(matrix, pairs, p)
    assert ((low < high) & np.isfinite(low) & np.isfinite(high)).all()
    swapped = pair_intervals(-matrix, pairs, p)
    np.testing.assert_allclose((low, high), (-swapped[1], -swapped[0]), atol=1e-9)
    some = pair_intervals(matrix, pairs[[4, 1]], p[[4, 1]])
    np.testing.assert_array_equal(some, (low[[4, 1]], high[[4, 1]]))
    same = pair_intervals(np.tile(matrix[0], (2, 1)), np.arange(1), np.ones(1))
    assert same == (np.zeros(1), np.zeros(1))
    constant = flip_interval(np.full((1, 30), 0.1), np.array([2.0**-29]))
    np.testing.assert_allclose(constant, 0.1)


@pytest.mark.parametrize("kind", ["real", "tenths"])
def test_p_of_random_cases_is_that_of_scipy(kind: str) -> None:
    """100 cases of 6 to 10 topics, every permutation by scipy; and of 24 topics by 20 000 draws, within their error."""
    for case in range(100):
        many = case % 20 == 0
        topics = 24 if many else int(rng(case).integers(6, 11))
        a, b = rng(case + 500).beta(1, 2, (2, topics))
        a = a + 0.15
        if kind == "tenths":  # counts of documents, since scipy takes sums that differ by rounding for different
            a, b = np.round(10 * a), np.round(10 * b)
        expected = stats.permutation_test(
            (a, b), lambda x, y, axis: np.sum(x - y, axis=axis), permutation_type="samples", vectorized=True,
            n_resamples=20_000 if many else 2**topics, rng=1,
        ).pvalue  # fmt: skip
        found = flip_test((a - b)[None]).p[0]
        error = 5 * np.sqrt(expected * (1 - expected) / 20_000) + 0.04 * expected if many else 1e-12
        assert abs(found - expected) <= error + 1e-12, (case, found, expected)
