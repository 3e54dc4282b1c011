"""Tables for people: no wider than the page, folded by blocks of columns; tables for programs stay whole."""

from __future__ import annotations

import pytest

from leadline.records.result import Table

MEASURES = [f"measure{n}@1000" for n in range(9)]
ROWS = [[f"run{r}", *(r + n / 10 for n in range(9))] for r in range(3)]
ASIDES = {(r, c): "±0.123" for r in range(3) for c in range(1, 10)}


@pytest.fixture
def table() -> Table:
    return Table(["run", *MEASURES], ROWS, best={(2, 9)}, asides=ASIDES)


@pytest.mark.parametrize("width", [40, 80, 100])
def test_a_wide_table_is_folded(table: Table, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = table.render("table").splitlines()
    assert max(map(len, lines)) <= width
    blocks = table.render("table").split("\n\n")
    heads = [block.splitlines()[0].split() for block in blocks]
    assert [head[0] for head in heads] == ["run"] * len(blocks)
    assert [name for head in heads for name in head[1:]] == MEASURES
    for block in blocks:
        assert [line.split()[0] for line in block.splitlines()[2:]] == ["run0", "run1", "run2"]
    assert "±" not in table.render("table")


def test_intervals_stay_where_there_is_room(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    assert table.render("table").count("±") == 27
    assert "\n\n" not in table.render("table")


def test_a_pipe_is_100_columns_wide(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert 80 < max(map(len, table.render("table").splitlines())) <= 100


def test_a_long_text_is_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    table = Table(["name", "meaning"], [["AP", "precision at each relevant document, averaged"], ["P", "share"]])
    assert table.render("table").splitlines() == [
        "name   meaning", "─" * 33, "AP     precision at each relevant", "       document, averaged", "P      share",
    ]  # fmt: skip


@pytest.mark.parametrize("format", ["tsv", "csv", "json", "markdown", "latex"])
def test_formats_for_programs_are_not_folded(table: Table, format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    folded = table.render(format)
    monkeypatch.setenv("COLUMNS", "400")
    assert table.render(format) == folded
