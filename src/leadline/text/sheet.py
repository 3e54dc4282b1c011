"""A table with a header, whoever wrote it: CSV, TSV, columns apart by blanks, JSON, a record a line, Parquet."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leadline.errors import InputError
from leadline.text.frames import frame_of_text
from leadline.text.source import Text, read_text

MISSING = {"", "na", "n/a", "nan", "null", "none", "-", "–"}


@dataclass(frozen=True)
class Sheet:
    """Rows under named columns, and where each row stands, so that a message can point at it."""

    name: str
    columns: list[str]
    rows: list[list[Any]]
    lines: list[int] | None = None  # of a text; rows of JSON and Parquet are counted instead

    def where(self, row: int) -> str:
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"

    def error(self, row: int, problem: str) -> InputError:
        if self.lines is None:
            return InputError(self.name, f"row {row + 1}: {problem}")
        return InputError(self.name, problem, line=self.lines[row])

    def find(self, names: Sequence[str]) -> int | None:
        """The place of the column that goes by one of these names, in any case."""
        lower = [column.lower() for column in self.columns]
        return next((lower.index(name) for name in names if name in lower), None)

    def labels(self, column: int) -> list[str]:
        """A column of names; a missing one is refused."""
        names = [label(row[column]) for row in self.rows]
        if "" in names:
            raise self.error(names.index(""), f"{self.columns[column] or 'the first column'} is missing")
        return names

    def numbers(self, column: int) -> list[float]:
        """A column of numbers, NaN where there is none; a word is refused."""
        try:
            plain = [float(row[column]) for row in self.rows]
        except (TypeError, ValueError):
            plain = [math.inf]
        if math.inf in plain or -math.inf in plain:  # not all of them are plain numbers: look at each
            return [self._number(r, column) for r in range(len(self.rows))]
        return plain

    def _number(self, row: int, column: int) -> float:
        cell = self.rows[row][column]
        if is_missing(cell):
            return math.nan
        try:
            number = float(cell)
        except (TypeError, ValueError):
            number = math.inf
        if math.isinf(number):
            text = str(cell).strip()
            hint = f"; write {text.replace(',', '.')}" if _has_decimal_comma(text) else "; leave it empty if unknown"
            raise self.error(row, f"{text[:40]!r} in column {self.columns[column]} is not a number{hint}")
        return number


def is_missing(cell: Any) -> bool:
    """Whether a cell says that there is no value: empty, NA, NaN, null or a dash.

    >>> [is_missing(cell) for cell in (None, " ", "NA", float("nan"), 0, "0")]
    [True, True, True, True, False, False]
    """
    return cell is None or (isinstance(cell, float) and math.isnan(cell)) or str(cell).strip().lower() in MISSING


def label(cell: Any) -> str:
    """A cell as a name: a whole number loses its `.0`, which data frames add.

    >>> label(501.0), label(" EP-1 "), label(None)
    ('501', 'EP-1', '')
    """
    if isinstance(cell, float):
        return "" if math.isnan(cell) else str(int(cell)) if cell.is_integer() else str(cell)
    return "" if cell is None else str(cell).strip()


def read_sheet(path: str | os.PathLike[str]) -> Sheet:
    """A table from a file, compressed or not; `-` is standard input. What it is, its first bytes tell."""
    return sheet_of_text(read_text(path))


def sheet_of_text(text: Text) -> Sheet:
    """A table from a text in memory."""
    content = text.bytes()
    if content.startswith(b"PAR1"):
        frame = frame_of_text(text, "parquet")
        sheet = Sheet(text.name, list(frame.columns), [list(row) for row in frame.rows()])
    elif content.lstrip()[:1] in (b"[", b"{"):
        sheet = _of_json(content, text.name)
    else:
        sheet = _of_text(text)
    if not sheet.rows:
        raise InputError(sheet.name, "has a header and nothing under it")
    twice = next((name for place, name in enumerate(sheet.columns) if name in sheet.columns[:place]), None)
    if twice is not None:
        raise InputError(sheet.name, f"column {twice} is there twice", line=None if sheet.lines is None else 1)
    return sheet


def _of_text(text: Text) -> Sheet:
    content = text.bytes().decode("utf-8", "surrogateescape")
    try:
        lines = [(number, row) for number, row in _fields(content) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise InputError(text.name, f"is not a readable table: {error}") from None
    if not lines:
        raise InputError(text.name, "is empty")
    columns = [cell.strip() for cell in lines[0][1]]
    sheet = Sheet(text.name, columns, [row for _, row in lines[1:]], [number for number, _ in lines[1:]])
    for r, row in enumerate(sheet.rows):
        if len(row) != len(columns):
            named = ", ".join(columns[:6]) + (", ..." if len(columns) > 6 else "")
            raise sheet.error(r, f"{len(row)} field{'s' * (len(row) != 1)}, the header has {len(columns)} ({named})")
    return sheet


def _fields(content: str) -> Iterator[tuple[int, list[str]]]:
    """The fields of each line with its number. The header tells what keeps them apart: tabs, else commas."""
    header = content.lstrip("\r\n").split("\n", 1)[0]
    separator = next((mark for mark in "\t,;" if mark in header), None)
    if separator is None:
        yield from ((number, line.split()) for number, line in enumerate(content.split("\n"), start=1))
        return
    escape = "\\" if separator == "\t" else None  # as our own TSV is written
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=separator, escapechar=escape)
    first = 1
    for row in reader:
        yield first, row
        first = reader.line_num + 1


def _of_json(content: bytes, name: str) -> Sheet:
    """Records in a list or one a line, {column: [values]}, or mappings in each other, run first."""
    try:
        value = _parsed(content)
    except (ValueError, RecursionError) as error:
        raise InputError(name, f"is not readable JSON: {' '.join(str(error).split())[:100]}") from None
    if isinstance(value, list):
        wrong = next((place for place, record in enumerate(value) if not isinstance(record, dict)), None)
        if wrong is not None:
            raise InputError(name, f"row {wrong + 1}: a JSON list must hold records such as {{run, topic, value}}")
        return _of_records(value, name)
    columns = list(value)
    if all(isinstance(cells, list) for cells in value.values()):
        if len({len(cells) for cells in value.values()}) > 1:
            raise InputError(name, "columns of different lengths")
        return Sheet(name, columns, [list(row) for row in zip(*value.values(), strict=True)])
    wrong = next((key for key, inner in value.items() if not isinstance(inner, dict)), None)
    if wrong is not None:
        raise InputError(name, f"{wrong!r} holds {type(value[wrong]).__name__}, expected records or {{name: value}}")
    inner = next(iter(value.values()))
    if any(isinstance(cell, dict) for cell in inner.values()):
        deep = [
            {"run": run, "topic": topic, "measure": measure, "value": cell}
            for run, topics in value.items()
            for topic, cells in topics.items()
            for measure, cell in (cells if isinstance(cells, dict) else {"value": cells}).items()
        ]
        return _of_records(deep, name)
    return _of_records([{"run": run, **cells} for run, cells in value.items()], name)


def _parsed(content: bytes) -> Any:
    """One JSON value, or a list of the values that stand one a line."""
    try:
        value = json.loads(content)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise
        return [json.loads(line) for line in content.split(b"\n") if line.strip()]
    return [value] if isinstance(value, dict) and _is_record(value) else value


def _is_record(value: Mapping[str, Any]) -> bool:
    """Whether a mapping is a single record, the only line of its file: it holds a plain value."""
    return not all(isinstance(cell, (dict, list)) for cell in value.values())


def _of_records(records: Sequence[Mapping[str, Any]], name: str) -> Sheet:
    columns = list(dict.fromkeys(str(key) for record in records for key in record))
    return Sheet(name, columns, [[record.get(column) for column in columns] for record in records])


def _has_decimal_comma(text: str) -> bool:
    whole, comma, part = text.partition(",")
    return bool(comma) and whole.lstrip("+-").isdigit() and part.isdigit()
