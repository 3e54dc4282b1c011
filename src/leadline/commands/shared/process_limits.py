"""The limits of this process (`ulimit -v`, `ulimit -n`): what libraries would end with a crash is one line.

OpenBLAS and Polars end the process where they cannot reserve memory, and Polars panics where it cannot open what its
threads wait on. So what they need is compared with what is left before they are imported, and less is reserved where
memory is limited.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from pathlib import Path
from typing import Any

# Address space that the import and a small task reserve with the settings below, and as much again for Polars, which
# ends the process when it finds no more. Most of it is never used.
NEEDED = {"numpy": 160 << 20, "polars": 800 << 20, "scipy": 320 << 20, "vl_convert": 400 << 20}
FILES_NEEDED = 24  # open files: four of Polars, those of an index or of a store
_WAIT_ON_FILES = ("asyncio", "polars", "sqlite3")
_USUAL_FILES = 1024  # the soft limit of most systems
_LITTLE_MEMORY = {"OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "2"}  # each thread reserves memory
_HEAPS, _HEAPS_OPTION = 2, -8  # of glibc, which otherwise reserves 64 MB for each thread; the number of that option


def prepare_process() -> None:
    """Allow as many open files as is usual; where a limit is low, spare, and check imports against it."""
    _leave_no_half_module()
    limited = memory_left() is not None
    if limited:
        _spare_memory()
    if _allow_open_files() < _USUAL_FILES or limited:
        sys.meta_path.insert(0, _CheckedImports())


def memory_left() -> int | None:
    """The bytes of address space that this process may still reserve; None where no limit is known."""
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        with open("/proc/self/statm", encoding="ascii") as file:
            pages = int(file.read().split()[0])
    except (ImportError, OSError, ValueError):
        return None
    return None if limit == resource.RLIM_INFINITY else limit - pages * resource.getpagesize()


def _leave_no_half_module() -> None:
    """Keep no compiled module where files are limited (`ulimit -f`): Python may leave half of it, and believe it."""
    with contextlib.suppress(ImportError):
        import resource

        if resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY:
            sys.dont_write_bytecode = True


def _allow_open_files() -> int:
    """Raise the limit of open files to the usual one, as far as this user may; returns what it is then."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return _USUAL_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _USUAL_FILES if hard == resource.RLIM_INFINITY else min(hard, _USUAL_FILES)
    if soft == resource.RLIM_INFINITY or soft >= most:
        return _USUAL_FILES if soft == resource.RLIM_INFINITY else soft
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        return most
    return soft


def _spare_memory() -> None:
    """Let glibc and libraries that are loaded later reserve less for each thread."""
    import ctypes

    for name, value in {**_LITTLE_MEMORY, "MALLOC_ARENA_MAX": str(_HEAPS)}.items():  # the last for other processes
        os.environ.setdefault(name, value)
    with contextlib.suppress(OSError, AttributeError, TypeError):  # another system's C library
        ctypes.CDLL(None).mallopt(_HEAPS_OPTION, _HEAPS)


class _CheckedImports:
    """Finds no module; refuses one that is imported without the memory or the open files that it needs."""

    def find_spec(self, name: str, _path: Any, _target: Any = None) -> None:
        if name in _WAIT_ON_FILES:
            _check_open_files()
        left = memory_left() if name in NEEDED else None
        if left is not None and left < NEEDED[name]:
            from leadline.text.files import readable_size

            room = f"{readable_size(NEEDED[name])} are needed, {readable_size(max(left, 0))} are left"
            raise MemoryError(f"{room} of the limit that `ulimit -v` shows: raise it")


def _check_open_files() -> None:
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        used = len(list(Path("/dev/fd").iterdir())) - 1  # the list itself is open meanwhile
    except OSError:  # too many are open to open this, or a system without it
        used = 3
    if limit != resource.RLIM_INFINITY and limit - used < FILES_NEEDED:
        raise OSError(errno.EMFILE, f"too many open files ({used + FILES_NEEDED} are needed)")
