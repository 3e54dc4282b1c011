"""The test collections of patents: MAREC, from which CLEF-IP and TREC-CHEM were cut, `patent-document`.

A document keeps the name it has there, `EP-0049154-B2`, for topics and judgements use it. Titles, abstracts and claims
come in up to three languages: English is kept wherever there is English, else the document's own language.
"""

from __future__ import annotations

from collections.abc import Iterator

from leadline.collections.documents.document import Citation, Document, Origin
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.readers.cited import categories, distinct, literature_words, origin_of, patent_cited
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
    priorities_of,
)
from leadline.collections.documents.readers.tidy import paragraphs, tidy, wording
from leadline.collections.documents.readers.xml import Element
from leadline.text.days import iso

ROOTS = ("patent-document",)


def read(element: Element) -> Document:
    """One publication."""
    tidy(element)
    parts = tuple(element.get(name, "").strip() for name in ("country", "doc-number", "kind"))
    name = element.get("ucid", "").strip() or "-".join(filter(None, parts))
    if not name:
        raise ValueError("no ucid, by which the collection knows the document")
    number = normalise(parts[1] or name, parts[0], parts[2])
    data = element.find("bibliographic-data")
    if data is None:
        raise ValueError("no element bibliographic-data")
    own = language_of(element)
    description = in_one_language(element.findall("description"), own)
    claims = in_one_language(element.findall("claims"), own)
    abstract = in_one_language(element.findall("abstract"), own)
    title = in_one_language(data.iter("invention-title"), own)
    filed = document_ids(data.findall("application-reference"))
    return Document(
        id=name,
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
        publication=_publication(element, data),
        citations=distinct(_citations(data)),
        family=_family(element),
        applicants=names_of(data.iterfind("parties/applicants/applicant"))
        or names_of(data.iterfind("parties/assignees/assignee")),
        inventors=names_of(data.iterfind("parties/inventors/inventor")),
    )


def _publication(element: Element, data: Element) -> str:
    """The date of this publication; the dates of public availability are those of others of its kind as well."""
    published = document_ids(data.findall("publication-reference"))
    return date_of(published) or iso(element.get("date", ""))


def _family(element: Element) -> str:
    """The family's name; the collection writes -1 or 0 where none is known."""
    name = element.get("family-id", "").strip()
    return "" if name in {"-1", "0"} else name


def _citations(data: Element) -> Iterator[Citation]:
    for cited in data.iter("patcit", "nplcit"):
        for origin, kinds in _sources(cited).items():
            if cited.tag == "patcit":
                yield patent_cited(cited, origin, kinds)
            elif words := literature_words(cited):
                yield Citation(origin=origin, category=kinds, text=words)


def _sources(cited: Element) -> dict[Origin, str]:
    """Who cited it, with the categories given: one document may have been found by several."""
    marks: dict[Origin, list[str]] = {}
    for source in cited.iter("source"):
        marks.setdefault(origin_of(source.get("name", "")), []).append(source.get("category", ""))
    if not marks:
        marks["unknown"] = []
    printed = [wording(category) for category in cited.iter("category")]
    return {origin: categories([*given, *printed]) for origin, given in marks.items()}
