"""The score cube: means, missing topics, ties, unjudged documents, and runs in every form they come in."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import ir_measures
import numpy as np
import pandas
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import examples

import leadline as ll
from leadline.measures import evaluate as evaluate_module
from leadline.measures.other_programs import offer

QRELS = {"1": {"d1": 1, "d2": 0, "d3": 2}, "2": {"d4": 1}, "3": {"d9": 0}}
RUN = {"1": {"d1": 3.0, "d2": 2.0, "d8": 1.0}}
ROWS = [(topic, document, score) for topic, scored in RUN.items() for document, score in scored.items()]
JUDGED = [(topic, document, grade) for topic, graded in QRELS.items() for document, grade in graded.items()]


def test_means_follow_the_rules_of_topics() -> None:
    scores = ll.evaluate(QRELS, RUN, "AP num_ret")
    assert scores.values[0, :, 0] == pytest.approx([0.5, 0.0, math.nan], nan_ok=True)
    assert scores.mean_values()[0] == pytest.approx([0.25, 3])
    assert "1 of 3 topics; missing 2 (scored 0)" in scores.notes


def test_runs_read_before_and_after_there_is_machine_code_have_the_same_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        lines = (f"{topic} Q0 d{doc} 1 {(doc * 7 + number) % 11} x\n" for topic in "123" for doc in range(number, 12))
        (tmp_path / f"{number}.run").write_text("".join(lines))
    paths = [str(tmp_path / f"{number}.run") for number in range(5)]
    expected = ll.evaluate(QRELS, paths, "AP P@5").values
    monkeypatch.setattr(evaluate_module, "expects", lambda _: False)
    for plain in range(6):
        left = [False] * plain + [True]
        monkeypatch.setattr(evaluate_module, "pays", lambda _, left=left: left.pop(0))
        assert np.array_equal(ll.evaluate(QRELS, paths, "AP P@5").values, expected, equal_nan=True)
        assert len(left) == (plain > 4)


@pytest.mark.parametrize(
    "form",
    ["mapping", "pandas", "polars", "ir_measures", "parquet", "csv", "json", "records", "jsonl"],
)
def test_every_form_gives_the_same(form: str, tmp_path: Path) -> None:
    run_columns, qrel_columns = ["qid", "docno", "score"], ["qid", "docno", "label"]
    run_frame = polars.DataFrame(ROWS, schema=run_columns, orient="row")
    qrel_frame = polars.DataFrame(JUDGED, schema=qrel_columns, orient="row")
    if form == "mapping":
        qrels, run = QRELS, RUN
    elif form == "pandas":
        qrels, run = qrel_frame.to_pandas(), run_frame.to_pandas()
    elif form == "polars":
        qrels, run = qrel_frame, run_frame
    elif form == "ir_measures":
        qrels = [ir_measures.Qrel(*row) for row in JUDGED]
        run = [ir_measures.ScoredDoc(*row) for row in ROWS]
    else:
        ending = "json" if form == "records" else form
        qrels, run = tmp_path / f"qrels.{ending}", tmp_path / f"run.{ending}"
        if form == "json":
            run.write_text('{"1": {"d1": 3.0, "d2": 2.0, "d8": 1.0}}')
            qrels.write_text('{"1": {"d1": 1, "d2": 0, "d3": 2}, "2": {"d4": 1}, "3": {"d9": 0}}')
        else:
            for frame, path in ((qrel_frame, qrels), (run_frame, run)):
                write = {"records": "json", "jsonl": "ndjson"}.get(form, form)
                getattr(frame, f"write_{write}")(path)
    scores = ll.evaluate(qrels, run, ["AP", "PRES@10", "nDCG@10"])
    expected = ll.evaluate(QRELS, RUN, ["AP", "PRES@10", "nDCG@10"])
    np.testing.assert_array_equal(scores.values, expected.values)
    assert scores.runs == ("run",)


def test_many_runs_by_name() -> None:
    scores = ll.evaluate(QRELS, {"a": RUN, "b": {"2": {"d4": 1.0}}}, "AP")
    assert scores.runs == ("a", "b")
    assert scores.mean_values()[:, 0].tolist() == [0.25, 0.5]


def test_columns_with_wrong_values_are_refused() -> None:
    frame = polars.DataFrame({"topic": ["1", "1"], "document": ["a", "b"], "score": ["0.5", "high"]})
    with pytest.raises(ll.InputError, match="row 2: score 'high' is not a number"):
        ll.evaluate(QRELS, frame)
    with pytest.raises(ll.InputError, match="no column score"):
        ll.evaluate(QRELS, frame.drop("score"))
    with pytest.raises(ll.InputError, match="topic 1 names document 'd1' twice"):
        ll.Run.from_columns(["1", "1"], ["d1", "d1"], [1.0, 2.0])
    with pytest.raises(ll.InputError, match="the score of d1 is NaN"):
        ll.evaluate(QRELS, {"1": {"d1": math.nan}})


def test_tie_ranges_hold_every_order() -> None:
    """By brute force: the lowest and highest over all orders of a tie of five documents, two of them judged."""
    from itertools import permutations

    qrels = {"1": {"a": 2, "b": 0, "c": 1, "z": 1}}
    tied = {"1": dict.fromkeys("abcde", 1.0)}
    measures = ["AP", "P@2", "RR", "nDCG@3", "bpref", "PRES@3", "ERR@4", "judged@2", "R@3", "RBP(p=0.5)"]
    scores = ll.evaluate(qrels, tied, measures, ties=True)
    values = []
    for order in permutations("abcde"):
        run = {"1": {document: -float(place) for place, document in enumerate(order)}}
        values.append(ll.evaluate(qrels, run, measures).values[0, 0])
    np.testing.assert_allclose(scores.lowest[0, 0], np.min(values, axis=0))
    np.testing.assert_allclose(scores.highest[0, 0], np.max(values, axis=0))


def test_tie_ranges_of_subtopics_hold_the_score() -> None:
    qrels = ll.Qrels.from_columns(["1"] * 3, ["a", "b", "c"], [1, 1, 1], subtopics=["1", "1", "2"])
    scores = ll.evaluate(qrels, {"1": {"a": 1.0, "b": 1.0, "c": 1.0}}, "alpha_nDCG@2", ties=True)
    assert scores.lowest[0, 0, 0] < scores.highest[0, 0, 0] == 1.0


def test_unjudged_documents_three_ways() -> None:
    qrels = {"1": {"a": 1, "b": 0, "z": 1}}
    run = {"1": {"x": 4.0, "a": 3.0, "y": 2.0, "b": 1.0}}
    names = "P@2 R@4 RBP(p=0.5)"
    wrong, condensed, right = (
        ll.evaluate(qrels, run, names, unjudged=how).values[0, 0] for how in ("wrong", "condensed", "right")
    )
    assert wrong == pytest.approx([0.5, 0.5, 0.25])
    assert condensed == pytest.approx([0.5, 0.5, 0.5])
    assert right == pytest.approx([1.0, 3 / 4, 0.5 + 0.25 + 0.125])
    together = ll.evaluate(qrels, run, names, unjudged="all")
    assert together.measures[:3] == ("P@2 wrong", "P@2 condensed", "P@2 right")
    assert pytest.approx(np.stack([wrong, condensed, right])) == together.values[0, 0].reshape(3, 3).T


def test_unjudged_right_reaches_subtopics() -> None:
    qrels = ll.Qrels.from_columns(["1"] * 2, ["a", "b"], [1, 1], subtopics=["1", "2"])
    run = {"1": {"x": 2.0, "a": 1.0}}
    assert ll.evaluate(qrels, run, "strec@1", unjudged="right").values.item() == 1.0
    assert ll.evaluate(qrels, run, "strec@1").values.item() == 0.0


@settings(max_examples=examples(60), deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3), min_size=1),
    st.lists(st.sampled_from("abcdefghxyz"), min_size=1, unique=True),
)
def test_terms_sum_to_the_score(judged: dict[str, int], ranking: list[str]) -> None:
    run = {"7": {document: -float(place) for place, document in enumerate(ranking)}}
    for text in ("AP", "PRES@5", "nDCG@5", "bpref", "RBP", "ERR@5", "R@3", "RR"):
        parts = ll.explain_topic(text, {"7": judged}, run, "7")
        assert parts.before + parts.after + sum(term.adds for term in parts.terms) == pytest.approx(parts.value)
        assert len(parts.terms) == sum(grade >= 1 for grade in judged.values())


TOPICS = st.lists(st.sampled_from("12345"), min_size=1, unique=True)


@settings(max_examples=examples(150))
@given(TOPICS, TOPICS, st.data())
def test_topics_in_any_order_whichever_engine_reads_the_files(
    judged: list[str], answered: list[str], data: st.DataObject
) -> None:
    """Topics of a run may stand in another order than those of the judgements, and some have nothing judged."""
    documents = st.lists(st.sampled_from("abcde"), min_size=1, max_size=3, unique=True)
    answered.insert(data.draw(st.integers(0, len(answered))), "0")  # one that agrees: without any, both are refused
    qrels = {topic: dict.fromkeys(data.draw(documents), 1) for topic in judged} | {"0": {"a": 1}}
    run = {topic: data.draw(documents) if topic != "0" else ["a"] for topic in answered}
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        (Path(folder) / "q").write_text("".join(f"{t} 0 {d} 1\n" for t, graded in qrels.items() for d in graded))
        lines = [f"{t} Q0 {d} 0 {-place} x\n" for t, ranked in run.items() for place, d in enumerate(ranked)]
        (Path(folder) / "r").write_text("".join(lines))
        found = []
        for engine in ("plain", "compiled"):
            patch.setenv("LEADLINE_ENGINE", engine)
            scores = ll.evaluate(f"{folder}/q", f"{folder}/r", "R@3 PRES@3 num_ret")
            found.append(dict(zip(scores.topics, scores.values[0].tolist(), strict=True)))
    assert found[0] == found[1]
    for topic in judged:
        right = len(set(run.get(topic, ())) & set(qrels[topic]))
        assert found[1][topic][0] == right / len(qrels[topic])


def test_offered_to_ir_measures() -> None:
    provider = offer()
    pres = ir_measures.parse_measure("PRES@10")
    values = {metric.query_id: metric.value for metric in ir_measures.iter_calc([pres], QRELS, RUN)}
    assert values == {"1": pytest.approx(0.5), "2": 0.0, "3": 0.0}
    ndcg = ir_measures.nDCG @ 10
    ours, theirs = provider.calc_aggregate([ndcg], QRELS, RUN), ir_measures.calc_aggregate([ndcg], QRELS, RUN)
    assert ours[ndcg] == pytest.approx(theirs[ndcg])


def test_scores_convert(tmp_path: Path) -> None:
    scores = ll.evaluate(QRELS, {"a": RUN, "b": {"2": {"d4": 1.0}}}, "AP RR")
    assert scores.to_polars().shape == (2 * 3 * 2, 4)  # topics only
    assert scores.to_polars(by_topic=False).rows() == [
        ("a", "AP", 0.25),
        ("a", "RR", 0.5),
        ("b", "AP", 0.5),
        ("b", "RR", 0.5),
    ]
    assert scores.to_pandas(by_topic=False, wide=True).columns.tolist() == ["run", "AP", "RR"]
    assert scores.to_pandas(wide=True).shape == (2 * 3, 4)
    assert isinstance(scores.to_pandas(), pandas.DataFrame)
    assert scores.to_arrow().column_names == ["run", "topic", "measure", "value"]
    assert r"\textbf{0.500}" in scores.to_latex()
    assert "**0.500**" in scores.to_markdown()
    assert "<table>" in scores._repr_html_()
    assert "AP" in repr(scores)
    scores.to_parquet(tmp_path / "s.parquet")
    stored = polars.read_parquet(tmp_path / "s.parquet")
    assert stored.filter(polars.col("topic") != "all").equals(scores.to_polars(), null_equal=True)
    assert ll.read_scores(tmp_path / "s.parquet")["AP"] == scores["AP"]


def test_lower_is_better_where_it_is() -> None:
    qrels = {"1": {"a": 1}}
    scores = ll.evaluate(qrels, {"late": {"1": {"x": 2.0, "a": 1.0}}, "early": {"1": {"a": 1.0}}}, "effort@1.0")
    assert scores.runs[scores.leader_index()] == "early"
    assert scores.wide(sort=True).rows[0][0] == "early"


def test_reads_replace_order_and_times(tmp_path: Path) -> None:
    (tmp_path / "reads.txt").write_text("1 b 10\n1 a 30\n")
    qrels = ll.Qrels.from_columns(["1"] * 2, ["a", "b"], [1, 1], subtopics=["1", "2"])
    run = {"1": {"a": 2.0, "x": 1.0, "b": 0.5}}
    measures = "CT@1 CT(time=given)@2 CT(time=rank)@2 TBG P@1"
    scores = ll.evaluate(qrels, run, measures, reads=tmp_path / "reads.txt")
    assert scores.values[0, 0] == pytest.approx([0.5 / 10, 1 / 40, 1 / 2, 0.4928 * (1 + 2 ** (-10 / 224)), 1.0])


def test_reading_again_takes_time_and_brings_nothing(tmp_path: Path) -> None:
    (tmp_path / "reads.txt").write_text("1 a 10\n1 b 5\n1 a 100\n")
    qrels = ll.Qrels.from_columns(["1"] * 3, ["a", "b", "c"], [2, 2, 8], subtopics=["1", "1", "2"])
    scores = ll.evaluate(qrels, {"1": {"a": 1.0}}, "CT@1 CT@2 CT@3 TBG", reads=tmp_path / "reads.txt")
    expected = [0.125 / 10, 0.1875 / 15, 0.1875 / 115, 0.4928 * (1 + 2 ** (-10 / 224))]
    assert scores.values[0, 0] == pytest.approx(expected)


def test_dynamic_domain_counts_every_topic_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("A A.1 a 1 4\nA A.1 b 2 2\nB B.1 b 2 0\nC C.1 b 2 -1\n")
    (tmp_path / "run").write_text("A 0 a 5 1\nA 3 b 4 1\nB 0 b 3 1\nC 0 b 3 1\n")
    scores = ll.evaluate(tmp_path / "qrels", tmp_path / "run", "CT(variant=trecdd)@1", qrels_format="passages")
    assert scores.values[0, :, 0] == pytest.approx([0.4, 0.1, 0.0])
    assert scores.mean_values().item() == pytest.approx(0.5 / 3)


def test_undefined_values_are_counted_aloud() -> None:
    qrels = {"1": {"a": 1, "b": 1}, "2": {"c": 1}}
    scores = ll.evaluate(qrels, {"1": {"a": 1.0}, "2": {"c": 1.0}}, "effort@1.0")
    assert "effort@1.0 is undefined on 1 topic for run; its mean is over the rest" in scores.notes
    assert scores.mean_values().item() == 1.0


def test_topics_asked_for_and_not_judged_are_said() -> None:
    scores = ll.evaluate(QRELS, RUN, "AP", topics=["1", "77"])
    assert scores.topics == ("1",)
    assert "asked for but not judged: 77" in scores.notes


def test_judged_only_is_an_option_of_every_measure() -> None:
    run = {"1": {"x": 4.0, "d1": 3.0, "d2": 2.0}}
    plain, condensed = ll.evaluate(QRELS, run, "RR RR(judged_only=True)").values[0, 0]
    assert (plain, condensed) == (0.5, 1.0)


def test_the_grade_of_a_document_judged_by_subtopic_is_its_largest() -> None:
    qrels = ll.Qrels.from_columns(["1"] * 3, ["a", "a", "b"], [0, 2, 1], subtopics=["1", "2", "1"])
    scores = ll.evaluate(qrels, {"1": {"a": 2.0, "b": 1.0}}, "P@1 nDCG@2")
    assert scores.values[0, 0].tolist() == [1.0, 1.0]
    assert any("largest grade" in note for note in scores.notes)


def test_tables_beside_runs_may_be_files(tmp_path: Path) -> None:
    (tmp_path / "topics").write_text("1\n")
    (tmp_path / "lengths").write_text("d1 100\nd2 100\nd8 100\n")
    (tmp_path / "info.csv").write_text("run,team\nrun,us\n")
    files = {"topics": str(tmp_path / "topics"), "lengths": tmp_path / "lengths", "runs_info": tmp_path / "info.csv"}
    scores = ll.evaluate(QRELS, RUN, "TBG", **files)
    assert scores.topics == ("1",)
    assert scores.attributes == {"run": {"team": "us"}}
