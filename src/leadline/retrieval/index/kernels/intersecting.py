"""The documents that are in all of several packed lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.retrieval.index.kernels.arguments import PackedBlocks
from leadline.retrieval.index.kernels.packing import PER_BLOCK, unpack_documents
from leadline.text.kernels.arguments import Int32s, Int64s, kernel
from leadline.text.kernels.primitives import inline

NOT_ASCENDING = -1


@inline
def is_ascending(values: Any, first: int, last: int) -> int:
    wrong = 0
    for i in range(first + 1, last):
        wrong |= values[i] <= values[i - 1]
    return wrong == 0


@inline
def block_of(packed: Any, block: int, last: int, document: int) -> int:
    """The block, from `block` up to `last`, in which a document of a list is; the base of a block is past the last."""
    step = 1
    while block + step <= last and np.uint32(packed.bases[block + step]) <= document:
        block += step
        step *= 2
    while step > 0:
        if block + step <= last and np.uint32(packed.bases[block + step]) <= document:
            block += step
        step //= 2
    return block


@kernel
def intersect_lists(
    packed: PackedBlocks, starts: Int64s, stops: Int64s, lists: int, unpacked: Int32s, into: Int32s
) -> int:
    """Write the documents of the first list that all others have; returns how many, or NOT_ASCENDING.

    The first list should be the shortest; of the others, only blocks are unpacked that may have one of its documents.
    """
    found = 0
    i, before = starts[0], np.int64(-1)
    while i < stops[0]:
        block = i // PER_BLOCK
        unpack_documents(packed, block, unpacked)
        first = i - block * PER_BLOCK
        last = PER_BLOCK if stops[0] - block * PER_BLOCK > PER_BLOCK else stops[0] - block * PER_BLOCK
        if unpacked[first] <= before or not is_ascending(unpacked, first, last):
            return NOT_ASCENDING
        for k in range(first, last):
            into[found] = unpacked[k]
            found += 1
        before = np.int64(unpacked[last - 1])
        i += last - first
    for number in range(1, lists):
        if stops[number] == starts[number]:
            return 0
        kept, here = 0, np.int64(-1)
        block, end = starts[number] // PER_BLOCK, (stops[number] - 1) // PER_BLOCK
        at, last = np.int64(0), np.int64(0)
        for n in range(found):
            document = into[n]
            block = block_of(packed, block, end, document)
            if block != here:
                unpack_documents(packed, block, unpacked)
                here = block
                at = starts[number] - block * PER_BLOCK if starts[number] > block * PER_BLOCK else np.int64(0)
                last = stops[number] - block * PER_BLOCK
                last = last if last < PER_BLOCK else np.int64(PER_BLOCK)
                if not is_ascending(unpacked, at, last):
                    return NOT_ASCENDING
            while at < last and unpacked[at] < document:
                at += 1
            if at < last and unpacked[at] == document:
                into[kept] = document
                kept += 1
        found = kept
    return found
