"""An array on disk of which each part is compared with its checksums, and its values with their bounds, once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.index.array_table import ArrayPlace
from leadline.retrieval.index.blocks import BLOCK, WORDS, block_sums
from leadline.text.ids import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AT_ONCE = 4096  # blocks, so that little is copied at a time


class Bounds(NamedTuple):
    """What the values of an array may be; None where they may be anything."""

    least: int | None = None
    most: int | None = None
    total: int | None = None  # what they add up to at most


ANY = Bounds()


class CheckedArray:
    """An array whose parts are read by slices or by arrays of places; every block is checked when it is first read."""

    def __init__(
        self, whole: NDArray[np.uint8], place: ArrayPlace, sums: NDArray[np.uint64], bounds: Bounds,
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
                raise self._damaged("")
            if start < stop:
                first, last = start // self._per_block, -(-stop // self._per_block)
                if not self._good[first:last].all():
                    self._check(first + np.flatnonzero(~self._good[first:last]))
        elif not isinstance(key, slice) and len(key) and (int(key.min()) < 0 or int(key.max()) >= len(self)):
            raise self._damaged("")
        return self._values[key]

    def take(self, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[Any]:
        """The values of several ranges within the array, one behind the other."""
        if self._left:
            first = starts // self._per_block
            counts = np.where(lengths > 0, (starts + lengths - 1) // self._per_block - first + 1, 0)
            covering = ranges(first, counts)
            missing = covering[~self._good[covering]]
            if len(missing):
                self._check(np.unique(missing))
        return self._values[ranges(starts, lengths)]

    def _check(self, blocks: NDArray[np.int64]) -> None:
        """Compare blocks, ascending, with their checksums, and their values with the bounds."""
        with self._lock:  # a block is added to the total once
            blocks = blocks[~self._good[blocks]]
            whole = len(self._words) // WORDS
            full, cut = blocks[blocks < whole], blocks[blocks >= whole]
            rows = self._words[: whole * WORDS].reshape(-1, WORDS)
            for start in range(0, len(full), _AT_ONCE):
                some = full[start : start + _AT_ONCE]
                in_a_row = int(some[-1] - some[0]) == len(some) - 1
                words = rows[some[0] : some[-1] + 1] if in_a_row else rows[some]
                self._compare(some, words)
            if len(cut):
                self._compare(cut, self._words[whole * WORDS :].reshape(1, -1))
            self._good[blocks] = True
            self._left -= len(blocks)

    def _compare(self, blocks: NDArray[np.int64], words: NDArray[np.uint64]) -> None:
        wrong = np.flatnonzero(block_sums(words, blocks) != self._sums[blocks])
        if len(wrong):
            raise self._damaged(f" at byte {self._start + int(blocks[wrong[0]]) * BLOCK}")
        if self._bounds is ANY:
            return
        values = words.reshape(-1).view(self._values.dtype)
        end = int(blocks[-1]) * self._per_block + words.shape[1] * 8 // values.itemsize
        values = values[: len(values) - max(0, end - len(self))]  # behind the array is padding
        least, most, total = self._bounds
        if (least is not None and int(values.min()) < least) or (most is not None and int(values.max()) > most):
            raise self._damaged(", a value is out of range")
        if total is not None:
            self._total += int(values.sum(dtype=np.int64))
            if self._total > total:
                raise self._damaged(", its values add up to more than they can")

    def _damaged(self, where: str) -> InputError:
        return InputError(self._path, f"is damaged{where} ({self._name}): {self._fix}")
