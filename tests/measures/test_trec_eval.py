"""Every output of trec_eval 10 at hand, byte for byte."""

from __future__ import annotations

import csv
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leadline.errors import MismatchError
from leadline.measures.definition import parse_measure
from leadline.measures.hits import Hits, judged_only
from leadline.measures.join import RunHits, join, together
from leadline.measures.other_programs import (
    ALL_TREC,
    rbp_residual,
    relstrings,
    report_runs,
    scaled_rbp,
    tag_of,
    trec_eval_report,
)
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.runs import Run, read_run, run_of_text
from leadline.text.source import SourceText

WITH_PARAMETERS = ("syn.A.gains.c", "syn.A.fracgains.c", "syn.A.rbp8.c")


def commands(folder: Path) -> dict[str, list[str]]:
    """The command behind each output of a folder, less the program's name."""
    lines = (folder / "trec_eval/COMMANDS.txt").read_text().splitlines()
    return {name: words.split()[1:] for name, _, words in (line.partition(": ") for line in lines)}


def joined(run: Path, qrels: Path) -> tuple[RunHits, Qrels, str]:
    judged = read_qrels(qrels, format="plain")
    ranking = read_run(run)
    return join(ranking, judged, kernels=False), judged, tag_of(ranking)


def same_bytes(folder: Path, name: str) -> None:
    expected = (folder / f"trec_eval/{name}.v10.out").read_bytes().decode()
    *options, qrels, run = commands(folder)[name]
    part, judged, tag = joined(folder / run, folder / qrels)
    how: dict[str, Any] = {"missing": "zero" if "-c" in options else "error"}
    if "-l2" in options:
        how["level"] = 2
    if "-M50" in options:
        how["depth"] = 50
    if "-J" in options:
        how["unjudged"] = "condensed"
    if "all_trec" not in options:
        how["names"] = [word for word in options if word in ALL_TREC]
    report = trec_eval_report(together([part], judged), judged, tag, answered=part.answered, **how)
    blocks = []
    if how["missing"] == "error" and not part.answered.all():
        with pytest.raises(MismatchError, match="lacks topic"):
            blocks.extend(report)
    else:
        blocks.extend(report)
    assert "".join(blocks) == expected


@pytest.mark.parametrize(
    "name",
    [
        *("syn.A.c", "syn.B.c", "syn.C.c", "syn.A.noc", "syn.B.noc", "syn.A.l2c", "syn.A.Jc", "syn.A.bin.c", "smp.A"),
        *(f"sig.sys{system}" for system in range(6)),
    ],
)
def test_shipped_outputs(golden: Path, name: str) -> None:
    same_bytes(golden, name)


@pytest.mark.parametrize(
    "name", ["te.all", "te.all.c", "te.all.noc", "te.graded", "te.graded.l2", "te.J", "te.M50", "tar.baseline"]
)
def test_other_outputs(shared: Path, name: str) -> None:
    same_bytes(shared / "oracles", name)


def test_every_shipped_output_is_tested(golden: Path) -> None:
    shipped = {path.name.removesuffix(".v10.out") for path in (golden / "trec_eval").glob("*.out")}
    marks = test_shipped_outputs.pytestmark  # type: ignore[attr-defined]
    assert shipped == {*marks[0].args[1], *WITH_PARAMETERS}


def printed(golden: Path, name: str) -> list[tuple[str, str, str]]:
    lines = (golden / f"trec_eval/{name}.v10.out").read_text().splitlines()
    return [tuple(map(str.strip, line.split("\t"))) for line in lines]  # type: ignore[misc]


def test_gains_of_ones_own(golden: Path) -> None:
    part, qrels, _ = joined(golden / "inputs/syn/runA.run", golden / "inputs/syn/syn.nonneg.qrels")
    hits = together([part], qrels)
    for name, topic, value in printed(golden, "syn.A.gains.c"):
        ours = name.replace("ndcg_1=1,2=3,3=7,4=15", "ndcg(gains={1: 1, 2: 3, 3: 7, 4: 15})")
        values = parse_measure(ours).raw(hits)
        found = values.mean() if topic == "all" else values[qrels.topics.index(topic)]
        assert f"{found:.4f}" == value, (name, topic)


def test_gains_below_one(golden: Path) -> None:
    """trec_eval takes gains less than 1 apart for equal, and so has a perfect list score 0 or another 3.03."""
    assert ("ndcg_1=0.25,2=0.5,3=0.75,4=1.0", "411", "3.0295") in printed(golden, "syn.A.fracgains.c")
    part, qrels, _ = joined(golden / "inputs/syn/runA.run", golden / "inputs/syn/syn.nonneg.qrels")
    hits = together([part], qrels)
    quarters = parse_measure("nDCG(gains={1: 0.25, 2: 0.5, 3: 0.75, 4: 1})").raw(hits)
    assert quarters == pytest.approx(parse_measure("nDCG").raw(hits), abs=1e-15)


def test_rbp_with_another_persistence(golden: Path) -> None:
    part, qrels, _ = joined(golden / "inputs/syn/runA.run", golden / "inputs/syn/syn.binary.qrels")
    hits = together([part], qrels)
    ours = {"rbp_p=0.8": scaled_rbp(hits, 0.8), "rbp_resid_p=0.8": rbp_residual(hits, 0.8)}
    for name, topic, value in printed(golden, "syn.A.rbp8.c"):
        found = ours[name].mean() if topic == "all" else ours[name][qrels.topics.index(topic)]
        assert f"{found:.4f}" == value, (name, topic)


@pytest.mark.parametrize("run", ["runA", "runB", "runC"])
def test_means_on_which_the_packages_agree(golden: Path, run: str) -> None:
    part, qrels, _ = joined(golden / f"inputs/syn/{run}.run", golden / "inputs/syn/syn.nonneg.qrels")
    hits = together([part], qrels)
    with open(golden / "agreement/means.tsv", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["run"] == run]
    assert len(rows) == 9
    for row in rows:
        assert f"{parse_measure(row['measure']).raw(hits).mean():.4f}" == row["trec_eval10(-c)"], row["measure"]


def ties_upwards(run: Path) -> Run:
    """The run with ties in the order of document ids, low first, as ir_measures has them for Judged."""
    lines = [line.split() for line in run.read_text().splitlines()]
    lines.sort(key=lambda line: (-float(line[4]), line[2]))
    return Run.from_columns(
        [line[0] for line in lines], [line[2] for line in lines], [float(line[4]) for line in lines], order="file"
    )


@pytest.mark.parametrize("run", ["runA", "runB", "runC"])
def test_ir_measures(golden: Path, run: str) -> None:
    qrels = read_qrels(golden / "inputs/syn/syn.nonneg.qrels", format="plain")
    path = golden / f"inputs/syn/{run}.run"
    compared = 0
    with open(golden / "agreement/ir_measures_other.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            name = row["measure"]
            if row["run"] != run or not name.startswith(("nDCG", "Judged", "Success", "SetF", "IPrec")):
                continue
            ranking = ties_upwards(path) if name.startswith("Judged") else read_run(path)
            mean = parse_measure(name).raw(together([join(ranking, qrels, kernels=False)], qrels)).mean()
            # Its exponential nDCG passes through gdeval, which prints five decimals a topic.
            within = 5e-6 if name.startswith("nDCG") else 5e-7
            assert abs(mean - float(row["value(mean over qrels topics)"])) < within + 5e-7, name
            compared += 1
    assert compared == 5


@pytest.fixture(scope="session")
def covid_runs(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trec_covid")
    with tarfile.open(shared / "runs/trec_covid_r1/runs.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def test_trec_covid_leaderboard(shared: Path, covid_runs: Path) -> None:
    qrels = read_qrels(shared / "runs/trec_covid_r1/qrels.txt")
    files = {path.name: path for path in covid_runs.rglob("*") if path.is_file()}
    columns = {"ndcg@10": "nDCG@10", "p@5": "P@5", "bpref": "bpref", "MAP": "AP"}
    with open(shared / "runs/trec_covid_r1/leaderboard.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 143
    for row in rows:
        hits = together([join(read_run(files[row["run"]]), qrels, kernels=False)], qrels)
        for column, measure in columns.items():
            mean = float(np.nanmean(parse_measure(measure)(hits)))
            assert abs(round(mean, 4) - float(row[column])) < 0.0005 + 1e-9, (row["run"], measure)


@pytest.mark.parametrize("name", [name for name in ALL_TREC if name not in ("runid", "relstring", "rbp", "rbp_resid")])
def test_rows_of_several_runs_do_not_mix(golden: Path, name: str) -> None:
    qrels = read_qrels(golden / "inputs/syn/syn.qrels", format="plain")
    parts = [join(read_run(golden / f"inputs/syn/run{run}.run"), qrels, kernels=False) for run in "ABC"]
    measure = parse_measure(name)
    apart = np.concatenate([measure.raw(together([part], qrels)) for part in parts])
    assert measure.raw(together(parts, qrels)).tolist() == apart.tolist()


def report_on(judgements: dict[str, dict[str, int]], ranking: dict[str, dict[str, float]], **how: Any) -> list[str]:
    qrels, run = Qrels.of(judgements), Run.of(ranking, "mine")
    part = join(run, qrels, kernels=False)
    blocks = trec_eval_report(together([part], qrels), qrels, tag_of(run), answered=part.answered, **how)
    return "".join(blocks).splitlines()


def test_topics_stand_in_the_order_of_their_bytes() -> None:
    lines = report_on({"9": {"d": 1}, "10": {"d": 1}, "a": {"d": 1}, "B": {"d": 1}}, {"9": {"d": 1.0}}, names=["map"])
    assert [line.split("\t")[1] for line in lines] == ["10", "9", "B", "a", "all"]


def test_topics_with_nothing_relevant_count() -> None:
    lines = report_on({"1": {"d": 1}, "2": {"d": 0}}, {"1": {"d": 1.0}, "2": {"d": 1.0}}, names=["map", "num_q"])
    assert [line.split("\t")[2] for line in lines] == ["1.0000", "0.0000", "2", "0.5000"]


def test_a_topic_with_grades_below_0_only_scores_0() -> None:
    lines = report_on({"1": {"d": -1, "e": -2}}, {"1": {"d": 2.0, "f": 1.0}}, by_topic=True)
    values = {line.split("\t")[0].strip(): line.split("\t")[2] for line in lines if "\t1\t" in line}
    assert values["relstring"] == "'.-'"
    assert values["unj_5"] == "0.4000"
    assert {values[name] for name in ("map", "bpref", "infAP", "ndcg", "G", "Rndcg", "rbp", "set_F")} == {"0.0000"}


def test_precision_of_no_judged_document_is_what_c_prints() -> None:
    lines = report_on(
        {"1": {"d": 1}}, {"1": {"x": 1.0}}, unjudged="condensed", names=["iprec_at_recall_0.00", "11pt_avg", "map"]
    )
    assert [line.split("\t")[2] for line in lines] == 2 * ["0.0000", "  -nan", "  -nan"]


def test_only_the_summary() -> None:
    lines = report_on({"1": {"d": 1}}, {"1": {"d": 1.0}}, by_topic=False)
    assert lines[0] == "runid                 \tall\tmine"
    assert len(lines) == len(ALL_TREC) - 1


def test_the_tag_is_that_of_the_last_line() -> None:
    text = b"1 Q0 d 1 0.9 first\n1 Q0 e 2 0.8 last and more\n# a comment\n\n"
    assert tag_of(run_of_text(SourceText.of(text, "memory"), "name")) == "last"


def test_several_runs_follow_each_other(golden: Path) -> None:
    runs = [str(golden / f"inputs/syn/run{run}.run") for run in "AC"]
    report = report_runs(str(golden / "inputs/syn/syn.qrels"), runs, by_topic=True)
    outputs = [(golden / f"trec_eval/syn.{run}.c.v10.out").read_text() for run in "AC"]
    assert report == "".join(outputs)


def test_condensed_lists_keep_what_is_left_of_ties() -> None:
    run = Run.of({"1": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5, "e": 0.5}})
    qrels = Qrels.of({"1": {"c": 1, "a": 0, "d": 1, "b": -1}})
    hits = judged_only(together([join(run, qrels, kernels=False)], qrels))
    assert hits.rank.tolist() == [1, 2, 3]
    assert hits.tie_first.tolist() == [1, 1, 3]
    assert hits.tie_last.tolist() == [2, 2, 3]


def test_relstring_of_high_and_missing_grades() -> None:
    assert relstrings(Hits.of(ranks=[1, 2, 3, 12], grades=[9, 10, -2, 1], retrieved=12)) == ["9>.-------"]
