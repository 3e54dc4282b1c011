"""Simulated readers who overlook: their own certificate is then wrong, the audit's is not, and both have a price."""

from __future__ import annotations

import numpy as np
import pytest

from leadline.errors import InputError
from leadline.judge.review.learners import TextFeatures
from leadline.judge.review.oversight import CERTIFICATES, Condition, simulate_conditions, simulate_oversight
from leadline.judge.review.simulation import LabelledReview

AUDIT = CERTIFICATES.index("audit")


def planted(name: str, count: int, relevant: int, seed: int) -> LabelledReview:
    """Texts whose words tell what is relevant, for the most part."""
    random = np.random.default_rng(seed)
    labels = np.zeros(count, np.bool_)
    labels[random.permutation(count)[:relevant]] = True
    words = np.array(
        [["brake", "disc", "friction", "lining", "rotor"], ["wing", "lift", "airflow", "turbine", "blade"]]
    )
    texts = [
        " ".join(random.choice(words[0 if random.random() < (0.8 if label else 0.15) else 1], 3)) + f" x{n % 37}"
        for n, label in enumerate(labels)
    ]
    return LabelledReview(name, tuple(f"d{n}" for n in range(count)), TextFeatures.of(texts), labels)


REVIEWS = [planted("large", 900, 120, 1), planted("small", 300, 60, 2)]


@pytest.mark.soak
def test_the_audit_reaches_what_it_states_whoever_overlooks(soak: bool) -> None:
    conditions = [
        Condition(share, readers, hard)
        for share in ((0.0, 0.02, 0.05, 0.1) if soak else (0.0, 0.1))
        for readers in (1, 2)
        for hard in (False, True)
        if share or (readers, hard) == (1, False)
    ]
    seeds = 60 if soak else 6
    for found in simulate_conditions(REVIEWS, conditions, (0.8, 0.95), seeds=seeds):
        for place, condition in enumerate(conditions):
            certified, reached, worst = found.reached(found.values[place, :, :, AUDIT])
            assert (certified, worst) >= (1.0, 0.8), condition
            assert reached >= 0.95 - 2 * (0.05 * 0.95 / (2 * seeds)) ** 0.5, condition
    late = found.values[conditions.index(Condition(0.1, 1, True))]
    assert found.reached(late[:, :, 0])[1] < 0.5  # what readers certify is not so
    assert late[..., AUDIT, 3].mean() < 1


def test_nothing_overlooked_is_what_it_was() -> None:
    found = simulate_oversight(REVIEWS[1:], overlook=[0.0], seeds=3, target=0.9)
    assert (found.values[0, :, :, 0, 1] >= 0.9).all()
    assert np.isnan(found.values[0, :, :, 1]).all()  # one reader
    rows = found.table().rows
    assert [row[3] for row in rows] == ["reading", "audit"]
    assert found.by_review().rows[0][0] == "small"
    assert "reached by those certified" in repr(found)


def test_two_readers_who_overlook_the_same_certify_what_is_not_so() -> None:
    found = simulate_oversight(REVIEWS[:1], overlook=[0.1], readers=2, hard=True, seeds=3, target=0.95)
    two = found.values[0, :, :, 1]
    assert (two[..., 0] == 1).all()  # they agree on everything
    assert (two[..., 1] < 0.95).all()
    assert found.reached(two)[1] == 0
    assert [row[1] for row in found.table().rows] == ["the hardest"] * 3


def test_a_result_depends_on_its_own_condition_only() -> None:
    conditions = [Condition(0.05, 1, False), Condition(0.1, 2, False)]
    (both,) = simulate_conditions(REVIEWS[1:], conditions, (0.9,), seeds=2)
    (alone,) = simulate_conditions(REVIEWS[1:], conditions[1:], (0.9,), seeds=2)
    assert np.array_equal(both.values[1], alone.values[0], equal_nan=True)


def test_reviews_are_needed() -> None:
    with pytest.raises(InputError, match="there are none to simulate"):
        simulate_oversight([])
