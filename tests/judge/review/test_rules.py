"""Stopping rules: their formulas, and how often they keep what they promise on reviews whose truth is planted."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from leadline.judge.review.rules import buscar_p, needed
from leadline.judge.review.stopping import RULES, Review, StoppingRule, switch_point

GOLDEN = Path(__file__).parents[2] / "golden" / "review" / "buscarpy.jsonl"


def planted(seed: int, count: int = 400, relevant: int = 40, skill: float = 3.0) -> np.ndarray:
    """Labels in an order that is better than chance: `skill` is how far relevant documents lie ahead."""
    random = np.random.default_rng(seed)
    labels = np.zeros(count, np.bool_)
    labels[:relevant] = True
    return labels[np.argsort(random.normal(size=count) - skill * labels)]


def test_buscar_is_that_of_buscarpy() -> None:
    """Cases by buscarpy 0.0.2; without those where it gives NaN, since nothing can be missing any more."""
    for line in GOLDEN.read_text().splitlines():
        case = json.loads(line)
        labels = np.array([sign == "1" for sign in case["labels"]])
        assert buscar_p(labels, case["documents"], case["target"]) == pytest.approx(case["p"], abs=1e-9)


def test_qbcb_needs_what_the_binomial_says() -> None:
    from math import comb

    for target in (0.8, 0.9, 0.95):
        for positives in (20, 59, 100):
            share = [comb(positives, k) * target**k * (1 - target) ** (positives - k) for k in range(positives + 1)]
            least = next((j for j in range(1, positives + 1) if sum(share[:j]) >= 0.95), positives + 1)
            assert needed(positives, target, 0.05) == least


@pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))
def test_every_rule_stops_within_the_review(rule: StoppingRule) -> None:
    assert rule.meaning.endswith(".")
    cases = [np.array([True]), np.array([False]), np.zeros(30, bool), np.ones(30, bool), planted(1), planted(2, 50, 1)]
    for labels in cases:
        stop = rule.function(Review(labels))
        assert 0 <= stop.read <= len(labels)
        assert 0 <= stop.found <= min(labels.sum(), stop.read)


@pytest.mark.parametrize("skill", [3.0, 0.0, -1.0])
@pytest.mark.parametrize("name", ["ppr", "qbcb"])
def test_guarantees_hold_whatever_the_order(name: str, skill: float) -> None:
    """At most 5 % below the target; of 200, more than 18 would have a chance below one in a hundred."""
    missed = 0
    for seed in range(200):
        labels = planted(seed, 300, 60, skill)
        stop = RULES.named(name).function(Review(labels, 0.8, 0.05, np.random.default_rng(seed)))
        missed += stop.found < 0.8 * 60
    assert missed <= 18


def test_a_ranked_order_that_is_better_than_chance_keeps_its_promise() -> None:
    stops = [RULES.named("ranked").function(Review(planted(seed, 300, 60, 1.0), 0.8)) for seed in range(100)]
    assert sum(stop.found < 48 for stop in stops) <= 11


def test_the_certificate_stops_before_the_end() -> None:
    labels = planted(5, 4000, 400)
    stop = RULES.named("ppr").function(Review(labels, 0.8))
    assert switch_point(labels, 0.8) < stop.read < 0.9 * len(labels)
    assert stop.found >= 320
