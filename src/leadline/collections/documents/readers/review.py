"""Tables of systematic reviews: title, abstract and a label, as ASReview exports them and as Cohen's data have them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.record_fields import identifier, packed, record_document, unpacked
from leadline.collections.documents.fields.references import column_name, kept_fields
from leadline.collections.documents.readers.csv import split_rows
from leadline.collections.documents.registry import Broken, Raw, Window, head_lines, reader

# Names of columns, the preferred one first; case, blanks and underscores are ignored.
_TITLE = ("title", "primarytitle", "articletitle")
_ABSTRACT = ("abstract", "notesabstract", "abstractnote")
_PMID = ("pubmedid", "pmid", "pubmed")
_DOI = ("doi",)
_NUMBER = ("recordid", "articleid", "record")
_AUTHORS = ("authors", "author", "authornames", "firstauthors")
_YEAR = ("year", "publicationyear", "publishedyear", "date")
LABELS = (
    "included",
    "labelincluded",
    "finalincluded",
    "finalinclusion",
    "asreviewlabel",
    "label",
    "includedlabel",
    "relevant",
    "labelabstractscreening",
    "abstractincluded",
)


def split_table(window: Window) -> Iterator[Raw | Broken]:
    """The rows of a table, with their numbers and labels."""
    for row, part in enumerate(split_rows(window), start=1):
        if isinstance(part, Broken):
            yield part
            continue
        cells: dict[str, str] = json.loads(part.content)
        labels = {name: cell for name, cell in cells.items() if _plain(name) in LABELS}
        yield Raw("review", part.offset, packed(cells, labels, row), size=part.size)


def is_review(head: bytes) -> bool:
    """Whether a header names a title and an abstract, and labels or other people's numbers, but not our own names."""
    line = b"".join(head_lines(head, 1)).decode("utf-8", "replace")
    separator = next((mark for mark in "\t;," if mark in line), ",")
    try:
        names = {_plain(name) for name in next(csv.reader(io.StringIO(line), delimiter=separator), [])}
    except csv.Error:
        return False
    labelled = bool(names.intersection(LABELS))
    numbered = "id" not in names and bool(names.intersection((*_PMID, *_DOI, *_NUMBER)))
    return bool(names.intersection(_TITLE)) and bool(names.intersection(_ABSTRACT)) and (labelled or numbered)


@reader("review", split=split_table, recognises=is_review)
def read(content: bytes) -> Document:
    """One row."""
    fields, labels, row = unpacked(content)
    cells = {_plain(name): cell.strip() for name, cell in fields.items()}
    authors = [name.strip() for name in re.split(r"[;|]", _first(cells, _AUTHORS))]
    document = record_document(
        identifier(cells.get("id", ""), _first(cells, _PMID), _first(cells, _DOI), _first(cells, _NUMBER), row),
        title=_first(cells, _TITLE),
        abstract=_first(cells, _ABSTRACT),
        authors=authors,
        published=_first(cells, _YEAR),
        language=cells.get("language", ""),
    )
    others = {column_name(name): [cell] for name, cell in fields.items() if _is_kept(name, cell, labels, document)}
    return replace(document, reference=kept_fields("table", others, []))


def _is_kept(name: str, cell: str, labels: Mapping[str, str], document: Document) -> bool:
    """Whether a column has what no other field of the document has."""
    plain, text = _plain(name), " ".join(cell.split())
    if not plain or name in labels or plain in (*_AUTHORS, *_YEAR, "id", "language"):
        return False
    return text not in (document.title, document.abstract)


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.strip().lower())


def _first(cells: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((cells[name] for name in names if cells.get(name)), "")


def chosen_label(columns: Iterator[str] | list[str]) -> str | None:
    """The column whose labels count where none is named: the final decision before that on the abstract."""
    known = {_plain(name): name for name in columns}
    return next((known[name] for name in LABELS if name in known), None)
