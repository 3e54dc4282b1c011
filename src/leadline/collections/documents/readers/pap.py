"""PAP: patent applications as the United States published them from 2001 to 2004.

Citations: an application is published before any search, so it rarely has any. Those it has are the applicant's.
"""

from __future__ import annotations

from collections.abc import Iterator

from leadline.collections.documents.document import Citation, Document, Priority, national
from leadline.collections.documents.fields.patent_offices import (
    application,
    lines,
    mark_breaks,
    office,
    patent_cited,
    read_claims,
    us_document,
)
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.registry import Element, characters, find_text, reader, text_of
from leadline.text.days import iso

prepare = characters  # the files use entities that only their document type defines

_PARAGRAPHS = ("paragraph", "paragraph-federal-research-statement", "program-listing")
_BLOCKS = (*_PARAGRAPHS, "heading", "claim-text", "list-item", "row")
_CELLS = ("entry", "footnote", "math-cwu")
_SILENT = ("number",)
_PARENTS = ("division-of", "continuation-of", "continuation-in-part-of", "continuing-reissue-of", "reissue-of")


@reader("pap", "patent-application-publication", prepare=prepare)
def read(element: Element) -> Document:
    """One published application. The tree is changed."""
    data = element.find("subdoc-bibliographic-information")
    printed = "" if data is None else find_text(data, "document-id/doc-number")
    number = normalise(printed, "US", "" if data is None else find_text(data, "document-id/kind-code"))
    if not printed or not number.office:
        raise ValueError("the application has no publication number (document-id)")
    for node in element.findall(".//dependent-claim-reference/claim-text"):
        node.tag = "reference"  # part of a line; elsewhere a claim-text is a line
    mark_breaks(element, _BLOCKS, _CELLS, _SILENT)
    technical = "technical-information"
    return us_document(
        number,
        title=find_text(data, f"{technical}/title-of-invention"),
        abstract="\n".join(line for node in element.findall("subdoc-abstract/paragraph") for line in lines(node)),
        description="\n".join(lines(element.find("subdoc-description"))),
        claims=read_claims(element.findall("subdoc-claims/claim"), "id", "dependent-claim-reference", "depends_on"),
        ipc=map(text_of, data.findall(f"{technical}/classification-ipc//ipc")),
        national=map(_national, data.findall(f"{technical}/classification-us/*/*")),
        priorities=_priorities(data),
        international=_international(data),
        filed=find_text(data, "domestic-filing-data/filing-date"),
        application_number=find_text(data, "domestic-filing-data/application-number/doc-number"),
        published=find_text(data, "document-id/document-date"),
        citations=_citations(data),
        assignees=map(_name, data.findall("assignee")),
        inventors=map(_name, data.findall("inventors/*")),
    )


def _international(data: Element) -> Priority:
    """The international application that this one comes from, which is printed in one of two places."""
    for path in ("international-conventions/pct-application", "continuity-data/a-371-of-international//parent"):
        for node in data.findall(f"{path}/document-id"):
            return _earlier_application(node)
    return Priority("")


def _national(node: Element) -> str:
    """A class, printed in columns or as an examiner typed it."""
    if node.tag == "uspc":
        return national(find_text(node, "class").rjust(3) + find_text(node, "subclass"))
    return national(text_of(node))


def _priorities(data: Element) -> Iterator[Priority]:
    for node in data.findall("foreign-priority-data"):
        number = application(find_text(node, "priority-application-number"), office(find_text(node, "country-code")))
        yield Priority(number, iso(find_text(node, "filing-date")))
    related = "continuity-data"
    parents = (node for tag in _PARENTS for node in data.findall(f"{related}//{tag}/parent-child/parent/document-id"))
    for node in (*parents, *data.findall(f"{related}/non-provisional-of-provisional/document-id")):
        yield _earlier_application(node)


def _earlier_application(document_id: Element) -> Priority:
    return Priority(application(find_text(document_id, "doc-number")), iso(find_text(document_id, "document-date")))


def _citations(data: Element) -> Iterator[Citation]:
    for node in data.findall("technical-information/citation"):
        document = node.find("cited-patent-literature/document-id")
        if document is not None:
            where = office(find_text(document, "country-code")) or "US"
            number, kind, date = (find_text(document, tag) for tag in ("doc-number", "kind-code", "document-date"))
            yield patent_cited(number, where, kind, date, "applicant")
        elif text := find_text(node, "cited-non-patent-literature"):
            yield Citation(origin="applicant", text=text)


def _name(party: Element) -> str:
    if company := find_text(party, "organization-name"):
        return company
    parts = [find_text(party, f"name/{tag}") for tag in ("family-name", "given-name", "middle-name", "name-suffix")]
    return ", ".join(filter(None, (parts[0], " ".join(filter(None, parts[1:3])), parts[3])))
