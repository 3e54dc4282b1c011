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
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from html import escape
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from leadline.collections.choices import Origin
from leadline.collections.documents.document import (
    Citation,
    Claim,
    Document,
    Priority,
    limited,
    national,
    parents,
    symbol,
)
from leadline.collections.documents.fields.patent_offices import application, valid_priorities
from leadline.collections.documents.fields.writing import (
    add,
    add_claims,
    add_document_id,
    add_filled,
    add_paragraphs,
    add_path,
    cited_number,
    digits,
    has_number,
    person,
    root,
    with_normal_number,
    without_date_of_text,
)
from leadline.collections.documents.numbers import Number, normalise
from leadline.collections.documents.registry import Element, find_text, parse, reader, text_of, writer
from leadline.text.days import iso
from leadline.text.engine import Kernel, compiled_job

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The plain text of markup, without building a tree, which would cost twice as much as checking the markup.
#
# Most of a patent is description, of which only the words and the ends of paragraphs are needed. A kernel extracts them
# from the bytes at the speed of memory. Its plain equivalent is a parser of the standard library, which gives the same
# words; a property test compares the two.


BLANK, LINE, ENTRY = 1, 2, 3

_SEPARATOR = "\N{INFORMATION SEPARATOR TWO}"  # XML may not contain it
_MARKS = {BLANK: " ", LINE: "\N{INFORMATION SEPARATOR ONE}"}
_BLANKS = re.compile(" {2,}")
_MAX_ENTRIES = 4096


class Layout:
    """Which elements separate words, and how. All others are part of running text: H<sub>2</sub>O is one word.

    BLANK is a gap between words. LINE begins and ends a line. The end of an ENTRY ends a text.
    """

    def __init__(self, effects: Mapping[str, int]) -> None:
        self.effects = effects

    @cached_property
    def table(self) -> NDArray[np.int64]:
        """The elements for the kernel: the first eight letters of the name, its length, the effect."""
        import numpy as np

        names = {name.encode(): effect for name, effect in self.effects.items()}
        rows = [(int.from_bytes(name[:8], "little"), len(name), effect) for name, effect in names.items()]
        return np.array(rows, np.int64).ravel()


def read_words(markup: bytes, layout: Layout, extents: Sequence[tuple[int, int]] = ()) -> list[str]:
    r"""The texts of well-formed markup, one for each entry and one for the rest after the last entry.

    A run of blanks is one blank, and so is a line break of the file. With `extents`, each a begin and an end, only that
    markup is read.

    >>> layout = Layout({"p": LINE, "td": BLANK, "claim": ENTRY})
    >>> read_words(b"<claim><p>H<sub>2</sub>O\n is wet.</p><p><td>1</td><td>2</td></p></claim>5 &#x3bc;m", layout)
    ['H2O is wet.\n1 2', '5 μm']
    """
    extents = extents or [(0, len(markup))]
    size = sum(end - begin for begin, end in extents)
    return _words_of_markup.choose(size)(markup, layout, extents)


def _words_plain(markup: bytes, layout: Layout, extents: Sequence[tuple[int, int]]) -> list[str]:
    content = b"".join(markup[begin:end] for begin, end in extents)
    marks = {name: _MARKS.get(effect, "") for name, effect in layout.effects.items()}
    ends = {name: _MARKS.get(effect, _SEPARATOR) for name, effect in layout.effects.items()}
    pieces: list[str] = []
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.CharacterDataHandler = pieces.append
    parser.StartElementHandler = lambda name, _attributes: pieces.append(marks.get(name, ""))
    parser.EndElementHandler = lambda name: pieces.append(ends.get(name, ""))
    try:
        parser.Parse(b"<words>" + content + b"</words>", True)
    except expat.ExpatError as error:
        raise ValueError(str(error)) from None
    text = "".join(pieces).replace("\t", " ").replace("\r", " ").replace("\n", " ")
    return [*map(_in_lines, text.split(_SEPARATOR))]


@compiled_job("leadline.collections.documents.kernels.strip_markup", plain=_words_plain)
def _words_of_markup(kernel: Kernel, markup: bytes, layout: Layout, extents: Sequence[tuple[int, int]]) -> list[str]:
    import numpy as np

    text, places = np.frombuffer(markup, np.uint8), np.array(extents, np.int64)
    size = sum(end - begin for begin, end in extents)
    words, ends = np.empty(size + 64, np.uint8), np.empty(_MAX_ENTRIES, np.int64)
    found = kernel(text, places, len(extents), layout.table, len(layout.effects), words, ends, _MAX_ENTRIES)
    if found < 0:  # more entries than a patent has claims
        return _words_plain(markup, layout, extents)
    stops = [0, *ends[:found].tolist()]
    return [str(words.data[begin:end], "utf-8") for begin, end in pairwise(stops)]


def _in_lines(entry: str) -> str:
    lines = (line.strip(" ") for line in entry.split(_MARKS[LINE]))
    return "\n".join(_BLANKS.sub(" ", line) if "  " in line else line for line in lines if line)


# Claims and citations of the American XML since 2005, read by regular expressions because trees are slow.


_ORIGINS: dict[str, Origin] = {
    "cited by examiner": "examiner",
    "cited by applicant": "applicant",
    "cited by other": "applicant",
    "cited by third party": "third party",
}
_ATTRIBUTES = r"""(?:\s++[\w-]++="[^"<>]*+")*+"""
_VALUE = r"((?:[!-%'-;=-~]++(?:[ ](?=[!-%'-;=-~]))?+)*+)"  # words in ASCII with single blanks, without references
# A citation as the office usually writes it. The last group matches any other.
_CITATION = re.compile(
    rf"""<(?:(?:
        patcit{_ATTRIBUTES}>\s*+<document-id>\s*+<country>
        (?:US</country>\s*+<doc-number>((?:D|RE|PP|H)?[1-9][0-9]{{4,7}}|20(?!00)[0-9]{{2}}/[0-9]{{7}})
        |{_VALUE}</country>\s*+<doc-number>{_VALUE})</doc-number>\s*+
        (?:<kind>([A-Z][0-9]?)</kind>\s*+)?(?:<name>[^<]*+</name>\s*+)?(?:<date>{_VALUE}</date>\s*+)?
        </document-id>\s*+</patcit>
        |nplcit{_ATTRIBUTES}>\s*+<othercit>([^<]*+(?:<(?!/othercit>)[^<]*+)*+)</othercit>\s*+</nplcit>
    )\s*+<category>{_VALUE}</category>|(patcit|nplcit)\b)""",
    re.VERBOSE | re.ASCII,
)
_LITERATURE = Layout({"nplcit": ENTRY})
# The start of a claim or a reference to one, as the office usually writes them. The last group matches any other.
_CLAIM = re.compile(
    rb"""<claim(?:\ id="([^"<>&\t\r\n]*+)"\ num="0*([1-9][0-9]{0,5})">
    |-ref\ idref="([^"<>&\t\r\n]++)">
    |((?:-ref)?[\s/>]))""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"0*([0-9]{1,6})")
_LABEL = re.compile(r"[0-9]{1,5}(?:\s?[-–]\s?[0-9]{1,5})?\s?[.)]\s*")


def read_citations(markup: bytes) -> tuple[Citation, ...]:
    """The citations in the markup of the references cited, in their order.

    >>> cited = b"<document-id><country>US</country><doc-number>5123456</doc-number><kind>A</kind></document-id>"
    >>> read_citations(b"<a><b><patcit>" + cited + b"</patcit><category>cited by examiner</category></b></a>")
    (Citation(number='US5123456A', origin='examiner', category='', date='', text=''),)
    """
    found = _CITATION.findall(markup.decode())
    if any(match[-1] for match in found):
        found = list(_fields(markup))
    literature = "".join(f"<nplcit>{match[5]}</nplcit>" for match in found if match[5])
    texts = iter(read_words(literature.encode(), _LITERATURE) if literature else ())
    citations = []
    for american, country, number, kind, date, written, category, _ in found:
        origin = _ORIGINS.get(category) or _ORIGINS.get(" ".join(category.lower().split()), "unknown")
        if american:  # already normalised
            citations.append(Citation(f"US{american.replace('/', '')}{kind}", origin, "", iso(date)))
        elif written:
            citations.append(Citation("", origin, "", "", next(texts)))
        elif number:
            cited = normalise(number, country, kind)
            text = "" if cited.office else cited.serial
            citations.append(Citation("" if text else cited.id, origin, "", iso(date), text))
    return tuple(citations)


def _fields(markup: bytes) -> Iterator[tuple[str, ...]]:
    """The groups of `_CITATION` for citations with more or fewer elements than usual, or in another order."""
    for citation in parse(markup):
        patent = citation.find("patcit")
        category = find_text(citation, "category")
        if patent is not None:
            paths = ("country", "doc-number", "kind", "date")
            yield "", *(find_text(patent, f"document-id/{path}") for path in paths), "", category, ""
        else:
            yield "", "", "", "", "", escape(text_of(citation.find("nplcit"))), category, ""


def read_claims(markup: bytes, extent: tuple[int, int], texts: list[str]) -> tuple[Claim, ...]:
    """The claims in this extent of the markup, with their texts.

    A claim without a number, or with that of an earlier claim, gets the next free number.
    """
    numbers: dict[int, None] = {}
    highest = 0
    by_id: dict[bytes, int] = {}
    references: list[list[bytes]] = [[]]  # the first are those before any claim
    found = _CLAIM.findall(markup, *extent)
    if any(match[-1] for match in found):
        found = list(_attributes(markup[slice(*extent)]))
    for name, printed, reference, _ in found:
        if reference:
            references[-1].append(reference)
            continue
        number = int(printed or 0)
        number = number if number and number not in numbers else highest + 1
        highest = max(highest, number)
        numbers[number] = None
        references.append([])
        by_id.setdefault(name, number)
    if len(numbers) != len(texts):
        raise ValueError(f"{len(numbers)} claims begin in the markup, but {len(texts)} have a text")
    return limited(
        _claim(number, text.replace("\n", " "), [by_id[name] for name in names if name in by_id])
        for number, text, names in zip(numbers, texts, references[1:], strict=True)
    )


def _attributes(markup: bytes) -> Iterator[tuple[bytes, bytes, bytes, bytes]]:
    """The groups of `_CLAIM` for claims and references whose attributes are not the usual ones."""
    for element in parse(markup).iter("claim", "claim-ref"):
        if element.tag == "claim":
            number = _NUMBER.match(element.get("num", ""))
            yield element.get("id", "").encode(), number[1].encode() if number else b"", b"", b""
        elif element.get("idref"):
            yield b"", b"", element.get("idref").encode(), b""


def _claim(number: int, text: str, marked: list[int]) -> Claim:
    text = text[label.end() :] if (label := _LABEL.match(text)) else text
    linked = {claim for claim in marked if claim < number}
    if _names_more(text, len(marked)):
        linked.update(parents(text, number))
    return Claim(number, text, tuple(sorted(linked)))


def _names_more(text: str, marked: int) -> bool:
    """Whether the text of a claim, be it German or French, may name more claims than those that are marked."""
    return text.count("laim") > marked or "laims" in text or "LAIM" in text or "nspr" in text or "evend" in text


# Check that a document is well-formed XML and find its parts, without building a tree.
#
# A kernel matches the tags in the bytes. A document that is broken, or has more than plain elements, attributes and
# references, is left to a parser.


Extent = tuple[int, int]  # begin and end in a document's bytes
Outline = tuple[dict[bytes, Extent], dict[bytes, Extent]]
_DEEPEST, _MOST_ATTRIBUTES, _ROWS = 200, 50, 4096  # the first two are the kernel's


class _Buffers(threading.local):
    """The kernel's arrays and a parser, per thread: making them takes as long as reading a short document."""

    rows: NDArray[np.int64] | None = None
    names: NDArray[np.int64]
    attributes: NDArray[np.int64]
    parser: Any = None


_buffers = _Buffers()


def outline(content: bytes) -> Outline | None:
    """The extents of the root's children and of the first child's children, by name; the first of each name.

    None leaves the document to a parser, which finds the same parts.
    """
    return _outline.choose(len(content))(content)


def _outline_plain(content: bytes) -> Outline | None:
    return None


@compiled_job("leadline.collections.documents.kernels.outline", plain=_outline_plain)
def _outline(kernel: Kernel, content: bytes) -> Outline | None:
    import numpy as np

    work = _buffers
    if work.rows is None:
        work.rows = np.empty(4 * _ROWS, np.int64)
        work.names, work.attributes = np.empty(2 * _DEEPEST, np.int64), np.empty(2 * _MOST_ATTRIBUTES, np.int64)
    text = np.frombuffer(content, np.uint8)
    found = kernel(text, len(content), work.names, work.attributes, work.rows, _ROWS)
    if found < 0:
        return None
    if not content.isascii():  # the kernel checks no other characters
        check(content)
    children: dict[bytes, Extent] = {}
    grandchildren: dict[bytes, Extent] = {}
    for depth, begin, end, length in work.rows[: 4 * found].reshape(-1, 4).tolist():
        (children if depth == 1 else grandchildren).setdefault(content[begin + 1 : begin + 1 + length], (begin, end))
    return children, grandchildren


class _NoTarget:
    """A parser's target that takes nothing, so that the parser only checks."""

    def close(self) -> None:
        pass


def check(content: bytes) -> None:
    """Raise ValueError with the parser's message when a document is not well-formed XML.

    >>> check(b"<p>one <b>two</p></b>")
    Traceback (most recent call last):
    ValueError: Opening and ending tag mismatch: b line 1 and p, line 1, column 18 (<string>, line 1)
    """
    from lxml import etree

    parser, _buffers.parser = _buffers.parser, None  # one that found an error is not used again
    if parser is None:
        settings = {"resolve_entities": False, "no_network": True, "huge_tree": True}
        parser = etree.XMLParser(target=_NoTarget(), encoding="utf-8", **settings)
    try:
        parser.feed(content)
        parser.close()
    except etree.XMLSyntaxError as error:
        raise ValueError(" ".join(str(error).split())) from None
    _buffers.parser = parser


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


# The same form written: grants in version 4.5, applications in version 4.4.


_HOLDS = frozenset(Document.__dataclass_fields__) - {"citers", "family", "reference"} | {
    "citations.origin",
    "citations.date",
}
_OF_APPLICATIONS = frozenset({"A1", "A2", "A9", "P1", "P4", "P9"})
_TYPES = {
    "us-patent-grant": 'us-patent-grant SYSTEM "us-patent-grant-v45-2014-04-03.dtd" [ ]',
    "us-patent-application": 'us-patent-application SYSTEM "us-patent-application-v44-2014-04-03.dtd" [ ]',
}
_CATEGORIES: dict[Origin, str] = {
    "examiner": "cited by examiner",
    "applicant": "cited by applicant",
    "third party": "cited by third party",
}


def limited_to_form(document: Document) -> Document:
    """A document as this form holds it: applicants who are not inventors, priorities in two lists, its own office."""
    document = with_normal_number(document)
    numbers = {claim.number for claim in document.claims}
    others = tuple(name for name in document.applicants if name not in document.inventors)
    citations = [
        each if each.origin in _CATEGORIES else replace(each, origin="unknown")
        for each in map(without_date_of_text, document.citations)
    ]
    return replace(
        document,
        claims=tuple(
            claim if numbers.issuperset(claim.parents) else _marked(claim, numbers) for claim in document.claims
        ),
        priorities=valid_priorities(sorted(document.priorities, key=_is_american), document.application),
        citations=tuple(citations),
        relatives=tuple(name for name in document.relatives if normalise(name).office == "US"),
        applicants=others or document.inventors,
    )


def _marked(claim: Claim, numbers: set[int]) -> Claim:
    """A claim that names one that there is not, which is no parent if the reader takes the marks for all."""
    marked = tuple(number for number in claim.parents if number in numbers)
    return claim if _names_more(claim.text, len(marked)) else replace(claim, parents=marked)


def _is_american(priority: Priority) -> bool:
    return priority.number.startswith("US")


@writer(
    "uspto",
    _HOLDS,
    takes=lambda document: document.office == "US" and has_number(document),
    limit=limited_to_form,
    file=lambda document: "applications" if document.kind in _OF_APPLICATIONS else "grants",
    types=_TYPES,
)
def write(document: Document) -> Element:
    """One patent or published application."""
    tag = ROOTS[document.kind in _OF_APPLICATIONS]
    date, name = digits(document.publication), f"US{_printed(document.serial)}"
    attributes = {"lang": document.language.upper(), "file": f"{name}-{date}.XML", "id": tag, "country": "US"}
    patent = root(tag, attributes | {"date-publ": date})
    data = add(patent, f"us-bibliographic-data-{tag.rpartition('-')[2]}", lang=document.language.upper(), country="US")
    published = add(data, "publication-reference")
    add_document_id(published, (document.office, _printed(document.serial), document.kind), document.publication)
    filed = add(data, "application-reference", appl_type="utility")
    add_document_id(filed, _application_parts(document.application_number), document.application)
    _add_priorities(data, document.priorities)
    _add_classes(data, document)
    add(data, "invention-title", document.title, id="title")
    if document.citations:
        cited = add(data, "us-references-cited")
        for sequence, citation in enumerate(document.citations, start=1):
            _add_citation(add(cited, "us-citation"), citation, sequence)
    _add_related(data, document)
    _add_people(data, document)
    if document.abstract:
        add_paragraphs(add(patent, "abstract", id="abstract"), document.abstract, "pa-", numbered=False)
    if document.description:
        add_paragraphs(add(patent, "description", id="description"), document.description, "p-")
    if document.claims:
        add_claims(add(patent, "claims", id="claims"), document.claims, "CLM-{:05}", width=5)
    return patent


def _printed(serial: str) -> str:
    """A serial with the zeros that the office prints."""
    letters = serial[: len(serial) - len(serial.lstrip("ADEHIPRTX"))]
    return letters + serial[len(letters) :].zfill(8 - len(letters))


def _application_parts(number: str) -> tuple[str, str, str]:
    """Country and number of an application, as the reader's `application` puts them together."""
    if number.startswith("WO") and number.endswith("W") and number[2:4].isalpha():
        return "WO", f"PCT/{number[2:8]}/{number[8:-1]}", ""
    return (number[:2], number[2:], "") if number[:2].isalpha() else ("", number, "")


def _add_priorities(data: Element, priorities: Sequence[Priority]) -> None:
    foreign = [each for each in priorities if not _is_american(each)]
    claims = add(data, "priority-claims") if foreign else None
    for sequence, priority in enumerate(foreign, start=1):
        claim = add(claims, "priority-claim", sequence=f"{sequence:02}", kind="national")
        country, number, _ = _application_parts(priority.number)
        for tag, text in (("country", country), ("doc-number", number), ("date", digits(priority.date))):
            add(claim, tag, text)


def _add_classes(data: Element, document: Document) -> None:
    international = add(data, "classifications-ipcr") if document.ipc else None
    for place, name in enumerate(document.ipc):
        _add_class(add(international, "classification-ipcr"), name, is_first=not place)
    cooperative = add(data, "classifications-cpc") if document.cpc else None
    for place, name in enumerate(document.cpc):
        outer = add(cooperative, "further-cpc" if place else "main-cpc")
        _add_class(add(outer, "classification-cpc"), name, is_first=not place)
    if document.national:
        own = add(data, "classification-national")
        add(own, "country", "US")
        for place, name in enumerate(document.national):
            add(own, "further-classification" if place else "main-classification", name)


def _add_class(item: Element, name: str, *, is_first: bool) -> None:
    group, _, subgroup = name[4:].partition("/")
    for tag, text in (
        ("section", name[:1]),
        ("class", name[1:3]),
        ("subclass", name[3:4]),
        ("main-group", group),
        ("subgroup", subgroup),
    ):
        if text:
            add(item, tag, text)
    add(item, "symbol-position", "F" if is_first else "L")
    add(item, "classification-value", "I")


def _add_citation(item: Element, citation: Citation, sequence: int) -> None:
    if citation.number or citation.date:
        office, serial, kind = cited_number(citation)
        is_application = office == "US" and len(serial) == 11 and serial.isdigit()
        cited = add(item, "patcit", num=f"{sequence:05}")
        add_document_id(
            cited, (office, f"{serial[:4]}/{serial[4:]}" if is_application else serial, kind), citation.date
        )
    else:
        cited = add(item, "nplcit", num=f"{sequence:05}")
        add(cited, "othercit", citation.text)
    add_filled(item, category=_CATEGORIES.get(citation.origin, ""))


def _add_related(data: Element, document: Document) -> None:
    """Earlier applications whose date is claimed, and earlier publications of this one."""
    claimed = [each for each in document.priorities if _is_american(each)]
    if not claimed and not document.relatives:
        return
    related = add(data, "us-related-documents")
    for priority in claimed:
        earlier = add_path(related, "continuation/relation/parent-doc")
        add_document_id(earlier, _application_parts(priority.number), priority.date)
    for name in document.relatives:
        add_document_id(add(related, "related-publication"), normalise(name))


def _add_people(data: Element, document: Document) -> None:
    if document.inventors:
        inventors = add_path(data, "us-parties/inventors")
        for sequence, name in enumerate(document.inventors, start=1):
            inventor = add(inventors, "inventor", sequence=f"{sequence:03}", designation="us-only")
            last, first = person(name)
            add_filled(add(inventor, "addressbook"), last_name=last, first_name=first)
    if document.applicants and document.applicants != document.inventors:
        assignees = add(data, "assignees")
        for name in document.applicants:
            add_path(assignees, "assignee/addressbook/orgname", name)
