"""Make, open and copy the file of a store, without trusting it and without leaving anything beside it."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from leadline.errors import InputError, system_reason
from leadline.text.checksums import stored_bytes
from leadline.text.files import changing, new_file, put_first, reported, shortage_at, sync_folder, tidy
from leadline.text.owned_files import LOGS
from leadline.text.store.events import begin_chain
from leadline.text.store.kind import Execute, StoreKind

Fill = Callable[[Execute], None]
PATIENCE = 30.0  # seconds to wait for another writer
BESIDE = (*LOGS, "-journal")  # what SQLite may make beside a file while it is open for writing
LARGEST_COPY = 4 << 30  # bytes that are read into memory
LARGEST_VALUE = 64 << 20  # bytes of a value that SQLite reads
_MAGIC, _ROLLBACK = b"SQLite format 3\0", b"\1\1"
_READ_ONLY = "cannot be written: the file or its folder is read-only, or belongs to another user"
_TICK = 0.02  # seconds: writes that are further apart have different times


def make(path: Path, kind: StoreKind, fill: Fill | None = None) -> None:
    """Make a store where there is none: whole, and by one process, while others that want to wait.

    With `fill`, what an earlier version kept is put in it first, and the file of an earlier version under this name is
    replaced.
    """
    if not path.parent.is_dir():
        raise InputError(str(path.parent), "no such folder")
    if is_made(path, older=fill is not None):
        return
    with changing(path):
        if not is_made(path, older=fill is not None):
            with new_database(path, replaces=fill is not None) as connection:
                begin(connection, kind, fill)
                connection.execute("pragma journal_mode = wal")


def is_made(path: Path, *, older: bool) -> bool:
    """Whether there is a store; where there may be a file of an earlier version, only if it is a database."""
    if not older or not os.path.lexists(path):
        return os.path.lexists(path)
    # One that is open has a log, and is not read here: closing it would give up the locks of this process.
    return os.path.lexists(f"{path}-shm") or stored_bytes(path, len(_MAGIC)) == _MAGIC


def begin(connection: sqlite3.Connection, kind: StoreKind, fill: Fill | None) -> None:
    """Make the tables of a store in an empty database, and what is in it from the beginning."""
    connection.execute("begin")
    connection.execute(f"pragma application_id = {kind.application}")
    connection.execute(f"pragma user_version = {kind.format}")
    connection.execute(kind.events)
    begin_chain(connection.execute, kind)
    if fill is not None:
        fill(connection.execute)
    connection.execute("commit")


@contextlib.contextmanager
def new_database(target: Path, *, replaces: bool = False) -> Iterator[sqlite3.Connection]:
    """A new private file, which gets its name when the block ends without an error, unless another has it by then.

    With `replaces`, it takes the place of the other.
    """
    with reported(target):
        part, descriptor = new_file(target.parent, 0o600)
    try:
        with contextlib.closing(sqlite3.connect(part, isolation_level=None)) as connection:
            yield connection
        with reported(target):
            os.fsync(descriptor)
            if replaces:
                os.replace(part, target)
            else:
                put_first(part, target)
    finally:
        os.close(descriptor)
        for end in ("", *BESIDE):
            Path(f"{part}{end}").unlink(missing_ok=True)
    sync_folder(target.parent)


def check_place(path: Path, *, writing: bool) -> None:
    """Refuse what is missing or not a plain file. What everybody may read is closed to them when it is written to."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        raise InputError(str(path), "no such file") from None
    if not stat.S_ISREG(mode):
        raise InputError(str(path), "is not a plain file, so it is not opened")
    if writing and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):  # SQLite would only read it
        raise InputError(str(path), _READ_ONLY)
    if writing and mode & 0o007:
        with contextlib.suppress(OSError):
            path.chmod(stat.S_IMODE(mode) & ~0o007)


def connect_to_write(path: Path) -> sqlite3.Connection:
    """A connection that reads and writes."""
    check_place(path, writing=True)
    tidy(path.absolute().parent)
    return _connected(path, "rw")


def on_disk(connection: sqlite3.Connection) -> bool:
    """Whether a connection has a file open. What SQLite calls a copy in memory is no path."""
    return Path(connection.execute("pragma database_list").fetchone()[2]).is_absolute()


def connect_to_read(path: Path, kind: StoreKind, fill: Fill | None) -> sqlite3.Connection:
    """A connection that only reads: a store, or with `fill` what an earlier version kept while there is none.

    Another process may make the store while that is read, and remove the older files: then the store is read instead.
    """
    while fill is not None and not is_made(path, older=True):
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        try:
            begin(connection, kind, fill)
        except BaseException:
            connection.close()
            if is_made(path, older=True):
                continue
            raise
        if not is_made(path, older=True):
            return _guarded(connection)
        connection.close()
    check_place(path, writing=False)
    return _connected_to_read(path, kind)


def _connected_to_read(path: Path, kind: StoreKind) -> sqlite3.Connection:
    """A connection to the file of a store while somebody has it open, to a copy in memory otherwise."""
    if all(Path(f"{path}{end}").exists() for end in ("-wal", "-shm")):
        connection = _connected(path, "ro")
        try:
            connection.execute("select count(*) from sqlite_master").fetchone()
        except sqlite3.OperationalError:  # the log is there, and may not be used by this user or on this disk
            connection.close()
        else:
            return connection
    return _guarded(_copy_in_memory(path, kind))


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?mode={mode}"
    found = sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    return _guarded(found)


def _guarded(connection: sqlite3.Connection) -> sqlite3.Connection:
    """A connection for which nothing in the file is code, and no value is larger than any that is written."""
    connection.execute("pragma trusted_schema = off")
    connection.execute("pragma cell_size_check = on")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    setconfig: Any = getattr(connection, "setconfig", None)
    if setconfig is not None:  # from Python 3.12 on
        setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)  # type: ignore[attr-defined, unused-ignore]
    return connection


def _copy_in_memory(path: Path, kind: StoreKind) -> sqlite3.Connection:
    """A copy of a store as it is at one moment, with what is in the log of a process that was killed."""
    content = _content(path)
    whole = content.pop("")
    if not whole.startswith(_MAGIC):
        raise InputError(str(path), f"is not {kind.name}")
    if any(content.values()):
        whole = _recovered(whole, content)
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    copy.deserialize(whole[:18] + _ROLLBACK + whole[20:])  # says of itself that it needs no log
    return copy


def _content(path: Path) -> dict[str, bytes]:
    """The bytes of a file and of its log, read while nobody wrote them."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        before = _state(path)
        if "" not in before:
            raise InputError(str(path), "no such file")
        if sum(size for _, size, _ in before.values()) > LARGEST_COPY:
            raise InputError(str(path), f"is larger than {LARGEST_COPY >> 30} GB, more than is read")
        if _is_at_rest(before):
            with contextlib.suppress(FileNotFoundError):  # a log that has gone
                content = {end: stored_bytes(f"{path}{end}") for end in before}
                if _state(path) == before:
                    return content
        time.sleep(_TICK)
    raise InputError(str(path), "is being written all the time: try again later")


def length_problem(path: Path) -> str:
    """Whether the file of a store that nobody has open is cut off, or has more than its pages; empty if neither."""
    content = _content(path)
    whole = content.pop("")
    if any(content.values()) or not whole.startswith(_MAGIC):  # the log has the rest; or it is of an earlier version
        return ""
    page = int.from_bytes(whole[16:18], "big")
    expected = (page if page > 1 else 65_536) * int.from_bytes(whole[28:32], "big")
    return "" if len(whole) == expected else f"it has {len(whole):,} bytes, and its pages {expected:,}"


def _state(path: Path) -> dict[str, tuple[int, int, int]]:
    """What tells one content of a file and its log from another: the number, size and time of each that is there."""
    found = {}
    for end in ("", "-wal", "-journal"):
        with contextlib.suppress(FileNotFoundError):
            about = os.stat(f"{path}{end}", follow_symlinks=False)
            found[end] = about.st_ino, about.st_size, about.st_mtime_ns
    return found


def _is_at_rest(state: dict[str, tuple[int, int, int]]) -> bool:
    """Whether the last write was so long ago that the next one will have another time."""
    return abs(time.time() - max(at for _, _, at in state.values()) / 1e9) > _TICK


def version_of(path: Path) -> object | None:
    """What tells one content of a store from another without reading it; None while it may change without showing."""
    state = _state(path)
    return state if state and _is_at_rest(state) else None


def _recovered(whole: bytes, logs: Mapping[str, bytes]) -> bytes:
    """The content of a store with its log, as SQLite puts them together in a private folder."""
    with tempfile.TemporaryDirectory(prefix="leadline-") as folder:
        place = Path(folder) / "store"
        for end, content in {"": whole, **logs}.items():
            Path(f"{place}{end}").write_bytes(content)
        with contextlib.closing(_connected(place, "rw")) as connection:
            connection.execute("select count(*) from sqlite_master").fetchone()
            connection.execute("pragma journal_mode = delete").fetchone()
        return place.read_bytes()


@contextlib.contextmanager
def errors_reported(path: Path, kind: StoreKind) -> Iterator[None]:
    """Errors of SQLite and of the file system as one line."""
    try:
        with sqlite_reported(path, kind):
            yield
    except UnicodeDecodeError:  # SQLite's own message quotes the damaged file
        raise InputError(str(path), f"is damaged, it has a text that cannot be decoded: {kind.repair}") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be opened: {system_reason(error)}") from None


@contextlib.contextmanager
def sqlite_reported(path: Path, kind: StoreKind) -> Iterator[None]:
    """Errors of SQLite as one line, and nobody else's."""
    try:
        yield
    except sqlite3.Error as error:
        raise InputError(str(path), _reason(error, path, kind)) from None


def _reason(error: sqlite3.Error, path: Path, kind: StoreKind) -> str:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:  # of Python's own module, whose message may quote the file
        return f"is damaged, it has a text that cannot be decoded: {kind.repair}"
    match code & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return f"is held by another process, which did not let it go within {PATIENCE:g} seconds: try again"
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR | sqlite3.SQLITE_CANTOPEN if short := shortage_at(path):
            return f"cannot be written: {short}"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return _READ_ONLY
        case sqlite3.SQLITE_NOTADB:
            return f"is not {kind.name}, or is damaged"
        case sqlite3.SQLITE_CORRUPT:
            return f"is damaged ({error}): {kind.repair}"
        case _:
            return f"cannot be read or written as {kind.name}: {error}"
