"""What is imported is stored as a whole, and only if it is of judging."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from leadline.errors import InputError
from leadline.judge.journal import Event, JudgingJournal
from leadline.text.store import events

COLUMNS = {
    "value": "7",
    "at": "never",
    "kind": "boast",
    "role": "boss",
    "seconds": "inf",
    "round": 0,
    "document": b"\xff",
}


def mark(n: int) -> Event:
    return Event(f"event-{n:04}", "anna", "assessor", "mark", "T1", f"D{n}", "1")


def test_many_events_are_stored_all_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with contextlib.closing(JudgingJournal(tmp_path / "a.journal", create=True)) as journal:
        with pytest.raises(InputError, match="a mark is"):
            journal.append_all([mark(1), mark(2), Event("event-0003", "anna", "assessor", "mark", "T1", "D3", "5")])
        assert len(journal) == 0

        seen = []

        def fail(*values: Any) -> bytes:
            seen.append(values)
            if len(seen) == 3:
                raise OSError("no space")
            return bytes(32)

        with monkeypatch.context() as faulty:
            faulty.setattr(events, "hash_after", fail)
            with contextlib.closing(JudgingJournal(tmp_path / "b.journal", create=True)) as other:
                with pytest.raises(OSError, match="no space"):
                    other.append_all([mark(n) for n in range(5)])
                assert len(other) == 0
        assert journal.append_all([mark(n) for n in range(5)]) == 5
        assert journal.append_all([mark(n) for n in range(7)]) == 2
        assert journal.append_all([]) == 0


@pytest.mark.parametrize("column", COLUMNS)
def test_a_forged_journal_is_not_merged(tmp_path: Path, column: str) -> None:
    forged = tmp_path / "forged.journal"
    with contextlib.closing(JudgingJournal(forged, create=True)) as other:
        other.append_all([mark(1), mark(2)])
    value = float("inf") if column == "seconds" else COLUMNS[column]
    with contextlib.closing(sqlite3.connect(forged)) as changed, changed:
        changed.execute(f"update events set {column} = ? where seq = 2", (value,))
        for table in ("chain", "chain_head"):  # as in a journal of the older format
            changed.execute(f"drop table {table}")
        changed.execute("pragma user_version = 1")
    with contextlib.closing(JudgingJournal(tmp_path / "a.journal", create=True)) as journal:
        with pytest.raises(InputError, match="has an event"):
            journal.merge_from(forged)
        assert len(journal) == 0


def test_a_journal_is_opened_while_another_writes(tmp_path: Path) -> None:
    with contextlib.closing(JudgingJournal(tmp_path / "a.journal", create=True)) as journal:
        stop = False

        def write() -> None:
            n = 0
            while not stop:
                journal.append(mark(n))
                n += 1

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for _ in range(30):
                JudgingJournal(tmp_path / "a.journal").close()
        finally:
            stop = True
            writer.join()
