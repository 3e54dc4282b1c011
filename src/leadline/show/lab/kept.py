"""Values that are made once and kept while they are used: a few of them, safe for several threads."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Generic, TypeVar

Value = TypeVar("Value")
FileVersion = tuple[int, int, int]


class Kept(Generic[Value]):
    """The values that were asked for last, by key.

    >>> squares = Kept[int](most=2)
    >>> [squares.get(number, lambda number=number: number * number) for number in (3, 3, 4)]
    [9, 9, 16]
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, _Slot[Value]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key. Of several threads that ask for it at once, one makes it and the others wait."""
        with self._lock:
            slot = self._values.setdefault(key, _Slot())
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        with slot.lock:
            if not slot.made:
                slot.made = [make()]
            return slot.made[0]


class _Slot(Generic[Value]):
    """The place of one value: empty until it is made."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made: list[Value] = []


def file_version(path: Path) -> FileVersion:
    """What tells one content of a file from another without reading it; zeros where there is no file."""
    try:
        about = path.stat()
    except OSError:
        return 0, 0, 0
    return about.st_ino, about.st_mtime_ns, about.st_size
