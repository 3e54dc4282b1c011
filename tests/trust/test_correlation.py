"""Rank correlation against ircor, R, scipy and trectools, against the CLEF-IP paper, and by hand."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import InputError, MismatchError
from leadline.records.scores import Scores
from leadline.show.papers import published
from leadline.trust.measure_comparison import TAUS, correlation
from leadline.trust.rankings import tau_a, tau_ap, tau_ap_b, tau_b

PRINTED = 1e-12  # what the other programs printed
Tau = Callable[[list[float], list[float]], np.ndarray]

OURS: dict[str, tuple[Tau, str]] = {
    "tau": (tau_a, "ircor_R"),
    "tau_a": (tau_a, "ircor_R"),
    "tau_b": (tau_b, "ircor_R"),
    "tauAP": (tau_ap, "ircor_R"),
    "tauAP_a": (tau_ap, "ircor_R"),
    "tauAP_b": (tau_ap_b, "ircor_R"),
    "cor.kendall(R)": (tau_b, "ircor_R"),
    "scipy_tau_b": (tau_b, "scipy_trectools"),
    "trectools_tauap(truth=x)": (tau_ap, "scipy_trectools"),
    "trectools_tauap(truth=y)": (lambda x, y: tau_ap(y, x), "scipy_trectools"),
}


@pytest.fixture(scope="module")
def rankings(golden: Path) -> dict[str, tuple[list[float], list[float]]]:
    sides: dict[str, dict[str, list[float]]] = {}
    for line in (golden / "inputs/scores/corr_pairs.tsv").read_text().splitlines():
        pair, side, values = line.split("\t")
        sides.setdefault(pair, {})[side] = [float(value) for value in values.split()]
    return {pair: (both["x"], both["y"]) for pair, both in sides.items()}


@pytest.mark.parametrize("column", OURS)
def test_equals_other_programs(column: str, golden: Path, rankings: dict[str, tuple[list[float], list[float]]]) -> None:
    tau, program = OURS[column]
    compared = 0
    with (golden / f"rank_correlation/{program}.tsv").open() as file:
        for record in csv.DictReader(file, delimiter="\t"):
            x, y = rankings[record["pair"]]
            tied = len(set(x)) < len(x) or len(set(y)) < len(y)
            if record[column].startswith("NA") or (tied and column.startswith("trectools")):
                continue  # ircor refuses these; trectools orders ties by name, which is no rule of ours
            assert float(tau(x, y)) == pytest.approx(float(record[column]), abs=PRINTED), record["pair"]
            compared += 1
    assert compared >= 8


def test_clef_ip_2009() -> None:
    """Magdy and Jones print 0.56, 0.87 and 0.66; their scores, which have three digits, give what is here."""
    found = correlation(published.clef_ip_2009())
    tau = {(row[0], row[1]): row[2] for row in found.table().rows}
    assert round(tau["MAP", "recall"], 2) == 0.56
    assert round(tau["recall", "PRES"], 2) == 0.88
    assert round(tau["MAP", "PRES"], 2) == pytest.approx(0.67)
    assert list(found.table().columns) == ["measure_a", "measure_b", "tau", "tau_ap"]
    assert "tau_AP,b" in found.notes[0]
    ranks = {row[0]: row[1:] for row in found.ranks().rows}
    assert ranks["R21"] == [1, 1, 1]  # "achieved the highest MAP and recall also achieved the highest PRES"


def test_clef_ip_2009_by_tau_a() -> None:
    """The printed scores give what the paper prints, 0.56, 0.87 and 0.66, if tied pairs count as neither."""
    found = correlation(published.clef_ip_2009(), tau="a")
    tau = {(row[0], row[1]): round(row[2], 3) for row in found.table().rows}
    assert tau == {("MAP", "recall"): 0.555, ("recall", "PRES"): 0.874, ("MAP", "PRES"): 0.659}
    assert list(found.table().columns) == ["measure_a", "measure_b", "tau", "tau_ap"]


def test_the_column_tau_is_the_coefficient_asked_for() -> None:
    scores = published.clef_ip_2009()
    by = {name: correlation(scores, tau=name) for name in TAUS}
    assert (by["ap"].tau == by["b"].tau_ap).all()
    assert (by["a"].tau_ap == by["b"].tau_ap).all()
    assert by["b"].table().rows == correlation(scores).table().rows
    with pytest.raises(InputError, match="'c' is not one of a, b, ap"):
        correlation(scores, tau="c")  # type: ignore[arg-type]


def test_ties_by_hand() -> None:
    x, y = [3, 2, 2, 1], [4, 3, 2, 1]
    assert tau_a(x, y) == pytest.approx(5 / 6)
    assert tau_b(x, y) == pytest.approx(5 / np.sqrt(5 * 6))
    # By y the shares are 1, 1/2, 1; by x, whose second and third tie, they are 1, 1, 1.
    assert tau_ap_b(x, y) == pytest.approx(((2 * 2.5 / 3 - 1) + 1) / 2)
    # The two orders of the tie give 1 and 2/3.
    assert tau_ap(y, x) == pytest.approx((1 + 2 / 3) / 2)


def test_ties_at_the_top_by_hand() -> None:
    x, y = [2, 2, 1, 0], [1, 2, 3, 0]
    # By x, the two at the top are left out: shares 0 of 2 and 3 of 3. By y: 0 of 1, 0 of 2, 3 of 3.
    assert tau_ap_b(x, y) == pytest.approx(((2 * 1 / 2 - 1) + (2 * 1 / 3 - 1)) / 2)
    assert tau_b(x, y) == pytest.approx((3 - 2) / np.sqrt(5 * 6))


def test_rankings_that_order_nothing_are_undefined() -> None:
    for tau in (tau_b, tau_ap_b):
        assert np.isnan(tau([1, 1, 1], [1, 2, 3]))
    for tau in (tau_a, tau_b, tau_ap, tau_ap_b):
        assert np.isnan(tau([1], [2]))
        assert np.isnan(tau([], []))


def test_refusals() -> None:
    with pytest.raises(InputError, match="two systems tie in the true ranking"):
        tau_ap([1, 1, 2], [1, 2, 3])
    with pytest.raises(InputError, match="a system has no value"):
        tau_b([1, np.nan, 2], [1, 2, 3])
    with pytest.raises(MismatchError, match="cannot be compared"):
        tau_b([1, 2], [1, 2, 3])


def test_many_rankings_in_one_call_and_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.permutation(9.0 * np.ones((4, 1, 9)) + np.arange(9), axis=2), rng.normal(size=(5, 9))
    for tau in (tau_a, tau_b, tau_ap, tau_ap_b):
        one_by_one = [[float(tau(a, b)) for b in y] for a in x[:, 0]]
        whole = tau(x, y)
        monkeypatch.setattr("leadline.trust.rankings.BLOCK", 100)
        assert np.array_equal(whole, tau(x, y))
        assert whole == pytest.approx(np.array(one_by_one), abs=1e-14)


def test_a_thousand_systems() -> None:
    from scipy.stats import kendalltau

    rng = np.random.default_rng(2)
    x = np.round(rng.normal(size=1000), 2)
    y = np.round(x + rng.normal(size=1000), 2)
    assert tau_b(x, y) == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)


systems = st.integers(2, 12)
with_ties = systems.flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 5), min_size=n, max_size=n)] * 2))
some_ties = st.integers(2, 6).flatmap(
    lambda n: st.tuples(st.permutations(range(n)), st.lists(st.integers(0, 2), min_size=n, max_size=n))
)
without_ties = systems.flatmap(lambda n: st.tuples(*[st.permutations(range(n))] * 2))


@given(with_ties)
def test_symmetric(pair: tuple[list[int], list[int]]) -> None:
    x, y = pair
    for tau in (tau_a, tau_b, tau_ap_b):
        assert tau(x, y) == pytest.approx(float(tau(y, x)), abs=1e-12, nan_ok=True)


@given(with_ties)
def test_the_same_ranking_is_one_even_with_ties(pair: tuple[list[int], list[int]]) -> None:
    x, _ = pair
    expected = 1.0 if len(set(x)) > 1 else np.nan
    assert tau_b(x, x) == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert tau_ap_b(x, x) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(without_ties)
def test_without_ties(pair: tuple[list[int], list[int]]) -> None:
    x, y = pair
    backwards = [-value for value in x]
    for tau in (tau_a, tau_b, tau_ap, tau_ap_b):
        assert tau(x, x) == pytest.approx(1, abs=1e-12)
        assert tau(x, backwards) == pytest.approx(-1, abs=1e-12)
    assert tau_a(x, y) == pytest.approx(float(tau_b(x, y)), abs=1e-12)
    assert tau_ap_b(x, y) == pytest.approx(float(tau_ap(x, y) + tau_ap(y, x)) / 2, abs=1e-12)


@given(with_ties, st.randoms(use_true_random=False))
def test_neither_the_order_of_systems_nor_the_scale_matters(pair: tuple[list[int], list[int]], random: Random) -> None:
    x, y = map(np.array, pair)
    order = list(range(len(x)))
    random.shuffle(order)
    for tau in (tau_a, tau_b, tau_ap_b):
        value = float(tau(x, y))
        assert tau(x[order], y[order]) == pytest.approx(value, abs=1e-12, nan_ok=True)
        assert tau(np.exp(x), 3.0 * y - 7) == pytest.approx(value, abs=1e-12, nan_ok=True)
        assert np.isnan(value) or -1 - 1e-12 <= value <= 1 + 1e-12


@given(some_ties)
def test_ties_of_the_estimate_stand_in_every_order_equally_often(pair: tuple[list[int], list[int]]) -> None:
    truth, estimate = pair
    orders = [order for order in itertools.permutations(range(len(truth))) if _respects(order, estimate)]
    expected = np.mean([_tau_ap_of_list([truth[system] for system in order]) for order in orders])
    assert tau_ap(truth, estimate) == pytest.approx(expected, abs=1e-12)


def _respects(order: tuple[int, ...], estimate: list[int]) -> bool:
    return all(estimate[a] >= estimate[b] for a, b in itertools.pairwise(order))


def _tau_ap_of_list(truth: list[int]) -> float:
    """The formula as the paper writes it, for the true values of systems listed best first."""
    shares = [sum(above > value for above in truth[:place]) / place for place, value in enumerate(truth) if place]
    return 2 / (len(truth) - 1) * sum(shares) - 1


def cube(*columns: list[float], topics: int = 1, **more: object) -> Scores:
    """Scores with a measure a column, the same on every topic."""
    values = np.repeat(np.array(columns, float).T[:, None, :], topics, axis=1)
    names = tuple(f"m{place}" for place in range(len(columns)))
    runs = tuple(f"r{place}" for place in range(len(columns[0])))
    return Scores(runs, tuple(map(str, range(topics))), names, values, **more)  # type: ignore[arg-type]


def test_the_first_measure_is_held_true() -> None:
    truth, estimate = [4.0, 3.0, 2.0, 1.0], [3.0, 4.0, 2.0, 1.0]
    found = correlation(cube(truth, estimate))
    assert found.table().rows[0][3] == pytest.approx(float(tau_ap(truth, estimate)))
    assert found.tau_ap[1, 0] == pytest.approx(float(tau_ap(estimate, truth)))
    assert found.tau_ap_b[0, 1] == pytest.approx(float(tau_ap_b(estimate, truth)))
    assert found.notes == ()


def test_a_measure_that_is_better_low_ranks_low_first() -> None:
    scores = cube([4.0, 3.0, 2.0], [1.0, 2.0, 3.0], better=("higher", "lower"))
    found = correlation(scores)
    assert found.table().rows[0][2:] == [1.0, 1.0]
    assert found.places.tolist() == [[1, 1], [2, 2], [3, 3]]
    assert correlation(replace(scores, better=())).table().rows[0][2:] == [-1.0, -1.0]


def test_equal_means_share_a_rank() -> None:
    found = correlation(cube([0.5, 0.7, 0.5, 0.1], [1.0, 2.0, 3.0, 4.0]))
    assert found.places[:, 0].tolist() == [2, 1, 2, 4]
    assert [row[0] for row in found.ranks().rows] == ["r1", "r2", "r0", "r3"]


def test_means_that_differ_by_rounding_are_equal() -> None:
    scores = cube([0.0, 0.0], [1.0, 2.0], topics=3)
    scores.values[0, :, 0], scores.values[1, :, 0] = [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]
    assert len(set(scores.mean_values()[:, 0].tolist())) == 2  # 0.6 is not 0.6
    found = correlation(scores)
    assert found.places[:, 0].tolist() == [1, 1]
    assert np.isnan(found.tau[0, 1])
    assert "all runs have the same mean under m0" in found.notes[0]


def test_runs_without_a_mean_are_said_aloud() -> None:
    scores = cube([4.0, 3.0, 2.0, 9.0], [1.0, 2.0, 3.0, np.nan], topics=3)
    scores.values[0, 1, 0] = np.nan
    found = correlation(scores)
    assert found.runs == ("r0", "r1", "r2")
    assert found.notes[0] == "left out, because they have no mean under m1: r3"
    assert found.notes[1] == "m0: the mean of 1 run is over fewer topics than the others (as few as 2 of 3)"
    assert found.table().rows[0][2] == -1


def test_too_little_to_correlate() -> None:
    with pytest.raises(MismatchError, match=r"1 measure \(m0\); a correlation needs two or more"):
        correlation(cube([1.0, 2.0]))
    with pytest.raises(MismatchError, match="1 of 2 runs with a mean under every measure"):
        correlation(cube([1.0, 2.0], [1.0, np.nan]))
    with pytest.raises(InputError, match="no measure 'AP' among m0, m1"):
        correlation(cube([1.0, 2.0], [1.0, 2.0]), ["m0", "AP"])
