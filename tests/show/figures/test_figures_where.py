"""The figures of where: precision by recall, slices, the topics' riches, six measures, and who found what."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from leadline.errors import InputError
from leadline.measures.definition import parse_measures
from leadline.show.figures import pool_map, precision_recall, relevant_distribution, six_measures, slices
from leadline.show.report.evidence import Evidence


def ranked(*documents: str) -> dict[str, float]:
    return {document: float(-place) for place, document in enumerate(documents)}


QRELS = {"1": {"a": 2, "b": 1, "c": 1, "d": 1, "x": 0}, "2": {"e": 1, "f": 2, "y": 0}, "3": {"z": 0}}
RUNS = {
    "early": {"1": ranked("a", "x", "b", "c"), "2": ranked("y", "e", "u")},
    "late": {"1": ranked("x", "u", "v", "a"), "2": ranked("f", "e")},
}


@pytest.fixture
def evidence() -> Evidence:
    return Evidence.of(QRELS, RUNS, "R@4")


def test_precision_is_the_best_still_to_be_had(evidence: Evidence) -> None:
    found = precision_recall.figure(evidence)
    curve = {row["recall"]: row["precision"] for row in found.rows if row["run"] == "early"}
    # Topic 1 finds its four at ranks 1, 3, 4 and never: half of them at 3/4. Topic 2 finds one of two at rank 2.
    assert curve[0.0] == pytest.approx((1 + 1 / 2) / 2)
    assert curve[0.5] == pytest.approx((3 / 4 + 1 / 2) / 2)
    assert curve[1.0] == 0.0
    assert len(found.rows) == 22
    assert "precision is 0.625 for early and 0.500 for late" in found.reading


def test_precision_of_two_is_put_in_words(evidence: Evidence) -> None:
    # late: topic 1 one of four at rank 4, topic 2 both at once. Ahead only where early has found all it ever finds.
    found = precision_recall.figure(evidence)
    late = [row["precision"] for row in found.rows if row["run"] == "late"]
    assert late == pytest.approx([0.625] * 4 + [0.5] * 7)
    assert found.title == "Precision against recall"  # two topics cannot show who is more precise


def test_slices_have_their_means_and_support() -> None:
    topics = [str(topic) for topic in range(10)]
    qrels = {topic: {"a": 1, "b": 1} for topic in topics}
    both, one = ranked("a", "b"), ranked("a", "x")
    first = {topic: both if int(topic) < 5 else one for topic in topics}  # all on the first five, half on the rest
    second = dict.fromkeys(topics, one) | {"9": both}
    known = {
        "office": {topic: "EP" if int(topic) < 5 else "US" for topic in topics},
        "id": {topic: f"{topic}x" for topic in topics},
    }
    evidence = Evidence.of(qrels, {"first": first, "second": second}, "R@2", topics=known)
    found = slices.figure(evidence)
    means = {(row["slice"], row["run"]): row["mean"] for row in found.rows if row["by"] == "office"}
    assert means == {("EP", "first"): 1.0, ("EP", "second"): 0.5, ("US", "first"): 0.5, ("US", "second"): 0.6}
    assert {row["topics"] for row in found.rows} == {5}
    assert found.title == "R@2 by office"  # second is ahead on US by one topic of five, which may be chance
    assert found.reading.endswith("Not drawn: relevant documents, id.")  # all have two, and an id each


def test_slices_by_number_of_relevant_documents(golden_sig: Evidence) -> None:
    found = slices.figure(golden_sig)
    bins = {row["slice"]: row["topics"] for row in found.rows}
    assert sum(bins.values()) == len(golden_sig.answerable)
    few = [t for t, n in enumerate(golden_sig.relevant) if n in (3, 4)]
    mean = golden_sig.main.values[golden_sig.place(golden_sig.leader), few, 0].mean()
    row = next(row for row in found.rows if row["slice"] == "3 to 4" and row["run"] == golden_sig.leader)
    assert row["mean"] == pytest.approx(mean, abs=1e-4)
    assert row["low"] < row["mean"] < row["high"]


def test_slices_need_topics_that_differ() -> None:
    qrels = {str(topic): {"a": 1} for topic in range(6)}
    evidence = Evidence.of(qrels, {topic: {"a": 1} for topic in qrels}, "R@2")
    assert slices.figure(evidence).chart is None


def test_riches_of_topics(evidence: Evidence) -> None:
    found = relevant_distribution.figure(evidence)
    counts = [(row["topic"], row["grade"], row["documents"]) for row in found.rows]
    assert counts == [("1", 1, 3), ("1", 2, 1), ("2", 1, 1), ("2", 2, 1), ("3", 1, 0), ("3", 2, 0)]
    assert found.title == "Half the topics have 3 relevant documents or more; they range from 2 to 4"
    assert found.reading == "6 relevant documents in 2 topics; 1 topic without any left out of every mean."
    shallow = relevant_distribution.figure(Evidence.of(QRELS, RUNS, "R@3"))
    assert "in 1 topic recall cannot be full after 3 documents" in shallow.reading


def test_six_measures_are_the_means(golden_syn: Evidence) -> None:
    found = six_measures.figure(golden_syn)
    scores = golden_syn.scores(six_measures.six(golden_syn))
    for row in found.rows:
        mean = scores.mean_values()[scores.runs.index(row["run"]), scores.measures.index(row["measure"])]
        assert row["mean"] == pytest.approx(mean, abs=1e-4)
    assert [row["measure"] for row in found.rows[:6]] == ["AP", "PRES@100", "R@100", "nDCG@10", "P@10", "RR"]
    assert sum(row["best"] for row in found.rows) == 6


def test_six_measures_name_every_winner(evidence: Evidence) -> None:
    found = six_measures.figure(evidence, ["R@4", "RR", "P@1"])
    # early: R 3/4 and 1/2, RR 1 and 1/2, P@1 1 and 0. late: R 1/4 and 1, RR 1/4 and 1, P@1 0 and 1.
    means = {(row["run"], row["measure"]): row["mean"] for row in found.rows}
    assert means["early", "R@4"] == means["late", "R@4"] == 0.625
    assert means["early", "RR"], means["late", "RR"] == (0.75, 0.625)
    assert means["early", "P@1"] == means["late", "P@1"] == 0.5


def test_slices_claim_what_a_test_supports() -> None:
    topics = [str(topic) for topic in range(60)]
    qrels = {topic: {"a": 1, "b": 1} for topic in topics}
    both, one, none = ranked("a", "b"), ranked("a", "x"), ranked("x")
    first = {topic: both if int(topic) < 40 else one for topic in topics}
    second = {topic: none if int(topic) < 40 else both for topic in topics}
    known = {"office": {topic: "EP" if int(topic) < 40 else "US" for topic in topics}}
    found = slices.figure(Evidence.of(qrels, {"first": first, "second": second}, "R@2", topics=known))
    assert found.title == "first is first overall, but second does better on topics with office US"
    alone = slices.figure(Evidence.of(qrels, {"first": first}, "R@2", topics=known))
    assert alone.title == "R@2 by office"


def test_six_measures_keep_winners_among_many() -> None:
    documents = [f"d{place:02}" for place in range(40)]
    qrels = {"1": dict.fromkeys(documents, 1), "2": dict.fromkeys(documents, 1)}
    lists = {f"run{n:02}": {t: ranked(*documents[: 40 - n]) for t in qrels} for n in range(30)}
    lists["run29"] = {t: ranked("d00") for t in qrels}
    first_wrong = {name: {t: ranked("x", *run[t]) for t in run} for name, run in lists.items() if name != "run29"}
    evidence = Evidence.of(qrels, {**first_wrong, "run29": lists["run29"]}, "R@100")
    found = six_measures.figure(evidence, ["R@100", "RR"])
    shown = list(dict.fromkeys(row["run"] for row in found.rows))
    assert len(shown) == six_measures.MOST + 1
    assert shown[-1] == "run29"  # last by recall, and the only one whose first document is relevant
    assert found.title == "run00 is first in 1 of 2 measures, run29 in RR"
    assert "not 13" in found.reading


def test_pool_counts_what_was_judged_and_by_whom_found(evidence: Evidence) -> None:
    pool = pool_map.pool_of(evidence)
    assert pool.bands == ((1, 4),)
    # early lists 4 and 3 documents, of which u is not judged; late 4 and 2, of which u and v are not.
    assert pool.judged[:, 0] == pytest.approx([6 / 7, 4 / 6])
    assert pool.found.tolist() == [4, 3]  # a b c e; a e f
    assert pool.alone.tolist() == [2, 1]  # b c; f
    assert np.bincount(pool.finders).tolist() == [1, 3, 2]  # d; b c f; a e
    found = pool_map.figure(evidence)
    assert found.title == "early alone found 2 relevant documents; 1 other system found some alone"
    assert found.reading.startswith(
        "Of 6 relevant documents, 3 are found by one system alone and 1 by none within 4 doc"
    )
    assert found.rows[0] == {
        "run": "early",
        "relevant found": 4,
        "alone": 2,
        "judged 1–4": pytest.approx(6 / 7, abs=1e-4),
    }


def test_pool_of_one_run_has_nobody_alone() -> None:
    found = pool_map.figure(Evidence.of(QRELS, {"early": RUNS["early"]}, "R@4"))
    assert found.rows[0]["alone"] == 0
    assert found.title == "86\u202f% of the documents that early lists at ranks 1–4 were judged"


def test_pool_bands_end_where_lists_do() -> None:
    long = {"1": ranked("a", *(f"n{place}" for place in range(29)))}
    short: dict[str, Any] = {"1": ranked("a")}
    pool = pool_map.pool_of(Evidence.of(QRELS, {"long": long, "short": short}, "R@4"))
    assert pool.bands == ((1, 10), (11, 20), (21, 30))
    assert pool.judged[1, 0] == 1
    assert np.isnan(pool.judged[1, 1:]).all()  # a list that ended is not an unjudged one


def test_a_measure_of_another_kind_can_decide(golden_syn: Evidence) -> None:
    counting = replace(golden_syn, study=replace(golden_syn.study, measures=tuple(parse_measures("num_rel_ret"))))
    found = slices.figure(counting)
    assert max(row["mean"] for row in found.rows) > 1
    with pytest.raises(InputError, match="must end in one of"):
        found.save("slices.gif")
