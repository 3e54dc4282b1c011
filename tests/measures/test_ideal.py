"""The two ideal runs: breadth and depth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from leadline.errors import InputError
from leadline.measures.subtopics import ideal_run
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.runs import read_run


def judged(*lines: str, weights: list[float] | None = None) -> Qrels:
    """Lines of topic, subtopic, document and grade."""
    topics, subtopics, documents, grades = zip(*(line.split() for line in lines), strict=True)
    return Qrels.from_columns(topics, documents, [int(grade) for grade in grades], subtopics=subtopics, weights=weights)


def order(qrels: Qrels, kind: Any, topic: str = "1", theta: Any = "equal") -> list[str]:
    return [document for document, _ in ideal_run(qrels, kind, theta).ranking(topic)]


def test_subtopics_come_by_weight() -> None:
    qrels = judged("1 1 a 1", "1 2 b 1", "1 2 c 1", weights=[0.3, 0.7, 0.7])
    assert order(qrels, "coverage", theta="given") == ["b", "a", "c"]
    assert order(qrels, "single", theta="given") == ["b", "c", "a"]
    assert order(qrels, "single", theta="decay") == ["a", "b", "c"]


def test_best_grades_come_first_and_equal_ones_stay() -> None:
    qrels = judged("1 1 a 1", "1 1 b 3", "1 1 c 1", "1 1 d 3", "1 2 e 1")
    assert order(qrels, "single") == ["b", "d", "a", "c", "e"]
    assert order(qrels, "coverage") == ["b", "e", "d", "a", "c"]


def test_no_document_comes_twice() -> None:
    qrels = judged("1 1 a 2", "1 1 b 1", "1 2 a 2", "1 2 b 1", "1 2 c 1")
    assert order(qrels, "coverage") == ["a", "b", "c"]
    assert order(qrels, "single") == ["a", "b", "c"]


def test_what_is_not_relevant_is_left_out() -> None:
    qrels = judged("1 1 a 0", "1 2 b 1", "1 2 c -1", "2 1 a 0")
    run = ideal_run(qrels)
    assert run.topics == ("1",)
    assert run.ranking("1") == [("b", 1.0)]


def test_the_best_passage_speaks_for_a_document(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 1 a p1 1\n1 1 b p2 2\n1 1 a p3 3\n1 2 c p4 1\n")
    assert order(read_qrels(tmp_path / "qrels", format="passages"), "single") == ["a", "b", "c"]


@pytest.mark.parametrize("kind", ["coverage", "single"])
def test_written_and_read_again(tmp_path: Path, kind: Any) -> None:
    qrels = judged("1 1 a 1", "1 2 b 1", "1 1 c 2", "2 1 z 1")
    ideal_run(qrels, kind).write(tmp_path / "ideal.run")
    again = read_run(tmp_path / "ideal.run")
    assert [again.ranking(topic) for topic in "12"] == [ideal_run(qrels, kind).ranking(topic) for topic in "12"]
    assert b"ideal-" in (tmp_path / "ideal.run").read_bytes()


def test_what_cannot_be_ranked_is_refused() -> None:
    with pytest.raises(InputError, match="no subtopics"):
        ideal_run(Qrels.of({"1": {"a": 1}}))
    with pytest.raises(InputError, match="no relevant document"):
        ideal_run(judged("1 1 a 0", "1 2 b 0"))
    with pytest.raises(InputError, match="not one of coverage, single"):
        order(judged("1 1 a 1"), "deep")
