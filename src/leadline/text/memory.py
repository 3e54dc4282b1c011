"""Arrays to work in, new each time or used again, and a sequence cut into batches within a limit.

Reading fifty runs one after the other asks the system fifty times for the same thirty megabytes, and touching new
memory costs as much as reading it. `ReusedArrays` returns the same arrays again, which overwrites what was read
before: it suits only work that is done with each run before the next is read. `MappedArrays` are in files, for work
that is larger than memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.text.files import reported, reserve_space

if TYPE_CHECKING:
    from numpy.typing import NDArray


class NewArrays:
    """New arrays each time: what is read stays valid."""

    def take(self, _name: str, size: int, dtype: Any) -> NDArray[Any]:
        return np.empty(size, dtype)


class ReusedArrays(NewArrays):
    """The same array for the same name, enlarged when needed. Each thread needs its own."""

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[Any]] = {}

    def take(self, name: str, size: int, dtype: Any) -> NDArray[Any]:
        array = self._arrays.get(name)
        if array is None or len(array) < size:
            array = self._arrays[name] = np.empty(size + size // 8, dtype)
        return array[:size]


class MappedArrays(NewArrays):
    """New arrays in temporary files: the system keeps in memory as much of them as there is room for.

    The files have no names, so they are gone with the arrays, and when the process is killed.
    """

    def __init__(self, folder: str | None = None) -> None:
        from tempfile import gettempdir  # which small work need not import

        self.folder = folder or gettempdir()

    def take(self, _name: str, size: int, dtype: Any) -> NDArray[Any]:
        from tempfile import TemporaryFile

        needed = size * np.dtype(dtype).itemsize
        if not needed:
            return np.empty(0, dtype)
        with reported(self.folder, needed), TemporaryFile(dir=self.folder) as file:
            reserve_space(file.fileno(), needed)
            return np.memmap(file, dtype, "r+", shape=(size,)).view(np.ndarray)


NEW_ARRAYS = NewArrays()


# Cut a sequence of things into batches that do not weigh more than a limit.


def cuts(weights: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Where each batch starts and ends: as many as weigh at most `most` together, or one that weighs more.

    >>> list(cuts(np.array([3, 3, 3, 9, 1]), 6))
    [(0, 2), (2, 3), (3, 4), (4, 5)]
    """
    ends = np.cumsum(weights, dtype=np.int64)
    start = before = 0
    while start < len(ends):
        end = max(start + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield start, end
        start, before = end, int(ends[end - 1])
