"""Measures that the papers name beside their own: subtopic precision, expected utility, search speed, AgP.

Expected global utility is compared with the output of the Dynamic Domain track's expected_utility.py (f279c6f).
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import MeasureError
from leadline.measures.definition import parse_measure
from leadline.measures.evaluate import evaluate
from leadline.measures.hits import Hits, Reading
from leadline.measures.subtopics import example
from leadline.records.qrels import Qrels, read_qrels


def value(measure: str, hits: Hits) -> float:
    return float(parse_measure(measure)(hits)[0])


def with_words(hits: Hits, words: list[float]) -> Hits:
    return replace(hits, reading=Reading(np.array([0, len(words)]), words=np.array(words)))


# ------------------------------------------------------------------------------------------------ expected utility


@pytest.mark.parametrize("cut", [1, 3, 5, 10])
def test_dynamic_domain_scorer(golden: Path, cut: int) -> None:
    lines = (golden / f"cube_test/expected_utility.py.ddA.cut{cut}.out").read_text().splitlines()[2:]
    qrels = read_qrels(golden / "inputs/dd/qrels.old.txt", format="passages")
    scores = evaluate(
        qrels, golden / "inputs/dd/ddA.txt", f"EGU(variant=trecdd)@{cut}", lengths=golden / "inputs/dd/doclen.txt"
    )
    ours = dict(zip(scores.topics, scores.values[0, :, 0], strict=True)) | {"all": scores.mean_values()[0, 0]}
    assert len(lines) == 6
    for topic, printed, _ in map(str.split, lines):
        assert ours[topic] == pytest.approx(float(printed), abs=0.501e-7), topic


documents = st.permutations("abcdef")
judged = st.dictionaries(
    st.sampled_from("abcdefgh"),
    st.dictionaries(st.sampled_from("ABC"), st.integers(0, 2), min_size=1),
    min_size=1,
).filter(lambda by_document: any(grade for grades in by_document.values() for grade in grades.values()))
Judged = dict[str, dict[str, int]]


@given(documents, judged, st.sampled_from([0.0, 0.3, 0.5]), st.sampled_from([0.0, 0.5, 1.0]), st.integers(1, 7))
def test_expected_utility_plainly(read: list[str], grades: Judged, stop: float, gamma: float, effort: int) -> None:
    """Over every rank where the searcher may stop: the last takes what probability is left."""
    hits = with_words(example(read, grades), [100.0] * len(read))
    depth = min(effort, len(read))
    chances = [(1 - stop) ** (s - 1) * stop for s in range(1, depth)]
    chances.append(1 - sum(chances))
    subtopics = sorted({c for by_subtopic in grades.values() for c in by_subtopic})
    expected = 0.0
    for c in subtopics:
        seen = [sum(grades.get(d, {}).get(c, 0) > 0 for d in read[:s]) for s in range(1, depth + 1)]
        times = sum(chance * count for chance, count in zip(chances, seen, strict=True))
        learnt = times if gamma == 1 else (1 - gamma**times) / (1 - gamma)
        expected += learnt / len(subtopics)
    expected -= 0.002 * sum(chance * 100 * s for s, chance in enumerate(chances, start=1))
    assert value(f"EGU(stop={stop},gamma={gamma},cost=0.002)@{effort}", hits) == pytest.approx(expected, abs=1e-12)


def test_expected_utility_needs_lengths_only_where_words_cost() -> None:
    assert "words" not in parse_measure("EGU").view.needs
    assert "words" in parse_measure("EGU(cost=0.1)").view.needs
    with pytest.raises(MeasureError, match="lengths"):
        parse_measure("EGU(cost=0.1)")(example(["d"], {"d": {"A": 1}}))


# --------------------------------------------------------------------------------------------- subtopic precision


def rank_to_cover(read: list[str], grades: Judged, wanted: int) -> int:
    covered: set[str] = set()
    for rank, document in enumerate(read, start=1):
        covered |= {c for c, grade in grades.get(document, {}).items() if grade}
        if len(covered) >= wanted:
            return rank
    return 0


@given(documents, judged, st.sampled_from([0.2, 0.5, 0.67, 1.0]))
def test_subtopic_precision_against_every_list(read: list[str], grades: Judged, recall: float) -> None:
    """Never below what the true best list gives, and the same where the greedy list is as good as the best."""
    total = len({c for by_subtopic in grades.values() for c, grade in by_subtopic.items() if grade})
    wanted = math.ceil(recall * total - 1e-9)
    ours = value(f"S_precision@{recall}", example(read, grades))
    here = rank_to_cover(read, grades, wanted)
    if not here:
        assert ours == 0
        return
    relevant = [document for document in grades if any(grades[document].values())]
    best = next(
        k for k in itertools.count(1)
        if any(rank_to_cover(list(some), grades, wanted) for some in itertools.combinations(relevant, k))
    )  # fmt: skip
    assert best / here - 1e-12 <= ours <= 1
    if total <= 2:  # with two subtopics, greedy is always best
        assert ours == pytest.approx(best / here)


def test_weighted_subtopic_precision_by_hand() -> None:
    grades = {"a": {"A": 1}, "b": {"A": 1, "B": 1}, "c": {"B": 1}}
    listed = example(["x", "a", "c", "b"], grades)
    # Reading to c covers both: 3 documents, 2 subtopics treated; the best list is b alone: 1 and 2.
    assert value("S_precision@1", listed) == pytest.approx(1 / 3)
    assert value("WS_precision@1", listed) == pytest.approx(3 / 5)
    assert value("WS_precision(redundancy=0)@1", listed) == pytest.approx(1 / 3)
    assert value("S_precision@0.5", listed) == pytest.approx(1 / 2)


def test_several_topics_have_their_own_best_lists() -> None:
    qrels = Qrels.from_columns(
        ["1", "1", "2", "2"], ["a", "b", "a", "a"], [1, 1, 1, 1], subtopics=["A", "B", "A", "B"]
    )  # fmt: skip
    run = {"1": {"x": 3.0, "a": 2.0, "b": 1.0}, "2": {"x": 3.0, "a": 2.0}}
    scores = evaluate(qrels, run, "S_precision@1")
    assert scores.values[0, :, 0].tolist() == pytest.approx([2 / 3, 1 / 2])


# ----------------------------------------------------------------------------------------- speed, first success, AgP


def test_search_speed_by_words_and_by_log(tmp_path: Path) -> None:
    qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    run = {"1": {"b": 3.0, "a": 2.0, "c": 1.0}}
    lengths = {"a": 100, "b": 200, "c": 300}
    seconds = sum(4.4 + (0.018 * lengths[d] + 7.8) * p for d, p in (("b", 0.39), ("a", 0.64)))
    assert evaluate(qrels, run, "search_speed@2", lengths=lengths)["search_speed@2"]["run"] == pytest.approx(
        60 / seconds
    )
    log = tmp_path / "reads.tsv"
    log.write_text("1\tc\t10\n1\tb\t20\n1\ta\t30\n")
    scores = evaluate(qrels, run, "search_speed@3 immediate_accuracy@1 search_speed(time=150)@1", reads=log)
    assert scores["search_speed@3"]["run"] == pytest.approx(2 / 1.0)
    assert scores["immediate_accuracy@1"]["run"] == 1  # c was opened first, though the run has b first
    assert scores["search_speed(time=150)@1"]["run"] == pytest.approx(60 / (4.4 + 10.5 * 0.64))
    assert evaluate(qrels, run, "immediate_accuracy@1 Success@1").run("run") == {
        "immediate_accuracy@1": 0.0, "Success@1": 0.0,
    }  # fmt: skip


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.integers(0, 3), st.integers(1, 15))
def test_generalised_precision_plainly(grades: list[int], missed: int, effort: int) -> None:
    n = sum(grade > 0 for grade in grades) + missed
    if n == 0:
        return
    hits = Hits.of(range(1, len(grades) + 1), grades=grades, missed=[1] * missed)
    largest = max([*grades, 1])
    expected = (
        sum(sum(grades[:r]) / largest / r for r in range(1, min(effort, len(grades)) + 1) if grades[r - 1] > 0) / n
    )
    assert value(f"AgP@{effort}", hits) == pytest.approx(expected)
    if largest == 1:
        assert value(f"MAgP@{effort}", hits) == pytest.approx(value(f"AP@{effort}", hits))


def test_generalised_precision_refuses_a_smaller_largest_grade() -> None:
    with pytest.raises(MeasureError, match="a grade of 3, above max_grade=2"):
        value("AgP(max_grade=2)", Hits.of([1], grades=[3]))
