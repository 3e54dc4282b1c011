"""TSV without a header, as MS MARCO has its passages and documents: cells divided by tabs, nothing quoted.

- two columns: id, text
- three columns: id, title, text; or id, address, text
- four columns: id, address, title, text
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.record_fields import NAMES, OTHER_NAMES, from_record, parse_record
from leadline.collections.documents.fields.web_pages import decoded_text
from leadline.collections.documents.registry import BLANK, Broken, Raw, Window, head_lines, reader, rows_end_in_cr

_COLUMNS = {
    (2, False): ("id", "text"),
    (3, False): ("id", "title", "text"),
    (3, True): ("id", "url", "text"),
    (4, True): ("id", "url", "title", "text"),
}
_ADDRESS = re.compile(r"(?:https?|ftp)://\S|www\.\S", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d][\w .-]{0,40}")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")
_A_CR_IN_A_CELL = re.compile(rb"\r(?![\r\n])(?=[^\t\r\n]*(?:[\r\n]|\Z))")  # no cell follows in its line
_SAMPLE = 20  # lines that decide how many columns there are and what they hold


def layout(head: bytes) -> tuple[str, ...]:
    """The columns of a table without a header, by its first lines; empty if it is not one."""
    lines = head_lines(_A_CR_IN_A_CELL.sub(b" ", head), _SAMPLE)
    rows = [line.split("\t") for line in map(decoded_text, lines) if line.strip()]
    if not rows or has_header(rows):
        return ()
    (width, count), *_ = Counter(len(row) for row in rows).most_common(1)
    if 4 * count < 3 * len(rows):
        return ()
    rows = [row for row in rows if len(row) == width]  # the others are damaged
    if sum(len(row[0].split()) != 1 or "{" in row[0] or "<" in row[0] for row in rows) * 4 > len(rows):
        return ()
    addresses = width > 2 and all(_ADDRESS.match(row[1]) or not row[1].strip() for row in rows)
    if width > 2 and not addresses and all(_NUMBER.fullmatch(row[-1].strip()) for row in rows):
        return ()  # judgements and runs end with a number
    return _COLUMNS.get((width, addresses), ())


def has_header(rows: list[list[str]]) -> bool:
    """Whether the first of some rows names columns: by a known name, or by words without digits above longer texts.

    >>> has_header([["docid", "body"], ["7", "A nail."]]), has_header([["7", "A nail."], ["8", "A screw."]])
    (True, False)
    """
    first = [cell.strip() for cell in rows[0]]
    if not all(_NAME.fullmatch(cell) for cell in first):
        return False
    if {cell.lower() for cell in first} & {*NAMES, *OTHER_NAMES}:
        return True
    plain = not any(letter.isdigit() for letter in first[0]) and all(len(cell.split()) == 1 for cell in first)
    return plain and any(" " in cell.strip() for row in rows[1:] for cell in row)


def is_bare_tsv(head: bytes) -> bool:
    return b"\t" in head[: 1 << 12] and bool(layout(head))


def split_lines(window: Window) -> Iterator[Raw | Broken]:
    """The lines of a table, each as a JSON object under the names of its columns."""
    columns = layout(window.buffer.removeprefix(b"\xef\xbb\xbf"))
    if not columns:
        yield Broken(0, "is not TSV without a header: expected id, text; id, title, text; or id, url, title, text")
        return
    offset, line, size = 0, b"", 0
    for offset, line in _rows(window, len(columns)):
        content = line.rstrip(b"\r\n")
        cells = window.decoded(content, offset).split("\t")
        size = len(line)
        if b"\0" in line:
            yield Broken(offset, "has a NUL byte", size)
        elif len(cells) == len(columns):
            yield Raw("tsv", offset, json.dumps(dict(zip(columns, cells, strict=True))).encode(), size=size)
        elif content.strip(BLANK):
            yield Broken(offset, f"{len(cells)} columns, the lines before have {len(columns)}", size)
        else:
            window.passed_over += size
    if size and not line.endswith((b"\r", b"\n")) and line.count(b"\t") == len(columns) - 1:
        yield Broken(offset, "the last row may be cut off: the file ends inside its line; it was read", 0, 0)


def _rows(window: Window, width: int) -> Iterator[tuple[int, bytes]]:
    """Each row with its place and its end. Where most lines end otherwise, a CR ends a row if another row follows."""
    for offset, line in window.ended_lines(lone_cr=rows_end_in_cr(window.buffer)):
        if line.find(b"\r", 0, -2) < 0:
            yield offset, line
            continue
        at, row = offset, b""
        for part in line.splitlines(keepends=True):
            if row and row.count(b"\t") >= width - 1 and part.count(b"\t") >= width - 1:
                yield at, row
                at, row = at + len(row), b""
            row += part
        yield at, row


@reader("tsv", split=split_lines, recognises=is_bare_tsv, parse_record=parse_record)
def read(content: bytes) -> Document:
    """The document of one line."""
    return from_record({"kind": "text"} | parse_record(content))
