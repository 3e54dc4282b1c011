"""ERR, RBP and TBG against gdeval, cwl-eval, ir_measures and two programs for TBG."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from leadline.errors import MeasureError
from leadline.measures.definition import parse_measure
from leadline.measures.hits import Hits, Reading
from leadline.measures.join import RunHits, join, length_table, reading_of, together
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.runs import read_run


def joined(golden: Path, run: str, qrels: str, order: str = "score") -> tuple[RunHits, Qrels]:
    judged = read_qrels(golden / f"inputs/syn/{qrels}.qrels", format="plain")
    return join(read_run(golden / f"inputs/syn/{run}.run", order=order), judged, kernels=False), judged


def rows(path: Path, delimiter: str) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


@pytest.mark.parametrize("cutoff", [10, 20, 100])
@pytest.mark.parametrize("run", ["runA", "runB", "runC"])
def test_gdeval(golden: Path, run: str, cutoff: int) -> None:
    part, qrels = joined(golden, run, "syn")
    hits = together([part], qrels)
    for theirs, ours in ((f"err@{cutoff}", f"ERR@{cutoff}"), (f"ndcg@{cutoff}", f"nDCG(gain=exp)@{cutoff}")):
        values = parse_measure(ours)(hits)
        for suffix, topics in (("", part.answered), (".c", np.ones(len(qrels.topics), bool))):
            for row in rows(golden / f"gdeval/{run}.k{cutoff}{suffix}.out", ","):
                mean = row["topic"] == "amean"
                found = np.nanmean(values[topics]) if mean else values[qrels.topics.index(row["topic"])]
                assert abs(found - float(row[theirs])) < 0.5e-5 + 1e-9, (ours, suffix, row["topic"])


@pytest.mark.parametrize("output", ["default", "metrics"])
def test_cwl_eval(golden: Path, output: str) -> None:
    part, qrels = joined(golden, "runA", "syn.binary")
    hits = together([part], qrels)
    compared = 0
    for row in rows(golden / f"tbg_cwl/cwl.{output}.runA.out", "\t"):
        name, _, parameter = row["Metric"].partition("@")
        # It also prints a topic that has no judgements.
        if name not in ("RBP", "P", "RR") or row["Topic"] not in qrels.topics:
            continue
        ours = {"RBP": f"RBP(p={parameter})", "P": f"P@{parameter}", "RR": "RR"}[name]
        expected = {ours: row["EU"]}
        if name == "RBP":
            expected[f"RBP_residual(p={parameter})"] = row["ResEU"]
        for measure, value in expected.items():
            found = parse_measure(measure).raw(hits)[qrels.topics.index(row["Topic"])]
            assert abs(found - float(value)) < 0.5e-4 + 1e-9, (measure, row["Topic"])
            compared += 1
    assert compared == {"default": 12 * (6 + 1 + 3 * 2), "metrics": 12 * (1 + 1 + 2 * 2)}[output]


@pytest.mark.parametrize("run", ["runA", "runB", "runC"])
def test_ir_measures(golden: Path, run: str) -> None:
    compared = 0
    for row in rows(golden / "agreement/ir_measures_other.tsv", "\t"):
        name = row["measure"]
        if row["run"] == run and name.startswith(("ERR", "RBP")):
            # Its RBP leaves ties as the file has them; its ERR is gdeval's.
            part, qrels = joined(golden, run, "syn.nonneg", "file" if name.startswith("RBP") else "score")
            mean = parse_measure(name).raw(together([part], qrels)).mean()
            assert abs(mean - float(row["value(mean over qrels topics)"])) < 1e-6
            compared += 1
    assert compared == 3


@pytest.mark.parametrize("run", ["runA", "runB"])
def test_tbg(golden: Path, run: str) -> None:
    qrels = read_qrels(golden / "inputs/syn/syn.binary.qrels", format="plain")
    lines = (golden / "inputs/dd/doclen.txt").read_text().splitlines()
    lengths = length_table({document: float(words) for document, words in map(str.split, lines)})
    ranking = read_run(golden / f"inputs/syn/{run}.run")
    reading = reading_of(ranking, qrels, frozenset({"words"}), lengths, None)
    values = parse_measure("TBG").raw(together([join(ranking, qrels, kernels=False, reading=reading)], qrels))
    table = rows(golden / f"tbg_cwl/tbg.smucker.{run}.tsv", "\t")
    assert len(table) == len(qrels.topics)
    for row in table:
        found = values[qrels.topics.index(row["topic"])]
        assert found == pytest.approx(float(row["TBG_impl1"]), abs=1e-9)
        assert found == pytest.approx(float(row["TBG_impl2"]), abs=1e-9)


def raw(measure: str, hits: Hits) -> float:
    return float(parse_measure(measure).raw(hits)[0])


def test_seconds_of_a_reading_log_replace_the_estimate() -> None:
    reading = Reading(np.array([0, 3]), words=np.full(3, 1e6), seconds=np.array([100.0, 124.0, 5.0]))
    hits = replace(Hits.of(ranks=[3], relevant=1), reading=reading)
    assert raw("TBG", hits) == pytest.approx(0.4928 / 2)
    assert raw("TBG(halflife=112)", hits) == pytest.approx(0.4928 / 4)


def test_tbg_of_a_row_without_documents() -> None:
    reading = Reading(np.array([0, 0]), words=np.empty(0))
    assert raw("TBG", replace(Hits.of(ranks=[], relevant=1), reading=reading)) == 0


def test_tbg_says_what_it_needs() -> None:
    assert parse_measure("TBG").view.needs == {"words"}
    with pytest.raises(MeasureError, match="--lengths"):
        raw("TBG", Hits.of(ranks=[1], relevant=1))
    with pytest.raises(MeasureError, match="halflife"):
        raw("TBG(halflife=0)", Hits.of(ranks=[1], relevant=1))


def test_rbp_gains() -> None:
    hits = Hits.of(ranks=[1, 2, 3], grades=[1, 2, -1], missed=[4])
    assert raw("RBP(p=0.5)", hits) == pytest.approx(0.5 * 1 / 4 + 0.25 * 2 / 4)
    assert raw("RBP(p=0.5, gain=exp)", hits) == pytest.approx(0.5 * 1 / 15 + 0.25 * 3 / 15)
    assert raw("RBP(p=0.5, rel=2)", hits) == pytest.approx(0.25)
    assert raw("RBP(p=0.5, max_rel=1)", hits) == pytest.approx(0.75)
    assert raw("RBP(p=0.5)@1", hits) == pytest.approx(0.5 / 4)


def test_rbp_residual() -> None:
    hits = Hits.of(ranks=[1, 2, 3], grades=[1, 0, -1], retrieved=3)
    assert raw("RBP_residual(p=0.5)", hits) == pytest.approx(0.25)
    assert raw("RBP_residual(p=0.5)@1", hits) == pytest.approx(0.5)
    assert raw("RBP_residual(p=0.5)", Hits.of(ranks=[], relevant=1)) == 1


def test_err_of_one_topic() -> None:
    assert raw("ERR@2", Hits.of(ranks=[2, 3], grades=[2, 4])) == pytest.approx(3 / 16 / 2)
    assert raw("ERR", Hits.of(ranks=[2, 3], grades=[2, 4])) == pytest.approx(3 / 16 / 2 + 13 / 16 * 15 / 16 / 3)
    assert raw("ERR(max_grade=1)", Hits.of(ranks=[1, 2], relevant=2)) == pytest.approx(1 / 2 + 1 / 4 / 2)
    assert raw("ERR", Hits.of(ranks=[], relevant=3)) == 0
    assert raw("ERR", Hits.of(ranks=[1], grades=[0])) == 0


@pytest.mark.parametrize("measure", ["RBP(p=1)", "RBP(p=-0.1)", "RBP_residual(p=1)", "RBP(max_grade=0)", "ERR"])
def test_options_that_make_no_sense(measure: str) -> None:
    with pytest.raises(MeasureError):
        raw(measure, Hits.of(ranks=[1], grades=[5]))


@pytest.mark.parametrize("measure", ["ERR@10", "RBP", "RBP(rel=2)", "RBP_residual"])
def test_nothing_relevant_is_undefined(measure: str) -> None:
    assert np.isnan(parse_measure(measure)(Hits.of(ranks=[1], grades=[0]))).all()
