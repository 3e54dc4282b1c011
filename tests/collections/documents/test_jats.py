"""Journal articles in JATS and its forerunner, written by hand after the tag set."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from leadline.collections.documents.document import Citation, Document
from leadline.collections.documents.readers import jats
from leadline.collections.documents.registry import parse


def read(golden: Path, name: str) -> Document:
    content = (golden / "documents" / name).read_bytes()
    return jats.read(parse(re.sub(rb"<!DOCTYPE[^>]*>", b"", content)))


@pytest.fixture(scope="module")
def article(golden: Path) -> Document:
    return read(golden, "jats.xml")


@pytest.fixture(scope="module")
def older(golden: Path) -> Document:
    return read(golden, "jats_older.xml")


def of(meta: str, rest: str = "") -> Document:
    identifier = '<article-id pub-id-type="pmid">1</article-id>'
    content = f"<article><front><article-meta>{identifier}{meta}</article-meta></front>{rest}</article>"
    return jats.read(parse(content.encode()))


def test_texts(article: Document) -> None:
    assert (article.id, article.kind, article.office, article.language) == ("PMC9999901", "article", "", "en")
    assert article.title == "The pull-out strength of undulating nails: a field study"
    assert article.abstract.splitlines() == [
        "Background",
        "Nails are pulled out.",
        "Results",
        "Undulating nails hold (F).",
    ]
    assert article.description.splitlines() == [
        "Introduction",
        "Nails are old [1].",
        "Aim",
        "We pull:",
        "nails,",
        "screws.",
    ]
    assert article.claims == ()


def test_people_and_nothing_that_is_no_class(article: Document) -> None:
    assert article.inventors == ("Doe, Jane", "The Nail Group")
    assert (article.applicants, article.national, article.ipc) == ((), (), ())


def test_the_earliest_publication(article: Document, older: Document) -> None:
    assert article.publication == "2003-05-07"  # not the release elsewhere, nor the year alone
    assert article.application == ""
    assert older.publication == "1999"


@pytest.mark.parametrize(
    ("dates", "publication"),
    [
        (
            '<pub-date pub-type="ppub"><year>2002</year></pub-date>'
            '<pub-date pub-type="epub"><day>1</day><month>2</month><year>2003</year></pub-date>',
            "2002",
        ),
        ('<pub-date date-type="pub" iso-8601-date="2011-04-15"/>', "2011-04-15"),
        ('<pub-date pub-type="epub"><day>31</day><month>Mar</month><year>1999</year></pub-date>', "1999-03-31"),
        ('<pub-date pub-type="epub"><month>6</month><year>1999</year></pub-date>', "1999-06"),
        ('<pub-date pub-type="pmc-release"><year>2009</year></pub-date>', "2009"),
        ("<pub-date><string-date>May 3, 2001</string-date></pub-date>", "2001-05-03"),
        ("", ""),
    ],
)
def test_dates(dates: str, publication: str) -> None:
    assert of(dates).publication == publication


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"pmid": "12", "doi": "10.1/x"}, "12"),
        ({"doi": "10.1/x", "publisher-id": "x"}, "10.1/x"),
        ({"pmid": "12", "pmcid": "PMC77"}, "PMC77"),
        ({"publisher-id": "x"}, "x"),
    ],
)
def test_names_in_order_of_preference(given: dict[str, str], name: str) -> None:
    ids = "".join(f'<article-id pub-id-type="{kind}">{text}</article-id>' for kind, text in given.items())
    content = f"<article><front><article-meta>{ids}</article-meta></front></article>"
    assert jats.read(parse(content.encode())).id == name


def test_references(article: Document) -> None:
    assert article.citations == (
        Citation("", "applicant", date="1998", text="Roe R. On hammers. J Hammers. 1998;35:657."),
        Citation("US1999816", "applicant", date="1935"),
        Citation("EP0998877A1", "applicant"),
        Citation("", "applicant", date="1990", text="Doe J. All about handles. 1990."),
        Citation("", "applicant", date="2001", text="Poe, P, Moe, M, Screws versus nails, J Screws, 2001"),
    )


def test_translations_into_english(older: Document) -> None:
    assert (older.id, older.language) == ("10.9999/pregos.2", "pt")
    assert (older.title, older.abstract) == ("Undulating nails", "The nails.")
    assert older.citations == (Citation("BRPI89991059", "applicant", date="1995"),)


def test_a_patent_whose_number_nobody_can_read_stays_a_text() -> None:
    cited = '<mixed-citation publication-type="patent">Roe R. Nail. A patent of 1935.</mixed-citation>'
    document = of("", f"<back><ref-list><ref>{cited}</ref></ref-list></back>")
    assert document.citations == (Citation("", "applicant", text="Roe R. Nail. A patent of 1935."),)


def test_missing_parts_are_empty() -> None:
    assert of("") == Document("1", kind="article", language="en")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"<article/>", "no element front/article-meta"),
        (b"<article><front><article-meta/></front></article>", "no article-id"),
    ],
)
def test_broken_documents(content: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        jats.read(parse(content))
