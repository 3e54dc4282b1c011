"""Office actions of the American office: which claim of an application was rejected over which document.

The office publishes them as JSON, from its APIs and in bulk; a file holds records, or a response with records. Four
kinds are recognised by their fields and may be mixed:

- **enriched citations** (`citedDocumentIdentifier`, `relatedClaimNumberText`): a document and the claims it was cited
  against, with the category X (alone), Y (with others) or A (background, which rejects nothing);
- **rejections** (`claimNumberArrayDocument`, `legalSectionCode`): claims and the section of the law, without documents;
- **citations** (`referenceIdentifier`, `legalSectionCode`): documents and the section, without claims; joined with the
  rejections of the same action, section and paragraph;
- **texts** (`sections.section102RejectionText`, `sections.section103RejectionText` or `bodyText`): sentences such as
  "Claims 1-3 and 7 are rejected under 35 U.S.C. 103 as being unpatentable over Smith (US 6,123,456) in view of Jones".
  A document that is named only by its inventor is found where the text gives its number.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from leadline.collections.documents.numbers import normalise
from leadline.errors import InputError
from leadline.text.frames import json_value
from leadline.text.source import read_text

STATUTES = ("102", "103")  # novelty and obviousness, the sections that reject over documents
MOST_CLAIMS = 10_000  # a higher number is a misprint
_ALONE, _TOGETHER = {"X", "E"}, {"Y"}  # categories of citations that reject

_RANGE = re.compile(r"(\d{1,5})(?:\s*(?:-|–|—|to|through)\s*(\d{1,5}))?")
_REJECTED = re.compile(
    r"\bclaims?(?:\(s\))? (?P<claims>\d(?:[\d ,;&–—-]|and|to|through){0,400}?) ?"
    r"(?:is/are|are|is|stands?) (?:\w{1,20} )?rejected under (?:the )?(?:pre-? ?AIA )?"
    r"35 ?U\.? ?S\.? ?C\.? ?(?:§{1,2}|sec(?:tion|\.)?)? ?(?P<statute>\d{3})",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\b(?P<office>U\.?\s?S\.?(?:\s?A\.?)?|EP|WO|JP|DE|GB|FR|CN|KR|CA)(?![a-z])"
    r"(?: ?(?:Pat(?:ent)?|Pub(?:lication)?|PG-?Pub|PGPUB|Appl(?:ication)?|No|Number|Nos)\b\.?){0,4}[ :#-]{0,3}"
    r"(?P<serial>\d{4}[/-]\d{5,7}|\d{2}/\d{5,6}|\d[\d,]{4,12}\d) ?(?P<kind>[AB]\d?\b)?",
)
_NAMED = re.compile(r"([A-Z][\w'’-]{1,30})(?: et al\.?)?,? ?\(?[ \w.,\"“”'’]{0,40}?$")
_NO_NAMES = frozenset({"Claim", "Claims", "In", "The", "Publication", "Patent", "Pub", "Pat", "See"})
_WORD = re.compile(r"[\w'’-]+")
_END = re.compile(r"(?<!\bU\.S)(?<!\bNo)(?<!\bNos)(?<!\bal)(?<!\bPat)(?<!\bPub)(?<!\bPubl)(?<!\bAppl)\.(?: |$)")
_LONGEST = 1500  # characters of a sentence that names the documents


@dataclass(frozen=True)
class Rejection:
    """A claim of an application, a document it was rejected over, and the section of the law."""

    application: str  # normalised: US15739603
    claim: int
    document: str  # as the office wrote it
    statute: str  # 102 or 103; X or Y where only the category of the citation is known
    date: str = ""
    action: str = ""
    passages: str = ""  # what the examiner pointed to

    @property
    def alone(self) -> bool:
        """Whether the document rejects the claim by itself."""
        return self.statute in {"102", *_ALONE}


@dataclass(frozen=True)
class OfficeActions:
    """Rejections read from files, and counts of records that hold none."""

    rejections: tuple[Rejection, ...]
    records: int
    background: int = 0  # citations of category A and the like
    unread: int = 0  # records of other kinds
    unresolved: int = 0  # rejections of a text whose documents are named without a number


def read_office_actions(paths: Iterable[str | os.PathLike[str]]) -> OfficeActions:
    """Read the rejections in files of JSON or JSON Lines, compressed or not."""
    found: list[Rejection] = []
    claims: dict[_Section, list[tuple[str, list[int]]]] = {}
    cited: list[_Cited] = []
    counts = {"records": 0, "background": 0, "unread": 0, "unresolved": 0}
    for path in paths:
        for place, record in enumerate(_records(path), start=1):
            counts["records"] += 1
            section = _section(record, f"{os.fspath(path)}: record {place}")
            paragraph = _text(record, "paragraphNumber")
            if "relatedClaimNumberText" in record or "citedDocumentIdentifier" in record:
                rejected = _enriched(record, section)
                counts["background"] += not rejected
                found += rejected
            elif "claimNumberArrayDocument" in record:
                if _rejects(record):
                    claims.setdefault(section, []).append((paragraph, _claims_of(record)))
            elif "referenceIdentifier" in record:
                document = _reference(record) if _rejects(record) else ""
                counts["background"] += not document
                cited += [_Cited(section, paragraph, document, _date(record))] if document else []
            elif any(name.startswith("sections.") or name == "bodyText" for name in record):
                rejected, unresolved = _from_text(record, section)
                counts["unresolved"] += unresolved
                found += rejected
            else:
                counts["unread"] += 1
    found += _joined(claims, cited)
    return OfficeActions(tuple(dict.fromkeys(found)), **counts)


class _Section(NamedTuple):
    """A section of the law in one office action."""

    application: str
    action: str
    statute: str


class _Cited(NamedTuple):
    section: _Section
    paragraph: str
    document: str
    date: str


def _records(path: str | os.PathLike[str]) -> Iterator[Mapping[str, Any]]:
    """The records of a file: a list, lines, or a response of the office's API."""
    text = read_text(path)
    value = json_value(text.buffer[text.begin : text.end].tobytes(), text.name)
    if not isinstance(value, dict | list):
        raise InputError(text.name, "holds no records of office actions: a list of objects was expected")
    listed: list[Any] = []
    for part in value if isinstance(value, list) else [value]:
        response = part.get("response") if isinstance(part, dict) else None
        docs = response.get("docs") if isinstance(response, dict) else None
        listed += docs if isinstance(docs, list) else [part]
    for place, record in enumerate(listed, start=1):
        if not isinstance(record, dict):
            raise InputError(text.name, f"record {place} is no object but {type(record).__name__}")
        yield _flat(record)


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record whose `sections` are an object as the API writes it: sections.section103RejectionText."""
    sections = record.get("sections")
    if not isinstance(sections, dict):
        return dict(record)
    inner = {f"sections.{name}": value for name, value in sections.items()}
    return {**{name: value for name, value in record.items() if name != "sections"}, **inner}


def _text(record: Mapping[str, Any], name: str) -> str:
    """A field as text. The API writes single values as lists of one."""
    value = record.get(name)
    if isinstance(value, list):
        value = " ".join(str(part) for part in value if part is not None)
    return "" if value is None or value == "null" else str(value).strip()


def _section(record: Mapping[str, Any], where: str) -> _Section:
    name = "patentApplicationNumber"
    digits = re.sub(r"\D", "", _text(record, name) or _text(record, f"sections.{name}"))
    if not digits:
        raise InputError(where, f"has no {name}")
    return _Section(f"US{digits.zfill(8)}", _text(record, "obsoleteDocumentIdentifier"), _statute(record))


def _date(record: Mapping[str, Any]) -> str:
    return (_text(record, "officeActionDate") or _text(record, "submissionDate"))[:10]


def _statute(record: Mapping[str, Any]) -> str:
    return _text(record, "legalSectionCode")[:3]


def _rejects(record: Mapping[str, Any]) -> bool:
    return _text(record, "actionTypeCategory").lower() in ("rejected", "rejection") and _statute(record) in STATUTES


def claim_numbers(text: str) -> list[int]:
    """The claims in a text.

    >>> claim_numbers("1-3, 5 and 7")
    [1, 2, 3, 5, 7]
    """
    numbers: set[int] = set()
    for first, last in _RANGE.findall(text):
        low, high = int(first), int(last or first)
        if 1 <= low <= high <= MOST_CLAIMS:
            numbers.update(range(low, high + 1))
    return sorted(numbers)


def _claims_of(record: Mapping[str, Any]) -> list[int]:
    return claim_numbers(_text(record, "claimNumberArrayDocument").replace("[", " ").replace("]", " "))


def _enriched(record: Mapping[str, Any], section: _Section) -> list[Rejection]:
    category, document = _text(record, "citationCategoryCode").upper(), _text(record, "citedDocumentIdentifier")
    if category not in _ALONE | _TOGETHER or not document or _text(record, "nplIndicator").lower() == "true":
        return []
    passages, date = _text(record, "passageLocationText"), _date(record)
    return [
        Rejection(section.application, claim, document, category, date, section.action, passages)
        for claim in claim_numbers(_text(record, "relatedClaimNumberText"))
    ]


def _reference(record: Mapping[str, Any]) -> str:
    """The cited document: as written where that is a patent's number, else the digits that the office parsed."""
    written = _text(record, "referenceIdentifier")
    if normalise(written).office:
        return written
    parsed = _text(record, "parsedReferenceIdentifier")
    return f"US{parsed}" if parsed.isdigit() else ""


def _joined(claims: Mapping[_Section, list[tuple[str, list[int]]]], cited: Iterable[_Cited]) -> Iterator[Rejection]:
    """Documents and claims of the same action and section; of the same paragraph where both name one."""
    for section, paragraph, document, date in cited:
        listed = claims.get(section, [])
        same = [numbers for other, numbers in listed if paragraph and other == paragraph]
        for claim in sorted({claim for numbers in same or [numbers for _, numbers in listed] for claim in numbers}):
            yield Rejection(section.application, claim, document, section.statute, date, section.action)


def _from_text(record: Mapping[str, Any], section: _Section) -> tuple[list[Rejection], int]:
    """The rejections that the text states, and the number of sentences whose documents have no number."""
    sections = [_text(record, f"sections.section{statute}RejectionText") for statute in STATUTES]
    text = " ".join(filter(None, sections)) or _text(record, "bodyText")
    known = _numbered_names(f"{text} {_text(record, 'sections.detailCitationText')} {_text(record, 'bodyText')}")
    found: list[Rejection] = []
    unresolved = 0
    for claims, statute, documents in rejections_in(text, known):
        unresolved += not documents
        found += [
            Rejection(section.application, claim, document, statute, _date(record), section.action)
            for claim in claims
            for document in documents
        ]
    return found, unresolved


def rejections_in(text: str, known: Mapping[str, str] | None = None) -> Iterator[tuple[list[int], str, list[str]]]:
    """Yield the claims, the section and the documents of each sentence that rejects claims over documents.

    `known` has the numbers of documents by inventor, for sentences that name only these.

    >>> said = "Claims 1-2 and 4 are rejected under 35 U.S.C. 103 as being unpatentable over Smith (US 6,123,456 B1)."
    >>> list(rejections_in(said))
    [([1, 2, 4], '103', ['US6123456B1'])]
    """
    text = " ".join(text.split())
    known = _numbered_names(text) if known is None else known
    matches = list(_REJECTED.finditer(text))
    for place, match in enumerate(matches):
        if match["statute"] not in STATUTES:
            continue
        end = matches[place + 1].start() if place + 1 < len(matches) else len(text)
        rest = text[match.end() : min(end, match.end() + _LONGEST)]
        stop = _END.search(rest)
        sentence = rest[: stop.start()] if stop else rest
        named = dict.fromkeys(known[word] for word in _WORD.findall(sentence) if word in known)
        yield claim_numbers(match["claims"]), match["statute"], list(_numbers(sentence) | named)


def _numbers(text: str) -> dict[str, None]:
    return dict.fromkeys(_normal(match) for match in _NUMBER.finditer(text))


def _normal(match: re.Match[str]) -> str:
    office = re.sub(r"[^A-Z]", "", match["office"])[:2]
    return normalise(f"{office}{match['serial']}", kind=match["kind"] or "").id


def _numbered_names(text: str) -> dict[str, str]:
    """The number that a text gives after an inventor's name, by name."""
    named: dict[str, str] = {}
    text = " ".join(text.split())
    for match in _NUMBER.finditer(text):
        before = _NAMED.search(text[max(0, match.start() - 80) : match.start()])
        if before and before[1] not in _NO_NAMES:
            named.setdefault(before[1], _normal(match))
    return named
