"""What a reference has besides its text is kept, and is there again after any way through a collection."""

from __future__ import annotations

from pathlib import Path

import leadline as ll
from leadline.collections.documents.fields.references import about, printed_pages, printed_source
from leadline.collections.documents.readers.nbib import citation
from leadline.collections.documents.readers.ris import reference

RIS = """TY  - CHAP
ID  - my 7
T1  - Of nails
A1  - Doe, Jane
AU  - Roe, Richard
JO  - Lancet
VL  - 12
IS  - 3
SP  - 101
EP  - 119
DO  - 10.1000/XYZ
UR  - https://example.org/a
UR  - https://example.org/b
KW  - nail
KW  - wood
N1  - a note of mine
N1  - ASReview_relevant
PY  - 2001/05/03
SN  - 1234-5678
C7  - anything else
AB  - One paragraph of an abstract.
AB  - Ещё один, 漢字 🚲.
DO  - 10.1000/second
XX  - a tag that nobody knows
XX  - again
KW  - κλειδί
ER  -

"""
NBIB = """PMID- 10051933
OWN - NLM
STAT- MEDLINE
TI  - Of nails
AB  - First line
      second line.
FAU - Doe, Jane
AU  - Doe J
PT  - Journal Article
JT  - The Lancet
TA  - Lancet
VI  - 12
IP  - 3
PG  - 101-19
LID - 10.1000/xyz [doi]
AID - S0140(01)1 [pii]
MH  - Nails/*adverse effects
OT  - wood
DP  - 2001 May 3
SO  - Lancet. 2001 May 3;12(3):101-19.

"""
TABLE = (
    "record_id,title,abstract,authors,year,journal,volume,doi,keywords,Screened by,included\n"
    "7,Of nails,About nails,J Doe,2001,Lancet,12,10.1000/xyz,nail; wood,anna,1\n"
)


def read_all(folder: Path, name: str, text: str) -> list[ll.Document]:
    (folder / name).write_text(text, encoding="utf-8")
    return list(ll.build_collection(folder / name, folder / f"{name}.collection", keep="all").documents())


def lines(text: str) -> set[str]:
    return {line.rstrip() for line in text.splitlines() if line.strip()}


def test_ris_is_written_as_it_was_read(tmp_path: Path) -> None:
    (found,) = read_all(tmp_path, "a.ris", RIS)
    written = reference(found)
    as_title = RIS.replace("T1  -", "TI  -").replace("A1  -", "AU  -")
    assert lines(as_title) - lines(written) == set()
    assert lines(written) - lines(as_title) == {"DA  - 2001/05/03"}
    assert found.abstract == "One paragraph of an abstract. Ещё один, 漢字 🚲."
    (again,) = read_all(tmp_path, "b.ris", written)
    assert again == found
    assert reference(again) == written


def test_labels_take_the_place_of_earlier_labels(tmp_path: Path) -> None:
    (found,) = read_all(tmp_path, "a.ris", RIS)
    written = reference(found, ["ASReview_irrelevant", "", "another"])
    assert "ASReview_relevant" not in written
    assert {"N1  - a note of mine", "N1  - ASReview_irrelevant", "N1  - another"} <= lines(written)


def test_nbib_is_written_as_it_was_read(tmp_path: Path) -> None:
    (found,) = read_all(tmp_path, "a.nbib", NBIB)
    written = citation(found)
    assert lines(NBIB.replace("line\n      second", "line second")) - lines(written) == set()
    (again,) = read_all(tmp_path, "b.nbib", written)
    assert again == found


def test_nbib_as_ris_has_all_that_ris_has_a_tag_for(tmp_path: Path) -> None:
    (found,) = read_all(tmp_path, "a.nbib", NBIB)
    (again,) = read_all(tmp_path, "b.ris", reference(found))
    assert (again.id, again.title, again.abstract) == (found.id, found.title, found.abstract)
    assert printed_source(again) == "The Lancet 12(3), 101-19"
    assert about(again, "doi") == ["10.1000/xyz"]
    assert about(again, "keywords") == ["wood", "Nails/*adverse effects"]
    assert again.inventors == ("Doe, Jane",)


def test_ris_as_nbib(tmp_path: Path) -> None:
    (found,) = read_all(tmp_path, "a.ris", RIS)
    written = citation(found)
    assert {"JT  - Lancet", "VI  - 12", "PG  - 101-119", "LID - 10.1000/XYZ [doi]", "OT  - nail"} <= lines(written)
    assert "PMID- 10.1000/xyz" in lines(written)  # a record needs a number


def test_table_keeps_every_column_but_the_label(tmp_path: Path) -> None:
    (found,) = read_all(tmp_path, "a.csv", TABLE)
    assert printed_source(found) == "Lancet 12"
    assert about(found, "keywords") == ["nail", "wood"]
    assert "table:Screened_by anna" in found.reference
    assert not any("included" in each for each in found.reference)
    (again,) = read_all(tmp_path, "b.ris", reference(found))
    assert again.id == found.id  # not the DOI, which is written as well
    assert about(again, "doi") == ["10.1000/xyz"]


def test_pages_and_no_pages() -> None:
    assert printed_pages(ll.Document("1", reference=("ris:SP 3", "ris:EP 9"))) == "3-9"
    assert printed_pages(ll.Document("1", reference=("ris:EP 9",))) == ""
    assert printed_source(ll.Document("1")) == ""


def test_a_collection_without_the_column_is_read(tmp_path: Path) -> None:
    from leadline.collections.documents.collection_files import document_of, frame_of

    row = frame_of([ll.Document("1", reference=("ris:JO Lancet",))]).row(0, named=True)
    assert document_of(row).reference == ("ris:JO Lancet",)
    del row["reference"]
    assert document_of(row) == ll.Document("1")
