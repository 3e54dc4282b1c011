"""Open the files that we stored: their names are known, so anyone may have put a link, a pipe or a device there."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFDIR: "a folder", stat.S_IFSOCK: "a socket"}
_EXTRA = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_stored(path: str | os.PathLike[str], flags: int = os.O_RDONLY) -> int:
    """Open a regular file; OSError for a link, and at once, without waiting, for a pipe or a device.

    Also an `opener` for the built-in `open`.
    """
    try:
        descriptor = os.open(path, flags | _EXTRA, 0o666)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK) and Path(path).is_symlink():
            raise OSError(errno.ELOOP, "it is a link, expected a file") from None
        if error.errno == errno.ENXIO:  # a pipe that nobody reads, opened for writing
            raise OSError(errno.ENXIO, "it is a pipe, expected a file") from None
        raise
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, f"it is {_KINDS.get(stat.S_IFMT(mode), 'a device')}, expected a file")
    return descriptor


def stored_bytes(path: str | os.PathLike[str], most: int = -1) -> bytes:
    """The bytes of a regular file, or the first of them."""
    with open(path, "rb", opener=open_stored) as file:
        return file.read(most)


def is_stored(path: Path) -> bool:
    """Whether a regular file is there, not a link to one."""
    return path.is_file() and not path.is_symlink()
