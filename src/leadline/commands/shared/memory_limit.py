"""Under a limit of memory (`ulimit -v`), refuse in one line what libraries would end with a crash.

OpenBLAS and Polars end the process where they cannot reserve memory, so the room that they need is compared first.
"""

from __future__ import annotations

import sys
from typing import Any

# Address space that the import and a small task reserve, measured with two processors, most of which is never used.
NEEDED = {"numpy": 160 << 20, "polars": 1280 << 20, "scipy": 320 << 20}


def check_imports() -> None:
    """Compare what is left with what a library needs when it is imported; does nothing where there is no limit."""
    if memory_left() is not None:
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


def is_shortage(error: Exception) -> bool:
    """Whether an error says, in the words of a library, that memory ran out."""
    words = ("can't start new thread", "failed to map segment", "cannot allocate memory")
    return memory_left() is not None and any(each in str(error).lower() for each in words)


class _CheckedImports:
    """Finds no module; raises MemoryError where one is imported without the memory that it needs."""

    def find_spec(self, name: str, _path: Any, _target: Any = None) -> None:
        left = memory_left() if name in NEEDED else None
        if left is not None and left < NEEDED[name]:
            from leadline.text.files import readable_size

            room = f"{readable_size(NEEDED[name])} are needed, {readable_size(max(left, 0))} are left"
            raise MemoryError(f"{room} of the limit that `ulimit -v` shows")
