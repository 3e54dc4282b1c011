"""Precision against recall, raw and interpolated: as the paper works it out, and as trec_eval does."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import leadline as ll
from leadline.measures.explain import precision_recall, topic_curve


def test_the_papers_example() -> None:
    # Ten documents of which the 7th and 8th are not relevant, and 162 relevant documents in all.
    curve = precision_recall([True] * 6 + [False] * 2 + [True] * 2, 162)
    assert curve.precision[9] == 0.8
    assert round(float(curve.recall[9]), 2) == 0.05


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(0, 5))
def test_the_curve_is_what_it_is_by_definition(relevant: list[bool], missed: int) -> None:
    total = sum(relevant) + missed + 1
    curve = precision_recall(relevant, total)
    for rank in range(1, len(relevant) + 1):
        assert curve.recall[rank - 1] == sum(relevant[:rank]) / total
        at_least = [curve.precision[k] for k in range(len(relevant)) if curve.recall[k] >= curve.recall[rank - 1]]
        assert curve.interpolated[rank - 1] == max(at_least)
    assert (np.diff(curve.interpolated) <= 0).all()


def test_interpolated_points_are_those_of_the_measure() -> None:
    qrels = {"1": {f"d{n}": int(n % 3 == 0) for n in range(1, 31)}}
    run = {"1": {f"d{n}": 100.0 - n for n in range(1, 31)}}
    curve = topic_curve(ll.Qrels.of(qrels), ll.Run.of(run), "1")
    scores = ll.evaluate(qrels, run, ["iprec@0.3", "iprec@0.7"])
    for share in (0.3, 0.7):
        first = int(np.searchsorted(curve.recall, share - 1e-12))
        assert curve.interpolated[first] == scores[f"iprec@{share}"]["run"]
