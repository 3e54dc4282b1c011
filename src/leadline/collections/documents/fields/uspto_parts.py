"""Claims and citations of the American XML since 2005, read by regular expressions because trees are slow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from leadline.collections.documents.claims import limited, parents
from leadline.collections.documents.document import Citation, Claim, Origin
from leadline.collections.documents.markup.plain_text import ENTRY, Layout, read_words
from leadline.collections.documents.markup.xml import find_text, parse, text_of
from leadline.collections.documents.numbers import normalise
from leadline.text.days import iso

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
_LABEL = re.compile(r"[0-9]{1,4}(?:\s?[-–]\s?[0-9]{1,4})?\s?[.)]\s*")


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
    if "laims" in text or (not marked and "laim" in text):  # else the text names no more than the references
        linked.update(parents(text, number))
    return Claim(number, text, tuple(sorted(linked)))
