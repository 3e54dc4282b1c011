"""A dictionary: every term of a field once, sorted by its bytes, so that terms are found by halving and by prefix."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.search.index.machine import KERNELS

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Terms:
    """Sorted terms.

    >>> terms = Terms.of([b"acid", b"acids", b"base"])
    >>> terms.find([b"base", b"ac"]).tolist(), terms.prefixed(b"acid")
    ([2, -1], range(0, 2))
    """

    buffer: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, terms: Sequence[bytes]) -> Terms:
        offsets = np.zeros(len(terms) + 1, np.int64)
        np.cumsum([len(term) for term in terms], out=offsets[1:])
        return cls(np.frombuffer(b"".join(terms), np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, number: int) -> bytes:
        if number >= len(self):
            raise IndexError(number)
        return self.buffer[self.offsets[number] : self.offsets[number + 1]].tobytes()

    def __iter__(self) -> Iterator[bytes]:
        return (self[number] for number in range(len(self)))

    def find(self, wanted: Sequence[bytes]) -> NDArray[np.int64]:
        """The number of each term, -1 for one that is not here."""
        found = np.empty(len(wanted), np.int64)
        if KERNELS.is_loaded():
            asked = Terms.of(wanted)
            KERNELS.kernel("find_terms")(
                self.buffer, self.offsets, len(self), asked.buffer, asked.offsets, len(wanted), found
            )
            return found
        for place, term in enumerate(wanted):
            number = bisect_left(self, term)
            found[place] = number if number < len(self) and self[number] == term else -1
        return found

    def prefixed(self, prefix: bytes) -> range:
        """The numbers of the terms that begin so."""
        beyond = prefix.rstrip(b"\xff")
        beyond = beyond[:-1] + bytes([beyond[-1] + 1]) if beyond else b""
        return range(bisect_left(self, prefix), bisect_left(self, beyond) if beyond else len(self))
