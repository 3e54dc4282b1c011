"""Tables with a header: what is missing is NaN and never 0, and what is no number is refused with its place."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import leadline as ll
from leadline.text.sheet import Sheet, read_sheet, sheet_of_text
from leadline.text.source import SourceText


def read(folder: Path, content: str | bytes, name: str = "t.csv") -> Sheet:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_sheet(path)


@pytest.mark.parametrize("cell", ["", "NA", "nan", "NaN", "null", "-", "n/a", " "])
def test_a_missing_cell_is_not_a_number(tmp_path: Path, cell: str) -> None:
    values = read(tmp_path, f"run,AP\na,0.5\nb,{cell}\n").numbers(1)
    assert values[0] == 0.5
    assert math.isnan(values[1])


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e999"])
def test_infinity_is_refused(tmp_path: Path, cell: str) -> None:
    with pytest.raises(ll.InputError, match=r"t\.csv:3: .* in column AP is not a number"):
        read(tmp_path, f"run,AP\na,0.5\nb,{cell}\n").numbers(1)


def test_a_decimal_comma_is_told(tmp_path: Path) -> None:
    with pytest.raises(ll.InputError, match=r"t\.tsv:2: '0,5' in column AP is not a number; write 0\.5"):
        read(tmp_path, "run\tAP\na\t0,5\n", "t.tsv").numbers(1)


@pytest.mark.parametrize(
    "content",
    [
        "run,AP\na,0.5\nb,1\n", "run\tAP\na\t0.5\nb\t1\n", "run;AP\na;0.5\nb;1\n", "run AP\na   0.5\n\nb\t1\n",
        "\ufeffrun,AP\r\na,0.5\r\nb,1", '"run","AP"\n"a","0.5"\n"b","1"\n', "run,AP\n\n\na,0.5\n,\nb,1\n",
        '[{"run": "a", "AP": 0.5}, {"run": "b", "AP": 1}]', '{"run": "a", "AP": 0.5}\n{"run": "b", "AP": 1}\n',
        '{"run": ["a", "b"], "AP": [0.5, 1]}', '{"a": {"AP": 0.5}, "b": {"AP": 1}}',
    ],
)  # fmt: skip
def test_forms(tmp_path: Path, content: str) -> None:
    sheet = read(tmp_path, content)
    assert sheet.columns == ["run", "AP"]
    assert sheet.labels(0) == ["a", "b"]
    assert sheet.numbers(1) == [0.5, 1.0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("run,AP\n", "t.csv: has a header and nothing under it"),
        ("run,AP,AP\na,1,2\n", "t.csv:1: column AP is there twice"),
        ("run,AP\na,1\nb\n", "t.csv:3: 1 field, the header has 2 (run, AP)"),
        ("run,AP\na,1,2\n", "t.csv:2: 3 fields, the header has 2 (run, AP)"),
        ('{"run": "a"', "t.csv: is not readable JSON"),
        ("[1, 2]", "t.csv: row 1: a JSON list must hold records"),
        ('{"a": [1], "b": [1, 2]}', "t.csv: columns of different lengths"),
        ("\n\n", "t.csv: is empty"),
    ],
)
def test_refusals(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(ll.InputError) as caught:
        read(tmp_path, content)
    assert str(caught.value).removeprefix(f"{tmp_path}/").startswith(message)


def test_a_missing_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ll.InputError, match=r"t\.csv:3: run is missing"):
        read(tmp_path, "run,AP\na,1\n ,2\n").labels(0)


def test_many_columns_are_compared_in_linear_time() -> None:
    names = [f"c{number}" for number in range(100_000)]
    header, row = "\t".join([*names, "c7"]), "\t".join("1" * (len(names) + 1))
    with pytest.raises(ll.InputError, match="column c7 is there twice"):
        sheet_of_text(SourceText.of(f"{header}\n{row}\n".encode(), "wide"))
