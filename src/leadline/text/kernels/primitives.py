"""Fields, lines and hashes in a buffer of bytes. All of it is inlined into the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

SPACE, TAB, NEWLINE, HASH = 32, 9, 10, 35
ONES = np.uint64(0x0101010101010101)
HIGH_BITS = np.uint64(0x8080808080808080)
BLANK_LIMIT = np.uint64(0x2121212121212121)
NEWLINES = np.uint64(0x0A0A0A0A0A0A0A0A)
EVERY_BIT = np.uint64(0xFFFFFFFFFFFFFFFF)
MIX = np.uint64(0x9E3779B97F4A7C15)

# A function that is inlined into the kernels that call it, and compiled for no other use.
inline = njit(forceinline=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)


@intrinsic
def load64(_context: Any, _pointer: Any, _offset: Any) -> Any:
    """Eight bytes at any address, as one little-endian number."""
    signature = types.uint64(types.CPointer(types.uint8), types.int64)

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        address = builder.bitcast(builder.gep(args[0], [args[1]]), ir.IntType(64).as_pointer())
        word = builder.load(address)
        word.align = 1
        return word

    return signature, generate


@intrinsic
def where_within(_context: Any, _pointer: Any, _offset: Any, _low: Any, _span: Any) -> Any:
    """Which of the 64 bytes from an address on lie from `low` to below `low + span`: a bit for each."""
    signature = types.uint64(types.CPointer(types.uint8), types.int64, types.uint8, types.uint8)

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        vector = ir.VectorType(ir.IntType(8), 64)

        def everywhere(byte: Any) -> Any:
            one = builder.insert_element(ir.Constant(vector, ir.Undefined), byte, ir.Constant(ir.IntType(32), 0))
            same = ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64)
            return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), same)

        address = builder.bitcast(builder.gep(args[0], [args[1]]), vector.as_pointer())
        content = builder.load(address)
        content.align = 1
        inside = builder.icmp_unsigned("<", builder.sub(content, everywhere(args[2])), everywhere(args[3]))
        return builder.bitcast(inside, ir.IntType(64))

    return signature, generate


@intrinsic
def first_bit(_context: Any, _bits: Any) -> Any:
    """The place of the lowest bit that is set."""
    signature = types.int64(types.uint64)

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return signature, generate


@inline
def first_flag(flags: np.uint64) -> int:
    """Which of the eight bytes has the lowest flag bit."""
    return first_bit(flags) >> 3


@inline
def is_blank(byte: int) -> bool:
    return byte <= SPACE and (byte == SPACE or (byte >= TAB and byte <= 13 and byte != NEWLINE))


@inline
def after_blanks(text: Any, i: int) -> int:
    while is_blank(text[i]):
        i += 1
    return i


@inline
def field_end(text: Any, i: int) -> int:
    """The first blank or line feed from i on."""
    while True:
        word = load64(text, i)
        flags = (word - BLANK_LIMIT) & ~word & HIGH_BITS
        if flags == np.uint64(0):
            i += 8
            continue
        i += first_flag(flags)
        byte = text[i]
        if byte == NEWLINE or is_blank(byte):
            return i
        i += 1  # another control character: part of the field


@inline
def line_end(text: Any, i: int) -> int:
    """The line feed that ends the line of byte i."""
    while True:
        word = load64(text, i) ^ NEWLINES
        flags = (word - ONES) & ~word & HIGH_BITS
        if flags != np.uint64(0):
            return i + first_flag(flags)
        i += 8


@inline
def hash_of(text: Any, start: int, length: int, seed: np.uint64) -> np.uint64:
    state = seed ^ np.uint64(length)
    i = start
    left = length
    while left >= 8:
        state = (state ^ load64(text, i)) * MIX
        state ^= state >> np.uint64(29)
        i += 8
        left -= 8
    if left > 0:
        rest = load64(text, i) & (EVERY_BIT >> np.uint64(64 - 8 * left))
        state = (state ^ rest) * MIX
        state ^= state >> np.uint64(29)
    return state * MIX


@inline
def same_bytes(a: Any, a_start: int, b: Any, b_start: int, length: int) -> bool:
    i = 0
    while i + 8 <= length:
        if load64(a, a_start + i) != load64(b, b_start + i):
            return False
        i += 8
    differing = load64(a, a_start + i) ^ load64(b, b_start + i)
    return i == length or differing << np.uint64(64 - 8 * (length - i)) == np.uint64(0)


@inline
def bytes_above(text: Any, a_start: int, a_length: int, b_start: int, b_length: int) -> bool:
    """Whether field a sorts after field b, byte by byte."""
    shorter = a_length if a_length < b_length else b_length
    for i in range(shorter):
        a, b = text[a_start + i], text[b_start + i]
        if a != b:
            return a > b
    return a_length > b_length
