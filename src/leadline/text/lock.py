"""An exclusive lock on a folder, so that two processes never write there at the same time.

The operating system releases the lock when its process ends, however it ends.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import time
from io import FileIO
from pathlib import Path
from types import TracebackType

from leadline.errors import InputError, system_reason
from leadline.text.stored import open_stored

LOCK_FILE = "lock"

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
    return f"process {os.getpid()} on {socket.gethostname()}, since {time.strftime('%Y-%m-%d %H:%M:%S')},"


class FolderLock:
    """The lock on a folder, as a context manager. The file `lock` in the folder names its holder."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.path = Path(folder) / LOCK_FILE
        self._file: FileIO | None = None

    def acquire(self) -> None:
        """Lock the folder, or raise InputError with the process that holds the lock."""
        while self._file is None:
            try:
                file = FileIO(self.path, "a+", opener=open_stored)
            except OSError as error:
                raise InputError(str(self.path), f"cannot be locked: {system_reason(error)}") from None
            if not try_lock(file):
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
