"""PAP, in which the United States published patent applications from 2001 to 2004.

- Priorities: foreign priorities, provisionals, and the filing dates of parents: what this application continues, in
  part or whole, was divided from, or is reissued from. A substitute has no right to the earlier date. Where nothing is
  claimed, the international application that this one comes from was the first filing, and counts.
- Filed: of an application that came by the international route, the day it was filed there.
- Applicants: assignees; the inventors where there are none.
- Citations: an application is published before anybody searched, so it rarely has any. Those it has are its own.
- Text: paragraphs one a line, rows of tables too, without the paragraphs' numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

from leadline.collections.documents.classes import national, symbol
from leadline.collections.documents.document import Citation, Document, Priority
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.readers.american import (
    application,
    distinct,
    earlier,
    filing_date,
    office,
    patent_cited,
)
from leadline.collections.documents.readers.entities import characters
from leadline.collections.documents.readers.redbook import claims, lines, mark_breaks
from leadline.collections.documents.readers.xml import Element, find_text, text_of
from leadline.text.days import iso

ROOTS = ("patent-application-publication",)
prepare = characters  # the data name characters that only their document type defines

_PARAGRAPHS = ("paragraph", "paragraph-federal-research-statement", "program-listing")
_BLOCKS = (*_PARAGRAPHS, "heading", "claim-text", "list-item", "row")
_CELLS = ("entry", "footnote", "math-cwu")
_SILENT = ("number",)
_PARENTS = ("division-of", "continuation-of", "continuation-in-part-of", "continuing-reissue-of", "reissue-of")


def read(element: Element) -> Document:
    """One published application. Its tree is changed by the reading."""
    data = element.find("subdoc-bibliographic-information")
    printed = "" if data is None else find_text(data, "document-id/doc-number")
    number = normalise(printed, "US", "" if data is None else find_text(data, "document-id/kind-code"))
    if not printed or not number.office:
        raise ValueError("the application has no publication number (document-id)")
    for node in element.findall(".//dependent-claim-reference/claim-text"):
        node.tag = "reference"  # within a line, whereas a claim-text elsewhere is a line
    mark_breaks(element, _BLOCKS, _CELLS, _SILENT)
    international = _international(data)
    filed = filing_date(find_text(data, "domestic-filing-data/filing-date"), international.date)
    inventors = distinct(map(_name, data.findall("inventors/*")))
    technical = "technical-information"
    return Document(
        id=number.id,
        office=number.office,
        serial=number.serial,
        kind=number.kind,
        language="en",
        title=find_text(data, f"{technical}/title-of-invention"),
        abstract="\n".join(line for node in element.findall("subdoc-abstract/paragraph") for line in lines(node)),
        description="\n".join(lines(element.find("subdoc-description"))),
        claims=claims(element.findall("subdoc-claims/claim"), "id", "dependent-claim-reference", "depends_on"),
        ipc=distinct(symbol(text_of(node)) for node in data.findall(f"{technical}/classification-ipc//ipc")),
        national=distinct(map(_national, data.findall(f"{technical}/classification-us/*/*"))),
        priorities=earlier(list(_priorities(data)) or [international], filed),
        application=filed,
        application_number=application(find_text(data, "domestic-filing-data/application-number/doc-number")),
        publication=iso(find_text(data, "document-id/document-date")),
        citations=tuple(_citations(data)),
        applicants=distinct(map(_name, data.findall("assignee"))) or inventors,
        inventors=inventors,
    )


def _international(data: Element) -> Priority:
    """The international application that this one comes from, printed in one of two places."""
    for path in ("international-conventions/pct-application", "continuity-data/a-371-of-international//parent"):
        for node in data.findall(f"{path}/document-id"):
            return _earlier_application(node)
    return Priority("")


def _national(node: Element) -> str:
    """A class in its columns, or as an examiner typed it."""
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
