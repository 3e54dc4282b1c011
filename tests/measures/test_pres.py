"""PRES against its papers, another program, and the output of its authors' script."""

from __future__ import annotations

import csv
import tarfile
from pathlib import Path

import numpy as np
import pytest

from leadline.errors import InputError
from leadline.measures.definition import parse_measure
from leadline.measures.hits import Hits
from leadline.measures.join import join, together
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.runs import read_run
from leadline.show.papers import published


def value(measure: str, hits: Hits) -> float:
    return float(parse_measure(measure)(hits)[0])


def table(path: Path, delimiter: str = "\t") -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def test_worked_examples_of_the_papers() -> None:
    examples = table(Path(published.__file__).with_name("pres_worked_examples.csv"), ",")
    assert len(examples) == 13
    for row in examples:
        hits = Hits.of(ranks=[int(rank) for rank in row["ranks"].split()], relevant=int(row["n_relevant"]))
        for column, measure in (("PRES", "PRES"), ("recall", "R"), ("AP", "AP")):
            if row[column]:
                digits = len(row[column].partition(".")[2])
                # One average precision, 0.0205, is printed as 0.021.
                slack = 0.53 if (row["example"], column) == ("topic_e", "AP") else 0.5
                found = value(f"{measure}@{row['n_max']}", hits)
                assert abs(found - float(row[column])) <= slack * 10**-digits + 1e-9, (row["example"], measure)


def test_the_example_with_the_ranks_as_printed(golden: Path) -> None:
    for line in (golden / "pres/paper_example.tsv").read_text().splitlines()[1:]:
        _, ranks, *scores = line.split("\t")
        hits = Hits.of(ranks=[int(rank) for rank in ranks.strip("[]").split(",")], relevant=4)
        for score in scores:
            assert value("PRES@100", hits) == pytest.approx(float(score), abs=1e-9)


def check_set(output: Path, qrels: Qrels, runs: Path) -> None:
    """Every row of another program's output: PRES, and the counts it goes by."""
    hits = {}
    rows = table(output)
    assert rows
    for row in rows:
        run = row["run"]
        if run not in hits:
            hits[run] = together([join(read_run(runs / run), qrels, kernels=False)], qrels)
        t, effort = qrels.topics.index(row["topic"]), int(row["Nmax"])
        assert hits[run].n_relevant()[t] == int(row["n"])
        assert hits[run].found(cutoff=effort)[t] == int(row["R_found"])
        assert min(hits[run].retrieved[t], effort) == int(row["list_len"])
        found = parse_measure(f"PRES@{effort}")(hits[run])[t]
        expected = row["PRES_patsnap"]
        assert np.isnan(found) if expected == "NA" else abs(found - float(expected)) < 1e-9, row


@pytest.mark.parametrize(("name", "qrels"), [("syn", "syn/syn"), ("sig", "scores/sig")])
def test_another_program(golden: Path, name: str, qrels: str) -> None:
    judged = golden / f"inputs/{qrels}.qrels"
    check_set(golden / f"pres/{name}.tsv", read_qrels(judged, format="plain"), judged.parent)


@pytest.mark.parametrize(("name", "qrels"), [("te", "te/qrels.test"), ("tar", "tar/dta2019.abs.qrels")])
def test_another_program_on_real_runs(shared: Path, name: str, qrels: str) -> None:
    judged = shared / "oracles/inputs" / qrels
    check_set(shared / f"oracles/pres/{name}.tsv", read_qrels(judged, format="plain"), judged.parent)


def patent_run(shared: Path, folder: Path, name: str) -> Path:
    with tarfile.open(shared / "runs/clefip2011_federated/runs.tar.xz") as archive:
        archive.extract(f"runs/{name}", folder, filter="data")
    return folder / "runs" / name


@pytest.mark.parametrize(
    "name", ["CORI", "GMs_decision_tree", "GMs_linear_regression", "GMs_random_forest", "MMs_polynomial_x2"]
)
def test_the_authors_script(shared: Path, tmp_path: Path, name: str) -> None:
    folder = shared / "runs/clefip2011_federated"
    qrels = read_qrels(folder / "qrels_padded.txt", format="plain")
    hits = together([join(read_run(patent_run(shared, tmp_path, name)), qrels, kernels=False)], qrels)
    measures = {"PRES": "PRES", "AP": "AP@1000", "recall": "R@1000"}
    values = {column: parse_measure(measure)(hits) for column, measure in measures.items()}
    rows = table(folder / f"preseval/{name}.tsv")
    assert len(rows) == len(qrels.topics) == 300
    for row in rows:
        t = qrels.topics.index(row["topic"])
        assert hits.n_relevant()[t] == int(row["rel"])
        assert hits.found()[t] == int(row["ret_rel"])
        for column, scores in values.items():
            assert scores[t] == pytest.approx(float(row[column]), abs=1e-6), (row["topic"], column)
    summary = (folder / f"preseval/{name}.summary.txt").read_text().splitlines()
    means = [float(line.split("=")[1]) for line in summary if "=" in line]
    for mean, column in zip(means, ["PRES", "AP", "recall"] * 2, strict=True):
        assert values[column].mean() == pytest.approx(mean, abs=1e-6), column


def test_a_run_that_lists_documents_twice_is_refused(shared: Path, tmp_path: Path) -> None:
    path = patent_run(shared, tmp_path, "MMs_random_forest")
    with pytest.raises(InputError, match="listed twice") as caught:
        read_run(path)
    assert str(path) in str(caught.value)
    line = caught.value.line
    assert line is not None
    pairs = [tuple(text.split()[0:3:2]) for text in path.read_text().splitlines()]
    assert pairs[line - 1] in pairs[: line - 1]


def test_more_relevant_documents_than_effort() -> None:
    hits = Hits.of(ranks=[1, 2], relevant=8)
    assert value("PRES@2", hits) == pytest.approx(2 / 8)
    assert value("PRES_est@2", hits) == pytest.approx(1)
    assert value("PRES_est@8", hits) == value("PRES@8", hits)


def test_edges() -> None:
    assert value("PRES", Hits.of(ranks=[1], relevant=1)) == 1
    assert value("PRES@10", Hits.of(ranks=[11], relevant=1)) == 0
    assert value("PRES@10", Hits.of(ranks=[], relevant=3)) == pytest.approx(0)
    assert value("PRES(rel=2)@10", Hits.of(ranks=[1, 2], grades=[1, 2])) == pytest.approx(0.9)
    nothing = Hits.of(ranks=[1], grades=[0])
    for name in ("PRES", "PRES_est", "R"):
        assert np.isnan(value(name, nothing))
        assert parse_measure(name).raw(nothing).tolist() == [0]
