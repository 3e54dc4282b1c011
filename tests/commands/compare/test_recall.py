"""`leadline compare recall`: effort at equal recall."""

from __future__ import annotations

import json
from typing import Any

import pytest

FIELD = ["qrels", "good.run", "fair.run", "poor.run"]
COLUMNS = [
    "recall", "run_a", "run_b", "median_a", "median_b", "never_a", "never_b", "less", "ties", "more", "ratio", "low",
    "high", "p", "p_corrected", "verdict", "needs_less", "criterion", "significant_in",
]  # fmt: skip


def test_sentences_and_tables(compare: Any) -> None:
    result = compare("recall", *FIELD, "--recall", "0.5", "--samples", "20")
    assert result.returncode == 0, result.stderr
    sentence, _, table = result.stdout.partition("\n\nDocuments read, median over 12 topics:\n\n")
    assert "50 % recall" in sentence
    assert "Nearest is fair: " in sentence
    assert "never 50 %" in table
    assert "p_corrected" in table
    assert "Tested by flips of signs on the ranks of the ratios of effort" in result.stdout
    quiet = compare("recall", *FIELD, "--recall", "50", "--samples", "20", "-q")
    assert "Firm: significant" not in quiet.stdout
    assert quiet.stdout.startswith(sentence.splitlines()[0])


@pytest.mark.parametrize("format", ["tsv", "csv", "json", "markdown", "latex"])
def test_every_format(compare: Any, format: str) -> None:
    result = compare("recall", *FIELD, "--samples", "2", "-f", format)
    assert result.returncode == 0, result.stderr
    if format in ("tsv", "csv"):
        lines = result.stdout.splitlines()
        assert lines[0].split("\t" if format == "tsv" else ",") == COLUMNS
        assert len(lines) == 1 + 4 * 2
    if format == "json":
        rows = json.loads(result.stdout)
        assert [row["recall"] for row in rows] == [0.5, 0.5, 0.8, 0.8, 0.9, 0.9, 0.95, 0.95]
        never = next(row for row in rows if row["recall"] == 0.95 and row["run_b"] == "poor")
        assert (never["median_b"], never["never_b"], never["needs_less"]) == (None, 12, "good")


def test_parquet(compare: Any, tmp_path: Any) -> None:
    import polars

    assert compare("recall", *FIELD, "--samples", "2", "-f", "parquet", "-o", "out.parquet").returncode == 0
    assert polars.read_parquet(tmp_path / "out.parquet").columns == COLUMNS


@pytest.mark.parametrize(
    ("arguments", "message", "status"),
    [
        (["qrels"], "give judgements and runs", 2),
        ([*FIELD, "--recall", "0"], "--recall: must be above 0 and at most 100, got 0", 2),
        ([*FIELD, "--recall", "half"], "--recall: must be a number, got 'half'", 2),
        (["qrels", "good.run"], "1 run; a comparison needs two or more", 1),
        ([*FIELD, "-m", "AP"], "unknown option -m", 2),
    ],
)
def test_errors_are_one_line(compare: Any, arguments: list[str], message: str, status: int) -> None:
    result = compare("recall", *arguments)
    assert (result.returncode, result.stdout) == (status, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_only_some_topics(compare: Any, tmp_path: Any) -> None:
    (tmp_path / "some.txt").write_text("1\n2\n3\n4\n5\n6\n7\n")
    result = compare("recall", *FIELD, "--only", "some.txt", "--samples", "2")
    assert "median over 7 topics" in result.stdout, result.stderr


@pytest.mark.parametrize("command", ["power", "slices", "incomplete"])
def test_what_calls_no_run_better_says_why_not(compare: Any, command: str) -> None:
    """Each is of use for a measure of effort: how it behaves, not who wins."""
    more = {"slices": ["--topics", "topics.csv", "--by", "office"], "incomplete": ["--samples", "3"]}
    result = compare(command, *FIELD, "-m", "last_rel", *more.get(command, []))
    assert result.returncode == 0, result.stderr
    assert "last_rel gives no verdict: it counts effort" in result.stderr
    assert "leadline compare recall" in result.stderr


def test_agreement_and_correlation_say_it_too(compare: Any) -> None:
    for command in ("agreement", "correlation"):
        result = compare(command, *FIELD, "-m", "last_rel PRES@10 num_ret")
        assert result.returncode == 0, result.stderr
        assert result.stderr.count("gives no verdict") == 1


def test_effort_that_no_run_shares_names_the_command(compare: Any) -> None:
    for command in ("pairs", "power"):
        result = compare(command, *FIELD, "-m", "effort@1")
        assert result.returncode == 1
        assert "leadline compare recall" in result.stderr
