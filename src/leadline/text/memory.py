"""Arrays to work in, new each time or used again.

Reading fifty runs one after the other asks the system fifty times for the same thirty megabytes, and touching new
memory costs as much as reading it. `ReusedArrays` returns the same arrays again, which overwrites what was read
before: it suits only work that is done with each run before the next is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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


NEW_ARRAYS = NewArrays()
