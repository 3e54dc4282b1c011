"""The range of a score over the order inside ties is the one that trying every order finds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import leadline as ll

MEASURES = ["AP", "AP@3", "P@2", "RR", "nDCG", "nDCG@2", "bpref", "judged@2", "judged@3", "RBP", "PRES@3", "Rprec"]
QRELS = {
    "mixed": {"a": 2, "b": 0, "c": 1, "missed": 1},
    "wrong only": {"b": 0, "z": 1},
    "pooled": {"a": -1, "c": 1, "d": 0},
    "two ties": {"a": 1, "f": 2, "e": 0},
    "pooled and wrong": {"a": -1, "b": 0, "c": 0, "d": -2, "z": 1},
}
# Unjudged documents have the lower ids, so that the tie rule alone puts the judged ones first.
TIED = {
    "mixed": [["x"], ["a", "b", "c", "0u1", "0u2"], ["z"]],
    "wrong only": [["b", "0u1", "0u2", "0u3"], ["z"]],
    "pooled": [["0u1", "a", "c", "d"]],
    "two ties": [["a", "0u1", "e"], ["f", "0u2"]],
    "pooled and wrong": [["b", "a", "c", "0u1", "d"], ["z"]],
}


def scores(groups: list[list[str]]) -> dict[str, float]:
    """A ranked list in which each group shares a score."""
    return {document: float(-place) for place, group in enumerate(groups) for document in group}


def every_order(groups: list[list[str]]) -> list[dict[str, float]]:
    orders = itertools.product(*(itertools.permutations(group) for group in groups))
    return [scores([[document] for group in order for document in group]) for order in orders]


@pytest.mark.parametrize("topic", TIED)
def test_lowest_and_highest(topic: str) -> None:
    qrels = {topic: QRELS[topic]}
    found = ll.evaluate(qrels, {topic: scores(TIED[topic])}, MEASURES, ties=True)
    orders = {f"order {n}": {topic: order} for n, order in enumerate(every_order(TIED[topic]))}
    tried = ll.evaluate(qrels, orders, MEASURES).values[:, 0]
    assert found.lowest is not None
    assert found.highest is not None
    np.testing.assert_allclose(found.lowest[0, 0], tried.min(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.highest[0, 0], tried.max(axis=0), atol=1e-12)
    assert (found.lowest <= found.values).all()
    assert (found.values <= found.highest).all()


def test_a_list_without_ties_has_no_range() -> None:
    found = ll.evaluate({"1": {"a": 1}}, {"1": {"x": 2.0, "a": 1.0}}, MEASURES, ties=True)
    np.testing.assert_array_equal(found.lowest, found.values)
    np.testing.assert_array_equal(found.highest, found.values)
