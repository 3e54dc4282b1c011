"""Tables with a header: what is missing is NaN and never 0, and what is no number is refused with its place."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import leadline as ll
from leadline.text.sheet import Sheet, frame_of_text, ragged_rows, read_sheet, sheet_of_text
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
        ("run,AP,AP\na,1,2\n", "t.csv:1: column AP is given twice"),
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


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('"ink', '"ink'), ('"thin film" before:2000', '"thin film" before:2000'), ('"a" OR "b"', '"a" OR "b"'),
        ('"thin film"', "thin film"), ('"a ""b"" c"', 'a "b" c'), ('5" pipe', '5" pipe'), ('"', '"'), ('""', ""),
        ('back\\\\slash "x" y', 'back\\slash "x" y'), ('"a\\tb"', "a\tb"), ('"a" \\\\ "b"', '"a" \\ "b"'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_between_tabs_a_quote_is_text_unless_a_pair_encloses_the_cell(
    tmp_path: Path, cell: str, text: str, end: str
) -> None:
    sheet = read(tmp_path, end.join(["topic\ttext\tby", f"1\t{cell}\tx", f'"2"\t{cell}\ty', "3\tchildren\tz", ""]))
    assert sheet.rows == [["1", text, "x"], ["2", text, "y"], ["3", "children", "z"]]
    assert sheet.lines == [2, 3, 4]


def test_a_cell_between_tabs_ends_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ll.InputError, match=r"t\.csv:3: 1 field, the header has 2"):
        read(tmp_path, 'topic\ttext\n1\t"ink\nred"\n2\tfilm\n')


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('topic,text\n1,"ink\n2,film\n', 2), ('topic,text\n1,"a\nb","ink\n2,film', 3), ('topic;text\n1;ink\n2;"', 3),
        ('topic,text\r\n1,"ink\r\n2,film\r\n', 2), ('topic,"text\n1,ink\n', 1),
    ],
)  # fmt: skip
def test_a_quoted_cell_that_is_never_closed_is_refused_where_it_opens(tmp_path: Path, content: str, line: int) -> None:
    with pytest.raises(ll.InputError, match=rf't\.csv:{line}: a cell begins with " here and is never closed'):
        read(tmp_path, content)


def test_quotes_among_commas_follow_the_rule_of_csv(tmp_path: Path) -> None:
    sheet = read(tmp_path, 'topic,text\n1,"a ""b""\nc"\n2,5" pipe\n3,"thin" film\n')
    assert sheet.rows == [["1", 'a "b"\nc'], ["2", '5" pipe'], ["3", "thin film"]]


def test_ragged_rows_have_the_same_quotes() -> None:
    rows = ragged_rows(SourceText.of(b'# words\n"ink\tdye\n"thin film"\tfoil\n', "w"))
    assert list(rows) == [(2, ['"ink', "dye"]), (3, ["thin film", "foil"])]
    with pytest.raises(ll.InputError, match=r"w:3: a cell begins with"):
        list(ragged_rows(SourceText.of(b'# words\nred,blue\nink,"dye\nfilm,foil\n', "w")))


def test_runs_and_judgements_between_tabs_have_the_same_quotes() -> None:
    run = SourceText.of(b'topic\t"document"\tscore\n1\t"d1\t2\n1\td2"\t1\n1\t"d 3"\t1\n', "r.tsv")
    frame = frame_of_text(run, "csv")
    assert frame.rows() == [("1", '"d1', "2"), ("1", 'd2"', "1"), ("1", "d 3", "1")]
    assert frame.columns == ["topic", "document", "score"]
    with pytest.raises(ll.InputError, match=r"r\.csv:2: a cell begins with"):
        frame_of_text(SourceText.of(b'topic,document,score\n1,"d1,2\n1,d2,1\n', "r.csv"), "csv")


def test_a_missing_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ll.InputError, match=r"t\.csv:3: run is missing"):
        read(tmp_path, "run,AP\na,1\n ,2\n").labels(0)


def test_many_columns_are_compared_in_linear_time() -> None:
    names = [f"c{number}" for number in range(100_000)]
    header, row = "\t".join([*names, "c7"]), "\t".join("1" * (len(names) + 1))
    with pytest.raises(ll.InputError, match="column c7 is given twice"):
        sheet_of_text(SourceText.of(f"{header}\n{row}\n".encode(), "wide"))
