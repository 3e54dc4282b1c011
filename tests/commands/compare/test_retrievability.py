"""`leadline compare retrievability`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]


def test_a_row_for_each_run(compare: Command) -> None:
    done = compare("retrievability", "good.run", "poor.run", "--size", "100", "--format", "json")
    rows = json.loads(done.stdout)
    assert [row["run"] for row in rows] == ["good", "poor"]
    assert all(row["documents"] == 100 and row["topics"] == 12 and row["mean"] == pytest.approx(3.6) for row in rows)
    assert all(0.4 < row["gini"] < 0.7 for row in rows)


def test_documents_and_curves(compare: Command) -> None:
    done = compare("retrievability", "good.run", "--by-document", "--cutoff", "1", "--format", "tsv")
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert lines[0] == ["run", "document", "retrievability"]
    assert sum(float(line[2]) for line in lines[1:]) == 12
    assert "documents that no run finds are not counted" in done.stderr
    curve = compare("retrievability", "good.run", "--lorenz", "--format", "tsv").stdout.splitlines()
    assert len(curve) == 22
    assert curve[-1].endswith("\t1\t1")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["good.run", "--size", "5"], 1, "size: must be at least 60"),
        (["good.run", "--size", "5", "--collection", "x"], 2, "--size: cannot be combined with --collection"),
        (["good.run", "--lorenz", "--by-document"], 2, "--lorenz: cannot be combined with --by-document"),
        (["good.run", "--cutoff", "0"], 2, "at least 1"),
    ],
)
def test_wrong_input(compare: Command, arguments: list[str], status: int, message: str) -> None:
    done = compare("retrievability", *arguments)
    assert done.returncode == status
    assert message in done.stderr
    assert done.stderr.count("\n") <= 2
