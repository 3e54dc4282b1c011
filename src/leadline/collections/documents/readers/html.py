"""Pages in HTML, one a file.

The id of a page is the address that it says is its own (rel=canonical, og:url); without one it is the name of its file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.web_pages import (
    check_html_packages,
    document_of_page,
    packed_page,
    read_page,
    unpacked_page,
)
from leadline.collections.documents.registry import Broken, Raw, Window, reader

MAX_PAGE_BYTES = 64 << 20
_BEGINS = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,5000}?-->\s*)*(?:<!doctype\s+html\b|<html[\s>]|<head[\s>]|<body[\s>])",
    re.IGNORECASE | re.DOTALL,
)
_ELEMENTS = re.compile(rb"<(?:html|body)[\s>]", re.IGNORECASE)
_END = re.compile(rb"</(?:html|body)\s*>", re.IGNORECASE)
_DOCTYPE = re.compile(rb"<!doctype\s+html\b", re.IGNORECASE)
_PAGE = re.compile(rb"<html[\s>]", re.IGNORECASE)


def is_html(head: bytes) -> bool:
    return _BEGINS.match(head) is not None


def split_page(window: Window) -> Iterator[Raw | Broken]:
    """The one page of a stream."""
    check_html_packages(window.name or "a page in HTML")
    while window.fill(1 << 20):
        if len(window.buffer) > MAX_PAGE_BYTES:
            yield Broken(0, f"is longer than {MAX_PAGE_BYTES >> 20} MiB, which no page is")
            return
    name = window.name.replace("\\", "/").removeprefix("./")
    page = window.buffer
    yield Raw("html", 0, packed_page(name or "page.html", "text/html", page), size=len(page))
    end = _END.search(page)
    if end is None and _ELEMENTS.search(page):
        yield Broken(0, "the page may be cut off: no end tag of body or html ends it; it was read", 0, 0)
    first = _DOCTYPE.search(page)
    again = (first and _DOCTYPE.search(page, first.end())) or (end and _PAGE.search(page, end.end()))
    if again:
        yield Broken(again.start(), "another page begins here; both were read as one", 0, 0)


@reader("html", split=split_page, recognises=is_html)
def read(content: bytes) -> Document:
    """One page."""
    head, text = unpacked_page(content)
    page = read_page(text)
    own = page.canonical if page.canonical.startswith(("http://", "https://")) else ""
    return document_of_page("".join(own.split()) or "_".join(head["address"].split()), page, head.get("date", ""))
