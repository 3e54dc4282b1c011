"""The commands `leadline links ...`: what they print, and what they refuse in one line."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from leadline.cli import main

EDGES = "A\tB\nB\tC\nC\tA\nC\tB\nD\tC\n"


@pytest.fixture
def edges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "edges.tsv"
    path.write_text(EDGES)
    return path


@pytest.fixture
def rows(capsys: pytest.CaptureFixture[str]) -> Callable[..., list[dict[str, str]]]:
    def run(*words: str) -> list[dict[str, str]]:
        assert not main(["links", *words, "--format", "tsv"])
        return list(csv.DictReader(io.StringIO(capsys.readouterr().out), delimiter="\t"))

    return run


def test_pagerank_prints_pages_by_descending_value(edges: Path, rows: Callable[..., list[dict[str, str]]]) -> None:
    found = rows("pagerank", "edges.tsv")
    assert list(found[0]) == ["page", "value"]
    values = [float(row["value"]) for row in found]
    assert values == sorted(values, reverse=True)
    assert sum(values) == pytest.approx(1, abs=1e-12)
    paper = rows("pagerank", "edges.tsv", "--form", "paper")
    assert sum(float(row["value"]) for row in paper) == pytest.approx(4)
    Path("trusted.txt").write_text("A\t3\nD\n")
    personal = {row["page"]: float(row["value"]) for row in rows("pagerank", "edges.tsv", "--personal", "trusted.txt")}
    assert personal["D"] == pytest.approx(0.15 / 4)
    assert rows("pagerank", "edges.tsv", "--personal", "D")[0]["page"] == "C"


def test_ties_are_in_the_order_of_pages(edges: Path, rows: Callable[..., list[dict[str, str]]]) -> None:
    edges.write_text("z\ty\ny\tx\nx\tz\n")
    assert [row["page"] for row in rows("pagerank", "edges.tsv")] == ["x", "y", "z"]
    assert [row["page"] for row in rows("indegree", "edges.tsv")] == ["x", "y", "z"]


def test_hits_prints_both_scores(edges: Path, rows: Callable[..., list[dict[str, str]]]) -> None:
    found = rows("hits", "edges.tsv")
    assert list(found[0]) == ["page", "authority", "hub"]
    for column in ("authority", "hub"):
        assert sum(float(row[column]) for row in found) == pytest.approx(1)


def test_hits_of_a_query(example_files: Path, monkeypatch: pytest.MonkeyPatch, rows) -> None:
    monkeypatch.chdir(example_files)
    whole, own = rows("hits", "patents"), rows("hits", "patents", "--query", "coating", "--index", "patents.index")
    assert 0 < len(own) < len(whole)
    assert sum(float(row["authority"]) for row in own) == pytest.approx(1)


def test_samples_and_statistics(edges: Path, rows: Callable[..., list[dict[str, str]]]) -> None:
    assert len(rows("sample", "edges.tsv", "-n", "7")) == 7
    assert [row["method"] for row in rows("sample", "edges.tsv", "--bias")][-1] == "uniform"
    facts = {(row["about"], row["what"]): row["value"] for row in rows("stats", "edges.tsv", "--start", "A")}
    assert facts["pages", "orphans"] == "1"
    assert facts["pages of a depth", "2"] == "1"
    Path("other.tsv").write_text("B\tX\n")
    overlap = {row["what"]: row["value"] for row in rows("stats", "edges.tsv", "--against", "other.tsv")}
    assert (overlap["in both"], overlap["in either"]) == ("1", "5")


@pytest.mark.parametrize(
    ("words", "status", "problem"),
    [
        (["pagerank", "edges.tsv", "--personal", "Q"], 1, "--personal: 'Q' is not a page of the graph"),
        (["pagerank", "edges.tsv", "--personal", "wrong.txt"], 1, "wrong.txt: 'Q' is not a page of the graph"),
        (["pagerank", "edges.tsv", "--damping", "1"], 2, "must be at least 0 and below 1, got 1"),
        (["pagerank", "edges.tsv", "--damping", "nan"], 2, "must be at least 0 and below 1, got nan"),
        (["pagerank", "missing.tsv"], 1, "missing.tsv"),
        (["pagerank", "empty.tsv"], 1, "empty.tsv: is empty"),
        (["pagerank", "nan.tsv"], 1, "nan.tsv:2: the weight must be a number of 0 or more, got 'nan'"),
        (["hits", "edges.tsv", "--query", "ink"], 2, "--query: needs --index as well"),
        (["hits", "edges.tsv", "--rounds", "0"], 2, "must be at least 1, got 0"),
        (["sample", "edges.tsv", "--start", "Q"], 1, "start: 'Q' is not a page of the graph"),
        (["sample", "edges.tsv", "--method", "metro"], 2, "metropolis"),
        (["stats", "edges.tsv", "--start", "A", "--against", "edges.tsv"], 2, "--start"),
        (["indegree", "folder"], 1, "folder: is not a collection"),
    ],
)
def test_wrong_input_gets_one_line(
    edges: Path, capsys: pytest.CaptureFixture[str], words: list[str], status: int, problem: str
) -> None:
    Path("wrong.txt").write_text("Q\n")
    Path("empty.tsv").write_text("")
    Path("nan.tsv").write_text("a\tb\t1\na\tc\tnan\nb\tc\t2\n")
    Path("folder").mkdir()
    try:
        found = main(["links", *words])
    except SystemExit as exit:
        found = exit.code
    assert found == status
    said = capsys.readouterr().err
    assert problem in said
    assert "Traceback" not in said
