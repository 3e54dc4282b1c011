"""European full text, from documents written by hand after the office's DTD."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from leadline.collections.documents.document import Citation, Document, Priority
from leadline.collections.documents.readers import epo
from leadline.collections.documents.registry import parse


def read(golden: Path, name: str) -> Document:
    content = (golden / "documents" / name).read_bytes()
    return epo.read(parse(re.sub(rb"<!DOCTYPE[^>]*>", b"", content)))


@pytest.fixture(scope="module")
def grant(golden: Path) -> Document:
    return read(golden, "epo_grant.xml")


@pytest.fixture(scope="module")
def application(golden: Path) -> Document:
    return read(golden, "epo_application.xml")


def small(inner: str = "", **attributes: str) -> Any:
    given = {"country": "EP", "doc-number": "0999840", "kind": "B1", "lang": "en"} | attributes
    written = " ".join(f'{name}="{value}"' for name, value in given.items())
    return parse(f"<ep-patent-document {written}>{inner}</ep-patent-document>".encode())


def test_number_and_dates(grant: Document) -> None:
    assert (grant.id, grant.office, grant.serial, grant.kind) == ("EP0999001B1", "EP", "0999001", "B1")
    assert (grant.application, grant.publication) == ("2003-03-14", "2008-04-16")
    assert grant.application_number == "EP03999001"  # without the check digit


def test_several_priorities_stand_in_one_element(grant: Document) -> None:
    assert grant.priorities == (Priority("DE10299002", "2002-03-15"), Priority("US99003P", "2002-06-11"))
    assert grant.priority == "2002-06-11"


def test_an_international_application_was_the_first_filing_where_nothing_is_claimed() -> None:
    filed = "<B860><B861><dnum><anum>US2001099843</anum></dnum><date>20010515</date></B861></B860>"
    document = epo.read(small(f"<SDOBI><B800>{filed}</B800></SDOBI>"))
    assert document.priorities == (Priority("WOUS2001099843W", "2001-05-15"),)


def test_english_is_kept_where_there_is_english(grant: Document) -> None:
    assert grant.title == "NAIL WITH AN UNDULATING SHANK"
    assert [claim.text for claim in grant.claims] == [
        "A nail having a head and an undulating shank.",
        "A nail according to claim 1, made of steel.",
        "A nail according to any of the preceding claims, galvanised.",
    ]
    assert [claim.parents for claim in grant.claims] == [(), (1,), (1, 2)]
    assert grant.language == "de"
    assert grant.description.splitlines() == [
        "Gebiet der Erfindung",
        "Die Erfindung betrifft einen Nagel. Aus der DE 199 99 813 A1 ist ein gerader Nagel bekannt.",
        "Der Schaft ist gewellt: einmal, zweimal.",
    ]


def test_the_own_language_is_kept_where_there_is_no_english() -> None:
    claims = "".join(
        f'<claims lang="{language}"><claim num="1"><claim-text>{text}</claim-text></claim></claims>'
        for language, text in (("de", "Ein Nagel."), ("fr", "Un clou."))
    )
    titles = "<B541>de</B541><B542>Nagel</B542><B541>fr</B541><B542>Clou</B542>"
    bibliography = f"<SDOBI><B500><B540>{titles}</B540></B500></SDOBI>"
    document = epo.read(small(bibliography + claims, lang="fr"))
    assert (document.language, document.title, document.claims[0].text) == ("fr", "Clou", "Un clou.")


def test_classes_begin_with_the_main_one(grant: Document) -> None:
    assert grant.ipc == ("B21G3/12", "F16B15/02")
    assert grant.cpc == ("B21G3/12",)


def test_classes_of_older_editions() -> None:
    classes = "<B511> 7A 61K   7/06   A</B511><B512> 7C 07D 401/04   B</B512>"
    document = epo.read(small(f"<SDOBI><B500><B510>{classes}</B510></B500></SDOBI>"))
    assert document.ipc == ("A61K7/06", "C07D401/04")


def test_names(grant: Document, application: Document) -> None:
    assert grant.applicants == ("Nagelwerk Muster GmbH",)  # the proprietor of a patent
    assert grant.inventors == ("Muster, Anna", "Beispiel, Bert")
    assert application.applicants == ("Example Tools Ltd",)


def test_citations_of_a_grant(grant: Document) -> None:
    assert [(citation.number, citation.origin) for citation in grant.citations] == [
        ("EP0998877A", "examiner"),
        ("US20010999811A1", "examiner"),
        ("DE29999812U1", "examiner"),
        ("", "examiner"),
        ("DE19999813A1", "applicant"),
    ]
    assert grant.citations[3].text.startswith('A. MUSTER: "Nägel für jede Wand"')


def test_the_cover_of_a_b2_does_not_say_who_cited() -> None:
    cited = "<SDOBI><B500><B560><B561><text>US-A- 1 999 816</text></B561></B560></B500></SDOBI>"
    assert epo.read(small(cited, kind="B2")).citations == (Citation("US1999816A", "unknown"),)


def test_citations_of_a_search_report(application: Document) -> None:
    assert application.citations == (
        Citation("US20160999814A1", "examiner", "XDA", "2016-09-01"),
        Citation("", "examiner", "Y", text="ROE R ET AL, On hammers, JOURNAL OF HAMMERS, 20050501, 35, 657"),
        Citation("WO1998099815A", "applicant", date="1998-07-23"),
        Citation("", "applicant", text="DOE, J., All about handles"),
    )


def test_claims_are_those_filed_not_those_amended(application: Document) -> None:
    assert [claim.text for claim in application.claims] == ["A hammer."]
    assert application.abstract == "A hammer has a head and a handle."
    assert application.ipc == ("B25C1/00",)  # and not the classes searched


def test_missing_parts_are_empty() -> None:
    document = epo.read(small("<SDOBI/>"))
    assert document == Document("EP0999840B1", "EP", "0999840", "B1", "en")


def test_number_of_the_bibliography_stands_in() -> None:
    bibliography = "<SDOBI><B100><B110>0999841</B110><B130>A2</B130><B190>EP</B190></B100></SDOBI>"
    assert epo.read(parse(f"<ep-patent-document>{bibliography}</ep-patent-document>".encode())).id == "EP0999841A2"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"<ep-patent-document country='EP' doc-number='1'/>", "no element SDOBI"),
        (b"<ep-patent-document><SDOBI/></ep-patent-document>", "no publication number"),
    ],
)
def test_broken_documents(content: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        epo.read(parse(content))
