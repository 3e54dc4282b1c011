"""Which documents a collection keeps, and why it drops the others."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.collections.documents.document import Document
from leadline.errors import checked_choice

FIELDS = ("claims", "description", "abstract", "title")
DEFAULT_RULE = ("claims", "description|abstract")


def checked_rule(rule: str | Sequence[str], option: str = "--keep") -> tuple[str, ...]:
    """The fields a document must have, as a list or separated by commas; `|` separates alternatives.

    `all` requires nothing. `option` is the name of the rule in error messages.

    >>> checked_rule("claims,description|abstract"), checked_rule("all")
    (('claims', 'description|abstract'), ())
    """
    parts = rule.replace(" ", "").split(",") if isinstance(rule, str) else list(rule)
    for part in parts:
        for field in part.split("|"):
            checked_choice(option, field, (*FIELDS, "all"))
    return tuple(part for part in parts if "all" not in part.split("|"))


def lacking(document: Document, rule: tuple[str, ...]) -> str:
    """The reason why a document is dropped, such as "no claims"; empty when it is kept.

    Articles and pages need no claims. Records of a review need only a title, unless another rule is given: reviewers
    judge records without an abstract too.

    >>> lacking(Document("X", abstract="About nails."), DEFAULT_RULE)
    'no claims'
    >>> lacking(Document("PMC1", kind="article", abstract="About nails."), DEFAULT_RULE)
    ''
    >>> lacking(Document("10051933", kind="record", title="Of nails"), DEFAULT_RULE)
    ''
    """
    if document.kind == "record" and rule == DEFAULT_RULE:
        return "" if document.title or document.abstract else "no title or abstract"
    for part in rule:
        fields = part.split("|")
        if fields == ["claims"] and document.kind in ("article", "record", "page"):
            continue
        if not any(getattr(document, field) for field in fields):
            return f"no {' or '.join(fields)}"
    return ""
