"""Files written whole or not at all: the old content stays until the new one is on disk.

Every file is first written under a random name beside its target, flushed to the disk, and then put in place by one
rename. So a reader sees the old file or the new one, whoever is killed and whenever the power fails. What a killed
process left is removed by the next that writes to the folder: a file of this user under such a name that nobody locks.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from leadline.errors import InputError, system_reason
from leadline.text.lock import hold
from leadline.text.stored import open_stored

PART_PREFIX, PART_SUFFIX = ".leadline-", ".part"  # of files in the making
_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
PIPE_WAIT = 5.0  # seconds in which somebody must begin to read a named pipe
_tidied: set[Path] = set()  # folders in which this process has looked for leftovers
_PART_NAME = re.compile(rf"{re.escape(PART_PREFIX)}[0-9a-f]{{16}}{re.escape(PART_SUFFIX)}")
_ZEROS = 1 << 20  # bytes written at a time where the system cannot reserve disk space
_CANNOT_RESERVE = (errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS)
PathLike = str | os.PathLike[str]


def write_whole(path: PathLike, content: bytes) -> None:
    """Write a file whole or not at all. A device or a pipe is written to as it is."""
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
def replacing(path: PathLike, *, expected_bytes: int = 0) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of `path` when the block ends without an error."""
    with reported(path, expected_bytes):
        target = _target(path)
        if target.exists() and not target.is_file():
            if not is_trusted(target.stat().st_uid):
                raise InputError(os.fspath(path), "is a pipe or device of another user: name another file")
            with open(target, "wb", opener=_open_with_reader) as device:
                yield device
            return
        if target.parent not in _tidied:
            _tidied.add(target.parent)
            remove_leftovers(target.parent)
        with _part_of(target) as file:
            yield file


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
        path = folder / f"{PART_PREFIX}{secrets.token_hex(8)}{PART_SUFFIX}"
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(path, _NEW_FILE, mode)  # the system's umask applies
            if hold(descriptor) is not False and os.fstat(descriptor).st_nlink:
                return path, descriptor
            os.close(descriptor)  # taken for a leftover before it was locked


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
        name = os.fspath(path) or "output"
        reason = "no such file or folder" if isinstance(error, FileNotFoundError) else system_reason(error)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            reason = no_room(name, expected_bytes)
        raise InputError(name, f"cannot be written: {reason}") from None


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


def check_output(output: PathLike | None, inputs: Iterable[Any]) -> None:
    """Refuse an output that is also an input: it would be lost before it is read, or after."""
    if output is None or os.fspath(output) == "-" or not Path(output).exists():
        return
    for given in inputs:
        if isinstance(given, (str, os.PathLike)) and Path(given).exists() and Path(output).samefile(given):
            raise InputError(os.fspath(output), "is an input as well as the output: name another file for the output")
