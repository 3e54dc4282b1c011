"""The Cube Test against the scorers of TREC's Dynamic Domain track, the authors' script, and the paper by hand."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from leadline.errors import MeasureError
from leadline.measures.definition import parse_measure
from leadline.measures.gains import fill
from leadline.measures.hits import Hits, Reading
from leadline.measures.join import join, reading_of, together
from leadline.measures.run_source import read_reading_log
from leadline.measures.subtopics import ideal_run
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.runs import Run, read_run

TRACK_OUTPUTS = [
    f"{program}{kind}.ddA.cut{cut}.out"
    for program in ("cubeTest_dd.pl", "cubetest.py")
    for kind, cuts in (("", (1, 3, 5, 10)), (".single", (5, 10)))
    for cut in cuts
]


def read_hits(run_path: Path, qrels: Qrels, measure: str) -> tuple[Hits, np.ndarray]:
    """The hits of a run read as the measure wants it, and which topics the run answers."""
    view = parse_measure(measure).view
    assert view.order is not None
    run = read_run(run_path, order=view.order, layout=view.layout)
    part = join(run, qrels, kernels=False, reading=reading_of(run, qrels, view.needs, None, None))
    return together([part], qrels), part.answered


def check_track(printed: list[list[str]], run_path: Path, qrels: Qrels, options: str, *, cut: int, digits: int) -> None:
    measures = [parse_measure(f"{name}(variant=trecdd,{options})@{cut}") for name in ("CT", "ACT")]
    hits, answered = read_hits(run_path, qrels, measures[0].text)
    ours = np.column_stack([measure(hits) for measure in measures])
    by_topic = dict(zip(qrels.topics, ours, strict=True)) | {"all": ours[answered].mean(0)}
    assert len(printed) == answered.sum() + 1
    for topic, *scores in printed:
        np.testing.assert_allclose(by_topic[topic], np.array(scores, float), rtol=0, atol=0.501 * 10**-digits)


@pytest.mark.parametrize("name", TRACK_OUTPUTS)
def test_dynamic_domain_scorers(golden: Path, name: str) -> None:
    lines = (golden / "cube_test" / name).read_text().splitlines()
    if name.startswith("cubetest.py"):
        printed, options, digits = [line.split()[:3] for line in lines[2:]], "passages=sum", 7
    else:
        printed, options, digits = [line.split(",")[1:] for line in lines[1:]], "passages=discount", 10
    single = ".single" if ".single." in name else ""
    qrels = read_qrels(golden / f"inputs/dd/qrels.old{single}.txt", format="passages")
    cut = int(name.split(".cut")[1].removesuffix(".out"))
    check_track(printed, golden / "inputs/dd/ddA.txt", qrels, options, cut=cut, digits=digits)


@pytest.mark.parametrize("cut", [1, 2, 3, 5, 10])
def test_dynamic_domain_2016(shared: Path, cut: int) -> None:
    data = shared / "subtopics/trec_dd_2016"
    lines = (data / f"cubetest_out/ct_{cut}.csv").read_text().splitlines()
    qrels = read_qrels(data / "qrels.txt.gz", format="passages")
    printed = [line.split(",")[1:] for line in lines[1:]]
    check_track(printed, data / "run_DD16_sample.txt.gz", qrels, "gamma=0.5", cut=cut, digits=10)


@pytest.mark.parametrize("name", ["coverage", "coverage2", "relevance"])
def test_script_of_the_authors(shared: Path, name: str) -> None:
    data = shared / "subtopics/trec_dd_2016/cubetest_cikm_fixture"
    qrels = read_qrels(data / "gt.txt", format="subtopics")
    hits, _ = read_hits(data / f"runs/{name}.txt", qrels, "CT(variant=cikm)")
    total = (data / "official_result/Total/eval_all.txt").read_text()
    printed = re.search(rf"/{name}\.txt,amean,([\d.]+),([\d.]+)", total)
    assert printed is not None
    detail = (data / f"official_result/Detail/{name}.txt").read_text().split()
    assert detail == ["1", printed[2]]
    for measure, score in zip(("CT", "ACT"), printed.groups(), strict=True):
        ours = parse_measure(f"{measure}(variant=cikm,theta=given)@10")(hits)
        np.testing.assert_allclose(ours, [float(score)], rtol=0, atol=0.501e-10)


def hits_of(read: Sequence[Mapping[int, int]], theta: Sequence[float] | None = None) -> Hits:
    """One topic: of each document in the order read, its grade for each subtopic it bears on."""
    judged = [(f"d{k}", c, grade) for k, grades in enumerate(read) for c, grade in grades.items()]
    qrels = Qrels.from_columns(
        ["1"] * len(judged),
        [document for document, _, _ in judged],
        [grade for _, _, grade in judged],
        subtopics=[str(c) for _, c, _ in judged],
        weights=None if theta is None else [theta[c - 1] for _, c, _ in judged],
    )
    run = Run.of({"1": {f"d{k}": -k for k in range(len(read))}})
    return together([join(run, qrels, kernels=False)], qrels)


def value(measure: str, hits: Hits) -> float:
    (score,) = parse_measure(measure)(hits)
    return float(score)


COVERAGE = [{1: 1}, {2: 1}] * 4
SINGLE = [{1: 1}] * 4 + [{2: 1}] * 4


@pytest.mark.parametrize("lid", ["relevance", "height"])
@pytest.mark.parametrize(("gamma", "coverage", "single"), [(0.1, 0.06875, 0.04860625), (0.9, 0.11875, 0.15045625)])
def test_two_ideal_runs_by_hand(lid: str, gamma: float, coverage: float, single: float) -> None:
    """Four documents of rel ¼ do not pass the lid before the fourth is read, so both lids agree."""
    measure = f"CT(gamma={gamma},theta=given,max_grade=4,lid={lid})@4"
    assert value(measure, hits_of(COVERAGE, [0.7, 0.3])) == pytest.approx(coverage, abs=1e-12)
    assert value(measure, hits_of(SINGLE, [0.7, 0.3])) == pytest.approx(single, abs=1e-12)


def test_without_a_lid_rank_discounts_instead() -> None:
    measure = "CT(gamma=0.9,theta=given,max_grade=4,lid=off)@4"
    by_hand = 0.25 * (0.7 + 0.3 / math.e + 0.9 * (0.7 / math.e**2 + 0.3 / math.e**3)) / 4
    assert value(measure, hits_of(COVERAGE, [0.7, 0.3])) == pytest.approx(by_hand, abs=1e-12)


def test_grades_0_and_1_leave_gamma_nothing_to_do() -> None:
    assert value("CT(gamma=0.1)@8", hits_of(SINGLE)) == value("CT(gamma=0.9)@8", hits_of(SINGLE)) == 1 / 8


def test_the_lid_is_met_exactly() -> None:
    thirds = hits_of([{1: 1}] * 4)
    tenths = hits_of([{1: 1}] * 11)
    assert value("CT(gamma=1,max_grade=3)@4", thirds) == pytest.approx(1 / 4)
    assert value("CT(gamma=1,max_grade=10)@11", tenths) == pytest.approx(1 / 11)
    assert value("CT(gamma=1,max_grade=10,lid=height)@11", tenths) == pytest.approx(1 / 11)


def test_the_document_that_crosses_the_lid_counts_whole() -> None:
    assert value("CT(gamma=1)@3", hits_of([{1: 3}, {1: 4}, {1: 4}])) == pytest.approx((3 / 4 + 1) / 3)


def test_the_height_reaches_the_lid_later_than_the_relevance() -> None:
    halves = hits_of([{1: 1}] * 3)
    assert value("CT(max_grade=2)@3", halves) == pytest.approx((1 / 2 + 1 / 4) / 3)
    assert value("CT(max_grade=2,lid=height)@3", halves) == pytest.approx((1 / 2 + 1 / 4 + 1 / 8) / 3)


def test_one_document_may_fill_several_subtopics() -> None:
    assert value("CT@1", hits_of([{1: 1, 2: 1}])) == 1


def test_average_and_speed() -> None:
    hits = hits_of([{1: 1}, {}, {2: 1}])
    assert value("ACT@3", hits) == pytest.approx((1 / 2 + 1 / 4 + 1 / 3) / 3)
    assert value("ACT@10", hits) == value("ACT@3", hits)
    assert [value(f"CT_speed@{n}", hits) for n in (1, 2, 3, 4)] == [0.5, 0, 0.5, 0]


def test_times() -> None:
    hits = hits_of([{1: 1}, {}, {2: 1}])
    offsets = np.array([0, 3])
    hits = replace(hits, reading=Reading(offsets, np.array([100.0, 0, 1000]), np.array([5.0, 60, 10])))
    relevant, other = 4.4 + (0.018 * 150 + 7.8) * 0.64, 4.4 + (0.018 * 150 + 7.8) * 0.39
    assert value("CT(time=rank)@5", hits) == pytest.approx(1 / 3)
    assert value("CT(time=top)@5", hits) == pytest.approx(1 / 5)
    assert value("ACT(time=top)@5", hits) == pytest.approx((0.5 + 0.5 + 1) / 5 / 3)
    assert value("CT(time=150)@5", hits) == pytest.approx(1 / (2 * relevant + other))
    words = (4.4 + (1.8 + 7.8) * 0.64) + (4.4 + 7.8 * 0.39) + (4.4 + (18 + 7.8) * 0.64)
    assert value("CT(time=words)@5", hits) == pytest.approx(1 / words)
    assert value("CT(time=given)@5", hits) == pytest.approx(1 / 75)
    assert value("CT_speed(time=given)@3", hits) == pytest.approx(0.5 / 10)
    assert value("CT_speed(time=top)@3", hits) == pytest.approx(0.5)


def test_a_reading_log_gives_order_and_seconds(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("1 d2 20\n1 d0 5\n1 d2 15\n")
    qrels = hits_of([{1: 1}, {}, {2: 1}]).qrels
    assert qrels is not None
    run, seconds = read_reading_log(tmp_path / "log.txt")
    reading = reading_of(run, qrels, parse_measure("CT(time=given)").view.needs, None, seconds)
    hits = together([join(run, qrels, kernels=False, reading=reading)], qrels)
    assert value("CT(time=given)@1", hits) == pytest.approx(0.5 / 20)
    assert value("CT(time=given)@10", hits) == pytest.approx(1 / 40)
    assert value("CT(time=rank)@10", hits) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("name", "theta", "time"),
    [("lgc", "decay", "words"), ("pgc", "claims", "words"), ("lac", "decay", "150"), ("ltc", "decay", "top")],
)
def test_names_of_the_paper(name: str, theta: str, time: str) -> None:
    hits = hits_of([{1: 1, 2: 2}, {}, {2: 1}, {3: 1}, {1: 2}], theta=[1, 1, 0.5])
    hits = replace(hits, reading=Reading(np.array([0, 5]), np.array([100.0, 200, 300, 400, 500])))
    assert value(f"CT_{name}@4", hits) == value(f"CT(theta={theta},time={time})@4", hits) > 0
    assert parse_measure(f"ct_{name}").options["effort"] == 10
    assert parse_measure(f"CT_{name}").view == parse_measure(f"CT(time={time})").view


def test_topics_without_anything() -> None:
    """Topic 1 holds nothing relevant, the run does not answer 2, and finds nothing relevant in 3."""
    qrels = Qrels.from_columns(["1", "2", "3", "3"], ["a", "b", "c", "d"], [0, 1, 1, 2], subtopics=["1", "1", "1", "2"])
    hits = together([join(Run.of({"1": {"a": 1}, "3": {"x": 1}}), qrels, kernels=False)], qrels)
    for measure in map(parse_measure, ("CT@5", "ACT(time=150)@5", "CT_speed@1", "CT_ltc")):
        np.testing.assert_array_equal(measure(hits), [np.nan, 0, 0])
        np.testing.assert_array_equal(measure.raw(hits), [0, 0, 0])


def test_dynamic_domain_without_anything_read_in_time(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text("1 4 a 9 1\n1 4 b 8 1\n")
    qrels = Qrels.from_columns(["1", "1", "2"], ["a", "b", "c"], [4, 2, 1], subtopics=["1", "1", "1"])
    hits, _ = read_hits(tmp_path / "run.txt", qrels, "CT(variant=trecdd)")
    assert parse_measure("CT(variant=trecdd)@4")(hits).tolist() == [0, 0]
    assert parse_measure("ACT(variant=trecdd)@4")(hits).tolist() == [0, 0]
    assert parse_measure("CT(variant=trecdd)@9")(hits).tolist() == [(4 / 2 + 2 / 4) / 5 / 5, 0]
    assert parse_measure("CT_speed(variant=trecdd)@5")(hits).tolist() == [(4 / 2 + 2 / 4) / 5, 0]


def test_dynamic_domain_cuts_what_flows_over(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text("1 0 a 9 1\n1 0 b 8 1\n1 1 c 7 1\n")
    qrels = Qrels.from_columns(["1"] * 3, ["a", "b", "c"], [4, 4, 4], subtopics=["1"] * 3)
    hits, _ = read_hits(tmp_path / "run.txt", qrels, "CT(variant=trecdd)")
    assert parse_measure("CT(variant=trecdd,gamma=1)@1")(hits).tolist() == [1]
    assert parse_measure("CT(variant=trecdd,gamma=1)@2")(hits).tolist() == [0.5]
    assert parse_measure("ACT(variant=trecdd,gamma=1)@2")(hits) == pytest.approx([(0.8 + 1 + 0.5) / 3])


def test_what_each_variant_needs() -> None:
    assert parse_measure("CT").view.needs == {"subtopics"}
    assert parse_measure("ACT(time=words)").view.needs == {"subtopics", "words"}
    assert parse_measure("CT(time=given)").view.needs == {"subtopics", "seconds"}
    assert parse_measure("CT(variant=cikm)").view.order == "file"
    assert parse_measure("CT(variant=trecdd)").view.layout == "dynamic"


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("CT(gamma=1.5)", "gamma"),
        ("CT(max_grade=1)", "above max_grade=1"),
        ("CT(time=words)", "--lengths"),
        ("CT(time=given)", "--reads"),
        ("CT(variant=trecdd)", "iterations"),
        ("CT(theta=given)", "fifth column"),
    ],
)
def test_errors_say_what_is_missing(measure: str, message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        parse_measure(measure)(hits_of([{1: 2}, {2: 1}]))


def test_plain_judgements_are_refused() -> None:
    qrels = Qrels.of({"1": {"a": 1}})
    with pytest.raises(MeasureError, match="subtopic"):
        parse_measure("CT")(together([join(Run.of({"1": {"a": 1}}), qrels, kernels=False)], qrels))


def read_slowly(read: list[dict[int, int]], cutoff: int, gamma: float, lid: str, largest: int) -> list[float]:
    """The gain of each document, written down as the paper says it, for three subtopics of equal weight."""
    seen, relevance, height = [0] * 3, [Fraction(0)] * 3, [Fraction(0)] * 3
    gains = []
    for t, grades in enumerate(read[:cutoff], start=1):
        gain = 0.0
        for c, grade in grades.items():
            if grade < 1:
                continue
            rel = Fraction(grade, largest)
            added = Fraction(gamma) ** seen[c] * rel
            if lid == "off":
                gain += float(added) * math.exp(1 - t) / 3
            elif (relevance[c] if lid == "relevance" else height[c]) < 1:
                gain += float(added) / 3
                height[c] += added
            relevance[c] += rel
            seen[c] += 1
        gains.append(gain)
    return gains


@pytest.mark.parametrize("lid", ["relevance", "height", "off"])
@pytest.mark.parametrize("gamma", [0.0, 0.25, 0.5, 1.0])
def test_many_rows_at_once_equal_one_at_a_time(lid: str, gamma: float) -> None:
    rng = np.random.default_rng(7)
    topics, documents, grades, labels = [], [], [], []
    runs: dict[str, dict[str, float]] = {}
    read: list[list[dict[int, int]]] = []
    for topic in range(20):
        judged = [{c: int(rng.integers(0, 4)) for c in range(3) if rng.random() < 0.5} for _ in range(30)]
        judged[0] = {0: 3, 1: 1, 2: 1}
        for d, by_subtopic in enumerate(judged):
            for c, grade in by_subtopic.items():
                topics.append(f"{topic}")
                documents.append(f"d{d}")
                grades.append(grade)
                labels.append(f"{c}")
        order = rng.permutation(30)[: rng.integers(1, 30)].tolist()
        runs[f"{topic}"] = {f"d{d}": -k for k, d in enumerate(order)}
        read.append([judged[d] for d in order])
    qrels = Qrels.from_columns(topics, documents, grades, subtopics=labels)
    hits = together([join(Run.of(runs), qrels, kernels=False)], qrels)
    for cutoff in (1, 5, 100):
        filling = fill(hits, cutoff, gamma=gamma, theta="equal", lid=lid)  # type: ignore[arg-type]
        for topic, row in zip(map(int, qrels.topics), range(hits.rows), strict=True):
            slow = read_slowly(read[topic], cutoff, gamma, lid, 3)
            rates = np.cumsum(slow) / np.arange(1, len(slow) + 1)
            np.testing.assert_allclose(filling.final[row], rates[-1], atol=1e-12)
            np.testing.assert_allclose(filling.average[row], rates.mean(), atol=1e-12)


def both_ideals(qrels: Qrels, measure: str) -> tuple[float, float]:
    coverage, single = (
        parse_measure(measure)(together([join(ideal_run(qrels, kind, "decay"), qrels, kernels=False)], qrels)).mean()
        for kind in ("coverage", "single")
    )
    return float(coverage), float(single)


def four_by_five() -> Qrels:
    documents = [f"{c}-{k}" for c in "1234" for k in range(5)]
    return Qrels.from_columns(["1"] * 20, documents, [1] * 20, subtopics=[name[0] for name in documents])


@pytest.mark.parametrize("gamma", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_gamma_chooses_between_breadth_and_depth_without_a_lid(gamma: float) -> None:
    """The second document decides: another of the first subtopic, or the first of one that weighs 1/log2(3)."""
    coverage, single = both_ideals(four_by_five(), f"CT_lac(gamma={gamma},lid=off)@10")
    assert (coverage > single) == (gamma < 0.65)


@pytest.mark.parametrize("gamma", [0.1, 0.5, 0.9, 1.0])
def test_under_the_lid_breadth_wins_whatever_gamma(gamma: float) -> None:
    coverage, single = both_ideals(four_by_five(), f"CT_lac(gamma={gamma},max_grade=4)@10")
    assert coverage > single
