"""The checksums of the blocks of a file, and the minimum, maximum and sum of their values."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.retrieval.index.kernels.arguments import BlockSums, PackedBlocks
from leadline.retrieval.index.kernels.packing import PER_BLOCK
from leadline.text.kernels.arguments import Bytes, Int32s, Int64s, kernel
from leadline.text.kernels.primitives import inline

LOW_HALF = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


@inline
def block_sum(array: Any, block: int) -> np.uint64:
    """The checksum of a block, as `blocks.py` defines it."""
    start = block * array.width
    count = array.size - start if array.size - start < array.width else array.width
    total = array.keys[0] * np.uint64(block + 1)
    for i in range(count):
        word = array.words[start + i]
        total += (word & LOW_HALF) * array.keys[i] + (word >> HALF) * array.keys[array.width + i]
    return total


@kernel
def sum_blocks(array: BlockSums, blocks: int) -> int:
    """Write the checksum of every block."""
    for block in range(blocks):
        array.sums[block] = block_sum(array, block)
    return 0


@kernel
def check_blocks(array: BlockSums, numbers: Int64s, blocks: int, values: Int32s, size: int, extent: Int64s) -> int:
    """The place among `numbers` of the first block whose checksum does not fit; -1 where all do.

    `extent` gets the minimum, the maximum and the sum of the values of these blocks; it is unchanged with size 0.
    """
    per_block = 2 * array.width
    for n in range(blocks):
        block = numbers[n]
        if block_sum(array, block) != array.sums[block]:
            return n
        start = block * per_block
        stop = size if size < start + per_block else start + per_block
        least, most, total = np.int32(0x7FFFFFFF), np.int32(-0x80000000), np.int64(0)
        for i in range(start, stop):
            value = values[i]
            least = value if value < least else least
            most = value if value > most else most
            total += value
        extent[0] = least if least < extent[0] else extent[0]
        extent[1] = most if most > extent[1] else extent[1]
        extent[2] += total
    return -1


@kernel
def check_lists(
    array: BlockSums, good: Bytes, packed: PackedBlocks, size: int, starts: Int64s, stops: Int64s, lists: int
) -> int:
    """Check the blocks of a file that have values of lists of a packed array of `size` values.

    `good` is whether a block has been checked. Returns how many are checked now for the first time, or -1 for a list
    beyond the end of the array, or -2 less the number of a block whose checksum does not fit.
    """
    newly = 0
    for n in range(lists):
        start, stop = starts[n], stops[n]
        if start < 0 or stop < start or stop > size:
            return -1
        if stop == start:
            continue
        first, end = packed.offsets[start // PER_BLOCK], packed.offsets[(stop - 1) // PER_BLOCK + 1]
        for block in range(first // (2 * array.width), (end - 1) // (2 * array.width) + 1):
            if not good[block]:
                if block_sum(array, block) != array.sums[block]:
                    return -2 - block
                good[block] = 1
                newly += 1
    return newly
