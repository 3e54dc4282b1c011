"""European exchange documents: bibliographic data of all offices, in bulk (DOCDB) or on demand (OPS).

They have no claims and no descriptions, but families and the categories of citations. The bulk files put a number's
format on the reference and use a prefix for some elements; the service puts the format on the number and uses no
prefix. Both are read.
"""

from __future__ import annotations

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.patent_offices import (
    by_format,
    citations_under,
    date_of,
    distinct_citations,
    document_ids,
    in_one_language,
    names_of,
    number_of,
    publication_number,
    st36_document,
)
from leadline.collections.documents.registry import Element, find_text, reader, tidy
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
