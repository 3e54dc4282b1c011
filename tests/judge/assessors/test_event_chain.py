"""An event that is taken out of a journal, or changed in it, is noticed."""

from __future__ import annotations

import contextlib
import gzip
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from leadline.errors import InputError
from leadline.judge.journal import JOURNAL, Event, JudgingJournal, _checksum
from leadline.text.store.events import ChainHead


def mark(n: int, value: str = "1") -> Event:
    return Event(f"event-{n:04}", "anna", "assessor", "mark", "T1", f"D{n}", value)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal of ten events."""
    with contextlib.closing(JudgingJournal(tmp_path / "a.journal", create=True)) as journal:
        journal.append_all([mark(n) for n in range(9)])
        journal.append(mark(9))
    return tmp_path / "a.journal"


def change(path: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as raw, raw:
        for statement in statements:
            raw.execute(statement)


@pytest.mark.parametrize("seq", [1, 5, 10])
@pytest.mark.parametrize("tables", [("events",), ("events", "chain")], ids=["event", "event and hash"])
def test_an_event_that_was_taken_out(path: Path, seq: int, tables: tuple[str, ...]) -> None:
    change(path, *(f"delete from {table} where seq = {seq}" for table in tables))
    with pytest.raises(InputError, match="is damaged"):
        JudgingJournal(path)


@pytest.mark.parametrize(
    "statement",
    [
        "update events set value = '0' where seq = 4",
        "update events set seq = 99 where seq = 4",
        "insert into events select 11, 'forged-uid', person, role, kind, topic, document, value, target, round, "
        "seconds, at, machine from events where seq = 1",
        "update chain set hash = zeroblob(32) where seq = 10",
        "delete from chain",
        "delete from chain_head",
        "update chain_head set events = 9",
        "drop table chain",
        "pragma user_version = 1",
    ],
)
def test_a_forged_journal_is_refused(path: Path, statement: str) -> None:
    change(path, statement)
    with pytest.raises(InputError, match=r"is damaged|no such table"):
        JudgingJournal(path)


def test_the_line_says_which_event(path: Path) -> None:
    change(path, "update events set value = '0' where seq = 4")
    with pytest.raises(InputError, match="event 4 was changed, or an event before it was changed or taken out"):
        JudgingJournal(path)


def test_a_head_that_was_handed_out_shows_a_rewritten_file(path: Path, tmp_path: Path) -> None:
    with contextlib.closing(JudgingJournal(path)) as journal:
        head = journal.head()
        assert (head.events, head.unchained, journal.events_at(head.hash)) == (10, 0, 10)
        events, earlier = journal.with_head(4)
        assert (len(events), earlier.events, journal.events_at(earlier.hash)) == (4, 4, 4)
        journal.append(mark(10))
        assert journal.events_at(head.hash) == 10  # a later state of the same journal
        journal.backup(tmp_path / "copy.journal")
    with contextlib.closing(JudgingJournal(tmp_path / "copy.journal")) as copy:
        assert copy.events_at(head.hash) == 10
    with contextlib.closing(JudgingJournal(tmp_path / "forged.journal", create=True)) as forged:
        forged.append_all([mark(n) for n in range(10) if n != 3])
        assert forged.events_at(head.hash) is None  # its chain is sound, and not the one that was handed out


def test_a_head_is_found_in_what_was_printed() -> None:
    head = ChainHead(1234, "0f" * 32)
    for text in (str(head), f"<dt>{head.label}</dt>\n<dd class='id'>{head.hash}; Leadline</dd>", f"\n  {head}.\n"):
        assert ChainHead.found_in(text) == head
    assert ChainHead.found_in(f"{head.label}: {head.hash}0") is None
    assert ChainHead.found_in("0f" * 32) is None


@pytest.fixture(params=[True, False], ids=["checksums", "no checksums"])
def old(path: Path, request: pytest.FixtureRequest) -> Path:
    """The same journal in the format without a chain."""
    change(path, "drop table chain", "drop table chain_head", "pragma user_version = 1")
    if request.param:
        with contextlib.closing(sqlite3.connect(path)) as raw, raw:
            raw.execute("create table checksums (seq integer primary key, checksum integer not null)")
            for row in raw.execute(f"select {JOURNAL.row} from events").fetchall():
                raw.execute("insert into checksums values (?, ?)", (row[0], _checksum(*row)))
    return path


def test_a_journal_of_the_older_format(old: Path) -> None:
    """It is read as it is; its first new event begins a chain that covers all earlier ones."""
    before = old.read_bytes()
    with contextlib.closing(JudgingJournal(old)) as journal:
        head = journal.head()
        assert (head.events, head.unchained, len(list(journal.events()))) == (10, 10, 10)
    assert old.read_bytes() == before
    for n in (10, 11):
        with contextlib.closing(JudgingJournal(old)) as journal:
            journal.append(mark(n))
            assert (journal.head().events, journal.head().unchained) == (n + 1, 10)
            assert journal.events_at(head.hash) == 10
    change(old, "delete from events where seq = 2")
    with pytest.raises(InputError, match="is damaged"):
        JudgingJournal(old)


def test_damage_before_the_chain_began(old: Path) -> None:
    with contextlib.closing(sqlite3.connect(old)) as raw:
        has_checksums = raw.execute("select count(*) from sqlite_master where name = 'checksums'").fetchone()[0]
    change(old, "update events set value = '0' where seq = 4")
    if has_checksums:
        with pytest.raises(InputError, match="its events do not fit their checksums"):
            JudgingJournal(old)
    else:  # nothing is known of it
        JudgingJournal(old).close()


def test_events_that_vanish_while_a_journal_is_open(path: Path) -> None:
    with contextlib.closing(JudgingJournal(path)) as journal:
        journal.append(mark(10))
        with contextlib.closing(sqlite3.connect(path)) as raw, raw:  # as whoever makes the file sound again
            raw.execute("delete from events where seq = 11")
            raw.execute("delete from chain where seq = 11")
            raw.execute("update chain_head set events = 10, hash = (select hash from chain where seq = 10)")
        with pytest.raises(InputError, match="was changed by another program"):
            journal.append(mark(11))


def test_several_processes_write_one_chain(tmp_path: Path) -> None:
    code = textwrap.dedent("""
        import sys
        from leadline.judge.journal import Event, JudgingJournal
        journal = JudgingJournal(sys.argv[1])
        for n in range(40):
            journal.append(Event(f"{sys.argv[2]}-{n:08}", sys.argv[2], "assessor", "mark", "7", f"d{n}", "1"))
            journal.append(Event(f"shared-{n:08}", "both", "assessor", "mark", "7", f"d{n}", "1"))
    """)
    shared = tmp_path / "a.journal"
    JudgingJournal(shared, create=True).close()
    writers = [subprocess.Popen([sys.executable, "-c", code, str(shared), name]) for name in ("anna", "ben")]
    assert [writer.wait() for writer in writers] == [0, 0]
    with contextlib.closing(JudgingJournal(shared)) as journal:
        assert journal.head().events == len(journal) == 120


def test_the_work_of_an_event_does_not_grow(tmp_path: Path) -> None:
    with contextlib.closing(JudgingJournal(tmp_path / "a.journal", create=True)) as journal:
        count = _counter(journal)
        first = count(lambda: journal.append(mark(0)))
        journal.append_all([mark(n) for n in range(1, 2000)])
        assert count(lambda: journal.append(mark(2000))) <= first * 1.5


def _counter(journal: JudgingJournal) -> Callable[[Callable[[], object]], int]:
    """Counts the steps of SQLite's machine that an action takes."""

    def counted(action: Callable[[], object]) -> int:
        steps = 0

        def step() -> int:
            nonlocal steps
            steps += 1
            return 0

        journal._store._connection.set_progress_handler(step, 1)
        action()
        journal._store._connection.set_progress_handler(None, 1)
        return steps

    return counted


UNCHAINED = {"format-1": 6, "format-1-checksums": 6, "format-2": 0}
HEAD = "feb7a84b0a31e7315c15216d4997c78f072b52e215f88aa19a974958ba281ca3"  # as the version printed it


@pytest.mark.parametrize("name", UNCHAINED)
def test_journals_that_earlier_versions_wrote(name: str, golden: Path, tmp_path: Path) -> None:
    """Files that these versions made: they are read as they are, and continued; what was certified stays so."""
    path = tmp_path / "a.journal"
    path.write_bytes(gzip.decompress((golden / "journals" / f"{name}.sqlite.gz").read_bytes()))
    before = path.read_bytes()
    with contextlib.closing(JudgingJournal(path, write=False)) as journal:
        events, head = list(journal.events()), journal.head()
        assert journal.check() == ""
        assert (head.events, head.unchained, journal.events_at(head.hash)) == (6, UNCHAINED[name], 6)
    assert [each.person for each in events] == ["Zoë", "anna"] * 3
    assert [each.seconds for each in events] == [0.0, 1.25, 2.5, 3.75, 5.0, 6.25]
    assert events[5].value == "said “no”\n'x'"
    assert path.read_bytes() == before
    if name == "format-2":
        assert head.hash == HEAD
    with contextlib.closing(JudgingJournal(path)) as journal:
        assert not journal.append(mark(3))
        assert journal.append(mark(6))
        assert journal.events_at(head.hash) == 6
        journal.backup(tmp_path / "b.journal")
    with contextlib.closing(JudgingJournal(tmp_path / "new.journal", create=True)) as journal:
        assert journal.merge_from(tmp_path / "b.journal") == 7
        assert list(journal.events())[:6] == events
    change(path, "update events set value = '0' where seq = 2")
    with pytest.raises(InputError, match="is damaged"):
        JudgingJournal(path, write=False)
