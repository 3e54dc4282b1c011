"""A dictionary of terms, sorted by their bytes, so that terms are found by bisection and by prefix."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.retrieval.index.kernels.arguments import SortedTerms
from leadline.text.compiled import Kernel, prepared
from leadline.text.engine import compiled_job
from leadline.text.ids import ranges
from leadline.text.memory import NEW_ARRAYS, NewArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray


def offsets_of(lengths: Sequence[int] | NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """The start of each of several concatenated lists, and the end of the last.

    >>> offsets_of([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    offsets = np.zeros(len(lengths) + 1, np.int64)
    if len(lengths):
        np.add.accumulate(lengths, out=offsets[1:])  # quicker than np.cumsum, which searches for a method
    return offsets


def are_offsets(offsets: NDArray[np.int64], total: int) -> bool:
    """Whether these can be the offsets of lists with `total` values together.

    >>> are_offsets(np.array([0, 2, 2, 5]), 5), are_offsets(np.array([0, 7, 5]), 5), are_offsets(np.array([0, 3]), 5)
    (True, False, False)
    """
    return bool(len(offsets) and offsets[0] == 0 and offsets[-1] == total and (offsets[1:] >= offsets[:-1]).all())


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
        return cls(np.frombuffer(b"".join(terms), np.uint8), offsets_of([len(term) for term in terms]))

    @classmethod
    def joined(cls, parts: Sequence[Terms], room: NewArrays = NEW_ARRAYS) -> Terms:
        """The terms of several, one behind the other, in arrays of `room`."""
        if len(parts) == 1:
            return parts[0]
        buffer = room.take("terms", sum(len(part.buffer) for part in parts), np.uint8)
        offsets = room.take("offsets", sum(len(part) for part in parts) + 1, np.int64)
        place = at = 0
        for part in parts:
            buffer[at : at + len(part.buffer)] = part.buffer
            np.add(part.offsets[:-1], at, out=offsets[place : place + len(part)])
            place, at = place + len(part), at + len(part.buffer)
        offsets[place] = at
        return cls(buffer, offsets)

    def is_sound(self) -> bool:
        """Whether the offsets are within the buffer and each term is valid UTF-8; a file may be damaged."""
        if not are_offsets(self.offsets, len(self.buffer)):
            return False
        if not len(self.buffer) or int(self.buffer.max()) < 128:
            return True
        try:
            self.buffer.tobytes().decode()
        except UnicodeDecodeError:
            return False
        starts = self.offsets[: np.searchsorted(self.offsets, len(self.buffer))]
        return not ((self.buffer[starts] & 0xC0) == 0x80).any()  # no term begins within a character

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, number: int) -> bytes:
        if number >= len(self):
            raise IndexError(number)
        return self.buffer[self.offsets[number] : self.offsets[number + 1]].tobytes()

    def __iter__(self) -> Iterator[bytes]:
        return (self[number] for number in range(len(self)))

    def find(self, wanted: Sequence[bytes]) -> NDArray[np.int64]:
        """The number of each term, -1 for one that is not in the dictionary."""
        return _find.choose(_BYTES_A_TERM * len(wanted))(self, wanted)

    def chosen(self, numbers: NDArray[np.integer[Any]], room: NewArrays = NEW_ARRAYS) -> Terms:
        """The terms with these numbers, in this order, in arrays of `room`."""
        offsets = room.take("offsets", len(numbers) + 1, np.int64)
        offsets[0] = 0
        if len(numbers):
            np.subtract(self.offsets[1:][numbers], self.offsets[numbers], out=offsets[1:])
            np.add.accumulate(offsets[1:], out=offsets[1:])
        buffer = room.take("terms", int(offsets[-1]), np.uint8)
        for first in range(0, len(numbers), _AT_ONCE):  # the place of each byte takes eight
            some = numbers[first : first + _AT_ONCE]
            bounds = offsets[first : first + len(some) + 1]
            buffer[bounds[0] : bounds[-1]] = self.buffer[ranges(self.offsets[some], np.diff(bounds))]
        return Terms(buffer, offsets)

    def arrays(self) -> SortedTerms:
        """The dictionary as the argument of a kernel."""
        return SortedTerms(self.buffer, self.offsets)

    @cached_property
    def _prepared(self) -> SortedTerms:
        return prepared(self.arrays())

    def prefixed(self, prefix: bytes) -> range:
        """The numbers of the terms that begin with a prefix."""
        beyond = prefix.rstrip(b"\xff")
        beyond = beyond[:-1] + bytes([beyond[-1] + 1]) if beyond else b""
        return range(bisect_left(self, prefix), bisect_left(self, beyond) if beyond else len(self))


_AT_ONCE = 1 << 16  # terms that are copied together
_BYTES_A_TERM = 100  # plain Python finds a term in the time in which it reads so many bytes of text


def _find_plain(terms: Terms, wanted: Sequence[bytes]) -> NDArray[np.int64]:
    places = (bisect_left(terms, term) for term in wanted)
    found = [n if n < len(terms) and terms[n] == term else -1 for n, term in zip(places, wanted, strict=True)]
    return np.array(found, np.int64)


@compiled_job("leadline.retrieval.index.kernels.merging.find_terms", plain=_find_plain)
def _find(kernel: Kernel, terms: Terms, wanted: Sequence[bytes]) -> NDArray[np.int64]:
    found = np.empty(len(wanted), np.int64)
    kernel(terms._prepared, len(terms), Terms.of(wanted).arrays(), len(wanted), found)
    return found
