"""What the United States publish since 2005: `us-patent-grant` and `us-patent-application`, XML 4.0 to 4.7.

- Priorities: foreign priorities, provisionals, and the filing dates of parents: what this application continues, in
  part or whole, was divided from, or is reissued from. A substitute has no right to the earlier date. Where nothing is
  claimed, the international application that this one comes from was the first filing, and counts.
- Filed: of an application that came by the international route, the day it was filed there; the data give that day.
- Relatives: earlier publications of the same application. They are not all of its family.
- Citations: "cited by other" stands in files before 2013 for all that the examiner did not cite, which is what the
  applicant disclosed; later files say "cited by applicant".
- Claims: parents are those that references point at and, where a range of claims has one reference or none, those
  that its words name. One that refers to itself or to a later claim is a slip of the pen.
- Applicants: assignees, and applicants who are not the inventors; the inventors where there are neither.
- Text: paragraphs, headings, list items and rows of tables one a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from leadline.collections.documents.classes import symbol
from leadline.collections.documents.document import Document, Priority
from leadline.collections.documents.numbers import Number, normalise
from leadline.collections.documents.readers.american import application, earlier, national_class
from leadline.collections.documents.readers.outlines import Extent, outline
from leadline.collections.documents.readers.uspto_parts import read_citations, read_claims
from leadline.collections.documents.readers.words import BLANK, ENTRY, LINE, Layout, read_words
from leadline.collections.documents.readers.xml import Element, parse, text_of
from leadline.text.days import iso

ROOTS = ("us-patent-grant", "us-patent-application")

_CITED = (b"us-references-cited", b"references-cited")
# Long, and of no use here.
_SEARCHED = (b"us-field-of-classification-search", b"field-of-search")
_TEXTS = (b"abstract", b"description", b"claims")
_NOWHERE = (0, 0)
_LINES = "chemistry dd description-of-drawings dl dt heading li maths ol p pre row table tables title ul"
_LAYOUT = Layout(
    dict.fromkeys(_LINES.split(), LINE)
    | dict.fromkeys(("br", "claim-text", "entry"), BLANK)
    | dict.fromkeys(("abstract", "claim", "description"), ENTRY)
)
_LANGUAGE = re.compile(rb"<[^>]*?\slang\s*=\s*[\"']([A-Za-z]{2})")
_GIVE_NO_DATE = frozenset({"substitution", "related-publication"})
_PEOPLE = frozenset({"applicants", "us-applicants", "inventors"})
_SYMBOL = frozenset({"section", "class", "subclass", "main-group", "subgroup", "symbol-position"})
_NAME = frozenset({"orgname", "last-name", "first-name", "middle-name", "suffix"})


def read(element: Element) -> Document:
    """One patent or published application, from its tree."""
    from lxml import etree

    data = next((child for child in element if str(child.tag).startswith("us-bibliographic-data")), None)
    if data is None:
        raise ValueError("the patent has no bibliographic data")
    cited = next((child for child in data if str(child.tag).encode() in _CITED), None)
    parts = (cited, *(element.find(name.decode()) for name in _TEXTS))
    written = [b"" if part is None else etree.tostring(part, with_tail=False) for part in parts]
    ends = [*accumulate(map(len, written))]
    return _document(element.get("lang", ""), data, b"".join(written), [*pairwise((0, *ends))])


def read_bytes(content: bytes) -> Document:
    """The same as `read` of the parsed content, but faster: only the bibliographic data become a tree.

    A document that is broken or unusual is left to the parser, to read it or to tell what is wrong with it.
    """
    parts = outline(content)
    if parts is None or not next(iter(parts[0]), b"").startswith(b"us-bibliographic-data"):
        return read(parse(content))
    texts, lists = parts
    language = _LANGUAGE.match(content)
    cited = next((lists[name] for name in _CITED if name in lists), _NOWHERE)
    data = _without(
        content, next(iter(texts.values())), [lists[name] for name in (*_CITED, *_SEARCHED) if name in lists]
    )
    extents = [cited, *(texts.get(name, _NOWHERE) for name in _TEXTS)]
    return _document(language[1].decode() if language else "", parse(data), content, extents)


def _without(content: bytes, extent: Extent, left_out: Iterable[Extent]) -> bytes:
    """An extent of the content without some extents in it."""
    places = [extent[0], *(place for each in sorted(left_out) for place in each), extent[1]]
    return b"".join(content[begin:end] for begin, end in zip(places[::2], places[1::2], strict=True))


def _document(language: str, data: Element, content: bytes, extents: Sequence[Extent]) -> Document:
    fields = {child.tag: child for child in data}
    own = _leaves(fields.get("publication-reference"))
    number = _number(own)
    if not number.serial or not number.office:
        raise ValueError("the patent has no publication number (publication-reference)")
    cited, abstract, description, claims = extents
    texts = iter(read_words(content, _LAYOUT, (abstract, description, claims)))
    filed = _leaves(fields.get("application-reference"))
    inventors, applicants = _people(fields)
    return Document(
        id=number.id,
        office=number.office,
        serial=number.serial,
        kind=number.kind,
        language=language.lower(),
        title=text_of(fields.get("invention-title")),
        abstract=next(texts) if abstract[0] < abstract[1] else "",
        description=next(texts) if description[0] < description[1] else "",
        claims=read_claims(content, claims, [*texts][:-1]),
        ipc=_international_classes(fields),
        cpc=_cooperative_classes(fields),
        national=_national_classes(fields),
        priorities=earlier(_priorities(fields), iso(filed.get("date", ""))),
        application=iso(filed.get("date", "")),
        application_number=application(filed.get("doc-number", ""), filed.get("country", "US")),
        publication=iso(own.get("date", "")),
        citations=read_citations(content[slice(*cited)]),
        relatives=_earlier_publications(fields),
        applicants=applicants,
        inventors=inventors,
    )


def _words(element: Element) -> str:
    return text_of(element) if len(element) else " ".join((element.text or "").split())


def _leaves(reference: Element | None) -> dict[str, str]:
    """The words of an element's document-id, by their names."""
    document_id = () if reference is None else next(reference.iterchildren("document-id"), ())
    return {child.tag: _words(child) for child in document_id}


def _number(leaves: dict[str, str]) -> Number:
    return normalise(leaves.get("doc-number", ""), leaves.get("country", "US"), leaves.get("kind", ""))


def _international_classes(fields: dict[str, Element]) -> tuple[str, ...]:
    if "classifications-ipcr" in fields:
        return _symbols(fields["classifications-ipcr"].iter("classification-ipcr"))
    older = fields.get("classification-ipc", ())
    return tuple(filter(None, (symbol(child.text or "") for child in older if child.tag.endswith("classification"))))


def _cooperative_classes(fields: dict[str, Element]) -> tuple[str, ...]:
    return _symbols(fields["classifications-cpc"].iter("classification-cpc")) if "classifications-cpc" in fields else ()


def _symbols(classifications: Iterable[Element]) -> tuple[str, ...]:
    """Symbols that are printed in parts, each once, the one that is marked as first in front."""
    found: dict[str, str] = {}
    for classification in classifications:
        part = {child.tag: _words(child) for child in classification if child.tag in _SYMBOL}.get
        group = "/".join(filter(None, (part("main-group"), part("subgroup"))))
        name = f"{part('section', '')}{part('class', '')}{part('subclass', '')}{group}"
        found.setdefault(symbol(name), part("symbol-position", ""))
    return tuple(sorted(filter(None, found), key=lambda name: found[name] != "F"))


def _national_classes(fields: dict[str, Element]) -> tuple[str, ...]:
    found = fields.get("classification-national", ())
    names = (national_class(child.text or "") for child in found if child.tag.endswith("-classification"))
    return tuple(dict.fromkeys(filter(None, names)))


def _priorities(fields: dict[str, Element]) -> Iterator[Priority]:
    claimed = [{child.tag: _words(child) for child in claim} for claim in fields.get("priority-claims", ())]
    for related in fields.get("us-related-documents", ()):
        if related.tag not in _GIVE_NO_DATE:
            relations = related.findall("relation/parent-doc")
            claimed.extend(map(_leaves, relations or [related]))
    if not claimed:
        claimed.append(_leaves(fields.get("pct-or-regional-filing-data")))
    for leaves in claimed:
        number = application(leaves.get("doc-number", ""), leaves.get("country", "US").upper())
        yield Priority(number, iso(leaves.get("date", "")))


def _earlier_publications(fields: dict[str, Element]) -> tuple[str, ...]:
    related = fields.get("us-related-documents", ())
    numbers = [_number(_leaves(document)) for document in related if document.tag == "related-publication"]
    return tuple(dict.fromkeys(number.id for number in numbers if number.office))


def _people(fields: dict[str, Element]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Inventors and applicants. Until 2012 the inventors applied, and are listed as applicants of a kind."""
    invented: list[str] = []
    applied = [_name(assignee) for assignee in fields.get("assignees", ())]
    parties: Iterable[Element] = fields["us-parties"] if "us-parties" in fields else fields.get("parties", ())
    for group in parties:
        if group.tag in _PEOPLE:
            for party in group:
                is_inventor = group.tag == "inventors" or party.get("app-type") == "applicant-inventor"
                (invented if is_inventor else applied).append(_name(party))
    inventors = tuple(dict.fromkeys(filter(None, invented)))
    applicants = tuple(name for name in dict.fromkeys(filter(None, applied)) if name not in inventors)
    return inventors, applicants or inventors


def _name(party: Element) -> str:
    book = next(party.iterchildren("addressbook"), party)
    part = {child.tag: _words(child) for child in book if child.tag in _NAME}.get
    given = " ".join(filter(None, (part("first-name"), part("middle-name"))))
    return part("orgname") or ", ".join(filter(None, (part("last-name"), given, part("suffix"))))
