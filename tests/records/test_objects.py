"""Runs and judgements go into other packages' objects and come back; measures of ir_measures are understood."""

from __future__ import annotations

from typing import Any

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import examples

import leadline as ll

names = st.text("abcdé0123456789-_.", min_size=1, max_size=6)
scores = st.floats(-1e6, 1e6, allow_nan=False)
runs = st.dictionaries(names, st.dictionaries(names, scores, min_size=1, max_size=6), min_size=1, max_size=4)
judged = st.dictionaries(
    names, st.dictionaries(names, st.integers(0, 4), min_size=1, max_size=6), min_size=1, max_size=4
)  # fmt: skip
WAYS: dict[str, Any] = {
    "dict": lambda record: record.to_dict(),
    "polars": lambda record: record.to_polars(),
    "pandas": lambda record: record.to_pandas(),
    "arrow": lambda record: record.to_polars().to_arrow(),
    "ir_measures": lambda record: record.to_ir_measures(),
    "itself": lambda record: record,
}


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=examples(40))
@given(given_run=runs)
def test_a_run_goes_and_comes_back(way: str, given_run: dict[str, dict[str, float]]) -> None:
    run = ll.Run.of(given_run, "mine")
    again = ll.Run.of(WAYS[way](run), "mine")
    assert again.to_dict() == run.to_dict()
    assert [list(again.to_dict()[topic]) for topic in run.topics] == [
        list(run.to_dict()[topic]) for topic in run.topics
    ]
    assert {topic: dict(ranked) for topic, ranked in given_run.items()} == run.to_dict()
    assert (again.name, again.to_bytes()) == ("mine", run.to_bytes())


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=examples(40))
@given(given_qrels=judged)
def test_judgements_go_and_come_back(way: str, given_qrels: dict[str, dict[str, int]]) -> None:
    qrels = ll.Qrels.of(given_qrels, "mine")
    again = ll.Qrels.of(WAYS[way](qrels), "mine")
    assert again.to_dict() == qrels.to_dict() == given_qrels
    assert sorted(again.to_bytes().split(b"\n")) == sorted(qrels.to_bytes().split(b"\n"))


def test_a_dictionary_is_what_pytrec_eval_takes() -> None:
    qrels, run = ll.Qrels.of({"7": {"a": 1, "x": 0}}), ll.Run.of({"7": {"x": 2.0, "a": 1.0}})
    theirs = pytrec_eval.RelevanceEvaluator(qrels.to_dict(), {"map"}).evaluate(run.to_dict())
    assert theirs["7"]["map"] == ll.evaluate(qrels, run, "AP")["AP"]["run"]


@pytest.mark.parametrize(
    "more",
    [
        {"subtopics": ["1", "2", "1"]},
        {"subtopics": ["1", "2", "1"], "weights": [0.5, 2.0, 0.5]},
        {"strata": ["1", "2", "1"]},
        {"probabilities": [0.5, 1.0, 0.25]},
    ],
)
def test_other_kinds_of_judgements_go_and_come_back(more: dict[str, list[Any]]) -> None:
    qrels = ll.Qrels.from_columns(["7", "7", "8"], ["a", "b", "c"], [1, 0, 2], **more)  # type: ignore[arg-type]
    again = ll.Qrels.of(qrels.to_polars())
    assert (again.kind, again.to_dict()) == (qrels.kind, qrels.to_dict())
    for name in ("strata", "probabilities"):
        np.testing.assert_array_equal(getattr(again, name), getattr(qrels, name))
    if qrels.subtopics is not None:
        assert again.to_bytes() == qrels.to_bytes()


def test_an_id_that_is_not_unicode_is_refused_by_a_data_frame() -> None:
    run = ll.Run.of({"7": {"caf\udce9": 1.0}})
    assert list(run.to_dict()["7"]) == ["caf\udce9"]
    with pytest.raises(ll.InputError, match=r"run: document caf\\xe9 is not UTF-8"):
        run.to_polars()


QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 2, "d": 1}}
RUN = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"x": 2.0, "d": 1.0}}
OTHERS = [
    ir_measures.nDCG @ 10, ir_measures.AP(rel=2), ir_measures.nDCG(dcg="exp-log2") @ 5, ir_measures.RR,
    ir_measures.P(rel=2) @ 3, ir_measures.SetF(beta=2.0), ir_measures.R @ 2,
    ir_measures.nDCG(gains={0: 0, 1: 5, 2: 7}) @ 3,
]  # fmt: skip


@pytest.mark.parametrize("measure", OTHERS, ids=str)
def test_measures_of_ir_measures_are_understood(measure: Any) -> None:
    scores = ll.evaluate(QRELS, RUN, [measure, "AP"])
    assert scores.measures == (str(measure), "AP")
    assert scores[measure]["run"] == pytest.approx(ir_measures.calc_aggregate([measure], QRELS, RUN)[measure], abs=1e-5)
    assert measure in scores


def test_measures_of_ir_measures_are_taken_everywhere() -> None:
    runs = {"x": RUN, "y": {"1": {"c": 1.0}, "2": {"d": 1.0}}, "z": {"1": {"b": 1.0}, "2": {"a": 1.0}}}
    ndcg, ap = ir_measures.nDCG @ 10, ir_measures.AP(rel=2)
    scores = ll.evaluate(QRELS, runs, ndcg)
    assert ll.parse_measure(ndcg).text == "nDCG@10"
    assert ll.parse_measure(ir_measures.RBP(p=0.5)).options["p"] == 0.5
    assert ll.compare(scores, ndcg, test="t").measure == ll.compare(QRELS, runs, ndcg, test="t").measure == "nDCG@10"
    assert ll.correlation(QRELS, runs, [ndcg, ap]).measures == ("nDCG@10", "AP(rel=2)")
    assert ll.power(QRELS, runs, ndcg, draws=10).measures == ("nDCG@10",)
    assert ll.verdict(QRELS, runs, ndcg, samples=2).measure == "nDCG@10"
    assert ll.spectrogram(scores, ndcg).measure == "nDCG@10"
    assert ll.open_study(QRELS, runs, [ndcg, ap]).measures[1].options["rel"] == 2
    assert ll.explain_topic(ndcg, QRELS, RUN, "1").measure == "nDCG@10"
    with pytest.raises(ll.MeasureError, match="no measure 'INST'"):
        ll.evaluate(QRELS, runs, ir_measures.INST)
