"""File wrappers: the sample at hand, and parts written by hand."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from leadline.collections.documents.document import Claim, Document
from leadline.collections.documents.readers import uspto_wrapper
from leadline.collections.documents.readers.uspto_wrapper import FileWrapper, merge
from leadline.collections.documents.registry import Raw, parse
from leadline.collections.documents.splitting import split

NAMESPACE = 'xmlns:pat="urn:us:gov:doc:uspto:patent"'


def part(code: str, inside: str, mailed: str = "2013-08-08", number: str = "13/962,724") -> FileWrapper:
    root = "ClaimsDocument" if code == "CLM" else "SpecificationDocument"
    content = f"""<pat:{root} {NAMESPACE} pat:id="X"><pat:DocumentCode>{code}</pat:DocumentCode>
    <pat:DocumentHeaderDetails><pat:ApplicationHeaderDetails><pat:ApplicationNumber>{number}</pat:ApplicationNumber>
    </pat:ApplicationHeaderDetails></pat:DocumentHeaderDetails><pat:MailRoomDate>{mailed}</pat:MailRoomDate>
    <pat:DocumentTitle>CLAIM DOCUMENT</pat:DocumentTitle>{inside}</pat:{root}>"""
    return uspto_wrapper.read(parse(content.encode()))


def paragraphs(*texts: str) -> str:
    inside = "".join(f'<pat:P pat:id="p-{i}">{text}</pat:P>' for i, text in enumerate(texts))
    page = "<pat:BoundaryData><pat:HeaderText>Docket 17</pat:HeaderText></pat:BoundaryData>"
    return f"<pat:Specification>{page}<pat:Heading>[0001] FIELD</pat:Heading>{inside}</pat:Specification>"


def test_a_description_loses_what_belongs_to_the_page() -> None:
    line = "<pat:BoundaryData><pat:LineNumber>5</pat:LineNumber></pat:BoundaryData>"
    document = part("SPEC", paragraphs(f"[0002] A nail in{line}wood is p<pat:PartName>art</pat:PartName> of it.", "34"))
    assert document.description == "FIELD\nA nail in wood is part of it."
    assert (document.id, document.serial, document.application) == ("US13962724", "13962724", "2013-08-08")
    assert (document.title, document.abstract, document.claims) == ("", "", ())


def test_an_abstract_loses_its_heading_and_the_request_to_replace() -> None:
    document = part("ABST", paragraphs("Please replace the Abstract with the following:", "A nail is bent.", "27"))
    assert document.abstract == "A nail is bent."


def claim(number: str, text: str, name: str = "", rest: str = "") -> str:
    label = f"<pat:ClaimLabelText>{number}. </pat:ClaimLabelText>" if text else ""
    words = f"<pat:ClaimText>{label}{text}</pat:ClaimText>" if text else ""
    return f'<pat:Claim pat:id="{name or number}"><pat:ClaimNumber>{number}</pat:ClaimNumber>{words}{rest}</pat:Claim>'


def test_claims_lose_labels_and_what_became_of_them() -> None:
    reference = '<pat:ClaimReference pat:idrefs="one two"> claims 1</pat:ClaimReference>'
    footer = "<pat:BoundaryData><pat:HeaderText>Docket 17</pat:HeaderText></pat:BoundaryData>"
    document = part(
        "CLM",
        "<pat:ClaimSet><pat:ClaimList><pat:ClaimStatement>CLAIMS</pat:ClaimStatement>"
        + '<pat:Claim pat:id="UNKNOWN-1"><pat:ClaimText>IN THE CLAIMS</pat:ClaimText></pat:Claim>'
        + claim("1", footer, "UNKNOWN-2")
        + claim("1", "(Currently Amended) A nail comprising:", "one", "<pat:ClaimText>a head.</pat:ClaimText>")
        + claim("2", "(Previously presented): The nail of claim 1.", "two", "<pat:ClaimText>3</pat:ClaimText>")
        + claim("3", "(Canceled)", "", "<pat:ClaimStatusCategory>canceled</pat:ClaimStatusCategory>")
        + claim("4", "", "", "<pat:ClaimStatusCategory>canceled</pat:ClaimStatusCategory>")
        + claim("5", f"(New) The nail of any of{reference}, bent.")
        + "</pat:ClaimList></pat:ClaimSet>",
    )
    assert document.claims == (
        Claim(1, "A nail comprising: a head."),
        Claim(2, "The nail of claim 1.", (1,)),
        Claim(5, "The nail of any of claims 1, bent.", (1, 2)),
    )


def test_the_later_part_wins_in_whatever_order_they_come() -> None:
    parts = [
        part("SPEC", paragraphs("A nail holds."), "2013-08-08"),
        part("ABST", paragraphs("Old."), "2013-08-08"),
        part("ABST", paragraphs("New."), "2014-11-18"),
        part("CLM", claim("1", "A nail."), "2014-01-01"),
        part("SPEC", paragraphs("Amendments to the Specification:", "Please replace paragraph [0030]."), "2015-01-01"),
    ]
    for order in (parts, parts[::-1], [parts[2], parts[0], parts[3], parts[1], parts[4]]):
        whole = order[0]
        for other in order[1:]:
            whole = merge(whole, other)
        assert (whole.abstract, whole.description, len(whole.claims)) == ("New.", "FIELD\nA nail holds.", 1)
        assert (whole.application, whole.description_mailed) == ("2013-08-08", "2013-08-08")


def test_of_two_parts_of_one_day_the_second_wins() -> None:
    both = merge(part("ABST", paragraphs("One.")), part("ABST", paragraphs("Two.")))
    assert both.abstract == "Two."


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(ValueError, match="no application number"):
        part("CLM", "", number="unknown")
    with pytest.raises(ValueError, match="REM is not CLM, SPEC or ABST"):
        part("REM", "")
    with pytest.raises(ValueError, match="US13962724 and US1 are not parts of one application"):
        merge(part("CLM", ""), Document("US1"))


def test_the_sample(shared: Path) -> None:
    whole: dict[str, FileWrapper] = {}
    with zipfile.ZipFile(shared / "patents/uspto_forms/xml4ip/sample_XML4IP.ZIP") as archive:
        members = [archive.read(name) for name in archive.namelist() if name.endswith(".xml")]
    for member in members:
        (raw,) = [raw for raw in split(iter([member])) if isinstance(raw, Raw)]
        document = uspto_wrapper.read(parse(raw.content, raw.encoding))
        whole[document.id] = merge(whole[document.id], document) if document.id in whole else document
    assert len(members) == 13
    assert sorted(whole) == ["US12993548", "US13694401", "US13821389", "US13962724", "US14522151"]
    assert [len(whole[name].claims) for name in sorted(whole)] == [17, 0, 0, 22, 9]
    truck = whole["US13962724"]
    assert truck.abstract.startswith("An apparatus is for a tool box and a vehicle having a hitch assembly.")
    assert [truck.claims[-1].number, truck.claims[3].parents, truck.claims_mailed] == [23, (3,), "2014-11-18"]
    telephone = whole["US14522151"]
    assert [claim.number for claim in telephone.claims] == list(range(17, 26))
    assert telephone.description.startswith("CONTEXT SENSITIVE, CLOUD-BASED TELEPHONY\nCROSS REFERENCE")
    assert telephone.description.endswith("any patentable subject matter.")
