"""CSV and TSV with our names in the header. Lists in a cell are divided at semicolons."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.record_fields import from_record, parse_record, with_our_names
from leadline.collections.documents.registry import MAX_DOCUMENT_BYTES, Broken, Raw, Window, reader, rows_end_in_cr


def split_rows(window: Window) -> Iterator[Raw | Broken]:
    """The rows of a table, each as a JSON object under the names of the header."""
    offsets: list[int] = []

    def lines() -> Iterator[str]:
        for offset, line in window.ended_lines(lone_cr=rows_end_in_cr(window.buffer)):
            offsets.append(offset)
            yield line.decode("utf-8", "replace")

    source = lines()
    first = next(source, "")
    separator = next((mark for mark in "\t;," if mark in first), ",")
    csv.field_size_limit(MAX_DOCUMENT_BYTES)  # the module's own limit is shorter than many descriptions
    try:
        header = [name.strip() for name in next(csv.reader(io.StringIO(first), delimiter=separator), [])]
    except csv.Error as error:
        yield Broken(0, f"is not a readable table: {error}")
        return
    if twice := next((name for name, times in Counter(header).items() if name and times > 1), None):
        yield Broken(0, f"column {twice[:40]} is given twice; the table was not read")
        return
    # Strict: otherwise a stray quotation mark silently joins the next row to a cell.
    rows = csv.reader(source, delimiter=separator, strict=True)
    nothing = True
    while True:
        before = len(offsets)
        try:
            row = next(rows, None)
        except csv.Error as error:
            count = len(offsets) - before
            also = f", in a row of {count:,} lines" * (count > 1)
            yield Broken(offsets[before], f"is not a readable row: {error}{also}")
            row, nothing = [], False
        if row is None:
            break
        if row:
            nothing = False
        if any(cell.strip() for cell in row):
            if any("\0" in cell for cell in row):
                yield Broken(offsets[before], "has a NUL byte")
            elif len(row) == len(header):
                yield Raw("csv", offsets[before], json.dumps(dict(zip(header, row, strict=True))).encode())
            else:
                yield Broken(offsets[before], f"{len(row)} fields, the header has {len(header)}")
        offsets.clear()
    if nothing:
        yield Broken(0, "has a header and nothing under it" if any(header) else "is empty")


@reader("csv", split=split_rows, parse_record=parse_record)
def read(content: bytes) -> Document:
    """The document that one row describes."""
    record = parse_record(content)
    if "id" not in with_our_names(record):
        columns = ", ".join(name[:20] for name in list(record)[:5])
        raise ValueError(f"id: missing; the header has {columns}: name a column id, or say with --map which it is")
    return from_record(record)
