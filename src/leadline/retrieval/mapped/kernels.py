"""Packed lists at addresses, as kernels read them: terms in a dictionary, checksums, documents and frequencies."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from leadline.retrieval.mapped.kernel_arguments import (
    BASE,
    BASES,
    GOOD,
    KEYS,
    LIVE_COUNTS,
    MODULUS,
    NAME_ENDS,
    NAMES,
    NEW_ROWS,
    OF_DOCUMENTS,
    OF_FREQUENCIES,
    OFFSETS,
    PER_BLOCK,
    STARTS,
    SUMMED,
    SUMMED_SIZE,
    SUMS,
    TERMS,
    WIDTHS,
    WORDS,
)
from leadline.text.kernels import inline

LANES, ROWS = 4, 32  # of packed arrays, see `packing.py`
WORDS_A_SUM = 10  # the binary logarithm of the words of 32 bits that share a checksum
LOW_HALF, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)

# A function that is compiled once and called, not put into each function that calls it.
apart = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)


def array_at(kind: Any) -> Any:
    """A function that takes an address for an array of a type."""
    pointer = types.CPointer(kind)

    @intrinsic
    def cast(_context: Any, _address: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(pointer))

        return pointer(types.int64), generate

    return cast


bytes_at, int32s_at, int64s_at = array_at(types.uint8), array_at(types.int32), array_at(types.int64)
uint64s_at, floats_at = array_at(types.uint64), array_at(types.float64)


@intrinsic
def unpack_row(_context: Any, _words: Any, _place: Any, _shift: Any, _width: Any, _into: Any, _at: Any) -> Any:
    """Write four values of a packed block, which begin at bit `shift` of four words side by side."""
    words = types.CPointer(types.int32)
    signature = types.void(words, types.int64, types.int64, types.int64, words, types.int64)

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        number, vector = ir.IntType(32), ir.VectorType(ir.IntType(32), LANES)

        # A vector of the same number.
        def everywhere(value: Any) -> Any:
            one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(number, 0))
            same = ir.Constant(ir.VectorType(number, LANES), [0] * LANES)
            return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), same)

        def loaded(place: Any) -> Any:
            address = builder.bitcast(builder.gep(args[0], [place]), vector.as_pointer())
            content = builder.load(address)
            content.align = 4
            return content

        shift, width = builder.trunc(args[2], number), builder.trunc(args[3], number)
        low, high = loaded(args[1]), loaded(builder.add(args[1], ir.Constant(ir.IntType(64), LANES)))
        # The rest of a value that lies across two words is in the next word. A shift by 32 is not defined, so the next
        # word is shifted by 1 and then by 31 less the shift; what is not of the value is beyond its bits.
        upper = builder.shl(high, everywhere(ir.Constant(number, 1)))
        upper = builder.shl(upper, everywhere(builder.sub(ir.Constant(number, 31), shift)))
        value = builder.or_(builder.lshr(low, everywhere(shift)), upper)
        bits = builder.sub(builder.shl(ir.Constant(number, 1), width), ir.Constant(number, 1))
        value = builder.and_(value, everywhere(bits))
        target = builder.bitcast(builder.gep(args[4], [args[5]]), vector.as_pointer())
        builder.store(value, target).align = 4
        return _context.get_dummy_value()

    return signature, generate


# Terms in a dictionary, and blocks of packed lists.


@apart
def find_name(record: Any, text: Any, start: int, size: int) -> Any:
    """The number of a term in a sorted dictionary; -1 where it is not."""
    names, ends = bytes_at(record[NAMES]), int64s_at(record[NAME_ENDS])
    low, high = np.int64(0), np.int64(record[TERMS])
    while low < high:
        middle = (low + high) >> 1
        begin = ends[middle]
        length = ends[middle + 1] - begin
        shorter = length if length < size else size
        i = np.int64(0)
        while i < shorter and names[begin + i] == text[start + i]:
            i += 1
        order = length - size
        if i < shorter:
            order = np.int64(names[begin + i]) - np.int64(text[start + i])
        if order == 0:
            return middle
        if order < 0:
            low = middle + 1
        else:
            high = middle
    return np.int64(-1)


@apart
def is_block_right(record: Any, of: int, block: int) -> Any:
    """Compare the checksum of a block of a file, as `block_sum` of the index does."""
    words, keys = uint64s_at(record[of + SUMMED]), uint64s_at(record[of + KEYS])
    width = np.int64(1) << (WORDS_A_SUM - 1)
    start = block * width
    count = record[of + SUMMED_SIZE] - start if record[of + SUMMED_SIZE] - start < width else width
    total = keys[0] * np.uint64(block + 1)
    for i in range(count):
        word = words[start + i]
        total += (word & LOW_HALF) * keys[i] + (word >> HALF) * keys[width + i]
    right = total == uint64s_at(record[of + SUMS])[block]
    if right:
        bytes_at(record[of + GOOD])[block] = np.uint8(1)
    return right


@inline
def unpack_checked(record: Any, of: int, block: int, into: Any) -> Any:
    """Write the 128 integers of a block, whose checksums are compared if they were not before."""
    start, end = int64s_at(record[of + OFFSETS])[block], int64s_at(record[of + OFFSETS])[block + 1]
    width, words = np.int64(bytes_at(record[of + WIDTHS])[block]), int32s_at(record[of + WORDS])
    right = True
    if width == 0:
        for i in range(PER_BLOCK):
            into[i] = 0
    else:
        good = bytes_at(record[of + GOOD])
        for each in range(start >> WORDS_A_SUM, ((end - 1) >> WORDS_A_SUM) + 1):
            if good[each] == 0:
                right = right and is_block_right(record, of, each)
        place, shift = start, np.int64(0)
        for row in range(ROWS):
            unpack_row(words, place, shift, width, into, LANES * row)
            shift += width
            place += LANES * (shift >> 5)
            shift &= 31
    return right


@apart
def read_documents(record: Any, block: int, first: int, last: int, before: int, rows: Any) -> Any:
    """Write the documents from place `first` up to `last` of a block, which belong to one list.

    Returns the last of them; -1 where the file is damaged, or they do not ascend from `before` on.
    """
    if not unpack_checked(record, OF_DOCUMENTS, block, rows):
        return np.int64(-1)
    modulus = record[MODULUS]
    # What is before in the block belongs to other lists: only its sum counts, by which the first document is reached.
    value = np.int64(np.uint32(int32s_at(record[OF_DOCUMENTS + BASES])[block]))
    for i in range(first):
        value += np.int64(rows[i])
    value += first + np.int64(rows[first])
    if value >= modulus:
        value %= modulus
    if value <= before:
        return np.int64(-1)
    rows[0] = np.int32(value)
    # Gaps are one less than differences; the sum of 128 of them fits 64 bits.
    for i in range(1, last - first):
        value += np.int64(rows[first + i]) + 1
        rows[i] = np.int32(value)
    return value if value < modulus else np.int64(-1)


@apart
def read_counts(record: Any, block: int, first: int, last: int, counts: Any) -> Any:
    """Write the frequencies, less 1, of places of a block; returns their sum, -1 where the file is damaged."""
    if not unpack_checked(record, OF_FREQUENCIES, block, counts):
        return np.int64(-1)
    total = np.int64(last - first)
    for i in range(first, last):
        total += np.int64(counts[i])
    if first > 0:
        for i in range(last - first):
            counts[i] = counts[first + i]
    return total


@inline
def to_rows(record: Any, count: int, rows: Any, counts: Any) -> Any:
    """Turn documents of a segment into rows of the index, without those that are dead; returns how many are left."""
    base = np.int32(record[BASE])
    if record[NEW_ROWS] != 0:
        new, kept = int32s_at(record[NEW_ROWS]), np.int64(0)
        for i in range(count):
            row = new[rows[i]]
            rows[kept], counts[kept] = row + base, counts[i]
            kept += np.int64(row >= 0)
        return kept
    if base != 0:
        for i in range(count):
            rows[i] += base
    return np.int64(count)


@inline
def size_of_list(record: Any, number: int) -> Any:
    """In how many documents of a segment a term is; 0 for one that is in none."""
    if number < 0:
        return np.int64(0)
    if record[LIVE_COUNTS] != 0:
        return int64s_at(record[LIVE_COUNTS])[number]
    return int64s_at(record[STARTS])[number + 1] - int64s_at(record[STARTS])[number]


@inline
def count_at(record: Any, posting: int) -> Any:
    """The frequency of one posting; 0 where the file is damaged."""
    of, block = OF_FREQUENCIES, posting // PER_BLOCK
    start, end = int64s_at(record[of + OFFSETS])[block], int64s_at(record[of + OFFSETS])[block + 1]
    width, words = np.int64(bytes_at(record[of + WIDTHS])[block]), int32s_at(record[of + WORDS])
    value, right = np.int64(0), True
    if width > 0:
        good = bytes_at(record[of + GOOD])
        for each in range(start >> WORDS_A_SUM, ((end - 1) >> WORDS_A_SUM) + 1):
            if good[each] == 0:
                right = right and is_block_right(record, of, each)
        place = posting % PER_BLOCK
        bit = (place // LANES) * width
        at = start + LANES * (bit >> 5) + place % LANES
        both = np.uint64(np.uint32(words[at])) | (np.uint64(np.uint32(words[at + LANES])) << HALF)
        value = np.int64((both >> np.uint64(bit & 31)) & np.uint64((np.int64(1) << width) - 1))
    return value + 1 if right else np.int64(0)
