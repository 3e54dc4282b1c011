"""Files in the user's cache: believed only with their checksum, and where no other user could have written them."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from leadline.text.files import is_trusted

_READING = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


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
        with os.fdopen(os.open(path, _READING), "rb") as file:
            about = os.fstat(file.fileno())
            stored = file.read() if stat.S_ISREG(about.st_mode) and _is_private(about) else b""
    except OSError:
        return None
    digest, content = stored[:32], stored[32:]
    return content if hashlib.sha256(content).digest() == digest else None


def write_cached(path: Path, content: bytes) -> OSError | None:
    """Write a file and its checksum, whole or not at all; returns the error where the cache cannot be written."""
    if not path.is_absolute():
        return FileNotFoundError("there is no home folder for a cache")
    part = None
    try:
        _make_private(path.parent)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            part = Path(file.name)
            file.write(hashlib.sha256(content).digest() + content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        if part is not None:
            part.unlink(missing_ok=True)
        return error
    return None


def _make_private(folder: Path) -> None:
    """Make a folder that only this user can read and write, whatever the umask; refuse one that others can write."""
    try:
        folder.mkdir(mode=0o700, parents=True)
        folder.chmod(0o700)
    except FileExistsError:
        if not _is_private_folder(folder):
            raise PermissionError(f"other users can write to {folder}") from None


def _is_private_folder(folder: Path) -> bool:
    """Whether a folder is private, and no other user's link leads to it."""
    link = folder.lstat()
    return _is_private(folder.stat()) and (not stat.S_ISLNK(link.st_mode) or is_trusted(link.st_uid))


def _is_private(about: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user, and nobody else may write to it."""
    return not hasattr(os, "geteuid") or (about.st_uid == os.geteuid() and not about.st_mode & 0o022)
