"""Fields, lines, hashes and numbers in a buffer of bytes. All of it is inlined into the kernels."""

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
POINTS = np.uint64(0x2E2E2E2E2E2E2E2E)
ZEROS = np.uint64(0x3030303030303030)
THREES = np.uint64(0x3333333333333333)
SIXES = np.uint64(0x0606060606060606)
HIGH_HALVES = np.uint64(0xF0F0F0F0F0F0F0F0)
PAIRS = np.uint64(0x000000FF000000FF)
EVERY_BIT = np.uint64(0xFFFFFFFFFFFFFFFF)
MIX = np.uint64(0x9E3779B97F4A7C15)
EXACT_POWERS = np.array([10.0**k for k in range(23)])
SPELLED_INFINITY = np.frombuffer(b"infinity", np.uint8)
SPELLED_NAN = np.frombuffer(b"nanxxxxx", np.uint8)


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


@intrinsic
def first_flag(_context: Any, _flags: Any) -> Any:
    """Which of the eight bytes carries the lowest flag bit."""
    signature = types.int64(types.uint64)

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        bit = builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))
        return builder.lshr(bit, ir.Constant(ir.IntType(64), 3))

    return signature, generate


strtod = types.ExternalFunction("strtod", types.float64(types.CPointer(types.uint8), types.CPointer(types.uint8)))


@intrinsic
def advance(_context: Any, _pointer: Any, _offset: Any) -> Any:
    """The pointer, `offset` bytes further."""
    signature = types.CPointer(types.uint8)(types.CPointer(types.uint8), types.int64)

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return signature, generate


@intrinsic
def no_end(_context: Any) -> Any:
    """The null pointer that tells strtod not to report where it stopped."""
    signature = types.CPointer(types.uint8)()

    def generate(_context: Any, _builder: Any, _signature: Any, _args: Any) -> Any:
        return ir.Constant(ir.IntType(8).as_pointer(), None)

    return signature, generate


@njit(forceinline=True, error_model="numpy")
def is_blank(byte: int) -> bool:
    return byte <= SPACE and (byte == SPACE or (byte >= TAB and byte <= 13 and byte != NEWLINE))


@njit(forceinline=True, error_model="numpy")
def after_blanks(text: Any, i: int) -> int:
    while is_blank(text[i]):
        i += 1
    return i


@njit(forceinline=True, error_model="numpy")
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


@njit(forceinline=True, error_model="numpy")
def line_end(text: Any, i: int) -> int:
    """The line feed that ends the line of byte i."""
    while True:
        word = load64(text, i) ^ NEWLINES
        flags = (word - ONES) & ~word & HIGH_BITS
        if flags != np.uint64(0):
            return i + first_flag(flags)
        i += 8


@njit(forceinline=True, error_model="numpy")
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


@njit(forceinline=True, error_model="numpy")
def same_bytes(a: Any, a_start: int, b: Any, b_start: int, length: int) -> bool:
    i = 0
    while i + 8 <= length:
        if load64(a, a_start + i) != load64(b, b_start + i):
            return False
        i += 8
    differing = load64(a, a_start + i) ^ load64(b, b_start + i)
    return i == length or differing << np.uint64(64 - 8 * (length - i)) == np.uint64(0)


@njit(forceinline=True, error_model="numpy")
def bytes_above(text: Any, a_start: int, a_length: int, b_start: int, b_length: int) -> bool:
    """Whether field a sorts after field b, byte by byte."""
    shorter = a_length if a_length < b_length else b_length
    for i in range(shorter):
        a, b = text[a_start + i], text[b_start + i]
        if a != b:
            return a > b
    return a_length > b_length


@njit(forceinline=True, error_model="numpy")
def spelled_number(text: Any, start: int, end: int) -> float:
    """inf, infinity and nan in any case with any sign; NaN for nan, and 0 for anything else."""
    i = start
    negative = text[i] == 45
    if negative or text[i] == 43:
        i += 1
    letters = end - i
    if letters != 3 and letters != 8:
        return 0.0
    is_inf, is_nan = True, letters == 3
    for k in range(letters):
        letter = text[i + k] | 32
        if letter != SPELLED_INFINITY[k]:
            is_inf = False
        if letter != SPELLED_NAN[k]:
            is_nan = False
    if is_inf:
        return -np.inf if negative else np.inf
    return np.nan if is_nan else 0.0


@njit(forceinline=True, error_model="numpy")
def short_decimal(text: Any, start: int, length: int) -> tuple[bool, float]:
    """The number that up to eight digits and a point spell, all at once; False for anything else."""
    word = load64(text, start)
    points = word ^ POINTS
    points = (points - ONES) & ~points & HIGH_BITS & (EVERY_BIT >> np.uint64(64 - 8 * length))
    digits, decimals = length, 0
    if points != np.uint64(0):
        place = first_flag(points)
        before = EVERY_BIT << np.uint64(8 * place)
        word = (word & ~before) | ((word >> np.uint64(8)) & before)
        digits, decimals = length - 1, length - 1 - place
        if digits == 0:
            return False, 0.0
    word <<= np.uint64(64 - 8 * digits)
    if digits < 8:
        word |= ZEROS >> np.uint64(8 * digits)
    carried = (word + SIXES) & HIGH_HALVES
    if ((word & HIGH_HALVES) | (carried >> np.uint64(4))) != THREES:
        return False, 0.0
    # Neighbours join to pairs, pairs to fours, fours to the whole: three multiplications instead of eight.
    word -= ZEROS
    word = word * np.uint64(10) + (word >> np.uint64(8))
    even = (word & PAIRS) * np.uint64(0x000F424000000064)
    odd = ((word >> np.uint64(16)) & PAIRS) * np.uint64(0x0000271000000001)
    return True, np.float64((even + odd) >> np.uint64(32)) / EXACT_POWERS[decimals]


@njit(forceinline=True, error_model="numpy")
def decimal(text: Any, start: int, end: int) -> tuple[bool, float]:
    """The number a field spells, correctly rounded; False when it spells none."""
    i = start
    negative = text[i] == 45
    if negative or text[i] == 43:
        i += 1
    if i < end and end - i <= 8:
        fine, value = short_decimal(text, i, end - i)
        if fine:
            return True, -value if negative else value
    mantissa = np.uint64(0)
    digits = 0  # in the mantissa; leading zeros do not count
    seen = False
    exponent = 0
    point = False
    while i < end:
        byte = text[i]
        if byte >= 48 and byte <= 57:
            seen = True
            if digits < 19:
                mantissa = mantissa * np.uint64(10) + np.uint64(byte - 48)
                if mantissa != np.uint64(0):
                    digits += 1
            else:
                digits += 1
            if point:
                exponent -= 1
        elif byte == 46 and not point:
            point = True
        else:
            break
        i += 1
    if not seen:
        value = spelled_number(text, start, end)
        return value != 0.0, value
    if i < end and (text[i] | 32) == 101:
        i += 1
        down = i < end and text[i] == 45
        if i < end and (text[i] == 45 or text[i] == 43):
            i += 1
        if i == end:
            return False, 0.0
        power = 0
        while i < end and text[i] >= 48 and text[i] <= 57:
            if power < 100000:
                power = power * 10 + (text[i] - 48)
            i += 1
        exponent += -power if down else power
    if i < end:
        return False, 0.0
    if digits <= 19 and mantissa <= np.uint64(9007199254740992) and exponent >= -22 and exponent <= 22:
        # Both the digits and the power of ten are exact doubles, so one operation rounds once.
        value = np.float64(mantissa)
        value = value / EXACT_POWERS[-exponent] if exponent < 0 else value * EXACT_POWERS[exponent]
        return True, -value if negative else value
    return True, strtod(advance(text, start), no_end())
