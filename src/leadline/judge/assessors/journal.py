"""The journal of judging: everything that people did, appended to a SQLite file and never changed.

An event is on the disk before `append` returns (write-ahead log, full synchronisation), and is stored once however
often it is sent: each has an id of its own, made by the page. What anybody judged is derived from the events
(`judging_state.py`), so it can be told for any moment, and the journals of two machines can be merged. The hash of each
event covers the hash before it (`event_chain.py`).
"""

from __future__ import annotations

import contextlib
import datetime
import math
import os
import re
import secrets
import socket
import sqlite3
import stat
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Literal, get_args

from leadline.errors import InputError, checked_choice, system_reason
from leadline.judge.assessors.event_chain import ChainHead, EventChain

Role = Literal["reader", "runner", "assessor", "expert", "organiser"]
JUDGING_ROLES: tuple[Role, ...] = ("assessor", "expert", "organiser")  # readers and runners are people of a lab
Kind = Literal[
    "mark", "skip", "note", "undo", "passage", "assign", "unassign", "send_back", "close", "reopen",
    "round", "draws", "switch", "stop", "resume",  # of reviews, see judge/review/review_state.py
]  # fmt: skip

APPLICATION, FORMAT = 0x4C4A524E, 2  # what SQLite keeps in the file's head: it is ours, and of this format
UNCHAINED = 1  # the format that has a checksum for each event and no chain
LONGEST = 20_000  # characters of a note or of instructions
_COLUMNS = "uid, person, role, kind, topic, document, value, target, round, seconds, at, machine"
_ROW = f"seq, {_COLUMNS}"
_INSERT = f"insert or ignore into events ({_COLUMNS}) values ({', '.join('?' * 12)})"
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_TABLE = """
create table events (
    seq integer primary key autoincrement,
    uid text not null unique,
    person text not null, role text not null, kind text not null,
    topic text not null, document text not null,
    value text not null, target text not null,
    round integer not null, seconds real not null,
    at text not null, machine text not null
)
"""


@dataclass(frozen=True)
class Event:
    """One thing that one person did."""

    uid: str  # the same when it is sent again
    person: str
    role: Role
    kind: Kind
    topic: str
    document: str = ""
    value: str = ""  # the grade of a mark, the text of a note, the person of an assignment, instructions
    target: str = ""  # the uid of what an undo takes back; the reason of a mark; the claim of a passage
    round: int = 1
    seconds: float = 0.0  # how long the person took
    at: str = ""  # set by the journal: UTC, never before the event before it
    machine: str = ""  # set by the journal


class JudgingJournal:
    """An open journal. Threads may share it."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool = False) -> None:
        """Open a journal; with `create`, make it where there is none."""
        self.path = Path(path)
        self._lock = threading.Lock()
        self.machine = socket.gethostname()
        _check_file(self.path, create=create)
        with _reported(self.path):
            new = not self.path.exists()
            if new:
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            self._connection = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None, timeout=30)
            self._chain = EventChain(self._connection.execute, _ROW)
            if new:
                self._begin()
            self._prepare()
            self._check_events()

    def _begin(self) -> None:
        """Make the tables of a new journal, all at once."""
        with self._transaction() as do:
            do(f"pragma application_id = {APPLICATION}")
            do(f"pragma user_version = {FORMAT}")
            do(_TABLE)
            self._chain.begin()

    def _prepare(self) -> None:
        do = self._connection.execute
        if do("pragma application_id").fetchone()[0] != APPLICATION:
            raise InputError(str(self.path), "is not a journal of judgements")
        if self._format() > FORMAT:
            problem = f"has format {self._format()}, this version reads up to {FORMAT}: update leadline"
            raise InputError(str(self.path), problem)
        do("pragma journal_mode = wal")
        do("pragma synchronous = full")
        do("create index if not exists events_at on events (at)")  # the latest moment is read with every event

    def _format(self) -> int:
        return int(self._connection.execute("pragma user_version").fetchone()[0])

    def _check_events(self) -> None:
        """Compare every event with the chain.

        SQLite keeps no checksums: without them a flipped bit would be another grade.
        """
        do = self._connection.execute
        if do("pragma integrity_check(1)").fetchone()[0] != "ok":
            do("reindex")  # moments are read from an index: it is made again of the events, which the chain covers
        do("begin")  # one view of the file: others may append meanwhile
        try:
            if self._chain.is_stored != (self._format() == FORMAT) or self._format() < UNCHAINED:
                problem = "its chain of hashes does not fit its format"
            else:
                problem = self._chain.problem() if self._chain.is_stored else self._unchained_problem()
        finally:
            do("commit")
        if problem:
            raise InputError(str(self.path), f"is damaged, {problem}: restore a backup, or another machine's journal")

    def _unchained_problem(self) -> str:
        """What does not fit in a journal of the older format, which has checksums or none."""
        do = self._connection.execute
        if not do("select count(*) from sqlite_master where name = 'checksums'").fetchone()[0]:
            return ""
        self._connection.create_function("checksum_of", -1, _checksum, deterministic=True)
        fitting = f"select count(*) from events join checksums using (seq) where checksum = checksum_of({_ROW})"
        counted = (fitting, "select count(*) from events", "select count(*) from checksums")
        return "its events do not fit their checksums" if len({do(count).fetchone() for count in counted}) > 1 else ""

    def append(self, event: Event) -> bool:
        """Store an event; False if it was stored before. When this returns, the event is on the disk."""
        return self.append_all([event]) == 1

    def append_all(self, events: Sequence[Event]) -> int:
        """Store events, all of them or none; returns how many were new. When this returns, they are on the disk."""
        for event in events:
            check_event(event)
        with self._lock, _reported(self.path), self._transaction() as do:
            latest = do("select max(at) from events").fetchone()[0] or ""
            # A clock may be set back: the order of the journal must not be.
            at = max(_now(), latest)
            rows = [(*astuple(event)[:10], at, event.machine or self.machine) for event in events]
            return self._store(do, rows)

    def _store(self, do: Callable[..., sqlite3.Cursor], rows: Iterable[Sequence[object]]) -> int:
        """Add rows and their hashes in a transaction; returns how many were new."""
        if self._format() == UNCHAINED:  # asked here, under the lock: another process may have begun the chain
            self._chain.begin()
            do("drop table if exists checksums")
            do(f"pragma user_version = {FORMAT}")
        if not self._chain.is_continued:
            problem = "was changed by another program: events that were stored are not in it any more; restore a backup"
            raise InputError(str(self.path), problem)
        stored = (do(_INSERT, row) for row in rows)
        seqs = [each.lastrowid for each in stored if each.rowcount]
        self._chain.extend([seq for seq in seqs if seq is not None])
        return len(seqs)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[Callable[..., sqlite3.Cursor]]:
        """What is executed in it is stored as a whole or not at all."""
        do, seen = self._connection.execute, self._chain.seen
        do("begin immediate")
        try:
            yield do
            do("commit")
        except BaseException:
            self._chain.seen = seen
            with contextlib.suppress(sqlite3.Error):
                do("rollback")
            raise

    def events(self, until: str = "") -> Iterator[Event]:
        """All events in their order, or those up to a moment (UTC, as the journal writes it)."""
        where = "where at <= ?" if until else ""
        with self._lock, _reported(self.path):
            found = self._connection.execute(
                f"select {_COLUMNS} from events {where} order by at, machine, seq", (until,) if until else ()
            ).fetchall()
        return (Event(*row) for row in found)

    def events_after(self, seq: int) -> list[tuple[int, Event]]:
        """The events stored after a place in the file, each with its place, in the order in which they were stored."""
        with self._lock, _reported(self.path):
            found = self._connection.execute(
                f"select seq, {_COLUMNS} from events where seq > ? order by seq", (seq,)
            ).fetchall()
        return [(row[0], Event(*row[1:])) for row in found]

    def with_head(self, until: int | None = None) -> tuple[list[Event], ChainHead]:
        """The events in their order up to a place in the file, by default all, with the head that covers just these."""
        with self._lock, _reported(self.path):
            last = self._connection.execute("select max(seq) from events").fetchone()[0] or 0
            last = last if until is None else min(last, until)
            found = self._connection.execute(
                f"select {_COLUMNS} from events where seq <= ? order by at, machine, seq", (last,)
            ).fetchall()
            return [Event(*row) for row in found], self._chain.head(last)

    def head(self) -> ChainHead:
        """The number of events and the hash that covers all of them."""
        with self._lock, _reported(self.path):
            return self._chain.head()

    def events_at(self, hash_of: str) -> int | None:
        """After how many events the head of the chain was this hash; None if it never was."""
        with self._lock, _reported(self.path):
            return self._chain.events_at(hash_of)

    def __len__(self) -> int:
        with self._lock, _reported(self.path):
            return int(self._connection.execute("select count(*) from events").fetchone()[0])

    def merge_from(self, other: str | os.PathLike[str]) -> int:
        """Add the events of another machine's journal that are not here; returns how many were new."""
        with contextlib.closing(JudgingJournal(other)) as source:
            theirs = list(source.events())
        for event in theirs:
            _check_stored(os.fspath(other), event)
        with self._lock, _reported(self.path), self._transaction() as do:
            return self._store(do, map(astuple, theirs))

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy the journal while it is in use; the copy is complete or not there."""
        target = Path(path)
        if target.exists():
            raise InputError(str(target), "is there already; name a new file for the backup")
        part = target.with_name(f".leadline-{secrets.token_hex(8)}.part")
        try:
            with _reported(target):
                os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
                with contextlib.closing(sqlite3.connect(part)) as copy, self._lock:
                    self._connection.backup(copy)
                    copy.execute("pragma journal_mode = delete")
                os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)

    def check(self) -> str:
        """What SQLite finds damaged; empty if the file is sound."""
        with self._lock, _reported(self.path):
            found = str(self._connection.execute("pragma integrity_check").fetchone()[0])
        return "" if found == "ok" else found

    def close(self) -> None:
        """Close the file; what was appended is in it."""
        with self._lock:
            self._connection.close()


def _checksum(*values: object) -> int:
    """The CRC-32 of what a row holds, as the older format stores it."""
    return zlib.crc32(repr(values).encode("utf-8", "surrogatepass"))


def new_uid() -> str:
    """An id for an event that no page made."""
    return secrets.token_hex(16)


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def check_event(event: Event) -> None:
    """Raise InputError for an event that no page sends."""
    checked_choice("role", event.role, JUDGING_ROLES)
    checked_choice("kind", event.kind, get_args(Kind))
    if not (8 <= len(event.uid) <= 64) or not event.person or not event.topic:
        raise InputError("event", "needs an id of 8 to 64 characters, a person and a topic")
    if event.kind == "mark" and event.value not in ("2", "1", "0", "-2"):
        raise InputError("event", f"a mark is 2, 1, 0 or -2, got {event.value!r}")
    for field in fields(event):
        text = getattr(event, field.name)
        if isinstance(text, str) and len(text) > LONGEST:
            raise InputError("event", f"{field.name} is longer than {LONGEST:,} characters")


def _check_stored(path: str, event: Event) -> None:
    """Refuse an event of another journal that none of ours has: its file may come from anybody."""
    texts = [getattr(event, field.name) for field in fields(event) if field.name not in ("round", "seconds")]
    sound = all(isinstance(text, str) for text in texts) and isinstance(event.round, int) and event.round > 0
    if not sound or not isinstance(event.seconds, float) or not math.isfinite(event.seconds):
        raise InputError(path, "has an event that is none of judging: it is damaged or was changed")
    if not _MOMENT.fullmatch(event.at):
        raise InputError(path, f"has an event of the moment {event.at!r}, which is none")
    try:
        check_event(event)
    except InputError as error:
        raise InputError(path, f"has an event that is none of judging: {error.problem}") from None


def _check_file(path: Path, *, create: bool) -> None:
    """Refuse what is not a plain file of our own place."""
    try:
        about = os.lstat(path)
    except FileNotFoundError:
        if create and path.parent.is_dir():
            return
        problem = "no such folder" if create else "no such journal; `leadline judge serve` makes one"
        raise InputError(str(path.parent if create else path), problem) from None
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {system_reason(error)}") from None
    if not stat.S_ISREG(about.st_mode):
        raise InputError(str(path), "is not a plain file, so it is not opened as a journal")


@contextlib.contextmanager
def _reported(path: Path) -> Iterator[None]:
    """Errors of SQLite and of the file system as one line."""
    try:
        yield
    except UnicodeDecodeError:  # SQLite's own message quotes the damaged file
        raise InputError(str(path), "cannot be read as a journal: it is damaged") from None
    except sqlite3.DatabaseError as error:
        raise InputError(str(path), f"cannot be written or read as a journal: {error}") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be opened: {system_reason(error)}") from None
