"""Fields of the offices' XML forms, most of which use the elements of WIPO's standard ST.36.

Every function here expects a tree that went through `tidy`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from leadline.collections.documents.claims import limited, parents, split
from leadline.collections.documents.classes import national, symbol
from leadline.collections.documents.document import Claim, Document, Priority
from leadline.collections.documents.markup.tidy import has_words, paragraphs, wording
from leadline.collections.documents.markup.xml import Element, find_text
from leadline.collections.documents.numbers import Number, normalise
from leadline.text.days import iso

# How a number or a name was normalised, the most comparable first; an element without a mark has only one format.
_FORMATS = ("docdb", "epo", "", "epodoc", "docdba", "intermediate", "inpi", "original")
_MARKS = ("data-format", "format", "document-id-type")


def st36_document(
    number: Number,
    data: Element,
    own_language: str,
    filed: Sequence[Element],
    *,
    title: Element | None,
    abstract: Element | None,
    description: Element | None = None,
    claims: Element | None = None,
    **fields: Any,
) -> Document:
    """A document from its bibliographic data, its texts and the ids of its application; `fields` are all others."""
    return Document(
        **{"id": number.id} | fields,
        office=number.office,
        serial=number.serial,
        kind=number.kind,
        language=kept_language((description, claims, abstract, title), own_language),
        title=wording(title),
        abstract=paragraphs(abstract),
        description=paragraphs(description),
        claims=claims_of(claims),
        ipc=ipc_of(data),
        cpc=cpc_of(data),
        national=national_of(data),
        priorities=priorities_of(data),
        application=date_of(filed),
        application_number=application_of(filed[0]) if filed else "",
    )


def _format_rank(element: Element) -> int:
    mark = next((element.get(mark) for mark in _MARKS if element.get(mark)), "")
    if not mark and (ids := element.findall("document-id")):
        return min(map(_format_rank, ids))
    return _FORMATS.index(mark) if mark in _FORMATS else len(_FORMATS)


def by_format(elements: Iterable[Element]) -> list[Element]:
    """The elements, those in the most comparable format first."""
    return sorted(elements, key=_format_rank)


def in_best_format(elements: Iterable[Element]) -> list[Element]:
    """The elements in the most comparable format present: the others repeat the same facts."""
    ordered = by_format(elements)
    return [element for element in ordered if _format_rank(element) == _format_rank(ordered[0])]


def number_of(document_id: Element) -> Number:
    """The publication's number in a `document-id`."""
    return normalise(
        find_text(document_id, "doc-number"), find_text(document_id, "country"), find_text(document_id, "kind")
    )


def publication_number(element: Element, published: Sequence[Element]) -> Number:
    """The number in the root's attributes, else in the first of the publication's ids; empty when both lack one."""
    number = normalise(element.get("doc-number", ""), element.get("country", ""), element.get("kind", ""))
    return number_of(published[0]) if published and not number.office else number


def document_ids(references: Iterable[Element]) -> list[Element]:
    """All `document-id` elements under some references, the most comparable first."""
    return [found for reference in by_format(references) for found in by_format(reference.findall("document-id"))]


def date_of(document_ids: Iterable[Element]) -> str:
    """The first date among them: not every format gives it."""
    return next((date for found in document_ids if (date := iso(find_text(found, "date")))), "")


def application_name(country: str, number: str, kind: str = "") -> str:
    """An application's number in one spelling, so that a priority equals the number of the application it claims.

    Unlike numbers of publications they keep their zeros. The usual kind A and the check digit of European and German
    numbers are left out, since not every form prints them.

    >>> application_name("EP", "01935605.4"), application_name("US", "207496 P"), application_name("DE", "2804439", "A")
    ('EP01935605', 'US207496P', 'DE2804439')
    >>> application_name("WO", "PCT/US2004/012345"), application_name("US", "2004012345", "W")
    ('WOUS2004012345W', 'WOUS2004012345W')
    """
    text = number.strip().upper()
    if not text:
        return ""
    if "PCT" in text or country == "PCT" or kind == "W":
        named = text if "PCT" in text else f"PCT/{text if country == 'PCT' else country + text}"
        international = normalise(named)
        if international.kind == "W":
            return international.id
    if country in {"EP", "DE"}:
        text = re.sub(r"\.[0-9X]$", "", text)
    text = re.sub(r"[\s.,]" if country == "US" else r"[\s.,/-]", "", text)  # 10/123456 is not the patent 10123456
    return (text if text.startswith(country) else country + text) + ("" if kind == "A" else kind)


def application_of(element: Element) -> str:
    """The application's number in an element with `country`, `doc-number` and perhaps `kind`."""
    kind = find_text(element, "kind").upper()
    letter = kind if len(kind) <= 2 else ""  # some forms print the word "national" here
    return application_name(find_text(element, "country"), find_text(element, "doc-number"), letter)


def priorities_of(data: Element) -> tuple[Priority, ...]:
    """The priorities in `priority-claim` elements, each once even when it is written in several formats."""
    found: dict[Priority, None] = {}
    known_dates: set[str] = set()  # of priorities in a better format
    for _, claims in groupby(by_format(data.iter("priority-claim")), key=_format_rank):
        same_format = [_priority(document_ids([claim]) or [claim]) for claim in claims]
        found.update(dict.fromkeys(priority for priority in same_format if priority.date not in known_dates))
        known_dates.update(priority.date for priority in same_format)
    return tuple(priority for priority in found if priority.number or priority.date)


def _priority(ids: Sequence[Element]) -> Priority:
    return Priority(application_of(ids[0]), date_of(ids))


_RESIDENCE = re.compile(r"\s*\[[A-Z]{2}\]$")


def names_of(members: Iterable[Element]) -> tuple[str, ...]:
    """The names of applicants or inventors, each once."""
    return tuple(dict.fromkeys(filter(None, map(_name, in_best_format(members)))))


def _name(member: Element) -> str:
    """One name. A person's employer may be named in the same element and is the last choice."""
    whole, last, first, employer = (
        wording(next(member.iter(tag), None)) for tag in ("name", "last-name", "first-name", "orgname")
    )
    return _RESIDENCE.sub("", whole) or ", ".join(filter(None, (last, first))) or employer


_LOOSE_SYMBOL = re.compile(r"^\s*[0-9]?\s*([A-H])\s*([0-9]{2})\s*([A-Z])")  # " 7A 61K 31/44", with the edition
_MAIN_AND_FURTHER = ("main-classification", "further-classification", "main-clsf", "further-clsf")
_FIRST = re.compile(r"[0-9]{8}[ACS]F")  # the version, the level, and F for the first class


def loose_symbol(text: str) -> str:
    """A class symbol as older forms write it, with an edition before it or blanks inside.

    >>> loose_symbol("H 04B 7/185 A"), loose_symbol(" 7A 61K   7/06   A")
    ('H04B7/185', 'A61K7/06')
    """
    return symbol(_LOOSE_SYMBOL.sub(r"\1\2\3", text))


def _class_text(element: Element) -> str:
    """A class in one line, whether it was written so or in parts: section, class and so on."""
    section = find_text(element, "section")
    if section:
        cut = "".join(find_text(element, tag) for tag in ("class", "subclass", "main-group"))
        return f"{section}{cut}/{find_text(element, 'subgroup')}".rstrip("/")
    return find_text(element, "classification-symbol") or find_text(element, "text") or wording(element)


def ipc_of(data: Element) -> tuple[str, ...]:
    """International classes, the main one first. Those of the first seven editions count only without newer ones."""
    found = [(_is_first(item), symbol(_class_text(item))) for item in data.iter("classification-ipcr")]
    if not found:
        older = data.iter(*_MAIN_AND_FURTHER)
        found = [(True, loose_symbol(wording(item))) for item in older if item.getparent().tag == "classification-ipc"]
    return tuple(dict.fromkeys(name for _, name in sorted(found, key=lambda item: not item[0]) if name))


def _is_first(item: Element) -> bool:
    return find_text(item, "symbol-position") == "F" or _FIRST.search(wording(item)) is not None


def cpc_of(data: Element) -> tuple[str, ...]:
    """Cooperative classes in the order given."""
    marked = (item for item in data.iter("patent-classification") if _scheme(item).startswith("CPC"))
    found = (symbol(_class_text(item)) for item in (*data.iter("classification-cpc"), *marked))
    return tuple(dict.fromkeys(filter(None, found)))


def national_of(data: Element) -> tuple[str, ...]:
    """Classes of an office's own scheme and of the old European one. American ones are written as in `national`."""
    found = []
    for item in data.iter("patent-classification"):
        scheme, words = _scheme(item), _class_text(item)
        if scheme and not scheme.startswith(("CPC", "IPC")):
            found.append(national(words) if scheme == "DOCUS" else "".join(words.split()))
    for own in data.iter("classification-national"):
        american = find_text(own, "country") == "US"
        items = own.iter(*_MAIN_AND_FURTHER)
        found += [national(item.text or "") if american else "".join(wording(item).split()) for item in items]
    for item in data.iter("classification-ecla"):
        symbols = item.findall("classification-symbol") or [item]
        found += ["".join(wording(one).split()) for one in symbols]
    return tuple(dict.fromkeys(filter(None, found)))


def _scheme(item: Element) -> str:
    scheme = item.find("classification-scheme")
    return "" if scheme is None else scheme.get("scheme", "")


def language_of(element: Element) -> str:
    """The language in an element's attribute `lang`, as two lower-case letters.

    >>> from leadline.collections.documents.markup.xml import parse
    >>> language_of(parse(b"<abstract lang='EN'/>"))
    'en'
    """
    return (element.get("lang") or "").strip().lower()[:2]


def kept_language(texts: Iterable[Element | None], own: str) -> str:
    """The language of the first text that is not None; the document's own when that text does not say."""
    kept = next((text for text in texts if text is not None), None)
    return own if kept is None else language_of(kept) or own


def in_one_language(elements: Iterable[Element], own: str) -> Element | None:
    """The version to keep of a text in several languages: English, else the document's own, else the first.

    Versions without text, such as page images, are ignored.
    """
    written = [element for element in elements if has_words(element)]
    for language in ("en", own):
        for element in written:
            if language_of(element) == language:
                return element
    return written[0] if written else None


_NUMBERED = re.compile(r"([0-9]{1,4})\s?[.)]\s*(?=\S)")
_CLAIM_NUMBER = re.compile(r"[0-9]{1,5}")
_CLAIMS_HEAD = re.compile(r"clai|anspr|revend", re.IGNORECASE)


def claims_of(element: Element | None) -> tuple[Claim, ...]:
    """The claims of one `claims` element."""
    if element is None:
        return ()
    found = element.findall("claim")
    if not found:
        return split(wording(element))
    if len(found) == 1 and (lines := _numbered_lines(found[0])):
        return split("\n".join(lines))
    numbers = _claim_numbers(found)
    by_id = {claim.get("id"): number for claim, number in zip(found, numbers, strict=True)}
    claims = (_claim(claim, number, by_id) for claim, number in zip(found, numbers, strict=True))
    return limited(claim for claim in claims if claim.text)


def _numbered_lines(claim: Element) -> Sequence[str]:
    """The lines of one `claim` element that holds all claims, as in scanned documents; empty when it holds one."""
    lines = [wording(line) for line in claim.findall("claim-text")]
    begun = [bool(_NUMBERED.match(line)) for line in lines]
    all_claims = sum(begun) > 1 and (begun[0] or _CLAIMS_HEAD.search(lines[0]) is not None)
    return lines if all_claims else ()


def _claim_numbers(found: Sequence[Element]) -> list[int]:
    """The printed numbers, or 1, 2, 3 ... when the printed ones do not count up."""
    printed = [int(number) if _CLAIM_NUMBER.fullmatch(number := claim.get("num", "")) else 0 for claim in found]
    rising = all(one < other for one, other in zip([0, *printed], printed, strict=False))
    return printed if rising else list(range(1, len(found) + 1))


def _claim(element: Element, number: int, by_id: dict[str | None, int]) -> Claim:
    words = wording(element)
    printed = _NUMBERED.match(words)
    if printed is not None and int(printed[1]) == number:
        words = words[printed.end() :]
    linked = {by_id[ref.get("idref")] for ref in element.iter("claim-ref") if ref.get("idref") in by_id}
    earlier = {claim for claim in linked if claim < number}
    return Claim(number, words, tuple(sorted(earlier.union(parents(words, number)))))
