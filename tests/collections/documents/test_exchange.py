"""European exchange documents in bulk and from the service, written by hand after the schema and its description."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.collections.documents.document import Citation, Document, Priority
from leadline.collections.documents.fields.patent_offices import categories, origin_of
from leadline.collections.documents.readers import exchange
from leadline.collections.documents.registry import Raw, parse, readers_by_form
from leadline.collections.documents.splitting import split


def raws(golden: Path, name: str) -> list[Raw]:
    found = list(split(iter([(golden / "documents" / name).read_bytes()])))
    return [raw for raw in found if isinstance(raw, Raw)]


def read(raw: Raw) -> Document:
    return readers_by_form()[raw.form].read(raw.content, raw.encoding)


@pytest.fixture(scope="module")
def bulk(golden: Path) -> Document:
    return read(raws(golden, "docdb.xml")[0])


@pytest.fixture(scope="module")
def service(golden: Path) -> Document:
    return read(raws(golden, "ops.xml")[1])


def test_numbers_and_dates(bulk: Document, service: Document) -> None:
    assert (bulk.id, bulk.application_number) == ("EP0999001A2", "EP03999001")
    assert (bulk.application, bulk.publication) == ("2003-03-14", "2004-09-22")
    assert (service.id, service.application_number) == ("WO2003999823A1", "WOGB2003099824W")
    assert (service.application, service.publication) == ("2003-06-24", "2003-12-28")


def test_priorities_are_told_once_though_in_three_formats(bulk: Document, service: Document) -> None:
    assert bulk.priorities == (Priority("DE10299002", "2002-03-15"), Priority("US9900302P", "2002-06-11"))
    assert service.priorities == (Priority("GB20020099825", "2002-06-24"),)


def test_a_priority_that_only_a_worse_format_tells_is_kept() -> None:
    claims = (
        "<priority-claim data-format='docdb'><document-id><country>DE</country><doc-number>1</doc-number>"
        "<date>20010101</date></document-id></priority-claim>"
        "<priority-claim data-format='original'><document-id><country>DE</country><doc-number>2</doc-number>"
        "<date>20020202</date></document-id></priority-claim>"
    )
    document = exchange.read(
        parse(
            f"<exchange-document country='EP' doc-number='7' kind='A1'><bibliographic-data>"
            f"{claims}</bibliographic-data></exchange-document>".encode()
        )
    )
    assert document.priorities == (Priority("DE1", "2001-01-01"), Priority("DE2", "2002-02-02"))


def test_family(bulk: Document, service: Document) -> None:
    assert bulk.family == "27999001"
    assert bulk.relatives == ("EP0999001B1", "US20030999822A1")
    assert (service.family, service.relatives) == ("43999003", ())


def test_classes(bulk: Document, service: Document) -> None:
    assert bulk.ipc == ("B21G3/12", "F16B15/02")
    assert bulk.cpc == ("F16B15/06",)
    assert bulk.national == ("411/451.1", "F16B15/02A")
    assert (service.ipc, service.cpc) == (("B25C1/00",), ("B25C1/008",))


def test_texts_in_english_and_not_those_of_relatives(bulk: Document, service: Document) -> None:
    assert bulk.title == "Nail with an undulating shank"
    assert bulk.abstract == "A nail has an undulating shank.\nIt holds well."
    assert (service.title, service.language) == ("HAMMER", "en")


def test_names_in_the_format_that_compares_best(bulk: Document, service: Document) -> None:
    assert bulk.applicants == ("NAGELWERK MUSTER GMBH",)
    assert bulk.inventors == ("MUSTER ANNA", "BEISPIEL BERT")
    assert (service.applicants, service.inventors) == (("EXAMPLE TOOLS LTD",), ("DOE JANE",))


def test_citations_of_every_phase(bulk: Document) -> None:
    assert bulk.citations == (
        Citation("US1999816A", "examiner", "XAD", "1935-04-30"),
        Citation("", "examiner", "Y", text='MUSTER A: "Naegel", ZEITSCHRIFT FUER NAGELKUNDE, 1999'),
        Citation("EP0099818A1", "applicant", date="1984-02-15"),
        Citation("GB2099819A", "opposition"),
        Citation("FR2699820A1", "third party"),
        Citation("", "examiner", text="application US74998210"),
    )


def test_citations_in_the_words_of_the_service(service: Document) -> None:
    assert [(citation.number, citation.origin, citation.category) for citation in service.citations] == [
        ("US20010999811A1", "examiner", "YA"),
        ("", "applicant", ""),
        ("JPH0599826A", "unknown", ""),
    ]


@pytest.mark.parametrize(
    ("phases", "origin"),
    [
        ("APP APL description", "applicant"),
        ("SEA ISR SUP PRS EXA CH2 search limitation examination national-examination", "examiner"),
        ("international-type-search-report supplementary-international-search-report", "examiner"),
        ("OPP FOP opposition", "opposition"),
        ("TPO 115", "third party"),
        ("other undefined UNKNOWN", "unknown"),
    ],
)
def test_whose_citation_it_is(phases: str, origin: str) -> None:
    assert {origin_of(phase) for phase in phases.split()} == {origin}


def test_who_cited_outweighs_when_it_was_cited() -> None:
    assert origin_of("SEA", "applicant") == "applicant"
    assert origin_of("examination", "third-party") == "third party"
    assert origin_of("", "opponent") == "opposition"
    assert origin_of("opposition", "examiner") == "opposition"


def test_categories_are_letters() -> None:
    assert categories(["X,P", "x", "&"]) == "XP&"


@pytest.mark.parametrize("prefix", ["exch", "e", ""])
def test_any_prefix_will_do(golden: Path, bulk: Document, prefix: str) -> None:
    content = raws(golden, "docdb.xml")[0].content
    colon, declared = (prefix + ":", f"xmlns:{prefix}=") if prefix else ("", "xmlns=")
    changed = content.replace(b"exch:", colon.encode()).replace(b"xmlns:exch=", declared.encode())
    assert exchange.read(parse(changed)) == bulk


def test_notices_are_no_documents(golden: Path) -> None:
    with pytest.raises(ValueError, match="was deleted"):
        read(raws(golden, "docdb.xml")[1])
    with pytest.raises(ValueError, match="did not find"):
        read(raws(golden, "ops.xml")[0])


def test_number_of_the_reference_stands_in() -> None:
    reference = "<document-id><country>US</country><doc-number>2004136338</doc-number><kind>A1</kind></document-id>"
    content = f"<publication-reference>{reference}</publication-reference>"
    document = exchange.read(
        parse(f"<exchange-document><bibliographic-data>{content}</bibliographic-data></exchange-document>".encode())
    )
    assert document == Document("US20040136338A1", "US", "20040136338", "A1")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"<exchange-document country='EP' doc-number='1'/>", "no element bibliographic-data"),
        (b"<exchange-document><bibliographic-data/></exchange-document>", "no publication number"),
    ],
)
def test_broken_documents(content: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        exchange.read(parse(content))
