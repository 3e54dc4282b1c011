"""The Green Book: records of 1976 and 1982, and odd ones written by hand."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.collections.documents.document import Citation, Claim, Document, Priority
from leadline.collections.documents.readers import greenbook

NAIL = b"""HHHHHT        APS1        ISSUE - 850702
PATN
WKU  045266118
SRC  6
APN  123456&
APT  1
APD  19830405
TTL  Bent nail, .alpha.-coated, and a
      method of making it
ISD  19850702
INVT
NAM  Smith, Jr.; Jane Q.
CTY  Sheffield
CNT  GBX
ASSG
NAM  Nails Ltd.
PRIR
CNT  DTX
APD  19820406
APN  3212345
RLAP
COD  72
APN  234567
APD  19820101
PSC  03
CLAS
OCL  411 4207
XCL    2161A
XCL  D 8DIG 9
ICL  F16B 1500
ICL  B21G  328
UREF
PNO  3932709
ISD  19760100
UREF
PNO  Re. 28,677
FREF
PNO  1179585
ISD  19700128
CNT  GBX
FREF
PNO  52-12345
CNT  JPX
OREF
PAL  Jones, "On nails", J. of Iron, vol. 3,
      pp. 1-9, 1979.
PAL  Miller, "Bent things", 1981.*
ABST
PAL  A nail is bent.
PARN
PAC  RELATED APPLICATION
PAR  This goes on with Ser. No. 234,567.
BSUM
PAR  Nails of Fe.sub.2 O.sub.3 rust at 20.degree. C. ##EQU1##
DETD
     DETAILED DESCRIPTION
PAR  See the table.
TBL                TABLE 1

     ______________________________________
     Length     Angle

     10 mm      90.degree.
     ______________________________________
PAR  That is all.
CLMS
STM  I claim:
NUM  1.
PAR  1. A nail, comprising:
PA1  (a) a head; and
PA1  (b) a shaft.
NUM  2.
PAR  2. The nail of claim 1, bent.
NUM  3.
PAR  3. A wall with a nail according to claim 1 or 2.
"""


@pytest.fixture(scope="module")
def nail() -> Document:
    return greenbook.read(NAIL)


def test_a_record(nail: Document) -> None:
    assert (nail.id, nail.office, nail.serial, nail.kind) == ("US4526611A", "US", "4526611", "A")
    assert nail.title == "Bent nail, α-coated, and a method of making it"
    assert (nail.application, nail.publication, nail.application_number) == ("1983-04-05", "1985-07-02", "US06123456")
    assert nail.priorities == (Priority("DE3212345", "1982-04-06"), Priority("US06234567", "1982-01-01"))
    assert nail.ipc == ("F16B15/00", "B21G3/28")
    assert nail.national == ("411/42.07", "2/161A", "D8/DIG9")
    assert nail.applicants == ("Nails Ltd.",)
    assert nail.inventors == ("Smith, Jr., Jane Q.",)


def test_citations(nail: Document) -> None:
    assert nail.citations == (
        Citation("US3932709", date="1976-01"),
        Citation("USRE28677"),
        Citation("GB1179585", date="1970-01-28"),
        Citation("JPS5212345"),
        Citation(text='Jones, "On nails", J. of Iron, vol. 3, pp. 1-9, 1979.'),
        Citation(text='Miller, "Bent things", 1981.', origin="examiner"),
    )


def test_text(nail: Document) -> None:
    assert nail.abstract == "A nail is bent."
    assert nail.description.split("\n") == [
        "RELATED APPLICATION",
        "This goes on with Ser. No. 234,567.",
        "Nails of Fe2 O3 rust at 20° C.",
        "DETAILED DESCRIPTION",
        "See the table.",
        "TABLE 1",
        "Length Angle",
        "10 mm 90°",
        "That is all.",
    ]


def test_claims(nail: Document) -> None:
    assert nail.claims == (
        Claim(1, "A nail, comprising: (a) a head; and (b) a shaft."),
        Claim(2, "The nail of claim 1, bent.", (1,)),
        Claim(3, "A wall with a nail according to claim 1 or 2.", (1, 2)),
    )


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("039327094", "US3932709A"),
        ("039327095", "US3932709A"),  # a wrong check digit
        ("03932709&", "US3932709A"),
        ("3932709", "US3932709A"),
        ("D03671518", "USD367151S"),
        ("RE0286770", "USRE28677E"),
        ("PP0038120", "USPP3812P"),
        ("H00001234", "USH123H"),
        ("T09990019", "UST999001I"),
    ],
)
def test_numbers(printed: str, name: str) -> None:
    assert greenbook.read(f"PATN\nWKU  {printed}\n".encode()).id == name


def test_a_design_claims_once() -> None:
    record = (
        b"PATN\nWKU  D03671518\nSRC  D\nAPN  0317454\nCLAS\nOCL  D 1106\nICL  0101\nRLAP\nAPN  015000\nAPD  19931105\n"
        b"DRWD\nPAL  FIG. 1 is a view.\nDCLM\nPAR  The ornamental design for pasta, as\n      shown.\n"
    )
    design = greenbook.read(record)
    assert design.claims == (Claim(1, "The ornamental design for pasta, as shown."),)
    assert (design.national, design.ipc) == (("D1/106",), ())
    assert (design.application_number, design.priorities) == ("US29031745", (Priority("US29015000", "1993-11-05"),))
    assert design.description == "FIG. 1 is a view."


def test_a_reissue_leaves_out_what_it_takes_out() -> None:
    record = (
        b"PATN\nWKU  RE0286770\nAPD  19741001\nREIS\nCOD  50\nAPN  110000\nAPD  19710101\nCLMS\nNUM  1.\n"
        b"PAR  1. A .[.wooden.]. .Iadd.steel .Iaddend.nail.\nNUM  2.\nPAR  .[.2. The nail of claim 1.].\n"
    )
    reissue = greenbook.read(record)
    assert reissue.claims == (Claim(1, "A steel nail."),)
    assert reissue.priorities == (Priority("US05110000", "1971-01-01"),)


def test_an_application_by_the_international_route_was_filed_there() -> None:
    document = greenbook.read(b"PATN\nWKU  043479030\nAPD  19800310\nPCTA\nPCN  PCT/JP79/00178\nPD3  19790705\n")
    assert document.application == "1979-07-05"
    assert document.priorities == (Priority("WOJP1979000178W", "1979-07-05"),)  # for it claims none


def test_a_parent_that_is_younger_is_no_priority() -> None:
    document = greenbook.read(b"PATN\nWKU  043479030\nAPD  19800310\nRLAP\nAPN  123456\nAPD  19810101\n")
    assert document.priorities == ()


def test_claims_without_numbers_of_their_own() -> None:
    record = b"PATN\nWKU  039327094\nCLMS\nSTM  I claim:\nPAR  1. A nail. 2. The nail of claim 1, bent.\n"
    assert greenbook.read(record).claims == (Claim(1, "A nail."), Claim(2, "The nail of claim 1, bent.", (1,)))


def test_no_claims_no_title_no_dates() -> None:
    document = greenbook.read(b"PATN\nWKU  039327094\nTTL\nAPD  \nISD  19760000\n")
    assert (document.claims, document.title, document.application, document.publication) == ((), "", "", "1976")


def test_broken_lines_go_on_and_unknown_tags_are_read_as_text() -> None:
    record = (
        b"PATN\nWKU  039327094\nXYZ  what is this\nABCD\nNAM  nobody\nABST\nPAR  A nail that\nis bent and\n"
        b"the  head is\nthat\nround.\nPAX  It holds.\n"
    )
    document = greenbook.read(record)
    assert document.abstract == "A nail that is bent and the head is that round.\nIt holds."
    assert document.inventors == ()


def test_a_record_that_is_cut() -> None:
    cut = greenbook.read(NAIL[: NAIL.index(b"(b) a shaft")])
    assert cut.claims == (Claim(1, "A nail, comprising: (a) a head; and"),)


def test_small_letters_and_other_line_ends(nail: Document) -> None:
    assert greenbook.read(b"patn\nwku  d03671518\nttl  Pasta\nclms\nnum  1.\npar  1. Pasta.\n") == Document(
        "USD367151S", "US", "D367151", "S", "en", "Pasta", claims=(Claim(1, "Pasta."),)
    )
    assert greenbook.read(NAIL.replace(b"\n", b"\r\n")) == nail


def test_letters_beyond_ascii_in_either_encoding() -> None:
    for encoding in ("utf-8", "latin-1"):
        assert greenbook.read("PATN\nWKU  039327094\nTTL  Crème brûlée\n".encode(encoding)).title == "Crème brûlée"


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        (b"", "no line PATN"),
        (b"PATNX\nWKU  039327094\n", "no line PATN"),
        (b"PATN\nTTL  Nail\n", "no patent number"),
        (b"PATN\nWKU  nonsense\n", "'nonsense' is not a patent number"),
    ],
)
def test_what_is_no_record(record: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        greenbook.read(record)


_TAGS = b"PATN WKU SRC APN APD TTL ISD INVT NAM PRIR CNT RLAP CLAS OCL ICL UREF PNO OREF PAL CLMS NUM PAR TBL".split()


@given(st.binary() | st.lists(st.tuples(st.sampled_from(_TAGS), st.binary(max_size=30))))
def test_any_bytes_are_read_or_refused(record: bytes | list[tuple[bytes, bytes]]) -> None:
    if isinstance(record, list):
        record = b"PATN\nWKU  039327094\n" + b"\n".join(tag + b"  " + value for tag, value in record)
    with suppress(ValueError):
        assert greenbook.read(record).id.startswith("US")


def _read(shared: Path, name: str) -> Document:
    return greenbook.read((shared / "patents/uspto_forms/greenbook" / f"{name}.greenbook").read_bytes())


def test_a_telephone_of_1976(shared: Path) -> None:
    telephone = _read(shared, "US03932709")
    assert (telephone.id, telephone.title) == ("US3932709A", "Electronic business telephone")
    assert (telephone.application, telephone.publication) == ("1974-03-07", "1976-01-13")
    assert telephone.application_number == "US05449155"
    assert telephone.priorities == (Priority("US05351745", "1973-04-16"),)
    assert (telephone.ipc, telephone.national) == (("H04M11/00",), ("179/90K", "179/2DD", "179/90B"))
    assert len(telephone.citations) == 9
    assert telephone.citations[0] == Citation("US3518629", "unknown", date="1970-06")
    assert [claim.parents for claim in telephone.claims] == [
        *((), (1,), (1,), (), (4,), (4,), (4,), (4,), (8,), (8,), (8,), (), (12,), (), (14,), (), ())
    ]
    assert telephone.applicants == ("General Teletronics Incorporated",)
    assert telephone.inventors == ("Hoff, Don G.", "Young, Patrick")
    assert telephone.description.startswith("CROSS REFERENCE TO RELATED APPLICATION\nThis application is a con")
    assert "\nNormal Number Comments\n4\n4 1\n" in telephone.description


def test_a_bumper_of_1976(shared: Path) -> None:
    bumper = _read(shared, "US03937375")
    assert (bumper.id, bumper.title) == ("US3937375A", "Bumper support for a boat loader")
    assert (bumper.application, bumper.publication, bumper.priorities) == ("1974-10-29", "1976-02-10", ())
    assert (bumper.ipc, bumper.national) == (("B60R9/00",), ("224/42.07", "214/450"))
    assert [citation.number for citation in bumper.citations] == [
        *("US2542907", "US2762542", "US2772799", "US3113789", "US3702197")
    ]
    assert [claim.parents for claim in bumper.claims] == [(), (1,), (2,)]
    assert bumper.applicants == bumper.inventors == ("Daniels, Everette E.",)
    assert bumper.abstract.startswith("A unit mountable on a rear bumper")


def test_a_balance_of_1982(shared: Path) -> None:
    balance = _read(shared, "US04347903")
    assert (balance.id, balance.title) == ("US4347903A", "Electronic reading balance")
    assert (balance.application, balance.publication) == ("1979-07-05", "1982-09-07")  # filed as PCT/JP79/00178
    assert balance.priorities == (Priority("JP5384696", "1978-07-10"),)
    assert balance.ipc == ("G01G19/04", "G01G23/10", "G06F7/28")
    assert balance.national == ("177/25", "177/185", "364/734")
    assert [(one.number, one.date) for one in balance.citations] == [
        *(("US4102421", "1978-07"), ("US4137568", "1979-01"), ("US4231439", "1980-11"))
    ]
    assert [claim.parents for claim in balance.claims] == [(), (1,), (1,)]
    assert len(balance.inventors) == 8
    assert "the sampling of data D7 is made" in balance.description
