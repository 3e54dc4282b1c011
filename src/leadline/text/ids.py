"""Many identifiers in one buffer, so that millions of them cost no Python objects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.text import compiled
from leadline.text.source import PADDING

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Drawn once a process: nobody can prepare a file whose identifiers all fall into one slot.
SEED = int.from_bytes(os.urandom(8), "little")


@dataclass(frozen=True)
class Ids:
    """Identifiers as slices of a buffer. They are bytes in UTF-8; what is not UTF-8 survives a round trip.

    >>> ids = Ids.of(["EP-1", "WO-22"])
    >>> ids[1], ids.names(), len(ids)
    ('WO-22', ['EP-1', 'WO-22'], 2)
    """

    buffer: NDArray[np.uint8]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int32]
    known_hashes: NDArray[np.uint64] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, names: Iterable[str | bytes]) -> Ids:
        encoded = [encode_id(name) for name in names]
        content = b"".join(encoded)
        buffer = np.full(len(content) + PADDING, ord("\n"), np.uint8)
        buffer[: len(content)] = np.frombuffer(content, np.uint8)
        lengths = np.fromiter(map(len, encoded), np.int32, len(encoded))
        starts = np.zeros(len(encoded), np.int64)
        np.cumsum(lengths[:-1], out=starts[1:])
        return cls(buffer, starts, lengths)

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, place: int) -> str:
        return decode_id(self.at(place))

    def at(self, place: int) -> bytes:
        start = int(self.starts[place])
        return self.buffer[start : start + int(self.lengths[place])].tobytes()

    def as_bytes(self) -> list[bytes]:
        if len(self) * 64 < len(self.buffer):  # a few of a large text: do not copy it all
            return [self.at(place) for place in range(len(self))]
        content = self.buffer.tobytes()
        return [content[a : a + n] for a, n in zip(self.starts.tolist(), self.lengths.tolist(), strict=True)]

    def names(self) -> list[str]:
        return [decode_id(name) for name in self.as_bytes()]

    def take(self, places: NDArray[np.integer[Any]] | Sequence[int]) -> Ids:
        hashes = None if self.known_hashes is None else self.known_hashes[places]
        return Ids(self.buffer, self.starts[places], self.lengths[places], hashes)

    def compact(self) -> Ids:
        """The same identifiers side by side in a buffer of their own: quicker to compare, and the text can go."""
        buffer = np.full(int(self.lengths.sum()) + PADDING, ord("\n"), np.uint8)
        compiled.kernel("gather_fields")(self.buffer, len(self), self.starts, self.lengths, buffer)
        starts = np.zeros(len(self), np.int64)
        np.cumsum(self.lengths[:-1], out=starts[1:])
        return Ids(buffer, starts, self.lengths, self.known_hashes)

    def hashes(self) -> NDArray[np.uint64]:
        """The hash of each, as the kernels compute it."""
        if self.known_hashes is None:
            hashes = np.empty(len(self), np.uint64)
            compiled.kernel("hash_fields")(self.buffer, len(self), self.starts, self.lengths, SEED, hashes)
            object.__setattr__(self, "known_hashes", hashes)
        assert self.known_hashes is not None
        return self.known_hashes


def encode_id(name: str | bytes) -> bytes:
    if isinstance(name, bytes):
        return name
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character, which only Python can hold
        return name.encode("utf-8", "surrogatepass")


def decode_id(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
