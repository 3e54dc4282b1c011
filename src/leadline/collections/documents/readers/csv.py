"""CSV and TSV with our names in the header. Lists in a cell are divided at semicolons."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.record_fields import from_record, parse_record, with_our_names
from leadline.collections.documents.registry import MAX_DOCUMENT_BYTES, Broken, Raw, Window, reader

_LETTERS, _DIGITS = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")


def split_rows(window: Window) -> Iterator[Raw | Broken]:
    """The rows of a table, each as a JSON object under the names of the header."""
    lines: list[tuple[int, bytes]] = []  # of the row that is being read

    def texts() -> Iterator[str]:
        for offset, line in window.ended_lines():
            lines.append((offset, line))
            yield window.decoded(line, offset)

    source = texts()
    first = next(source, "")
    separator = next((mark for mark in "\t;," if mark in first), ",")
    csv.field_size_limit(MAX_DOCUMENT_BYTES)  # the module's own limit is shorter than many descriptions
    try:
        header = [name.strip() for name in next(csv.reader(io.StringIO(first), delimiter=separator), [])]
    except csv.Error as error:
        yield Broken(0, f"is not a readable table: {error}", records=0)
        return
    if twice := next((name for name, times in Counter(header).items() if name and times > 1), None):
        yield Broken(0, f"column {twice[:40]} is given twice; the table was not read", records=0)
        return
    if "\0" in first:
        yield Broken(
            first.encode().index(0), "a NUL byte in the names of the columns; the table was not read", records=0
        )
        return
    window.passed_over += sum(len(line) for _, line in lines)
    lines.clear()
    # Strict: otherwise a stray quotation mark silently joins the next row to a cell.
    rows = csv.reader(source, delimiter=separator, strict=True)
    nothing, ended = True, [""]  # what `next` gives behind the last row
    while True:
        try:
            problem, row = "", next(rows, ended)
        except csv.Error as error:
            also = f", in a row of {len(lines):,} lines" * (len(lines) > 1)
            problem, row = f"is not a readable row: {error}{also}", []
        if row is ended:
            break
        nothing = nothing and not row and not problem
        begin, last = lines[0][0], lines[-1][1]
        size = sum(len(line) for _, line in lines)
        if not problem and not any(cell.strip() for cell in row):
            window.passed_over += size
        elif problem := problem or _problem_of(row, header, lines, separator):
            yield Broken(begin, problem, size)
        else:
            yield Raw("csv", begin, json.dumps(dict(zip(header, row, strict=True))).encode(), size=size)
        if not problem and last and not last.endswith((b"\r", b"\n")):
            yield Broken(begin, "the last row may be cut off: the file ends inside its line; it was read", 0, 0)
        lines.clear()
    if nothing:
        yield Broken(0, "has a header and nothing under it" if any(header) else "is empty", 0, 0)


def _problem_of(row: list[str], header: list[str], lines: list[tuple[int, bytes]], separator: str) -> str:
    """Why a row cannot be read; empty if it can."""
    if any("\0" in cell for cell in row):
        return "has a NUL byte"
    if len(row) != len(header):
        return f"{len(row)} fields, the header has {len(header)}"
    if [cell.strip() for cell in row] == header:
        return "is the header again: a second table begins here, whose rows are read as if of the first"
    for offset, line in lines[1:]:
        inner = next(csv.reader([line.decode("utf-8", "replace")], delimiter=separator), [])
        if len(inner) == len(header) > 1 and _shape(inner[0]) == _shape(row[0]):
            problem = f"holds what looks like another row, at byte {offset}: is a quotation mark missing?"
            return f"{problem} All {len(lines):,} lines were not read"
    return ""


def _shape(name: str) -> str:
    """What the first cells of rows have in common: digits and letters as signs; a word or a text has none.

    >>> _shape("US7000001B2"), _shape("MED-10") == _shape("MED-9"), _shape("However") == _shape("however")
    ('a9a9', True, False)
    """
    shape = _LETTERS.sub("a", _DIGITS.sub("9", name.strip()))
    return shape if "9" in shape and " " not in shape else f"={name}"


@reader("csv", split=split_rows, parse_record=parse_record)
def read(content: bytes) -> Document:
    """The document that one row describes."""
    record = parse_record(content)
    if "id" not in with_our_names(record):
        columns = ", ".join(name[:20] for name in list(record)[:5])
        if re.fullmatch(r"\.I\s+\S+", columns):  # Cranfield, CACM, Medline, OHSUMED
            raise ValueError(
                "is no table but SMART's form of records (.I, .T, .W), which is not read: write JSON lines"
            )
        raise ValueError(f"id: missing; the header has {columns}: name a column id, or say with --map which it is")
    return from_record(record)
