"""European patent publications in full: `ep-patent-document`, which the European Patent Office issues each week.

The bibliographic data are in elements named after the codes of WIPO's standard ST.32, `B110` and so on; the texts and
the search report are those of ST.36. A granted patent has its claims in German, English and French, its description
only in the language of the proceedings. English is kept when there is English, else that language; claims in other
languages, claims for single states after the first set, and claims amended after the search are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from leadline.collections.choices import Origin
from leadline.collections.documents.document import Citation, Document, Priority
from leadline.collections.documents.fields.patent_offices import (
    application_name,
    citations_under,
    cited_in,
    claims_of,
    cpc_of,
    distinct_citations,
    in_one_language,
    ipc_of,
    kept_language,
    language_of,
    loose_symbol,
)
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.registry import Element, find_text, paragraphs, reader, tidy, wording
from leadline.text.days import iso

ROOTS = ("ep-patent-document",)


@reader("epo", *ROOTS)
def read(element: Element) -> Document:
    """One publication."""
    tidy(element)
    data = element.find("SDOBI")
    if data is None:
        raise ValueError("no element SDOBI, which holds a European document's bibliographic data")
    number = normalise(
        element.get("doc-number") or find_text(data, "B100/B110"),
        element.get("country") or find_text(data, "B100/B190"),
        element.get("kind") or find_text(data, "B100/B130"),
    )
    if not number.office or not number.serial:
        raise ValueError("no publication number in doc-number or B110")
    own = language_of(element) or find_text(data, "B200/B260").lower()
    description = in_one_language(element.findall("description"), own)
    claims = in_one_language(element.findall("claims"), own)
    abstract = in_one_language(element.findall("abstract"), own)
    return Document(
        id=number.id,
        office=number.office,
        serial=number.serial,
        kind=number.kind,
        language=kept_language((description, claims, abstract), own),
        title=_title(data, own),
        abstract=paragraphs(abstract),
        description=paragraphs(description),
        claims=claims_of(claims),
        ipc=ipc_of(data) or _older_classes(data),
        cpc=cpc_of(data),
        priorities=tuple(_priorities(data)) or tuple(_international_filing(data)),
        application=iso(find_text(data, "B200/B220/date")),
        application_number=application_name(number.office, find_text(data, "B200/B210")),
        publication=iso(element.get("date-publ", "")) or iso(find_text(data, "B100/B140/date")),
        citations=distinct_citations(_citations(element, data, number.kind)),
        applicants=_names(data, "B710/B711") or _names(data, "B730/B731"),
        inventors=_names(data, "B720/B721"),
    )


def _title(data: Element, own: str) -> str:
    """The title. Titles come in pairs of elements: B541 gives the language of the B542 after it."""
    titles: dict[str, str] = {}
    language = ""
    for part in data.iterfind("B500/B540/*"):
        if part.tag == "B541":
            language = wording(part).lower()
        elif part.tag == "B542":
            titles.setdefault(language, wording(part))
    return titles.get("en") or titles.get(own) or next(iter(titles.values()), "")


def _older_classes(data: Element) -> tuple[str, ...]:
    """Classes of the first seven editions: the main one in B511, the others in B512."""
    found = (loose_symbol(wording(part)) for tag in ("B511", "B512") for part in data.iterfind(f"B500/B510/{tag}"))
    return tuple(dict.fromkeys(filter(None, found)))


def _priorities(data: Element) -> Iterator[Priority]:
    """The priorities. One B300 may hold several: B310 is a number, and the date and country after it belong to it."""
    parts: dict[str, str] = {}
    for part in (*data.iterfind("B300/*"), None):
        if parts and (part is None or part.tag == "B310"):
            yield Priority(application_name(parts.get("B330", ""), parts.get("B310", "")), iso(parts.get("B320", "")))
            parts = {}
        if part is not None:
            parts[part.tag] = wording(part)


def _international_filing(data: Element) -> Iterator[Priority]:
    """The international application a document comes from, which is the first filing when it claims no priority."""
    filed = data.find("B800/B860/B861")
    if filed is not None and (number := application_name("PCT", find_text(filed, "dnum/anum"))):
        yield Priority(number, iso(find_text(filed, "date")))


def _citations(element: Element, data: Element, kind: str) -> Iterator[Citation]:
    """Citations of the search report, of the cover page, and of the applicant.

    The cover of a B2 lists citations of opponents and of examiners without telling them apart.
    """
    for report in element.findall("search-report-data"):
        yield from citations_under(report)
    for part in data.iterfind("B500/B560/*"):
        origin: Origin = "unknown" if kind == "B2" else "examiner"
        words = find_text(part, "text") or wording(part)
        if part.tag == "B561":
            number = normalise(words)
            yield Citation(number.id, origin) if number.office else Citation(origin=origin, text=words)
        elif part.tag == "B562" and words:
            yield Citation(origin=origin, text=words)
    listed = element.find("ep-reference-list")
    own = listed if listed is not None else element.find("description")  # the list is made from the description
    if own is not None:
        for cited in own.iter("patcit", "nplcit"):
            yield from cited_in(cited, "applicant")


def _names(data: Element, path: str) -> tuple[str, ...]:
    found = (find_text(name, "snm") or find_text(name, "onm") for name in data.iterfind(f"B700/{path}"))
    return tuple(dict.fromkeys(filter(None, found)))
