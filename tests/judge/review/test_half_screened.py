"""A review that two readers began elsewhere goes on with the marks of each."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from leadline.errors import InputError, LeadlineWarning
from leadline.judge.review.exchange import (
    add_decisions,
    begin_review,
    columns_by_person,
    decisions_in_columns,
    decisions_of_rayyan,
)
from leadline.judge.review.project import ReviewProject, ReviewSettings
from leadline.judge.review.review_state import ReviewState

TABLE = (
    "record_id,title,abstract,label anna,label ben\n"
    "1,One,Text one,1,1\n2,Two,Text two,1,0\n3,Three,Text three,0,\n4,Four,Text four,,\n"
)
RAYYAN_NOTE = 'RAYYAN-INCLUSION: {"Anna"=>"Included", "Ben"=>"Maybe"} | RAYYAN-LABELS: trial'


def state_of(project: ReviewProject) -> ReviewState:
    with contextlib.closing(project.journal()) as journal:
        return ReviewState.of(project, journal.events())


def begin(folder: Path, name: str, text: str) -> ReviewProject:
    (folder / name).write_text(text)
    return begin_review(folder / "review", [folder / name], ReviewSettings("Some"))


def test_columns_of_two_readers(tmp_path: Path) -> None:
    project = begin(tmp_path, "half.csv", TABLE)
    columns = columns_by_person(["anna=label anna", "ben=label ben"])
    found = decisions_in_columns([tmp_path / "half.csv"], columns)
    assert add_decisions(project, found) == 5
    assert add_decisions(project, found) == 0  # the same again adds nothing
    state = state_of(project)
    assert state.grades["abstract"].tolist() == [1, 1, 0, -1]  # kept by one of them is kept
    assert state.disputed == {1}
    assert state.readers.tolist() == [2, 2, 1, 0]
    assert set(state.judging.roles) == {"anna", "ben"}


def test_notes_of_rayyan(tmp_path: Path) -> None:
    text = f"TY  - JOUR\nID  - 1\nTI  - One\nN1  - {RAYYAN_NOTE}\nER  - \n\nTY  - JOUR\nID  - 2\nTI  - Two\nER  - \n\n"
    project = begin(tmp_path, "half.ris", text)
    assert decisions_of_rayyan(project) == {"Anna": {"1": 1}, "Ben": {"1": -2}}
    add_decisions(project, decisions_of_rayyan(project))
    assert state_of(project).grades["abstract"].tolist() == [1, -1]


@pytest.mark.parametrize("texts", [["anna"], ["anna="], ["=x"], ["a=x", "a=y"], ["start=x"], ["a/b=x"]])
def test_readers_that_cannot_be(texts: list[str]) -> None:
    with pytest.raises(InputError):
        columns_by_person(texts)


def test_without_notes_of_rayyan(tmp_path: Path) -> None:
    project = begin(tmp_path, "half.csv", TABLE)
    with pytest.raises(InputError, match="no note of the documents has decisions as Rayyan writes them"):
        decisions_of_rayyan(project)
    with pytest.warns(LeadlineWarning, match="1 decision on documents that are not in this review"):
        add_decisions(project, {"anna": {"9": 1}})
