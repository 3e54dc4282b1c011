"""Integers packed in blocks of 128: written, read, checked, and lists of them intersected."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.retrieval.index.kernels.arguments import BlockSums, PackedBlocks
from leadline.text.kernel_arguments import Bytes, Int32s, Int64s, kernel
from leadline.text.kernels import inline

PER_BLOCK = 128
LANES = 4  # words side by side, so that four values are shifted at once
ROWS = PER_BLOCK // LANES
WORD = np.uint64(32)


@inline
def word_at(words: Any, place: int) -> np.uint64:
    return np.uint64(np.uint32(words[place]))


@inline
def unpack_block(blocks: Any, block: int, into: Any) -> None:
    """Write the 128 values of a block, as unsigned integers of 32 bits, without what is added to them."""
    width, start = np.int64(blocks.widths[block]), blocks.offsets[block]
    if width == 0:
        for i in range(PER_BLOCK):
            into[i] = 0
        return
    # Value 4 * row + lane is in lane `lane`, at bit row * width of the words of that lane, which are every fourth word.
    # It may lie across two of them.
    mask = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    for row in range(ROWS):
        bit = row * width
        place, shift = start + LANES * (bit >> 5), np.uint64(bit & 31)
        if (bit & 31) + width <= 32:
            for lane in range(LANES):
                into[LANES * row + lane] = (word_at(blocks.words, place + lane) >> shift) & mask
        else:
            for lane in range(LANES):
                low, high = word_at(blocks.words, place + lane), word_at(blocks.words, place + LANES + lane)
                into[LANES * row + lane] = ((low | (high << WORD)) >> shift) & mask


@inline
def finish_block(blocks: Any, block: int, into: Any) -> None:
    """Turn unpacked integers into values: running sums modulo a number, or each with the base of the block added."""
    # Gaps are one less than differences, since no document is twice in a list. A block may hold the end of one list and
    # the beginning of the next, whose smaller number is reached by wrapping round at the modulus.
    if blocks.modulus > 0:
        modulus = np.int64(blocks.modulus)
        value = np.int64(np.uint32(blocks.bases[block])) % modulus
        for i in range(PER_BLOCK):
            value += into[i]
            if value >= modulus:
                value %= modulus
            into[i] = value
            value += 1
    else:
        base = np.int64(np.uint32(blocks.bases[block])) if blocks.has_bases else np.int64(0)
        for i in range(PER_BLOCK):
            into[i] += base + blocks.add


@inline
def unpack_words(blocks: Any, block: int, into: Any) -> None:
    """Write the 128 integers of a block, of at most 31 bits.

    Four values are loaded before any is written, so that the compiler, which cannot know that the arrays are different
    ones, shifts them together.
    """
    width, place = np.int64(blocks.widths[block]), blocks.offsets[block]
    words = blocks.words
    if width == 0:
        for i in range(PER_BLOCK):
            into[i] = 0
        return
    mask, shift = np.uint64((np.int64(1) << width) - 1), np.int64(0)
    # The four words of the row at hand; `shift` is the bit at which the next value begins in each.
    a, b, c, d = word_at(words, place), word_at(words, place + 1), word_at(words, place + 2), word_at(words, place + 3)
    for i in range(0, PER_BLOCK, LANES):
        s = np.uint64(shift)
        if shift + width <= 32:
            e, f, g, h = (a >> s) & mask, (b >> s) & mask, (c >> s) & mask, (d >> s) & mask
            into[i], into[i + 1], into[i + 2], into[i + 3] = np.int32(e), np.int32(f), np.int32(g), np.int32(h)
            shift += width
        else:
            e, f, g, h = a >> s, b >> s, c >> s, d >> s
            place += LANES
            a, b = word_at(words, place), word_at(words, place + 1)
            c, d = word_at(words, place + 2), word_at(words, place + 3)
            # The value began in the words before: put its upper bits, from the next words, above its lower ones.
            left = np.uint64(32 - shift)
            e, f, g, h = (e | a << left) & mask, (f | b << left) & mask, (g | c << left) & mask, (h | d << left) & mask
            into[i], into[i + 1], into[i + 2], into[i + 3] = np.int32(e), np.int32(f), np.int32(g), np.int32(h)
            shift += width - 32


@inline
def unpack_documents(blocks: Any, block: int, into: Any) -> Any:
    """Write the documents of a block; returns whether they ascend, as they do where all belong to one list."""
    unpack_words(blocks, block, into)
    modulus = np.int64(blocks.modulus)
    first = np.int64(np.uint32(blocks.bases[block])) % modulus
    # If the last document of the block is below the modulus, nothing wraps round, and 32-bit sums will do.
    total = np.int64(PER_BLOCK - 1)
    for i in range(PER_BLOCK):
        total += into[i]
    ascending = first + total < modulus
    if ascending:
        document = np.int32(first)
        for i in range(PER_BLOCK):
            document += into[i]
            into[i] = document
            document += np.int32(1)
    # A block with the end of one list and the beginning of the next: their step is the gap modulo the documents.
    else:
        value = first
        for i in range(PER_BLOCK):
            value = (value + into[i]) % modulus
            into[i] = np.int32(value)
            value += 1
    return ascending


@kernel
def unpack_ranges(
    blocks: PackedBlocks, starts: Int64s, stops: Int64s, ranges: int, scratch: Int64s, into: Int32s
) -> int:
    """Write the values of ranges, one range behind the other; returns their number."""
    at, unpacked = 0, -1
    for r in range(ranges):
        i, stop = starts[r], stops[r]
        while i < stop:
            # Ranges that follow each other often share a block, which is unpacked once.
            block = i // PER_BLOCK
            if block != unpacked:
                unpack_block(blocks, block, scratch)
                finish_block(blocks, block, scratch)
                unpacked = block
            first = i - block * PER_BLOCK
            count = PER_BLOCK - first if PER_BLOCK - first < stop - i else stop - i
            for k in range(count):
                into[at + k] = np.int32(scratch[first + k])
            at += count
            i += count
    return at


@kernel
def pack_blocks(values: Int32s, blocks: int, widths: Bytes, offsets: Int64s, words: Int32s) -> int:
    """Pack blocks of values, each of the given width; `words` is zeros."""
    for block in range(blocks):
        width = np.int64(widths[block])
        if width == 0:
            continue
        for row in range(ROWS):
            bit = row * width
            place, shift = offsets[block] + LANES * (bit >> 5), np.uint64(bit & 31)
            for lane in range(LANES):
                # The inverse of `unpack_block`: what does not fit into this word goes into the next of the lane.
                value = word_at(values, PER_BLOCK * block + LANES * row + lane) << shift
                words[place + lane] = np.int32(np.uint32(word_at(words, place + lane) | value))
                if (bit & 31) + width > 32:
                    words[place + LANES + lane] = np.int32(np.uint32(value >> WORD))
    return 0


@kernel
def sum_lists(lengths: Int64s, lists: int, values: Int32s, most: int) -> int:
    """Turn the gaps of lists into running sums, at most `most`. A gap of 0 means the next number."""
    at = 0
    for n in range(lists):
        value = np.int64(-1)
        for _ in range(lengths[n]):
            # Never beyond `most`, whatever a damaged file says.
            value += np.int64(np.uint32(values[at])) + 1
            value = value if value < most else np.int64(most)
            values[at] = np.int32(value)
            at += 1
    return at


# The checksums of the blocks of a file, and the minimum, maximum and sum of their values.


LOW_HALF = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


@inline
def block_sum(array: Any, block: int) -> np.uint64:
    """The checksum of a block, as `arrays.py` defines it."""
    start = block * array.width
    count = array.size - start if array.size - start < array.width else array.width
    # A sum of products modulo 2**64: each half of a word times a key of its place, so that words that are
    # changed or in other places show; the number of the block is in it, so that blocks cannot change places.
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
        # A block of checksums has `width` words of 64 bits: twice as many values of 32 bits.
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
        # From the words that the list is packed in to the blocks of checksums that cover them.
        first, end = packed.offsets[start // PER_BLOCK], packed.offsets[(stop - 1) // PER_BLOCK + 1]
        for block in range(first // (2 * array.width), (end - 1) // (2 * array.width) + 1):
            if not good[block]:
                if block_sum(array, block) != array.sums[block]:
                    return -2 - block
                good[block] = 1
                newly += 1
    return newly


# The documents that are in all of several packed lists.


NOT_ASCENDING = -1


@inline
def is_ascending(values: Any, first: int, last: int) -> int:
    # Without leaving the loop early, so that several values are compared at once.
    wrong = 0
    for i in range(first + 1, last):
        wrong |= values[i] <= values[i - 1]
    return wrong == 0


@inline
def block_of(packed: Any, block: int, last: int, document: int) -> int:
    """The block, from `block` up to `last`, in which a document of a list is; the base of a block is past the last."""
    # Steps that double until they are too long, then halve: near blocks, which are usual, are found soon.
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
    # The first list, whole.
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
    # Then each other list keeps what it has too; both ascend, so blocks and places only move forward.
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
            # Within the block, on to the first that is not less: what was passed by cannot come again.
            while at < last and unpacked[at] < document:
                at += 1
            if at < last and unpacked[at] == document:
                into[kept] = document
                kept += 1
        found = kept
    return found
