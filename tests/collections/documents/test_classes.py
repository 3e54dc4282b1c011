"""Class symbols: international, cooperative, and the United States' own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.collections.documents.document import levels, national, symbol


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("C07D 401/04", "C07D401/04"),
        ("C07D401/04", "C07D401/04"),
        ("c07d 401/04", "C07D401/04"),
        ("A 61 K 31/44", "A61K31/44"),
        ("G06F015/16", "G06F15/16"),
        ("A61K-0039/00", "A61K39/00"),
        ("A61K  31/44        20060101AFI20051110RMJP", "A61K31/44"),
        ("A61K  31/4439      20060101A I20051110RMEP", "A61K31/4439"),
        ("Int. Cl.7: C07D 401/04", "C07D401/04"),
        ("C08L 23:04", "C08L23/04"),  # indexing codes of old editions
        ("B65D 5/02", "B65D5/02"),
        ("Y02E60/10", "Y02E60/10"),
        ("G06F2203/04", "G06F2203/04"),
        ("H01L2924/00014", "H01L2924/00014"),
        ("A61K0031440000", "A61K31/44"),
        ("H01L2924000140", "H01L2924/00014"),
        ("A61K0031000000", "A61K31/00"),
        # printed in columns
        ("H04M 1100", "H04M11/00"),
        ("G06F  728", "G06F7/28"),
        ("B60R  900", "B60R9/00"),
        ("G01G 2310", "G01G23/10"),
        ("H01L 21302", "H01L21/302"),
        ("C07C24900", "C07C249/00"),
        ("C08K  53475", "C08K5/3475"),
        ("A61K 31415", "A61K31/415"),
        # columns lost: the last two digits are the subgroup
        ("B60R 900", "B60R9/00"),
        ("G06F1516", "G06F15/16"),
        ("A61K   3144", "A61K31/44"),
        # less than a subgroup
        ("A61K 31", "A61K31"),
        ("C07D401", "C07D401"),
        ("A61K", "A61K"),
        ("A61", "A61"),
        ("a", "A"),
        # nothing
        ("", ""),
        ("none", ""),
        ("709/204", ""),
        ("X01A 1/00", ""),
        ("DNA61K", ""),
    ],
)
def test_symbols(text: str, wanted: str) -> None:
    assert symbol(text) == wanted
    assert symbol(wanted) == wanted


SUBCLASSES = st.from_regex(r"[A-HY][0-9]{2}[A-Z]", fullmatch=True)
GROUPS = st.integers(1, 9999)
SUBGROUPS = st.from_regex(r"[0-9]{2}[0-9]{0,3}[1-9]|[0-9]{2}", fullmatch=True)


@given(SUBCLASSES, GROUPS, SUBGROUPS)
def test_every_spelling_of_a_symbol(subclass: str, group: int, subgroup: str) -> None:
    wanted = f"{subclass}{group}/{subgroup}"
    spellings = [
        f"{subclass} {group}/{subgroup}",
        f"{subclass}{group:04d}/{subgroup}",
        f"{subclass}-{group:04d}/{subgroup}",
    ]
    spellings += [f"{subclass}{group:4d}/{subgroup}", f"{subclass}{group:04d}{subgroup:0<6}", wanted.lower()]
    if group < 1000:
        spellings.append(f"{subclass}{group:3d}{subgroup}" if len(subgroup) < 6 else wanted)
    assert {symbol(spelling) for spelling in spellings} == {wanted}


@given(SUBCLASSES, GROUPS, SUBGROUPS)
def test_levels_lead_from_section_to_symbol(subclass: str, group: int, subgroup: str) -> None:
    full = f"{subclass}{group}/{subgroup}"
    assert levels(full) == (full[0], full[:3], subclass, f"{subclass}{group}", full)


def test_levels_of_less() -> None:
    assert levels("C07D401") == ("C", "C07", "C07D", "C07D401")
    assert levels("C07") == ("C", "C07")
    assert levels("") == ()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("709204000", "709/204"),
        ("002001000", "2/1"),
        ("709204", "709/204"),
        ("280502", "280/502"),
        ("179 90K", "179/90K"),
        ("179  2DP", "179/2DP"),
        ("224 42.03R", "224/42.03R"),
        ("224 4207", "224/42.07"),
        ("340172.5", "340/172.5"),
        ("2482065", "248/206.5"),
        ("16510425", "165/104.25"),
        ("  2169", "2/169"),
        ("37434", "37/434"),  # its leading blank was lost
        ("220 6", "220/6"),
        (" 24  312", "24/3.12"),
        ("206  5", "206/5"),
        ("273148 R", "273/148R"),
        ("188218XL", "188/218XL"),
        ("D 2916", "D2/916"),
        ("D14138 AB", "D14/138AB"),
        ("D073962", "D7/396.2"),
        (" D8 40", "D8/40"),
        ("PLT263", "PLT/263"),
        ("257E21678", "257/E21.678"),
        ("156DIG 14", "156/DIG14"),
        ("455FOR 121", "455/FOR121"),
        ("172297-309", "172/297-309"),
        ("3562371-2376", "356/237.1-237.6"),
        ("345 76- 84", "345/76-84"),
        ("709/204", "709/204"),
        ("194/217000", "194/217"),
        ("156/DIG. 14", "156/DIG14"),
        ("257/E21.678", "257/E21.678"),
        ("None", ""),
        ("", ""),
        ("A61B005/00", ""),
        ("G06F 1516", ""),
    ],
)
def test_national_classes(text: str, wanted: str) -> None:
    assert national(text) == wanted
    assert national(wanted) == wanted


@given(st.text() | st.text("0123456789 ABDEGLTRX/.-"))
def test_any_text_gives_a_symbol_or_nothing(text: str) -> None:
    assert re.fullmatch(r"([A-HY]([0-9]{2}([A-Z]([0-9]{1,4}(/[0-9]{1,10})?)?)?)?)?", symbol(text))
    assert national(national(text)) == national(text)


def test_real_symbols(shared: Path) -> None:
    import json
    import lzma

    with lzma.open(shared / "patents/synbio/docs.jsonl.xz", "rt") as lines:
        documents = [json.loads(line) for line in lines]
    printed = [text for document in documents for field in ("ipc", "cpc") for text in document[field]]
    assert len(printed) > 1000
    assert all(symbol(text) for text in printed)
    assert sum(len(levels(symbol(text))) < 5 for text in printed) == 9  # subclasses alone
