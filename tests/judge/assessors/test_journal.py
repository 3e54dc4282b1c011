"""The journal of judging: stored once, never lost, told for any moment."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import pytest

from leadline.errors import InputError
from leadline.judge.journal import Event, JudgingJournal, new_uid
from leadline.judge.marks import JudgingState


def event(**changes: Any) -> Event:
    about: dict[str, Any] = {"uid": new_uid(), "person": "anna", "role": "assessor", "kind": "mark", "topic": "7",
                             "document": "d1", "value": "1"}  # fmt: skip
    return Event(**{**about, **changes})


@pytest.fixture
def journal(tmp_path: Path) -> Any:
    with contextlib.closing(JudgingJournal(tmp_path / "judging.sqlite", create=True)) as opened:
        yield opened


def test_an_event_is_stored_once(journal: JudgingJournal) -> None:
    one = event()
    assert journal.append(one)
    assert not journal.append(one)
    assert len(journal) == 1
    stored = next(journal.events())
    assert (stored.uid, stored.value, stored.person) == (one.uid, "1", "anna")
    assert stored.at.endswith("Z")
    assert stored.machine


def test_threads_share_a_journal(journal: JudgingJournal) -> None:
    shared = [event() for _ in range(20)]  # sent by all of them

    def work(person: str) -> None:
        for number in range(20):
            journal.append(event(person=person, document=f"d{number}"))
            journal.append(shared[number])

    threads = [threading.Thread(target=work, args=(f"p{n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(journal) == 8 * 20 + 20
    times = [each.at for each in journal.events()]
    assert times == sorted(times)


def test_what_was_told_survives_a_kill(tmp_path: Path) -> None:
    """A writer prints the id of each event once it is stored, and is killed: all it printed is in the journal, once."""
    code = textwrap.dedent("""
        import sys
        from leadline.judge.journal import Event, JudgingJournal, new_uid
        journal = JudgingJournal(sys.argv[1], create=True)
        while True:
            uid = new_uid()
            journal.append(Event(uid, "anna", "assessor", "mark", "7", "d1", "1"))
            print(uid, flush=True)
    """)
    path = tmp_path / "judging.sqlite"
    told: list[str] = []
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        told += [process.stdout.readline().strip() for _ in range(30)]
        process.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
        told += [line.strip() for line in process.stdout if len(line) == 33]
        process.wait()
    with contextlib.closing(JudgingJournal(path)) as journal:
        stored = [each.uid for each in journal.events()]
        assert set(told) <= set(stored)
        assert len(set(stored)) == len(stored)
        assert journal.check() == ""


def test_a_clock_that_goes_back_changes_no_order(journal: JudgingJournal, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter(["2030-01-01T10:00:00.000000Z", "2020-01-01T10:00:00.000000Z"])
    monkeypatch.setattr("leadline.text.store.events.now", lambda: next(times))
    journal.append(event(value="0"))
    journal.append(event(value="2"))
    assert [each.value for each in journal.events()] == ["0", "2"]
    assert JudgingState.of(journal.events()).marks["anna", "7", "d1"].grade == 2


def test_the_state_of_any_moment(journal: JudgingJournal, monkeypatch: pytest.MonkeyPatch) -> None:
    for hour, value in enumerate("012"):
        monkeypatch.setattr("leadline.text.store.events.now", lambda hour=hour: f"2030-01-01T1{hour}:00:00.000000Z")
        journal.append(event(value=value))
    grades = [
        JudgingState.of(journal.events(until=f"2030-01-01T1{hour}:30:00.000000Z")).marks["anna", "7", "d1"].grade
        for hour in range(3)
    ]
    assert grades == [0, 1, 2]


def test_two_journals_become_one(tmp_path: Path) -> None:
    first, second = (
        JudgingJournal(tmp_path / "a.sqlite", create=True),
        JudgingJournal(tmp_path / "b.sqlite", create=True),
    )
    both = event(value="0")
    first.append(both)
    second.append(both)
    second.append(event(person="ben", value="2"))
    second.close()
    assert first.merge_from(tmp_path / "b.sqlite") == 1
    assert first.merge_from(tmp_path / "b.sqlite") == 0
    assert JudgingState.of(first.events()).merged() == {("7", "d1"): 2}
    first.close()


def test_a_backup_is_whole(journal: JudgingJournal, tmp_path: Path) -> None:
    for _ in range(50):
        journal.append(event())
    journal.backup(tmp_path / "copy.sqlite")
    journal.append(event())
    with contextlib.closing(JudgingJournal(tmp_path / "copy.sqlite")) as copy:
        assert len(copy) == 50
        assert copy.check() == ""
    with pytest.raises(InputError, match="is there already"):
        journal.backup(tmp_path / "copy.sqlite")
    assert not list(tmp_path.glob(".leadline-*"))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"value": "3"}, "a mark is 2, 1, 0 or -2"),
        ({"kind": "marc"}, "did you mean mark"),
        ({"role": "boss"}, "role"),
        ({"uid": "x"}, "an id of 8 to 64"),
        ({"person": ""}, "a person"),
        ({"kind": "note", "value": "x" * 20_001}, "longer than 20,000"),
    ],
)
def test_wrong_events_are_refused(journal: JudgingJournal, changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        journal.append(event(**changes))
    assert len(journal) == 0


def test_only_journals_are_opened(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a database, but long enough to be read as one" * 50)
    with pytest.raises(InputError, match="text"):
        JudgingJournal(tmp_path / "text")
    with pytest.raises(InputError, match="no such journal"):
        JudgingJournal(tmp_path / "nothing")
    with pytest.raises(InputError, match="no such folder"):
        JudgingJournal(tmp_path / "no" / "where", create=True)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is not a plain file"):
        JudgingJournal(tmp_path / "link", create=True)
    assert not (tmp_path / "elsewhere").exists()
    import sqlite3

    with contextlib.closing(sqlite3.connect(tmp_path / "other.sqlite")) as other:
        other.execute("create table t (x)")
    with pytest.raises(InputError, match="is not a journal"):
        JudgingJournal(tmp_path / "other.sqlite")


def test_a_journal_is_private_and_of_a_known_format(journal: JudgingJournal, tmp_path: Path) -> None:
    assert journal.path.stat().st_mode & 0o777 == 0o600
    import sqlite3

    with contextlib.closing(sqlite3.connect(journal.path)) as raw:
        raw.execute("pragma user_version = 99")
    with pytest.raises(InputError, match="has format 99, this version reads up to 2"):
        JudgingJournal(journal.path)
    with contextlib.closing(sqlite3.connect(journal.path)) as raw:
        assert raw.execute("pragma journal_mode").fetchone()[0] == "wal"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    if (
        mount is None
        or subprocess.run([mount, "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], check=False).returncode
    ):
        pytest.skip("a small disk cannot be mounted here")
    try:
        journal = JudgingJournal(disk / "judging.sqlite", create=True)
        stored: list[str] = []

        def fill() -> None:
            for _ in range(5000):
                one = event(kind="note", value="x" * 2000)
                journal.append(one)
                stored.append(one.uid)

        with pytest.raises(InputError, match="full"):
            fill()
        assert stored
        journal.close()
        with contextlib.closing(JudgingJournal(disk / "judging.sqlite")) as again:
            assert [each.uid for each in again.events()] == stored
    finally:
        subprocess.run(["umount", disk], check=False)


# ---- what follows from the events -----------------------------------------------------------------------------------


def test_undo_goes_back_any_depth_and_can_be_undone() -> None:
    marks = [event(value=value) for value in "0121"]
    undo = [event(kind="undo", target=mark.uid, value="") for mark in reversed(marks)]
    for depth, expected in enumerate([1, 2, 1, 0]):
        state = JudgingState.of([*marks, *undo[:depth]])
        assert state.marks["anna", "7", "d1"].grade == expected
    assert JudgingState.of([*marks, *undo]).marks == {}
    redo = event(kind="undo", target=undo[0].uid, value="")
    assert JudgingState.of([*marks, undo[0], redo]).marks["anna", "7", "d1"].grade == 1


def test_the_expert_decides_and_the_rest_is_marked_as_merged() -> None:
    events = [
        event(value="1"), event(person="ben", value="2"), event(document="d2", value="0"),
        event(person="ben", document="d2", value="-2"),
        event(person="eve", role="expert", document="d1", value="0"),
    ]  # fmt: skip
    state = JudgingState.of(events)
    assert state.merged() == {("7", "d1"): 2, ("7", "d2"): 0}
    grades, unseen = state.final()
    assert grades == {("7", "d1"): 0, ("7", "d2"): 0}
    assert unseen == {("7", "d2")}
    assert state.people("assessor") == ["anna", "ben"]


def test_the_organiser_assigns_sends_back_and_closes() -> None:
    boss: dict[str, Any] = {"person": "olga", "role": "organiser", "document": ""}
    events = [
        event(kind="assign", value="anna", **boss), event(kind="assign", value="ben", **boss),
        event(kind="close", value="", **boss), event(kind="send_back", value="read the claims", **boss),
    ]  # fmt: skip
    state = JudgingState.of(events)
    assert state.assigned == {"7": ["anna", "ben"]}
    assert (state.rounds["7"], state.instructions["7"], state.closed) == (2, "read the claims", set())
    assert JudgingState.of([*events, event(kind="close", value="", **boss)]).closed == {"7"}


def test_skips_notes_and_passages() -> None:
    events = [
        event(kind="skip", value=""), event(kind="skip", value=""), event(kind="note", value="see claim 3"),
        event(kind="passage", value="a gear", target="3"),
    ]  # fmt: skip
    state = JudgingState.of(events)
    assert state.skipped["anna", "7", "d1"] == 2
    assert state.notes["anna", "7", "d1"] == "see claim 3"
    (passage,) = state.passages.values()
    assert (passage.claim, passage.text) == ("3", "a gear")
    assert JudgingState.of([*events, event(value="1")]).skipped == {}


def test_a_damaged_index_is_made_again(tmp_path: Path) -> None:
    """It says which ids are stored: what it lacks would be stored twice, what it has too much would be lost."""
    path = tmp_path / "judging.sqlite"
    with contextlib.closing(JudgingJournal(path, create=True)) as opened:
        for _ in range(5):
            opened.append(event())
        right = list(opened.events())
    content = bytearray(path.read_bytes())
    uid = right[2].uid.encode()
    places = [at for at in range(len(content)) if content.startswith(uid, at)]
    assert len(places) == 2
    in_table = max(places, key=lambda at: content[at : at + 200].count(b"anna"))
    (in_index,) = set(places) - {in_table}
    content[in_index] ^= 4
    path.write_bytes(content)
    for write in (False, True):
        with contextlib.closing(JudgingJournal(path, write=write)) as opened:
            assert list(opened.events()) == right
    with contextlib.closing(JudgingJournal(path)) as opened:
        assert not opened.append(right[2])
        assert opened.check() == ""
    content[in_table] ^= 4
    path.write_bytes(content)
    with pytest.raises(InputError, match="event 3 was changed"):
        JudgingJournal(path)
