"""American grants and applications since 2005: `us-patent-grant` and `us-patent-application`, XML 4.0 to 4.7.

- Relatives: earlier publications of the same application, which are not its whole family.
- Citations: files before 2013 mark everything the examiner did not cite as "cited by other", which is what the
  applicant disclosed; later files say "cited by applicant".
- Claims: parents are the claims that references point at and, when a range of claims has one reference or none, those
  that its text names. A reference to the claim itself or to a later one is ignored.
- Applicants: assignees, and applicants who are not the inventors; the inventors when there are neither.
- Text: one line for each paragraph, heading, list item and row of a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from leadline.collections.documents.classes import national, symbol
from leadline.collections.documents.document import Document, Priority
from leadline.collections.documents.fields.us_parts import application, valid_priorities
from leadline.collections.documents.fields.uspto_parts import read_citations, read_claims
from leadline.collections.documents.markup.outlines import Extent, outline
from leadline.collections.documents.markup.plain_text import BLANK, ENTRY, LINE, Layout, read_words
from leadline.collections.documents.markup.xml import Element, parse, text_of
from leadline.collections.documents.numbers import Number, normalise
from leadline.collections.documents.registry import reader
from leadline.text.days import iso

ROOTS = ("us-patent-grant", "us-patent-application")

_CITED = (b"us-references-cited", b"references-cited")
_UNUSED = (b"us-field-of-classification-search", b"field-of-search")  # long
_TEXTS = (b"abstract", b"description", b"claims")
_EMPTY = (0, 0)
_LINES = "chemistry dd description-of-drawings dl dt heading li maths ol p pre row table tables title ul"
_LAYOUT = Layout(
    dict.fromkeys(_LINES.split(), LINE)
    | dict.fromkeys(("br", "claim-text", "entry"), BLANK)
    | dict.fromkeys(("abstract", "claim", "description"), ENTRY)
)
_ROOT = re.compile(rb"<[\w-]+((?:\s+[\w-]+=\"[^\"<&]*\")*+)\s*>")  # the root's start tag as the office writes it
_ANY_ROOT = re.compile(rb"(<[\w.-]+(?:\s+[\w.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*+)\s*+/?>")
_LANGUAGE = re.compile(rb"\slang=\"([A-Za-z]*)\"")
_GIVE_NO_DATE = frozenset({"substitution", "related-publication"})
_PEOPLE = frozenset({"applicants", "us-applicants", "inventors"})
_SYMBOL = frozenset({"section", "class", "subclass", "main-group", "subgroup", "symbol-position"})
_NAME = frozenset({"orgname", "last-name", "first-name", "middle-name", "suffix"})


def read_bytes(content: bytes) -> Document:
    """The same document as `read(parse(content))` gives, but faster: only the bibliographic data become a tree.

    A broken or unusual document goes to the parser, which reads it or says what is wrong with it.
    """
    parts = outline(content)
    if parts is None or not next(iter(parts[0]), b"").startswith(b"us-bibliographic-data"):
        return read(parse(content))
    texts, lists = parts
    cited = min((lists[name] for name in _CITED if name in lists), default=_EMPTY)
    left_out = [lists[name] for name in (*_CITED, *_UNUSED) if name in lists]
    data = _without(content, next(iter(texts.values())), left_out)
    extents = [cited, *(texts.get(name, _EMPTY) for name in _TEXTS)]
    return _document(_language(content), parse(data), content, extents)


def _language(content: bytes) -> str:
    """The attribute `lang` of the root of a sound document."""
    root = _ROOT.match(content)
    # The name of an attribute comes after an even number of quotation marks.
    if root and (given := _LANGUAGE.search(root[1])) and root[1].count(b'"', 0, given.start()) % 2 == 0:
        return given[1].decode()
    start = _ANY_ROOT.search(content)
    return "" if start is None else str(parse(start[1] + b"/>").get("lang", ""))


@reader("uspto", *ROOTS, read_bytes=read_bytes)
def read(element: Element) -> Document:
    """One patent or published application, from its tree."""
    from lxml import etree

    data = next((child for child in element if str(child.tag).startswith("us-bibliographic-data")), None)
    if data is None:
        raise ValueError("the patent has no bibliographic data")
    cited = next((child for child in data if str(child.tag).encode() in _CITED), None)
    parts = (cited, *(element.find(name.decode()) for name in _TEXTS))
    markup = [b"" if part is None else etree.tostring(part, encoding="utf-8", with_tail=False) for part in parts]
    ends = [*accumulate(map(len, markup))]
    return _document(element.get("lang", ""), data, b"".join(markup), [*pairwise((0, *ends))])


def _without(content: bytes, extent: Extent, left_out: Iterable[Extent]) -> bytes:
    """The content of an extent without some extents inside it."""
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
        priorities=valid_priorities(_priorities(fields), iso(filed.get("date", ""))),
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
    """The texts in an element's document-id, by the names of their elements."""
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
    """Class symbols from their parts, each once, the one marked as first in front."""
    found: dict[str, str] = {}
    for classification in classifications:
        part = {child.tag: _words(child) for child in classification if child.tag in _SYMBOL}.get
        group = "/".join(filter(None, (part("main-group"), part("subgroup"))))
        name = f"{part('section', '')}{part('class', '')}{part('subclass', '')}{group}"
        found.setdefault(symbol(name), part("symbol-position", ""))
    return tuple(sorted(filter(None, found), key=lambda name: found[name] != "F"))


def _national_classes(fields: dict[str, Element]) -> tuple[str, ...]:
    found = fields.get("classification-national", ())
    names = (national(child.text or "") for child in found if child.tag.endswith("-classification"))
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
    """Inventors and applicants. Until 2012 inventors applied themselves and are listed as a kind of applicant."""
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
