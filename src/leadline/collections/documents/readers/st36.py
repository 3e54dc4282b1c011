"""Publications in WIPO's standard ST.36, of any office: `xx-patent-document` with the office's code for `xx`.

International, French, Chinese and Japanese publications, and the body of an application as filed. Offices put their
code before elements they changed, `fr-bibliographic-data`: the code is dropped, and elements that then have a name of
the standard are read. Documents whose pages are only images have bibliographic data and no text.
"""

from __future__ import annotations

import re

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
from leadline.collections.documents.numbers import Number
from leadline.collections.documents.registry import Element, find_text, local_name, reader, tidy
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
