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
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.collections.choices import ORIGINS
from leadline.collections.documents.document import Citation, Claim, Document, Priority
from leadline.collections.documents.fields.patent_offices import ipc_of
from leadline.collections.documents.fields.writing import in_columns, line, normal
from leadline.collections.documents.forms import encoded, held, lost_fields
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.registry import READERS as READERS_BY_NAME
from leadline.collections.documents.registry import WRITERS, Broken, parse, readers_by_form, tidy
from leadline.collections.documents.splitting import split
from leadline.collections.simulate.office import build_office
from leadline.collections.simulate.printing import office_documents
from leadline.collections.simulate.settings import Settings
from leadline.errors import InputError

sys.path.insert(0, str(Path(__file__).parents[2]))
from conftest import SHARED, examples

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
    made = build_office(Settings(patents=120, articles=8, seed=request.param))
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
        *(
            "&",
            "<",
            ">",
            '"',
            "'",
            "&amp;",
            "&#x3b1;",
            "]]>",
            "<!--",
            "-->",
            "<?xml",
            "</p>",
            "{}",
            "%s",
            "\\",
            "ER  - ",
        ),
        *("α-D-glucose", "5′-O-(4,4′-dimethoxytrityl)", "2,2'-[[3-[(2-hydroxyethyl)amino]", "H₂SO₄", "CH₃–CH₂", "10⁻³"),
        *(
            "ナトリウム塩",
            "Способ",
            "塩化\u3000ナトリウム",
            "שלום",
            "🧪",
            "e\u0301",
            "\u00a0",
            "\u2028",
            "\u0085",
            "\ufeff",
        ),
        *(
            "1. ",
            "2) ",
            "claim 1",
            "claims 1 to 3",
            "any of the preceding claims",
            "Anspruch 1 oder 2",
            "[DE]",
            "TY  - JOUR",
        ),
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
APPLICATION = st.builds(
    lambda country, digits: country + digits, COUNTRY, st.from_regex("[1-9][0-9]{5,11}", fullmatch=True)
)
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
    | st.builds(
        lambda origin, date, text: Citation("", origin, "", date, text), st.sampled_from(ORIGINS), PART_OF_DATE, WORDS
    ),
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
        id=draw(
            st.sampled_from(["PMC123", "10051933", "10.1234/AB-(1)", "article-000001"])
            | WORDS.map(lambda text: text.replace(" ", "_"))
        ),
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


# Difficult documents, written out.


NAME = "1-{[(2S,5R)-5-({[(9H-fluoren-9-yl)methoxy]carbonyl}amino)-2′-methyl]oxy}-N,N'-bis(2-chloroethyl)urea"
HARD = Document(
    id="US7412705B2",
    office="US",
    serial="7412705",
    kind="B2",
    language="en",
    title="Salts of α,β-unsaturated acids & their use <in vivo> at 5 °C \N{EM DASH} \N{ZERO WIDTH SPACE}",
    abstract=f"Disclosed is {NAME} & Na₂SO₄·10H₂O.\nR¹ is C₁₋₆-alkyl; x < 3 > 2.",
    description=f"BACKGROUND\nКислота и 塩化ナトリウム, שלום.\n{NAME} (CAS 26075-13-8).\nEXAMPLES\n1. Heat to ≥ 50 °C.",
    claims=(
        Claim(1, f"A composition of {NAME}."),
        Claim(2, 'The composition of claim 1, wherein R<sub> is "methyl" & 5\' is free.', (1,)),
        Claim(4, "The composition according to any one of claims 1 to 2, at 5 °C.", (1, 2)),
        Claim(5, "A kit, further having what is claimed.", (2, 4)),
        Claim(6, "The composition according to claim 1 or 4 or claims 2 and 5.", (1, 2, 4, 5)),
        Claim(7, "8. A method with 3 steps.", ()),
        Claim(12_000, "12. Zusammensetzung nach Anspruch 1 oder 2.", (1, 2)),
    ),
    ipc=("C07D401/04", "A61K", "A61P35/00"),
    cpc=("C07D401/04", "Y02P20/55", "A61K31/4439"),
    national=("514/210.01", "D2/916-919", "156/DIG14"),
    priorities=(Priority("EP01935605", "2001-02-03"), Priority("", "2001"), Priority("US20010012345", "2001-05")),
    application="2002-02-01",
    application_number="US10123456",
    publication="2008-08-12",
    citations=(
        Citation("EP0049154B2", "examiner", "", "1986-09"),
        Citation("", "applicant", "", "", 'M. Muster: "Nägel & Schrauben <1>", J. Appl. 5′, 1999, pp. 1-9'),
        Citation("WOUS2004012345W", "third party", "", "2004"),
        Citation("US20050004437A1", "unknown", "", ""),
        Citation("WODM074012", "examiner", "", "2010-07"),
        Citation("JPS58123456A", "applicant", "", "1983-07-22"),
    ),
    relatives=("US20030123456A1",),
    applicants=("Muster & Söhne GmbH", "O'Neill, Beate, Jr."),
    inventors=("Muster, Anna", "Beispiel, Bert, III", "山田太郎", "Ψ"),
)


def test_a_difficult_american_patent() -> None:
    (found,) = documents_in(encoded([HARD], "uspto"))
    assert differences(HARD, found) == {}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("language", ["en", "ja", ""])
def test_difficult_documents(form: str, language: str) -> None:
    report = (
        Citation("EP0049154B2", "examiner", "XDA", "1986-09"),
        Citation("", "examiner", "Y", "", "Of nails, 1999"),
    )
    citations = (
        *report,
        Citation("US5123456A", "opposition", "X"),
        Citation("GB2345678A", "unknown"),
        *HARD.citations[2:],
    )
    offices = {"uspto": ("US", "7412705", "B2"), "epo": ("EP", "0049154", "B2"), "st36": ("JP", "H10123456", "A")}
    office, serial, kind = offices.get(form, ("WO", "2004012345", "A1")) if form != "jats" else ("", "", "article")
    number = f"{office}{serial}{kind if office else ''}" or "PMC123"
    about = {"id": number, "office": office, "serial": serial, "kind": kind, "language": language}
    given = dataclasses.replace(HARD, **about, citations=citations, family="27999001")
    (kept,) = check_form([given], form)
    if form in ("epo", "st36", "exchange"):
        assert {each for each in citations if each.origin == "examiner"} <= set(kept.citations)
        assert {"opposition", "third party", "applicant", "unknown"} <= {each.origin for each in kept.citations}
    if form not in ("exchange", "jats", "ris"):
        assert kept.claims == HARD.claims
    assert (kept.title, kept.abstract.replace("\n", " ")) == (HARD.title, HARD.abstract.replace("\n", " "))


def test_an_empty_document_of_every_form() -> None:
    for form in FORMS:
        office = {"uspto": "US", "epo": "EP"}.get(form, "WO")
        number = normalise("1234567", office, "A")
        empty = Document("article-1", kind="article") if form == "jats" else Document(number.id, *number)
        check_form([empty, dataclasses.replace(empty, language="en")], form)


def test_many_documents_are_in_one_file() -> None:
    documents = [dataclasses.replace(HARD, id=f"US{7412705 + at}B2", serial=str(7412705 + at)) for at in range(30)]
    for form in ("uspto", "exchange", "ris"):
        content = encoded(documents, form)
        assert [each.id for each in documents_in(content)] == [each.id for each in documents]
        assert [each.id for each in documents_in(content, form)] == [each.id for each in documents]


def test_texts_are_never_markup() -> None:
    content = encoded([HARD], "uspto").decode()
    assert "&lt;in vivo&gt;" in content
    assert "<sub>" not in content
    assert '<claim-ref idref="CLM-00001">claim 1</claim-ref>, wherein' in content
    assert "<heading" in content


def test_what_xml_does_not_allow_becomes_a_blank() -> None:
    given = dataclasses.replace(HARD, title="A\x00nail\x0c\ud800 and\ufffe a screw", inventors=("A\x1fB",))
    (found,) = check_form([given], "uspto")
    assert (found.title, found.inventors) == ("A nail and a screw", ("A B",))


def test_claims_are_in_the_order_of_their_numbers() -> None:
    one, two = Claim(1, "A nail."), Claim(2, "The nail of claim 1, bent.", (1,))
    (found,) = check_form([dataclasses.replace(HARD, claims=(two, Claim(3, " \t"), one))], "uspto")
    assert found.claims == (one, two)
    for claims in ((one, one), (Claim(0, "A nail."),)):
        with pytest.raises(InputError, match="US7412705B2: has claims with the same number"):
            normal(dataclasses.replace(HARD, claims=claims))


@pytest.mark.parametrize("version", ["", "20060101AFI20051220RMJP        ", "20130101 FI20130101BHEP        "])
@pytest.mark.parametrize("name", ["F16B", "F16B15/02", "A61K31/4439", "G06F2203/04"])
def test_a_class_in_columns(name: str, version: str) -> None:
    columns = in_columns(name)
    markup = f"<a><classification-ipcr><text>{columns:19}{version}</text></classification-ipcr></a>"
    assert ipc_of(tidy(parse(markup.encode()))) == (name,)


# Real documents.


def real_documents(golden: Path) -> Iterator[tuple[str, Document]]:
    """Documents of the golden files and of the American office, with the names of their readers."""
    samples = SHARED / "data" / "patents" / "uspto_forms"
    for path in [*sorted((golden / "documents").glob("*.xml")), *sorted(samples.glob("xml*/*.xml"))]:
        for raw in split(iter([path.read_bytes()])):
            if isinstance(raw, Broken):
                continue
            try:
                yield READERS[raw.form].name, READERS[raw.form].read(raw.content, raw.encoding)
            except ValueError:
                continue  # a notice that a document was deleted


def test_real_documents_are_read_back(golden: Path) -> None:
    count = 0
    for form, document in real_documents(golden):
        for name in (form, "exchange", "ris"):
            if name in WRITERS and WRITERS[name].takes(document):
                (limited,) = check_form([document], name)
                count += 1
                if name == form:  # what it was read from holds all of it
                    assert lost_fields(normal(document), limited) == [], document.id
    assert count > 20


def test_a_week_of_american_patents_is_read_back(shared: Path) -> None:
    path = shared / "patents" / "uspto_fulltext" / "us_fulltext.xml.xz"
    if not path.is_file():
        pytest.skip("needs the American full texts")
    raw = [each for each in split(iter([lzma.decompress(path.read_bytes())])) if not isinstance(each, Broken)]
    documents = [READERS[each.form].read(each.content) for each in raw]
    for document, limited in zip(documents, check_form(documents, "uspto"), strict=True):
        assert lost_fields(normal(document), limited) == [], document.id


# What is said of the forms.


def test_the_documentation_says_what_each_form_holds() -> None:
    text = (Path(__file__).parents[3] / "docs" / "forms.md").read_text(encoding="utf-8")
    table = re.search(r"<!-- holds -->\n(.*?)<!-- end -->", text, re.DOTALL)
    assert table
    header, _, *rows = (re.split(r"\s*\|\s*", row.strip("| ")) for row in table[1].strip().splitlines())
    assert header == ["field", *FORMS]
    said = {field: {form for form, cell in zip(FORMS, cells, strict=True) if cell != "–"} for field, *cells in rows}
    parts = [
        f"citations.{field.name}" for field in dataclasses.fields(Citation) if field.name not in ("number", "text")
    ]
    fields = [*FIELDS, *parts]
    assert said == {field: {form for form in FORMS if field in WRITERS[form].holds} for field in fields}


def test_every_writer_has_its_reader() -> None:
    assert list(WRITERS) == list(FORMS)
    for member in WRITERS.values():
        assert READERS_BY_NAME[member.name].function.__module__ == member.function.__module__
        known = {*FIELDS, *(f"citations.{field.name}" for field in dataclasses.fields(Citation))}
        assert member.holds <= known
