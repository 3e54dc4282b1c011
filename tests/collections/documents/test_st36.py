"""Publications after ST.36, written by hand after the standard, its example and the offices' variations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from leadline.collections.documents.document import Citation, Document, Priority
from leadline.collections.documents.fields.patent_offices import claims_of
from leadline.collections.documents.readers import st36
from leadline.collections.documents.registry import paragraphs, parse, tidy


def read(golden: Path, name: str) -> Document:
    content = (golden / "documents" / name).read_bytes()
    return st36.read(parse(re.sub(rb"<!DOCTYPE[^>]*>", b"", content)))


@pytest.fixture(scope="module")
def international(golden: Path) -> Document:
    return read(golden, "st36_international.xml")


@pytest.fixture(scope="module")
def french(golden: Path) -> Document:
    return read(golden, "st36_french.xml")


def test_numbers_and_dates(international: Document, french: Document) -> None:
    assert (international.id, international.application_number) == ("WO2004099827A1", "WOFR2003099828W")
    assert (international.application, international.publication) == ("2003-11-12", "2004-05-27")
    assert international.priorities == (Priority("FR0299829", "2002-11-14"),)
    assert (french.id, french.application_number, french.family) == ("FR2899832A1", "FR0699832", "27999005")
    assert (french.application, french.publication) == ("2006-04-10", "2007-10-12")
    assert french.priorities == (Priority("ITMI2005A99833", "2005-04-11"),)


def test_texts(international: Document) -> None:
    assert (international.title, international.abstract) == ("WRENCH", "A wrench with two jaws.")
    assert international.language == "fr"
    assert international.description.splitlines() == [
        "Domaine",
        "L'invention concerne une clé.",
        "Les clés ont une mâchoire.",
    ]
    assert [(claim.number, claim.text, claim.parents) for claim in international.claims] == [
        (1, "Clé à deux mâchoires.", ()),
        (2, "Clé selon la revendication 1, chromée.", (1,)),
    ]


def test_classes(international: Document, french: Document) -> None:
    assert international.ipc == ("B25B13/00", "B25G1/00")
    assert (french.ipc, french.cpc) == (("B25B13/10",), ("B25B13/10",))


def test_names(international: Document, french: Document) -> None:
    assert international.applicants == ("OUTILS EXEMPLE S.A.", "MODÈLE, Marie")
    assert international.inventors == ("MODÈLE, Marie",)
    assert (french.applicants, french.inventors) == (("OUTILS EXEMPLE S.A.",), ("MODÈLE, MARIE",))


def test_citations(international: Document, french: Document) -> None:
    assert international.citations == (
        Citation("FR2699830A1", "applicant"),
        Citation("US6099831A", "examiner", "X", "2000-07-18"),
    )
    assert french.citations == (Citation("US6099831A", "examiner", "X"),)


def test_the_body_of_an_application_is_known_by_its_reference(golden: Path) -> None:
    document = read(golden, "st36_body.xml")
    assert (document.id, document.office, document.title) == ("N-2003-01", "", "Wrench with two jaws")
    assert document.description == "Background\nA wrench has jaws."
    assert (document.abstract, len(document.claims)) == ("Two jaws.", 2)


def test_pages_that_are_images_have_no_text() -> None:
    pages = (
        "<description><doc-page id='p1' file='1.tif'/></description><claims><doc-page id='p2' file='2.tif'/></claims>"
    )
    root = (
        f"<wo-published-application country='WO' doc-number='2004099827' kind='A1'>{pages}</wo-published-application>"
    )
    document = st36.read(parse(root.encode()))
    assert document == Document("WO2004099827A1", "WO", "2004099827", "A1")


def test_chinese_names_of_elements() -> None:
    content = (
        "<cn-patent-document lang='zh' country='CN'><cn-bibliographic-data><cn-publication-reference><document-id>"
        "<country>CN</country><doc-number>101999842</doc-number><kind>A</kind><date>20101013</date></document-id>"
        "</cn-publication-reference><cn-parties><cn-applicants><cn-applicant><name>某公司</name></cn-applicant>"
        "</cn-applicants></cn-parties><invention-title>钉子</invention-title></cn-bibliographic-data>"
        "<application-body><claims><claim num='0001'><claim-text>1.一种钉子。</claim-text></claim>"
        "<claim num='0002'><claim-text>2.根据权利要求1所述的钉子。</claim-text></claim></claims></application-body>"
        "</cn-patent-document>"
    )
    document = st36.read(parse(content.encode()))
    assert (document.id, document.publication) == ("CN101999842A", "2010-10-13")
    assert (document.title, document.applicants, document.language) == ("钉子", ("某公司",), "zh")
    assert [claim.text for claim in document.claims] == ["一种钉子。", "根据权利要求1所述的钉子。"]


def test_japanese_names_of_elements() -> None:
    content = (
        "<jp-official-gazette kind-of-jp='A' kind-of-st16='A' lang='ja' country='JP' xmlns:jp='http://www.jpo.go.jp'>"
        "<bibliographic-data lang='ja' country='JP'><publication-reference><document-id><country>JP</country>"
        "<doc-number>2004999844</doc-number><kind>公開特許公報(A)</kind><date>20040415</date></document-id>"
        "</publication-reference><classification-ipc><main-clsf>F16B 15/02 (2006.01)</main-clsf></classification-ipc>"
        "<classification-national><main-clsf>F16B 15/02 A</main-clsf></classification-national>"
        "<parties><jp:applicants-agents-article><jp:applicants-agents sequence='1'><applicant sequence='1'>"
        "<addressbook><name>釘株式会社</name></addressbook></applicant></jp:applicants-agents>"
        "</jp:applicants-agents-article></parties><invention-title>釘</invention-title></bibliographic-data>"
        "<claims><claim num='1'><claim-text>波形の釘。</claim-text></claim></claims></jp-official-gazette>"
    )
    document = st36.read(parse(content.encode()))
    assert (document.id, document.publication, document.language) == ("JP2004999844A", "2004-04-15", "ja")
    assert (document.ipc, document.national) == (("F16B15/02",), ("F16B15/02A",))
    assert (document.applicants, document.claims[0].text) == (("釘株式会社",), "波形の釘。")


def test_numbers_of_claims_that_do_not_count_up_are_places() -> None:
    claims = claims_of(tidy(parse(b"<claims><claim num='1'>A nail.</claim><claim num='1'>A bolt.</claim></claims>")))
    assert [claim.number for claim in claims] == [1, 2]


def test_links_between_claims_count_beside_their_words() -> None:
    content = (
        b"<claims><claim id='a' num='1'>A nail.</claim><claim id='b' num='2'>A bolt.</claim><claim id='c' num='3'>"
        b"A box with <claim-ref idref='b'>that</claim-ref> and claim 1, <claim-ref idref='c'/><claim-ref idref='z'/>"
        b"</claim></claims>"
    )
    assert claims_of(tidy(parse(content)))[2].parents == (1, 2)


def test_claims_without_elements_are_cut_at_their_numbers() -> None:
    content = b"<claims><p>1. A nail.</p><p>2. The nail of claim 1.</p></claims>"
    assert [claim.parents for claim in claims_of(tidy(parse(content)))] == [(), (1,)]


def test_numbered_steps_do_not_make_several_claims() -> None:
    content = (
        b"<claims><claim num='1'><claim-text>A method of</claim-text><claim-text>1) heating and</claim-text>"
        b"<claim-text>2) cooling.</claim-text></claim></claims>"
    )
    assert [claim.text for claim in claims_of(tidy(parse(content)))] == ["A method of 1) heating and 2) cooling."]


def test_paragraphs_of_sections_in_sections() -> None:
    content = (
        b"<description><sec><sec><title>A</title><p>b<ul><li>c</li><li>d</li></ul></p></sec></sec><p/></description>"
    )
    assert paragraphs(tidy(parse(content))) == "A\nb c d"


def test_a_document_without_a_name_is_refused() -> None:
    with pytest.raises(ValueError, match="no publication number"):
        st36.read(parse(b"<application-body><description><p>A nail.</p></description></application-body>"))
