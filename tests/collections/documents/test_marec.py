"""MAREC, CLEF-IP and TREC-CHEM, from documents written by hand after the collection's public description."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from leadline.collections.documents.document import Citation, Document, Priority
from leadline.collections.documents.readers import marec
from leadline.collections.documents.registry import parse


def read(golden: Path, name: str) -> Document:
    content = (golden / "documents" / name).read_bytes()
    return marec.read(parse(re.sub(rb"<!DOCTYPE[^>]*>", b"", content)))


@pytest.fixture(scope="module")
def grant(golden: Path) -> Document:
    return read(golden, "marec.xml")


def test_the_name_is_the_collections_own(grant: Document) -> None:
    assert (grant.id, grant.office, grant.serial, grant.kind) == ("EP-0999834-B1", "EP", "0999834", "B1")
    assert grant.family == "19999834"


def test_dates_and_priorities(grant: Document) -> None:
    assert (grant.application, grant.publication, grant.application_number) == (
        "1997-06-30",
        "2000-05-17",
        "EP97999835",
    )
    assert grant.priorities == (Priority("CH99697", "1996-07-01"),)


def test_three_languages(grant: Document) -> None:
    assert grant.title == "PROCESS FOR PREPARING ALDEHYDES"
    assert grant.abstract == "Aldehydes are made from olefins."
    assert grant.description.startswith("Stand der Technik\nAldehyde werden")
    assert grant.language == "de"
    assert [claim.parents for claim in grant.claims] == [(), (1,), (1, 2)]
    assert grant.claims[0].text == "A process for preparing aldehydes."


def test_classes(grant: Document) -> None:
    assert grant.ipc == ("C07F9/145", "C07C45/50")
    assert grant.national == ("C07C45/50", "K01J231:00")


def test_citations_with_their_sources(grant: Document) -> None:
    assert grant.citations == (
        Citation("EP0499836A1", "examiner", "X", "1992-08-26"),
        Citation("EP0499836A1", "opposition", "", "1992-08-26"),
        Citation("US4599837A", "examiner", "A"),
        Citation("WO1994099838A1", "applicant"),
        Citation("", "examiner", text="See references of WO 9899839A1"),
    )


def test_names_once_though_in_three_formats(grant: Document) -> None:
    assert (grant.applicants, grant.inventors) == (("BEISPIEL CHEMIE",), ("MUSTER HANS",))


def test_claims_of_a_scanned_document(golden: Path) -> None:
    document = read(golden, "marec_scanned.xml")
    assert [(claim.text, claim.parents) for claim in document.claims] == [
        ("A combination lock comprising 2. rings. and a bolt.", ()),
        ("A lock according to claim 1, of brass.", (1,)),
    ]
    assert (document.ipc, document.national) == (("E05B37/00", "E05B15/00"), ("70/316",))
    assert (document.family, document.publication) == ("", "1978-12-20")


def test_a_name_is_made_of_the_parts_where_there_is_none() -> None:
    attributes = "country='US' doc-number='4599837' kind='A' date='19860708'"
    document = marec.read(parse(f"<patent-document {attributes}><bibliographic-data/></patent-document>".encode()))
    assert document == Document("US-4599837-A", "US", "4599837", "A", publication="1986-07-08")


def test_a_name_alone_gives_the_number() -> None:
    document = marec.read(parse(b"<patent-document ucid='US-20040136338-A1'><bibliographic-data/></patent-document>"))
    assert (document.id, document.office, document.serial, document.kind) == (
        "US-20040136338-A1", "US", "20040136338", "A1",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"<patent-document><bibliographic-data/></patent-document>", "no ucid"),
        (b"<patent-document ucid='EP-1-A1'/>", "no element bibliographic-data"),
    ],
)
def test_broken_documents(content: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        marec.read(parse(content))
