"""Fields of documents as elements of the offices' XML: numbers, dates, names, classes, claims, citations.

`normal` is a document as every form holds it: what the readers make equal anyway, such as runs of blanks, is made equal
before it is written. What is written is always built of elements; no text is ever pasted into markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from leadline.collections.choices import Origin
from leadline.collections.documents.document import Citation, Claim, Document, parents
from leadline.collections.documents.fields.patent_offices import categories, distinct, distinct_citations
from leadline.collections.documents.numbers import Number, normalise
from leadline.collections.documents.registry import Element
from leadline.errors import InputError

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LANGUAGE = re.compile("[a-z]{2}")


# Documents in the spelling that all forms can hold.


def has_strange_characters(text: str) -> bool:
    """Whether a text has characters that XML does not allow, such as control characters.

    >>> has_strange_characters("5 μm"), has_strange_characters("5 μm\\x0c")
    (False, True)
    """
    return _NOT_XML.search(text) is not None


def line(text: str) -> str:
    """A text in one line with single blanks, and a blank for what XML does not allow.

    >>> line(" A\\tnail\\x0c\\n is  bent.")
    'A nail is bent.'
    """
    return " ".join((_NOT_XML.sub(" ", text) if not text.isprintable() else text).split())


def lines(text: str) -> str:
    """A text with single blanks and without empty lines."""
    return "\n".join(filter(None, map(line, text.split("\n"))))


def normal(document: Document) -> Document:
    """A document in the spelling that all forms can hold; InputError where two claims have one number.

    >>> normal(Document("X1", title="A  nail", abstract="One.\\n\\nTwo.", claims=(Claim(1, "A nail."),)))
    Document('X1', title='A nail')
    """
    given = sorted((claim for claim in document.claims if claim.text), key=lambda claim: claim.number)
    numbers = [claim.number for claim in given]
    if any(one >= other for one, other in zip([0, *numbers], numbers, strict=False)):
        raise InputError(document.id, "has claims with the same number, or with none: no form can hold them")
    known = frozenset(numbers)
    claims = (_normal_claim(claim, known) for claim in given)
    return replace(
        document,
        language=language if _LANGUAGE.fullmatch(language := document.language.lower()[:2]) else "",
        title=line(document.title),
        abstract=lines(document.abstract),
        description=lines(document.description),
        claims=tuple(claim for claim in claims if claim.text),
        ipc=distinct(document.ipc),
        cpc=distinct(document.cpc),
        national=distinct("".join(line(name).split()) for name in document.national),
        priorities=tuple(dict.fromkeys(each for each in document.priorities if each.number or each.date)),
        citations=tuple(each for each in map(_normal_citation, document.citations) if each.number or each.text),
        relatives=tuple(name for name in dict.fromkeys(document.relatives) if name != document.id),
        applicants=distinct(map(line, document.applicants)),
        inventors=distinct(map(line, document.inventors)),
        reference=tuple(map(line, document.reference)),
    )


def _normal_claim(claim: Claim, known: frozenset[int]) -> Claim:
    """A claim in one line. It depends on the claims that are marked, of those there are, and that its text names."""
    text = line(claim.text)
    marked = {number for number in claim.parents if number < claim.number and number in known}
    return Claim(claim.number, text, tuple(sorted(marked.union(parents(text, claim.number)))))


def _normal_citation(citation: Citation) -> Citation:
    """A citation whose number is one, or else a text; with the letters of its category."""
    text = "" if is_written(citation.number) else line(citation.text or citation.number)
    number = "" if text else citation.number
    return Citation(number, citation.origin, categories([citation.category]), citation.date, text)


@lru_cache(maxsize=1 << 16)
def is_written(number: str) -> bool:
    """Whether a number is one of a publication, whose parts give the same number again."""
    parts = normalise(number)
    return bool(parts.office and parts.serial) and parts.id == number and normalise(*number_parts(parts)) == parts


def has_number(document: Document) -> bool:
    """Whether a document has the number of a publication, so that offices' forms can hold it."""
    return bool(document.office and document.serial) and bool(normalise(*number_parts(document)).office)


def number_parts(of: Document | Number) -> tuple[str, str, str]:
    """Serial, office and kind, as `normalise` takes them."""
    return of.serial, of.office, of.kind


def with_normal_number(document: Document) -> Document:
    """A document whose id is its number in the normal spelling, as the readers of offices' forms give it."""
    number = normalise(*number_parts(document))
    return replace(document, id=number.id, office=number.office, serial=number.serial, kind=number.kind)


def without(document: Document, holds: frozenset[str]) -> Document:
    """A document without the fields that a form has no place for."""
    empty = {name: default for name, default in _DEFAULTS.items() if name not in holds}
    kept = replace(document, **empty)
    unheld = {name: default for name, default in _CITATION_DEFAULTS.items() if f"citations.{name}" not in holds}
    if not unheld or not kept.citations:
        return kept
    return replace(kept, citations=tuple(replace(each, **unheld) for each in kept.citations))


_DEFAULTS: dict[str, Any] = {
    name: getattr(Document(""), name) for name in Document.__dataclass_fields__ if name != "id"
}
_CITATION_DEFAULTS: dict[str, Any] = {
    name: getattr(Citation(), name) for name in Citation.__dataclass_fields__ if name not in ("number", "text")
}


# Elements.


def root(tag: str, attributes: dict[str, str], namespaces: dict[str, str] | None = None) -> Element:
    """An element around others; attributes without a value are left out."""
    from lxml import etree

    return etree.Element(tag, {name: value for name, value in attributes.items() if value}, nsmap=namespaces)


def add(parent: Element, tag: str, text: str | None = None, **attributes: str) -> Element:
    """Add an element. In names of attributes `_` is a hyphen; those without a value are left out."""
    child = parent.makeelement(tag, {name.replace("_", "-"): value for name, value in attributes.items() if value})
    child.text = text
    parent.append(child)
    return child


def add_path(parent: Element, path: str, text: str | None = None, **attributes: str) -> Element:
    """Add elements inside each other, the last with the text and the attributes.

    >>> from leadline.collections.documents.registry import find_text
    >>> find_text(add_path(root("a", {}), "b/c", "x").getparent().getparent(), "b/c")
    'x'
    """
    *outer, last = path.split("/")
    for tag in outer:
        parent = add(parent, tag)
    return add(parent, last, text, **attributes)


def add_filled(parent: Element, **texts: str) -> None:
    """Add an element for each text that is not empty; in their names `_` is a hyphen."""
    for tag, text in texts.items():
        if text:
            add(parent, tag.replace("_", "-"), text)


def digits(date: str) -> str:
    """A date in eight digits, with zeros for what is not known.

    >>> digits("1998-08-12"), digits("1998-08"), digits("1998"), digits("")
    ('19980812', '19980800', '19980000', '')
    """
    return date.replace("-", "").ljust(8, "0") if date else ""


def add_document_id(
    parent: Element, number: Number | tuple[str, str, str], date: str = "", **attributes: str
) -> Element:
    """Add a `document-id` of a number in its parts."""
    office, serial, kind = number
    added = add(parent, "document-id", **attributes)
    add_filled(added, country=office, doc_number=serial, kind=kind, date=digits(date))
    return added


def application_parts(number: str) -> tuple[str, str, str]:
    """Country, number and kind of an application, as `application_of` puts them together.

    >>> application_parts("US9900302P"), application_parts("WOUS2004012345W"), application_parts("EP01935605")
    (('US', '9900302', 'P'), ('US', '2004012345', 'W'), ('EP', '01935605', 'A'))
    """
    if filed := _INTERNATIONAL.fullmatch(number):
        return filed[1], filed[2], "W"
    if parts := _APPLICATION.fullmatch(number):
        return parts[1], parts[2], parts[3] or "A"
    return (number[:2], number[2:], "") if number[:2].isalpha() else ("", number, "")


_INTERNATIONAL = re.compile(r"WO([A-Z]{2})((?:19|20)[0-9]{8})W")
_APPLICATION = re.compile(r"([A-Z]{2})([0-9]+)([B-V])?")


def person(name: str) -> tuple[str, str]:
    """The last name and the others; the latter empty where nothing divides them.

    >>> person("Muster, Anna, Jr."), person("Muster AG"), person(", Anna")
    (('Muster', 'Anna, Jr.'), ('Muster AG', ''), (', Anna', ''))
    """
    last, _, others = name.partition(", ")
    return (last, others) if last and others else (name, "")


# Class symbols. Those of the international classification are written in columns, as WIPO's standard ST.8 says.


def in_columns(symbol: str) -> str:
    """A symbol in columns: subclass, group and subgroup.

    >>> in_columns("F16B15/02"), in_columns("F16B")
    ('F16B  15/02    ', 'F16B')
    """
    group, stroke, subgroup = symbol[4:].partition("/")
    return f"{symbol[:4]}{group:>4}/{subgroup:6}" if stroke else f"{symbol[:4]}{group:>4}".rstrip()


def add_international(parent: Element, symbols: Sequence[str], office: str) -> None:
    """Add international classes, the first marked as such."""
    for sequence, symbol in enumerate(symbols, start=1):
        place = "F" if sequence == 1 else "L"
        item = add(parent, "classification-ipcr", sequence=str(sequence))
        add(item, "text", f"{in_columns(symbol):19}20060101A{place}I        {'BH'}{office:2}        ")


def add_cooperative(parent: Element, symbols: Sequence[str], office: str) -> None:
    """Add cooperative classes, the first marked as such."""
    for sequence, symbol in enumerate(symbols, start=1):
        place = "F" if sequence == 1 else "L"
        item = add(parent, "classification-cpc", sequence=str(sequence))
        add(item, "text", f"{in_columns(symbol):19}20130101 {place}I        {'BH'}{office:2}        ")


# Texts: paragraphs, and claims with references to other claims.


_HEADING = 80  # the most characters of a heading


def is_heading(text: str) -> bool:
    """Whether a line looks like a heading: short and in capitals."""
    return len(text) <= _HEADING and text.isupper() and text[-1] not in ".;:"


def add_paragraphs(parent: Element, text: str, first: str = "p", *, numbered: bool = True) -> None:
    """Add a paragraph or a heading for each line."""
    headings = count = 0
    for each in filter(None, text.split("\n")):
        if numbered and is_heading(each):
            headings += 1
            add(parent, "heading", each, id=f"h{headings:04}")
        else:
            count += 1
            add(parent, "p", each, id=f"{first}{count:04}", num=f"{count:04}")


_REFERENCE = re.compile(
    r"\b(?:[Cc]laims?|[Aa]nspr(?:uch|üchen?)|[Rr]evendications?)\s([0-9]{1,5})\b"
    r"(?:(?:\s(?:to|and|or|bis|und|oder|à|et|ou)\s|,\s|\s?[-–]\s?)[0-9]{1,5}\b)*"
)


def add_claim_text(parent: Element, claim: Claim, name: Callable[[int], str]) -> None:
    """Add the text of a claim behind its number; `name` is the id of a claim that it refers to.

    A list or a range of claims has one reference, as offices print it, if a reader finds the others in the text.
    Parents that the text does not name have an empty reference at its end.
    """
    element = add(parent, "claim-text")
    last, at, element.text = None, 0, f"{claim.number}. "
    left = set(claim.parents)

    def append(text: str) -> None:
        if last is None:
            element.text += text
        else:
            last.tail = (last.tail or "") + text

    for found in _REFERENCE.finditer(claim.text) if claim.parents else ():
        if (number := int(found[1])) in left:
            append(claim.text[at : found.start()])
            last = add(element, "claim-ref", found[0], idref=name(number))
            left.discard(number)
            at = found.end()
    append(claim.text[at:])
    if left and "laims" in claim.text:
        left.difference_update(parents(claim.text, claim.number))
    for number in sorted(left):
        last = add(element, "claim-ref", idref=name(number))


def add_claims(parent: Element, claims: Iterable[Claim], form: str, width: int = 4) -> None:
    """Add claims; their ids are made by `form`, such as `c-en-01-{:04}`."""
    for claim in claims:
        added = add(parent, "claim", id=form.format(claim.number), num=f"{claim.number:0{width}}")
        add_claim_text(added, claim, form.format)


# Citations.


_CODES: dict[Origin, str] = {"examiner": "SEA", "applicant": "APP", "opposition": "OPP", "third party": "TPO"}
_WORDS: dict[Origin, tuple[str, str]] = {
    "applicant": ("description", "applicant"),
    "opposition": ("opposition", "opponent"),
    "third party": ("undefined", "third-party"),
    "unknown": ("undefined", ""),
}


def add_citation(parent: Element, citation: Citation, *, code: bool = False, place: str = "") -> Element:
    """Add a citation. Its origin is a code, else a word; an examiner's in a search report has neither.

    `place` is the namespace of the element, in braces.
    """
    phase, by = (_CODES.get(citation.origin, "undefined"), "") if code else _WORDS.get(citation.origin, ("", ""))
    added = add(parent, f"{place}citation", cited_phase=phase, cited_by=by)
    add_cited(added, citation)
    if citation.category:
        add(added, "category", citation.category)
    return added


def add_cited(parent: Element, citation: Citation) -> Element:
    """Add the document that is cited: a patent by its number, or literature by its text."""
    if not citation.number and not citation.date:
        cited = add(parent, "nplcit", npl_type="s")
        add(cited, "text", citation.text)
        return cited
    cited = add(parent, "patcit", dnum=citation.number or citation.text, dnum_type="publication number")
    add_document_id(cited, cited_number(citation), citation.date)
    return cited


def cited_number(citation: Citation) -> Number:
    """The number of a patent that is cited; one that no office has is its text."""
    return normalise(citation.number) if citation.number else Number("", citation.text, "")


def add_concerned_claims(document: Element, claims: Mapping[str, str]) -> None:
    """Add the claims that a document of the search report concerns, by its number, behind its category."""
    for category in document.iter("category") if claims else ():
        citation = category.getparent()
        cited, phase = citation.find("patcit"), citation.get("cited-phase", _CODES["examiner"])
        if cited is not None and phase == _CODES["examiner"] and (concerned := claims.get(cited.get("dnum"))):
            add(citation, "rel-claims", concerned)


def in_lists(citations: Iterable[Citation], is_first: Callable[[Citation], bool]) -> tuple[Citation, ...]:
    """Citations as a form with two lists holds them: each once, those of the first list before those of the second."""
    return distinct_citations(sorted(map(without_date_of_text, citations), key=lambda each: not is_first(each)))


def without_date_of_text(citation: Citation) -> Citation:
    """A citation as forms of offices hold it. Literature has its date in its text; odd numbers have one."""
    dated = citation.date and not citation.number
    return replace(citation, date="") if dated and normalise(citation.text) != cited_number(citation) else citation


def parts_of_date(date: str) -> Iterator[tuple[str, str]]:
    """The parts of a date with their names.

    >>> list(parts_of_date("1998-08"))
    [('year', '1998'), ('month', '08')]
    """
    return zip(("year", "month", "day"), filter(None, date.split("-")), strict=False)
