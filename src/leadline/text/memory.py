"""Arrays to work in, fresh or used again.

Reading fifty runs one after the other asks the system fifty times for the same thirty megabytes, and touching new
memory costs as much as reading it. A `Reused` memory hands out the same arrays again: what was read before is then
gone, so it suits only work that lets each run go before the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Fresh:
    """New arrays each time: what is read stays valid."""

    def take(self, _name: str, size: int, dtype: Any) -> NDArray[Any]:
        return np.empty(size, dtype)


class Reused(Fresh):
    """The same arrays each time, larger when need be. One for each thread."""

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[Any]] = {}

    def take(self, name: str, size: int, dtype: Any) -> NDArray[Any]:
        held = self._arrays.get(name)
        if held is None or len(held) < size:
            held = self._arrays[name] = np.empty(size + size // 8, dtype)
        return held[:size]


FRESH = Fresh()
