"""The frontier of recall against effort: its numbers by hand, and what its title may claim."""

from __future__ import annotations

import pytest

pytest.importorskip("altair", reason="figures need the package altair")

import leadline as ll
from leadline.show.charts import Figure, specification
from leadline.show.report.drawing import FIGURES
from leadline.show.report.evidence import Evidence

TOPICS = [str(topic) for topic in range(12)]


def evidence(**ranks: list[list[int]]) -> Evidence:
    """Runs with two relevant documents at these ranks, by topic."""
    qrels = {topic: {"r0": 1, "r1": 1, "x0": 0} for topic in TOPICS}
    runs: dict[str, dict[str, dict[str, float]]] = {name: {} for name in ranks}
    for name, by_topic in ranks.items():
        for topic, places in zip(TOPICS, by_topic, strict=True):
            fill, found = iter(f"x{n}" for n in range(300)), iter(("r0", "r1"))
            order = [next(found) if place in places else next(fill) for place in range(1, 301)]
            runs[name][topic] = {document: -float(place) for place, document in enumerate(order)}
    return Evidence.of(qrels, runs, "PRES@300", samples=2)


def drawn(**ranks: list[list[int]]) -> Figure:
    return FIGURES.named("effort_at_recall").draw(evidence(**ranks))


def test_by_hand() -> None:
    """fast has half of what is known at 4 and all at 10 on every topic, slow at 8 and 20, but once never all."""
    figure = drawn(slow=[[8]] + [[8, 20]] * 11, fast=[[4, 10]] * 12)
    assert figure.title.replace("\u202f", " ") == (
        "fast finds 95 % of what is known within 10 documents, slow within 20; fast is sooner on 12 of 12 topics"
    )
    lines = {(row["run"], row["recall"]): row for row in figure.rows if row["kind"] == "run"}
    assert [lines["fast", share]["documents"] for share in (0.05, 0.5, 0.55, 1.0)] == [4, 4, 10, 10]
    assert (lines["slow", 1.0]["documents"], lines["slow", 1.0]["never"]) == (20, 1)
    (band,) = (row for row in figure.rows if row["kind"] == "band" and row["recall"] == 1.0)
    assert (band["ratio"], band["ratio_low"], band["ratio_high"], band["high"]) == (0.5, 0.5, 0.5, 10)
    assert "50\u202f% takes 4 documents against 8, less on 12 and more on 0 (p = 0.002)" in figure.reading
    assert figure.csv().startswith("kind,run,recall,documents,never,topics,ratio,")


def test_no_finding_without_a_test() -> None:
    """Sooner on half of the topics, later on the others: the title names what is shown."""
    figure = drawn(one=[[4, 10]] * 6 + [[8, 21]] * 6, two=[[8, 20]] * 6 + [[4, 11]] * 6)
    assert figure.title.startswith("Documents read for the same recall: ")
    assert "p = 1" in figure.reading


def test_where_most_topics_never_get_there() -> None:
    figure = drawn(one=[[4]] * 12, two=[[9]] * 12)
    assert "On most topics neither finds 80\u202f%, 90\u202f% and 95\u202f%." in figure.reading
    assert max(row["recall"] for row in figure.rows) == 0.5
    assert figure.title.startswith("one finds 50\u202f% of what is known within 4 documents, two within 9")
    never = drawn(one=[[4]] * 12, two=[[]] * 12)
    assert never.chart is None
    assert never.reading.startswith("one or two does not find 5\u202f% of what is known on most topics")


def test_the_challenger_may_need_less() -> None:
    """First by PRES for its early documents, and behind for all of them."""
    figure = drawn(early=[[1, 150]] * 12, late=[[110, 140]] * 12)
    assert figure.title.startswith("late finds 95\u202f% of what is known within 140 documents, early within 150")


def test_one_run_or_topic_is_not_enough() -> None:
    alone = Evidence.of({"1": {"a": 1}}, {"only": {"1": {"b": 2, "a": 1}}}, "PRES@10")
    figure = FIGURES.named("effort_at_recall").draw(alone)
    assert figure.chart is None
    assert figure.reading == "Needs two runs, and two topics with a relevant document."


def test_the_same_numbers_as_the_command(golden_sig: Evidence) -> None:
    figure = FIGURES.named("effort_at_recall").draw(golden_sig)
    two = golden_sig.order[:2]
    runs = tuple(run for run in golden_sig.runs if run in two)
    folder = golden_sig.qrels.name.rpartition("/")[0]
    found = ll.effort_to_recall(golden_sig.qrels.name, [f"{folder}/{run}.run" for run in runs], samples=1)
    lines = {(row["run"], row["recall"]): row["documents"] for row in figure.rows if row["kind"] == "run"}
    for run, medians in zip(found.runs, found.medians.tolist(), strict=True):
        for recall, median in zip(found.recall, medians, strict=True):
            assert lines.get((run, recall), float("inf")) == median
    assert {layer["mark"]["type"] for layer in specification(figure.chart)["layer"] if "mark" in layer} >= {
        "area",
        "line",
    }
