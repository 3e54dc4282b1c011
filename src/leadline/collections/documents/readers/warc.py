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
_AGAIN = re.compile(rb"\nWARC/[01]\.\d+\r?\n")
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
        yield Broken(0, f"records that were not read: {listed}{more}")


def _records(window: Window, unread: Counter[str]) -> Iterator[Raw | Broken]:
    """The pages of a stream. After a damaged record the next one that begins a line is read."""
    while True:
        _skip_blank_lines(window)
        if not window.buffer:
            return
        start = window.begin
        if not _BEGIN.match(window.buffer):
            yield Broken(start, "no record begins here, where one should")
            if not _skip_to_record(window):
                return
            continue
        end = _find_end(window)
        if end is None:
            yield Broken(start, "the headers of a record do not end")
            window.drop(1)
            if not _skip_to_record(window):
                return
            continue
        headers = dict(
            reversed(parse_headers(window.buffer[: end.start()].decode("utf-8", "replace").splitlines()[1:]))
        )
        window.drop(end.end())
        length = headers.get("content-length", "")
        if not length.isdigit():
            yield Broken(start, "a record without its length")
            if not _skip_to_record(window):
                return
            continue
        kind = headers.get("warc-type", "").lower()
        wanted = kind in _READ and int(length) <= MAX_BODY
        block = _take(window, int(length), keep=wanted)
        if block is None:
            yield Broken(start, "the file ends in the middle of a record")
            return
        if wanted:
            yield from _page(headers, block, start, unread)
        elif int(length) > MAX_BODY:
            yield Broken(start, f"a record longer than {MAX_BODY >> 20} MiB; it was not read")
        elif kind not in _PASSED_OVER:
            unread[f"of the type {visible(kind[:40]) or '(none)'}"] += 1


def _page(headers: dict[str, str], block: bytes, offset: int, unread: Counter[str]) -> Iterator[Raw | Broken]:
    """The page that a record holds; if it holds none, the reason is counted."""
    address = "".join(headers.get("warc-target-uri", "").strip("<> ").split())
    captured = iso(headers.get("warc-date", "")[:10])
    kind, content, content_type, date = headers.get("warc-type", "").lower(), block, headers.get("content-type", ""), ""
    try:
        if kind == "response" and content_type.replace(" ", "").lower().startswith("application/http"):
            answer = parse_answer(block)
            content, content_type, date = answer.body, answer.named.get("content-type", ""), server_date(answer.named)
            if answer.status != 200 or robots_header(answer.all("x-robots-tag"))[0]:
                unread[f"with status {answer.status}" if answer.status != 200 else "with noindex"] += 1
                return
        media = media_type(content_type)
        if not address or media not in PAGE_TYPES or (media == PDF_TYPE and not reads_pdf()):
            unread[f"of {visible(media[:40]) or 'no media type'}" if address else "without an address"] += 1
            return
        if media in HTML_TYPES:
            check_html_packages("a WARC file of pages in HTML")
        yield Raw("warc", offset, packed_page(address, content_type, content, date or captured))
    except ValueError as error:
        yield Broken(offset, f"{address[:200]}: {error}")


def _skip_blank_lines(window: Window) -> None:
    while True:
        window.drop(len(window.buffer) - len(window.buffer.lstrip(b"\r\n")))
        if len(window.buffer) > 16 or not window.fill(1 << 16):
            return


def _skip_to_record(window: Window) -> bool:
    """Move to the next record that begins a line; False at the end of the stream."""
    while True:
        found = _AGAIN.search(window.buffer)
        if found:
            window.drop(found.start() + 1)
            return True
        window.drop(max(0, len(window.buffer) - 16))
        if not window.fill(1 << 20):
            window.drop(len(window.buffer))
            return False


def _find_end(window: Window) -> re.Match[bytes] | None:
    """The blank line that ends the headers."""
    while True:
        found = _END.search(window.buffer)
        if found or len(window.buffer) > _HEAD_BYTES or not window.fill(1 << 16):
            return found


def _take(window: Window, length: int, *, keep: bool) -> bytes | None:
    """The next bytes, empty if they are not kept; None where the stream ends before."""
    if keep:
        while len(window.buffer) < length:
            if not window.fill(length - len(window.buffer)):
                return None
        block = window.buffer[:length]
        window.drop(length)
        return block
    left = length
    while True:
        step = min(left, len(window.buffer))
        window.drop(step)
        left -= step
        if not left:
            return b""
        if not window.fill(1 << 20):
            return None


@reader("warc", split=split_records, recognises=is_warc, binary=True)
def read(content: bytes) -> Document:
    """One page."""
    return page_document(content)
