"""Citations in the elements `citation`, `patcit` and `nplcit`, which the offices' XML forms share.

The codes of phases are those of the European exchange format (DOCDB), which MAREC uses too; the words are those of
WIPO's standard ST.36, which the Open Patent Services use. docs/forms.md says what each means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from leadline.collections.documents.document import Citation, Origin
from leadline.collections.documents.fields.st36_parts import application_of, by_format, date_of, number_of
from leadline.collections.documents.markup.tidy import listed, wording
from leadline.collections.documents.markup.xml import Element, find_text
from leadline.collections.documents.numbers import normalise

_PHASES: dict[str, Origin] = {
    **dict.fromkeys(("app", "apl", "description"), "applicant"),
    **dict.fromkeys(("sea", "isr", "sup", "prs", "exa", "ch2", "search", "limitation"), "examiner"),
    **dict.fromkeys(("opp", "fop", "opposition"), "opposition"),
    **dict.fromkeys(("tpo", "115"), "third party"),
}
_BY: dict[str, Origin] = {
    "applicant": "applicant",
    "examiner": "examiner",
    "opponent": "opposition",
    "third-party": "third party",
}


def origin_of(phase: str, by: str = "") -> Origin:
    """The origin of a citation, from the phase it was made in and, when the form says it, from who made it.

    >>> origin_of("ISR"), origin_of("supplementary-national-search-report"), origin_of("FOP")
    ('examiner', 'examiner', 'opposition')
    >>> origin_of("examination", "applicant"), origin_of("undefined")
    ('applicant', 'unknown')
    """
    named = phase.strip().lower()
    if named.endswith(("search-report", "examination")):
        named = "search"
    origin = _PHASES.get(named, "unknown")
    if origin == "opposition":  # citations added by the opposition division count as the opposition's
        return origin
    return _BY.get(by.strip().lower(), origin)


def categories(printed: Iterable[str]) -> str:
    """The category letters of a search report, each once, in the order printed.

    >>> categories(["X,D", "A"]), categories(["Y", "XY"])
    ('XDA', 'YX')
    """
    return "".join(dict.fromkeys(mark for text in printed for mark in text.upper() if mark.isalpha() or mark == "&"))


def citations_under(element: Element) -> Iterator[Citation]:
    """The citations below an element. The origin is in the attributes of each, or follows from its search report."""
    for citation in element.iter("citation"):
        phase, by = citation.get("cited-phase", ""), citation.get("cited-by", "")
        origin = origin_of(phase, by)
        letters = categories(wording(category) for category in citation.iter("category"))
        if not phase and not by and (letters or citation.getparent().tag == "srep-citations"):
            origin = "examiner"  # only search reports give categories
        for cited in citation:
            yield from cited_in(cited, origin, letters)


def cited_in(element: Element, origin: Origin, category: str = "") -> Iterator[Citation]:
    """The citation in a `patcit` or `nplcit`; nothing for other elements and for empty ones."""
    if element.tag == "patcit":
        yield _patent(element, origin, category)
    elif element.tag == "nplcit" and (text := find_text(element, "text") or listed(element)):
        yield Citation(origin=origin, category=category, text=text)


def _patent(patcit: Element, origin: Origin, category: str) -> Citation:
    """A citation of a patent. One cited as an application has no publication's number and is kept as text."""
    found = by_format(patcit.findall("document-id"))
    printed = patcit.get("dnum") or patcit.get("ucid") or find_text(patcit, "text")
    if patcit.get("dnum-type", "").lower().startswith(("application", "appno", "pctno")):
        name = application_of(found[0]) if found else printed
        return Citation(origin=origin, category=category, text=f"application {name}")
    number = number_of(found[0]) if found else normalise(printed)
    if not number.office:
        number = normalise(printed)
    if not number.office:
        return Citation(origin=origin, category=category, date=date_of(found), text=number.serial)
    return Citation(number.id, origin, category, date_of(found))


def distinct_citations(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """Each citation once, even when the cover page and the search report both print it. The first has most details."""
    kept: dict[tuple[str, str], Citation] = {}
    for citation in citations:
        if name := citation.number or citation.text:
            kept.setdefault((name, citation.origin), citation)
    return tuple(kept.values())
