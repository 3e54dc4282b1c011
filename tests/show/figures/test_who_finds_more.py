"""The numbers behind the figures of effort, places and chance, checked by hand."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("altair", reason="figures need the package altair")

from leadline.retrieval.engines.engine import QueryTiming
from leadline.show.charts import Figure, specification
from leadline.show.figures.bump import swaps
from leadline.show.figures.effort_curves import crossings
from leadline.show.figures.recall_effort import perfect_recall, random_recall
from leadline.show.report.drawing import FIGURES
from leadline.show.report.evidence import Evidence
from leadline.trust.paired_tests import student_t

GOLDEN = Path(__file__).parents[2] / "golden" / "inputs"
TWO_RUNS_ARE_ENOUGH = ("recall_effort", "bump", "sorted_scores", "effort_curves", "spectrogram", "triangle")
QRELS = {"1": {"a": 1, "b": 1, "c": 0}, "2": {"d": 1}}
RUNS = {"good": {"1": {"a": 9, "b": 8}, "2": {"d": 7}}, "poor": {"1": {"c": 9, "a": 8}, "2": {"x": 9, "d": 7}}}


Draw = Callable[[str, Evidence], Figure]


def made(name: str, evidence: Evidence) -> Figure:
    return FIGURES.named(name).draw(evidence)


@pytest.fixture(scope="module")
def two() -> Evidence:
    return Evidence.of(QRELS, RUNS, "PRES@10", samples=5)


@pytest.fixture(scope="module")
def six() -> Evidence:
    runs = sorted((GOLDEN / "scores").glob("*.run"))
    return Evidence.of(
        GOLDEN / "scores" / "sig.qrels",
        runs,
        "PRES@100",
        samples=5,
        timings={path.stem: QueryTiming(0.1 + n) for n, path in enumerate(runs)},
    )


def row(rows: Any, **where: Any) -> dict[str, Any]:
    found = [dict(one) for one in rows if all(one[name] == value for name, value in where.items())]
    assert len(found) == 1
    return found[0]


def test_recall_against_effort_by_hand(two: Evidence) -> None:
    figure = made("recall_effort", two)
    assert row(figure.rows, run="good", effort=1)["recall"] == 0.75  # one of two, and one of one
    assert row(figure.rows, run="poor", effort=1)["recall"] == 0
    assert row(figure.rows, run="poor", effort=2)["recall"] == 0.75
    # PRES@2 of poor: topic 1 has ranks 2 and 4 (2 + 2), so 1 - (3 - 1.5)/2 = .25; topic 2 rank 2: 1 - (2 - 1)/2 = .5
    assert row(figure.rows, run="poor", effort=2)["PRES"] == 0.375
    assert figure.title == "good finds half of what is known within 1 document, poor within 2"
    assert figure.more["steps"] == {"effort": [1, 2]}


def test_perfect_and_random_lines(two: Evidence) -> None:
    assert perfect_recall(two, 1) == 0.75
    assert perfect_recall(two, 2) == 1
    # good lists two documents for topic 1, one for topic 2; shuffled, the first is a half of the first's finds.
    assert random_recall(two, 1) == 0.75
    assert random_recall(two, 2) == 1


def test_random_line_ends_where_the_leader_does(six: Evidence) -> None:
    recall = six.scores(f"R@{six.depth}").mean_values()[six.place(six.leader), 0]
    assert random_recall(six, six.depth) == pytest.approx(recall)


def test_a_run_that_never_finds_half() -> None:
    evidence = Evidence.of({"1": {"a": 1, "b": 1, "c": 1}}, {"x": {"1": {"a": 1}}, "y": {"1": {"d": 1, "a": 0.5}}})
    assert made("recall_effort", evidence).title == "x finds 33\u202f% of what is known within 2 documents"


def test_swaps_count_only_when_both_measures_mean_it() -> None:
    places = np.array([[1, 2, 3], [2, 1, 3]])
    sure = np.array([[[0, 1, 0], [-1, 0, 0], [0, 0, 0]], [[0, -1, 0], [1, 0, 0], [0, 0, 0]]])
    swapped, meant = swaps(places, sure)
    assert swapped.sum() == meant.sum() == 2  # one pair, seen from both sides
    half_sure = sure.copy()
    half_sure[1] = 0
    swapped, meant = swaps(places, half_sure)
    assert (swapped.sum(), meant.sum()) == (2, 0)


def test_bump_gives_places_among_all(draw_once: Draw, six: Evidence) -> None:
    rows = draw_once("bump", six).rows
    means = dict(zip(six.runs, six.scores("AP").mean_values()[:, 0], strict=True))
    by_ap = sorted(six.runs, key=lambda run: -means[run])
    assert [row(rows, run=run, measure="AP")["place"] for run in by_ap] == [1, 2, 3, 4, 5, 6]


def test_bump_shows_only_the_first_of_many() -> None:
    qrels = {"1": {f"d{n}": 1 for n in range(40)}, "2": {f"e{n}": 1 for n in range(40)}}
    runs = {
        f"r{k:02}": {t: {f"{'d' if t == '1' else 'e'}{n}": 99.0 - n for n in range(k + 1)} for t in qrels}
        for k in range(30)
    }
    figure = made("bump", Evidence.of(qrels, runs, "PRES@50"))
    assert {one["run"] for one in figure.rows} == {f"r{k:02}" for k in range(20, 30)}
    assert "10 of 30 systems" in figure.reading


def test_crossings_name_the_first_effort_at_which_the_other_leads() -> None:
    grid = [1, 10, 100, 1000]
    assert crossings(np.array([0.3, 0.4, 0.5, 0.6]), np.array([0.1, 0.4, 0.6, 0.9]), grid) == [(100, 1)]
    assert crossings(np.array([0.3, 0.4, 0.5, 0.6]), np.array([0.1, 0.4, 0.4, 0.5]), grid) == []
    assert crossings(np.array([0.1, 0.4, 0.3, 0.9]), np.array([0.2, 0.3, 0.4, 0.5]), grid) == [
        (10, -1), (100, 1), (1000, -1),
    ]  # fmt: skip


def test_effort_curves_name_what_tests_support() -> None:
    # early finds one of three at once and no more; late finds all three from rank 3 on.
    qrels = {str(t): {"a": 1, "b": 1, "c": 1} for t in range(6)}
    early = {t: {"a": 9.0, **{f"x{n}": 8.0 - n for n in range(5)}} for t in qrels}
    late = {t: {"x0": 9.0, "x1": 8.0, "a": 7.0, "b": 6.0, "c": 5.0} for t in qrels}
    evidence = Evidence.of(qrels, {"early": early, "late": late}, "R@6", samples=5)
    figure = made("effort_curves", evidence)
    assert figure.title == "PRES, average precision and recall against effort"  # six topics and three tests are few
    assert "Their curves cross at 5 documents by PRES, at 5 documents by average precision and at 4" in figure.reading
    assert row(figure.rows, run="late", measure="R", effort=4)["mean"] == pytest.approx(2 / 3, abs=1e-4)


def test_spectrogram_holds_every_cell_of_every_measure(draw_once: Draw, six: Evidence) -> None:
    figure = draw_once("spectrogram", six)
    assert len(figure.rows) == 6 * 25
    cell = row(figure.rows, run="sys2", topic="507")
    place = six.place("sys2"), six.topics.index("507")
    for measure in ("PRES@100", "AP", "R@100", "nDCG@10"):
        assert cell[measure] == pytest.approx(six.scores(measure).values[(*place, 0)], abs=6e-4)


def test_triangle_has_t_below_and_randomisation_above(draw_once: Draw, six: Evidence) -> None:
    figure = draw_once("triangle", six)
    first, second = six.order[:2]
    matrix = six.main.values[[six.place(first), six.place(second)], :, 0]
    below = row(figure.rows, row=second, column=first)
    assert (below["test"], row(figure.rows, row=first, column=second)["test"]) == ("t", "randomisation")
    assert below["p"] == pytest.approx(float(student_t(matrix).p[0]), rel=5e-3)
    assert below["level"] == "p < 0.05"


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_stands_alone(draw_once: Draw, name: str, six: Evidence, golden_div: Evidence, tmp_path: Path) -> None:
    figure = draw_once(name, six)
    figure = draw_once(name, golden_div) if figure.chart is None else figure
    assert figure.name == name
    figure.save(tmp_path / "data.csv")
    with open(tmp_path / "data.csv", encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == len(figure.rows)
    assert specification(figure.finished("dark"))["config"]["background"] == "#0e1a24"


@pytest.fixture(scope="module")
def one_and_two_runs() -> tuple[Evidence, Evidence]:
    qrels = {str(t): {"a": 1, "b": 0} for t in range(5)}
    one = {"only": {t: {"b": 2.0, "a": 1.0} for t in qrels}}
    pair = one | {"other": {t: {"a": 2.0} for t in qrels}}
    return Evidence.of(qrels, one, "PRES@10"), Evidence.of(qrels, pair, "PRES@10", samples=3)


@pytest.mark.parametrize("name", FIGURES)
def test_one_run_and_five_topics_make_sense_or_say_what_they_need(
    name: str, one_and_two_runs: tuple[Evidence, Evidence]
) -> None:
    one, pair = one_and_two_runs
    figure = made(name, one)
    assert figure.reading
    assert figure.chart is not None or "need" in figure.reading.lower()
    figure = made(name, pair)
    assert figure.chart is not None or (name not in TWO_RUNS_ARE_ENOUGH and "need" in figure.reading.lower())


def test_a_figure_becomes_a_picture(six: Evidence, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="pictures need the package vl-convert-python")
    made("bump", six).save(tmp_path / "bump.svg")
    assert b"sys5" in (tmp_path / "bump.svg").read_bytes()
