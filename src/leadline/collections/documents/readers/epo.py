"""European patent publications in full: `ep-patent-document`, which the European Patent Office issues each week.

The bibliographic data are in elements named after the codes of WIPO's standard ST.32, `B110` and so on; the texts and
the search report are those of ST.36. A granted patent has its claims in German, English and French, its description
only in the language of the proceedings. English is kept when there is English, else that language; claims in other
languages, claims for single states after the first set, and claims amended after the search are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

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
from leadline.collections.documents.fields.writing import (
    add,
    add_citation,
    add_cited,
    add_claims,
    add_cooperative,
    add_filled,
    add_international,
    add_paragraphs,
    add_path,
    digits,
    has_number,
    in_lists,
    root,
    with_normal_number,
)
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.registry import Element, find_text, paragraphs, reader, tidy, wording, writer
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


# The same form written.


_LEFT_OUT = frozenset({"national", "citers", "family", "relatives", "reference"})
_HOLDS = frozenset(Document.__dataclass_fields__) - _LEFT_OUT
_TYPE = 'ep-patent-document PUBLIC "-//EPO//EP PATENT DOCUMENT 1.5//EN" "ep-patent-document-v1-5.dtd"'


def limited_to_form(document: Document) -> Document:
    """A document as this form holds it: citations in two lists, a number of an application of its own office."""
    number = document.application_number
    return replace(
        with_normal_number(document),
        application_number=number if number.startswith("EP") else "",
        citations=in_lists(document.citations, lambda each: not _is_in_description(each)),
    )


def _is_in_description(citation: Citation) -> bool:
    return citation.origin == "applicant" and not citation.category


@writer(
    "epo",
    _HOLDS | {"citations.origin", "citations.category", "citations.date"},
    takes=lambda document: document.office == "EP" and has_number(document),
    limit=limited_to_form,
    types={ROOTS[0]: _TYPE},
)
def write(document: Document) -> Element:
    """One publication."""
    date, language = digits(document.publication), document.language
    about = {"country": "EP", "doc-number": document.serial, "kind": document.kind, "date-publ": date}
    name = f"EP{document.serial}{document.kind}"
    publication = root(ROOTS[0], {"id": name, "file": f"{name}.xml", "lang": language} | about)
    _add_data(add(publication, "SDOBI", lang=language), document)
    if document.abstract:
        add_paragraphs(add(publication, "abstract", id="abst", lang=language), document.abstract, "pa", numbered=False)
    if document.description:
        add_paragraphs(add(publication, "description", id="desc", lang=language), document.description)
    if document.claims:
        claims = add(publication, "claims", id="claims01", lang=language)
        add_claims(claims, document.claims, f"c-{language or 'xx'}-01-{{:04}}")
    found = [citation for citation in document.citations if not _is_in_description(citation)]
    if found:
        report = add(publication, "search-report-data", id="srep", lang=language, srep_office="EP")
        cited = add_path(report, "srep-for-pub/srep-citations")
        for citation in found:
            add_citation(cited, citation)
    if len(found) < len(document.citations):
        listed = add_path(add(publication, "ep-reference-list", id="ref-list"), "p/ul")
        for citation in document.citations[len(found) :]:
            add_cited(add(listed, "li"), citation)
    return publication


def _add_data(data: Element, document: Document) -> None:
    """Add the bibliographic data, in elements named after the codes of ST.32."""
    numbers = add(data, "B100")
    add_filled(numbers, B110=document.serial, B130=document.kind)
    add_path(numbers, "B140/date", digits(document.publication))
    add(numbers, "B190", "EP")
    filing = add(data, "B200")
    add_filled(filing, B210=document.application_number[2:])
    add_path(filing, "B220/date", digits(document.application))
    add_filled(filing, B250=document.language, B260=document.language)
    claimed = add(data, "B300") if document.priorities else None
    for priority in document.priorities:
        country = priority.number[:2] if priority.number[:2].isalpha() else ""
        add(claimed, "B310", priority.number[len(country) :])
        add_path(claimed, "B320/date", digits(priority.date))
        add_path(claimed, "B330/ctry", country)
    technical = add(data, "B500")
    if document.ipc:
        add_international(add(technical, "B510EP"), document.ipc, "EP")
    if document.cpc:
        add_cooperative(add_path(technical, "B520EP/classifications-cpc"), document.cpc, "EP")
    if document.title:
        titles = add(technical, "B540")
        add_filled(titles, B541=document.language, B542=document.title)
    parties = add(data, "B700")
    outer = "B730/B731" if document.kind.startswith("B") else "B710/B711"
    for path, names in (("B720/B721", document.inventors), (outer, document.applicants)):
        first, _, second = path.partition("/")
        group = add(parties, first) if names else None
        for name in names:
            add_path(group, f"{second}/snm", name)
