"""A stream of bytes cut into single documents, without parsing them.

Offices publish a week in one file: thousands of documents, each with its own XML declaration, which no parser takes
for one text. Here a document is found by the start and the end of its root element. What stands between documents is
dropped, the document type with it, so that no entity is ever defined. One that does not end is reported where it
begins, and the next is read all the same.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from leadline.collections.documents.readers.forms import XML_ROOTS

LARGEST = 256 << 20  # bytes of one document: ten times the longest sequence listing printed
_NAMES = "|".join(re.escape(root) for root in XML_ROOTS)
_START = re.compile(rb"<((?:[A-Za-z_][\w.-]*:)?(" + _NAMES.encode() + rb"))(?=[\s>/])")
_ENCODING = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.-]+)")
_NAMESPACE = re.compile(rb"\sxmlns(?::[\w.-]+)?\s*=\s*(?:\"[^\"<]*\"|'[^'<]*')")
_ELEMENT = re.compile(rb"<([A-Za-z_][\w.:-]{0,80})")
_RECORD = re.compile(rb"^PATN[ \t]*\r?$", re.MULTILINE)
_BETWEEN = re.compile(r"[\s,]*")
_OVERLAP = 256  # bytes kept between pieces, so that no tag is cut in two
_HEAD = 1 << 16


@dataclass(frozen=True, slots=True)
class Raw:
    """One document as it stands in its source."""

    form: str  # the root element of XML, or the name of another form
    offset: int  # of its first byte, in the unpacked stream
    content: bytes
    encoding: str = "utf-8"


@dataclass(frozen=True, slots=True)
class Broken:
    """A place where a document should be and is not."""

    offset: int
    reason: str


def split(pieces: Iterator[bytes], form: str | None = None) -> Iterator[Raw | Broken]:
    """The documents of a stream; what it holds, its beginning tells, unless `form` does.

    >>> week = [b"<?xml version='1.0'?><PATDOC>1</PATDOC>\\n<?xml version='1.0'?><PATDOC>2</PAT", b"DOC>"]
    >>> [(raw.offset, raw.content) for raw in split(iter(week))]
    [(21, b'<PATDOC>1</PATDOC>'), (61, b'<PATDOC>2</PATDOC>')]
    """
    window = _Window(pieces)
    window.fill(_HEAD)
    head = window.buffer.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return iter([Broken(0, "is UTF-16 text; save it as UTF-8")])
    if head[:2] == b"PK":
        return iter([Broken(0, "is a damaged archive")])
    if b"\0" in head:
        return iter([Broken(0, "is not a text")])
    if form is None:
        form = _form_of(head)
    if form == "greenbook":
        return _green_book(window)
    if form == "json":
        return _json_array(window) if head[:1] == b"[" else _json_lines(window)
    if form == "csv":
        return _csv(window)
    return _xml(window)


def _form_of(head: bytes) -> str:
    if head[:1] == b"<":
        return "xml"
    if head[:1] in (b"{", b"["):
        return "json"
    return "greenbook" if _RECORD.search(head) else "csv"


class _Window:
    """The part of a stream that is in memory, and where in the stream it begins."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.pieces = pieces
        self.buffer = b""
        self.begin = 0  # of the buffer in the stream
        self.ended = False

    def fill(self, at_least: int = 1) -> bool:
        """Take in more bytes; False when there are no more."""
        fresh, count = [self.buffer], 0
        while count < at_least and not self.ended:
            piece = next(self.pieces, None)
            self.ended = piece is None
            fresh.append(piece or b"")
            count += len(fresh[-1])
        self.buffer = b"".join(fresh)
        return count > 0

    def forget(self, count: int) -> None:
        """Let go of the first bytes."""
        self.buffer = self.buffer[count:]
        self.begin += count


def _xml(window: _Window) -> Iterator[Raw | Broken]:
    encoding, namespaces = "utf-8", b""
    found_any = False
    met = _ELEMENT.search(window.buffer)
    root_met = f": its root is {met[1].decode('ascii', 'replace')}" if met else ""
    position = 0
    while True:
        start = _START.search(window.buffer, position)
        gap = window.buffer[position : start.start() if start else None]
        if declared := _ENCODING.search(gap):
            encoding = declared[1].decode("ascii").lower()
        if not found_any:  # what wraps the documents may declare the prefixes they use
            namespaces += b"".join(dict.fromkeys(_NAMESPACE.findall(gap)))
        if start is None:
            window.forget(max(position, len(window.buffer) - _OVERLAP))
            position = 0
            if not window.fill(1 << 20):
                if not found_any:
                    yield Broken(0, f"no document of a known form{root_met}")
                return
            continue
        found_any = True
        name, root = start[1], start[2].decode()
        begin, length, problem = _extent(window, start.start(), name)
        if problem:
            yield Broken(window.begin + begin, problem)
            position = begin + 1
            continue
        content = window.buffer[begin : begin + length]
        yield Raw(root, window.begin + begin, _with_namespaces(content, name, namespaces), encoding)
        position = begin + length


def _extent(window: _Window, begin: int, name: bytes) -> tuple[int, int, str]:
    """Where in the window the document stands that begins at a place, and how long it is, or why it has no length."""
    end = re.compile(rb"</" + re.escape(name) + rb"\s*>")
    again = re.compile(rb"<" + re.escape(name) + rb"[\s>]")
    seen, more = len(name) + 1, 4 << 20
    while True:
        closed = _first(end, b"</" + name, window.buffer, begin + seen, len(window.buffer))
        limit = closed.start() if closed else len(window.buffer)
        if other := _first(again, b"<" + name, window.buffer, begin + seen, limit):
            at = window.begin + other.start()
            return begin, 0, f"does not end before the next document begins, at byte {at}"
        if closed:
            return begin, closed.end() - begin, ""
        if len(window.buffer) - begin > LARGEST:
            return begin, 0, f"is longer than {LARGEST >> 20} MiB"
        seen = max(seen, len(window.buffer) - begin - _OVERLAP)
        window.forget(begin)
        begin = 0
        if not window.fill(more):
            return begin, 0, "the file ends in the middle of it"
        more *= 2


def _first(pattern: re.Pattern[bytes], opening: bytes, text: bytes, start: int, end: int) -> re.Match[bytes] | None:
    """What `search` would find; the opening letters are looked for first, at the speed of memory."""
    at = text.find(opening, start, end)
    while at >= 0:
        if found := pattern.match(text, at):
            return found
        at = text.find(opening, at + 1, end)
    return None


def _with_namespaces(content: bytes, name: bytes, namespaces: bytes) -> bytes:
    if not namespaces:
        return content
    opening = content[: content.find(b">") + 1]
    missing = [found for found in _NAMESPACE.findall(namespaces) if found.split(b"=")[0].strip() not in opening]
    at = len(name) + 1
    return content[:at] + b"".join(missing) + content[at:]


def _green_book(window: _Window) -> Iterator[Raw | Broken]:
    start = _RECORD.search(window.buffer)
    if start is None:
        yield Broken(0, "no line PATN, which begins a Green Book record")
        return
    begin = start.start()
    while True:
        nearest = _RECORD.search(window.buffer, begin + 4)
        while nearest is None and len(window.buffer) - begin <= LARGEST:
            window.forget(begin)
            begin = 0
            if not window.fill(4 << 20):
                break
            nearest = _RECORD.search(window.buffer, 4)
        end = nearest.start() if nearest else len(window.buffer)
        yield Raw("greenbook", window.begin + begin, window.buffer[begin:end])
        if nearest is None:
            return
        begin = end


def _lines(window: _Window) -> Iterator[tuple[int, bytes]]:
    """Each line with the place where it begins."""
    window.buffer = window.buffer.removeprefix(b"\xef\xbb\xbf")
    while True:
        lines = window.buffer.split(b"\n")
        at = window.begin
        for line in lines[:-1]:
            yield at, line
            at += len(line) + 1
        window.forget(len(window.buffer) - len(lines[-1]))
        if len(lines[-1]) > LARGEST or not window.fill(4 << 20):
            if lines[-1].strip():
                yield at, lines[-1]
            return


def _json_lines(window: _Window) -> Iterator[Raw | Broken]:
    for offset, line in _lines(window):
        if line.strip():
            yield Raw("json", offset, line)


def _json_array(window: _Window) -> Iterator[Raw | Broken]:
    while window.fill(1 << 24):
        if len(window.buffer) > LARGEST:
            yield Broken(0, f"a JSON list longer than {LARGEST >> 20} MiB; write one object a line")
            return
    text = window.buffer.decode("utf-8-sig", "replace")
    decoder, at, offset = json.JSONDecoder(), text.index("[") + 1, 0
    while True:
        begin = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
        if text[begin : begin + 1] in ("]", ""):
            return
        offset += len(text[at:begin].encode()) if offset else len(text[:begin].encode())
        try:
            _, at = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError) as error:
            yield Broken(offset, f"is not readable JSON: {' '.join(str(error).split())[:100]}")
            return
        record = text[begin:at].encode()
        yield Raw("json", offset, record)
        offset += len(record)


def _csv(window: _Window) -> Iterator[Raw | Broken]:
    """Rows become JSON records under the names of the header: what reads one reads the other."""
    offsets: list[int] = []

    def lines() -> Iterator[str]:
        for offset, line in _lines(window):
            offsets.append(offset)
            yield line.decode("utf-8", "replace") + "\n"

    source = lines()
    first = next(source, "")
    separator = next((mark for mark in "\t;," if mark in first), ",")
    csv.field_size_limit(LARGEST)  # a description is longer than what the module allows for
    try:
        header = [name.strip() for name in next(csv.reader(io.StringIO(first), delimiter=separator), [])]
    except csv.Error as error:
        yield Broken(0, f"is not a readable table: {error}")
        return
    rows = csv.reader(source, delimiter=separator)
    while True:
        before = len(offsets)
        try:
            row = next(rows, None)
        except csv.Error as error:
            yield Broken(offsets[-1], f"is not a readable row: {error}")
            continue
        if row is None:
            return
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(header):
            yield Broken(offsets[before], f"{len(row)} fields, the header has {len(header)}")
            continue
        yield Raw("csv", offsets[before], json.dumps(dict(zip(header, row, strict=True))).encode())
        offsets.clear()
