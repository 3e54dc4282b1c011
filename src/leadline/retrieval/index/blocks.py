"""Checksums of the blocks of an array, so that what is read of a large file is compared without reading all of it.

A block is 4096 bytes, which are 1024 numbers of 32 bits. Each is multiplied by an odd number of 32 bits of its own, and
the products are added up in 64 bits, with the number of the block. A product does not overflow, so a change of one
number, or of any two bits, is always found; any other change is missed with a chance of about one in 2³¹. NumPy does
this faster than zlib's CRC-32, and machine code as fast as memory is read.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 4096  # bytes
WORDS = BLOCK // 8
_LOW_HALF, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_BYTES_A_BYTE = 0.05  # NumPy sums a byte in the time in which plain Python reads so many bytes of text


@cache
def block_keys() -> NDArray[np.uint64]:
    """What the halves of words are multiplied by: those of the low halves, then those of the high ones."""
    # Steele and others, Fast splittable pseudorandom number generators, OOPSLA 2014: the numbers of SplitMix64.
    mixed = np.arange(1, 2 * WORDS + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (mixed >> _HALF) | np.uint64(1)


def block_sums(words: NDArray[np.uint64], numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The checksums of blocks, a row of words each, with these numbers. The last block of an array may be shorter.

    >>> block_sums(np.array([[0, 1], [0, 1]], np.uint64), np.array([0, 1])).tolist() == [
    ...     int(block_keys()[0] + block_keys()[1]), int(block_keys()[0] * 2 + block_keys()[1])]
    True
    """
    return _summed.choose(int(_BYTES_A_BYTE * words.nbytes))(words, numbers, _keys(words.shape[1]))


@cache
def _keys(width: int) -> NDArray[np.uint64]:
    """The keys of a block of so many words."""
    return np.concatenate([block_keys()[:width], block_keys()[WORDS : WORDS + width]])


def _summed_plain(
    words: NDArray[np.uint64], numbers: NDArray[np.int64], keys: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    width = words.shape[1]
    sums = keys[0] * (numbers + 1).astype(np.uint64)
    for start in range(0, len(words), 64):  # so many that they stay in the processor's cache
        part = words[start : start + 64]
        sums[start : start + 64] += (part & _LOW_HALF) @ keys[:width] + (part >> _HALF) @ keys[width:]
    return sums


@compiled_job("leadline.retrieval.index.kernels.checking.sum_blocks", plain=_summed_plain)
def _summed(
    kernel: Kernel, words: NDArray[np.uint64], numbers: NDArray[np.int64], keys: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    sums = np.empty(len(words), np.uint64)
    kernel(words, len(words), words.shape[1], keys, numbers, sums)
    return sums
