"""Learners: their scores, both engines, and the order of reading."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import examples

from leadline.errors import InputError
from leadline.judge.review import learners
from leadline.judge.review.kernel_arguments import JudgedRows
from leadline.judge.review.learners import LEARNERS, TextFeatures, best_unread, learned_order, meaning

WORDS = ["film", "silver", "polymer", "nail", "pump", "valve", "resin", "glass", "acid", "alloy"]


def made_review(seed: int, count: int = 60) -> tuple[TextFeatures, np.ndarray]:
    """Texts of which a quarter are about films, and which these are."""
    random = np.random.default_rng(seed)
    relevant = random.random(count) < 0.25
    relevant[:2] = True, False
    texts = [
        " ".join(random.choice(WORDS[:5] if is_relevant else WORDS[2:], random.integers(0, 9)))
        for is_relevant in relevant
    ]
    return TextFeatures.of(texts), relevant


@pytest.mark.parametrize("seed", range(4))
def test_both_engines_train_alike(seed: int) -> None:
    features, relevant = made_review(seed)
    rows = np.random.default_rng(seed).permutation(len(features))[:30]
    weights = learners.class_weights(relevant[rows])
    squares = np.ones(len(rows)) + np.array([float((features.matrix[[row]] ** 2).sum()) for row in rows])
    outcomes = []
    for kernels in (False, True):
        judged = JudgedRows(
            rows.astype(np.int32),
            np.where(relevant[rows], 1.0, -1.0),
            1 / (0.22 * weights),
            np.zeros(len(rows)),
            squares,
        )
        learned, scores = np.zeros(len(features.words) + 1), np.zeros(len(features))
        learners.train.version(kernels)(features.rows, judged, len(rows), learned, np.array([0.0, 0.1]))
        learners.score_rows.version(kernels)(features.rows, learned, scores)
        outcomes.append((judged.duals.tobytes(), learned.tobytes(), scores.tobytes()))
    assert outcomes[0] == outcomes[1]


def test_the_machine_finds_the_least_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a general optimiser of the primal: |w|²/2 + C · Σ weight · max(0, 1 − y f)²."""
    from scipy.optimize import minimize

    monkeypatch.setattr(learners, "TOLERANCE", 1e-9)
    monkeypatch.setattr(learners, "EPOCHS", 5000)
    features, relevant = made_review(7)
    rows = np.arange(40)
    scores = learners.SupportVectors(features).learn(rows, relevant[rows]).copy()
    full = np.hstack([features.matrix.toarray().astype(float), np.ones((len(features), 1))])
    signs, weights = np.where(relevant[rows], 1.0, -1.0), learners.class_weights(relevant[rows])

    def loss(w: np.ndarray) -> float:
        return float(w @ w / 2 + learners.COST * weights @ np.maximum(0, 1 - signs * (full[rows] @ w)) ** 2)

    best = minimize(loss, np.zeros(full.shape[1]), method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(scores, full @ best.x, atol=1e-5)


def test_naive_bayes_by_its_formula() -> None:
    features, relevant = made_review(3)
    rows = np.arange(20)
    scores = LEARNERS.named("naive-bayes")(features).learn(rows, relevant[rows])
    matrix = features.matrix.toarray().astype(float)
    weights = learners.class_weights(relevant[rows], 1.2)
    totals = []
    for label in (True, False):
        chosen = relevant[rows] == label
        counts = (weights[chosen, None] * matrix[rows][chosen]).sum(0) + 3.822
        totals.append(matrix @ np.log(counts / counts.sum()) + np.log(weights[chosen].sum()))
    np.testing.assert_allclose(scores, totals[0] - totals[1], atol=1e-6)


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_every_learner_reads_everything_once_and_the_relevant_early(name: str) -> None:
    assert meaning(LEARNERS.named(name)).endswith(".")
    places = []
    for seed in range(4):
        features, relevant = made_review(seed, 80)
        order = learned_order(features, relevant, np.array([0, 1]), name, seed=seed)
        assert sorted(order) == list(range(80))
        if seed == 0:
            assert learned_order(features, relevant, np.array([0, 1]), name, seed=seed).tolist() == order.tolist()
        places.append(np.flatnonzero(relevant[order]).mean() / 80)
    assert np.mean(places) < 0.35  # 0.5 by chance


@settings(max_examples=examples(30))
@given(st.integers(0, 1000), st.lists(st.integers(0, 29), max_size=5, unique=True), st.sampled_from([None, 1, 3]))
def test_any_start(seed: int, start: list[int], batch: int | None) -> None:
    """Nothing known, only relevant ones, only others: documents like the known relevant ones come until both are."""
    features, relevant = made_review(seed, 30)
    order = learned_order(features, relevant, np.array(start, np.int64), batch=batch)
    assert order[: len(start)].tolist() == start
    assert sorted(order) == list(range(30))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=20), st.data())
def test_the_best_that_are_unread(values: list[int], data: st.DataObject) -> None:
    scores = np.array(values, float)
    read = np.array(data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values))))
    size = data.draw(st.integers(0, int((~read).sum())))
    unread = [row for row in range(len(values)) if not read[row]]
    assert best_unread(scores, read, size).tolist() == sorted(unread, key=lambda row: (-scores[row], row))[:size]


def test_wrong_input() -> None:
    features, relevant = made_review(0)
    with pytest.raises(InputError, match="has 3 labels for 60 documents"):
        learned_order(features, relevant[:3], np.array([0]))
    with pytest.raises(InputError, match=r"'smv' is not one of .*did you mean svm"):
        learned_order(features, relevant, np.array([0]), "smv")
