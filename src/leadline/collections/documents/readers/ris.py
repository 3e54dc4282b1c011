"""RIS: references as Zotero, EndNote, Covidence and ASReview export them, in lines `TY  - JOUR`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.record_fields import (
    Fields,
    begins_with_tags,
    identifier,
    packed,
    record_document,
    tag_marker,
    tagged_records,
    unpacked,
)
from leadline.collections.documents.fields.writing import line
from leadline.collections.documents.registry import Broken, Raw, Window, reader, writer

_LINE = re.compile(r"([A-Z][A-Z0-9])  - ?(.*)")
_MARKER = tag_marker("TY", rb"TY  -", rb"TY  - (?:[A-Z]{2,8})?(?=\s|\Z)")
_INDENTED = re.compile(r"\s+[A-Z][A-Z0-9]  - "), "with blanks before a tag"
_LABEL = re.compile(r"ASReview_(?:relevant|irrelevant|not_seen)", re.IGNORECASE)


def reference(document: Document, notes: Iterable[str] = ()) -> str:
    """A document as a reference, which `read` reads again.

    >>> print(reference(Document("10051933", title="Of nails", inventors=("Ann",)), ["read"]), end="")
    TY  - JOUR
    ID  - 10051933
    TI  - Of nails
    AU  - Ann
    N1  - read
    ER  -
    <BLANKLINE>
    """
    fields = [("TY", "PAT" if document.office else "JOUR"), ("ID", document.id), ("TI", document.title)]
    fields += [("AU", name) for name in document.inventors]
    date = document.publication
    fields += [("PB", "; ".join(document.applicants)), ("PY", date[:4]), ("DA", date.replace("-", "/"))]
    fields += [("LA", document.language), ("AB", document.abstract), *(("N1", note) for note in notes)]
    lines = [f"{tag}  - {' '.join(text.split())}" for tag, text in fields if text]
    return "\n".join([*lines, "ER  - ", "", ""])


def split_references(window: Window) -> Iterator[Raw | Broken]:
    """The references of a stream."""
    once = ("TI", "AB", "DO", "PY")
    return tagged_records(window, "ris", _LINE, "TY", _pack, marker=_MARKER, once=once, odd=_INDENTED, end="ER")


def _pack(fields: Fields, row: int) -> bytes:
    # ASReview writes a record's label among its notes.
    found = next((match[0] for note in fields.get("N1", ()) if (match := _LABEL.search(note))), None)
    return packed(fields, {} if found is None else {"N1": found}, row)


def begins_as_ris(head: bytes) -> bool:
    return begins_with_tags(head, _MARKER, _LINE)


@reader("ris", split=split_references, recognises=begins_as_ris, marker=_MARKER)
def read(content: bytes) -> Document:
    """One reference."""
    fields, _, row = unpacked(content)

    def first(*tags: str) -> str:
        return next((text for tag in tags for text in fields.get(tag, ()) if text), "")

    pubmed = first("AN") if "pubmed" in first("DB", "DP").lower() or "medline" in first("DB", "DP").lower() else ""
    return record_document(
        identifier("", pubmed, first("DO", "M3", "UR"), first("ID", "AN"), row),
        title=first("TI", "T1", "CT", "BT"),
        abstract=first("AB", "N2"),
        authors=[name for tag in ("AU", "A1") for name in fields.get(tag, ())],
        published=first("DA", "PY", "Y1").replace("/", "-").strip("-"),
        language=first("LA"),
    )


# The same form written.


_HOLDS = frozenset({"id", "language", "title", "abstract", "publication", "inventors"})


def limited_to_form(document: Document) -> Document:
    """A document as this form holds it: a record, whose abstract is one line."""
    return replace(document, id="_".join(line(document.id).split()), kind="record", abstract=line(document.abstract))


@writer("ris", _HOLDS, limit=limited_to_form)
def write(document: Document) -> bytes:
    """One reference."""
    return reference(document).encode()
