"""Checksums of the blocks of an array, so that a part of a large file can be checked without reading all of it.

A block is 4096 bytes: 1024 integers of 32 bits. Each is multiplied by its own odd 32-bit key, and the products are
added up in 64 bits, with a term for the number of the block. A product does not overflow, so a change of one integer,
or of any two bits, is always detected; any other change is missed with a probability of about 2⁻³¹. NumPy computes this
faster than zlib's CRC-32, and machine code as fast as memory is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.kernels.arguments import BlockSums
from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 4096  # bytes
WORDS = BLOCK // 8
_LOW_HALF, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_EMPTY_EXTENT = (2**31 - 1, -(2**31), 0)
_NONE = np.empty(0, np.int32)
_BYTES_A_BYTE = 0.05  # NumPy sums a byte in the time in which plain Python reads so many bytes of text


@cache
def block_keys() -> NDArray[np.uint64]:
    """The keys of the low halves of 64-bit words, then those of the high halves."""
    # Steele and others, Fast splittable pseudorandom number generators, OOPSLA 2014: the numbers of SplitMix64.
    mixed = np.arange(1, 2 * WORDS + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (mixed >> _HALF) | np.uint64(1)


@dataclass(frozen=True)
class Extent:
    """The minimum, the maximum and the sum of values."""

    least: int
    most: int
    total: int


def block_sums(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The checksum of each block of an array; the last block may be shorter than the others.

    >>> block_sums(np.array([0, 1], np.uint64)).tolist() == [int(block_keys()[0] + block_keys()[1])]
    True
    """
    return _summed.choose(int(_BYTES_A_BYTE * words.nbytes))(words)


def check_blocks(
    words: NDArray[np.uint64], sums: NDArray[np.uint64], numbers: NDArray[np.int64], values: NDArray[np.int32] | None
) -> int | Extent:
    """Check blocks: the number of the first whose checksum does not fit, or the extent of the values if all do.

    `values` is the array as 32-bit integers, or None where the extent is not needed.
    """
    return _checked.choose(int(_BYTES_A_BYTE * BLOCK * len(numbers)))(words, sums, numbers, values)


def sums_of(words: NDArray[np.uint64], sums: NDArray[np.uint64]) -> BlockSums:
    """An array and the checksums of its blocks, as the argument of a kernel."""
    return BlockSums(words, len(words), WORDS, block_keys(), sums)


def _rows(words: NDArray[np.uint64], numbers: NDArray[np.int64]) -> Iterator[tuple[slice, NDArray[np.uint64]]]:
    """The words of blocks, one row per block, 64 blocks at a time so that they stay in the processor's cache."""
    full = len(words) // WORDS
    rows = words[: full * WORDS].reshape(-1, WORDS)
    whole = int(np.searchsorted(numbers, full))
    for start in range(0, whole, 64):
        part = slice(start, min(start + 64, whole))
        yield part, rows[numbers[part]]
    if whole < len(numbers):
        yield slice(whole, whole + 1), words[full * WORDS :].reshape(1, -1)


def _sum_rows(rows: NDArray[np.uint64], numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    keys, width = block_keys(), rows.shape[1]
    products = (rows & _LOW_HALF) @ keys[:width] + (rows >> _HALF) @ keys[WORDS : WORDS + width]
    return products + keys[0] * (numbers + 1).astype(np.uint64)


def _summed_plain(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    numbers = np.arange(-(-len(words) // WORDS))
    return np.concatenate(
        [np.empty(0, np.uint64), *(_sum_rows(rows, numbers[part]) for part, rows in _rows(words, numbers))]
    )


@compiled_job("leadline.retrieval.index.kernels.checking.sum_blocks", plain=_summed_plain)
def _summed(kernel: Kernel, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    sums = np.empty(-(-len(words) // WORDS), np.uint64)
    kernel(sums_of(words, sums), len(sums))
    return sums


def _checked_plain(
    words: NDArray[np.uint64], sums: NDArray[np.uint64], numbers: NDArray[np.int64], values: NDArray[np.int32] | None
) -> int | Extent:
    least, most, total = _EMPTY_EXTENT
    for part, rows in _rows(words, numbers):
        wrong = np.flatnonzero(_sum_rows(rows, numbers[part]) != sums[numbers[part]])
        if len(wrong):
            return int(numbers[part][wrong[0]])
        if values is not None:
            read = rows.reshape(-1).view(np.int32)
            end = 2 * (int(numbers[part][-1]) * WORDS + rows.shape[1])
            read = read[: len(read) - max(0, end - len(values))]  # without the padding after the array
            least, most = min(least, int(read.min())), max(most, int(read.max()))
            total += int(read.sum(dtype=np.int64))
    return Extent(least, most, total)


@compiled_job("leadline.retrieval.index.kernels.checking.check_blocks", plain=_checked_plain)
def _checked(
    kernel: Kernel, words: NDArray[np.uint64], sums: NDArray[np.uint64], numbers: NDArray[np.int64],
    values: NDArray[np.int32] | None,
) -> int | Extent:  # fmt: skip
    extent = np.array(_EMPTY_EXTENT, np.int64)
    checked = _NONE if values is None else values
    wrong = kernel(sums_of(words, sums), numbers, len(numbers), checked, len(checked), extent)
    return int(numbers[wrong]) if wrong >= 0 else Extent(*extent.tolist())
