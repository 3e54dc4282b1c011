"""Files written whole or not at all, a lock on a folder, files in the user's cache, JSON for every reader.

Every file is first written under a random name beside its target, flushed to the disk, and then put in place by one
rename. So a reader sees the old file or the new one, whoever is killed and whenever the power fails. What a killed
process left is removed by the next that writes to the folder: a file of this user under such a name that nobody locks.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import Collection, Iterator
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from leadline.errors import InputError, is_panic, shortage_in, system_reason, visible
from leadline.text.checksums import open_stored
from leadline.text.owned_files import PathLike, check_not_ours

# An exclusive lock on a folder, so that two processes never write there at the same time.
#
# The operating system releases the lock when its process ends, however it ends.


LOCK_FILE = "lock"
PATIENCE = 30.0  # seconds to wait for others who change a small file
_PAUSE = 0.005

if sys.platform == "win32":
    import msvcrt

    def try_lock(file: FileIO) -> bool:
        """Lock a file if no one else has; whether that worked."""
        file.seek(1 << 30)  # others cannot read a locked byte, so lock one far behind the holder's name
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def try_lock(file: FileIO) -> bool:
        """Lock a file if no one else has; whether that worked."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def hold(descriptor: int) -> bool | None:
    """Mark an open file as being written until it is closed; whether nobody else does. None where that is unknown."""
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a disk without locks
        return None
    return True


def this_process() -> str:
    """The process that holds a lock, as others read it: its id, its machine, and since when."""
    import socket  # which takes 2 ms, and most commands take no lock

    return f"process {os.getpid()} on {socket.gethostname()}, since {time.strftime('%Y-%m-%d %H:%M:%S')},"


class FolderLock:
    """The lock on a folder, as a context manager. A file in the folder, by default `lock`, names its holder.

    Somebody else's lock is waited for as many seconds as `patience` says.
    """

    def __init__(self, folder: str | os.PathLike[str], name: str = LOCK_FILE, *, patience: float = 0.0) -> None:
        self.path, self._patience = Path(folder) / name, patience
        self._file: FileIO | None = None

    def acquire(self) -> None:
        """Lock the folder, or raise InputError with the process that holds the lock."""
        until = time.monotonic() + self._patience
        while self._file is None:
            try:
                file = FileIO(self.path, "a+", opener=open_stored)
            except OSError as error:
                raise InputError(str(self.path), f"cannot be locked: {system_reason(error)}") from None
            if not try_lock(file):
                if time.monotonic() < until:
                    file.close()
                    time.sleep(_PAUSE)
                    continue
                file.seek(0)
                holder = file.read(200).decode("utf-8", "replace").strip() or "another process"
                file.close()
                raise InputError(str(self.path.parent), f"{holder} is writing in this folder")
            if self._is_current(file):
                self._file = file
            else:
                file.close()
        self._file.truncate(0)
        with contextlib.suppress(OSError):  # on a full disk the lock holds, without the name of its holder
            self._file.write(f"{this_process()}\n".encode())

    def _is_current(self, file: FileIO) -> bool:
        """Whether the file is still in the folder: a holder may delete it after it was opened here, before the lock."""
        try:
            return os.path.samestat(self.path.stat(), os.fstat(file.fileno()))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Unlock the folder and delete the lock file."""
        if self._file is None:
            return
        if sys.platform == "win32":  # where an open file cannot be deleted
            self._file.close()
        with contextlib.suppress(OSError):  # on Windows another process may have opened it by now
            self.path.unlink()
        self._file.close()
        self._file = None

    def __enter__(self) -> FolderLock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


PART_PREFIX, PART_SUFFIX = ".leadline-", ".part"  # of files in the making
_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
PIPE_WAIT = 5.0  # seconds in which somebody must begin to read a named pipe
_tidied: set[Path] = set()  # folders in which this process has looked for leftovers
_PART_NAME = re.compile(rf"{re.escape(PART_PREFIX)}[0-9a-f]{{16}}{re.escape(PART_SUFFIX)}")
_ZEROS = 1 << 20  # bytes written at a time where the system cannot reserve disk space
_LITTLE_ROOM = 256 << 10  # bytes: SQLite wants more than that for a log and its index
_FILES_OF_SQLITE = 4  # a database, its log, the index of the log, the folder
_CANNOT_RESERVE = (errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS)


def write_whole(path: PathLike, content: bytes) -> None:
    """Write a file of the user's whole or not at all, as `replacing` does."""
    with replacing(path, expected_bytes=len(content)) as file:
        file.write(content)


def write_stored(path: PathLike, content: bytes) -> None:
    """Write a file of our own folders whole or not at all; a link, a pipe or a device in its place is refused."""
    with reported(path, len(content)):
        target = Path(path)
        if os.path.lexists(target) and not stat.S_ISREG(target.lstat().st_mode):
            raise InputError(str(path), "is a link, a folder, a pipe or a device, expected a file: remove it")
        with _part_of(target) as file:
            file.write(content)


@contextlib.contextmanager
def replacing(path: PathLike, *, expected_bytes: int = 0, makes: Collection[str] | None = None) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of `path` when the block ends without an error.

    A device or a pipe is written to as it is. A file of ours is refused, see `owned_files.py`, which `makes` is for.
    """
    with reported(path):
        check_not_ours(path, makes)
    with replacing_ours(path, expected_bytes=expected_bytes) as file:
        yield file


@contextlib.contextmanager
def replacing_ours(path: PathLike, *, expected_bytes: int = 0) -> Iterator[IO[bytes]]:
    """A file to write to, as `replacing` gives it, where we may write one of our own."""
    with reported(path, expected_bytes):
        target = _target(path)
        if target.exists() and not target.is_file():
            if not is_trusted(target.stat().st_uid):
                raise InputError(os.fspath(path), "is a pipe or device of another user: name another file")
            with open(target, "wb", opener=_open_with_reader) as device:
                yield device
            return
        tidy(target.parent)
        with _part_of(target) as file:
            yield file


@contextlib.contextmanager
def changing(path: PathLike) -> Iterator[None]:
    """Read a file, change what it says and write it in this block: others who do the same wait.

    The lock is a file beside it under a name of files in the making, so that what a killed process left is removed.
    """
    with reported(path):
        target = _target(path)
        digest = hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]
        lock = FolderLock(target.parent, f"{PART_PREFIX}{digest}{PART_SUFFIX}", patience=PATIENCE)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _part_of(target: Path) -> Iterator[IO[bytes]]:
    """A new file that is flushed to the disk and takes the place of another when the block ends without an error."""
    part, descriptor = new_file(target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if os.name == "posix":  # while it is locked, so that nobody takes it for a leftover
                _put_in_place(part, target)
        if os.name != "posix":
            _put_in_place(part, target)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
    sync_folder(target.parent)


def _put_in_place(part: Path, target: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        before = target.stat()
        if is_trusted(before.st_uid):  # another user's file may be open to all
            part.chmod(stat.S_IMODE(before.st_mode))
    os.replace(part, target)


def new_file(folder: Path, mode: int = 0o666) -> tuple[Path, int]:
    """A new file under a name that nobody can guess, and its descriptor; a link in its place is never followed."""
    while True:
        path = folder / f"{PART_PREFIX}{os.urandom(8).hex()}{PART_SUFFIX}"
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(path, _NEW_FILE, mode)  # the system's umask applies
            if hold(descriptor) is not False and os.fstat(descriptor).st_nlink:
                return path, descriptor
            os.close(descriptor)  # taken for a leftover before it was locked


def put_first(part: Path, path: Path) -> None:
    """Give a file its name, unless another process was first."""
    try:
        os.link(part, path)
    except FileExistsError:
        pass
    except OSError:  # a disk without hard links
        if not os.path.lexists(path):
            os.replace(part, path)


def _open_with_reader(path: str, flags: int) -> int:
    """Open a device, or a pipe as soon as somebody reads it: OSError where nobody does within some seconds."""
    end = time.monotonic() + PIPE_WAIT
    while True:
        try:
            descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            if time.monotonic() > end:
                raise OSError(errno.ENXIO, f"nobody read the pipe within {PIPE_WAIT:g} seconds") from None
            time.sleep(0.05)
        else:
            if hasattr(os, "set_blocking"):
                os.set_blocking(descriptor, True)
            return descriptor


def is_trusted(user: int) -> bool:
    """Whether what a user wrote is believed: this user's own, and the system's."""
    return not hasattr(os, "geteuid") or user in (os.geteuid(), 0)


def user_name(user: int) -> str:
    """What a user is called; the number where it has no name here."""
    try:
        import pwd

        return pwd.getpwuid(user).pw_name
    except (ImportError, KeyError):
        return f"number {user}"


def is_leftover(path: Path, *, remove: bool = False) -> bool:
    """Whether a file in the making was left by a process that was killed: it is ours, and nobody writes it."""
    if os.name != "posix" or not _PART_NAME.fullmatch(path.name):
        return False
    try:
        descriptor = open_stored(path, os.O_RDWR)
        try:
            if os.fstat(descriptor).st_uid != os.geteuid() or not hold(descriptor):
                return False
            if remove:  # while it is locked here: its writer may have made it just now, and not locked it yet
                path.unlink()
            return True
        finally:
            os.close(descriptor)
    except OSError:
        return False


def remove_leftovers(folder: Path) -> None:
    """Remove the files in the making that killed processes left in a folder."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(PART_PREFIX):
                is_leftover(Path(entry.path), remove=True)


def tidy(folder: Path) -> None:
    """Remove what killed processes left in a folder, the first time that this process writes there."""
    if folder not in _tidied:
        _tidied.add(folder)
        remove_leftovers(folder)


def sync_folder(folder: PathLike) -> None:
    """Flush a folder's list of names to the disk, where the system can."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _target(path: PathLike) -> Path:
    """The file to replace. A link is followed when it is the user's own; somebody else's may lead anywhere."""
    if not os.fspath(path):
        raise FileNotFoundError(errno.ENOENT, "no such file")
    given = Path(path)
    if given.is_symlink() and not is_trusted(given.lstat().st_uid):
        raise InputError(str(given), "is a link that another user made: name the file itself")
    return Path(os.path.realpath(given))


@contextlib.contextmanager
def reported(path: PathLike, expected_bytes: int = 0) -> Iterator[None]:
    """Turn the errors of writing into one line: what could not be written, why, and how much room was missing."""
    try:
        yield
    except OSError as error:
        raise _unwritten(path, error, expected_bytes) from None
    except BaseException as error:  # panics are no Exceptions
        short = shortage_in(error) if isinstance(error, Exception) or is_panic(error) else None
        if short is None or short.errno == errno.ENOMEM:  # memory is not short because of this file
            raise
        raise _unwritten(path, short, expected_bytes) from None


def _unwritten(path: PathLike, error: OSError, expected_bytes: int) -> InputError:
    name = os.fspath(path) or "output"
    reason = "no such file or folder" if isinstance(error, FileNotFoundError) else system_reason(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        reason = no_room(name, expected_bytes)
    return InputError(name, f"cannot be written: {reason}")


def reserve_space(descriptor: int, size: int) -> None:
    """Reserve the disk space of a new file: writing to a memory-mapped file on a full disk ends the process."""
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(descriptor, 0, size)
        except OSError as error:
            if error.errno not in _CANNOT_RESERVE:
                raise
        else:
            return
    for start in range(0, size, _ZEROS):
        os.write(descriptor, bytes(min(_ZEROS, size - start)))
    os.lseek(descriptor, 0, os.SEEK_SET)


def no_room(path: PathLike, needed: int) -> str:
    """That the disk is full, with how much was needed and how much there is."""
    folder = Path(path).absolute()
    while not folder.is_dir():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    wanted = f"{readable_size(needed)} needed, " if needed else ""
    return f"the disk is full ({wanted}{readable_size(free)} free)"


def shortage_at(path: PathLike) -> str:
    """What is short at a place where SQLite could not write and does not say why; empty if nothing is."""
    if shutil.disk_usage(Path(path).absolute().parent).free < _LITTLE_ROOM:
        return no_room(path, 0)
    with contextlib.ExitStack() as opened:
        try:
            for _ in range(_FILES_OF_SQLITE):
                opened.enter_context(open(os.devnull, "rb"))
        except OSError as error:
            return system_reason(error)
    too_large = system_reason(OSError(errno.EFBIG, os.strerror(errno.EFBIG)))
    return too_large if "ulimit" in too_large else ""


def readable_size(count: int) -> str:
    """A number of bytes for people.

    >>> readable_size(999), readable_size(1_500_000)
    ('999 bytes', '1.5 MB')
    """
    if count < 1000:
        return f"{count} bytes"
    size, unit = float(count), 0
    while size >= 1000 and unit < 4:
        size, unit = size / 1000, unit + 1
    return f"{size:.1f} {('bytes', 'kB', 'MB', 'GB', 'TB')[unit]}"


# Files in the user's cache: believed only with their checksum, and where no other user could have written them.
#
# The checksum covers the name of the file, so that one file in the place of another is not believed either.


_MOST_LINKS = 40  # on the way to the cache, as Linux follows them


def cache_directory() -> Path:
    """The folder of the cache: LEADLINE_CACHE, or in the user's cache. A relative path means that there is none."""
    named = os.environ.get("LEADLINE_CACHE")
    if named:
        return Path(named).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "leadline"


def read_cached(path: Path) -> bytes | None:
    """What `write_cached` wrote; None where it is missing or damaged, or other users could have written it.

    The checksum matters: LLVM crashes on an object file that is damaged.
    """
    try:
        if not path.is_absolute() or not _is_private_folder(path.parent):
            return None
        with open(path, "rb", opener=open_stored) as file:
            stored = file.read() if _is_private(os.fstat(file.fileno())) else b""
    except OSError:
        return None
    return checked_content(path, stored)


def write_cached(path: Path, content: bytes) -> OSError | None:
    """Write a file and its checksum, whole or not at all; returns the error where the cache cannot be written."""
    if not path.is_absolute():
        return FileNotFoundError("there is no home folder for a cache")
    part = None
    try:
        _make_private(path.parent)
        remove_leftovers(path.parent)
        part, descriptor = new_file(path.parent, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(with_checksum(path, content))
            file.flush()
            os.fsync(file.fileno())
            if os.name == "posix":  # while it is locked, so that nobody takes it for a leftover
                os.replace(part, path)
        if os.name != "posix":
            os.replace(part, path)
    except OSError as error:
        if part is not None:
            part.unlink(missing_ok=True)
        return error
    return None


def hold_cached(path: Path) -> FileIO | None:
    """Mark a file of the cache as being made, until the returned file is closed; None where nothing can be cached.

    Raises BlockingIOError where another process makes it. What a killed process leaves is removed as other leftovers.
    """
    digest = hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16]
    try:
        if not path.is_absolute():
            return None
        _make_private(path.parent)
        file = FileIO(path.parent / f"{PART_PREFIX}{digest}{PART_SUFFIX}", "a", opener=open_stored)
    except OSError:
        return None
    if hold(file.fileno()) is False:
        file.close()
        raise BlockingIOError
    return file


def with_checksum(path: Path, content: bytes) -> bytes:
    """What a file holds beside others of its kind: a checksum of its name and content, and the content."""
    return hashlib.sha256(os.fsencode(path.name) + b"\0" + content).digest() + content


def checked_content(path: Path, stored: bytes) -> bytes | None:
    """The content that `with_checksum` took; None where it is damaged, or that of another file."""
    return stored[32:] if stored == with_checksum(path, stored[32:]) else None


def _make_private(folder: Path) -> None:
    """Make a folder that only this user can read and write, whatever the umask; refuse one that others can write."""
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    if not _has_trusted_links(nearest):
        raise PermissionError(f"a link on the way to {folder} belongs to another user")
    try:
        folder.mkdir(mode=0o700, parents=True)
        folder.chmod(0o700)
    except FileExistsError:
        if not _is_private_folder(folder):
            raise PermissionError(f"other users can write to {folder}") from None


def _is_private_folder(folder: Path) -> bool:
    """Whether a folder is private, and no other user's link is on the way to it."""
    return _is_private(folder.stat()) and _has_trusted_links(folder)


def _has_trusted_links(path: Path, most: int = _MOST_LINKS) -> bool:
    """Whether every link in a path, and in the paths that links lead to, is this user's or the system's."""
    for place in (*reversed(path.parents), path):
        about = place.lstat()
        if stat.S_ISLNK(about.st_mode):
            target = place.parent / place.readlink()
            if not most or not is_trusted(about.st_uid) or not _has_trusted_links(target, most - 1):
                return False
    return True


def _is_private(about: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user, and nobody else may write to it."""
    return not hasattr(os, "geteuid") or (about.st_uid == os.geteuid() and not about.st_mode & 0o022)


# JSON that every reader accepts.


_NOT_UNICODE = re.compile("[\ud800-\udfff]")
_HIDDEN = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")  # could control a terminal


def json_text(value: Any, *, indent: int | None = 1) -> str:
    """Return a value as JSON: a number that is not finite is null, and a byte that is not UTF-8 is written as \\xff.

    >>> json_text({"AP": float("nan"), "run": "a\\udcff"}, indent=None)
    '{"AP": null, "run": "a\\\\\\\\xff"}'
    """
    text = json.dumps(_finite(value), ensure_ascii=False, indent=indent, allow_nan=False)
    if text.isascii():
        return text
    text = _NOT_UNICODE.sub(lambda found: visible(found[0]).replace("\\", "\\\\"), text)
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _finite(value: Any) -> Any:
    """The value with None for every number that is not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, (list, tuple)) else value
