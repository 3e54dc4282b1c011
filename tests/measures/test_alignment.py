"""Notes on how runs and judgements fit together."""

from __future__ import annotations

import pytest

import leadline as ll
from leadline.errors import MismatchError

QRELS = {"1": {"a": 2, "b": 0}, "2": {"c": 1, "d": 0}}


def run(length: int) -> dict[str, dict[str, float]]:
    return {
        topic: {f"x{n}": -float(n) for n in range(length - 1)} | {name: 1.0} for topic, name in (("1", "a"), ("2", "c"))
    }


def test_short_lists_are_noted_in_one_line() -> None:
    few = ll.evaluate(QRELS, {"short": run(5), "long": run(20)}, "R@20").notes
    assert "short: lists of at most 5 documents, shorter than the effort of R@20" in few
    many = ll.evaluate(QRELS, {f"r{n}": run(n) for n in range(3, 10)}, "R@20").notes
    assert "7 runs have lists shorter than the effort of R@20: at most 3 documents in r3, up to 9 in r9" in many
    assert not any("lists" in note for note in ll.evaluate(QRELS, run(30), "R@20").notes)


def test_topics_without_the_wanted_grade_are_named() -> None:
    notes = ll.evaluate(QRELS, run(5), "AP(rel=2)").notes
    assert "1 topic with nothing of grade 2 or more, left out of means: 2" in notes


def test_a_mean_over_no_topic_is_an_error() -> None:
    with pytest.raises(MismatchError, match=r"no document has grade 3 or more, .*; the largest grade is 2"):
        ll.evaluate(QRELS, run(5), "AP", rel=3)
    with pytest.raises(MismatchError, match="judge some documents first"):
        ll.evaluate({"1": {"a": 0}}, run(5), "AP")
