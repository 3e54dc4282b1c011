"""Many identifiers in one buffer, so that millions of them cost no Python objects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job
from leadline.text.kernels.arguments import FieldSlices
from leadline.text.source import PADDING

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Random in each process, so that nobody can prepare a file whose identifiers all fall into one slot.
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

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: hashes are not, since another process has another seed."""
        return {**self.__dict__, "known_hashes": None}

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
        _gather.choose(len(buffer))(self, buffer)
        starts = np.zeros(len(self), np.int64)
        np.cumsum(self.lengths[:-1], out=starts[1:])
        return Ids(buffer, starts, self.lengths, self.known_hashes)

    def hashes(self) -> NDArray[np.uint64]:
        """The hash of each identifier."""
        if self.known_hashes is None:
            hashes = _hash.choose(int(self.lengths.sum()))(self, SEED)
            object.__setattr__(self, "known_hashes", hashes)
        assert self.known_hashes is not None
        return self.known_hashes


def fields_of(ids: Ids) -> FieldSlices:
    """Identifiers as a kernel takes them."""
    return FieldSlices(ids.buffer, ids.starts, ids.lengths)


def ranges(starts: NDArray[np.int64], lengths: NDArray[Any]) -> NDArray[np.int64]:
    """The numbers from each start on, as many as its length says, one range behind the other.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(lengths, dtype=np.int64)
    return np.repeat(starts - (ends - lengths), lengths) + np.arange(int(ends[-1]) if len(ends) else 0)


def _gather_plain(ids: Ids, into: NDArray[np.uint8]) -> None:
    content = ids.buffer[ranges(ids.starts, ids.lengths)]
    into[: len(content)] = content


@compiled_job("leadline.text.kernels.columns.gather_fields", plain=_gather_plain)
def _gather(kernel: Kernel, ids: Ids, into: NDArray[np.uint8]) -> None:
    kernel(fields_of(ids), len(ids), into)


def _hash_plain(ids: Ids, seed: int) -> NDArray[np.uint64]:
    mix, shift, every_bit = np.uint64(0x9E3779B97F4A7C15), np.uint64(29), np.uint64(2**64 - 1)
    lengths = ids.lengths.astype(np.int64)
    state = np.uint64(seed) ^ lengths.astype(np.uint64)
    eight = np.arange(8)
    for word in range(-(-int(lengths.max(initial=0)) // 8)):  # eight bytes of every identifier that is so long
        left = np.flatnonzero(lengths > 8 * word)
        places = ids.starts[left, None] + 8 * word + eight
        bits = ids.buffer[np.minimum(places, len(ids.buffer) - 1)].view("<u8")[:, 0]
        beyond = np.maximum(8 - (lengths[left] - 8 * word), 0).astype(np.uint64) * np.uint64(8)
        mixed = (state[left] ^ (bits & (every_bit >> beyond))) * mix
        state[left] = mixed ^ (mixed >> shift)
    return state * mix


@compiled_job("leadline.text.kernels.columns.hash_fields", plain=_hash_plain)
def _hash(kernel: Kernel, ids: Ids, seed: int) -> NDArray[np.uint64]:
    hashes = np.empty(len(ids), np.uint64)
    kernel(fields_of(ids), len(ids), seed, hashes)
    return hashes


def encode_id(name: str | bytes) -> bytes:
    if isinstance(name, bytes):
        return name
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character, which only Python can hold
        return name.encode("utf-8", "surrogatepass")


def decode_id(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
