"""Which documents a collection keeps, and why it drops the others."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.collections.documents.document import Document
from leadline.errors import checked_choice

FIELDS = ("claims", "description", "abstract", "title")
USUAL = ("claims", "description|abstract")


def checked_rule(rule: str | Sequence[str]) -> tuple[str, ...]:
    """What a document must have: fields apart by commas, alternatives apart by bars; `all` asks for nothing.

    >>> checked_rule("claims,description|abstract"), checked_rule("all")
    (('claims', 'description|abstract'), ())
    """
    parts = rule.replace(" ", "").split(",") if isinstance(rule, str) else list(rule)
    if parts == ["all"]:
        return ()
    for part in parts:
        for field in part.split("|"):
            checked_choice("--keep", field, (*FIELDS, "all"))
    return tuple(parts)


def lacking(document: Document, rule: tuple[str, ...]) -> str:
    """What a document lacks, in words; empty when it may stay. Nobody expects claims of an article.

    >>> lacking(Document("X", abstract="About nails."), USUAL)
    'no claims'
    >>> lacking(Document("PMC1", kind="article", abstract="About nails."), USUAL)
    ''
    """
    for part in rule:
        fields = part.split("|")
        if fields == ["claims"] and document.kind == "article":
            continue
        if not any(getattr(document, field) for field in fields):
            return f"no {' or '.join(fields)}"
    return ""
