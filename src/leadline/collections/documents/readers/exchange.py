"""European exchange documents: the bibliographic database of all offices, in bulk (DOCDB) or on demand (OPS).

There are no claims and no descriptions, but there are families and the categories of citations. The bulk files put a
number's format on the reference and use a prefix for some of the elements; the service puts the format on the number
and uses none. Both are read alike.
"""

from __future__ import annotations

from leadline.collections.documents.document import Document
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.readers.cited import citations_under, distinct
from leadline.collections.documents.readers.st36_parts import (
    application_of,
    by_format,
    cpc_of,
    date_of,
    document_ids,
    in_one_language,
    ipc_of,
    kept_language,
    names_of,
    national_of,
    number_of,
    priorities_of,
)
from leadline.collections.documents.readers.tidy import paragraphs, tidy, wording
from leadline.collections.documents.readers.xml import Element, find_text
from leadline.text.days import iso

ROOTS = ("exchange-document",)
_NOTICES = {
    "D": "a notice that the document was deleted (status D)",
    "CV": "a notice that the document was withdrawn (status CV)",
    "DV": "a notice that a withdrawal was deleted (status DV)",
    "not found": "the service did not find this document (status not found)",
}


def read(element: Element) -> Document:
    """One publication's bibliography."""
    status = element.get("status", "").strip()
    if status in _NOTICES:
        raise ValueError(_NOTICES[status])
    tidy(element)
    data = element.find("bibliographic-data")
    if data is None:
        raise ValueError("no element bibliographic-data")
    published = document_ids(data.findall("publication-reference"))
    number = normalise(element.get("doc-number", ""), element.get("country", ""), element.get("kind", ""))
    if not number.office and published:
        number = number_of(published[0])
    if not number.office:
        raise ValueError("no publication number in doc-number or publication-reference")
    own = find_text(data, "language-of-publication").lower()
    abstract = in_one_language(by_format(element.findall("abstract")), own)
    title = in_one_language(by_format(data.findall("invention-title")), own)
    filed = document_ids(data.findall("application-reference"))
    return Document(
        id=number.id,
        office=number.office,
        serial=number.serial,
        kind=number.kind,
        language=kept_language((abstract, title), own),
        title=wording(title),
        abstract=paragraphs(abstract),
        ipc=ipc_of(data),
        cpc=cpc_of(data),
        national=national_of(data),
        priorities=priorities_of(data),
        application=date_of(filed),
        application_number=application_of(filed[0]) if filed else "",
        publication=iso(element.get("date-publ", "")) or date_of(published),
        citations=distinct(citations_under(data)),
        family=element.get("family-id", "").strip(),
        relatives=_relatives(element, number.id),
        applicants=names_of(data.iterfind("parties/applicants/applicant")),
        inventors=names_of(data.iterfind("parties/inventors/inventor")),
    )


def _relatives(element: Element, own: str) -> tuple[str, ...]:
    """The publications of the simple family, which the bulk files list at the document's end."""
    references = element.iterfind("patent-family/family-member/publication-reference")
    normal = (found for found in references if found.get("data-format", "docdb") == "docdb")
    numbers = (number_of(found).id for found in document_ids(normal))
    return tuple(dict.fromkeys(number for number in numbers if number != own))
