"""Files in the user's cache: believed only with their checksum, and where no other user could have written them.

The checksum covers the name of the file, so that one file in the place of another is not believed either.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from leadline.text.files import is_trusted, new_file, remove_leftovers
from leadline.text.stored import open_stored

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
    digest, content = stored[:32], stored[32:]
    return content if _digest(path, content) == digest else None


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
            file.write(_digest(path, content) + content)
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


def _digest(path: Path, content: bytes) -> bytes:
    return hashlib.sha256(os.fsencode(path.name) + b"\0" + content).digest()


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
