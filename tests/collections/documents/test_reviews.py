"""Exports of systematic reviews become collections, and their labels become judgements."""

from __future__ import annotations

import gzip
import tarfile
from pathlib import Path

import pytest

import leadline as ll
from leadline.cli import main
from leadline.collections.documents.readers.review import is_review

RIS = (
    "\ufeffTY  - JOUR\r\nTI  - Nails in\r\n  wood\r\nAB  - An abstract\r\nof two lines\r\nAU  - Doe, Jane\r\n"
    "DO  - https://doi.org/10.1000/XYZ\r\nPY  - 2001/05/03\r\nN1  - ASReview_relevant\r\nER  - \r\n\r\n"
    "TY  - JOUR\r\nT1  - No number\r\nN1  - ASReview_irrelevant\r\nER  - \r\n"
    "TY  - JOUR\r\nT1  - Not read yet\r\nID  - my 7\r\nN1  - ASReview_not_seen\r\nER  - \r\n"
)
NBIB = (
    "\nPMID- 10051933\nOWN - NLM\nTI  - Of nails\n      and wood\nAB  - First line\n      second line.\n"
    "FAU - Doe, Jane\nLA  - eng\nDP  - 2001 May 3\n\nPMID- 10051934\nTI  - Another\nDP  - 2002\n"
)
COHEN = (
    "record_id,pubmedID,title,authors,abstract,year,label_included,label_abstract_screening\n"
    '1,10051933,Of nails.,J Doe; R Roe,"An abstract,\nof two lines",1999.0,0,1\n'
    "2,10051934,Only a title,,,1999.0,1,1\n"
    "3,,,,,,0,0\n"
)
ASREVIEW = (
    "title,abstract,doi,included\nNails,About nails,10.1000/A,1\nMore nails,About more,,0\nOthers,About others,,\n"
)


def build(tmp_path: Path, name: str, text: str) -> ll.Collection:
    (tmp_path / name).write_bytes(text.encode())
    return ll.build_collection(tmp_path / name, tmp_path / "collection")


def test_ris(tmp_path: Path) -> None:
    found = build(tmp_path, "a.ris", RIS)
    assert found.records["id"].to_list() == ["10.1000/xyz", "row2", "my_7"]
    first = found.document("10.1000/xyz")
    assert (first.title, first.abstract) == ("Nails in wood", "An abstract of two lines")
    assert (first.kind, first.publication, first.inventors) == ("record", "2001-05-03", ("Doe, Jane",))
    with pytest.warns(ll.LeadlineWarning, match="1 record without a label"):
        assert ll.read_labels(tmp_path / "a.ris").to_dict() == {"a": {"10.1000/xyz": 1, "row2": 0}}


def test_nbib(tmp_path: Path) -> None:
    found = build(tmp_path, "pubmed.nbib", NBIB)
    first = found.document("10051933")
    assert (first.title, first.abstract) == ("Of nails and wood", "First line second line.")
    assert (first.publication, first.language) == ("2001-05-03", "en")
    assert found.document("10051934").publication == "2002"
    with pytest.raises(ll.InputError, match="no record has a label"):
        ll.read_labels(tmp_path / "pubmed.nbib")


def test_cohen(tmp_path: Path) -> None:
    found = build(tmp_path, "ADHD.csv", COHEN)
    assert found.records["id"].to_list() == ["10051933", "10051934"]
    assert found.manifest["dropped"] == {"no title or abstract": 1}
    assert found.document("10051933").abstract == "An abstract, of two lines"
    assert found.document("10051933").inventors == ("J Doe", "R Roe")
    assert ll.read_labels(tmp_path / "ADHD.csv").to_dict() == {"ADHD": {"10051933": 0, "10051934": 1, "3": 0}}
    screened = ll.read_labels(tmp_path / "ADHD.csv", column="label_abstract_screening", topic="screening")
    assert screened.to_dict() == {"screening": {"10051933": 1, "10051934": 1, "3": 0}}
    with pytest.raises(ll.InputError, match=r"no column 'labl_included' among .*; did you mean label_included"):
        ll.read_labels(tmp_path / "ADHD.csv", column="labl_included")


def test_asreview_table(tmp_path: Path) -> None:
    found = build(tmp_path, "export.csv", ASREVIEW)
    assert found.records["id"].to_list() == ["10.1000/a", "row2", "row3"]
    with pytest.warns(ll.LeadlineWarning, match="1 record without a label, left out"):
        assert ll.read_labels(tmp_path / "export.csv").to_dict() == {"export": {"10.1000/a": 1, "row2": 0}}


def test_duplicates_and_strange_labels_are_reported(tmp_path: Path) -> None:
    text = ASREVIEW + "Nails again,About nails,10.1000/a,0\nOdd,About odd,10.1000/b,perhaps\n"
    found = build(tmp_path, "export.csv", text)
    assert found.manifest["dropped"] == {"listed twice": 1}
    said = "1 record listed again; 1 of them with another label, taken as relevant; "
    said += "1 problem in reading, first record 5: label 'per"
    with pytest.warns(ll.LeadlineWarning, match=said):
        assert ll.read_labels(tmp_path / "export.csv").judgements("export")["10.1000/a"] == 1


def test_our_own_table_is_still_our_own() -> None:
    assert not is_review(b"id,title,abstract,publication\nEP1,Nail,About,1999\n")
    assert is_review(b'"Title";"Abstract";"Final included"\n')
    assert not is_review(b"run,topic,measure,value\n")


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "review.csv.gz").write_bytes(gzip.compress(COHEN.encode()))
    assert not main(["qrels", "labels", str(tmp_path / "review.csv.gz"), "-o", str(tmp_path / "qrels")])
    assert (tmp_path / "qrels").read_text() == "review 0 10051933 0\nreview 0 10051934 1\nreview 0 3 0\n"
    assert "3 labels of 1 topic, 1 of them relevant" in capsys.readouterr().err
    assert {"nbib", "review", "ris"} <= set(ll.readers.names())


def test_all_of_cohen(shared: Path, tmp_path: Path) -> None:
    with tarfile.open(shared / "reviews" / "cohen_2006.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    labels = ll.read_labels(sorted(tmp_path.glob("*.csv")))
    assert (len(labels.topics), len(labels)) == (14, 15268)
