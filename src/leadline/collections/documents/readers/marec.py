"""MAREC, from which the test collections of CLEF-IP and TREC-CHEM were taken: `patent-document`.

A document keeps its id there, `EP-0049154-B2`, since topics and judgements use it. Titles, abstracts and claims come in
up to three languages: English is kept when there is English, else the document's own language.
"""

from __future__ import annotations

from collections.abc import Iterator

from leadline.collections.choices import Origin
from leadline.collections.documents.document import Citation, Document
from leadline.collections.documents.fields.patent_offices import (
    categories,
    cited_in,
    date_of,
    distinct_citations,
    document_ids,
    in_one_language,
    language_of,
    names_of,
    origin_of,
    st36_document,
)
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.registry import Element, reader, tidy, wording
from leadline.text.days import iso

ROOTS = ("patent-document",)


@reader("marec", *ROOTS)
def read(element: Element) -> Document:
    """One publication."""
    tidy(element)
    parts = tuple(element.get(name, "").strip() for name in ("country", "doc-number", "kind"))
    name = element.get("ucid", "").strip() or "-".join(filter(None, parts))
    if not name:
        raise ValueError("no ucid, which is the document's id in the collection")
    number = normalise(parts[1] or name, parts[0], parts[2])
    data = element.find("bibliographic-data")
    if data is None:
        raise ValueError("no element bibliographic-data")
    own = language_of(element)
    return st36_document(
        number,
        data,
        own,
        document_ids(data.findall("application-reference")),
        id=name,
        title=in_one_language(data.iter("invention-title"), own),
        abstract=in_one_language(element.findall("abstract"), own),
        description=in_one_language(element.findall("description"), own),
        claims=in_one_language(element.findall("claims"), own),
        publication=_publication(element, data),
        citations=distinct_citations(_citations(data)),
        family=_family(element),
        applicants=names_of(data.iterfind("parties/applicants/applicant"))
        or names_of(data.iterfind("parties/assignees/assignee")),
        inventors=names_of(data.iterfind("parties/inventors/inventor")),
    )


def _publication(element: Element, data: Element) -> str:
    """The date of this publication. Dates of public availability are not used: they may be those of other documents."""
    published = document_ids(data.findall("publication-reference"))
    return date_of(published) or iso(element.get("date", ""))


def _family(element: Element) -> str:
    """The family's name; the collection writes -1 or 0 when it is unknown."""
    name = element.get("family-id", "").strip()
    return "" if name in {"-1", "0"} else name


def _citations(data: Element) -> Iterator[Citation]:
    for cited in data.iter("patcit", "nplcit"):
        for origin, letters in _sources(cited).items():
            yield from cited_in(cited, origin, letters)


def _sources(cited: Element) -> dict[Origin, str]:
    """The origins of a citation with the categories of each: several people may have cited one document."""
    marks: dict[Origin, list[str]] = {}
    for source in cited.iter("source"):
        marks.setdefault(origin_of(source.get("name", "")), []).append(source.get("category", ""))
    if not marks:
        marks["unknown"] = []
    printed = [wording(category) for category in cited.iter("category")]
    return {origin: categories([*given, *printed]) for origin, given in marks.items()}
