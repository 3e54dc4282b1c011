"""What is written in other search systems, and what it means here."""

from __future__ import annotations

import pytest

from leadline.errors import InputError
from leadline.retrieval.language.reading import understand

FIELDS = ("title", "abstract", "claims")

# Understood in silence.
SAID = {
    "film && metal || !acid": "film AND metal OR -acid",
    "ti=film and ab=metal not cl=acid": "title:film AND abstract:metal -claims:acid",
    'ti any "film foil" or ab all "thin metal"': "title:(film OR foil) OR abstract:(thin AND metal)",
    "film.ti. AND (metal acid).ti,ab.": "title:film AND (title:(metal acid) OR abstract:(metal acid))",
    'film/TI "thin film"/AB': 'title:film abstract:"thin film"',
    "TTL/film AND ABST/(thin metal)": "title:film AND abstract:(thin metal)",
    "@pd>=20100101 film": "published:2010-01-01.. film",
    "pd:{2010 TO 2012}": "published:2011-01-01..2011-12-31",
    "pd=(2010 TO 2015)": "published:2010..2015",
    "pd:( 2010-03 to * ) film": "published:2010-03.. film",
    "film SAME metal WITH acid": "(film SAME PARAGRAPH metal) SAME SENTENCE acid",
    "film ADJ2 (metal OR acid)": "film PRE/2 (metal OR acid)",
    "ti,ab=film": "title:film OR abstract:film",
    "ti,ab:(film metal) AND acid": "(title:(film metal) OR abstract:(film metal)) AND acid",
    "ic=C08J 5/18, H01M 4/66": "ipc:C08J5/18 OR ipc:H01M4/66",
    "ic=C08J5/18, H01M4/66 film": "(ipc:C08J5/18 OR ipc:H01M4/66) film",
    "pa=(Siemens OR Bosch)": "applicant:Siemens OR applicant:Bosch",
    "after:2000 before:2010": "after:2000 before:2010",
}  # fmt: skip


@pytest.mark.parametrize(("written", "meant"), SAID.items())
def test_other_syntax_is_understood_in_silence(written: str, meant: str) -> None:
    understood = understand(written, FIELDS)
    assert (understood.query, understood.notes) == (meant, ())
    assert understand(meant, FIELDS).query == meant


# Understood, with a line that says how.
MEANT = {
    "film W / 5 metal": ("film NEAR/5 metal", "W / 5 was taken as NEAR/5; put it in quotes for the words"),
    "film w / 5 metal": ("film NEAR/5 metal", "w / 5 was taken as NEAR/5; put it in quotes for the words"),
    "film NEAR 5 metal": ("film NEAR/5 metal", "NEAR 5 was taken as NEAR/5; put it in quotes for the words"),
    "film ADJ 3 metal": ("film PRE/3 metal", "ADJ 3 was taken as PRE/3; put it in quotes for the words"),
    "film (5 W) metal": ("film PRE/6 metal", "(5 W) was taken as PRE/6; put it in quotes for the words"),
    "film (3 N) metal": ("film NEAR/4 metal", "(3 N) was taken as NEAR/4; put it in quotes for the words"),
    "[film OR foil] AND metal": ("(film OR foil) AND metal", "[film OR foil] was taken as (film OR foil)"),
    "acid NOT {film OR foil}": ("acid -(film OR foil)", "{film OR foil} was taken as (film OR foil)"),
    "battery/ti": ("title:battery", "battery/ti was taken as title:battery"),
    "battery/ti,ab cell": ("(title:battery OR abstract:battery) cell",
                           "battery/ti,ab was taken as title,abstract:battery"),
    "title : film": ("title:film", "title : was taken as title:"),
    "title :film": ("title:film", "title : was taken as title:"),
    "ti/film": ("title:film", "ti/ was taken as title:"),
    "AB/(film metal)": ("abstract:(film metal)", "AB/ was taken as abstract:"),
    "film UND metal": ("film AND metal", "UND was taken as AND; put it in quotes for the word"),
    "film ODER metal": ("film OR metal", "ODER was taken as OR; put it in quotes for the word"),
    "film NICHT metal": ("film -metal", "NICHT was taken as NOT; put it in quotes for the word"),
    "film ET metal": ("film AND metal", "ET was taken as AND; put it in quotes for the word"),
    "film OU metal": ("film OR metal", "OU was taken as OR; put it in quotes for the word"),
    "film SAUF metal": ("film -metal", "SAUF was taken as NOT; put it in quotes for the word"),
    "pa=(Siemens AG)": ('applicant:"Siemens AG"',
                        "applicant:(Siemens AG) was taken as one name; write OR between names"),
    "after:2010 before:2000": (
        "after:2010 before:2000",
        "after:2010 before:2000: no day is in both: nothing matches; did you mean after:2000 before:2010?",
    ),
    "film published:>2010 published:<2000": (
        "film published:2011-01-01.. published:..1999-12-31",
        "published:2011-01-01.. published:..1999-12-31: no day is in both: nothing matches",
    ),
    "EP1000001A1": ("EP1000001A1",
                    "EP1000001A1 is searched for as words; write number:EP1000001A1 for the document"),
    "US 7,412,705 B2": ("US 7,412,705 B2",
                        "US 7,412,705 B2 is searched for as words; write number:US7412705B2 for the document"),
    "film W 5 metal": ("film W 5 metal", "W 5 was taken as words: a distance is written W/5"),
    "film W/5metal": ("film W/5metal", "W/5metal was taken as a word: put a blank behind the distance"),
    "ti,xx=film": ("ti,xx=film", "ti,xx= was taken as words: there is no field xx; fields are title, abstract, claims, "
                   "applicant, inventor, class, published and others"),
}  # fmt: skip


@pytest.mark.parametrize("written", MEANT)
def test_other_syntax_is_understood_with_a_line(written: str) -> None:
    meant, note = MEANT[written]
    understood = understand(written, FIELDS)
    assert understood.query == meant
    assert note in understood.notes


@pytest.mark.parametrize(
    "written", ["benzo[a]pyrene", "poly[ethylene oxide]", "5 W lamp", "et al", "film und metal", "UND",
                "[2,3-b]pyridine", "CO2 and H2O", "film and/or foil", "in/out", "published:[2010 TO 2015]",
                '"W / 5" film'],
)  # fmt: skip
def test_names_and_texts_are_not_taken_for_syntax(written: str) -> None:
    assert not any(" was taken as " in note and "published" not in note for note in understand(written, FIELDS).notes)


FLAGGED = {
    "film XOR metal": "XOR was taken as a word: write (a OR b) NOT (a AND b)",
    "film W5 metal": "W5 was taken as a word: distances are written W/5 or NEAR/5",
    "film ADJ99999999999 metal": "ADJ99999999999 was taken as a word: write a distance from 1 to 99999: NEAR/5",
    "film~2 metal": "film~2: similar spellings are not searched for; taken as film",
    "polymer! film": "polymer!: ! at the end was ignored; write polymer* for any ending",
    "(film and metal)": "and in small letters: taken as a word; operators are written in capitals",
    "film same claim metal": "same claim was taken as words: the operator is SAME CLAIM",
    "tittle=film": "tittle=film was taken as words: there is no field tittle; did you mean title:?",
    "#1 AND film": "#1 was taken as a word, not as an earlier query: name the session with --history FILE",
    "[2010 TO 2012] film": "[2010 TO 2012] was taken as published:2010..2012",
    "W/5 film": "W/5 has nothing to join: ignored",
    "A61K31/00": "A61K31/00 is searched for as words; write class:A61K31/00 for the class",
    "film a61k 31/00": "a61k 31/00 is searched for as words; write class:A61K31/00 for the class",
    "'film'/exp": "film'/exp was taken as words: Embase's /exp is not known: ask for the words",
    "'thin film'/exp/mj AND metal": "film'/exp/mj was taken as words: Embase's /exp/mj is not known: ask for the words",
}  # fmt: skip


@pytest.mark.parametrize(("written", "note"), FLAGGED.items())
def test_other_syntax_is_flagged_in_one_line(written: str, note: str) -> None:
    assert note in understand(written, FIELDS).notes


@pytest.mark.parametrize(
    "written",
    ["class:A61K31/00", "class:(A61K31/00 OR C08J5/18) film", "class:A61K 31/00", "number:(A61K31/00)",
     "class:(metal OR (A61K31/00))", "ic=C08J 5/18, H01M 4/66", "film A61K 31/expression", "in/exposure"],
)  # fmt: skip
def test_classes_in_filters_and_other_strokes_need_no_line(written: str) -> None:
    assert not any("A61K31" in note or "Embase" in note for note in understand(written, FIELDS).notes)


def test_a_date_with_two_readings_is_asked_back() -> None:
    for asked in ("before:01/02/2001", "pd>=01/02/2001", "published:01-02-2001..2005"):
        with pytest.raises(InputError, match="may be 2001-01-02 or 2001-02-01: write one of them"):
            understand(asked, FIELDS)
    assert understand("before:13/02/2001", FIELDS).query == "before:2001-02-13"
