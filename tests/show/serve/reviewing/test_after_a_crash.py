"""A server that was killed does not give a document to another than the person who has it before them."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.show.serve.reviewing.conftest import ris

from leadline.judge.journal import Desk, Event, Person, new_uid
from leadline.judge.review.exchange import begin_review
from leadline.judge.review.project import ReviewProject, ReviewSettings
from leadline.judge.review.review_state import HELD
from leadline.show.serve.desks import ReviewDesk

ANNA, BEN = (Person(name, "assessor", "", "2099-01-01T00:00:00+00:00") for name in ("anna", "ben"))
KILLED = """
import os, signal, sys
from leadline.judge.journal import Person
from leadline.judge.review.project import ReviewProject
from leadline.show.serve.desks import ReviewDesk
desk = ReviewDesk(ReviewProject.open(sys.argv[1]))
print(*desk.next_rows(Person("anna", "assessor", "", "2099-01-01T00:00:00+00:00"), "abstract", 5, []), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "search.ris").write_text(ris())
    return begin_review(tmp_path / "review", [tmp_path / "search.ris"], ReviewSettings("Brakes"), known=["a0"]).folder


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[ReviewDesk]:
    with contextlib.closing(ReviewDesk(ReviewProject.open(folder))) as desk:
        yield desk


def test_after_a_crash_nobody_gets_what_another_has(folder: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, str(folder)], capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    annas = [int(row) for row in killed.stdout.split()]
    assert len(annas) == 5
    with opened(folder) as desk:
        assert set(desk.next_rows(BEN, "abstract", 5, [])).isdisjoint(annas)
        assert desk.next_rows(ANNA, "abstract", 5, []) == annas
        assert desk.journal.check() == ""


def test_what_was_marked_given_back_or_left_lying_is_free_after_a_crash(folder: Path) -> None:
    with opened(folder) as desk:
        rows = desk.next_rows(ANNA, "abstract", 4, [])
        names = [desk.project.units[row][0] for row in rows]
        desk.give_back("anna", "abstract", names[2:])
        desk.give_back("anna", "no stage", names)
        event = Event(new_uid(), "anna", "assessor", "mark", "abstract", names[0], "1")
        desk.journal.append(event)
        assert [each.documents for each in desk.journal.desks()] == [tuple(names[:2])]
    with opened(folder) as desk:
        assert set(desk.queue.held_by("anna", "abstract")) == {rows[1]}
        desk.journal.keep_desk(Desk("anna", "abstract", tuple(names), time.time() - 1))
    with opened(folder) as desk:
        assert desk.queue.held_by("anna", "abstract") == {}
        desk.journal.keep_desk(Desk("anna", "abstract", tuple(names), time.time() + 9 * HELD))  # the clock was set back
    with opened(folder) as desk:
        assert max(desk.queue.held_by("anna", "abstract").values()) <= HELD


def test_more_than_fits_on_a_desk_is_cut(folder: Path) -> None:
    names = tuple(str(number) + "\u00e4" * 300 for number in range(999))
    with opened(folder) as desk:
        desk.journal.keep_desk(Desk("anna", "abstract", names, 1.0))
        assert 5 < len(desk.journal.desks()[0].documents) <= 200
