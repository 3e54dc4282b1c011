"""Words are weighed the same however the texts come."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from leadline.judge.review import learners
from leadline.judge.review.learners import TextFeatures

RANDOM = np.random.default_rng(3)
WORDS = [f"word{number}" for number in range(40)]
TEXTS = ["", "The of", *(" ".join(RANDOM.choice(WORDS, RANDOM.integers(0, 30))) for _ in range(98))]


def same(one: TextFeatures, other: TextFeatures) -> bool:
    pairs = zip(one.rows, other.rows, strict=True)
    return one.words == other.words and all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)


def test_parts_in_any_order_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = TextFeatures.of(TEXTS)
    order = RANDOM.permutation(len(TEXTS))
    for size, at_once in ((100, 7), (13, 20_000), (13, 5)):
        monkeypatch.setattr(learners, "AT_ONCE", at_once)
        parts = [order[start : start + size] for start in range(0, len(order), size)]
        found = TextFeatures.of_parts(len(TEXTS), [(part, pl.Series([TEXTS[at] for at in part])) for part in parts])
        assert same(found, whole)
        weights = RANDOM.random(len(whole.words))
        assert np.array_equal(found.scores(weights), whole.matrix @ weights)


def test_rows_have_length_one_or_no_word() -> None:
    found = TextFeatures.of(TEXTS)
    rows = np.array([5, 0, 5, 99])
    expected = (found.matrix.toarray()[rows].astype(float) ** 2).sum(axis=1)
    assert found.squares[rows] == pytest.approx(expected)
    assert found.squares[rows][[0, 1]] == pytest.approx([1, 0], abs=1e-6)
    kept = np.arange(len(found.words)) % 2 == 0
    half = found.with_words(kept)
    assert half.words == found.words[::2]
    lengths = half.squares
    assert np.all((np.abs(lengths - 1) < 1e-6) | (lengths == 0))
    shares = half.matrix.toarray() * np.sqrt((found.matrix.toarray()[:, ::2] ** 2).sum(axis=1))[:, None]
    assert shares == pytest.approx(found.matrix.toarray()[:, ::2], abs=1e-6)


def test_no_documents_and_documents_without_words() -> None:
    assert len(TextFeatures.of([])) == 0
    empty = TextFeatures.of(["", "a"])
    assert (len(empty), empty.words) == (2, ())
    assert empty.scores(np.zeros(0)).tolist() == [0, 0]
