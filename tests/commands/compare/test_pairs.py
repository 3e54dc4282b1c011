"""`leadline compare pairs`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

FIELD = ["qrels", "good.run", "fair.run", "poor.run"]


@pytest.mark.parametrize("test", ["randomisation", "t", "wilcoxon", "bootstrap", "tukey"])
@pytest.mark.parametrize("correction", ["holm", "bh"])
def test_every_test_finds_the_planted_difference(compare: Any, test: str, correction: str) -> None:
    result = compare(
        "pairs", *FIELD, "-m", "AP", "--test", test, "--correction", correction, "--draws", "2000", "-f", "tsv", "-q"
    )
    assert result.returncode == 0, result.stderr
    rows = [line.split("\t") for line in result.stdout.splitlines()[1:]]
    (row,) = [row for row in rows if {row[1], row[2]} == {"good", "poor"}]
    assert float(row[-1]) < 0.05


def test_scores_written_by_evaluate_can_be_compared(compare: Any, in_process: Any, tmp_path: Path) -> None:
    options = ["-m", "AP R@20", "--by-topic", "-f", "tsv", "-o", "s.tsv"]
    in_process(tmp_path, "evaluate", *FIELD, *options)
    direct = compare("pairs", *FIELD, "-m", "AP", "--test", "t", "-f", "tsv", "-q")
    saved = compare("pairs", "--scores", "s.tsv", "-m", "AP", "--test", "t", "-f", "tsv", "-q")
    assert saved.returncode == 0, saved.stderr
    assert saved.stdout == direct.stdout


def test_draws_are_for_those_who_ask_for_them(compare: Any) -> None:
    """Without draws p is that of all flips, whatever the seed; with them it is a number of draws."""
    plain, other = (compare("pairs", *FIELD, "-m", "AP", "--seed", seed, "-f", "tsv") for seed in ("1", "2"))
    assert plain.stdout == other.stdout
    assert "p by " in plain.stderr
    assert "draws" not in plain.stderr
    drawn = compare("pairs", *FIELD, "-m", "AP", "--draws", "999", "-f", "tsv")
    assert "p by 999 random flips of signs" in drawn.stderr
    p = [float(line.split("\t")[-2]) for line in drawn.stdout.splitlines()[1:]]
    assert [round(one * 1000, 6) % 1 for one in p] == [0.0] * len(p)


def test_effort_alone_has_a_table_and_no_headline(compare: Any) -> None:
    result = compare("pairs", *FIELD, "-m", "last_rel")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(
        "last_rel gives no verdict: it counts effort, so that a run of one document can win; "
    )
    assert "letters" not in result.stdout
    assert "p_corrected" in result.stdout
