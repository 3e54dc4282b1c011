"""Verdicts, letters and pairs are one family of comparisons: Holm's correction for all pairs of systems."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leadline as ll
from leadline.trust.paired_tests import all_pairs, holm
from leadline.trust.pairs import compare, decide
from leadline.trust.randomisation import flip_p

TOPICS = 6  # ahead on all of them, p is 2 / 2**6


def scored(matrix: np.ndarray) -> ll.Scores:
    runs = tuple(f"run{r:02}" for r in range(len(matrix)))
    return ll.Scores(runs, tuple(map(str, range(matrix.shape[1]))), ("AP",), matrix[:, :, None])


def field(rivals: int) -> ll.Scores:
    lead = np.linspace(0.1, 0.2, TOPICS)
    return scored(np.array([np.full(TOPICS, 0.9), *(0.9 - lead * (1 + r / 10) for r in range(rivals))]))


@pytest.mark.parametrize(("rivals", "word"), [(1, "fragile"), (2, "undecided"), (5, "undecided")])
def test_the_number_of_pairs_matters(rivals: int, word: str) -> None:
    found, pairs = decide(field(rivals), "AP").verdicts, rivals * (rivals + 1) // 2
    assert [verdict.p for verdict in found] == [2 / 2**TOPICS] * rivals
    assert [verdict.p_corrected for verdict in found] == pytest.approx([min(1, pairs * 2 / 2**TOPICS)] * rivals)
    assert {verdict.word for verdict in found} == {word}
    assert ("after correction" in found[0].reasons[1]) == (rivals > 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 8), st.integers(3, 25), st.integers(0, 10**6))
def test_words_letters_and_pairs_agree(runs: int, topics: int, seed: int) -> None:
    """Undecided if and only if a letter is shared, if and only if p after correction is not below 5 %."""
    rng = np.random.default_rng(seed)
    matrix = rng.uniform(0, 0.5, (runs, topics)) + rng.uniform(0, 0.5, (runs, 1))
    found = decide(scored(matrix), "AP")
    np.testing.assert_allclose(found.pairs.p_corrected, holm(found.pairs.p))
    assert ((found.pairs.p < found.pairs.limit) == found.pairs.significant()).all()
    shared = {run: set(letters) & set(found.letters[found.leader]) for run, letters in found.letters.items()}
    for verdict in found.verdicts:
        assert (verdict.word == "undecided") == bool(shared[verdict.other]) == (verdict.p_corrected >= found.alpha)
        pair = found.pairs.between(*map(found.pairs.runs.index, (verdict.leader, verdict.other)))
        assert (verdict.p, verdict.p_corrected) == (found.pairs.p[pair], found.pairs.p_corrected[pair])
        assert abs(verdict.difference) == pytest.approx(abs(found.pairs.difference[pair]))
        assert verdict.low <= verdict.difference <= verdict.high
        assert (verdict.low > 0 or verdict.high < 0) == (verdict.p < 0.05)  # the interval is that of the same test
    alike = found.pairs.not_worse(found.pairs.runs.index(found.leader))
    assert {run for run, same in zip(found.pairs.runs, alike, strict=True) if same} == {
        found.leader, *(each.other for each in found.verdicts if each.word == "undecided"),
    }  # fmt: skip


def test_the_first_of_equal_systems_is_not_called_better() -> None:
    """Nobody knew which would be first: for the comparisons with it alone, one in ten to twenty would be wrong."""
    rng = np.random.default_rng(7)
    wrong = wrong_by_its_own_family = 0
    for _ in range(200):
        matrix = np.clip(rng.normal(0.5, 0.1, (12, 30)) + rng.normal(0, 0.2, 30), 0, 1)
        pairs = compare(scored(matrix), "AP")
        leader = pairs.order()[0]
        wrong += not pairs.not_worse(leader).all()
        others = np.delete(matrix, leader, axis=0)
        wrong_by_its_own_family += holm(flip_p(matrix[leader] - others)).min() < 0.05
    assert wrong <= 16 < wrong_by_its_own_family  # 5 % of 200, and two standard errors more


def test_places_of_pairs() -> None:
    first, second = all_pairs(5)
    pairs = compare(scored(np.random.default_rng(1).random((5, 7))), "AP")
    assert [pairs.between(b, a) for a, b in zip(first, second, strict=True)] == list(range(10))
    assert pairs.between(2, np.array([0, 1, 3, 4])).tolist() == [1, 4, 7, 8]
