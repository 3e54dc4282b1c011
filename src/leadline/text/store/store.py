"""The one store of what people do and of what is remembered: a chain of events, keyed records and queues in a file.

    >>> from tempfile import TemporaryDirectory
    >>> LAB, folder = StoreKind("a store of a lab", "DOCT"), TemporaryDirectory()
    >>> with Store.open(f"{folder.name}/lab", LAB, write=True, create=True) as store:
    ...     with store.change() as now:  # one transaction: read, change, write, and nobody between
    ...         now.records("people").put("anna", {"revoked": True})
    ...         _ = now.queue("jobs").put({"what": "report"})
    ...         _ = now.events.append("revoke", person="olga", whom="anna")
    >>> with Store.open(f"{folder.name}/lab", LAB) as store, store.view() as now:
    ...     now.records("people").get("anna"), now.events.all()[0].said
    ({'revoked': True}, {'kind': 'revoke', 'person': 'olga', 'whom': 'anna'})
    >>> folder.cleanup()

The file is SQLite's, and these rules hold for everything that is kept in one:

- **Locks.** A change is one immediate transaction: processes and threads wait for each other, and what a change has
  read is still so when it writes. Reading waits for nobody, and keeps nobody waiting.
- **Crashes.** A change is on the disk when `change` ends (write-ahead log, full synchronisation), whole or not at all.
  Only what may be lost if the whole machine stops (`flushed=False`) is not waited for.
- **Reading leaves no trace.** A store that nobody has open is read from a copy in memory, so that nothing is written
  beside it and read-only media will do; one that is in use is read through its writer's log.
- **Formats.** A newer one is refused with its number. An older one is read, and brought up to date by the first change;
  so are the files of an earlier version that had no store.
- **Damage is an error, never another answer.** Events (`events.py`) and records (`records.py`) have hashes, which are
  compared when a store is opened, values when they are read.
- **Nothing in a file is believed or run** but tables that are ours to the last word (`kind.py`). Values are JSON.
- **Private.** A store, its log and its copies are readable by their owner alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from leadline.errors import InputError, visible
from leadline.text.owned_files import is_open_here, one_at_a_time, open_here
from leadline.text.store.events import Events, LastSeen
from leadline.text.store.kind import Execute, StoreKind, Transaction
from leadline.text.store.opening import (
    connect_to_read,
    connect_to_write,
    errors_reported,
    length_problem,
    make,
    new_database,
    on_disk,
    sqlite_reported,
)
from leadline.text.store.queue import Queue
from leadline.text.store.records import StoreRecords, records_problem

_NAME = re.compile(r"[a-z][a-z_]{0,39}")  # of records and queues


class StoreView:
    """What is in a store at one moment, and in a change also what to write. It ends with its block."""

    def __init__(self, transaction: Transaction, seen: LastSeen) -> None:
        self._transaction = transaction
        self.events = Events(transaction, seen)

    def records(self, name: str) -> StoreRecords:
        """The records of a name, by their keys."""
        return StoreRecords(self._transaction, _checked_name(name))

    def queue(self, name: str) -> Queue:
        """The queue of a name."""
        return Queue(StoreRecords(self._transaction, f"queue {_checked_name(name)}"))


class Store:
    """An open store. Threads may share it."""

    def __init__(self, path: Path, kind: StoreKind, connection: sqlite3.Connection, *, is_written: bool) -> None:
        self.path, self.kind, self.is_written = path, kind, is_written
        self._connection = connection
        self._lock = threading.RLock()
        self._seen = LastSeen()
        self._known = contextlib.ExitStack()  # what tells this process that it has the file open

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        kind: StoreKind,
        *,
        write: bool = False,
        create: bool = False,
        older: Callable[[StoreView], object] | None = None,
    ) -> Store:
        """Open a store to read it, or to write to it; with `create`, make it where there is none. It is checked.

        `older` puts what the files of an earlier version have in a new store; one of them may have the store's own
        name, and is replaced. Until a store is made, its readers get one in memory.
        """
        place = Path(path)

        def fill(do: Execute) -> None:
            if older is not None:
                older(StoreView(Transaction(place, kind, do, is_change=True), LastSeen()))

        filled = fill if older is not None else None
        with errors_reported(place, kind), contextlib.ExitStack() as closing:
            with one_at_a_time:
                if create:
                    make(place, kind, filled)
                connection = connect_to_write(place) if write else connect_to_read(place, kind, filled)
                store = cls(place, kind, connection, is_written=write)
                closing.callback(store.close)
                if on_disk(connection):
                    store._known.enter_context(open_here(place, kind.letters))
                store._check_head()
                if write:
                    for setting in ("journal_mode = wal", "synchronous = full", "fullfsync = on"):
                        connection.execute(f"pragma {setting}")
                connection.execute("select count(*) from events").fetchone()  # from here on it has its lock and log
            store._check_content()
            closing.pop_all()
        return store

    @contextlib.contextmanager
    def view(self) -> Iterator[StoreView]:
        """Read things of one moment."""
        with self._transaction("begin") as found:
            yield StoreView(found, self._seen)

    @contextlib.contextmanager
    def change(self, *, flushed: bool = True) -> Iterator[StoreView]:
        """Read and write in one transaction. When this ends, the change is on the disk; where it fails, nothing is.

        A change that is not `flushed` outlives this process, and goes to the disk with the next one: where the machine
        itself stops before, it may be lost, whole. That is for what is stored often, and wrong only for minutes.
        """
        if not self.is_written:
            raise InputError(str(self.path), "was opened to be read only")
        with self._flushing(flushed), self._transaction("begin immediate") as found:
            while (format := self._format()) < self.kind.format:  # asked here: another process may have changed it
                self.kind.older[format].upgrade(found.do)
                found.do(f"pragma user_version = {format + 1}")
            seen = replace(self._seen)
            yield StoreView(found, seen)
        self._seen = seen

    def copy_to(self, path: str | os.PathLike[str]) -> None:
        """Copy the store to a new file while it is in use; the copy is complete or not there."""
        target = Path(path)
        if os.path.lexists(target):
            raise InputError(str(target), "is there already; name a new file for the copy")
        with self._lock, one_at_a_time, errors_reported(target, self.kind), new_database(target) as copy:
            self._connection.backup(copy)
            copy.execute("pragma journal_mode = delete")  # a file that needs no log beside it

    def check(self) -> str:
        """What is damaged in the store, all of which is read; empty if it is sound."""
        try:
            with errors_reported(self.path, self.kind), self._transaction("begin") as found:
                problem = self._problem(found) or records_problem(found, values=True) or _structure(found)
            with one_at_a_time:
                is_idle = os.path.lexists(self.path) and not is_open_here(self.path)
                return problem or (length_problem(self.path) if is_idle else "")
        except InputError as error:
            return error.problem

    def close(self) -> None:
        """Close the file; what was changed is in it."""
        with self._lock, one_at_a_time:
            self._connection.close()
            self._known.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def _flushing(self, flushed: bool) -> Iterator[None]:
        """Whether what is committed is waited for until it is on the disk."""
        if flushed:
            yield
            return
        with self._lock, sqlite_reported(self.path, self.kind):
            self._connection.execute("pragma synchronous = normal")
            try:
                yield
            finally:
                self._connection.execute("pragma synchronous = full")

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[Transaction]:
        with self._lock, sqlite_reported(self.path, self.kind):
            do = self._connection.execute
            if self._connection.in_transaction:
                raise RuntimeError("a view or a change of this store is open in this thread already")
            do(begin)
            try:
                yield Transaction(self.path, self.kind, do, is_change=begin != "begin")
                do("commit")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    do("rollback")
                raise

    def _format(self) -> int:
        """The number of the format. A newer one is refused, also where another process made it while this is open."""
        found = int(self._connection.execute("pragma user_version").fetchone()[0])
        if found > self.kind.format:
            problem = f"has format {found}, this version reads up to {self.kind.format}: update leadline"
            raise InputError(str(self.path), problem)
        return found

    def _check_head(self) -> None:
        """Refuse another kind, a newer format, and a file with anything in it that we did not make."""
        do = self._connection.execute
        if do("pragma application_id").fetchone()[0] != self.kind.application:
            raise InputError(str(self.path), f"is not {self.kind.name}")
        format = self._format()
        if format != self.kind.format and format not in self.kind.older:
            raise self._damaged(f"its format is {format}, which there never was")
        found = do("select type, name, sql from sqlite_master").fetchall()
        for row in found:
            if not self.kind.is_ours(*row):
                raise self._damaged(f"it has {visible(str(row[1]))}, which is not as this version made it")
        if format == self.kind.format and not {"events", "chain", "chain_head"} <= {name for _, name, _ in found}:
            raise self._damaged("its chain of hashes does not fit its format")

    def _check_content(self) -> None:
        """Compare everything with its hash: SQLite keeps no checksums, and a flipped bit would be another answer."""
        with self._transaction("begin") as found:
            problem, structure = self._problem(found), _structure(found)
        if not problem and structure:  # an index may be damaged: it is made again of the events, which the chain covers
            with contextlib.suppress(InputError), self._transaction("begin") as found:
                found.do("reindex")
            with self._transaction("begin") as found:
                problem = _structure(found)
        if problem:
            raise self._damaged(problem)

    def _problem(self, found: Transaction) -> str:
        """What does not fit its hash; empty if all is sound."""
        older = self.kind.older.get(self._format())
        problem = older.problem(found.do) if older is not None else ""
        events = Events(found, self._seen)
        return problem or events.problem(is_chained=older is None) or records_problem(found)

    def _damaged(self, problem: str) -> InputError:
        return InputError(str(self.path), f"is damaged, {problem}: {self.kind.repair}")


def _structure(found: Transaction) -> str:
    """What SQLite finds damaged in the pages and indexes of the file; empty if it is sound."""
    said = str(found.do("pragma integrity_check(1)").fetchone()[0])
    return "" if said == "ok" else visible(said)


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InputError("name", f"{name!r} must be lower-case letters and _, 40 at most")
    return name
