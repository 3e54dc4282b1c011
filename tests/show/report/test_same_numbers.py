"""One number for one quantity: the page shows what the commands print, with the default seed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("altair", reason="a page needs the package altair")

from leadline.cli import main
from leadline.show.charts import Figure
from leadline.show.report.drawing import FIGURES
from leadline.show.report.evidence import Evidence
from leadline.show.report.page import headline


@pytest.fixture(scope="module")
def inputs(golden: Path) -> list[str]:
    folder = golden / "inputs" / "scores"
    return [str(folder / "sig.qrels"), *(str(folder / f"sys{place}.run") for place in range(6))]


@pytest.fixture(scope="module")
def evidence(inputs: list[str]) -> Evidence:
    return Evidence.of(inputs[0], inputs[1:], "PRES@100")


def printed(capsys: pytest.CaptureFixture[str], command: str, *given: str) -> list[dict[str, Any]]:
    """The rows that `leadline compare COMMAND` prints as JSON."""
    main(["compare", command, *given, "-q", "-f", "json"])
    return list(json.loads(capsys.readouterr().out))


def drawn(name: str, evidence: Evidence) -> Figure:
    return FIGURES.named(name).draw(evidence)


def test_the_verdict(inputs: list[str], evidence: Evidence, capsys: pytest.CaptureFixture[str]) -> None:
    rows = printed(capsys, "verdict", *inputs, "-m", "PRES@100")
    found = evidence.standing
    assert [(row["run_b"], row["verdict"], row["p_corrected"]) for row in rows] == [
        (each.other, each.word, each.p_corrected) for each in found.verdicts
    ]
    shown = {row["run"]: row["verdict"].split()[-1] for row in drawn("told_apart", evidence).rows}
    assert shown == {evidence.leader: "first"} | {row["run_b"]: row["verdict"] for row in rows}
    counts = {word: sum(row["verdict"] == word for row in rows) for word in ("undecided", "fragile", "firm")}
    assert dict(headline(evidence).standing) == {word: f"against {n}" for word, n in counts.items() if n}


def test_power(inputs: list[str], evidence: Evidence, capsys: pytest.CaptureFixture[str]) -> None:
    figure = drawn("power", evidence)
    for row in printed(capsys, "power", *inputs, "-m", " ".join(evidence.trio)):
        curve = [each for each in figure.rows if each["measure"] == row["measure"]]
        assert max(each["pairs"] for each in curve if each["level"] < 0.05) == pytest.approx(row["power"], abs=1e-4)


def test_incomplete(inputs: list[str], evidence: Evidence, capsys: pytest.CaptureFixture[str]) -> None:
    rows = printed(capsys, "incomplete", *inputs, "-m", " ".join(evidence.trio))
    shown = {(row["measure"], row["keep"]): row["mean"] for row in drawn("incomplete", evidence).rows}
    for row in rows:
        assert shown[row["measure"], row["keep"]] == pytest.approx(row["mean"], abs=1e-4)


def test_every_pair(inputs: list[str], evidence: Evidence, capsys: pytest.CaptureFixture[str]) -> None:
    rows = {row["run"]: row for row in printed(capsys, "pairs", *inputs, "-m", "PRES@100", "--triangle")}
    shown = drawn("triangle", evidence).rows
    assert len(shown) == 30
    for row in shown:
        assert row["p"] == pytest.approx(rows[row["row"]][row["column"]], rel=0.01)
