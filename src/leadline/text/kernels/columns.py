"""Columns of fields as numbers: codes, hashes, integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.text.kernels.arguments import (
    Bytes,
    FieldSlices,
    HashTable,
    Int32s,
    Int64s,
    UInt64,
    UInt64s,
    kernel,
)
from leadline.text.kernels.primitives import hash_of, inline, same_bytes


@inline
def number_fields(fields: Any, count: int, seed: np.uint64, table: Any, first: Any, codes: Any) -> int:
    """Number equal fields equally, in the order of first sight; -1 where the table is too small.

    `first` gets the place where each distinct field was first seen. Returns the number of distinct fields.
    """
    known = 0
    for i in range(count):
        start, length = fields.starts[i], fields.lengths[i]
        wanted = hash_of(fields.buffer, start, length, seed)
        slot = np.int64(wanted >> np.uint64(20)) & table.mask
        while True:
            code = table.slots[slot] - 1
            if code < 0:
                if 2 * known > table.mask:
                    return -1
                table.slots[slot] = known + 1
                first[known] = i
                table.hashes[known] = wanted
                codes[i] = known
                known += 1
                break
            j = first[code]
            if (
                table.hashes[code] == wanted
                and fields.lengths[j] == length
                and same_bytes(fields.buffer, start, fields.buffer, fields.starts[j], length)
            ):
                codes[i] = code
                break
            slot = (slot + 1) & table.mask
    return known


@kernel
def encode(fields: FieldSlices, count: int, seed: UInt64, table: HashTable, first: Int64s, codes: Int32s) -> int:
    """The number of each field: see `number_fields`."""
    return number_fields(fields, count, seed, table, first, codes)


@kernel
def gather_fields(fields: FieldSlices, count: int, into: Bytes) -> int:
    """Copy the fields one behind the other."""
    at = 0
    for i in range(count):
        start = fields.starts[i]
        for k in range(fields.lengths[i]):
            into[at + k] = fields.buffer[start + k]
        at += fields.lengths[i]
    return at


@kernel
def hash_fields(fields: FieldSlices, count: int, seed: UInt64, hashes: UInt64s) -> int:
    """The hash of each field, as it is computed for the documents of a run."""
    for i in range(count):
        hashes[i] = hash_of(fields.buffer, fields.starts[i], fields.lengths[i], seed)
    return 0


@kernel
def index_hashes(groups: int, offsets: Int64s, hashes: UInt64s, table_starts: Int64s, slots: Int32s) -> int:
    """One hash table for each group of fields, with at least one slot left empty.

    `slots[table_starts[g]:table_starts[g + 1]]` gets the places, in `hashes`, of the fields offsets[g]:offsets[g + 1];
    the slots are -1 before.
    """
    for g in range(groups):
        first = table_starts[g]
        mask = table_starts[g + 1] - first - 1
        for i in range(offsets[g], offsets[g + 1]):
            slot = np.int64(hashes[i] >> np.uint64(20)) & mask
            while slots[first + slot] >= 0:
                slot = (slot + 1) & mask
            slots[first + slot] = i
    return 0


@kernel
def whole_numbers(fields: FieldSlices, count: int, values: Int32s) -> int:
    """The integers the fields spell. Returns -1, or the place of the first field that spells none."""
    text = fields.buffer
    for i in range(count):
        j, end = fields.starts[i], fields.starts[i] + fields.lengths[i]
        negative = j < end and text[j] == 45
        if negative or (j < end and text[j] == 43):
            j += 1
        if j == end or end - j > 9:
            return i
        value = 0
        while j < end:
            if text[j] < 48 or text[j] > 57:
                return i
            value = value * 10 + (text[j] - 48)
            j += 1
        values[i] = -value if negative else value
    return -1
