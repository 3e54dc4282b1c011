"""WARC and WET files: pages as crawlers keep them.

Read are responses with status 200 and resources that are HTML, plain text or PDF, and the conversions of WET files. The
id is the address, WARC-Target-URI; the date is the page's own, else that of Last-Modified, else that of its capture.
Requests, metadata and revisits are passed over; other records that are not read are counted, in one report for each
file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.web_pages import (
    HTML_TYPES,
    MAX_BODY,
    PAGE_TYPES,
    PDF_TYPE,
    check_html_packages,
    media_type,
    packed_page,
    page_document,
    parse_answer,
    parse_headers,
    reads_pdf,
    robots_header,
    server_date,
)
from leadline.collections.documents.registry import Broken, Raw, Window, reader
from leadline.errors import visible
from leadline.text.days import iso

_BEGIN = re.compile(rb"WARC/[01]\.\d+\r?\n")
_VERSION = re.compile(rb"WARC/[01]\.\d+\r?\n")
_AGAIN = re.compile(rb"\nWARC/[01]\.\d+\r?\n")
_NEXT = re.compile(rb"\r\n\r\n|[\r\n]*+(?:WARC/[01]\.\d+\r?\n|\Z)")  # behind a record
_RECORD = re.compile(rb"\nWARC/[01]\.\d+\r?\n(?:WARC-|Content-)", re.IGNORECASE)
_OVERLAP = 64  # bytes kept between pieces, so that no begin of a record is cut in two
_AFTER = 64  # bytes behind a record that show whether another begins there
_END = re.compile(rb"\r?\n\r?\n")
_HEAD_BYTES = 1 << 20  # of the headers of a record
_READ = frozenset({"response", "resource", "conversion"})
_PASSED_OVER = frozenset({"warcinfo", "request", "metadata", "revisit", "continuation"})
_MOST_REASONS = 5  # in the report of what was not read


def is_warc(head: bytes) -> bool:
    return _BEGIN.match(head) is not None


def split_records(window: Window) -> Iterator[Raw | Broken]:
    """The pages of a stream, then a report of the records that are no pages."""
    unread: Counter[str] = Counter()
    yield from _records(window, unread)
    if unread:
        listed = ", ".join(f"{number:,} {reason}" for reason, number in unread.most_common(_MOST_REASONS))
        more = f" and {len(unread) - _MOST_REASONS} more kinds" if len(unread) > _MOST_REASONS else ""
        yield Broken(0, f"records that were not read: {listed}{more}", 0, 0)


def _records(window: Window, unread: Counter[str]) -> Iterator[Raw | Broken]:
    """The pages of a stream. After a damaged record the next one that begins a line is read."""
    while True:
        _skip_blank_lines(window)
        if not window.buffer:
            return
        start = window.begin
        if not _BEGIN.match(window.buffer):
            _skip_to_record(window)
            yield Broken(start, "no record begins here, where one should", window.begin - start, 0)
            continue
        end = _find_end(window)
        if end is None:
            yield from _skipped(window, start, "the headers of a record do not end")
            continue
        headers = dict(
            reversed(parse_headers(window.buffer[: end.start()].decode("utf-8", "replace").splitlines()[1:]))
        )
        length = headers.get("content-length", "")
        if not length.isdigit() or _VERSION.search(window.buffer, len(b"WARC"), end.start()):
            other = "a record without its length" if not length.isdigit() else "another record begins in its headers"
            yield from _skipped(window, start, other)
            continue
        kind = headers.get("warc-type", "").lower()
        wanted = kind in _READ and int(length) <= MAX_BODY
        if wanted:
            while len(window.buffer) < end.end() + int(length) + _AFTER and window.fill(1 << 20):
                pass
            size = end.end() + int(length)
            if len(window.buffer) < size:
                yield from _skipped(window, start, "the file ends in the middle of a record")
            elif _NEXT.match(window.buffer, size) is None:
                problem = f"the length of the record, {int(length):,} bytes, does not lead to the next one"
                yield from _skipped(window, start, problem)
            else:
                block = window.buffer[end.end() : size]
                window.drop(size)
                yield from _page(window, headers, block, start, size, unread)
                yield from _another(start + end.end(), block)
            continue
        window.drop(end.end())
        is_whole, inside = _passed_over(window, int(length))
        yield from inside
        if not is_whole:
            yield Broken(start, "the file ends in the middle of a record", window.begin - start)
            return
        if kind in _PASSED_OVER and int(length) <= MAX_BODY:
            window.passed_over += window.begin - start
        elif int(length) > MAX_BODY:
            problem = f"a record longer than {MAX_BODY >> 20} MiB; it was not read"
            yield Broken(start, problem, window.begin - start)
        else:
            window.passed_over += window.begin - start
            unread[f"of the type {visible(kind[:40]) or '(none)'}"] += 1


def _skipped(window: Window, start: int, problem: str) -> Iterator[Broken]:
    """The report of a damaged record. The window moves to the next one, wherever its length would lead."""
    window.drop(1)
    _skip_to_record(window)
    yield Broken(start, f"{problem}; it was not read", window.begin - start)


def _page(
    window: Window, headers: dict[str, str], block: bytes, offset: int, size: int, unread: Counter[str]
) -> Iterator[Raw | Broken]:
    """The page that a record holds; if it holds none, the reason is counted."""
    address = "".join(headers.get("warc-target-uri", "").strip("<> ").split())
    captured = iso(headers.get("warc-date", "")[:10])
    kind, content, content_type, date = headers.get("warc-type", "").lower(), block, headers.get("content-type", ""), ""
    try:
        reason = ""
        if kind == "response" and content_type.replace(" ", "").lower().startswith("application/http"):
            answer = parse_answer(block)
            content, content_type, date = answer.body, answer.named.get("content-type", ""), server_date(answer.named)
            if answer.status != 200 or robots_header(answer.all("x-robots-tag"))[0]:
                reason = f"with status {answer.status}" if answer.status != 200 else "with noindex"
        media = media_type(content_type)
        if not reason and (not address or media not in PAGE_TYPES or (media == PDF_TYPE and not reads_pdf())):
            reason = f"of {visible(media[:40]) or 'no media type'}" if address else "without an address"
        if reason:
            unread[reason] += 1
            window.passed_over += size
            return
        if media in HTML_TYPES:
            check_html_packages("a WARC file of pages in HTML")
        yield Raw("warc", offset, packed_page(address, content_type, content, date or captured), size=size)
    except ValueError as error:
        yield Broken(offset, f"{address[:200]}: {error}", size)


def _skip_blank_lines(window: Window) -> None:
    while True:
        blank = len(window.buffer) - len(window.buffer.lstrip(b"\r\n"))
        window.passed_over += blank
        window.drop(blank)
        if len(window.buffer) > 16 or not window.fill(1 << 16):
            return


def _skip_to_record(window: Window) -> None:
    """Move to the next record that begins a line, or to the end of the stream."""
    while True:
        found = _AGAIN.search(window.buffer)
        if found:
            window.drop(found.start() + 1)
            return
        window.drop(max(0, len(window.buffer) - 16))
        if not window.fill(1 << 20):
            window.drop(len(window.buffer))
            return


def _find_end(window: Window) -> re.Match[bytes] | None:
    """The blank line that ends the headers."""
    while True:
        found = _END.search(window.buffer)
        if found or len(window.buffer) > _HEAD_BYTES or not window.fill(1 << 16):
            return found


def _passed_over(window: Window, length: int) -> tuple[bool, list[Broken]]:
    """Drop so many bytes; whether the stream has them, and the report of another record in them."""
    end = window.begin + length
    inside: list[Broken] = []
    while True:
        inside = inside or list(_another(window.begin, window.buffer[: end - window.begin]))
        if window.begin + len(window.buffer) >= end:
            window.drop(end - window.begin)
            return True, inside
        window.drop(max(0, len(window.buffer) - _OVERLAP))
        if not window.fill(1 << 20):
            window.drop(len(window.buffer))
            return False, inside


def _another(begin: int, block: bytes) -> Iterator[Broken]:
    """The report of what looks like another record in a block, whose length may be wrong; a page may show one, too."""
    at = block.find(b"\nWARC/")
    while at >= 0 and _RECORD.match(block, at) is None:
        at = block.find(b"\nWARC/", at + 1)
    if at >= 0:
        problem = "what looks like another record begins inside one: it was taken for a part of it"
        yield Broken(begin + at + 1, problem, 0, 0)


@reader("warc", split=split_records, recognises=is_warc, binary=True)
def read(content: bytes) -> Document:
    """One page."""
    return page_document(content)
