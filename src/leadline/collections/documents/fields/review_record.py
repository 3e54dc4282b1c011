"""Records of systematic reviews: their ids, documents and labels, whatever the form of the export."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from leadline.collections.documents.document import Document
from leadline.text.days import iso

FORMS = ("nbib", "review", "ris")  # the readers whose records may have labels
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_PMID = re.compile(r"(?:PMID:?\s*)?(\d{1,9})(?:\.0)?", re.IGNORECASE)
_WORDS = {
    **dict.fromkeys(("1", "1.0", "yes", "y", "true", "included", "include", "relevant", "asreview_relevant"), 1),
    **dict.fromkeys(("0", "0.0", "no", "n", "false", "excluded", "exclude", "irrelevant", "asreview_irrelevant"), 0),
}
_NO_LABEL = frozenset({"", "-1", "-1.0", "na", "nan", "none", "null", "asreview_not_seen", "not seen", "unlabelled"})


def identifier(own: str, pmid: str, doi: str, other: str, row: int) -> str:
    """The id of a record: its own, else its number in PubMed, its DOI, its number in the export, or its row.

    Runs and judgements divide fields by blanks, so blanks become underscores.

    >>> identifier("", "10051933.0", "10.1/x", "7", 1), identifier("", "", "https://doi.org/10.1234/AB", "7", 1)
    ('10051933', '10.1234/ab')
    >>> identifier("", "", "", "", 12)
    'row12'
    """
    pubmed, found = _PMID.fullmatch(pmid.strip()), _DOI.search(doi)
    chosen = own or (pubmed[1] if pubmed else "") or (found[0].lower() if found else "") or other or f"row{row}"
    return "_".join(chosen.split())


def packed(form_fields: Mapping[str, Any], label: Mapping[str, str], row: int) -> bytes:
    """A record as the bytes that its reader gets."""
    return json.dumps({"fields": form_fields, "labels": label, "row": row}).encode()


def unpacked(content: bytes) -> tuple[dict[str, Any], dict[str, str], int]:
    """The fields, the labels by their column, and the number of the row."""
    record = json.loads(content)
    return record["fields"], record["labels"], record["row"]


def record_document(
    number: str, *, title: str, abstract: str, authors: Iterable[str], published: str, language: str = ""
) -> Document:
    """A record as a document."""
    title, abstract = " ".join(title.split()), " ".join(abstract.split())
    return Document(
        id=number, kind="record", language=language.lower()[:2] if language else "", title=title, abstract=abstract,
        publication=iso(published.removesuffix(".0")), inventors=tuple(name for name in authors if name),
    )  # fmt: skip


def grade(label: str) -> int | None:
    """The grade that a label means, None where the record is not labelled; ValueError for another word.

    >>> grade("1"), grade("Excluded"), grade("ASReview_not_seen")
    (1, 0, None)
    """
    word = label.strip().lower()
    if word in _NO_LABEL:
        return None
    if word not in _WORDS:
        raise ValueError(f"label {label[:40]!r} is not one of 1, 0, yes, no, included, excluded")
    return _WORDS[word]
