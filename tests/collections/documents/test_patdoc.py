"""PATDOC: patents of 2001 and 2002, and odd ones written by hand."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.collections.documents.document import Citation, Claim, Document, Priority
from leadline.collections.documents.readers import patdoc
from leadline.collections.documents.registry import Raw, characters, parse
from leadline.collections.documents.splitting import split

# As SGML writes it: elements without an end, and characters by name.
NAIL = b"""<PATDOC DTD="2.4" STATUS="BUILD 20010518">
<SDOBI>
<B100><B110><DNUM><PDAT>06234567</PDAT></DNUM></B110><B130><PDAT>B1</PDAT></B130>
<B140><DATE><PDAT>20010522</PDAT></DATE></B140><B190><PDAT>US</PDAT></B190></B100>
<B200><B210><DNUM><PDAT>09123456</PDAT></DNUM></B210><B211US><PDAT>09</PDAT></B211US>
<B220><DATE><PDAT>19990630</PDAT></DATE></B220><B221US></B200>
<B300><B310><DNUM><PDAT>198 12 345</PDAT></DNUM></B310><B320><DATE><PDAT>19980320</PDAT></DATE></B320>
<B330><CTRY><PDAT>DE</PDAT></CTRY></B330></B300>
<B500>
<B510><B511><PDAT>F16B 1500</PDAT></B511><B512><PDAT>B21G  328</PDAT></B512><B516><PDAT>7</PDAT></B516></B510>
<B520><B521><PDAT>411 4207</PDAT></B521><B522><PDAT>  2161A</PDAT></B522><B522US><PDAT>  2 1</PDAT></B522US></B520>
<B540><STEXT><PDAT>Bent &alpha;-nail of 5 &mgr;m</PDAT></STEXT></B540>
<B560>
<B561><PCIT><DOC><DNUM><PDAT>5422489</PDAT></DNUM><DATE><PDAT>19950600</PDAT></DATE><KIND><PDAT>A</PDAT></KIND></DOC>
<PARTY-US><NAM><SNM><STEXT><PDAT>Smith</PDAT></STEXT></SNM></NAM></PARTY-US></PCIT><CITED-BY-EXAMINER>
</B561>
<B561><PCIT><DOC><DNUM><PDAT>58-123456</PDAT></DNUM><CTRY><PDAT>JP</PDAT></CTRY></DOC></PCIT><CITED-BY-OTHER></B561>
<B561><PCIT><DOC><DNUM><PDAT>D. 271298</PDAT></DNUM></DOC></PCIT></B561>
<B562><NCIT><STEXT><PDAT>On nails; 1996.* </PDAT></STEXT></NCIT><CITED-BY-OTHER></B562>
<B562><NCIT><STEXT><PDAT>46</PDAT><HIL><SP><PDAT>th </PDAT></SP></HIL><PDAT>meeting.</PDAT></STEXT></NCIT>
<CITED-BY-OTHER></B562>
</B560>
<B590><B597US></B590>
</B500>
<B600>
<B620><PARENT-US><PDOC><DOC><DNUM><PDAT>08/765,432</PDAT></DNUM><DATE><PDAT>19970102</PDAT></DATE></DOC></PDOC></PARENT-US></B620>
<B660><PARENT-US><PDOC><DOC><DNUM><PDAT>08/111111</PDAT></DNUM><DATE><PDAT>19960102</PDAT></DATE></DOC></PDOC></PARENT-US></B660>
<B680US><DOC><DNUM><PDAT>60/012345</PDAT></DNUM><DATE><PDAT>19960203</PDAT></DATE></DOC></B680US>
</B600>
<B700>
<B720><B721><PARTY-US><NAM><FNM><PDAT>Jane Q.</PDAT></FNM><SNM><STEXT><PDAT>Smith</PDAT></STEXT></SNM></NAM>
</PARTY-US></B721></B720>
<B730><B731><PARTY-US><NAM><ONM><STEXT><PDAT>Nails &amp; Co.</PDAT></STEXT></ONM></NAM></PARTY-US></B731></B730>
</B700>
</SDOBI>
<SDOAB><BTEXT><PARA ID="P-00001" LVL="0"><PTEXT><PDAT>A nail is bent.</PDAT></PTEXT></PARA></BTEXT></SDOAB>
<SDODE><BRFSUM><BTEXT><H LVL="1"><STEXT><PDAT>BACKGROUND</PDAT></STEXT></H><PARA
><PTEXT><PDAT>Fe</PDAT><HIL><SB><PDAT>2</PDAT></SB></HIL><PDAT>O
rusts.</PDAT><CWU><TABLE-US><TABLE-CALS><TABLE><TGROUP><COLSPEC COLNAME="1"><TBODY><ROW
><ENTRY><PTEXT><PDAT>Length</PDAT></PTEXT></ENTRY><ENTRY><PTEXT><PDAT>10
mm</PDAT></PTEXT></ENTRY></ROW><ROW><ENTRY></ENTRY><ENTRY>90&deg;</ENTRY></ROW></TBODY
></TGROUP></TABLE></TABLE-CALS></TABLE-US></CWU></PTEXT></PARA></BTEXT></BRFSUM></SDODE>
<SDOCL><CL>
<CLM ID="CLM-00001"><PARA><PTEXT><PDAT>1. A nail, comprising:</PDAT></PTEXT></PARA><CLMSTEP
LVL="2"><PTEXT><PDAT>a head.</PDAT></PTEXT></CLMSTEP></CLM>
<CLM ID="CLM-00002"><PARA><PTEXT><PDAT>2. The nail of </PDAT><CLREF ID="CLM-00001"><PDAT>claim 1</PDAT></CLREF
><PDAT>, bent.</PDAT></PTEXT></PARA></CLM>
<CLM ID="CLM-00003"><PARA><PTEXT><PDAT>3. A wall with the nail of </PDAT><CLREF
ID="CLM-00001"><PDAT>claim 1</PDAT></CLREF
><PDAT> or 2.</PDAT></PTEXT></PARA></CLM>
</CL></SDOCL>
<SDODR ID="DRAWINGS"><EMI ID="EMI-D00000" FILE="US06234567-20010522-D00000.TIF"></SDODR>
</PATDOC>"""


def _read(content: bytes) -> Document:
    return patdoc.read(parse(patdoc.prepare(content)))


@pytest.fixture(scope="module")
def nail() -> Document:
    return _read(NAIL)


def test_sgml_is_read(nail: Document) -> None:
    with pytest.raises(ValueError, match="mismatch"):
        parse(characters(NAIL))
    assert (nail.id, nail.office, nail.serial, nail.kind) == ("US6234567B1", "US", "6234567", "B1")
    assert nail.title == "Bent α-nail of 5 μm"
    assert (nail.application, nail.publication, nail.application_number) == ("1999-06-30", "2001-05-22", "US09123456")
    assert (nail.ipc, nail.national) == (("F16B15/00", "B21G3/28"), ("411/42.07", "2/161A"))
    assert (nail.applicants, nail.inventors) == (("Nails & Co.",), ("Smith, Jane Q.",))


def test_priorities_are_foreign_ones_parents_and_provisionals_but_no_substitutes(nail: Document) -> None:
    assert nail.priorities == (
        Priority("DE19812345", "1998-03-20"),
        Priority("US08765432", "1997-01-02"),
        Priority("US60012345", "1996-02-03"),
    )


def test_citations(nail: Document) -> None:
    assert nail.citations == (
        Citation("US5422489A", "examiner", date="1995-06"),
        Citation("JPS58123456", "applicant"),
        Citation("USD271298", "unknown"),
        Citation(origin="examiner", text="On nails; 1996."),  # the asterisk is printed, whatever the mark says
        Citation(origin="applicant", text="46th meeting."),
    )


def test_text(nail: Document) -> None:
    assert nail.abstract == "A nail is bent."
    assert nail.description.split("\n") == ["BACKGROUND", "Fe2O rusts.", "Length 10 mm", "90°"]
    assert nail.claims == (
        Claim(1, "A nail, comprising: a head."),
        Claim(2, "The nail of claim 1, bent.", (1,)),
        Claim(3, "A wall with the nail of claim 1 or 2.", (1, 2)),
    )


def test_xml_is_left_alone() -> None:
    xml = patdoc.prepare(NAIL)
    assert patdoc.prepare(xml) == xml


def test_references_without_words() -> None:
    sgml = NAIL.replace(b"<PDAT>claim 1</PDAT></CLREF\n>", b"")
    assert [claim.parents for claim in _read(sgml).claims] == [(), (1,), (1,)]


def test_an_entity_that_nobody_knows_is_named() -> None:
    with pytest.raises(ValueError, match="nosuch"):
        _read(NAIL.replace(b"&mgr;", b"&nosuch;"))


def test_entities_of_all_sets_and_none_that_could_be_markup() -> None:
    named = b"<p>&agr;&OHgr;&eacgr;&b.alpha;&lsqb;&minus;&half;&Scaron;&boxH;a&it;b&LT;i&AMP;</p>"
    assert parse(characters(named)).text == "αΩέα[−½Š═ab<i&"


def test_a_reissue_leaves_out_what_it_takes_out() -> None:
    sgml = NAIL.replace(b"The nail of </PDAT>", b'The <DEL-S ID="D1">wooden </PDAT><HIL><PDAT>old</PDAT></HIL><PDAT> '
        b'<DEL-E ID="D1"><INS-S ID="I1">steel <INS-E ID="I1">nail of </PDAT>')  # fmt: skip
    assert _read(sgml).claims[1] == Claim(2, "The steel nail of claim 1, bent.", (1,))


def test_claims_that_do_not_count_up_are_numbered_by_place() -> None:
    claims = _read(NAIL.replace(b'<CLM ID="CLM-00003">', b'<CLM ID="CLM-00002">')).claims
    assert [claim.number for claim in claims] == [1, 2, 3]


def test_an_application_by_the_international_route_was_filed_there() -> None:
    route = b"<B800><B860><B861><DOC><DNUM>PCT/DE98/00001</DNUM><DATE>19980320</DATE></DOC></B861></B860></B800>"
    came = _read(NAIL.replace(b"</SDOBI>", route + b"</SDOBI>"))
    assert (came.application, len(came.priorities)) == ("1998-03-20", 3)
    first = _read(
        NAIL.replace(b"B300>", b"B999>").replace(b"B600>", b"B999>").replace(b"</SDOBI>", route + b"</SDOBI>")
    )
    assert first.priorities == (Priority("WODE1998000001W", "1998-03-20"),)


def test_little_is_enough() -> None:
    assert _read(b"<PATDOC><SDOBI><B100><B110>D0435854</B110></B100></SDOBI><WHAT/></PATDOC>") == Document(
        "USD435854", "US", "D435854", "", "en"
    )


@pytest.mark.parametrize("inside", [b"", b"<SDOBI/>", b"<SDOBI><B100/></SDOBI>", b"<B110>6234567</B110>"])
def test_a_patent_without_a_number_is_refused(inside: bytes) -> None:
    with pytest.raises(ValueError, match="no number"):
        _read(b"<PATDOC>" + inside + b"</PATDOC>")


_TAGS = "SDOBI B100 B110 B300 B500 B560 B561 PCIT DOC DNUM B562 NCIT SDOCL CL CLM CLREF PARA PDAT EMI DEL-S DEL-E"
_TREES = st.recursive(
    st.text(alphabet="1.x *", max_size=4),
    lambda inside: st.tuples(st.sampled_from(_TAGS.split()), st.lists(inside, max_size=4)).map(
        lambda pair: f'<{pair[0]} ID="CLM-1">{"".join(pair[1])}</{pair[0]}>'
    ),
    max_leaves=20,
)


@given(st.binary().map(lambda noise: b"<PATDOC>" + noise + b"</PATDOC>") | _TREES.map(lambda tree: tree.encode()))
def test_anything_is_read_or_refused(content: bytes) -> None:
    number = b"<PATDOC><SDOBI><B100><B110>5</B110></B100></SDOBI>"
    with suppress(ValueError):
        assert _read(number + content + b"</PATDOC>").id == "US5"


def _sample(shared: Path, name: str) -> Document:
    path = shared / "patents/uspto_forms/sgml" / f"{name}.xml"
    raw = next(split(iter([path.read_bytes()])))
    assert isinstance(raw, Raw)
    return _read(raw.content)


def test_services_of_2002(shared: Path) -> None:
    services = _sample(shared, "US06336130")
    assert services.id == "US6336130B1"
    assert services.title == "Arrangement for improving availability of services in a communication system"
    assert (services.application, services.publication) == ("1999-10-05", "2002-01-01")
    assert services.priorities == (Priority("NO971605", "1997-04-08"), Priority("WONO1998000107W", "1998-04-02"))
    assert (services.ipc, services.national) == (("G06F15/16", "G06F13/00"), ("709/202", "709/201"))
    assert [(citation.number, citation.origin) for citation in services.citations] == [
        ("US5825759A", "examiner"),
        ("US5974441A", "examiner"),
        ("US6049819A", "examiner"),
        ("US6076099A", "examiner"),
        ("US6085086A", "examiner"),
        ("WO1996025012", "applicant"),
        ("", "examiner"),
        ("", "applicant"),
        ("", "applicant"),
    ]
    assert services.citations[-1].text.startswith(
        "Telektronikk, vol. 90, No. 2, 1994, Norway, T. Handegåard, “The TINA"
    )
    assert [claim.parents for claim in services.claims] == [
        *((), (1,), (1,), (1,), (4,), (4,), (4,), (7,), (), (9,), (10,), (9,), (10,), (9,), (14,), (15,), (16,)),
        *((), (18,), (19,), (19,), (19,)),
    ]
    assert services.claims[1].text == (
        "The arrangement in claim 1, wherein the fixed network node agent is configured to perform a security function."
    )


def test_a_memory_of_2002(shared: Path) -> None:
    memory = _sample(shared, "US06337117")
    assert (memory.id, memory.title) == ("US6337117B1", "Optical memory device")
    assert memory.priority == "1998-11-17"
    assert [priority.date for priority in memory.priorities] == ["1998-07-01", "1998-09-07", "1998-09-16", "1998-11-17"]
    assert memory.ipc == ("B32B3/02",)
    assert memory.national[:3] == ("428/64.1", "428/64.4", "428/147")
    assert memory.national[6:] == ("430/495.1", "430/945")
    assert [citation.number for citation in memory.citations] == ["US5422489A", "US5456961A"]
    assert len(memory.claims) == 39
    assert sum(len(claim.parents) for claim in memory.claims) == 34  # as many as there are references
    assert [claim.number for claim in memory.claims if claim.independent] == [1, 20, 27, 30, 32]
    assert memory.claims[6].text.endswith("increasing luminous intensity of 1×10−12 seconds or more.")
    assert "\nSodium dodecylsulfonate 13.0\n" in memory.description
    assert "an intensity of 150 μW/cm2" in memory.description


def test_a_cartridge_of_2001(shared: Path) -> None:
    cartridge = _sample(shared, "USD435854S1")
    assert (cartridge.id, cartridge.kind, cartridge.title) == ("USD435854S", "S", "Disc cartridge")
    assert (cartridge.application, cartridge.publication) == ("1999-01-06", "2001-01-02")
    assert (cartridge.national, cartridge.ipc) == (("D14/480",), ())  # the other class is of designs
    assert len(cartridge.citations) == 10
    assert cartridge.citations[0] == Citation("USD271298", "examiner", date="1983-11")
    assert cartridge.claims == (Claim(1, "The ornamental design for a disc cartridge, as shown and described."),)
    assert cartridge.applicants == ("Hitachi Maxell, Ltd.", "Sanyo Electric Co.,Ltd.", "Olympus Optical Co., Ltd.")
    assert len(cartridge.inventors) == 8
