"""A small review: sixty articles on two subjects, twelve of them relevant."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest

from leadline.judge.journal import Event, JudgingJournal, new_uid
from leadline.judge.review.exchange import begin_review
from leadline.judge.review.project import STAGES, ReviewProject, ReviewSettings
from leadline.judge.review.review_state import ReviewState


def articles(count: int = 60, first: int = 0) -> str:
    """RIS of articles; every fifth is on brakes, and relevant."""
    lines = []
    for number in range(first, first + count):
        subject = "brake disc friction lining" if number % 5 == 0 else "wing lift airflow turbine"
        lines.append(f"TY  - JOUR\nID  - a{number}\nTI  - Study {number} of {subject}\nAB  - We test {subject} "
                     f"number{number % 7} in practice.\nAU  - Miller, A.\nPY  - 2020\nER  - \n\n")  # fmt: skip
    return "".join(lines)


def is_relevant(document: str) -> bool:
    return int(document.removeprefix("a")) % 5 == 0


@pytest.fixture
def project(tmp_path: Path) -> ReviewProject:
    source = tmp_path / "search.ris"
    source.write_text(articles())
    return begin_review(tmp_path / "review", [source], ReviewSettings("Brakes"), known=["a0"])


Mark = Callable[..., ReviewState]


@pytest.fixture
def mark(project: ReviewProject) -> Mark:
    """Mark documents in the journal, and see where the review stands."""

    def made(
        *documents: str, grade: int | None = None, person: str = "anna", of: ReviewProject = project
    ) -> ReviewState:
        events = [
            Event(new_uid(), person, "assessor", "mark", STAGES[0], each,
                  str(int(is_relevant(each)) if grade is None else grade))
            for each in documents
        ]  # fmt: skip
        with contextlib.closing(JudgingJournal(of.folder / "journal")) as journal:
            journal.append_all(events)
            return ReviewState.of(of, journal.events())

    return made
