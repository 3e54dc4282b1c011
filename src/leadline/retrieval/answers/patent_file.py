"""Read one patent from a file: in any form that a collection is built from, or as plain text."""

from __future__ import annotations

import os
import re
from pathlib import PurePath

from leadline.collections.documents.claims import split
from leadline.collections.documents.document import Document
from leadline.errors import InputError
from leadline.retrieval.pipeline.outside_patents import read_patents
from leadline.text.source import read_text

_TABLES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xml", ".sgml", ".sgm", ".zip", ".tar")
_RECORDS = re.compile(rb"^PATN[ \t]*\r?$", re.MULTILINE)  # of the Green Book
_CLAIMS = re.compile(
    r"^[^\w\n]*(?:(?:patent\s*)?claims?|(?:patent)?ansprüche|revendications?)\W*$"
    r"|^(?=what is claimed\b|(?:we|i) claim\b)",
    re.IGNORECASE | re.MULTILINE,
)
_TITLE = re.compile(r"(?:title|titel|titre)\s*:\s*(?=\S)", re.IGNORECASE)
_LONGEST_TITLE = 300  # letters


def read_patent(path: str | os.PathLike[str]) -> Document:
    """The patent that a file holds."""
    name = os.fspath(path)
    if not _is_marked_up(name):
        return patent_of_text(read_text(name).bytes().decode("utf-8", "replace"), PurePath(name).stem, name)
    found = list(read_patents(name))
    if len(found) > 1:
        some = ", ".join(document.id for document in found[:3])
        raise InputError(name, f"holds {len(found):,} patents ({some} …): give a file with one, or its number")
    return found[0]


def _is_marked_up(name: str) -> bool:
    endings = [ending.lower() for ending in PurePath(name).suffixes[-2:]]
    if any(ending in _TABLES for ending in endings):
        return True
    head = read_text(name).bytes()[: 1 << 16].lstrip()
    return head[:1] in (b"<", b"{", b"[") or _RECORDS.search(head) is not None


def patent_of_text(text: str, name: str, where: str = "text") -> Document:
    """A patent from plain text: a short first line is the title, and the claims follow a line "Claims".

    >>> text = "A nail\\n\\nNails bend; ours does not.\\n\\nClaims\\n1. A nail.\\n2. The nail of claim 1, bent."
    >>> found = patent_of_text(text, "X")
    >>> found.title, found.description, [claim.parents for claim in found.claims]
    ('A nail', 'Nails bend; ours does not.', [(), (1,)])
    """
    if not any(map(str.isalnum, text)):
        raise InputError(where, "has no words")
    headings = list(_CLAIMS.finditer(text))
    before, after = (text[: headings[-1].start()], text[headings[-1].end() :]) if headings else (text, "")
    lines = [line.strip() for line in before.strip().splitlines() if line.strip()]
    is_titled = len(lines) > 1 or (lines and after.strip())  # a line alone is a title where claims follow it
    title = _TITLE.sub("", lines.pop(0)) if is_titled and len(lines[0]) <= _LONGEST_TITLE else ""
    identifier = "-".join(name.split()) or "text"
    claims = split(after) if after.strip() else ()
    return Document(identifier, title=title, description="\n".join(lines), claims=claims)
