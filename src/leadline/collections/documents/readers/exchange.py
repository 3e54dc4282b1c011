"""European exchange documents: bibliographic data of all offices, in bulk (DOCDB) or on demand (OPS).

They have no claims and no descriptions, but families and the categories of citations. The bulk files put a number's
format on the reference and use a prefix for some elements; the service puts the format on the number and uses no
prefix. Both are read.
"""

from __future__ import annotations

from dataclasses import replace

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.patent_offices import (
    RESIDENCE,
    by_format,
    citations_under,
    date_of,
    distinct,
    distinct_citations,
    document_ids,
    in_one_language,
    names_of,
    number_of,
    publication_number,
    st36_document,
)
from leadline.collections.documents.fields.writing import (
    add,
    add_citation,
    add_document_id,
    add_filled,
    add_international,
    application_parts,
    digits,
    has_number,
    in_columns,
    in_lists,
    is_written,
    root,
    with_normal_number,
)
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.registry import Element, find_text, reader, tidy, writer
from leadline.text.days import iso

ROOTS = ("exchange-document",)
_NOTICES = {
    "D": "a notice that the document was deleted (status D)",
    "CV": "a notice that the document was withdrawn (status CV)",
    "DV": "a notice that a withdrawal was deleted (status DV)",
    "not found": "the service did not find this document (status not found)",
}


@reader("exchange", *ROOTS)
def read(element: Element) -> Document:
    """The bibliographic data of one publication."""
    status = element.get("status", "").strip()
    if status in _NOTICES:
        raise ValueError(_NOTICES[status])
    tidy(element)
    data = element.find("bibliographic-data")
    if data is None:
        raise ValueError("no element bibliographic-data")
    published = document_ids(data.findall("publication-reference"))
    number = publication_number(element, published)
    if not number.office:
        raise ValueError("no publication number in doc-number or publication-reference")
    own = find_text(data, "language-of-publication").lower()
    return st36_document(
        number,
        data,
        own,
        document_ids(data.findall("application-reference")),
        title=in_one_language(by_format(data.findall("invention-title")), own),
        abstract=in_one_language(by_format(element.findall("abstract")), own),
        publication=iso(element.get("date-publ", "")) or date_of(published),
        citations=distinct_citations(citations_under(data)),
        family=element.get("family-id", "").strip(),
        relatives=_relatives(element, number.id),
        applicants=names_of(data.iterfind("parties/applicants/applicant")),
        inventors=names_of(data.iterfind("parties/inventors/inventor")),
    )


def _relatives(element: Element, own: str) -> tuple[str, ...]:
    """The other publications of the simple family, which the bulk files list at the end of a document."""
    references = element.iterfind("patent-family/family-member/publication-reference")
    normal = (found for found in references if found.get("data-format", "docdb") == "docdb")
    numbers = (number_of(found).id for found in document_ids(normal))
    return tuple(dict.fromkeys(number for number in numbers if number != own))


# The same form written, as the bulk files have it.


_NAMESPACE = "http://www.epo.org/exchange"
_HOLDS = frozenset(Document.__dataclass_fields__) - {"description", "claims", "citers", "reference"}
_SCHEMES = {"US": "DOCUS", "JP": "FI", "DE": "DEKLA"}  # of the offices' own classes
_IN = f"{{{_NAMESPACE}}}"


def limited_to_form(document: Document) -> Document:
    """A document as this form holds it: each citation once, names without an office in brackets behind them."""
    return replace(
        with_normal_number(document),
        citations=in_lists(document.citations, lambda _: True),
        relatives=tuple(filter(is_written, document.relatives)),
        applicants=distinct(RESIDENCE.sub("", name) for name in document.applicants),
        inventors=distinct(RESIDENCE.sub("", name) for name in document.inventors),
    )


@writer(
    "exchange",
    _HOLDS | {"citations.origin", "citations.category", "citations.date"},
    takes=has_number,
    limit=limited_to_form,
    around=lambda: root(f"{_IN}exchange-documents", {"dtd-version": "2.5.7"}, {"exch": _NAMESPACE}),
)
def write(document: Document) -> Element:
    """The bibliographic data of one publication."""
    own = (document.office, document.serial, document.kind)
    about = {"country": document.office, "doc-number": document.serial, "kind": document.kind}
    about |= {"date-publ": digits(document.publication), "family-id": document.family, "status": "A"}
    whole = root(f"{_IN}exchange-document", about, {"exch": _NAMESPACE})
    data = add(whole, f"{_IN}bibliographic-data")
    published = add(data, f"{_IN}publication-reference", data_format="docdb")
    add_document_id(published, own, document.publication, lang=document.language)
    if document.ipc:
        add_international(add(data, f"{_IN}classifications-ipcr"), document.ipc, document.office)
    _add_other_classes(data, document)
    filed = add(data, f"{_IN}application-reference", data_format="docdb")
    add_document_id(filed, application_parts(document.application_number), document.application)
    add_filled(data, **{f"{_IN}language-of-publication": document.language})
    claims = add(data, f"{_IN}priority-claims") if document.priorities else None
    for sequence, priority in enumerate(document.priorities, start=1):
        claim = add(claims, f"{_IN}priority-claim", sequence=str(sequence), data_format="docdb")
        add_document_id(claim, application_parts(priority.number), priority.date)
    _add_people(add(data, f"{_IN}parties"), document)
    if document.title:
        add(data, f"{_IN}invention-title", document.title, lang=document.language, data_format="docdba")
    if document.citations:
        cited = add(data, f"{_IN}references-cited")
        for citation in document.citations:
            add_citation(cited, citation, code=True, place=_IN)
    if document.abstract:
        abstract = add(whole, f"{_IN}abstract", lang=document.language, data_format="docdba")
        for text in document.abstract.split("\n"):
            add(abstract, f"{_IN}p", text)
    family = add(whole, f"{_IN}patent-family") if document.relatives else None
    for name in document.relatives:
        member = add(family, f"{_IN}family-member")
        add_document_id(add(member, f"{_IN}publication-reference", data_format="docdb"), normalise(name))
    return whole


def _add_other_classes(data: Element, document: Document) -> None:
    """Add cooperative classes and those of the office's own scheme."""
    schemes = [("EP", "CPCI", in_columns(symbol)) for symbol in document.cpc]
    schemes += [(document.office, _SCHEMES.get(document.office, "NATIONAL"), name) for name in document.national]
    classes = add(data, f"{_IN}patent-classifications") if schemes else None
    for sequence, (office, scheme, symbol) in enumerate(schemes, start=1):
        item = add(classes, "patent-classification", sequence=str(sequence))
        add(item, "classification-scheme", office=office, scheme=scheme)
        add(item, "classification-symbol", symbol)


def _add_people(parties: Element, document: Document) -> None:
    for kind, names in (("applicant", document.applicants), ("inventor", document.inventors)):
        people = add(parties, f"{_IN}{kind}s") if names else None
        for sequence, name in enumerate(names, start=1):
            member = add(people, f"{_IN}{kind}", sequence=str(sequence), data_format="docdb")
            add(add(member, f"{_IN}{kind}-name"), "name", name)
