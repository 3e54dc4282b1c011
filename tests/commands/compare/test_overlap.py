"""`leadline compare overlap`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]


def test_a_row_for_each_pair_with_its_interval(compare: Command) -> None:
    rows = json.loads(compare("overlap", "good.run", "fair.run", "poor.run", "--format", "json").stdout)
    assert [(row["run_a"], row["run_b"]) for row in rows] == [("good", "fair"), ("good", "poor"), ("fair", "poor")]
    assert all(row["topics"] == 12 and row["low"] < row["rbo"] < row["high"] for row in rows)
    assert rows[0]["rbo"] > max(row["rbo"] for row in rows[1:])
    done = compare("overlap", "good.run", "fair.run", "poor.run", "-p", "0.98")
    assert done.stdout.startswith("most alike are good and fair (0.")


def test_by_topic_and_with_ties(compare: Command) -> None:
    done = compare("overlap", "good.run", "poor.run", "--by-topic", "--ties", "w", "--format", "tsv")
    lines = done.stdout.splitlines()
    assert lines[0].split("\t") == ["run_a", "run_b", "topic", "rbo"]
    assert len(lines) == 13


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["good.run"], 1, "1 run; a comparison needs two or more"),
        (["good.run", "poor.run", "-p", "1"], 2, "-p"),
        (["good.run", "poor.run", "--ties", "x"], 2, "--ties"),
        (["good.run", "poor.run", "--depth", "0"], 2, "--depth"),
    ],
)
def test_wrong_options(compare: Command, arguments: list[str], status: int, message: str) -> None:
    done = compare("overlap", *arguments)
    assert done.returncode == status
    assert message in done.stderr
