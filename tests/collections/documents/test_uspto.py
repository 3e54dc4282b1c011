"""The American XML since 2005: all documents at hand, and odd ones written by hand."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from leadline.collections.documents.document import Citation, Claim, Document, Priority
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.readers import uspto
from leadline.collections.documents.registry import Raw, parse
from leadline.collections.documents.splitting import split
from leadline.text.source import read_text

PUBLICATION = """<publication-reference><document-id><country>US</country><doc-number>07654321</doc-number>
<kind>B2</kind><date>20100202</date></document-id></publication-reference>"""
APPLICATION = """<application-reference appl-type="utility"><document-id><country>US</country>
<doc-number>11223344</doc-number><date>20050909</date></document-id></application-reference>"""
CLAIMS = '<claims><claim id="CLM-00001" num="00001"><claim-text>1. A nail.</claim-text></claim></claims>'


def patent(data: str = "", texts: str = CLAIMS, publication: str = PUBLICATION, root: str = "us-patent-grant") -> bytes:
    """A document with these bibliographic data and texts."""
    kind = "us-bibliographic-data-" + root.rpartition("-")[2]
    inside = f"<{kind}>{publication}{APPLICATION}{data}</{kind}>{texts}"
    return f'<{root} lang="EN" dtd-version="v4.5" country="US">{inside}</{root}>'.encode()


def read(content: bytes) -> Document:
    """The document, which is the same whichever way it is read."""
    document = uspto.read(parse(content))
    for engine in ("plain", "compiled"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("LEADLINE_ENGINE", engine)
            assert uspto.read_bytes(content) == document
    return document


def cited(inside: str, name: str = "") -> str:
    return f"<{name}references-cited>{inside}</{name}references-cited>"


def patcit(country: str, number: str, rest: str = "", category: str = "cited by examiner") -> str:
    document = f"<document-id><country>{country}</country><doc-number>{number}</doc-number>{rest}</document-id>"
    return f'<citation><patcit num="00001">{document}</patcit><category>{category}</category></citation>'


@pytest.fixture(scope="module")
def fulltext(shared: Path) -> list[tuple[bytes, Document]]:
    """All documents at hand, with their bytes."""
    source = read_text(shared / "patents/uspto_fulltext/us_fulltext.xml.xz").bytes()
    raws = [raw for raw in split(iter([source])) if isinstance(raw, Raw)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEADLINE_ENGINE", "compiled")
        return [(raw.content, uspto.read_bytes(raw.content)) for raw in raws]


@pytest.fixture(scope="module")
def by_id(fulltext: list[tuple[bytes, Document]]) -> dict[str, Document]:
    return {document.id: document for _, document in fulltext}


def test_every_document_is_read(fulltext: list[tuple[bytes, Document]], shared: Path) -> None:
    ids = json.loads((shared / "patents/uspto_fulltext/ids.json").read_text())
    assert [document.id for _, document in fulltext] == [normalise(name).id for name in ids]
    assert len(fulltext) == 483


def test_claims_add_up(fulltext: list[tuple[bytes, Document]]) -> None:
    claims = [claim for _, document in fulltext for claim in document.claims]
    assert len(claims) == 3799
    assert sum(content.count(b"<claim-ref ") for content, _ in fulltext) == 2992
    # All references but one, of a claim to itself, are parents, and words name 56 more: "one of claims 34 through 46".
    assert sum(len(claim.parents) for claim in claims) == 3047
    assert all(claim.text and not re.match(r"[0-9]+\s?\.", claim.text) for claim in claims)
    assert all(claim.number > max(claim.parents, default=0) for claim in claims)


def test_citations_add_up(fulltext: list[tuple[bytes, Document]]) -> None:
    citations = [citation for _, document in fulltext for citation in document.citations]
    assert sum(bool(citation.number) for citation in citations) == 10365
    assert sum(bool(citation.text) for citation in citations) == 1650
    # 4743 are marked as the examiner's: 4630 patents and 113 pieces of literature.
    assert Counter(c.origin for c in citations) == {"examiner": 4743, "applicant": 5867 + 1405}
    assert sum(c.origin == "examiner" and bool(c.number) for c in citations) == 4630
    assert all(normalise(citation.number).id == citation.number for citation in citations if citation.number)


def test_texts_are_whole(fulltext: list[tuple[bytes, Document]]) -> None:
    documents = [document for _, document in fulltext]
    assert all(document.title and document.description and document.claims for document in documents)
    assert all(document.application and document.publication and document.inventors for document in documents)
    assert sum(not document.abstract for document in documents) == 259  # designs have none
    assert sum(bool(document.ipc or document.cpc) for document in documents) == 224
    assert sum(bool(document.priorities) for document in documents) == 261


def test_the_tree_tells_the_same(fulltext: list[tuple[bytes, Document]]) -> None:
    for content, document in fulltext[::7]:
        assert uspto.read(parse(content)) == document


def test_words_are_those_of_a_plain_walk_through_the_tree(fulltext: list[tuple[bytes, Document]]) -> None:
    """The words, joined without blanks, are the characters of the tree; and paragraphs are lines of their own."""
    for content, document in fulltext[::5]:
        tree = parse(content)
        for name, text in (("description", document.description), ("abstract", document.abstract)):
            assert "".join(text.split()) == "".join("".join(tree.xpath(f"{name}//text()")).split())
        simple = tree.xpath("description//p[not(.//tables or .//ul or .//ol or .//maths or .//chemistry or .//br)]")
        lines = set(document.description.split("\n"))
        assert {re.sub("[ \n]+", " ", "".join(p.itertext())).strip(" ") for p in simple} <= {*lines, ""}


def test_spot_values(by_id: dict[str, Document]) -> None:
    truck = by_id["US11147202B2"]
    assert (truck.title, truck.application, truck.publication) == ("Wheeled hand truck", "2018-12-26", "2021-10-19")
    assert truck.ipc == ("A01B1/24", "B62B1/12", "B62B5/06")
    assert truck.cpc == ("A01B1/243", "B62B1/12", "B62B5/06", "B62B2202/70", "B62B2206/006")
    assert (truck.relatives, truck.inventors) == (("US20190124818A1",), ("Ng, Yeow",))
    assert [len(truck.claims), truck.claims[3].parents, len(truck.citations)] == [9, (3,), 41]
    napkin = by_id["US6836899B1"]
    assert (napkin.ipc, napkin.national[:2]) == (("A45F5/04",), ("2/52", "2/336"))
    assert napkin.citations[0] == Citation("US675108A", "examiner", date="1901-05")
    wheel = by_id["US6837514B1"]
    japanese = (Priority("JP2000293164", "2000-09-26"), Priority("JP2000293166", "2000-09-26"))
    assert wheel.priorities == (*japanese, Priority("US09953159", "2001-09-17"))
    assert (wheel.application_number, wheel.applicants) == ("US10623845", ("Toyoda Gosei Co., Ltd.",))
    assert by_id["US7156074B2"].claims[4].parents == (2, 3, 4)  # one reference, but "claims 2 through 4"
    assert by_id["US6982689B2"].claims[2].parents == ()  # claim 3 refers to claim 3
    razor = by_id["US20150075015A2"]
    assert [razor.claims[0].text, razor.claims[0].number, razor.claims[1].number] == ["(canceled)", 1, 19]


def test_plants_designs_and_registrations(by_id: dict[str, Document]) -> None:
    plant, registration, design = by_id["USPP18398P2"], by_id["USH2140H1"], by_id["USD656302S1"]
    assert (plant.title, len(plant.claims)) == ("Sedum telephium plant named ‘Beka’", 1)
    assert (registration.priorities, registration.ipc) == ((Priority("AUPP7180", "1998-11-18"),), ("C22B3/18",))
    assert (design.title, design.abstract, design.national) == ("Footwear", "", ("D2/946",))
    assert design.claims == (Claim(1, "The ornamental design for footwear, as shown and described."),)


@pytest.mark.parametrize(
    ("name", "number", "claims", "citations", "examiner", "application", "ipc"),
    [
        ("xml2004/US06859910", "US6859910B2", 2, 8, 8, "2001-04-10", "G06F15/00"),
        ("xml2004/US06970935", "US6970935B1", 30, 11, 11, "2000-11-01", "G06F15/16"),
        ("xml2006/US07272630B2", "US7272630B2", 17, 116, 5, "2004-11-18", "G06F15/13"),
        ("xml2014/US08926509", "US8926509B2", 31, 160, 14, "2008-06-05", "A61B5/00"),
        ("xml2014/US08930553", "US8930553B2", 8, 21, 6, "2012-10-09", "G06F15/16"),
        ("xmlApp2004/US20050004437A1", "US20050004437A1", 10, 0, 0, "2004-04-23", "A61B5/00"),
        ("xmlApp2004/US20050004974A1", "US20050004974A1", 21, 0, 0, "2003-10-16", "G06F15/16"),
    ],
)
def test_one_document_of_each_form(
    shared: Path, name: str, number: str, claims: int, citations: int, examiner: int, application: str, ipc: str
) -> None:
    source = (shared / f"patents/uspto_forms/{name}.xml").read_bytes()
    (raw,) = [raw for raw in split(iter([source])) if isinstance(raw, Raw)]
    document = read(raw.content)
    assert (document.id, len(document.claims), document.application, document.ipc[0]) == (
        number,
        claims,
        application,
        ipc,
    )
    origins = Counter(citation.origin for citation in document.citations)
    assert (sum(origins.values()), origins["examiner"]) == (citations, examiner)
    assert all((document.title, document.abstract, document.description, document.national))


def test_texts_without_a_line_feed_between_elements() -> None:
    table = "<row><entry>a</entry><entry>b</entry></row><row><entry>c</entry></row>"
    texts = (
        "<abstract><p>A nail<br/>is bent.</p></abstract><description><?BRFSUM <p> ?><heading>FIELD</heading>"
        "<p>H<sub>2</sub>O &#x26; E=mc<sup>2</sup> at <b>5</b>&#x2009;&#x3bc;m<!-- <p>not this</p> --></p><p>Table:"
        f"<tables><table><tgroup>{table}</tgroup></table></tables>with<ul><li>one</li><li>two</li></ul>and"
        "<maths><math><mi>x</mi><mo>=</mo><mn>1</mn></math></maths></p><p> </p></description>"
        "<claims><claim num='1'><claim-text>1. A nail comprising:<claim-text>a head;<claim-text>which is flat; and"
        f"</claim-text></claim-text><claim-text>a shaft of x<sub>1</sub><tables>{table}</tables></claim-text>"
        "</claim-text></claim></claims>"
    )
    document = read(patent("<invention-title>A <i>bent</i> nail</invention-title>", texts))
    assert (document.title, document.abstract) == ("A bent nail", "A nail is bent.")
    assert document.description.split("\n") == [
        "FIELD", "H2O & E=mc2 at 5\u2009μm", "Table:", "a b", "c", "with", "one", "two", "and", "x=1",
    ]  # fmt: skip
    assert document.claims == (Claim(1, "A nail comprising: a head; which is flat; and a shaft of x1 a b c"),)


def test_claims_with_strange_numbers_and_references() -> None:
    def refer(name: str) -> str:
        return f'<claim-ref idref="{name}">claim {name[-1]}</claim-ref>'

    written = (
        ('id="CLM-00001" num="00001"', "<b>1</b>. A nail."),
        ('id="CLM-00002" num="00002"', f"2. The nail of {refer('CLM-00001')}."),
        ('id="twice" num="00002"', f"2. The nail of {refer('CLM-00002')}, {refer('twice')} or {refer('CLM-00008')}."),
        ('id="X"', "The nail according to one of claims 1 to 3."),
        ('num="none"', f"5) The nail of claim 4, but not of {refer('nowhere')}."),
        ('num="00008" id="CLM-00008"', "As claimed, a hammer."),
    )
    claims = "".join(f"<claim {names}><claim-text>{text}</claim-text></claim>" for names, text in written)
    claims = f'<claims id="claims">{claims}<claim/></claims>'
    found = [(claim.number, claim.parents) for claim in read(patent(texts=claims)).claims]
    assert found == [(1, ()), (2, (1,)), (3, (2,)), (4, (1, 2, 3)), (5, (4,)), (8, ()), (9, ())]


def test_a_patent_without_claims_abstract_or_description() -> None:
    document = read(patent(texts=""))
    assert (document.id, document.claims, document.abstract, document.description) == ("US7654321B2", (), "", "")
    assert (document.application, document.application_number) == ("2005-09-09", "US11223344")
    empty = read(patent(texts="<abstract/><description></description><claims/>"))
    assert (empty.abstract, empty.description, empty.claims) == ("", "", ())


def test_a_design_and_a_reissue() -> None:
    number = PUBLICATION.replace("07654321", "{}").replace("B2", "{}")
    locarno = "<classification-locarno><main-classification>0204</main-classification></classification-locarno>"
    national = """<classification-national><country>US</country><main-classification>D 2946</main-classification>
    <further-classification> D2902</further-classification></classification-national>"""
    design = read(patent(locarno + national, publication=number.format("D0656302", "S1")))
    assert (design.id, design.ipc, design.national) == ("USD656302S1", (), ("D2/946", "D2/902"))
    original = """<us-related-documents><reissue><relation><parent-doc><document-id><country>US</country>
    <doc-number>09111222</doc-number><date>19990101</date></document-id><parent-status>GRANTED</parent-status>
    <parent-grant-document><document-id><country>US</country><doc-number>6000000</doc-number></document-id>
    </parent-grant-document></parent-doc><child-doc><document-id><country>US</country><doc-number>11223344</doc-number>
    </document-id></child-doc></relation></reissue></us-related-documents>"""
    reissue = read(patent(original, publication=number.format("RE0038123", "E1")))
    assert (reissue.id, reissue.priorities) == ("USRE38123E1", (Priority("US09111222", "1999-01-01"),))


def related(name: str, number: str, date: str) -> str:
    document = f"<document-id><country>US</country><doc-number>{number}</doc-number><date>{date}</date></document-id>"
    if name in ("us-provisional-application", "related-publication"):
        return f"<{name}>{document}</{name}>"
    return f"<{name}><relation><parent-doc>{document}</parent-doc><child-doc/></relation></{name}>"


def test_what_counts_as_priority() -> None:
    foreign = """<priority-claims><priority-claim sequence="01" kind="national"><country>JP</country>
    <doc-number>2004-123456</doc-number><date>20040506</date></priority-claim></priority-claims>"""
    parents = (
        related("continuation", "11000001", "20050101")
        + related("division", "11000002", "20050202")
        + related("continuation-in-part", "11000003", "20050303")
        + related("us-provisional-application", "60000004", "20040404")
        + related("substitution", "11000005", "20050505")
        + related("related-publication", "20060000006", "20060606")
        + related("continuation", "11999999", "20060101")  # younger than its child: an error
    )
    abroad = """<pct-or-regional-filing-data><document-id><country>WO</country>
    <doc-number>PCT/IB2005/057948</doc-number><kind>00</kind><date>20050909</date></document-id></pct-or-regional-filing-data>"""
    document = read(patent(f"{foreign}<us-related-documents>{parents}</us-related-documents>{abroad}"))
    numbers = ["JP2004123456", "US11000001", "US11000002", "US11000003", "US60000004"]
    assert [priority.number for priority in document.priorities] == numbers
    assert (document.priority, document.relatives) == ("2005-03-03", ("US20060000006",))
    assert read(patent(abroad)).priorities == (Priority("WOIB2005057948W", "2005-09-09"),)
    assert read(patent()).priorities == ()


def test_citations_of_every_kind() -> None:
    rest = "<kind>A1</kind><name>Smith &#x26; al.</name><date>19980800</date>"
    lines = "\n".join(
        [
            patcit("US", "5793966", rest),
            patcit("US", "D345678", "<kind>S</kind><date>19940412</date>", "cited by applicant"),
            patcit("US", "2005/0004437", "<kind>A1</kind>", "cited by other"),
            patcit("WO", "WO 95/00123", "", "Cited by  third party"),
            patcit("EP", "0 049 154", "<kind>B2</kind>", "imported from a related application"),
            patcit("DE", "a utility model"),
            patcit("US", ""),
            "<citation><nplcit num='7'><othercit>Smith &#x26; Doe, &#x201c;On <i>nails</i>&#x201d;,\n 1998.</othercit>"
            "</nplcit><category>cited by examiner</category></citation>",
        ]
    )
    expected = (
        Citation("US5793966A1", "examiner", date="1998-08"),
        Citation("USD345678S", "applicant", date="1994-04-12"),
        Citation("US20050004437A1", "applicant"),
        Citation("WO1995000123", "third party"),
        Citation("EP0049154B2", "unknown"),
        Citation("", "examiner", text="a utility model"),
        Citation("", "examiner", text="Smith & Doe, “On nails”, 1998."),
    )
    for name in ("", "us-"):
        written = cited(lines.replace("citation>", "us-citation>") if name else lines, name)
        assert read(patent(written)).citations == expected
        odd = written.replace("<kind>A1</kind>", "<kind>A1</kind ><!-- a comment -->")  # now the tree reads them
        assert read(patent(odd)).citations == expected
    bare = cited("<citation><patcit><document-id><doc-number>EP1234567</doc-number></document-id></patcit></citation>")
    assert read(patent(bare)).citations == (Citation("EP1234567"),)


def test_people() -> None:
    def party(name: str, words: str, attributes: str = "") -> str:
        return f"<{name}{attributes}><addressbook>{words}<address><city>X</city></address></addressbook></{name}>"

    one, two = (
        "<last-name>Doe</last-name><first-name>Jane</first-name>",
        "<last-name>Roe</last-name><suffix>Jr.</suffix>",
    )
    company = "<assignees>" + party("assignee", "<orgname>Nails &amp; Co.</orgname><role>02</role>") + "</assignees>"
    inventor = ' app-type="applicant-inventor"'
    agents = f"<agents>{party('agent', two)}</agents>"
    older = f"<parties><applicants>{party('applicant', one, inventor)}</applicants>{agents}</parties>"
    document = read(patent(older + company))
    assert (document.inventors, document.applicants) == (("Doe, Jane",), ("Nails & Co.",))
    assert read(patent(older)).applicants == ("Doe, Jane",)
    applied = party("us-applicant", "<orgname>Nails Inc.</orgname>") + party("us-applicant", one)
    invented = party("inventor", one) + party("inventor", two)
    newer = f"<us-parties><us-applicants>{applied}</us-applicants><inventors>{invented}</inventors></us-parties>"
    document = read(patent(newer))
    assert (document.inventors, document.applicants) == (("Doe, Jane", "Roe, Jr."), ("Nails Inc.",))


def test_classes_with_the_main_one_first() -> None:
    def part(name: str, subclass: str, group: str, position: str) -> str:
        return (
            f"<{name}><section>A</section><class>01</class><subclass>{subclass}</subclass><main-group>{group}</main-group>"
            f"<subgroup>24</subgroup><symbol-position>{position}</symbol-position></{name}>"
        )

    ipc = part("classification-ipcr", "B", "1", "L") + part("classification-ipcr", "C", "7", "F")
    further = part("classification-cpc", "B", "1", "L") + part("classification-cpc", "D", "9", "L")
    cpc = f"<main-cpc>{part('classification-cpc', 'D', '9', 'F')}</main-cpc><further-cpc>{further}</further-cpc>"
    data = f"<classifications-ipcr>{ipc}</classifications-ipcr><classifications-cpc>{cpc}</classifications-cpc>"
    document = read(patent(data, root="us-patent-application"))
    assert (document.ipc, document.cpc) == (("A01C7/24", "A01B1/24"), ("A01D9/24", "A01B1/24"))


def test_documents_laid_out_otherwise() -> None:
    hidden = "<!-- <references-cited><claims></claims> --><description><p>Seen.</p></description>"
    assert read(patent(texts=hidden + CLAIMS)).description == "Seen."
    backwards = CLAIMS + "<description><![CDATA[<p>a]]></description><abstract ><p>b</p></abstract >"
    document = read(patent(cited(patcit("US", "5793966")).replace("ed>", "ed >"), backwards))
    assert (document.abstract, document.description, len(document.claims)) == ("b", "<p>a", 1)
    assert document.citations[0].number == "US5793966"
    spaced = re.sub(rb">", b">\n\t ", patent(texts=hidden[hidden.find("<desc") :] + CLAIMS))
    assert (read(spaced).id, read(spaced).claims) == ("US7654321B2", (Claim(1, "A nail."),))
    other = b'<us-patent-grant xmlns:m="http://m.org"' + patent(texts="<description><m:p>a</m:p></description>")[16:]
    assert read(other).description == "a"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (patent(publication=""), "no publication number"),
        (patent(publication=PUBLICATION.replace("07654321", " ")), "no publication number"),
        (b"<us-patent-grant><description/></us-patent-grant>", "no bibliographic data"),
        (patent(texts="<description><p>a&nbsp;b</p></description>"), "Entity 'nbsp' not defined"),
        (patent(texts="<description><p>a<b></p></b></description>"), "tag mismatch"),
        (patent(cited("<citation>")), "tag mismatch"),
        (patent(texts="<description>\x02</description>"), "invalid Char"),
    ],
)
@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_what_is_wrong_is_said(content: bytes, problem: str, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", engine)
    with pytest.raises(ValueError, match=problem):
        uspto.read_bytes(content)


@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_a_cut_document_never_passes(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", engine)
    content = patent(
        cited(patcit("US", "5793966")), "<abstract><p>a</p></abstract><description><p>b</p></description>" + CLAIMS
    )
    read(content)
    for end in range(0, len(content), 7):
        with pytest.raises(ValueError, match=r"."):
            uspto.read_bytes(content[:end])


def test_entities_are_never_defined() -> None:
    bomb = b'<!DOCTYPE us-patent-grant [<!ENTITY a "b">]>' + patent(texts="<description>&a;</description>")
    with pytest.raises(ValueError, match="document type"):
        uspto.read_bytes(bomb)


def test_a_document_need_not_name_its_language() -> None:
    assert read(patent().replace(b' lang="EN"', b"")).language == ""
