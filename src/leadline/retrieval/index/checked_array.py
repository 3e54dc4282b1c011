"""An array on disk. Each block is checked when it is first read: its checksum, and the bounds of its values."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.index.array_table import ArrayPlace
from leadline.retrieval.index.blocks import BLOCK, Extent, check_blocks, sums_of
from leadline.retrieval.index.kernels.arguments import BlockSums
from leadline.text.compiled import prepared
from leadline.text.ids import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ValueBounds(NamedTuple):
    """Bounds of the values of an array; None where there is none."""

    least: int | None = None
    most: int | None = None
    total: int | None = None  # upper bound of their sum


ANY = ValueBounds()


class CheckedArray:
    """An array that is read by slices or by arrays of indices; every block is checked when it is first read."""

    def __init__(
        self, whole: NDArray[np.uint8], place: ArrayPlace, sums: NDArray[np.uint64], bounds: ValueBounds,
        names: tuple[str, str, str],
    ) -> None:  # fmt: skip
        """`names` are the path, the name of the array, and the fix, for errors."""
        self._values, self._words = place.values(whole), place.words(whole)
        self._sums, self._start = sums, place.start
        self._bounds, self._total = bounds, 0
        self._path, self._name, self._fix = names
        self._per_block = BLOCK // self._values.itemsize
        self._good = np.zeros(len(sums), np.bool_)
        self._left = len(sums)  # blocks that are not checked yet
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._values.dtype

    def __getitem__(self, key: slice | NDArray[np.integer[Any]]) -> NDArray[Any]:
        if self._left:
            if isinstance(key, slice):
                start, stop, _ = key.indices(len(self))
            elif len(key):
                start, stop = int(key.min()), int(key.max()) + 1
            else:
                start = stop = 0
            if start < 0 or stop > len(self):
                raise self.damaged("")
            if start < stop:
                first, last = start // self._per_block, -(-stop // self._per_block)
                if not self._good[first:last].all():
                    self._check(first + np.flatnonzero(~self._good[first:last]))
        elif not isinstance(key, slice) and len(key) and (int(key.min()) < 0 or int(key.max()) >= len(self)):
            raise self.damaged("")
        return self._values[key]

    @property
    def values(self) -> NDArray[Any]:
        """All values, also those that are not checked yet."""
        return self._values

    def check_ranges(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> None:
        """Check the blocks of several ranges within the array."""
        if self._left:
            first = starts // self._per_block
            covering = ranges(first, np.where(stops > starts, (stops - 1) // self._per_block - first + 1, 0))
            missing = covering[~self._good[covering]]
            if len(missing):
                self._check(np.unique(missing))

    @property
    def is_checked(self) -> bool:
        """Whether all blocks have been checked."""
        return not self._left

    def check_by(self, kernel: Callable[[BlockSums, NDArray[np.uint8]], int]) -> int:
        """Check blocks by a kernel, and return what it does; see `kernels/checking.py`. The array has no bounds."""
        assert self._bounds is ANY
        with self._lock:
            found = kernel(self._block_sums, self._good.view(np.uint8))
            if found < -1:
                raise self.damaged(f" at byte {self._start + (-2 - found) * BLOCK}")
            self._left -= max(found, 0)
        return found

    @cached_property
    def _block_sums(self) -> BlockSums:
        return prepared(sums_of(self._words, self._sums))

    def _check(self, blocks: NDArray[np.int64]) -> None:
        """Check ascending blocks: their checksums, and the bounds of their values."""
        with self._lock:  # a block is added to the total once
            blocks = blocks[~self._good[blocks]]
            whole = self._values.dtype != np.int32 and self._bounds is not ANY  # such arrays are always read in full
            values = self._values if self._bounds is not ANY and not whole else None
            found = check_blocks(self._words, self._sums, blocks, values)
            if isinstance(found, int):
                raise self.damaged(f" at byte {self._start + found * BLOCK}")
            if whole:
                found = Extent(int(self._values.min()), int(self._values.max()), 0)
            least, most, total = self._bounds
            self._total += found.total
            if (least is not None and found.least < least) or (most is not None and found.most > most):
                raise self.damaged(", a value is out of range")
            if total is not None and self._total > total:
                raise self.damaged(", its values add up to more than they can")
            self._good[blocks] = True
            self._left -= len(blocks)

    def damaged(self, where: str) -> InputError:
        """The error for this array; `where` continues "is damaged"."""
        return InputError(self._path, f"is damaged{where} ({self._name}): {self._fix}")
