"""What each assessor said of a document: the marks in the journals of the lab's pools, for those who may see them."""

from __future__ import annotations

import contextlib
from pathlib import Path

from leadline.errors import InputError
from leadline.judge.assessors.journal import JudgingJournal
from leadline.judge.assessors.judging_state import JudgingState
from leadline.records.scores.table import Table
from leadline.show.lab.lab import Lab
from leadline.show.lab.marked_text import clean
from leadline.show.lab.viewer import viewer

COLUMNS = ("pool", "person", "grade", "reason", "note", "at")


def marks_of(lab: Lab, document: str, topic: str) -> Table:
    """The marks of all assessors on a document for a topic, with their reasons.

    The organiser sees all of them. Others see their own, and those of the others only once the topic is closed, so
    that people judge independently, and never in a blind lab.
    """
    who = viewer()
    sees_all = who is None or who.sees_everything
    rows = []
    for entry in lab.entries("pool"):
        path = Path(f"{entry.path}.journal")
        if not path.exists():
            continue
        with contextlib.suppress(InputError), contextlib.closing(JudgingJournal(path)) as journal:
            state = JudgingState.of(journal.events())
            is_open = sees_all or (topic in state.closed and not lab.is_blind)
            for (person, of_topic, of_document), mark in state.marks.items():
                if (of_topic, of_document) != (topic, document) or not (is_open or (who and who.name == person)):
                    continue
                note = state.notes.get((person, topic, document), "")
                rows.append([entry.name, person, mark.grade, clean(mark.reason), clean(note), mark.at[:19]])
    return Table(COLUMNS, sorted(rows, key=lambda row: (row[0], row[5], row[1])))
