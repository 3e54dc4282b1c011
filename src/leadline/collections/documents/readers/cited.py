"""Who cited what, in the elements that the offices' XML forms share: `citation`, `patcit` and `nplcit`.

The codes of phases are those of the European exchange format (DOCDB), which MAREC took over; the words are those of
WIPO's standard ST.36, which the Open Patent Services use. What each means is said in docs/forms.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from leadline.collections.documents.document import Citation, Origin
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.readers.st36_parts import application_of, by_format, number_of
from leadline.collections.documents.readers.tidy import listed, wording
from leadline.collections.documents.readers.xml import Element, find_text
from leadline.text.days import iso

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
    """Whose citation it is, from the phase it was made in and, where the form says it, from who made it.

    >>> origin_of("ISR"), origin_of("supplementary-national-search-report"), origin_of("FOP")
    ('examiner', 'examiner', 'opposition')
    >>> origin_of("examination", "applicant"), origin_of("undefined")
    ('applicant', 'unknown')
    """
    named = phase.strip().lower()
    if named.endswith(("search-report", "examination")):
        named = "search"
    origin = _PHASES.get(named, "unknown")
    if origin == "opposition":  # what the opposition division adds comes from the opposition too
        return origin
    return _BY.get(by.strip().lower(), origin)


def categories(printed: Iterable[str]) -> str:
    """The letters of a search report's categories, each once, in the order printed.

    >>> categories(["X,D", "A"]), categories(["Y", "XY"])
    ('XDA', 'YX')
    """
    return "".join(dict.fromkeys(mark for text in printed for mark in text.upper() if mark.isalpha() or mark == "&"))


def citations_under(element: Element) -> Iterator[Citation]:
    """What every `citation` below an element cites; its attributes tell whose it is, or its place in a report."""
    for citation in element.iter("citation"):
        phase, by = citation.get("cited-phase", ""), citation.get("cited-by", "")
        origin = origin_of(phase, by)
        kinds = categories(wording(category) for category in citation.iter("category"))
        if not phase and not by and (kinds or citation.getparent().tag == "srep-citations"):
            origin = "examiner"  # only search reports give categories
        for cited in citation:
            if cited.tag == "patcit":
                yield patent_cited(cited, origin, kinds)
            elif cited.tag == "nplcit" and (words := literature_words(cited)):
                yield Citation(origin=origin, category=kinds, text=words)


def patent_cited(patcit: Element, origin: Origin, kinds: str = "") -> Citation:
    """A patent; one that is cited as an application has no publication's number and stays a text."""
    found = by_format(patcit.findall("document-id"))
    printed = patcit.get("dnum") or patcit.get("ucid") or find_text(patcit, "text")
    if patcit.get("dnum-type", "").lower().startswith(("application", "appno", "pctno")):
        name = application_of(found[0]) if found else printed
        return Citation(origin=origin, category=kinds, text=f"application {name}")
    number = number_of(found[0]) if found else normalise(printed)
    if not number.office:
        number = normalise(printed)
    date = next((date for one in found if (date := iso(find_text(one, "date")))), "")
    if not number.office:
        return Citation(origin=origin, category=kinds, date=date, text=number.serial)
    return Citation(number.id, origin, kinds, date)


def literature_words(nplcit: Element) -> str:
    """Literature as one line: its text, or its parts with commas between them."""
    return find_text(nplcit, "text") or listed(nplcit)


def distinct(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """Each citation once, though the cover page and the search report both print it; the first tells most."""
    kept: dict[tuple[str, str], Citation] = {}
    for citation in citations:
        if name := citation.number or citation.text:
            kept.setdefault((name, citation.origin), citation)
    return tuple(kept.values())
