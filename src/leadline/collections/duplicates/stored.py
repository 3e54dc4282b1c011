"""What the search for duplicates keeps on disk: the bands of all texts, and the shingles of those to be compared."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class StoredArrays:
    """Arrays of 64-bit numbers in a temporary file, which goes when it is closed."""

    def __init__(self, folder: str | None = None) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self.size = 0

    def append(self, values: NDArray[np.uint64]) -> int:
        """Write an array; return where it begins."""
        begin = self.size
        self._file.write(np.ascontiguousarray(values).data)
        self.size += values.size
        return begin

    def mapped(self) -> NDArray[np.uint64]:
        """All that was written, read from the file as it is used."""
        self._file.flush()
        return np.memmap(self._file, np.uint64, "r") if self.size else np.empty(0, np.uint64)

    def close(self) -> None:
        self._file.close()


class StoredBands:
    """The band hashes of all texts, written batch by batch and read band by band."""

    def __init__(self, count: int, folder: str | None = None) -> None:
        self.count, self._arrays = count, StoredArrays(folder)
        self._blocks: list[tuple[int, int]] = []  # begin and texts of each batch

    def append(self, hashes: NDArray[np.uint64]) -> None:
        """Add the bands (rows) of some texts (columns)."""
        self._blocks.append((self._arrays.append(hashes), hashes.shape[1]))

    def band(self, number: int) -> NDArray[np.uint64]:
        """One band of every text."""
        whole = self._arrays.mapped()
        begins = ((begin + number * texts, texts) for begin, texts in self._blocks)
        return np.concatenate([whole[begin : begin + texts] for begin, texts in begins])

    def close(self) -> None:
        self._arrays.close()


class StoredSets:
    """The shingles of texts as ascending hashes, on disk; a text that is not stored has none."""

    def __init__(self, folder: str | None = None) -> None:
        self._arrays = StoredArrays(folder)
        self._begins: list[int] = []
        self._rows: list[int] = []
        self._sizes: list[int] = []

    def append(self, rows: NDArray[np.int64], hashes: NDArray[np.uint64], sizes: NDArray[np.int64]) -> None:
        """Add the shingles of some texts, one text behind the other, and how many each has."""
        begin = self._arrays.append(hashes)
        self._rows += rows.tolist()
        self._sizes += sizes.tolist()
        self._begins += (begin + np.cumsum(sizes) - sizes).tolist()

    def opened(self, texts: int) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
        """The hashes, and where those of each text begin and end."""
        starts, stops = np.zeros(texts, np.int64), np.zeros(texts, np.int64)
        rows = np.array(self._rows, np.int64)
        starts[rows] = self._begins
        stops[rows] = starts[rows] + np.array(self._sizes, np.int64)
        return self._arrays.mapped(), starts, stops

    def close(self) -> None:
        self._arrays.close()
