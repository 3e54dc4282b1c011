"""The table at the start of an array file: the arrays, their places in the file, and their checksums."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.index.blocks import BLOCK

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT = 2
REBUILD = "build the index again"
_KIND = b"leadline arrays "
OPENING = _KIND + b"%d\n" % FORMAT
_ALIGNED = 64  # bytes: a line of the processor's cache
_TYPES = {"|u1": 1, "<u2": 2, "<f2": 2, "<i4": 4, "<f4": 4, "<i8": 8, "<u8": 8, "<f8": 8}  # and their bytes

Layout = Mapping[str, tuple[Any, int]]  # the type and the size of each array


def damaged(path: str, problem: str = "", fix: str = REBUILD) -> InputError:
    """The error for a damaged file."""
    return InputError(path, f"is damaged{', ' * bool(problem)}{problem}: {fix}")


def newer_format(path: str, found: int, known: int) -> InputError:
    """The error for a file of a later version of Leadline."""
    return InputError(path, f"has format {found}, this version reads up to {known}: update leadline")


def header_of(layout: Layout) -> tuple[bytes, int]:
    """The first bytes of a file with these arrays, and the size of the file."""
    table, at, sums = {}, 0, 0
    for name, (dtype, size) in layout.items():
        kind = np.dtype(dtype).newbyteorder("<").str
        table[name] = {"type": kind, "size": size, "at": at}
        padded = _aligned(size * _TYPES[kind])
        at, sums = at + padded, sums + -(-padded // BLOCK)
    written = json.dumps({"arrays": table}).encode()
    header = OPENING + len(written).to_bytes(8, "little") + written
    header += bytes(_aligned(len(header)) - len(header))
    return header, len(header) + at + _ALIGNED + 8 * (sums + len(table) + 1)


@dataclass(frozen=True)
class ArrayPlace:
    """The place of an array in a file, and the number of its first block among all checksums."""

    number: int
    type: str
    size: int
    start: int
    first_sum: int

    @property
    def padded(self) -> int:
        """The size in the file in bytes, with padding; the checksums cover it."""
        return _aligned(self.size * _TYPES[self.type])

    @property
    def blocks(self) -> int:
        return -(-self.padded // BLOCK)

    def values(self, whole: NDArray[np.uint8]) -> NDArray[Any]:
        return whole[self.start : self.start + self.size * _TYPES[self.type]].view(self.type)

    def words(self, whole: NDArray[np.uint8]) -> NDArray[np.uint64]:
        return whole[self.start : self.start + self.padded].view("<u8")


class ArrayTable:
    """The table at the start of a file, with every number checked against the size of the file."""

    def __init__(self, whole: NDArray[np.uint8], path: str, fix: str = REBUILD) -> None:
        described, begin = _described(whole, path, fix)
        self.places: dict[str, ArrayPlace] = {}
        end, sums = begin, 0
        for number, (name, about) in enumerate(described.items()):
            place = _place(number, about, end, begin, sums)
            if place is None:
                raise damaged(path, f"its table is wrong at {name!r}", fix)
            self.places[name] = place
            end, sums = end + place.padded, sums + place.blocks
        self.header = begin
        self._sums_at = end + _ALIGNED  # after zeros, because kernels may load a few bytes beyond the last array
        self._checks_at = self._sums_at + 8 * sums
        self._root_at = self._checks_at + 8 * len(self.places)
        if len(whole) != self._root_at + 8:
            raise damaged(path, f"it has {len(whole)} bytes, not {self._root_at + 8}", fix)

    def sums(self, whole: NDArray[np.uint8]) -> NDArray[np.uint64]:
        """The checksums of all blocks."""
        return whole[self._sums_at : self._checks_at].view("<u8")

    def checks(self, whole: NDArray[np.uint8]) -> NDArray[np.uint64]:
        """For each array, the checksum of its blocks' checksums."""
        return whole[self._checks_at : self._root_at].view("<u8")

    def root(self, whole: NDArray[np.uint8]) -> NDArray[np.uint64]:
        """The checksum of the table and of the checksums of arrays, as an array of one."""
        return whole[self._root_at :].view("<u8")


def _described(whole: NDArray[np.uint8], path: str, fix: str) -> tuple[dict[str, Any], int]:
    """The table as parsed JSON, and the offset of the first array."""
    opening = whole[: len(OPENING)].tobytes()
    if opening != OPENING:
        kind, number = opening[: len(_KIND)], opening[len(_KIND) :].strip()
        if kind != _KIND or not number.isdigit():
            raise InputError(path, f"is not a file of an index, or damaged: {fix}")
        if int(number) < FORMAT:
            raise InputError(path, f"has format {int(number)}, which has no checksums: {fix}")
        raise newer_format(path, int(number), FORMAT)
    start = len(OPENING) + 8
    length = min(int.from_bytes(whole[len(OPENING) : start].tobytes(), "little"), len(whole))
    try:
        described = json.loads(whole[start : start + length].tobytes())["arrays"]
    except (ValueError, TypeError, KeyError, RecursionError):
        described = None
    if not isinstance(described, dict):
        raise damaged(path, "its table cannot be read", fix)
    return described, _aligned(start + length)


def _place(number: int, about: Any, end: int, begin: int, sums: int) -> ArrayPlace | None:
    """The place of an array; None where its entry is invalid, or does not follow the array before it."""
    if not isinstance(about, dict) or about.get("type") not in list(_TYPES):
        return None
    size = about.get("size")
    if type(size) is not int or not 0 <= size < 1 << 48 or about.get("at") != end - begin:
        return None
    return ArrayPlace(number, about["type"], size, end, sums)


def _aligned(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED
