"""The evidence: read once, computed once, and the same whatever is asked first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from leadline.errors import LeadlineError
from leadline.measures.evaluate import evaluate
from leadline.show.report.drawing import efforts_of, efforts_up_to, recall_after_each
from leadline.show.report.evidence import Evidence

GOLDEN = Path(__file__).parents[2] / "golden" / "inputs"
QRELS = {"1": {"a": 1, "b": 1, "c": 0}, "2": {"d": 2}, "3": {"x": 0}}
RUNS = {
    "good": {"1": {"a": 9, "b": 8}, "2": {"d": 7}, "3": {"x": 1}},
    "poor": {"1": {"c": 9, "a": 8}, "2": {"x": 9, "d": 7}, "3": {"x": 1}},
}


@pytest.fixture
def evidence() -> Evidence:
    return Evidence.of(QRELS, RUNS, "PRES@10")


def test_who_and_what(evidence: Evidence) -> None:
    assert evidence.runs == ("good", "poor")
    assert (evidence.leader, evidence.challenger) == ("good", "poor")
    assert evidence.topics == ("1", "2", "3")
    assert evidence.relevant.tolist() == [2, 1, 0]
    assert evidence.answerable.tolist() == [0, 1]
    assert evidence.depth == 2
    assert evidence.effort == 10
    assert evidence.counted() == "2 runs · 3 topics · 5 judgements"


def test_ranks_of_every_relevant_document(evidence: Evidence) -> None:
    assert [evidence.qrels.documents[place] for place in evidence.relevant_documents] == ["a", "b", "d"]
    assert evidence.ranks.tolist() == [[1, 2, 1], [2, 0, 2]]


def test_recall_after_each_document_by_hand(evidence: Evidence) -> None:
    # good: a of two after one document, and d; both after two. poor: nothing, then a of two, and d.
    assert recall_after_each(evidence, "good").tolist() == [0.75, 1.0]
    assert recall_after_each(evidence, "poor").tolist() == [0.0, 0.75]


def test_scores_are_those_of_evaluate() -> None:
    qrels, runs = GOLDEN / "scores" / "sig.qrels", sorted((GOLDEN / "scores").glob("*.run"))
    evidence = Evidence.of(qrels, runs, "PRES@100")
    mine, theirs = evidence.scores("AP R@100"), evaluate(qrels, runs, "AP R@100")
    assert mine.runs == theirs.runs
    np.testing.assert_array_equal(mine.values, theirs.values)
    assert recall_after_each(evidence, "sys3")[99] == pytest.approx(theirs.mean_values()[3, 1], abs=1e-12)


def test_nothing_is_computed_twice(evidence: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    first = evidence.scores("AP RR")
    verdict = evidence.standing
    monkeypatch.setattr("leadline.trust.study.Study.values", lambda *_: pytest.fail("computed again"))
    np.testing.assert_array_equal(evidence.scores("RR AP").values[:, :, 0], first.values[:, :, 1])
    assert evidence.decide() is verdict


def test_random_numbers_do_not_depend_on_what_came_before(evidence: Evidence) -> None:
    again = Evidence.of(QRELS, RUNS, "PRES@10")
    again.rng("other").random(5)
    assert evidence.rng("figure").random() == again.rng("figure").random()
    assert evidence.rng("figure").random() != evidence.rng("another").random()


def test_a_single_run_has_no_challenger_and_no_verdict() -> None:
    alone = Evidence.of(QRELS, {"good": RUNS["good"]}, "PRES@10")
    assert alone.challenger is None
    assert alone.standing.verdicts == ()
    assert alone.standing.no_verdict.startswith("There is only one run")
    assert alone.named == ("good",)


def test_relevance_level_goes_with_the_measure() -> None:
    strict = Evidence.of(QRELS, RUNS, "PRES(rel=2)@10")
    assert strict.relevant.tolist() == [0, 1, 0]
    assert strict.trio == ("AP(rel=2)", "PRES(rel=2)@10", "R(rel=2)@10")
    assert strict.ranks.tolist() == [[1], [2]]


def test_another_measure_decides_and_the_three_stay() -> None:
    evidence = Evidence.of(QRELS, RUNS, "nDCG@5")
    assert evidence.measure.text == "nDCG@5"
    assert evidence.trio == ("AP", "PRES@5", "R@5")


def test_many_runs_share_one_grey() -> None:
    runs = {f"run{n}": {"1": {"a": 9.0}, "2": {"x": 8.0}} for n in range(9)} | {"best": RUNS["good"]}
    evidence = Evidence.of(QRELS, runs, "PRES@10")
    assert evidence.named == ("best", "run0")
    assert evidence.colour("run5") == evidence.colour("run8") != evidence.colour("best")


def test_tables_of_topics_and_runs(tmp_path: Path) -> None:
    (tmp_path / "topics.csv").write_text("topic,office\n1,EP\n2,US\n")
    (tmp_path / "runs.csv").write_text("run,team\ngood,A\n")
    evidence = Evidence.of(QRELS, RUNS, topics=tmp_path / "topics.csv", runs_info=tmp_path / "runs.csv")
    assert evidence.attributes == {"office": {"1": "EP", "2": "US"}}
    assert evidence.scores("AP").attributes == {"good": {"team": "A"}}


def test_a_wrong_measure_is_refused() -> None:
    with pytest.raises(LeadlineError):
        Evidence.of(QRELS, RUNS, "PREZ@10")


@pytest.mark.parametrize(
    ("depth", "last"), [(1, [1]), (3, [1, 2, 3]), (1000, [800, 900, 1000]), (1050, [900, 1000, 1050])]
)
def test_efforts_end_at_the_depth(depth: int, last: list[int]) -> None:
    assert efforts_up_to(depth)[-len(last) :] == last


def test_the_effort_of_the_measure_is_among_the_efforts() -> None:
    runs = {"long": {"1": {f"d{n}": float(n) for n in range(150)} | {"a": 0.5}}}
    assert 137 in efforts_of(Evidence.of(QRELS, runs, "PRES@137"))
