"""Publications in WIPO's standard ST.36, of any office: `xx-patent-document` with the office's code for `xx`.

International, French, Chinese and Japanese publications, and the body of an application as filed. Offices put their
code before elements they changed, `fr-bibliographic-data`: the code is dropped, and elements that then have a name of
the standard are read. Documents whose pages are only images have bibliographic data and no text.
"""

from __future__ import annotations

import re
from dataclasses import replace

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.patent_offices import (
    citations_under,
    date_of,
    distinct_citations,
    document_ids,
    in_one_language,
    language_of,
    names_of,
    publication_number,
    st36_document,
)
from leadline.collections.documents.fields.writing import (
    add,
    add_citation,
    add_claims,
    add_cooperative,
    add_document_id,
    add_filled,
    add_international,
    add_paragraphs,
    add_path,
    application_parts,
    digits,
    has_number,
    in_lists,
    person,
    root,
    with_normal_number,
)
from leadline.collections.documents.numbers import Number
from leadline.collections.documents.registry import Element, find_text, local_name, reader, tidy, writer
from leadline.text.days import iso

ROOTS = (
    "wo-patent-document",
    "wo-published-application",
    "fr-patent-document",
    "cn-patent-document",
    "jp-official-gazette",
    "xx-patent-document",
    "application-body",
)
_OFFICE = re.compile(r"[a-z]{2}-")


@reader("st36", *ROOTS)
def read(element: Element) -> Document:
    """One publication, or one application as filed."""
    prefix = _OFFICE.match(local_name(element.tag))
    tidy(element, prefix[0] if prefix else "")
    data = element.find("bibliographic-data")
    if data is None:
        data = element  # the body of an application has no bibliographic data of its own
    published = document_ids(data.iter("publication-reference"))
    number = _number(element, published)
    own = language_of(element) or find_text(data, "language-of-publication").lower()
    description = in_one_language(element.iter("description"), own)
    title = in_one_language(data.iter("invention-title"), own)
    if title is None:  # applications are filed with the title at the head of the description
        title = in_one_language(element.iter("invention-title"), own)
    if description is not None:
        for heading in description.findall("invention-title"):
            description.remove(heading)
    return st36_document(
        number,
        data,
        own,
        document_ids(data.iter("application-reference")),
        title=title,
        abstract=in_one_language(element.iter("abstract"), own),
        description=description,
        claims=in_one_language(element.iter("claims"), own),
        publication=iso(element.get("date-publ", "")) or date_of(published),
        citations=distinct_citations(citations_under(element)),
        family=element.get("family-id", "").strip(),
        applicants=names_of(data.iter("applicant")),
        inventors=names_of(data.iter("inventor")),
    )


def _number(element: Element, published: list[Element]) -> Number:
    """The publication's number; for the body of an application, the reference of its file."""
    number = publication_number(element, published)
    if number.office and number.serial:
        return number if number.kind else number._replace(kind=element.get("kind-of-st16", ""))
    reference = element.get("file-reference-id") or element.get("id") or ""
    if not reference:
        raise ValueError("no publication number, nor any file-reference-id or id instead")
    return Number("", reference.strip(), "")


# The same form written, under the name of the office's form where that is known.


_HOLDS = frozenset(Document.__dataclass_fields__) - {"citers", "relatives", "reference"}
_NAMES = {"WO": "wo-patent-document", "FR": "fr-patent-document", "CN": "cn-patent-document"}
_OTHERS = frozenset({"US", "EP"})  # offices with a form of their own


def limited_to_form(document: Document) -> Document:
    """A document as this form holds it: citations in two lists, the search report last."""
    limited = with_normal_number(document)
    return replace(limited, citations=in_lists(document.citations, lambda each: each.origin != "examiner"))


@writer(
    "st36",
    _HOLDS | {"citations.origin", "citations.category", "citations.date"},
    takes=lambda document: document.office not in _OTHERS and has_number(document),
    limit=limited_to_form,
    file=lambda document: document.office.lower(),
    types={tag: f'{tag} SYSTEM "{tag}-v1-3.dtd"' for tag in (*_NAMES.values(), "xx-patent-document")},
)
def write(document: Document) -> Element:
    """One publication."""
    language, own = document.language, (document.office, document.serial, document.kind)
    about = dict(zip(("country", "doc-number", "kind"), own, strict=True))
    about |= {"date-publ": digits(document.publication), "family-id": document.family, "lang": language}
    whole = root(_NAMES.get(document.office, "xx-patent-document"), {"id": f"{document.id}.xml"} | about)
    data = add(whole, "bibliographic-data", id="bibl", country=document.office, lang=language)
    add_document_id(add(data, "publication-reference"), own, document.publication)
    _add_classes(data, document)
    filed = add(data, "application-reference", appl_type="utility")
    add_document_id(filed, application_parts(document.application_number), document.application)
    add_filled(data, language_of_publication=language)
    claims = add(data, "priority-claims") if document.priorities else None
    for sequence, priority in enumerate(document.priorities, start=1):
        claim = add(claims, "priority-claim", sequence=str(sequence), kind="national")
        country, number, kind = application_parts(priority.number)
        add_filled(claim, country=country, doc_number=number, kind=kind, date=digits(priority.date))
    _add_people(add(data, "parties"), document)
    add_filled(data, invention_title=document.title)
    before = [citation for citation in document.citations if citation.origin != "examiner"]
    cited = add(data, "references-cited") if before else None
    for citation in before:
        add_citation(cited, citation)
    if document.abstract:
        add_paragraphs(add(whole, "abstract", id="abst", lang=language), document.abstract, "pa", numbered=False)
    if document.description:
        add_paragraphs(add(whole, "description", id="desc", lang=language), document.description)
    if document.claims:
        add_claims(add(whole, "claims", id="claims01", lang=language), document.claims, "cl{:04}", width=1)
    if len(before) < len(document.citations):
        report = add(whole, "search-report-data", id="srep", lang=language, srep_office=document.office)
        found = add_path(report, "srep-for-pub/srep-citations")
        for citation in document.citations[len(before) :]:
            add_citation(found, citation)
    return whole


def _add_classes(data: Element, document: Document) -> None:
    if document.ipc:
        add_international(add(data, "classifications-ipcr"), document.ipc, document.office)
    if document.cpc:
        add_cooperative(add(data, "classifications-cpc"), document.cpc, document.office)
    if document.national:
        own = add(data, "classification-national")
        add(own, "country", document.office)
        for place, name in enumerate(document.national):
            add(own, "further-classification" if place else "main-classification", name)


def _add_people(parties: Element, document: Document) -> None:
    applicants = add(parties, "applicants") if document.applicants else None
    for sequence, name in enumerate(document.applicants, start=1):
        applicant = add(applicants, "applicant", sequence=str(sequence), app_type="applicant")
        add_path(applicant, "addressbook/orgname", name)
    inventors = add(parties, "inventors") if document.inventors else None
    for sequence, name in enumerate(document.inventors, start=1):
        inventor = add(inventors, "inventor", sequence=str(sequence))
        last, first = person(name)
        add_filled(add(inventor, "addressbook"), last_name=last, first_name=first)
