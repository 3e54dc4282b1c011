"""The frontier of a crawl on disk: every address that is known, the links between them, and the pages as WARC files.

An SQLite file with a write-ahead log. Every change is handed to the system before the next request is sent, so a killed
process loses nothing; it is flushed to the disk every second, so a power failure loses at most the last second, whose
pages are then asked for again.
"""

from __future__ import annotations

import base64
import contextlib
import gzip
import hashlib
import io
import os
import shutil
import sqlite3
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

from leadline.collections.crawl.addresses import PageAddress
from leadline.collections.documents.fields.web_pages import HttpAnswer, parse_answer, parse_headers
from leadline.errors import InputError
from leadline.text.checksums import open_stored
from leadline.text.files import reported, shortage_at
from leadline.text.owned_folder import OwnedFolder

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

    def __init__(self, path: Path, *, write: bool = True) -> None:
        """Open a frontier, or make it; without `write` it is only read, and nothing is written beside it."""
        self.path = path
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise InputError(str(path), "is not a plain file, so it is not opened as a frontier")
        new = not path.exists()
        with self.reported():
            self._connection = _connected(path, write=write)
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
            if write:
                self._make(do)
        self._flushed = time.monotonic()
        self.generation = int(self.fact("generation", "0"))  # how often the crawl was begun again for changes

    def _make(self, do: Callable[[str], sqlite3.Cursor]) -> None:
        do("pragma journal_mode = wal")
        do("pragma synchronous = normal")
        if not do("select count(*) from sqlite_master where name = 'pages'").fetchone()[0]:
            self._connection.executescript(f"begin;{_TABLES}commit;")
        do("create table if not exists chains (folder text primary key, depth integer, count integer)")

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
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            of_system = code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
            problem = (of_system and shortage_at(self.path)) or str(error)
            raise InputError(str(self.path), f"cannot be read or written as a frontier: {problem}") from None

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


# Which addresses a crawl knows: a hash of each in memory, the addresses themselves on disk.


def _connected(path: Path, *, write: bool) -> sqlite3.Connection:
    """A connection. One that only reads leaves no trace, and does without a log where there is none."""
    if write:
        return sqlite3.connect(path, isolation_level=None, timeout=5)
    log = Path(f"{path}-wal")
    mode = "mode=ro" if log.exists() and log.stat().st_size else "immutable=1"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None, timeout=5)
    if mode == "mode=ro":
        try:
            connection.execute("select count(*) from sqlite_master").fetchone()
        except sqlite3.OperationalError:  # of a crawl that was killed, on a disk that cannot be written to
            connection.close()
            return _copied(path, log)
    return connection


def _copied(path: Path, log: Path) -> sqlite3.Connection:
    """A copy in memory of a frontier with its log."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    with tempfile.TemporaryDirectory(prefix="leadline-") as folder:
        for each in (path, log):
            shutil.copyfile(each, Path(folder) / each.name)
        with contextlib.closing(sqlite3.connect(Path(folder) / path.name)) as whole:
            whole.backup(copy)
    return copy


RECENT = 1 << 16  # addresses kept in memory: most pages of a site link to the same others


class KnownAddresses:
    """The addresses of a frontier. One of a million takes about 100 bytes of memory, however long it is.

    A hash that is not there is a new address. One that is there may be that of another, so the frontier decides.
    """

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier
        self._hashes = {hash(address) for address in frontier.addresses()}
        self._recent: set[str] = set()

    def __contains__(self, address: str) -> bool:
        if address in self._recent:
            return True
        if hash(address) not in self._hashes or not self._frontier.knows(address):
            return False
        self._remember(address)
        return True

    def add(self, address: str) -> None:
        """Add an address that is put into the frontier as well."""
        self._hashes.add(hash(address))
        self._remember(address)

    def _remember(self, address: str) -> None:
        if len(self._recent) >= RECENT:
            self._recent.clear()
        self._recent.add(address)


# The pages of a crawl as WARC files: each answer is one compressed record, appended and found again by its place.


FOLDER = "warc"
LARGEST_FILE = 1 << 30  # bytes of one WARC file
_LONGEST_RECORD = 1 << 30  # bytes of a record after unpacking


class WarcPlace(NamedTuple):
    """Where a record is."""

    file: int
    offset: int
    length: int


class StoredAnswer(NamedTuple):
    """An answer that was read back, with its address and time."""

    address: str
    at: str
    answer: HttpAnswer


class WarcStore:
    """The WARC files of a crawl. A process writes to files of its own, and never into one of another."""

    def __init__(self, owned: OwnedFolder, agent: str, *, write: bool = True) -> None:
        self._owned, self._agent = owned, agent
        self.folder = owned.path / FOLDER
        if self.folder.is_symlink():
            raise InputError(str(self.folder), "is a link: name a new folder for the crawl")
        if write:
            owned.reserve(FOLDER)
            with reported(self.folder):
                self.folder.mkdir(exist_ok=True)
        self._file: io.FileIO | None = None
        self._number = max(self.numbers(), default=0)

    def numbers(self) -> list[int]:
        """The numbers of the files that are there."""
        names = (
            path.name.removesuffix(".warc.gz").removeprefix("pages-") for path in self.folder.glob("pages-*.warc.gz")
        )
        return sorted(int(name) for name in names if name.isdigit())

    def path(self, number: int) -> Path:
        return self.folder / f"pages-{number:05}.warc.gz"

    def add(self, address: str, answer: HttpAnswer, reason: str, *, at: datetime, ip: str = "") -> WarcPlace:
        """Store an answer; when this returns, the system has its bytes."""
        from warcio.statusandheaders import StatusAndHeaders

        headers = [(_kept_name(name), value) for name, value in answer.headers]
        headers.append(("Content-Length", str(len(answer.body))))
        more = {"WARC-Date": at.strftime("%Y-%m-%dT%H:%M:%SZ")}
        if ip:
            more["WARC-IP-Address"] = ip
        if answer.cut:
            more["WARC-Truncated"] = "length"
        http = StatusAndHeaders(f"{answer.status} {reason}".strip(), headers, protocol="HTTP/1.1")
        return self._append("response", address, http, answer.body, more)

    def add_unchanged(self, address: str, digest: str, *, at: datetime, status: int) -> WarcPlace:
        """Store that a page is as it was."""
        from warcio.statusandheaders import StatusAndHeaders

        profile = "http://netpreserve.org/warc/1.0/revisit/" + (
            "server-not-modified" if status == 304 else "identical-payload-digest"
        )
        more = {
            "WARC-Date": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "WARC-Profile": profile,
            "WARC-Payload-Digest": payload_digest(digest),
        }
        http = StatusAndHeaders(f"{status} {'Not Modified' if status == 304 else 'OK'}", [], protocol="HTTP/1.1")
        return self._append("revisit", address, http, b"", more)

    def _append(self, kind: str, address: str, http: object, body: bytes, more: dict[str, str]) -> WarcPlace:
        from warcio.warcwriter import WARCWriter

        with reported(self.folder, len(body)):
            file = self._open()
            packed = io.BytesIO()
            writer = WARCWriter(packed, gzip=True)
            record = writer.create_warc_record(
                address, kind, payload=io.BytesIO(body), length=len(body), http_headers=http, warc_headers_dict=more
            )
            writer.write_record(record)
            offset = file.seek(0, os.SEEK_END)
            view = packed.getbuffer()
            done = 0
            while done < len(view):
                done += file.write(view[done:]) or 0
        return WarcPlace(self._number, offset, len(view))

    def _open(self) -> io.FileIO:
        """The file to append to; a new one for each process, and when one is full."""
        if self._file is not None and self._file.tell() < LARGEST_FILE:
            return self._file
        self.close()
        from warcio.warcwriter import WARCWriter

        self._number += 1
        path = self.path(self._number)
        self._owned.reserve(f"{FOLDER}/{path.name}")
        self._file = io.FileIO(path, "x", opener=open_stored)
        packed = io.BytesIO()
        writer = WARCWriter(packed, gzip=True)
        facts = {"software": self._agent, "format": "WARC File Format 1.0", "robots": "obey"}
        writer.write_record(writer.create_warcinfo_record(path.name, facts))
        self._file.write(packed.getvalue())
        return self._file

    def flush(self) -> None:
        """Flush the current file to the disk."""
        if self._file is not None:
            with reported(self.folder):
                os.fsync(self._file.fileno())

    def close(self) -> None:
        if self._file is not None:
            self.flush()
            self._file.close()
            self._file = None

    def check(self, number: int) -> None:
        """Read a file in full: each of its records has a checksum. InputError where one is damaged."""
        path = self.path(number)
        try:
            with open(path, "rb", opener=open_stored) as packed, gzip.open(packed) as file:
                while file.read(1 << 20):
                    pass
        except (OSError, zlib.error, EOFError) as error:
            raise InputError(str(path), f"is damaged ({error}): crawl again with --again") from None

    def read(self, place: WarcPlace) -> StoredAnswer:
        """The answer at a place; InputError where it is damaged."""
        path = self.path(place.file)
        try:
            with open(path, "rb", opener=open_stored) as file:
                file.seek(place.offset)
                packed = file.read(place.length)
            found = _record(_unpacked(packed)[0])
        except (OSError, ValueError, zlib.error, EOFError) as error:
            where = f"{path} at byte {place.offset}"
            raise InputError(where, f"is damaged ({error}): crawl again with --again") from None
        return found

    def behind(self, number: int, end: int) -> Iterator[tuple[WarcPlace, StoredAnswer]]:
        """The complete responses behind a byte of a file: a killed process wrote them and could not note them.

        What is behind the last complete record is cut off.
        """
        path = self.path(number)
        with contextlib.suppress(FileNotFoundError), open(path, "rb+", opener=open_stored) as file:
            file.seek(end)
            rest = file.read()
            at = 0
            while at < len(rest):
                try:
                    content, size = _unpacked(rest[at:])
                except (ValueError, zlib.error, EOFError):
                    file.truncate(end + at)
                    return
                with contextlib.suppress(ValueError):
                    yield WarcPlace(number, end + at, size), _record(content)
                at += size


def payload_digest(sha256: str) -> str:
    """A digest as WARC writes it."""
    return f"sha256:{base64.b32encode(bytes.fromhex(sha256)).decode()}" if sha256 else ""


def body_digest(body: bytes) -> str:
    """The SHA-256 of a page."""
    return hashlib.sha256(body).hexdigest()


def _kept_name(name: str) -> str:
    """The name under which a header is kept: a body is stored as it was read, unpacked and in one piece."""
    changed = ("content-encoding", "transfer-encoding", "content-length")
    return f"X-Archive-Orig-{name.title()}" if name in changed else name.title()


def _unpacked(packed: bytes) -> tuple[bytes, int]:
    """One member of a gzip file, and its length there."""
    unpack = zlib.decompressobj(16 + zlib.MAX_WBITS)
    content = unpack.decompress(packed, _LONGEST_RECORD)
    if not unpack.eof:
        raise EOFError("a record is not complete")
    return content, len(packed) - len(unpack.unused_data)


def _record(content: bytes) -> StoredAnswer:
    """The answer in a record; ValueError for a record of another kind."""
    head, _, block = content.partition(b"\r\n\r\n")
    headers = dict(reversed(parse_headers(head.decode("utf-8", "replace").splitlines()[1:])))
    if headers.get("warc-type") != "response":
        raise ValueError("is not a response")
    block = block[: int(headers.get("content-length", "0"))]
    answer = parse_answer(block, _LONGEST_RECORD)
    answer = HttpAnswer(answer.status, answer.headers, answer.body, cut="warc-truncated" in headers)
    return StoredAnswer(headers.get("warc-target-uri", ""), headers.get("warc-date", ""), answer)
