"""RIS: references as Zotero, EndNote, Covidence and ASReview export them, in lines `TY  - JOUR`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.record_fields import (
    Fields,
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
from leadline.collections.documents.fields.writing import line
from leadline.collections.documents.registry import Broken, Raw, Window, reader, writer

_LINE = re.compile(r"([A-Z][A-Z0-9])  - ?(.*)")
_MARKER = tag_marker("TY", rb"TY  -", rb"TY  - (?:[A-Z]{2,8})?(?=\s|\Z)")
_INDENTED = re.compile(r"\s+[A-Z][A-Z0-9]  - "), "with blanks before a tag"
_OWN = "Leadline"  # the provider of a reference whose ID is the document's, whatever other numbers it has
_LABEL = re.compile(r"ASReview_(?:relevant|irrelevant|not_seen)", re.IGNORECASE)


def reference(document: Document, notes: Iterable[str] = ()) -> str:
    """A document as a reference, which `read` reads again, with everything that its source had besides.

    Notes that ASReview reads as labels are left out where others are given.

    >>> nails = Document("10051933", title="Of nails", inventors=("Ann",), reference=("ris:JO Lancet",))
    >>> print(reference(nails, ["read"]), end="")
    TY  - JOUR
    ID  - 10051933
    TI  - Of nails
    AU  - Ann
    JO  - Lancet
    N1  - read
    ER  -
    <BLANKLINE>
    """
    given, said = _fields(document), list(notes)
    if said:
        given = [(tag, text) for tag, text in given if tag != "N1" or not _LABEL.search(text)]
    lines = [f"{tag}  - {text}" for tag, text in [*given, *(("N1", " ".join(note.split())) for note in said if note)]]
    return "\n".join([*lines, "ER  - ", "", ""])


def _own_fields(document: Document) -> Lines:
    """The fields of a reference that every document has a place for."""
    fields = [("TY", "PAT" if document.office else "JOUR"), ("ID", document.id), ("TI", document.title)]
    fields += [("AU", name) for name in document.inventors]
    date = document.publication
    fields += [("PB", "; ".join(document.applicants)), ("PY", date[:4]), ("DA", date.replace("-", "/"))]
    fields += [("LA", document.language), ("AB", document.abstract)]
    return [(tag, " ".join(text.split())) for tag, text in fields if text]


def _fields(document: Document) -> Lines:
    """The fields of a reference: a document's own, in place of which its source's stand where these are different."""
    own, kept = _own_fields(document), in_form(document, "ris")
    replaced = {tag for tag, _ in kept}
    lines = [(tag, text) for tag, text in own if tag not in replaced]
    lines = [*((tag, text) for tag, text in kept if tag == "TY"), *lines, *(each for each in kept if each[0] != "TY")]
    if _identifier(_by_tag(lines), 0) == document.id:
        return lines
    # Another number of the record would be taken for its id.
    return [*(each for each in lines if each[0] != "ID"), ("ID", document.id), ("DP", _OWN)]


def _by_tag(lines: Lines) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for tag, text in lines:
        found.setdefault(tag, []).append(text)
    return found


def _identifier(fields: Fields, row: int) -> str:
    """The id of a reference."""

    own = first_text(fields, "ID") if _OWN in fields.get("DP", ()) else ""
    bases = " ".join((*fields.get("DB", ()), *fields.get("DP", ()))).lower()
    pubmed = first_text(fields, "AN") if "pubmed" in bases or "medline" in bases else ""
    return identifier(own, pubmed, first_text(fields, "DO", "M3", "UR"), first_text(fields, "ID", "AN"), row)


def split_references(window: Window) -> Iterator[Raw | Broken]:
    """The references of a stream."""
    once, several = ("TI", "AB", "DO", "PY"), ("AB", "DO")
    return tagged_records(
        window, "ris", _LINE, "TY", _pack, marker=_MARKER, once=once, several=several, odd=_INDENTED, end="ER"
    )


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

    document = record_document(
        _identifier(fields, row),
        title=first_text(fields, "TI", "T1", "CT", "BT"),
        # some have a line for each paragraph
        abstract=" ".join(filter(None, fields.get("AB", ()))) or first_text(fields, "N2"),
        authors=[name for tag in ("AU", "A1") for name in fields.get(tag, ())],
        published=first_text(fields, "DA", "PY", "Y1").replace("/", "-").strip("-"),
        language=first_text(fields, "LA"),
    )
    return replace(document, reference=kept_fields("ris", fields, [*_own_fields(document), ("DP", _OWN)]))


# The same form written.


_HOLDS = frozenset({"id", "language", "title", "abstract", "publication", "inventors", "reference"})


def limited_to_form(document: Document) -> Document:
    """A document as this form holds it: a record, whose abstract is one line."""
    named = replace(document, id="_".join(line(document.id).split()), abstract=line(document.abstract))
    kept = kept_fields("ris", _by_tag(_fields(named)), [*_own_fields(named), ("DP", _OWN)])
    return replace(named, kind="record", reference=kept)


@writer("ris", _HOLDS, limit=limited_to_form)
def write(document: Document) -> bytes:
    """One reference."""
    return reference(document).encode()
