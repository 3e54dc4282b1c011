"""Patent numbers: every spelling of a number gives one id."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.collections.documents.numbers import Number, normalise

SPELLINGS = {
    "US7412705B2": [
        "US 7,412,705 B2",
        "US07412705B2",
        "us-7412705-b2",
        "US 7412705B2",
        "US7412705 B2",
        "US 7'412'705 B2",
    ],
    "US20050004437A1": ["US2005004437A1", "US 2005/0004437 A1", "US-20050004437-A1", "US 2005-0004437 A1"],
    "US20020055909A1": ["US-20020055909-A1", "US2002055909A1"],
    "USD435854S1": ["US D435,854 S1", "USD0435854S1", "D0435854 S1", "US D 435,854 S1", "Des. 435,854 S1"],
    "USRE38123E1": ["RE38,123 E1", "USRE038123E1", "Re. 38,123 E1", "US RE 38123 E1", "Reissue 38,123 E1"],
    "USPP12345P2": ["PP12,345 P2", "USPP012345P2", "Plant Pat. No. 12,345 P2"],
    "USH2140H1": ["US H2,140 H1", "H0002140 H1", "USH002140H1"],
    "UST100001I4": ["US T100,001 I4", "T100001 I4"],
    "US5123456": ["U.S. Pat. No. 5,123,456", "US Patent 5123456", "U. S. Patent No. 5,123,456.", "US5,123,456"],
    "US10/123456": ["US 10/123,456", "U.S. application Ser. No. 10/123,456", "U.S. Patent Application No. 10/123456"],
    "US60/123456": ["US 60/123,456"],
    "EP0049154B2": [
        "EP-0049154-B2",
        "EP 0 049 154 B2",
        "EP49154B2",
        "EP-B2-0 049 154",
        "ep0049154 b2",
        "EP 0.049.154 B2",
    ],
    "WO1995000123A1": ["WO 95/00123 A1", "WO9500123A1", "WO-1995000123-A1", "WO-A1-95/00123", "W0 95/00123 A1"],
    "WO2003012345A2": ["WO 03/012345 A2", "WO03012345A2", "WO/2003/012345 A2", "WO 2003/12345 A2", "WO2003012345A2"],
    "WOUS2004012345W": ["PCT/US2004/012345", "US2004012345W", "US-2004012345-W", "WO2004US12345", "PCT US04/12345"],
    "WOJP1979000178W": ["PCT/JP79/00178", "JP7900178W", "PCTJP79/00178"],
    "WODM054034": ["DM/054034", "DM/054 034", "WO DM/054034"],
    "JPS58123456A": ["JP-S58-123456-A", "JP 58-123456 A", "JP58123456A", "JP-A-58-123456", "JP S58-123456A"],
    "JPH0812345A": ["JP-H08-012345-A", "JPH08012345A", "JP H8-12345 A", "JP 8-12345 A", "JP08012345A"],
    "JP2004012345A": ["JP 2004-12345 A", "JP-P2004-012345-A", "JP200412345A", "JP 2004/012345 A"],
    "JP3123456B2": ["JP 3,123,456 B2", "JP03123456B2", "JP3123456B2"],
    "KR20040012345A": ["KR 10-2004-0012345 A", "KR1020040012345A", "KR 2004-0012345 A", "KR2004012345A"],
    "DE102004012345A1": ["DE 10 2004 012 345 A1", "DE-102004012345-A1", "DE10 2004 012 345A1"],
    "DE19612345A1": ["DE 196 12 345 A1", "DE-A1-196 12 345", "DE19612345A1"],
    "DE2512345": ["DT 25 12 345", "DE 2512345"],
    "SE0103907L": ["SE 0103907 L"],
    "BRPI0007955A": ["BR PI0007955A"],
    "GB2345678A": ["GB 2,345,678 A", "GB-A-2345678", "GB 2 345 678A", "GB02345678A"],
    "FR2755074A1": ["FR 2 755 074 A1", "FR-A1-2 755 074"],
    "CN101234567A": ["CN 101234567 A", "CN-101234567-A"],
}


@pytest.mark.parametrize(
    ("wanted", "spelling"), [(wanted, text) for wanted, texts in SPELLINGS.items() for text in texts]
)
def test_every_spelling_gives_one_id(wanted: str, spelling: str) -> None:
    assert normalise(spelling).id == wanted
    assert normalise(wanted).id == wanted


@pytest.mark.parametrize(
    ("text", "office", "kind", "wanted"),
    [
        ("07412705", "US", "B2", "US7412705B2"),
        ("D0435854", "US", "S1", "USD435854S1"),
        ("20050004437", "us", "a1", "US20050004437A1"),
        ("WO 95/00123", "DE", "", "WO1995000123"),  # the text knows better than the field beside it
        ("7412705B1", "US", "B2", "US7412705B1"),
        ("53084696", "JPX", "", "JPS5384696"),  # the Green Book's three letters
        ("A 2002-147320", "JP", "", "JP2002147320A"),
        ("2004012345", "US", "W", "WOUS2004012345W"),
        ("PCT/US98/08015", "WO", "00", "WOUS1998008015W"),
        ("7412705", "", "", "7412705"),
        ("7,412,705", "unknown", "B2", "7412705B2"),
        ("0049154", "", "", "0049154"),  # without an office nobody knows whether zeros matter
        ("H08-12345", "", "", "H08-12345"),  # Japanese or American: not said
        ("No. 7,412,705", "US", "", "US7412705"),
        ("NO 312345", "", "B1", "NO312345B1"),  # Norway
        ("11147202", "EP", "", "EP11147202"),  # a filing
        ("000828108-0003", "EM", "", "EM8281080003"),
    ],
)
def test_office_and_kind_beside_the_number(text: str, office: str, kind: str, wanted: str) -> None:
    assert normalise(text, office, kind).id == wanted


def test_parts_of_a_number() -> None:
    number = normalise("USRE38,123 E1")
    assert number == Number("US", "RE38123", "E1")
    assert (number.id, number.key) == ("USRE38123E1", "USRE38123")


def test_wide_and_odd_characters() -> None:
    assert normalise("ＵＳ７４１２７０５Ｂ２").id == "US7412705B2"
    assert normalise("JP 昭 58") == Number("", "JP 昭 58", "")
    assert normalise("EP–0049154–B2").id == "EP0049154B2"
    assert normalise("EP\u00a00\u2009049\u2009154").id == "EP0049154"


@pytest.mark.parametrize(
    "text", ["", " ", "see  page 7 of the file", "Smith et al., Nature 391 (1998)", "US", "-", "١٢٣"]
)
def test_what_is_no_number_stays_text(text: str) -> None:
    assert normalise(text, "US", "A") == Number("", " ".join(text.split()), "")


def test_filing_and_patent_do_not_meet() -> None:
    assert normalise("US 10/123,456").key != normalise("US 10,123,456").key


offices = st.sampled_from(["US", "EP", "WO", "JP", "KR", "DE", "GB", "CN", "AU", ""])
kinds = st.sampled_from(["", "A", "A1", "B2", "C", "S1", "E1", "P3", "U", "W", "00", "b1"])
digits = st.text("0123456789", min_size=1, max_size=14)
marks = st.sampled_from(["", " ", ",", "-", "/", ".", "'", " - "])


@given(st.text(), offices, kinds)
def test_normal_form_is_stable_for_any_text(text: str, office: str, kind: str) -> None:
    number = normalise(text, office, kind)
    assert normalise(number.id) == number


@given(
    st.lists(
        st.one_of(
            offices,
            st.sampled_from(["D", "RE", "PP", "H", "T", "S", "P", "A", "B1", "PCT", "No.", "W0", "DM"]),
            digits,
            marks,
        )
    ),
    offices,
    kinds,
)
def test_normal_form_is_stable_for_what_looks_like_numbers(pieces: list[str], office: str, kind: str) -> None:
    number = normalise("".join(pieces), office, kind)
    assert normalise(number.id) == number


@st.composite
def spelled(draw: st.DrawFn) -> tuple[str, str]:
    """A number's id, and one way to print it."""
    office, letters, body, year = draw(
        st.one_of(
            st.tuples(
                st.just("US"), st.sampled_from(["", "D", "RE", "PP", "H", "T"]), st.integers(1, 99_999_999), st.just(0)
            ),
            st.tuples(st.just("EP"), st.just(""), st.integers(1, 9_999_999), st.just(0)),
            st.tuples(st.sampled_from(["DE", "GB", "FR", "CN", "SU"]), st.just(""), st.integers(1, 10**9), st.just(0)),
            st.tuples(st.just("US"), st.just(""), st.integers(1, 999_999), st.integers(2001, 2030)),
            st.tuples(st.just("WO"), st.just(""), st.integers(1, 99_999), st.integers(1978, 2030)),
            st.tuples(st.just("JP"), st.just(""), st.integers(10_000, 999_999), st.integers(2000, 2030)),
            st.tuples(st.just("KR"), st.just(""), st.integers(1, 9_999_999), st.integers(1990, 2030)),
        )
    )
    kind = draw(st.sampled_from(["", "A", "A1", "B2", "C5"]))
    joint = draw(st.sampled_from(["", " ", "-"]))
    if year:
        width = {"US": 7, "WO": 6, "JP": 6, "KR": 7}[office]
        serial = f"{year}{body:0{width}d}"
        printed = draw(st.sampled_from([serial, f"{year}/{body:0{width}d}", f"{year}-{body:0{width}d}"]))
        if office == "WO":
            printed = draw(st.sampled_from([printed, f"{year % 100:02d}/{body:05d}", f"{year % 100:02d}{body:05d}"]))
        if office == "US":
            printed = draw(st.sampled_from([printed, f"{year}{body:06d}"]))
        if office == "KR":
            printed = draw(st.sampled_from([printed, f"10-{year}-{body:07d}"]))
    else:
        serial = letters + (f"{body:07d}" if office == "EP" else str(body))
        zeros = draw(st.integers(0, 7))
        plain = f"{body:0{zeros}d}"
        grouped = f"{body:,}"
        printed = letters + draw(
            st.sampled_from([plain, grouped, grouped.replace(",", " "), grouped.replace(",", ".")])
        )
    text = joint.join(filter(None, [office, printed, kind]))
    return office + serial + kind, draw(st.sampled_from([text, text.lower(), f"  {text} ", text.translate(WIDE)]))


WIDE = str.maketrans("0123456789", "０１２３４５６７８９")


@given(spelled())
def test_generated_spellings_give_one_id(case: tuple[str, str]) -> None:
    wanted, text = case
    assert normalise(text).id == wanted


def test_real_numbers_are_stable(shared: Path) -> None:
    import json
    import lzma

    with lzma.open(shared / "patents/patsnap/docs.jsonl.xz", "rt") as lines:
        documents = [json.loads(line) for line in lines]
    numbers = [
        number for document in documents for field in ("cites", "family", "cited_by") for number in document[field]
    ]
    assert len(numbers) > 10_000
    parsed = [normalise(number) for number in numbers]
    assert all(normalise(number.id) == number for number in parsed)
    assert sum(not number.office for number in parsed) < len(parsed) / 500  # "1964NL", "JP178017A2001"
    assert all(normalise(document["id"]).id == document["id"] for document in documents)
