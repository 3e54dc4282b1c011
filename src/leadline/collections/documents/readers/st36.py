"""Publications after WIPO's standard ST.36, from whichever office: `xx-patent-document` with the office for `xx`.

International publications, French, Chinese and Japanese ones, and the body of an application as it is filed. Offices
put their letters before elements they changed, `fr-bibliographic-data`: the letters are dropped, and what then has a
name of the standard is read. Documents whose pages are only images have a bibliography here and no text.
"""

from __future__ import annotations

import re

from leadline.collections.documents.document import Document
from leadline.collections.documents.numbers import Number, normalise
from leadline.collections.documents.readers.cited import citations_under, distinct
from leadline.collections.documents.readers.st36_parts import (
    application_of,
    claims_of,
    cpc_of,
    date_of,
    document_ids,
    in_one_language,
    ipc_of,
    kept_language,
    language_of,
    names_of,
    national_of,
    number_of,
    priorities_of,
)
from leadline.collections.documents.readers.tidy import paragraphs, tidy, wording
from leadline.collections.documents.readers.xml import Element, find_text, local_name
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


def read(element: Element) -> Document:
    """One publication, or one application as filed."""
    prefix = _OFFICE.match(local_name(element.tag))
    tidy(element, prefix[0] if prefix else "")
    data = element.find("bibliographic-data")
    if data is None:
        data = element  # the body of an application has no bibliography of its own
    published = document_ids(data.iter("publication-reference"))
    number = _number(element, published)
    own = language_of(element) or find_text(data, "language-of-publication").lower()
    description = in_one_language(element.iter("description"), own)
    claims = in_one_language(element.iter("claims"), own)
    abstract = in_one_language(element.iter("abstract"), own)
    title = in_one_language(data.iter("invention-title"), own)
    if title is None:  # applications are filed with the title at the head of the description
        title = in_one_language(element.iter("invention-title"), own)
    if description is not None:
        for heading in description.findall("invention-title"):
            description.remove(heading)
    filed = document_ids(data.iter("application-reference"))
    return Document(
        id=number.id,
        office=number.office,
        serial=number.serial,
        kind=number.kind,
        language=kept_language((description, claims, abstract, title), own),
        title=wording(title),
        abstract=paragraphs(abstract),
        description=paragraphs(description),
        claims=claims_of(claims),
        ipc=ipc_of(data),
        cpc=cpc_of(data),
        national=national_of(data),
        priorities=priorities_of(data),
        application=date_of(filed),
        application_number=application_of(filed[0]) if filed else "",
        publication=iso(element.get("date-publ", "")) or date_of(published),
        citations=distinct(citations_under(element)),
        family=element.get("family-id", "").strip(),
        applicants=names_of(data.iter("applicant")),
        inventors=names_of(data.iter("inventor")),
    )


def _number(element: Element, published: list[Element]) -> Number:
    """The publication's number; the body of an application is known by the reference its file bears."""
    number = normalise(element.get("doc-number", ""), element.get("country", ""), element.get("kind", ""))
    if not number.office and published:
        number = number_of(published[0])
    if number.office and number.serial:
        return number if number.kind else number._replace(kind=element.get("kind-of-st16", ""))
    reference = element.get("file-reference-id") or element.get("id") or ""
    if not reference:
        raise ValueError("no publication number, nor any file-reference-id or id instead")
    return Number("", reference.strip(), "")
