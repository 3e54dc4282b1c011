"""Pack integers in blocks of 128, and unpack them; `packing.py` describes the format."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.retrieval.index.kernels.arguments import PackedBlocks
from leadline.text.kernels.arguments import Bytes, Int32s, Int64s, kernel
from leadline.text.kernels.primitives import inline

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
            value += np.int64(np.uint32(values[at])) + 1
            value = value if value < most else np.int64(most)
            values[at] = np.int32(value)
            at += 1
    return at
