"""`--like sample_eval` prints the lines of that program."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.measures.other_programs import sample_eval_report


@pytest.mark.parametrize(("qrels", "output"), [("strat", "nist2011.sA"), ("onestratum", "nist2011.onestratum.sA")])
def test_lines_are_those_of_sample_eval(golden: Path, qrels: str, output: str) -> None:
    inputs = golden / "inputs" / "sampled"
    report = sample_eval_report(inputs / f"{qrels}.qrels", inputs / "sA.run", by_topic=True)
    theirs = (golden / "sample_eval" / f"{output}.out").read_text().splitlines()
    assert report.splitlines() == [line for line in theirs if not line.startswith("iprec@rec")]


def test_means_alone(golden: Path) -> None:
    inputs = golden / "inputs" / "sampled"
    lines = sample_eval_report(inputs / "strat.qrels", inputs / "sA.run").splitlines()
    assert len(lines) == 8
    assert all("\tall\t" in line for line in lines)
