"""XML4IP: parts of an application as the applicant sent them, from the file wrapper of the United States' office.

Each file is one part of one day: claims (CLM), specification (SPEC) or abstract (ABST). An application has several
versions of each, and `merge` keeps the latest.

- Number: the application's, since it is not published. There is no title and no class.
- Filed: the day on which the first of the given parts reached the office, which is the day of filing if the first
  version is among them.
- Text: recognised from scanned pages. Headers, footers, numbers of lines, pages and paragraphs, cancelled claims, and
  the status of a claim ("currently amended") are left out.
- A letter that asks to change some paragraphs of the description never replaces the description.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from leadline.collections.documents.document import Claim, Document, limited
from leadline.collections.documents.fields.patent_offices import application, read_claim
from leadline.collections.documents.registry import Element, local_name, reader, text_of
from leadline.text.days import iso

ROOTS = ("ClaimsDocument", "SpecificationDocument")

_SILENT = frozenset({"BoundaryData", "ClaimLabelText"})
_BLOCKS = frozenset({"P", "Heading", "ClaimText", "LI", "Row", "row", "Entry", "entry", "Br"})
_PARAGRAPH_NUMBER = re.compile(r"\[[0-9]{3,5}\]\s*")
_PAGE_NUMBER = re.compile(r"[-\s]*[0-9]{1,3}[-\s]*")
_LETTER = re.compile(
    r"\b(?:amendments? to the (?:specification|description)|please (?:replace|amend|delete|add|insert|cancel)|"
    r"(?:clean|substitute|marked-up) (?:copy|version|specification))\b",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"(?:[0-9]{1,4}\s?[.)]\s*)?\(\s*(?:(?:currently|previously) (?:amended|presented|added)|original|new|withdrawn|"
    r"re-?presented|not entered|amended|allowed)[^()]{0,40}\)\s*[:.,]?\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FileWrapper(Document):
    """An application, and the days on which its texts were mailed."""

    abstract_mailed: str = ""
    description_mailed: str = ""
    claims_mailed: str = ""


def merge(first: Document, second: Document) -> FileWrapper:
    """Two parts of one application as one document. Of two versions of a text, the later one is kept.

    >>> older = FileWrapper("US1", abstract="Nail.", abstract_mailed="2013-08-08", application="2013-08-08")
    >>> newer = FileWrapper("US1", claims=(Claim(1, "A nail."),), claims_mailed="2014-11-18", application="2014-11-18")
    >>> both = merge(newer, older)
    >>> both.abstract, both.claims[0].text, both.application
    ('Nail.', 'A nail.', '2013-08-08')
    """
    if not isinstance(first, FileWrapper) or not isinstance(second, FileWrapper) or first.id != second.id:
        raise ValueError(f"{first.id} and {second.id} are not parts of one application")
    latest: dict[str, Any] = {}
    for text in ("abstract", "description", "claims"):
        mailed = f"{text}_mailed"
        kept = max((first, second), key=lambda part: (bool(getattr(part, text)), getattr(part, mailed), part is second))
        latest |= {text: getattr(kept, text), mailed: getattr(kept, mailed)}
    filed = min(filter(None, (first.application, second.application)), default="")
    return replace(first, application=filed, **latest)


@reader("uspto_wrapper", *ROOTS, merge=merge)
def read(element: Element) -> FileWrapper:
    """One part of an application."""
    fields = {local_name(node.tag): node for node in element.iter("{*}*")}
    printed = text_of(fields.get("ApplicationNumber"))
    if not re.search("[0-9]", printed):
        raise ValueError("the part has no application number (ApplicationNumber)")
    number, mailed = application(printed), iso(text_of(fields.get("MailRoomDate")))
    serial, code = number.removeprefix("US"), text_of(fields.get("DocumentCode"))
    document = FileWrapper(number, "US", serial, language="en", application=mailed, application_number=number)
    if code == "CLM":
        return replace(document, claims=_claims(element), claims_mailed=mailed)
    if code not in ("SPEC", "ABST"):
        raise ValueError(f"{code or 'a part without code'} is not CLM, SPEC or ABST (DocumentCode)")
    lines = list(_lines(fields.get("Specification")))
    if code == "ABST":
        abstract = (text for name, text in lines if name != "Heading" and not _is_request(text))
        return replace(document, abstract="\n".join(abstract), abstract_mailed=mailed)
    is_letter = any(_LETTER.search(text) for _, text in lines[:3])
    description = "\n".join(text for _, text in lines)
    return replace(document, description=description, description_mailed="" if is_letter else mailed)


def _is_request(text: str) -> bool:
    """Whether a paragraph of an abstract is addressed to the office."""
    return len(text) < 200 and _LETTER.search(text) is not None


def _words(element: Element) -> Iterator[str]:
    """The text below an element, without page furniture and claim labels."""
    yield element.text or ""
    for child in element:
        name = local_name(child.tag)
        if name in _SILENT:
            yield " "
        elif name in _BLOCKS:
            yield from (" ", *_words(child), " ")
        else:
            yield from _words(child)
        yield child.tail or ""


def _text(element: Element) -> str:
    return " ".join("".join(_words(element)).split())


def _lines(specification: Element | None) -> Iterator[tuple[str, str]]:
    """Paragraphs and headings, each with its name."""
    for child in () if specification is None else specification:
        name = local_name(child.tag)
        text = "" if name in _SILENT else _PARAGRAPH_NUMBER.sub("", _text(child), count=1)
        if text and not _PAGE_NUMBER.fullmatch(text):
            yield name, text


def _claims(element: Element) -> tuple[Claim, ...]:
    found: dict[str, tuple[int, str, list[str]]] = {}
    for claim in element.iter("{*}Claim"):
        number = "".join(text_of(node) for node in claim.findall("{*}ClaimNumber"))
        status = "".join(text_of(node).lower() for node in claim.findall("{*}ClaimStatusCategory"))
        texts = [text for node in claim.findall("{*}ClaimText") if not _PAGE_NUMBER.fullmatch(text := _text(node))]
        text = _STATUS.sub("", " ".join(filter(None, texts)), count=1).lstrip(" .:")
        if text and number.isdigit() and not status.startswith("cancel"):
            references = claim.iter("{*}ClaimReference")
            marked = [name for node in references for name in _attribute(node, "idrefs").split()]
            found.setdefault(_attribute(claim, "id") or number, (int(number), text, marked))
    numbers = {name: number for name, (number, _, _) in found.items()}
    return limited(
        read_claim(number, text, [numbers[name] for name in marked if name in numbers])
        for number, text, marked in found.values()
    )


def _attribute(element: Element, name: str) -> str:
    """An attribute in any namespace."""
    return next((value for key, value in element.attrib.items() if local_name(key) == name), "")
