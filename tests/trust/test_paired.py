"""Paired tests against scipy, R, ranx and MATTERS, against chance itself, and at their edges."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.trust import paired_tests
from leadline.trust.measure_comparison import bootstrap_discrimination
from leadline.trust.paired_tests import (
    Moments,
    Resampled,
    all_pairs,
    arranged,
    bootstrap,
    counts_of,
    random_counts,
    random_ranges,
    randomised_tukey,
    ranges_of,
    student_t,
    tukey,
    without_rounding_errors,
)
from leadline.trust.pairs import TESTS
from leadline.trust.randomisation import SignedRanks, every_flip, flips_reaching, random_flips, randomisation, wilcoxon

SOAK = bool(os.environ.get("LEADLINE_SOAK"))
REPETITIONS = 2000 if SOAK else 200
PRINTED = {"rtol": 1e-9, "atol": 1e-11}  # the files hold 12 significant digits, or 10 decimals


def column(rows: list[dict[str, str]], name: str) -> np.ndarray:
    return np.array([float(row[name]) for row in rows])


def within_chance(counts: np.ndarray, draws: int, p: np.ndarray, deviations: float = 5.0) -> None:
    """Shares of `draws` lie as near p as a binomial share does."""
    error = np.sqrt(np.maximum(p * (1 - p), 1 / draws) / draws)
    assert (np.abs(counts / draws - p) <= deviations * error).all()


def test_student_t_is_that_of_scipy_and_r(ap, oracle) -> None:
    tested, moments = student_t(ap), Moments.of(ap)
    low, high = moments.interval()
    scipy_rows, r_rows = oracle("scipy_pairs.tsv"), oracle("R_pairs.tsv")
    for rows in (scipy_rows, r_rows):
        np.testing.assert_allclose(tested.p, column(rows, "p_t"), **PRINTED)
        np.testing.assert_allclose(tested.statistic, column(rows, "t"), rtol=1e-9)
    np.testing.assert_allclose(moments.mean, column(scipy_rows, "meandiff"), atol=1e-10)
    np.testing.assert_allclose(low, column(r_rows, "ci_lo"), atol=1e-10)
    np.testing.assert_allclose(high, column(r_rows, "ci_hi"), atol=1e-10)
    np.testing.assert_allclose(student_t(ap[:, :12]).p, column(scipy_rows, "p_t_first12"), **PRINTED)


def test_wins_and_losses_give_the_sign_test_of_scipy(ap, oracle) -> None:
    moments = Moments.of(ap)
    p = []
    for wins, losses in zip(moments.higher.tolist(), moments.lower.tolist(), strict=True):
        n, fewer = wins + losses, min(wins, losses)
        p.append(min(1.0, 2 * sum(math.comb(n, k) for k in range(fewer + 1)) / 2**n))
    np.testing.assert_allclose(p, column(oracle("scipy_pairs.tsv"), "p_sign(binom,nonzero)"), **PRINTED)


def test_wilcoxon_is_that_of_scipy_and_r(ap, oracle) -> None:
    tested = wilcoxon(ap)
    scipy_rows, r_rows = oracle("scipy_pairs.tsv"), oracle("R_pairs.tsv")
    np.testing.assert_allclose(tested.statistic, column(r_rows, "V_wilcox(exact=F,correct=T)"))
    smaller = np.minimum(tested.statistic, 25 * 26 / 2 - tested.statistic)
    np.testing.assert_allclose(smaller, column(scipy_rows, "W_wilcox"))
    np.testing.assert_allclose(tested.p, column(scipy_rows, "p_wilcox_auto"), **PRINTED)
    # Four pairs have two equal differences, for which R has no exact p and gives the one of column p instead.
    exact = column(r_rows, "p_exact")
    untied = exact != column(r_rows, "p")
    assert untied.sum() == 24
    np.testing.assert_allclose(tested.p[untied], exact[untied], **PRINTED)
    first, second = all_pairs(len(ap))
    normal = SignedRanks.of(without_rounding_errors(ap[first] - ap[second], 1.0)).normal()
    np.testing.assert_allclose(normal, column(scipy_rows, "p_wilcox_approx_nocorr"), **PRINTED)
    np.testing.assert_allclose(normal, column(r_rows, "p_correct=F"), **PRINTED)


def test_wilcoxon_with_zeros_and_ties_is_that_of_scipy_and_r(ap_rounded, oracle) -> None:
    tested = wilcoxon(ap_rounded)
    scipy_rows, r_rows = oracle("wilcoxon_zeros_ties_scipy.tsv"), oracle("wilcoxon_zeros_ties_R.tsv")
    moments = Moments.of(ap_rounded)
    assert (25 - moments.higher - moments.lower == column(scipy_rows, "n_zero")).all()
    np.testing.assert_allclose(tested.statistic, column(r_rows, "V"))
    np.testing.assert_allclose(tested.p, column(scipy_rows, "p_auto"), **PRINTED)
    np.testing.assert_allclose(tested.p, column(scipy_rows, "p_wilcox_approx"), **PRINTED)
    np.testing.assert_allclose(tested.p, column(r_rows, "p_nocorrect"), **PRINTED)


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 60), st.integers(2, 4), st.integers(0, 2**32))
def test_wilcoxon_is_scipys_for_any_number_of_topics(topics: int, grain: int, seed: int) -> None:
    import warnings

    from scipy import stats

    matrix = np.random.default_rng(seed).integers(0, 4**grain, (3, topics)).astype(float)
    tested = wilcoxon(matrix)
    checked = 1 if topics <= 13 else 3  # scipy tries all flips of so few topics, which takes a tenth of a second
    for pair, (a, b) in enumerate(list(zip(*all_pairs(3), strict=True))[:checked]):
        if (matrix[a] == matrix[b]).all():
            assert tested.p[pair] == 1
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scipy divides by 0 before it chooses the exact distribution
            theirs = stats.wilcoxon(matrix[a], matrix[b])
        assert tested.p[pair] == pytest.approx(theirs.pvalue, rel=1e-9)


def test_randomisation_over_all_flips_is_exact(ap, oracle) -> None:
    exact = randomisation(ap[:, :12], rng=np.random.default_rng(1)).p
    theirs = column(oracle("scipy_pairs.tsv"), "exact_perm12_mean(first 12 topics)")
    np.testing.assert_allclose(exact, theirs, rtol=1e-11)


def test_sampled_flips_are_within_chance_of_all_flips(ap, oracle) -> None:
    draws = 4000
    sampled = randomisation(ap[:, :12], rng=np.random.default_rng(2), draws=draws).p
    exact = column(oracle("scipy_pairs.tsv"), "exact_perm12_mean(first 12 topics)")
    k = sampled * (draws + 1) - 1
    np.testing.assert_allclose(k, np.round(k), atol=1e-6)
    within_chance(k, draws, exact)


@pytest.mark.parametrize("draws", [1000, 10000])
def test_randomisation_is_within_chance_of_ranx(ap, oracle, draws: int) -> None:
    ours = randomisation(ap, rng=np.random.default_rng(3)).p  # ten times as many draws: ranx's error is what remains
    theirs = column(oracle("ranx_fisher.tsv"), f"ranx_fisher_p({draws},seed42)")
    within_chance(theirs * draws, draws, ours)


def test_ties_count_however_the_sums_are_rounded() -> None:
    # All differences are 0.1, so only the two flips that leave all signs equal reach the mean observed.
    grid = np.arange(10) / 10
    p = randomisation(np.array([grid + 0.1, grid]), rng=np.random.default_rng(1)).p
    assert p == pytest.approx([2 / 2**10])
    # 0.1 against −0.3 and 0.2: |0.1 + 0.2 − 0.3| is 0, which all flips reach.
    assert randomisation(np.array([[0.1, 0.2, 0.0], [0.0, 0.0, 0.3]]), rng=np.random.default_rng(1)).p == 1


def test_every_flip_is_there_once_but_for_the_last_sign() -> None:
    flips = np.concatenate(list(every_flip(13)))
    assert flips.shape == (4096, 13)
    assert len({tuple(row) for row in flips.tolist()}) == 4096
    assert (flips[:, -1] == 1).all()


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 6), st.integers(1, 20), st.integers(1, 5000), st.integers(0, 2**32))
def test_the_product_counts_what_a_loop_over_pairs_counts(systems: int, topics: int, draws: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 11, (systems, topics)) / 10
    blocks = list(random_flips(topics, draws, rng))
    flips = np.concatenate(blocks)
    assert flips.shape == (draws, topics)
    assert set(np.unique(flips)) <= {-1.0, 1.0}
    looped = []
    for a, b in zip(*all_pairs(systems), strict=True):
        tenths = np.round(10 * (matrix[a] - matrix[b]))  # whole numbers, so that this side is exact
        looped.append(int((np.abs(flips @ tenths) >= abs(tenths.sum())).sum()))
    assert flips_reaching(matrix, blocks).tolist() == looped


def test_flips_are_fair() -> None:
    flips = np.concatenate(list(random_flips(11, 20_000, np.random.default_rng(4))))
    within_chance((flips == 1).sum(axis=0), 20_000, np.full(11, 0.5))
    together = (flips[:, :-1] == flips[:, 1:]).sum(axis=0)
    within_chance(together, 20_000, np.full(10, 0.5))


def matters(golden: Path, name: str, value: str) -> np.ndarray:
    text = (golden / "significance" / name).read_text(encoding="utf-8")
    return np.array([float(found) for found in re.findall(rf"\t{value}=([0-9.]+)", text)])


def test_bootstrap_levels_are_those_of_matters(ap, golden, drawn_topics) -> None:
    counts = counts_of(drawn_topics)
    tested = bootstrap(ap, counts)
    assert tested.p.round(12).tolist() == matters(golden, "matters_paired_bootstrap.txt", "ASL").tolist()
    pairs = zip(*all_pairs(len(ap)), strict=True)
    needed = [bootstrap_discrimination(ap[list(pair)], counts).difference_needed for pair in pairs]
    np.testing.assert_allclose(needed, matters(golden, "matters_paired_bootstrap.txt", "delta_pair"), atol=1e-10)


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 7), st.integers(2, 40), st.integers(1, 1200), st.sampled_from([2, 11, 10**9]), st.integers(0, 99))
def test_the_bootstrap_is_that_of_a_loop_over_pairs(
    systems: int, topics: int, draws: int, values: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, values, (systems, topics)) / values
    counts = random_counts(topics, draws, rng)
    tested = bootstrap(matrix, counts)
    needed = []
    for pair, (a, b) in enumerate(zip(*all_pairs(systems), strict=True)):
        d = matrix[a] - matrix[b] - (matrix[a] - matrix[b]).mean()
        spread = (matrix[a] - matrix[b]).std(ddof=1)
        mean = np.abs(counts @ d) / topics
        variance = (counts @ d**2 - topics * mean**2) / (topics - 1)
        certain = np.where(mean > 1e-9 * spread, np.inf, 0.0)
        varies = variance > 1e-12 * spread**2
        t = np.where(varies, mean / np.sqrt(np.where(varies, variance, 1.0) / topics), certain)
        observed = abs(tested.statistic[pair])
        if spread > 1e-12:
            assert tested.p[pair] == (t >= observed * (1 - 1e-9) - 1e-10).mean()
            needed.append(mean[np.argsort(t, kind="stable")[draws - math.ceil(0.05 * draws)]])
        else:
            assert tested.p[pair] == (observed == 0)
    found = bootstrap_discrimination(matrix, counts)
    assert found.levels.tolist() == tested.p.tolist()
    if values > 11 and topics > 8 and needed:  # without ties
        assert found.difference_needed == pytest.approx(max(needed), rel=1e-12)


@pytest.mark.parametrize("topics", [12, 60])
def test_pairs_that_are_ruled_out_do_not_change_the_difference_needed(
    topics: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, draws = np.random.default_rng(topics), 300
    matrix = rng.pareto(1.5, (14, topics)) * rng.random((14, 1))  # some topics count for nearly all
    counts = random_counts(topics, draws, rng)
    pairs = zip(*all_pairs(len(matrix)), strict=True)
    alone = [bootstrap_discrimination(matrix[list(pair)], counts).difference_needed for pair in pairs]
    sampled, whole = Resampled._sampled, []

    def noted(self: Resampled, pairs: Any, kind: Any) -> Any:
        whole.extend(pairs.tolist() if kind is np.float64 else [])
        return sampled(self, pairs, kind)

    monkeypatch.setattr(Resampled, "_sampled", noted)
    monkeypatch.setattr(paired_tests, "NUMBERS_AT_ONCE", 2 * draws)  # two pairs at a time
    assert bootstrap_discrimination(matrix, counts).difference_needed == pytest.approx(max(alone), rel=1e-12)
    assert len(whole) < len(alone) / 2


def test_tukey_levels_are_those_of_matters(ap, golden, arrangements) -> None:
    tested = tukey(ap, ranges_of([arranged(ap, arrangements[:900]), arranged(ap, arrangements[900:])]))
    assert tested.p.round(12).tolist() == matters(golden, "matters_randomised_tukey_hsd.txt", "ASL").tolist()
    differences = matters(golden, "matters_randomised_tukey_hsd.txt", "absdiff")
    np.testing.assert_allclose(np.abs(tested.statistic), differences, atol=1e-10)


def test_random_replicates_are_within_chance_of_the_saved(ap, golden) -> None:
    rng, draws = np.random.default_rng(5), 20_000
    saved = matters(golden, "matters_paired_bootstrap.txt", "ASL")
    within_chance(saved * 2000, 2000, bootstrap(ap, random_counts(25, draws, rng)).p)
    saved = matters(golden, "matters_randomised_tukey_hsd.txt", "ASL")
    within_chance(saved * 2000, 2000, randomised_tukey(ap, rng=rng, draws=draws).p)


def test_random_counts_draw_as_many_topics_as_there_are() -> None:
    counts = random_counts(300, 5000, np.random.default_rng(6))
    assert (counts.sum(axis=1, dtype=np.int64) == 300).all()
    within_chance((counts == 0).sum(axis=0), 5000, np.full(300, (1 - 1 / 300) ** 300))


def test_scores_change_places_only_within_a_topic() -> None:
    # Each topic gives 1 to one of three systems and 0 to the others; both go to the same system in 3 of 9 cases.
    matrix = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    ranges = random_ranges(matrix, 3000, np.random.default_rng(7))
    assert set(ranges.tolist()) == {0.5, 1.0}
    within_chance(np.array([(ranges == 1).sum()]), 3000, np.array([1 / 3]))


@pytest.mark.parametrize("test", sorted(TESTS))
def test_systems_that_never_differ_have_p_1(test: str) -> None:
    matrix = np.tile(np.arange(20) / 20, (3, 1))
    p = TESTS[test](matrix, np.random.default_rng(1), 500).p
    assert p.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("test", sorted(TESTS))
@pytest.mark.parametrize("topics", [8, 30, 60])
def test_a_difference_that_is_the_same_everywhere_is_significant(test: str, topics: int) -> None:
    grid = np.random.default_rng(1).random(topics)
    p = TESTS[test](np.array([grid, grid + 0.1]), np.random.default_rng(1), 999).p
    assert 0 <= p[0] <= 0.01


@pytest.mark.parametrize("test", sorted(TESTS))
def test_order_of_systems_and_scale_of_scores_change_nothing(ap, test: str) -> None:
    def p(matrix: np.ndarray) -> np.ndarray:
        return TESTS[test](matrix, np.random.default_rng(9), 2000).p

    first, second = all_pairs(len(ap))
    names = {(len(ap) - 1 - b, len(ap) - 1 - a): place for place, (a, b) in enumerate(zip(first, second, strict=True))}
    reverse = p(ap[::-1])
    back = np.array([reverse[names[int(a), int(b)]] for a, b in zip(first, second, strict=True)])
    np.testing.assert_allclose(p(1000 * ap), p(ap), rtol=1e-9, atol=1e-12)
    if test == "tukey":
        within_chance(back * 2000, 2000, p(ap), 8)  # other arrangements are drawn
    else:
        np.testing.assert_allclose(back, p(ap), rtol=1e-9, atol=1e-12)


def skewed(rng: np.random.Generator, systems: int, topics: int) -> np.ndarray:
    """Systems that do not differ, on topics that do: scores as search has them, many small and some large."""
    return rng.beta(0.6, 1.4, topics) * 0.5 + 0.5 * rng.beta(0.8, 1.6, (systems, topics))


@pytest.mark.soak
@pytest.mark.parametrize("test", sorted(TESTS))
@pytest.mark.parametrize("topics", [15, 40])
def test_where_nothing_differs_each_test_rejects_as_often_as_it_says(test: str, topics: int) -> None:
    rng = np.random.default_rng(10)
    alpha, systems = 0.05, 5 if test == "tukey" else 2
    p = np.array([TESTS[test](skewed(rng, systems, topics), rng, 999).p.min() for _ in range(REPETITIONS)])
    share = (p <= alpha).mean()
    error = math.sqrt(alpha * (1 - alpha) / REPETITIONS)
    assert abs(share - alpha) <= 4 * error


@pytest.mark.soak
@pytest.mark.parametrize("test", sorted(TESTS))
def test_with_a_planted_difference_power_grows_with_topics(test: str) -> None:
    rng = np.random.default_rng(11)
    repetitions = max(100, REPETITIONS // 4)

    def power(topics: int) -> float:
        found = 0
        for _ in range(repetitions):
            matrix = skewed(rng, 2, topics)
            matrix[1] += 0.08
            found += TESTS[test](matrix, rng, 499).p[0] < 0.05
        return found / repetitions

    few, more, many = power(10), power(40), power(120)
    assert few < more < many
    assert many > 0.9
