"""Files written whole or not at all: the old content stays until the new one is on disk.

Every file is first written under a random name beside its target, flushed to the disk, and then put in place by one
rename. So a reader sees the old file or the new one, whoever is killed and whenever the power fails.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from leadline.errors import InputError
from leadline.text.lock import hold

PART_PREFIX, PART_SUFFIX = ".leadline-", ".part"  # of files in the making
_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_PART_NAME = re.compile(rf"{re.escape(PART_PREFIX)}[0-9a-f]{{16}}{re.escape(PART_SUFFIX)}")
PathLike = str | os.PathLike[str]


def write_whole(path: PathLike, content: bytes) -> None:
    """Write a file whole or not at all. A device or a pipe is written to as it is."""
    with replacing(path, expected_bytes=len(content)) as file:
        file.write(content)


@contextlib.contextmanager
def replacing(path: PathLike, *, expected_bytes: int = 0) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of `path` when the block ends without an error."""
    with reported(path, expected_bytes):
        target = _target(path)
        if target.exists() and not target.is_file():
            if not is_trusted(target.stat().st_uid):
                raise InputError(os.fspath(path), "is a pipe or device of another user: name another file")
            with target.open("wb") as device:
                yield device
            return
        part, descriptor = new_file(target.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            with contextlib.suppress(FileNotFoundError):
                before = target.stat()
                if is_trusted(before.st_uid):  # another user's file may be open to all
                    part.chmod(stat.S_IMODE(before.st_mode))
            os.replace(part, target)
        except BaseException:
            with contextlib.suppress(OSError):
                part.unlink()
            raise
        sync_folder(target.parent)


def new_file(folder: Path) -> tuple[Path, int]:
    """A new file under a name that nobody can guess, and its descriptor; a link in its place is never followed."""
    while True:
        path = folder / f"{PART_PREFIX}{secrets.token_hex(8)}{PART_SUFFIX}"
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(path, _NEW_FILE, 0o666)  # the system's umask applies
            hold(descriptor)
            return path, descriptor


def is_trusted(user: int) -> bool:
    """Whether what a user wrote is believed: this user's own, and the system's."""
    return not hasattr(os, "geteuid") or user in (os.geteuid(), 0)


def is_leftover(path: Path) -> bool:
    """Whether a file in the making was left by a process that was killed: it is ours, and nobody writes it."""
    if os.name != "posix" or not _PART_NAME.fullmatch(path.name):
        return False
    try:
        with os.fdopen(os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            about = os.fstat(file.fileno())
            return stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid() and hold(file.fileno())
    except OSError:
        return False


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
        reason = (
            "no such file or folder" if isinstance(error, FileNotFoundError) else (error.strerror or str(error)).lower()
        )
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            reason = no_room(name, expected_bytes)
        raise InputError(name, f"cannot be written: {reason}") from None


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
