"""Our own JSON lines: nothing is lost there and back, and what is wrong is named."""

from __future__ import annotations

import datetime
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.collections.choices import ORIGINS
from leadline.collections.documents.document import Citation, Claim, Document, Priority
from leadline.collections.documents.fields.record_fields import (
    FIELD_READERS,
    NAMES,
    from_record,
    parse_record,
    to_record,
    unknown_names,
)
from leadline.collections.documents.readers.json import read

anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
words = anything.filter(bool)
names = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=20)
dates = st.one_of(
    st.just(""),
    st.dates(datetime.date(1700, 1, 1), datetime.date(2099, 12, 31)).map(str),
    st.integers(1700, 2100).map(str),
    st.tuples(st.integers(1700, 2100), st.integers(1, 12)).map(lambda parts: f"{parts[0]}-{parts[1]:02}"),
)
numbers = st.sampled_from(
    ["US7412705B2", "EP0049154B2", "WO1995000123", "US20050004437A1", "JPS58123456A", "USD435854S"]
)
symbols = st.lists(st.sampled_from(["C07D401/04", "A61K31/00", "H04M", "G06F15/16"])).map(tuple)


def several(items: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(items, max_size=4).map(tuple)


@st.composite
def claims(draw: st.DrawFn) -> tuple[Claim, ...]:
    """Claims of which each depends on some before it, and no number is there twice."""
    found = draw(st.lists(st.integers(2, 99_999), max_size=4, unique=True))
    return tuple(Claim(n, draw(anything), draw(several(st.integers(1, n - 1)))) for n in found)


citations = st.builds(Citation, numbers | st.just(""), st.sampled_from(ORIGINS), anything, dates, anything).filter(
    lambda citation: bool(citation.number or citation.text)
)
documents = st.builds(
    Document,
    id=names,
    **dict.fromkeys(("office", "serial", "kind", "language", "title", "abstract", "description", "family"), anything),
    **dict.fromkeys(("application", "publication"), dates),
    **dict.fromkeys(("ipc", "cpc"), symbols),
    **dict.fromkeys(("national", "applicants", "inventors", "reference"), several(words)),
    claims=claims(),
    priorities=several(st.builds(Priority, numbers | st.just(""), dates).filter(lambda each: each != Priority(""))),
    citations=several(citations),
    application_number=numbers | st.just(""),
    relatives=several(numbers),
    citers=several(numbers),
)


@given(documents)
def test_there_and_back(document: Document) -> None:
    assert read(json.dumps(to_record(document)).encode()) == document


plain = st.none() | st.booleans() | st.integers() | st.floats() | anything
values = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(anything, inner))


@given(st.dictionaries(st.sampled_from(NAMES), values))
def test_anything_is_a_document_or_a_value_error(record: dict[str, Any]) -> None:
    problem = ""
    try:
        assert from_record(record).id
    except ValueError as error:
        problem = str(error)
    assert not problem or re.split(r"[:\[]", problem)[0] in NAMES


def test_every_field_of_a_document_can_be_read() -> None:
    assert set(FIELD_READERS) == set(NAMES)


def test_numbers_classes_and_dates_in_any_spelling() -> None:
    document = from_record(
        {
            "id": "US07412705B2",
            "ipc": ["G06F 15/16"],
            "application": "20050104",
            "relatives": ["EP-0049154-B2"],
            "citations": ["US 7,147,303 B2", {"number": "WO 95/00123", "origin": "Examiner"}],
            "priorities": [{"number": "US 60/324,037", "date": "Sep. 21, 2001"}],
        }
    )
    assert (document.id, document.office, document.serial, document.kind) == ("US07412705B2", "US", "7412705", "B2")
    assert document.ipc == ("G06F15/16",)
    assert document.application == "2005-01-04"
    assert document.relatives == ("EP0049154B2",)
    assert [citation.number for citation in document.citations] == ["US7147303B2", "WO1995000123"]
    assert document.citations[1].origin == "examiner"
    assert document.priority == "2001-09-21"


def test_claims_as_texts_know_their_numbers_and_parents() -> None:
    bent = "The nail of claim 1, bent."
    expected = (Claim(1, "A nail."), Claim(2, bent, (1,)))
    assert from_record({"id": "X1", "claims": ["A nail.", bent]}).claims == expected
    assert from_record({"id": "X1", "claims": ["1. A nail.", f"2. {bent}"]}).claims == expected
    assert from_record({"id": "X1", "claims": f"1. A nail. 2. {bent}"}).claims == expected
    assert from_record({"id": "X1", "claims": [{"text": "A nail."}, {"text": bent}]}).claims == expected
    assert from_record({"id": "X1", "claims": [{"number": 7, "text": bent, "parents": []}]}).claims == (Claim(7, bent),)


def test_parts_of_the_number_stand_in_for_what_the_id_lacks() -> None:
    assert from_record({"id": "7412705", "office": "US", "kind": "B2"}).serial == "7412705"
    assert from_record({"id": "US7412705", "kind": "B2"}).kind == "B2"
    assert from_record({"id": "US7412705B2", "serial": ""}).office == ""
    assert from_record({"id": "PMC12345", "kind": "article"}) == Document("PMC12345", kind="article")


def test_rows_of_a_table_have_texts_for_lists() -> None:
    row = {
        "id": "EP1B1",
        "applicants": "Nails Ltd; Hammers Inc",
        "ipc": "F16B 15/00; B21G 3/00",
        "claims": "1. A nail. 2. The nail of claim 1, bent.",
        "priorities": "US60324037 2001-09-21; 2000-01-02; EP98101234",
        "citations": "",
        "publication": "",
    }
    document = from_record(row)
    assert document.applicants == ("Nails Ltd", "Hammers Inc")
    assert document.ipc == ("F16B15/00", "B21G3/00")
    assert len(document.claims) == 2
    assert [priority.date for priority in document.priorities] == ["2001-09-21", "2000-01-02", ""]
    assert [bool(priority.number) for priority in document.priorities] == [True, False, True]
    assert document.citations == ()


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({}, "id: missing"),
        ({"id": None}, "id: missing"),
        ({"id": "  "}, "id: missing"),
        ({"id": "a b"}, "id: 'a b' has a blank, which runs and judgements cannot hold"),
        ({"id": True}, "id: true, expected a text"),
        ({"id": 1.5}, "id: 1.5, expected a text"),
        ({"id": float("inf")}, "id: inf, expected a text"),
        ({"id": "X", "title": ["A"]}, "title: a list, expected a text"),
        (
            {"id": "X", "family": ["EP1"]},
            "family: a list, expected a text: a list of members is called relatives; "
            'write it so, or use --map with [fields] relatives = "family"',
        ),
        ({"id": "X", "ipc": {"a": 1}}, "ipc: an object, expected a list of class symbols"),
        ({"id": "X", "ipc": ["nails"]}, "ipc[0]: 'nails' is not a class symbol, expected one such as C07D401/04"),
        ({"id": "X", "publication": "soon"}, "publication: 'soon' is not a date, expected YYYY-MM-DD"),
        ({"id": "X", "claims": 17}, "claims: 17, expected a list of texts or of {number, text, parents}"),
        ({"id": "X", "claims": [{"number": "x"}]}, "claims[0].number: 'x', expected a claim's number"),
        (
            {"id": "X", "claims": [{"number": 1, "parents": 1}]},
            "claims[0].parents: 1, expected a list of claim numbers",
        ),
        ({"id": "X", "claims": [{"number": 10**30}]}, f"claims[0].number: {10**30}, expected a claim's number"),
        ({"id": "X", "citations": [1, [2]]}, "citations[1]: a list, expected a text"),
        (
            {"id": "X", "citations": [{"number": "US1", "origin": "judge"}]},
            "citations[0].origin: 'judge' is not one of applicant, examiner, opposition, third party, unknown",
        ),
    ],
)
def test_what_is_wrong_is_named(record: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        from_record(record)


def test_nothing_is_no_value() -> None:
    empty = dict.fromkeys(NAMES, None) | {"id": "X1"}
    assert from_record(empty) == Document("X1")
    assert from_record(dict.fromkeys(NAMES, float("nan")) | {"id": 12.0}) == Document("12")


def test_names_that_are_not_ours_are_ignored_and_can_be_told() -> None:
    assert from_record({"id": "X1", "tittle": "A nail"}) == Document("X1")
    assert unknown_names({"id": "X1", "tittle": "A nail", "title": ""}) == ("tittle",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"a":' * 100_000, "is nested too deeply"),
        (b"[1, 2]", "is a list, expected a JSON object"),
        (b"null", "is null, expected a JSON object"),
        (b"1", "is 1, expected a JSON object"),
        (b'"US1"', "is 'US1', expected a JSON object"),
        (b'{"id": "a", "id": "b"}', "'id' is given twice"),
        (b'{"id": "a"', "is not readable JSON: Expecting ',' delimiter at character 10 of the record"),
        (b'{"id": "\xff"}', "is not UTF-8: byte 8 of the record"),
        (b"", "is not readable JSON: Expecting value at character 0 of the record"),
    ],
)
def test_what_is_no_record_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        parse_record(content)


def test_odd_but_honest_json() -> None:
    assert parse_record(b'\xef\xbb\xbf{"a": NaN, "b": -Infinity}') == {"a": None, "b": None}
    assert parse_record(b'{"a": ' + b"9" * 10_000 + b"}") == {"a": "9" * 10_000}
    assert parse_record(rb'{"a": "\ud83d\ude00 \ud83d"}') == {"a": "\N{GRINNING FACE} \N{REPLACEMENT CHARACTER}"}
