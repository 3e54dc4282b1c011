"""The figures of subtopics: breadth against depth, and the cube that reading fills."""

from __future__ import annotations

import numpy as np
import pytest

from leadline.errors import InputError
from leadline.records.qrels import Qrels
from leadline.show.figures import claims_cube, gamma
from leadline.show.report.evidence import Evidence


def hand_case() -> Evidence:
    """Two subtopics that weigh .7 and .3, with four documents each; grades 0 and 1."""
    documents = [f"a{place}" for place in range(4)] + [f"b{place}" for place in range(4)]
    subtopics = ["1"] * 4 + ["2"] * 4
    weights = [0.7] * 4 + [0.3] * 4
    qrels = Qrels.from_columns(["7"] * 8, documents, [1] * 8, subtopics=subtopics, weights=weights)
    return Evidence.of(qrels, {"mine": {"7": {"a0": 4, "x": 3, "b0": 2, "b1": 1}}}, "R@4")


def test_gamma_of_the_hand_case() -> None:
    found = gamma.figure(hand_case(), effort=4, theta="given")
    values = {(row["lid"], row["line"], row["gamma"]): row["CT"] for row in found.rows}
    breadth, depth = "ideal for breadth", "ideal for depth"
    assert values["relevance", breadth, 0.1] == pytest.approx(0.06875)
    assert values["relevance", depth, 0.1] == pytest.approx(0.0486, abs=5e-5)
    assert values["relevance", breadth, 0.9] == pytest.approx(0.11875)
    assert values["relevance", depth, 0.9] == pytest.approx(0.1505, abs=5e-5)
    # The run's own: a0 adds .7/4, b0 .3/4 and b1 half of that, in four documents.
    assert values["relevance", "mine", 0.5] == pytest.approx((0.7 + 0.3 + 0.15) / 4 / 4, abs=5e-6)
    assert "4 documents are assumed to fill a subtopic" in found.reading


def test_gamma_says_who_wins_and_how_near_the_best_comes() -> None:
    found = gamma.figure(hand_case(), effort=4, theta="given")
    # Breadth leads while 1 + g > .7 (1 + g + g² + g³), which is up to g = .65; without the lid see the rows.
    assert found.title.startswith("With the lid, breadth wins up to γ 0.65, depth beyond; without it, ")
    ideal = (0.7 + 0.3) * 1.5 / 4 / 4
    assert f"mine fills the need at {round(100 * (1.15 / 16) / ideal)}\u202f% of the speed" in found.reading


def test_gamma_holds_with_the_measure(golden_div: Evidence) -> None:
    found = gamma.figure(golden_div)
    row = next(row for row in found.rows if row["line"] == "dA" and row["lid"] == "off" and row["gamma"] == 0.5)
    largest = golden_div.subtopics.largest  # type: ignore[union-attr]
    scores = golden_div.scores(f"CT(gamma=0.5,theta=decay,lid=off,max_grade={largest})@10")
    assert row["CT"] == pytest.approx(scores.mean_values()[golden_div.place("dA"), 0], abs=1e-5)


def test_cube_adds_up_to_the_cube_test(golden_div: Evidence) -> None:
    cube = claims_cube.Cube(golden_div, 20, 0.5, "equal")
    scores = golden_div.scores("CT(gamma=0.5,theta=equal)@20")
    for run in golden_div.runs:
        for t in golden_div.answerable:
            row = golden_div.place(run) * len(golden_div.topics) + t
            read = min(20, int(golden_div.hits.retrieved[row])) or 1
            last = {subtopic: height for subtopic, _, height in cube.levels(run, int(t))}
            gain = sum(cube.weights[subtopic] * height for subtopic, height in last.items())
            assert gain / read == pytest.approx(scores.values[golden_div.place(run), t, 0])


def test_cube_fills_by_stretches() -> None:
    evidence = hand_case()
    found = claims_cube.figure(evidence, effort=4, theta="given")
    # Grades of 0 and 1: one document fills a subtopic.
    stretches = [(row["subtopic"], row["from"], row["until"], row["full"]) for row in found.rows]
    assert stretches == [("1", 1, 4, 1.0), ("2", 3, 4, 1.0)]
    assert found.title == "Topic 7: mine fills 100\u202f% of the need within 4 documents"
    assert "for each of them something is found" in found.reading


def test_cube_shows_the_topic_that_tells_most() -> None:
    topics = ["1", "1", "2", "2"]
    qrels = Qrels.from_columns(topics, ["a", "b", "c", "d"], [1, 1, 1, 1], subtopics=["1", "2", "1", "2"])
    runs = {
        "both": {"1": {"a": 2, "b": 1}, "2": {"c": 2, "d": 1}},
        "half": {"1": {"a": 2, "b": 1}, "2": {"x": 2, "d": 1}},
    }
    evidence = Evidence.of(qrels, runs, "R@2")
    found = claims_cube.figure(evidence, effort=2)
    assert found.title == "Topic 2: both fills 100\u202f% of the need within 2 documents, half 50\u202f%"
    assert claims_cube.figure(evidence, "1", effort=2).title.startswith("Topic 1: ")
    with pytest.raises(InputError, match="is not judged"):
        claims_cube.figure(evidence, "9")


def test_cube_names_what_stays_empty() -> None:
    qrels = Qrels.from_columns(["1", "1", "1"], ["a", "b", "c"], [1, 1, 1], subtopics=["1", "2", "3"])
    found = claims_cube.figure(Evidence.of(qrels, {"1": {"a": 1, "x": 0.5}}, "R@2"), effort=2)
    assert "no system shown finds anything for subtopics 2 and 3" in found.reading


@pytest.mark.parametrize("maker", [gamma, claims_cube])
def test_without_subtopics_the_need_is_said(maker: object) -> None:
    found = maker.figure(Evidence.of({"1": {"a": 1}}, {"1": {"a": 1}}, "R@2"))  # type: ignore[attr-defined]
    assert found.chart is None
    assert found.reading == "Needs judgements by subtopic or claim: topic, subtopic, document, grade."


def test_levels_of_gamma_are_whole_steps() -> None:
    assert np.allclose(np.diff(gamma.GAMMAS), 0.05)
    assert 0.5 in gamma.GAMMAS
