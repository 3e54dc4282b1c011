"""Rows with names, more of them than memory holds: kept in a file, and read back in ranges of names.

Rows of one name are in one range, and ranges are in the order of names. So rows are found by name, told apart, or
sorted by name with one range in memory at a time.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.text.files import readable_size, reported
from leadline.text.memory import NEW_ARRAYS, MappedArrays
from leadline.text.memory_budget import MemoryBudget

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

RANGE_BYTES = 64 << 20  # of rows that are read at once, without a limit
BYTES_A_BYTE = 8  # of memory for each byte of a range, while it is sorted and joined
MOST_RANGES = 64  # into which a file is split at once
SAMPLED = 1 << 16  # names by which ranges are chosen


@dataclass(frozen=True)
class Room:
    """Where rows are kept, and how many bytes of them are in memory at once."""

    folder: Path
    range_bytes: int = RANGE_BYTES
    budget: MemoryBudget | None = None

    def numbers(self, size: int, dtype: Any) -> NDArray[Any]:
        """An array of zeros, in a file if it is large."""
        large = size * np.dtype(dtype).itemsize > self.range_bytes // 16
        array = (MappedArrays(str(self.folder)) if large else NEW_ARRAYS).take("", size, dtype)
        array[:] = 0
        return array


class NamedRows:
    """Tables of the same columns, of which `name` is one."""

    def __init__(self, room: Room) -> None:
        self._room, self._size = room, 0
        self._blocks: list[int] = []  # the bytes of each table
        self._file = SpooledTemporaryFile(room.range_bytes // 8, dir=str(room.folder))  # noqa: SIM115 - closed with the object
        self._least, self._most = "", ""
        self._ranges: list[NamedRows] = []  # in place of the file, once it was split

    def __del__(self) -> None:
        self._file.close()

    def add(self, rows: pl.DataFrame) -> None:
        if not len(rows):
            return
        least, most = str(rows["name"].min()), str(rows["name"].max())
        if self._blocks:
            least, most = min(least, self._least), max(most, self._most)
        self._least, self._most = least, most
        content = io.BytesIO()
        rows.write_ipc_stream(content)
        with reported(self._room.folder, content.tell()):
            self._file.write(content.getbuffer())
        self._blocks.append(content.tell())
        self._size += content.tell()

    def ranges(self) -> Iterator[pl.DataFrame]:
        """All rows, some names at a time, in the order of names; those of one name as they were added."""
        import polars as pl

        if not self._ranges and self._size > self._room.range_bytes:
            if self._least == self._most:
                self._require_room()
            else:
                self._split()
        if self._ranges:
            for part in self._ranges:
                yield from part.ranges()
        elif self._blocks:
            yield pl.concat(list(self._frames()))

    def _frames(self) -> Iterator[pl.DataFrame]:
        import polars as pl

        self._file.seek(0)
        for size in self._blocks:
            yield pl.read_ipc_stream(io.BytesIO(self._file.read(size)))

    def _split(self) -> None:
        """Make a file for each of several ranges of names, in place of the one file."""
        bounds = self._bounds()
        self._ranges = [NamedRows(self._room) for _ in range(len(bounds) + 1)]
        for frame in self._frames():
            rows = frame.sort("name", maintain_order=True)
            cuts = [0, *rows["name"].search_sorted(bounds, side="left").to_list(), len(rows)]
            for part, first, last in zip(self._ranges, cuts[:-1], cuts[1:], strict=True):
                part.add(rows[first:last])
        self._file.close()
        self._blocks = []

    def _bounds(self) -> pl.Series:
        """The least name of each range but the first, from a sample of the names."""
        import polars as pl

        count = min(MOST_RANGES, 1 + 2 * self._size // self._room.range_bytes)
        each = max(1, SAMPLED // len(self._blocks))
        names = pl.concat([rows["name"].gather_every(max(1, len(rows) // each)) for rows in self._frames()]).sort()
        quantiles = names.gather([len(names) * number // count for number in range(1, count)])
        bounds = pl.concat([quantiles, pl.Series([self._most])]).unique().sort()
        return bounds.filter(bounds > self._least)

    def _require_room(self) -> None:
        if self._room.budget is not None:
            over = (self._size - self._room.range_bytes) * BYTES_A_BYTE
            what = f"{readable_size(self._size)} of rows named {self._least!r}"
            self._room.budget.require(self._room.budget.size + over, what)
