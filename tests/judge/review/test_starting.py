"""What a review begins from: RIS, PubMed, CSV, JSON lines, ASReview projects, patents, a collection, a run."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import zipfile
from pathlib import Path

import pytest
from tests.judge.review.conftest import articles

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Document
from leadline.errors import InputError, LeadlineWarning
from leadline.judge.review.exchange import begin_review
from leadline.judge.review.project import KNOWN, ReviewProject, ReviewSettings, check_review
from leadline.judge.review.report import prisma_counts
from leadline.judge.review.review_state import ReviewState

SETTINGS = ReviewSettings("Test")
NBIB = "PMID- 10051933\nTI  - Clonidine in children\nAB  - A trial.\nFAU - Reimer, E J\n\nPMID- 2\nTI  - Wings\n\n"


def state_of(project: ReviewProject) -> ReviewState:
    with contextlib.closing(project.journal()) as journal:
        return ReviewState.of(project, journal.events())


def begin(folder: Path, name: str, text: str, **more: object) -> ReviewProject:
    source = folder / name
    source.write_text(text)
    return begin_review(folder / "review", [source], SETTINGS, **more)  # type: ignore[arg-type]


def test_pubmed(tmp_path: Path) -> None:
    project = begin(tmp_path, "search.nbib", NBIB, known=["10051933"])
    assert [unit[0] for unit in project.units] == ["10051933", "2"]
    marks = state_of(project).judging.marks
    assert [mark.reason for mark in marks.values()] == [KNOWN]


def test_json_lines_and_csv(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"id": f"d{n}", "title": f"title {n}"}) + "\n" for n in range(3))
    assert len(begin(tmp_path, "some.jsonl", lines).units) == 3
    table = "record_id,title,abstract,included\nr1,One,Text,1\nr2,Two,Text,0\nr3,Three,Text,\n"
    (tmp_path / "other").mkdir()
    project = begin(tmp_path / "other", "some.csv", table, labels=True)
    assert state_of(project).grades["abstract"].tolist() == [1, 0, -1]


@pytest.mark.parametrize("together", [True, False])
def test_an_asreview_project(tmp_path: Path, together: bool) -> None:
    """Version 3 has records and labels in one database, version 2 in two."""
    records, results = tmp_path / "data_store.db", tmp_path / ("data_store.db" if together else "results.sql")
    with contextlib.closing(sqlite3.connect(records)) as database:
        database.execute("create table record (record_id, title, abstract, authors, year, doi)")
        rows = [
            (0, "One", "Text", '["A"]', 2001, "10.1234/x"),
            (1, "Two", "", "[]", None, None),
            (2, "Three", "", "[]", 1, ""),
        ]
        database.executemany("insert into record values (?, ?, ?, ?, ?, ?)", rows)
        database.commit()
    with contextlib.closing(sqlite3.connect(results)) as database:
        database.execute("create table results (record_id integer, label integer)")
        database.executemany("insert into results values (?, ?)", [(0, 1), (1, 0), (2, None)])
        database.commit()
    project_file = tmp_path / "mine.asreview"
    with zipfile.ZipFile(project_file, "w") as archive:
        archive.write(records, "results.db" if together else "data_store.db")
        if not together:
            archive.write(results, "reviews/1/results.sql")
        archive.writestr("project.json", "{}")
    project = begin_review(tmp_path / "review", [project_file], SETTINGS)
    assert [unit[0] for unit in project.units] == ["10.1234/x", "row2", "row3"]
    assert state_of(project).grades["abstract"].tolist() == [1, 0, -1]


def test_a_broken_asreview_project(tmp_path: Path) -> None:
    (tmp_path / "wrong.asreview").write_bytes(b"PK no zip")
    with pytest.raises(InputError, match=r"wrong\.asreview: is not a project of ASReview"):
        begin_review(tmp_path / "review", [tmp_path / "wrong.asreview"], SETTINGS)


def test_families_are_one_unit_and_candidates_come_from_a_run(tmp_path: Path) -> None:
    documents = [
        Document(f"EP{n}A1", office="EP", serial=str(n), kind="A1", title=f"Brake {n}", family=str(n // 2))
        for n in range(8)
    ]
    write_collection(documents, tmp_path / "patents", {"what": "test"})
    run = tmp_path / "bm25.run"
    run.write_text("".join(f"t Q0 EP{n}A1 {rank} {9 - rank} bm25\n" for rank, n in enumerate((5, 4, 1, 99), 1)))
    with pytest.warns(LeadlineWarning, match="1 document not in the collection, left out; the first is EP99A1"):
        project = begin_review(tmp_path / "review", [tmp_path / "patents"], SETTINGS, candidates=run, known=["EP4A1"])
    assert project.units == (("EP5A1", "EP4A1"), ("EP1A1",))
    assert state_of(project).grades["abstract"].tolist() == [1, -1]  # the family is known by any of its members
    whole = begin_review(tmp_path / "whole", [tmp_path / "patents"], SETTINGS)
    assert len(whole.units) == 4


@pytest.mark.parametrize("text", ["a5\na7\n", "t 0 a5 1\nt 0 a7 0\n"])
def test_candidates_by_ids_or_judgements(tmp_path: Path, text: str) -> None:
    (tmp_path / "listed.txt").write_text(text)
    project = begin(tmp_path, "search.ris", articles(10), candidates=tmp_path / "listed.txt")
    assert [unit[0] for unit in project.units] == ["a5", "a7"]


def test_an_unknown_known_document_changes_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--known: a77 is not among the 10 candidates"):
        begin(tmp_path, "search.ris", articles(10), known=["a77"])
    assert not ReviewProject.open(tmp_path / "review").rounds
    assert len(begin(tmp_path, "search.ris", articles(10), known=["a7"]).units) == 10  # and one can begin again


def test_records_that_are_listed_twice_are_said_and_counted(tmp_path: Path) -> None:
    with pytest.warns(LeadlineWarning, match="2 records listed again under an id that an earlier record has, left out"):
        project = begin(tmp_path, "search.ris", articles(10) + articles(2))
    assert (project.rounds[0].records, project.rounds[0].removed) == (10, 2)
    counts = prisma_counts(state_of(project))
    assert (counts.identified, counts.duplicates) == (12, 2)


def test_labels_in_unknown_words_are_said(tmp_path: Path) -> None:
    rows = "".join(f"{n},Study {n},Text,{label}\n" for n, label in enumerate(["1", "0", "", "ja"]))
    with pytest.warns(LeadlineWarning, match="1 problem in reading, first record 4"):
        project = begin(tmp_path, "search.csv", "record_id,title,abstract,included\n" + rows, labels=True)
    assert state_of(project).grades["abstract"].tolist() == [1, 0, -1, -1]


def test_labels_from_a_column_that_is_named(tmp_path: Path) -> None:
    table = "PMID,Title,Abstract,my_view\n11,One,Text,1\n12,Two,Text,0\n"
    project = begin(tmp_path, "search.csv", table, labels=True, column="my_view")
    assert state_of(project).grades["abstract"].tolist() == [1, 0]


def test_a_review_may_be_moved_and_copied(tmp_path: Path) -> None:
    folder = begin(tmp_path, "search.ris", articles(10)).folder
    copy = tmp_path / "elsewhere" / "copy"
    shutil.copytree(folder, copy)
    assert ReviewProject.open(copy).collections()[0].folder.is_relative_to(copy)  # and not the other's
    shutil.rmtree(folder)
    assert sum(len(rows) for rows, _ in ReviewProject.open(copy).text_parts()) == 10
    assert not list(check_review(copy))


@pytest.mark.parametrize("text", ["", "Dear colleague,\nhere is my search.\n"])
def test_a_file_that_is_ris_by_name_only(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"search\.ris: is not RIS: no line begins a record, such as TY  - JOUR"):
        begin(tmp_path, "search.ris", text)
