"""The checksums of blocks of a file."""

from __future__ import annotations

import numpy as np

from leadline.text.kernels.arguments import Int64s, UInt64s, kernel

LOW_HALF = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


@kernel
def sum_blocks(words: UInt64s, blocks: int, width: int, keys: UInt64s, numbers: Int64s, sums: UInt64s) -> int:
    """The checksum of each block of `width` words; `blocks.py` says what it is."""
    for block in range(blocks):
        total = np.uint64(0)
        start = block * width
        for i in range(width):
            word = words[start + i]
            total += (word & LOW_HALF) * keys[i] + (word >> HALF) * keys[width + i]
        sums[block] = total + keys[0] * np.uint64(numbers[block] + 1)
    return 0
