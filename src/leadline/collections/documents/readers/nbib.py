"""PubMed's own form, nbib: records in lines such as `PMID- 10051933` and `TI  - Of nails`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.record_fields import (
    begins_with_tags,
    first_text,
    identifier,
    packed,
    record_document,
    tag_marker,
    tagged_records,
    unpacked,
)
from leadline.collections.documents.fields.references import Lines, in_form, kept_fields
from leadline.collections.documents.registry import Broken, Raw, Window, reader

_LINE = re.compile(r"([A-Z][A-Z0-9]{0,3}) {0,3}- ?(.*)")
# Alone up to a line's end, or up to what some programs take for one: a text may name a number of PubMed.
_MARKER = tag_marker(
    "PMID",
    rb"PMID {0,3}-",
    rb"PMID- ?\d+(?=[ \t]*(?:[\r\n\x0b\x0c\x1c-\x1e]|\xc2\x85|\xe2\x80[\xa8\xa9]|\Z))",
)
_NOT_INDENTED = re.compile(r"\S"), "with neither a tag nor a blank"  # PubMed continues a line with six blanks
_DATE = re.compile(r"(\d{4}) ([A-Z][a-z]{2})(?: (\d{1,2})\b)?")


def split_citations(window: Window) -> Iterator[Raw | Broken]:
    """The records of a stream."""
    return tagged_records(
        window,
        "nbib",
        _LINE,
        "PMID",
        lambda fields, row: packed(fields, {}, row),
        marker=_MARKER,
        once=("OWN", "STAT", "TI", "AB", "DP", "SO"),
        odd=_NOT_INDENTED,
        usual_last="SO",
    )


def _date(written: str) -> str:
    """A date with the month's name in the middle, `2001 May 3`, in the order that dates are read."""
    found = _DATE.match(written)
    return written if found is None else " ".join(part for part in (found[2], found[3], found[1]) if part)


def begins_as_nbib(head: bytes) -> bool:
    return begins_with_tags(head, _MARKER, _LINE)


@reader("nbib", split=split_citations, recognises=begins_as_nbib, marker=_MARKER)
def read(content: bytes) -> Document:
    """One record."""
    fields, _, row = unpacked(content)

    doi = next((text for tag in ("LID", "AID") for text in fields.get(tag, ()) if text.endswith("[doi]")), "")
    document = record_document(
        identifier("", first_text(fields, "PMID"), doi, "", row),
        title=first_text(fields, "TI", "BTI"),
        abstract=first_text(fields, "AB", "OAB"),
        authors=fields.get("FAU") or fields.get("AU", ()),
        published=_date(first_text(fields, "DEP", "DP")),
        language=first_text(fields, "LA"),
    )
    return replace(document, reference=kept_fields("nbib", fields, _own_fields(document)))


# The same form written: for programs that read what PubMed gives.


def citation(document: Document, notes: Iterable[str] = ()) -> str:
    """A document as a record of PubMed's form, with everything that its source had besides.

    >>> print(citation(Document("10051933", title="Of nails", reference=("nbib:JT Lancet",)), ["read"]), end="")
    PMID- 10051933
    TI  - Of nails
    JT  - Lancet
    GN  - read
    <BLANKLINE>
    """
    own, kept = _own_fields(document), in_form(document, "nbib")
    replaced = {tag for tag, _ in kept}
    lines = [*(each for each in own if each[0] not in replaced or each[0] == "PMID"), *kept]
    lines += [("GN", " ".join(note.split())) for note in notes if note]
    return "\n".join([*(f"{tag:<4}- {text}" for tag, text in lines), "", ""])


def _own_fields(document: Document) -> Lines:
    """The fields of a record that every document has a place for."""
    fields = [("PMID", document.id), ("TI", document.title), ("AB", document.abstract)]
    fields += [("FAU", name) for name in document.inventors]
    fields += [("DP", document.publication.replace("-", " ")), ("LA", document.language)]
    return [(tag, " ".join(text.split())) for tag, text in fields if text]
