"""What the compare commands have in common."""

from __future__ import annotations

from typing import Any

import pytest

FIELD = ["qrels", "good.run", "fair.run", "poor.run"]

COLUMNS = {
    "pairs": "measure run_a run_b mean_a mean_b difference effect low high wins ties losses p p_corrected",
    "power": "measure test alpha pairs significant power difference_needed",
    "correlation": "measure_a measure_b tau tau_ap",
    "incomplete": "measure keep samples mean lowest low high",
}


@pytest.mark.parametrize("command", COLUMNS)
def test_columns_are_those_promised(compare: Any, command: str) -> None:
    draws = {"incomplete": ["--samples", "5"], "pairs": ["--draws", "500"], "power": ["--draws", "500"]}
    result = compare(command, *FIELD, "-m", "AP R@20", *draws.get(command, []), "--format", "tsv")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].split("\t") == COLUMNS[command].split()
    assert len(lines) == 1 + {"pairs": 6, "power": 2, "correlation": 1, "incomplete": 8}[command]


@pytest.mark.parametrize(
    ("arguments", "message", "status"),
    [
        (["pairs"], "give judgements and runs, or --scores FILE", 2),
        (["incomplete"], "give judgements and runs", 2),
        (["pairs", *FIELD, "-m", "AP", "--test", "tt"], "did you mean t?", 2),
        (["pairs", *FIELD, "-m", "AP", "--draws", "0"], "--draws: must be at least 1, got 0", 2),
        (["pairs", *FIELD, "-m", "PRSE@10"], "-m: no measure 'PRSE'; did you mean PRES", 2),
        (["pairs", "qrels", "good.run", "-m", "AP"], "a comparison needs two or more", 1),
        (["power", *FIELD, "-m", "AP", "--alpha", "5"], "--alpha: must be above 0 and below 1, got 5", 2),
        (["incomplete", *FIELD, "-m", "AP", "--keep", "half"], "--keep: must be a number, got 'half'", 2),
        (["incomplete", *FIELD, "-m", "AP", "--keep", "20"], "--keep: must be above 0 and at most 1, got 20", 2),
        (["incomplete", *FIELD, "-m", "AP", "--unique", "--depths", "5"], "not allowed with argument", 2),
        (["verdict", *FIELD, "-m", "AP R@20"], "name one measure", 2),
        (["correlation", "--scores", "nosuch.csv"], "nosuch.csv: no such file", 1),
    ],
)
def test_errors_are_one_line(compare: Any, arguments: list[str], message: str, status: int) -> None:
    result = compare(*arguments)
    assert (result.returncode, result.stdout) == (status, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_compare_alone_lists_what_can_be_compared(compare: Any) -> None:
    result = compare()
    assert result.returncode == 2
    assert "compare pairs" in result.stderr
    listed = compare("--help")
    assert listed.returncode == 0
    assert "leadline compare pairs " in listed.stdout
    assert "leadline evaluate" not in listed.stdout
