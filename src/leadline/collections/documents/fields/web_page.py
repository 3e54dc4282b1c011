"""A page of the web as a document: its address is the id, its main text the description.

Readers of HTML and WARC files and the crawler all hand a page over in one form: a line of JSON with its address, type,
date and status, then its bytes decoded to UTF-8 (or as they are, for PDF).
"""

from __future__ import annotations

import email.utils
import json
from collections.abc import Mapping

from leadline.collections.documents.document import Document
from leadline.collections.documents.markup.charset import decoded_page
from leadline.collections.documents.markup.html import HtmlPage, read_page
from leadline.collections.documents.markup.pdf import pdf_texts

KIND = "page"
HTML_TYPES = ("text/html", "application/xhtml+xml")
PDF_TYPE = "application/pdf"
PAGE_TYPES = (*HTML_TYPES, "text/plain", PDF_TYPE)


def packed_page(address: str, content_type: str, content: bytes, date: str = "") -> bytes:
    """A page in the one form that `page_document` reads."""
    kind = media_type(content_type)
    if kind == PDF_TYPE:  # has NUL bytes, which a raw document may not have
        title, text = pdf_texts(content)
        head = {"address": address, "type": "text/plain", "date": date, "title": title}
        return json.dumps(head).encode() + b"\n" + text.replace("\0", "").encode("utf-8", "replace")
    head = {"address": address, "type": kind, "date": date}
    return json.dumps(head).encode() + b"\n" + decoded_page(content, content_type).encode("utf-8", "replace")


def unpacked_page(packed: bytes) -> tuple[dict[str, str], str]:
    """What is known of a page, and its text or markup."""
    first, _, content = packed.partition(b"\n")
    return json.loads(first), content.decode("utf-8", "replace")


def page_document(packed: bytes) -> Document:
    """The document of a page."""
    head, text = unpacked_page(packed)
    if head["type"] in HTML_TYPES:
        return document_of_page(head["address"], read_page(text), head.get("date", ""))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    body = "\n".join(line for line in lines if line)
    title = head.get("title") or body.partition("\n")[0][:200]
    return Document(id=head["address"], kind=KIND, title=title, description=body, publication=head.get("date", ""))


def document_of_page(address: str, page: HtmlPage, date: str = "") -> Document:
    """The document of a page that was read; `date` is what the server says, used where the page says nothing."""
    return Document(
        id=address, kind=KIND, language=page.language, title=page.title, abstract=page.summary,
        description=page.text, publication=page.date or date, inventors=page.authors,
    )  # fmt: skip


def media_type(content_type: str) -> str:
    """The media type of a Content-Type header.

    >>> media_type("Text/HTML; charset=utf-8")
    'text/html'
    """
    return content_type.partition(";")[0].strip().lower()


def server_date(headers: Mapping[str, str]) -> str:
    """The day of the header Last-Modified; empty where it is missing or wrong.

    >>> server_date({"last-modified": "Wed, 21 Oct 2015 07:28:00 GMT"})
    '2015-10-21'
    """
    try:
        return email.utils.parsedate_to_datetime(headers.get("last-modified", "")).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
