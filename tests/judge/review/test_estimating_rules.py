"""Chao's estimate and AutoStop's, compared with every possible outcome of small urns."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from leadline.judge.review.rules import autostop, chao, draw_shares, estimated_relevant, missed, most_missed
from leadline.judge.review.stopping import Review


def test_autostop_estimates_without_bias() -> None:
    """Over all samples of three draws from four documents, of which two are relevant."""
    shares, relevant, draws = draw_shares(4), np.array([True, False, True, False]), 3
    mean = second = variance = 0.0
    for sample in product(range(4), repeat=draws):
        chance = float(np.prod(shares[list(sample)]))
        there = np.isin(np.arange(4), sample) & relevant
        estimate, spread = estimated_relevant(shares[there], draws)
        mean, second, variance = mean + chance * estimate, second + chance * estimate**2, variance + chance * spread
    assert mean == pytest.approx(2)
    assert variance == pytest.approx(second - mean**2)


def test_shares_fall_and_sum_to_one() -> None:
    shares = draw_shares(50)
    assert shares.sum() == pytest.approx(1)
    assert (np.diff(shares) < 0).all()
    assert shares[0] / shares[-1] == pytest.approx((1 + sum(1 / i for i in range(1, 51))) / (1 + 1 / 50))


@pytest.mark.parametrize(("first", "second", "both"), [(8, 8, 6), (9, 5, 3), (4, 4, 1)])
def test_chao_of_two_lists_is_at_least_lincoln_and_petersen(first: int, second: int, both: int) -> None:
    once = first + second - 2 * both
    chao_says = once + both + missed(once, both)
    petersen = first * second / both
    assert chao_says >= petersen - 1e-9
    if first == second:
        assert chao_says == pytest.approx(petersen)


def test_chao_expects_the_truth_where_lists_are_independent() -> None:
    """Over all captures of six documents by two lists that each find one with probability 0.8."""
    mean = 0.0
    for caught in product(range(3), repeat=6):  # by none, one or two of the lists
        chance = float(np.prod([(0.04, 0.32, 0.64)[times] for times in caught]))
        mean += chance * (6 - caught.count(0) + missed(caught.count(1), caught.count(2)))
    assert 6 < mean < 6.3  # so few are overestimated a little


def test_the_upper_limit_is_above_the_estimate_and_holds_where_lists_are_independent() -> None:
    assert most_missed(0, 12, 12, 3) == 0
    for once, twice in ((4, 6), (9, 1), (5, 0)):
        assert most_missed(once, twice, once + twice, 2) > missed(once, twice)
        assert most_missed(once, twice, once + twice, 2, alpha=0.01) > most_missed(once, twice, once + twice, 2)
    random = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        captures = (random.random((5, 80)) < 0.4).sum(axis=0)
        once, twice, found = (captures == 1).sum(), (captures == 2).sum(), (captures > 0).sum()
        held += found + most_missed(int(once), int(twice), int(found), 5) >= 80
    assert held >= 0.95 * 400


def test_chao_stops_when_all_have_found_the_same() -> None:
    labels = np.array([True, False] + [True] * 30 + [False] * 568)
    same = np.arange(600)
    stop = chao(Review(labels, others=lambda: [same, same, same]))
    assert 100 <= stop.read < 250
    assert stop.found == 31  # each was found by several lists, so nothing is missing
    apart = np.concatenate((np.arange(40, 600), np.arange(40)))  # the other learners find all of them last
    assert chao(Review(labels, others=lambda: [apart, apart, apart])).read > 500
    assert chao(Review(labels)).read == 600


def test_autostop_does_not_stop_at_its_seeds() -> None:
    labels = np.array([True, False] + [False] * 50 + [True] * 5 + [False] * 43)
    stops = [autostop(Review(labels, random=np.random.default_rng(seed))) for seed in range(20)]
    assert all(stop.read > 2 for stop in stops)
    assert all(stop.found <= 6 for stop in stops)
    nothing = np.array([True, False] + [False] * 30)
    assert autostop(Review(nothing)).read == 32
