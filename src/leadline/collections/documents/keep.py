"""Which documents a collection keeps, and why it drops the others."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.collections.documents.document import OTHER_KINDS, Document
from leadline.errors import checked_choice

FIELDS = ("claims", "description", "abstract", "title")
DEFAULT_RULE = ("claims", "description|abstract")
ANY_TEXT = ("description|abstract|title",)  # of a collection in which nothing has claims
NO_CLAIMS = "no claims"


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

    Articles and pages need no claims. Records of a review and documents of a test collection need only a title or a
    text, unless another rule is given: reviewers judge records without an abstract too.

    >>> lacking(Document("X", abstract="About nails."), DEFAULT_RULE)
    'no claims'
    >>> lacking(Document("PMC1", kind="article", abstract="About nails."), DEFAULT_RULE)
    ''
    >>> lacking(Document("10051933", kind="record", title="Of nails"), DEFAULT_RULE)
    ''
    """
    if document.kind in ("record", "text") and rule == DEFAULT_RULE:
        return "" if has_text(document) else f"no title or {'abstract' if document.kind == 'record' else 'text'}"
    for part in rule:
        fields = part.split("|")
        if fields == ["claims"] and document.kind in OTHER_KINDS:
            continue
        if not any(getattr(document, field) for field in fields):
            return f"no {' or '.join(fields)}"
    return ""


def has_text(document: Document) -> bool:
    """Whether a document has a title, an abstract or a description."""
    return bool(document.title or document.abstract or document.description)


def needs_claims(document: Document) -> bool:
    """Whether the default rule keeps a document only if no other of its collection has claims."""
    return not document.claims and document.kind not in OTHER_KINDS and has_text(document)
