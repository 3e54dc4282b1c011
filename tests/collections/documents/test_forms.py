"""Documents written in the forms of offices are read back as they were, whatever is in them."""

from __future__ import annotations

import dataclasses
import datetime
import lzma
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from leadline.collections.choices import ORIGINS
from leadline.collections.documents.document import Citation, Claim, Document, Priority, parents
from leadline.collections.documents.fields.writing import is_written, line, normal
from leadline.collections.documents.forms import encoded, held, lost_fields
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.registry import WRITERS, Broken, readers_by_form
from leadline.collections.documents.splitting import split
from leadline.collections.simulate.office import build_office
from leadline.collections.simulate.printing import office_documents
from leadline.collections.simulate.settings import Settings

sys.path.insert(0, str(Path(__file__).parents[2]))
from conftest import examples

READERS = readers_by_form()
FIELDS = [field.name for field in dataclasses.fields(Document)]
FORMS = ("epo", "exchange", "jats", "ris", "st36", "uspto")


def documents_in(content: bytes, form: str | None = None) -> list[Document]:
    """The documents of a file; nothing of it may be reported."""
    found = []
    for raw in split(iter([content]), form):
        assert not isinstance(raw, Broken), raw
        found.append(READERS[raw.form].read(raw.content, raw.encoding))
    return found


def differences(one: Document, other: Document) -> dict[str, tuple[object, object]]:
    return {
        name: (getattr(one, name), getattr(other, name))
        for name in FIELDS
        if getattr(one, name) != getattr(other, name)
    }


def check_form(documents: Iterable[Document], form: str) -> list[Document]:
    """Write documents, read them, and compare every field; return what was held of them."""
    limited = [held(document, WRITERS[form]) for document in documents]
    read = documents_in(encoded(limited, form))
    assert len(read) == len(limited)
    for wanted, found in zip(limited, read, strict=True):
        assert differences(wanted, found) == {}, wanted.id
    return limited


# An office.


@pytest.fixture(scope="module", params=[1, 2, 3])
def office(request: pytest.FixtureRequest) -> list[Document]:
    made = build_office(Settings(patents=150, articles=10, words=60, seed=request.param))
    return list(office_documents(made))


LOST = {  # what a form has no place for, of the documents of an office; of others nothing is lost
    "exchange": {"description", "claims"},
    "ris": {
        *("office", "serial", "kind", "description", "claims", "ipc", "cpc", "national", "priorities"),
        *("application", "application_number", "citations", "applicants"),
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_an_office_is_read_back(office: list[Document], form: str) -> None:
    given = [document for document in office if WRITERS[form].takes(document)]
    limited = check_form(given, form)
    for document, kept in zip(given, limited, strict=True):
        lost = {each.split()[-1] for each in lost_fields(normal(document), kept)}
        assert lost <= LOST.get(form, set())
        assert kept.id == document.id


def test_every_document_of_an_office_has_its_own_form(office: list[Document]) -> None:
    for document in office:
        own = [name for name in ("uspto", "epo", "st36", "jats") if WRITERS[name].takes(document)]
        assert len(own) == 1, document.id


# Whatever XML can hold.


SPECIAL = st.sampled_from(
    [
        *("&", "<", ">", '"', "'", "&amp;", "&#x3b1;", "]]>", "<!--", "-->", "<?xml", "</p>", "{}", "%s", "\\", "ER  - "),
        *("α-D-glucose", "5′-O-(4,4′-dimethoxytrityl)", "2,2'-[[3-[(2-hydroxyethyl)amino]", "H₂SO₄", "CH₃–CH₂", "10⁻³"),
        *("ナトリウム塩", "Способ", "塩化\u3000ナトリウム", "שלום", "🧪", "e\u0301", "\u00a0", "\u2028", "\u0085", "\ufeff"),
        *("1. ", "2) ", "claim 1", "claims 1 to 3", "any of the preceding claims", "Anspruch 1 oder 2", "[DE]", "TY  - JOUR"),
        *("CLAIMS", "BACKGROUND", "<patcit>", "US 5,123,456 A", "1998", "\n", "\t", "  "),
    ]
)
ANY = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), max_size=12)
TEXT = st.lists(ANY | SPECIAL, max_size=6).map("".join)
WORDS = TEXT.map(lambda text: line(text) or "nail")
DATE = st.dates(datetime.date(1000, 1, 1), datetime.date(2199, 12, 31)).map(str)
PART_OF_DATE = st.builds(lambda date, end: date[:end], DATE, st.sampled_from([0, 4, 7, 10, 10, 10]))
SYMBOL = st.from_regex(r"[A-H](0[1-9]|[1-9][0-9])[A-Z][1-9][0-9]{0,3}/[0-9]{2,4}|[A-H][0-9]{2}[A-Z]", fullmatch=True)
AMERICAN = st.from_regex(r"[1-9][0-9]{2}/[1-9][0-9]{0,2}(\.[0-9]?[1-9])?", fullmatch=True)
COUNTRY = st.sampled_from(["US", "EP", "WO", "JP", "DE", "FR", "CN", "KR", "GB"])
APPLICATION = st.builds(lambda country, digits: country + digits, COUNTRY, st.from_regex("[1-9][0-9]{5,11}", fullmatch=True))
APPLICATION |= st.sampled_from(["US207496P", "WOUS2004012345W", "", "EP01935605", "DE2804439"])
SERIALS = {
    "US": ("7412705", "RE38123", "D435854", "20050004437", "PP12345"),
    "EP": ("0049154", "1234567"),
    "WO": ("1995000123", "2004012345"),
    "JP": ("S58123456", "H10123456", "2004123456", "3456789"),
    "DE": ("3800001", "102004012345", "29999812"),
    "FR": ("2699830",),
}
NUMBERED = [(office, serial) for office, serials in SERIALS.items() for serial in serials]
KINDS = st.sampled_from(["A", "A1", "A2", "B1", "B2", "C2", "U1", ""])


@st.composite
def claim_lists(draw: st.DrawFn) -> tuple[Claim, ...]:
    numbers = sorted(draw(st.sets(st.integers(1, 40) | st.sampled_from([999, 12345]), max_size=6)))
    made = []
    for number in numbers:
        marked = draw(st.sets(st.sampled_from(numbers), max_size=3))
        named = draw(st.sampled_from(["", *(f" of claim {each}," for each in marked)]))
        text = draw(WORDS) + named + draw(WORDS)
        made.append(Claim(number, text, tuple(sorted(each for each in marked if each < number))))
    return tuple(made)


@st.composite
def numbers(draw: st.DrawFn) -> str:
    office, serial = draw(st.sampled_from(NUMBERED))
    return normalise(serial, office, draw(KINDS)).id


CITATIONS = st.lists(
    st.builds(Citation, numbers(), st.sampled_from(ORIGINS), st.sampled_from(["", "X", "Y", "XDA", "&"]), PART_OF_DATE)
    | st.builds(lambda origin, date, text: Citation("", origin, "", date, text), st.sampled_from(ORIGINS), PART_OF_DATE, WORDS),
    max_size=5,
)


@st.composite
def patents(draw: st.DrawFn, offices: tuple[str, ...] = tuple(SERIALS)) -> Document:
    office, serial = draw(st.sampled_from([each for each in NUMBERED if each[0] in offices]))
    number = normalise(serial, office, draw(KINDS))
    return Document(
        id=number.id,
        office=number.office,
        serial=number.serial,
        kind=number.kind,
        language=draw(st.sampled_from(["", "en", "de", "ja"])),
        title=draw(TEXT),
        abstract=draw(TEXT),
        description=draw(TEXT),
        claims=draw(claim_lists()),
        ipc=tuple(draw(st.lists(SYMBOL, max_size=3))),
        cpc=tuple(draw(st.lists(SYMBOL | st.just("Y02E60/10"), max_size=3))),
        national=tuple(draw(st.lists(AMERICAN, max_size=2))),
        priorities=tuple(draw(st.lists(st.builds(Priority, APPLICATION, PART_OF_DATE), max_size=3))),
        application=draw(PART_OF_DATE),
        application_number=draw(APPLICATION),
        publication=draw(PART_OF_DATE),
        citations=tuple(draw(CITATIONS)),
        family=draw(st.sampled_from(["", "27999001"])),
        relatives=tuple(draw(st.lists(numbers(), max_size=2))),
        applicants=tuple(draw(st.lists(WORDS | st.just("Muster, Anna"), max_size=3))),
        inventors=tuple(draw(st.lists(WORDS | st.sampled_from(["Muster, Anna", "O'Neill, B., Jr."]), max_size=3))),
    )


@st.composite
def articles(draw: st.DrawFn) -> Document:
    return Document(
        id=draw(st.sampled_from(["PMC123", "10051933", "10.1234/AB-(1)", "article-000001"]) | WORDS.map(lambda text: text.replace(" ", "_"))),
        kind="article",
        language=draw(st.sampled_from(["", "en", "fr"])),
        title=draw(TEXT),
        abstract=draw(TEXT),
        description=draw(TEXT),
        publication=draw(PART_OF_DATE),
        citations=tuple(draw(CITATIONS)),
        inventors=tuple(draw(st.lists(WORDS | st.just("Muster, Anna"), max_size=3))),
    )


TAKEN = {
    "uspto": patents(("US",)),
    "epo": patents(("EP",)),
    "st36": patents(("WO", "JP", "DE", "FR")),
    "exchange": patents(),
    "jats": articles(),
    "ris": patents() | articles(),
}


@pytest.mark.parametrize("form", FORMS)
def test_any_document_is_read_back(form: str) -> None:
    @given(st.lists(TAKEN[form], min_size=1, max_size=2))
    @settings(max_examples=examples(100))
    def check(documents: list[Document]) -> None:
        limited = check_form(documents, form)
        assert [held(document, WRITERS[form]) for document in limited] == limited

    check()
