"""The one reader of small tables: CSV, TSV, blanks, JSON, Parquet; and data frames of other packages.

The first line names the columns; a text of fields without such a line is read with the names that the caller gives.
Every row knows its line, so that a message can name it. Large tables come as data frames, tables of words without
columns as ragged rows.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leadline.errors import InputError, shortage_in, system_reason
from leadline.text.fields import decode_id, is_skipped
from leadline.text.source import COMPRESSED, SourceText, read_text

if TYPE_CHECKING:
    import polars

MAX_CELL = 256 << 20  # characters; the csv module's own limit is 128 KiB, shorter than many texts
_BLANKS = re.compile(r"[ \t\r\v\f]+")
_QUOTED = re.compile(r'"(?:[^"\\]++|\\.|"")*+"', re.DOTALL)
_ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U000[0-9a-f]{5}|.)")
_GUARDED = re.compile("'+[=+@-]")  # text in CSV that a spreadsheet would otherwise run as a formula
MISSING = {"", "na", "n/a", "nan", "null", "none", "-", "–"}


@dataclass(frozen=True)
class Sheet:
    """Rows under named columns, with the line of each row."""

    name: str
    columns: list[str]
    rows: list[list[Any]]
    lines: list[int] | None = None  # of a text; None for JSON and Parquet, whose rows are counted instead

    def where(self, row: int) -> str:
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"

    def error(self, row: int, problem: str) -> InputError:
        """Return an error that names the row's line."""
        if self.lines is None:
            return InputError(self.name, f"row {row + 1}: {problem}")
        return InputError(self.name, problem, line=self.lines[row])

    def find(self, names: Sequence[str]) -> int | None:
        """Return the place of the column with one of these names, in any case; None if there is none."""
        lower = [column.lower() for column in self.columns]
        return next((lower.index(name) for name in names if name in lower), None)

    def pick(self, names: Sequence[str]) -> int:
        """Return the place of the column with one of these names; it must be there."""
        place = self.find(names)
        if place is None:
            also = f" (or {', '.join(names[1:4])})" if len(names) > 1 else ""
            raise InputError(self.name, f"no column {names[0]}{also} among {', '.join(self.columns[:8])}")
        return place

    def labels(self, column: int) -> list[str]:
        """Return a column of names; a missing one is an error."""
        names = [label(row[column]) for row in self.rows]
        if "" in names:
            raise self.error(names.index(""), f"{self.columns[column] or 'the first column'} is missing")
        return names

    def numbers(self, column: int) -> list[float]:
        """Return a column of numbers, NaN where one is missing; a word is an error."""
        numbers = self._floats(column)
        if all(map(math.isfinite, numbers)):
            return numbers
        return [self._number(r, column) for r in range(len(self.rows))]

    def amounts(self, column: int) -> list[float]:
        """Return a column of numbers of 0 or more; a missing one is an error."""
        amounts = self._floats(column)
        wrong = next((r for r, amount in enumerate(amounts) if not 0 <= amount < math.inf), None)
        if wrong is not None:
            problem = " is not a number" if math.isnan(amounts[wrong]) else ": expected 0 or more"
            raise self.error(wrong, f"{self.columns[column]} {label(self.rows[wrong][column])[:40]!r}{problem}")
        return amounts

    def _floats(self, column: int) -> list[float]:
        """The numbers in a column, NaN where a cell is not one."""
        try:
            return [float(row[column]) for row in self.rows]
        except (TypeError, ValueError):
            return [_float(row[column]) for row in self.rows]

    def _number(self, row: int, column: int) -> float:
        cell = self.rows[row][column]
        if is_missing(cell):
            return math.nan
        number = _float(cell)
        if not math.isfinite(number):
            text = str(cell).strip()
            hint = f"; write {text.replace(',', '.')}" if _has_decimal_comma(text) else "; leave it empty if unknown"
            raise self.error(row, f"{text[:40]!r} in column {self.columns[column]} is not a number{hint}")
        return number


def _float(cell: Any) -> float:
    """The number in a cell, NaN if it is not one."""
    try:
        return float(cell)
    except (TypeError, ValueError):
        return math.nan


def is_missing(cell: Any) -> bool:
    """Whether a cell stands for a missing value: empty, NA, NaN, null or a dash.

    >>> [is_missing(cell) for cell in (None, " ", "NA", float("nan"), 0, "0")]
    [True, True, True, True, False, False]
    """
    return cell is None or (isinstance(cell, float) and math.isnan(cell)) or str(cell).strip().lower() in MISSING


def label(cell: Any) -> str:
    """Return a cell as a name: a whole number without the `.0` that data frames add.

    >>> label(501.0), label(" EP-1 "), label(None)
    ('501', 'EP-1', '')
    """
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, float):
        return "" if math.isnan(cell) else str(int(cell)) if cell.is_integer() else str(cell)
    return "" if cell is None else str(cell)


def read_sheet(path: str | os.PathLike[str]) -> Sheet:
    """Read a table from a file, compressed or not; `-` is standard input. Its first bytes say what it is."""
    return sheet_of_text(read_text(path))


def read_columns(path: str | os.PathLike[str], *wanted: Sequence[str]) -> Sheet:
    """Read a table with these columns, each given by its possible names, with or without a line that names them."""
    text = read_text(path)
    if has_header(text, *wanted):
        return sheet_of_text(text)
    return _without_header(text, [names[0] for names in wanted])


def has_header(text: SourceText, *wanted: Sequence[str]) -> bool:
    """Whether a text names its columns: Parquet, JSON, or a first line with a name for each of the first two wanted."""
    head = text.buffer[text.begin : min(text.end, text.begin + 65536)].tobytes()
    if _is_parquet(head) or _is_json(head):
        return True
    line = next((line for line in head.split(b"\n") if not is_skipped(line)), b"").decode("utf-8", "replace").strip()
    # A line without separators may be a topic and its title, in which "number" is a word like any other.
    words = re.split(r"[\t,;]", line) if re.search(r"[\t,;]", line) else line.split()[: len(wanted)]
    names = {word.strip(' "').lower() for word in words}
    return all(names & set(each) for each in wanted[:2])


def sheet_of_text(text: SourceText) -> Sheet:
    """Return the table that a text with a header holds."""
    content = text.bytes()
    if _is_parquet(content):
        frame = frame_of_text(text, "parquet")
        sheet = Sheet(text.name, list(frame.columns), [list(row) for row in frame.rows()])
    elif _is_json(content):
        sheet = _of_json(content, text.name)
    else:
        sheet = _of_text(text)
    if not sheet.rows:
        raise InputError(sheet.name, "has a header and nothing under it")
    twice = next((name for name, count in Counter(sheet.columns).items() if count > 1), None)
    if twice is not None:
        raise InputError(sheet.name, f"column {twice} is given twice", line=None if sheet.lines is None else 1)
    return sheet


def frame_of_sheet(text: SourceText) -> polars.DataFrame:
    """Return the same table as a data frame of texts. One without quotes and escapes is read by Polars, much faster."""
    import polars

    plain = _plain_frame(text.bytes())
    if plain is not None:
        return plain
    sheet = sheet_of_text(text)
    cells = zip(*([label(cell) for cell in row] for row in sheet.rows), strict=True)
    valid = ([cell.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for cell in each] for each in cells)
    return polars.DataFrame(dict(zip(sheet.columns, valid, strict=True)), dict.fromkeys(sheet.columns, polars.String))


def _plain_frame(content: bytes) -> polars.DataFrame | None:
    """The table in a text without anything that needs care; None for any other, left to `sheet_of_text`."""
    import polars

    header, _, rest = content.partition(b"\n")
    separator = next((mark for mark in (b"\t", b",", b";") if mark in header), None)
    if separator is None or not rest.strip() or any(sign in content for sign in (b'"', b"\\", b"\r")):
        return None
    columns = [cell.strip() for cell in header.decode("utf-8", "replace").split(separator.decode())]
    try:
        frame = polars.read_csv(content, separator=separator.decode(), quote_char=None, infer_schema=False)
    except polars.exceptions.PolarsError:
        return None
    # Polars refuses too many fields, and fills up too few.
    if len(set(columns)) < len(columns) or rest.count(separator) != (len(columns) - 1) * len(frame):
        return None
    frame.columns = columns
    return frame.fill_null("").filter(polars.any_horizontal(polars.all().str.strip_chars() != ""))


def ragged_rows(text: SourceText) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each line with its number: any number of cells, no header, `#` before a comment.

    Tabs separate the cells where there are any, else commas.
    """
    try:
        content = text.bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(text.name, "is not UTF-8") from None
    numbered = [
        (number, line)
        for number, line in enumerate(content.splitlines(), start=1)
        if line.strip() and not line.startswith("#")
    ]
    if any("\t" in line for _, line in numbered):
        yield from ((number, [_unquoted(cell).strip() for cell in line.split("\t")]) for number, line in numbered)
        return
    try:
        for count, row in _csv_rows((f"{line}\n" for _, line in numbered), ","):
            yield numbered[count - 1][0], [cell.strip() for cell in row]
    except _NeverClosed as error:
        raise InputError(text.name, str(error), line=numbered[error.line - 1][0]) from None
    except csv.Error as error:
        raise InputError(text.name, f"is not a readable table: {error}") from None


def _is_parquet(content: bytes) -> bool:
    return content.startswith(b"PAR1")


def _is_json(content: bytes) -> bool:
    return content.lstrip()[:1] in (b"[", b"{")


def _without_header(text: SourceText, columns: list[str]) -> Sheet:
    """Lines of fields separated by blanks; a line that begins with `#` is a comment."""
    rows, lines = [], []
    for number, line in enumerate(text.bytes().decode("utf-8", "surrogateescape").split("\n"), start=1):
        # A no-break space is part of a name, and only str.split takes it for a blank.
        most = len(columns)
        fields = line.split(None, most) if line.isascii() else _BLANKS.split(line.strip(" \t\r\v\f"), most)
        if not fields or not fields[0] or fields[0].startswith("#"):
            continue
        if len(fields) != len(columns):
            found = f"{len(fields)}{' or more' * (len(fields) > len(columns))} field{'s' * (len(fields) != 1)}"
            expected = f"{found}, expected {len(columns)} ({' '.join(columns)})"
            raise InputError(text.name, expected, line=number)
        rows.append(fields)
        lines.append(number)
    if not rows:
        raise InputError(text.name, "is empty")
    return Sheet(text.name, columns, rows, lines)


def _of_text(text: SourceText) -> Sheet:
    content = text.bytes().decode("utf-8", "surrogateescape")
    try:
        lines = [(number, row) for number, row in _fields(content) if any(cell.strip() for cell in row)]
    except _NeverClosed as error:
        raise InputError(text.name, str(error), line=error.line) from None
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
    """The fields of each line with its number. The header shows what separates them: tabs, else commas.

    Between tabs a cell ends with its line, and a quotation mark is a character unless a pair encloses the cell.
    """
    header = content.lstrip("\r\n").split("\n", 1)[0]
    separator = next((mark for mark in "\t,;" if mark in header), None)
    if separator is None:
        yield from ((number, line.split()) for number, line in enumerate(content.split("\n"), start=1))
        return
    if separator == "\t":
        for number, line in enumerate(io.StringIO(content, newline=""), start=1):
            yield number, [_unescaped(_unquoted(cell)) for cell in line.rstrip("\r\n").split("\t")]
        return
    yield from _csv_rows(io.StringIO(content, newline=""), separator)


class _NeverClosed(csv.Error):
    """A cell in quotes that ends with the table; csv takes all that follows it for its text."""

    def __init__(self, line: int) -> None:
        super().__init__('a cell begins with " here and is never closed; write "" for a quotation mark in quotes')
        self.line = line


def _csv_rows(lines: Iterable[str], separator: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row with the number of its first line. Every line but the last has its line feed."""
    csv.field_size_limit(MAX_CELL)
    at_end = False

    def watched() -> Iterator[str]:
        nonlocal at_end
        yield from lines
        at_end = True

    reader = csv.reader(watched(), delimiter=separator)
    first = 1
    is_guarded = _GUARDED.match if separator == "," else lambda _: None
    for row in reader:
        if at_end:  # more lines were wanted for this row
            raise _NeverClosed(reader.line_num + 1 - max(1, sum(1 for _ in io.StringIO(row[-1], newline=""))))
        yield first, [cell[1:] if cell[:1] == "'" and is_guarded(cell) else cell for cell in row]
        first = reader.line_num + 1


def _unquoted(cell: str) -> str:
    """The text of a cell of a TSV, without the quotes that enclose all of it.

    >>> [_unquoted(cell) for cell in ('"a ""b"" c"', '"a" OR "b"', '"a', '5" pipe', '"')]
    ['a "b" c', '"a" OR "b"', '"a', '5" pipe', '"']
    """
    return cell[1:-1].replace('""', '"') if cell[:1] == '"' and _QUOTED.fullmatch(cell) else cell


def _unescaped(cell: str) -> str:
    r"""The text of a cell of a TSV, with the characters that its escapes stand for.

    >>> [_unescaped(cell) for cell in (r"a\\b", r"a\tb", r"\x1b")] == ["a\\b", "a\tb", "\x1b"]
    True
    """
    return _ESCAPE.sub(_character, cell) if "\\" in cell else cell


def _character(escape: re.Match[str]) -> str:
    name = escape[1]
    if len(name) == 1:
        return {"n": "\n", "r": "\r", "t": "\t"}.get(name, name)
    code = int(name[1:], 16)
    return chr(code + 0xDC00 if name[0] == "x" and code >= 0x80 else code)  # \x80 and above: a byte that is not UTF-8


def _of_json(content: bytes, name: str) -> Sheet:
    """Records in a list or one per line, {column: [values]}, or nested mappings, run first."""
    value = json_value(content, name)
    if isinstance(value, dict) and not all(isinstance(cell, (dict, list)) for cell in value.values()):
        value = [value]  # a single record, the only line of its file
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


def _of_records(records: Sequence[Mapping[str, Any]], name: str) -> Sheet:
    columns = list(dict.fromkeys(str(key) for record in records for key in record))
    return Sheet(name, columns, [[record.get(column) for column in columns] for record in records])


def _has_decimal_comma(text: str) -> bool:
    whole, comma, part = text.partition(",")
    return bool(comma) and whole.lstrip("+-").isdigit() and part.isdigit()


# Data frames: from Parquet, CSV and JSON files, and from Polars, pandas and Arrow.


TOPIC = ("topic", "query_id", "qid", "q_id", "topic_id", "query", "query-id")
DOCUMENT = ("document", "doc_id", "docno", "docid", "document_id", "doc", "corpus-id")
SCORE = ("score", "sim", "similarity")
GRADE = ("grade", "relevance", "rel", "label", "score", "judgement", "judgment")
SUBTOPIC = ("subtopic", "iteration", "intent", "aspect", "subtopic_id")
STRATUM = ("stratum",)
WEIGHT = ("weight", "theta")


def is_frame(value: object) -> bool:
    """Whether this is a data frame of Polars, pandas or Arrow; none of them is imported for it."""
    return type(value).__module__.split(".")[0] in ("polars", "pandas", "pyarrow") and hasattr(value, "shape")


def named_kind(text_name: str, head: bytes) -> str | None:
    """`parquet`, `csv` or `json` for a file of that kind, known by its first bytes or its name; None for TREC text."""
    if head.startswith(b"PAR1"):
        return "parquet"
    name = _without_compression(text_name)
    if name.endswith((".json", ".jsonl")):
        return "json"
    if name.endswith((".csv", ".tsv")):
        first = head.split(b"\n", 1)[0].decode("utf-8", "replace").lower().lstrip("\ufeff")
        separator = "\t" if name.endswith(".tsv") else ","
        names = {word.strip().strip('"') for word in first.split(separator)}
        if (names & set(TOPIC) and names & set(DOCUMENT)) or name.endswith(".csv"):
            return "csv"
    return None


def _without_compression(name: str) -> str:
    name = name.lower()
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return name


def frame_of_text(text: SourceText, kind: str) -> polars.DataFrame:
    """Return the data frame in a Parquet, CSV or JSON file."""
    import polars

    content = text.bytes()
    try:
        if kind == "parquet":
            return polars.read_parquet(io.BytesIO(content))
        if kind == "csv":
            return _frame_of_csv(content, text.name)
        return frame_of_json(content, text.name)
    except (polars.exceptions.PolarsError, ValueError, OSError, RecursionError) as error:
        if short := shortage_in(error):
            raise InputError(text.name, f"cannot be read: {system_reason(short)}") from None
        raise InputError(text.name, f"is not readable {kind}: {' '.join(str(error).split())[:120]}") from None


def _frame_of_csv(content: bytes, name: str) -> polars.DataFrame:
    """The data frame of a CSV or TSV, in which quotes mean what they mean to `sheet_of_text`."""
    import polars

    if b"\t" not in content.split(b"\n", 1)[0]:
        if content.count(b'"') % 2:  # Polars refuses a cell that is never closed, without its line
            _refuse_never_closed(content, name)
        return polars.read_csv(io.BytesIO(content), infer_schema=False)
    frame = polars.read_csv(io.BytesIO(content), infer_schema=False, separator="\t", quote_char=None)
    if b'"' not in content:
        return frame
    cells = {
        _unquoted(column): [cell and _unquoted(cell) for cell in frame[column].to_list()] for column in frame.columns
    }
    return polars.DataFrame(cells, dict.fromkeys(cells, polars.String))


def _refuse_never_closed(content: bytes, name: str) -> None:
    try:
        for _ in _csv_rows(io.StringIO(content.decode("utf-8", "surrogateescape"), newline=""), ","):
            pass
    except _NeverClosed as error:
        raise InputError(name, str(error), line=error.line) from None


def frame_of_json(content: bytes, name: str) -> polars.DataFrame:
    """Return the frame that {topic: {document: value}}, a list of records or a record per line makes."""
    import polars

    value = json_value(content, name)
    if isinstance(value, list):
        if not all(isinstance(record, dict) for record in value):
            raise InputError(name, "a JSON list must hold records such as {topic, document, score}")
        return polars.DataFrame(value, infer_schema_length=None)
    return frame_of_mapping(value, name)


def json_value(content: bytes, name: str) -> Any:
    """Return the one JSON value of a text, or the list of the values that stand one per line."""
    import json

    if not _without_compression(name).endswith(".jsonl"):
        try:
            return json.loads(content, object_pairs_hook=lambda pairs: _without_repeats(pairs, name))
        except (ValueError, RecursionError) as error:
            if getattr(error, "msg", "") != "Extra data":
                raise InputError(name, f"is not readable JSON: {' '.join(str(error).split())[:100]}") from None
    values = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            try:
                values.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise InputError(name, f"is not readable JSON: {error}", line=number) from None
    return values


def _without_repeats(pairs: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    """A JSON object; one with a key twice is an error, since only the last would be kept."""
    content = dict(pairs)
    if len(content) < len(pairs):
        seen: set[str] = set()
        again = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise InputError(name, f"{again!r} stands twice in one object")
    return content


def frame_of_mapping(nested: Mapping[Any, Any], name: str) -> polars.DataFrame:
    """Return {topic: {document: value}} as a frame with the columns topic, document, score."""
    import polars

    topics, documents, values = columns_of_mapping(nested, name, "value")
    return polars.DataFrame({"topic": topics, "document": documents, "score": values}, strict=False)


def columns_of_mapping(nested: Mapping[Any, Any], name: str, what: str) -> tuple[list[str], list[str], list[Any]]:
    """Return {topic: {document: value}} as three columns.

    >>> columns_of_mapping({7: {"d1": 0.5, "d2": 0.25}}, "run", "score")
    (['7', '7'], ['d1', 'd2'], [0.5, 0.25])
    """
    topics: list[str] = []
    documents: list[str] = []
    values: list[Any] = []
    for topic, by_document in nested.items():
        if not isinstance(by_document, Mapping):
            held = type(by_document).__name__
            raise InputError(name, f"topic {topic!r} holds {held}, expected {{document: {what}}}")
        topics.extend([str(topic)] * len(by_document))
        documents.extend(map(str, by_document))
        values.extend(by_document.values())
    return topics, documents, values


def as_polars(frame: Any) -> polars.DataFrame:
    import polars

    if isinstance(frame, polars.LazyFrame):
        return frame.collect()
    if isinstance(frame, polars.DataFrame):
        return frame
    try:
        return polars.DataFrame(frame)
    except Exception as error:  # pandas and Arrow have errors of their own for mixed columns
        raise InputError("data frame", f"cannot be read: {' '.join(str(error).split())[:120]}") from None


def find_column(frame: polars.DataFrame, names: Sequence[str]) -> str | None:
    """Return the column with one of these names, in any case; None if there is none."""
    by_lower = {column.lower(): column for column in frame.columns}
    return next((by_lower[name] for name in names if name in by_lower), None)


def pick(frame: polars.DataFrame, names: Sequence[str], where: str) -> str:
    column = find_column(frame, names)
    if column is None:
        raise InputError(
            where, f"no column {names[0]} (or {', '.join(names[1:4])}) among {', '.join(frame.columns[:8])}"
        )
    return column


def strings(frame: polars.DataFrame, column: str, where: str) -> list[str]:
    """Return a column of ids as strings, whole floats without `.0`; a missing id or another float is an error."""
    import polars

    series = frame[column]
    if series.dtype.is_nested():
        raise InputError(where, f"{column} holds {series.dtype}, expected names")
    if series.null_count():
        row = int(series.is_null().arg_true()[0])
        raise InputError(where, f"row {row + 1}: {column} is missing")
    if series.dtype.is_float():
        if not series.is_finite().all():
            raise InputError(where, f"{column} holds a number that is not finite, expected names")
        whole = series.cast(polars.Int64, strict=False)
        wrong = (whole.is_null() | (whole.cast(series.dtype) != series)).arg_true()
        if len(wrong):
            row = int(wrong[0])
            raise InputError(where, f"row {row + 1}: {column} {series[row]} is not a whole number, expected names")
        series = whole
    return [decode_id(value) if isinstance(value, bytes) else str(value) for value in series.to_list()]


def numbers(frame: polars.DataFrame, column: str, where: str) -> Iterable[float]:
    """Return a column of numbers; a missing value, a word or NaN is an error that names the row."""
    import polars

    kind = frame[column].dtype
    if not (kind.is_numeric() or kind in (polars.String, polars.Boolean, polars.Null)):
        raise InputError(where, f"{column} holds {kind}, expected numbers")
    series = frame[column].cast(polars.Float64, strict=False)
    wrong = (series.is_null() | series.is_nan()).arg_true()
    if len(wrong):
        row = int(wrong[0])
        raise InputError(where, f"row {row + 1}: {column} {frame[column][row]!r} is not a number")
    return series.to_list()
