"""The frontier of a crawl on disk: every address that is known, what became of it, and the links between them.

An SQLite file with a write-ahead log. Every change is handed to the system before the next request is sent, so a killed
process loses nothing; it is flushed to the disk every second, so a power failure loses at most the last second, whose
pages are then asked for again.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from leadline.collections.crawl.addresses import PageAddress
from leadline.errors import InputError

State = Literal["queued", "asked", "done", "redirect", "failed", "refused"]
APPLICATION, FORMAT = 0x4C43524C, 1  # what SQLite keeps in the file's head: it is ours, and of this format
FLUSH = 1.0  # seconds between two flushes to the disk
_TABLES = """
create table pages (
    id integer primary key, address text not null unique, asked text not null, origin text not null,
    depth integer not null, hops integer not null default 0, found_on integer,
    state text not null, reason text not null default '', attempts integer not null default 0,
    not_before real not null default 0, generation integer not null default 0,
    status integer, type text not null default '', etag text not null default '', modified text not null default '',
    digest text not null default '', date text not null default '', fetched text not null default '',
    canonical text not null default '', target text not null default '', noindex integer not null default 0,
    warc integer, offset integer, length integer
);
create index waiting on pages (origin, state, depth, id);
create table links (source integer not null, target text not null, anchor text not null, nofollow integer not null);
create index links_of on links (source);
create table history (
    page integer not null, generation integer not null, at text not null, status integer, outcome text not null,
    digest text not null, warc integer, offset integer, length integer
);
create table origins (
    origin text primary key, robots blob, status integer not null, at real not null, delay real not null
);
create table shapes (shape text primary key, count integer not null);
create table counts (kind text primary key, count integer not null);
create table facts (name text primary key, value text not null);
"""
PAGE_COLUMNS = "id, address, asked, origin, depth, hops, attempts, etag, modified, digest, warc, offset"


@dataclass(frozen=True, slots=True)
class QueuedPage:
    """A page to ask for."""

    id: int
    address: str
    asked: str
    origin: str
    depth: int
    hops: int  # redirects in a row that led here
    attempts: int
    etag: str
    modified: str
    digest: str
    warc: int | None
    offset: int | None


class Frontier:
    """The open file of a frontier."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise InputError(str(path), "is not a plain file, so it is not opened as a frontier")
        new = not path.exists()
        with self.reported():
            self._connection = sqlite3.connect(path, isolation_level=None, timeout=5)
            do = self._connection.execute
            if new:
                do(f"pragma application_id = {APPLICATION}")
                do(f"pragma user_version = {FORMAT}")
            found, version = do("pragma application_id").fetchone()[0], do("pragma user_version").fetchone()[0]
            if found != APPLICATION and do("select count(*) from sqlite_master").fetchone()[0]:
                raise InputError(str(path), "is not the frontier of a crawl")
            if version > FORMAT:
                problem = f"has format {version}, this version reads up to {FORMAT}: update leadline"
                raise InputError(str(path), problem)
            do("pragma journal_mode = wal")
            do("pragma synchronous = normal")
            if not do("select count(*) from sqlite_master where name = 'pages'").fetchone()[0]:
                self._connection.executescript(f"begin;{_TABLES}commit;")
            do("create table if not exists chains (folder text primary key, depth integer, count integer)")
        self._flushed = time.monotonic()
        self.generation = int(self.fact("generation", "0"))  # how often the crawl was begun again for changes

    @contextlib.contextmanager
    def reported(self) -> Iterator[None]:
        """Errors of SQLite and of the file system as one line."""
        try:
            with self.errors_reported():
                yield
        except OSError as error:
            raise InputError(str(self.path), f"cannot be opened: {(error.strerror or str(error)).lower()}") from None

    @contextlib.contextmanager
    def errors_reported(self) -> Iterator[None]:
        """Errors of SQLite as one line, also those of rows that are read later than their statement is run."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise InputError(str(self.path), f"cannot be read or written as a frontier: {error}") from None

    def do(self, statement: str, values: Iterable[Any] = ()) -> sqlite3.Cursor:
        """Run one statement."""
        with self.reported():
            return self._connection.execute(statement, tuple(values))

    @contextlib.contextmanager
    def change(self) -> Iterator[None]:
        """Several changes as one: all of them or none are in the file."""
        if self._connection.in_transaction:
            yield
            return
        self.do("begin immediate")
        try:
            yield
            self.do("commit")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("rollback")
            raise

    def flush(self, *, now: bool = False) -> bool:
        """Flush what was written to the disk if a second has passed; whether it was done."""
        if not now and time.monotonic() - self._flushed < FLUSH:
            return False
        self._flushed = time.monotonic()
        # A change with full synchronisation flushes everything before it as well.
        self.do("pragma synchronous = full")
        self.set_fact("flushed", str(time.time()))
        self.do("pragma synchronous = normal")
        return True

    def close(self) -> None:
        """Close the file, which stays as it is where nothing was changed."""
        if self._connection.total_changes:
            self.flush(now=True)
        self._connection.close()

    def fact(self, name: str, default: str = "") -> str:
        """A fact about the crawl, by its name."""
        row = self.do("select value from facts where name = ?", (name,)).fetchone()
        return default if row is None else str(row[0])

    def set_fact(self, name: str, value: str) -> None:
        self.do("insert or replace into facts values (?, ?)", (name, value))

    def addresses(self) -> Iterator[str]:
        """Every address in the frontier."""
        return (row[0] for row in self.do("select address from pages"))

    def knows(self, address: str) -> bool:
        """Whether an address is in the frontier."""
        return self.do("select 1 from pages where address = ?", (address,)).fetchone() is not None

    def add(self, page: PageAddress, depth: int, *, hops: int = 0, found_on: int | None = None) -> int:
        """Put a new address into the queue; its number."""
        row = (page.canonical, page.asked, page.origin, depth, hops, found_on, self.generation)
        added = self.do(
            "insert into pages (address, asked, origin, depth, hops, found_on, generation, state)"
            " values (?, ?, ?, ?, ?, ?, ?, 'queued')",
            row,
        )
        return int(added.lastrowid or 0)

    def refuse(self, page: PageAddress, depth: int, reason: str, found_on: int | None = None) -> None:
        """Keep an address that is not asked for, with the reason."""
        row = (page.canonical, page.asked, page.origin, depth, found_on, self.generation, reason)
        self.do(
            "insert or ignore into pages (address, asked, origin, depth, found_on, generation, state, reason)"
            " values (?, ?, ?, ?, ?, ?, 'refused', ?)",
            row,
        )

    def queue_refused(self, reason: str) -> None:
        """Queue the pages that were refused for a reason, given as its beginning."""
        self.do("update pages set state = 'queued' where state = 'refused' and reason like ?", (f"{reason}%",))

    def chain_length(self, folder: str, depth: int) -> int:
        """At how many depths a folder had new pages, with one at this depth. Pages come in the order of depths."""
        row = self.do("select depth, count from chains where folder = ?", (folder,)).fetchone()
        if row is not None and row[0] >= depth:
            return int(row[1])
        count = 1 if row is None else int(row[1]) + 1
        self.do("insert or replace into chains values (?, ?, ?)", (folder, depth, count))
        return count

    def refusal(self, address: str) -> str:
        """Why an address was refused; empty if it was not."""
        row = self.do("select reason from pages where address = ? and state = 'refused'", (address,)).fetchone()
        return "" if row is None else str(row[0])

    def count(self, kind: str, by: int = 1) -> None:
        """Count what is not kept with its address, such as links to other hosts."""
        self.do("insert into counts values (?, ?) on conflict (kind) do update set count = count + ?", (kind, by, by))

    def counted(self) -> dict[str, int]:
        return dict(self.do("select kind, count from counts order by count desc").fetchall())

    def shape_count(self, shape: str) -> int:
        """One more address of a shape; how many there were before."""
        row = self.do("select count from shapes where shape = ?", (shape,)).fetchone()
        self.do("insert into shapes values (?, 1) on conflict (shape) do update set count = count + 1", (shape,))
        return 0 if row is None else int(row[0])

    def next_page(self, origin: str) -> QueuedPage | None:
        """The page of an origin that is next in breadth-first order and need not wait."""
        row = self.do(
            f"select {PAGE_COLUMNS} from pages where origin = ? and state = 'queued' and not_before <= ?"
            " order by depth, id limit 1",
            (origin, time.time()),
        ).fetchone()
        return None if row is None else QueuedPage(*row)

    def waits_until(self, origin: str) -> float | None:
        """When the next page of an origin may be asked again; None where none waits."""
        row = self.do("select min(not_before) from pages where origin = ? and state = 'queued'", (origin,)).fetchone()
        return None if row[0] is None else float(row[0])

    def waiting_origins(self) -> list[str]:
        """The origins that have pages to ask for, the nearest to the seeds first."""
        found = self.do("select origin from pages where state = 'queued' group by origin order by min(depth), min(id)")
        return [row[0] for row in found]

    def update(self, page: int, **values: Any) -> None:
        """Change columns of a page."""
        names = ", ".join(f"{name} = ?" for name in values)
        self.do(f"update pages set {names} where id = ?", (*values.values(), page))

    def set_links(self, page: int, links: Iterable[tuple[str, str, bool]]) -> None:
        """Replace the links of a page: target, anchor, nofollow."""
        self.do("delete from links where source = ?", (page,))
        with self.reported():
            self._connection.executemany(
                "insert into links values (?, ?, ?, ?)",
                [(page, target, anchor, int(nofollow)) for target, anchor, nofollow in links],
            )

    def note(self, page: int, outcome: str, at: str, status: int | None, digest: str = "", place: Any = None) -> None:
        """Add to the history of a page."""
        warc, offset, length = place if place is not None else (None, None, None)
        row = (page, self.generation, at, status, outcome, digest, warc, offset, length)
        self.do(f"insert into history values ({', '.join('?' * len(row))})", row)

    def states(self) -> dict[str, int]:
        """How many pages are in each state."""
        return dict(self.do("select state, count(*) from pages group by state").fetchall())

    def reasons(self, state: str) -> dict[str, int]:
        """How many pages are in a state for each reason, the most frequent first."""
        found = self.do(
            "select reason, count(*) from pages where state = ? group by reason order by 2 desc, 1", (state,)
        )
        return dict(found.fetchall())

    def asked(self, origin: str | None = None) -> int:
        """How many pages have been asked for since the crawl was last begun, of all hosts or of one origin."""
        where = " and origin = ?" if origin is not None else ""
        values = (self.generation, *([origin] if origin is not None else []))
        found = self.do(f"select count(*) from pages where attempts > 0 and generation = ?{where}", values)
        return int(found.fetchone()[0])

    def begin_again(self) -> None:
        """Queue every page that was asked for, to see what changed."""
        with self.change():
            self.generation += 1
            self.set_fact("generation", str(self.generation))
            self.set_fact("finished", "")
            self.do(
                "update pages set state = 'queued', reason = '', attempts = 0, hops = 0, not_before = 0, generation = ?"
                " where state in ('done', 'redirect', 'failed', 'queued') or reason like 'robots.txt%'",
                (self.generation,),
            )
            self.do("delete from origins")
