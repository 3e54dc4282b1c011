"""The compiled half of reading: loops over bytes, in the subset of Python that Numba compiles.

A small evaluation imports no kernels but only `kernel_arguments.py`. `engine.py` compiles a package of kernels once,
stores the machine code in the user's cache, and loads it without importing Numba. Every kernel has a plain twin that
gives the same answer, declared with it where it is called; property tests compare the two.

Every buffer of text has 64 line feeds beyond its stated length, so that a field always ends and 64 bytes can always be
loaded at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from leadline.text.kernel_arguments import Bytes, FieldSlices, HashTable, Int32s, Int64s, UInt64, UInt64s, kernel

# Fields, lines and hashes in a buffer of bytes. All of it is inlined into the kernels.


SPACE, TAB, NEWLINE, HASH = 32, 9, 10, 35
# Words of eight equal bytes, for arithmetic on eight bytes at once in a 64-bit register.
ONES = np.uint64(0x0101010101010101)
HIGH_BITS = np.uint64(0x8080808080808080)
BLANK_LIMIT = np.uint64(0x2121212121212121)
NEWLINES = np.uint64(0x0A0A0A0A0A0A0A0A)
EVERY_BIT = np.uint64(0xFFFFFFFFFFFFFFFF)
# An odd constant with well spread bits (2**64 divided by the golden ratio): multiplying by it mixes a hash.
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
        # The address may be any: without this LLVM assumes that it is a multiple of 8.
        word.align = 1
        return word

    return signature, generate


@intrinsic
def where_within(_context: Any, _pointer: Any, _offset: Any, _low: Any, _span: Any) -> Any:
    """Which of the 64 bytes from an address on lie from `low` to below `low + span`: a bit for each."""
    signature = types.uint64(types.CPointer(types.uint8), types.int64, types.uint8, types.uint8)

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        vector = ir.VectorType(ir.IntType(8), 64)

        # A vector of 64 times the same byte.
        def everywhere(byte: Any) -> Any:
            one = builder.insert_element(ir.Constant(vector, ir.Undefined), byte, ir.Constant(ir.IntType(32), 0))
            same = ir.Constant(ir.VectorType(ir.IntType(32), 64), [0] * 64)
            return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), same)

        address = builder.bitcast(builder.gep(args[0], [args[1]]), vector.as_pointer())
        content = builder.load(address)
        content.align = 1
        # One unsigned comparison tests both ends: below `low`, the difference wraps round to a large number.
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
        # The high bit of a byte is set where the byte is below 33. A borrow can also flag bytes above the first such
        # byte, but none below it, so that the lowest flag is right.
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
        # A line feed becomes a byte of 0, and the next line flags such bytes; the lowest flag is exact.
        word = load64(text, i) ^ NEWLINES
        flags = (word - ONES) & ~word & HIGH_BITS
        if flags != np.uint64(0):
            return i + first_flag(flags)
        i += 8


@inline
def hash_of(text: Any, start: int, length: int, seed: np.uint64) -> np.uint64:
    # Eight bytes at a time, each multiplied in and the high bits folded down; the length tells "a" from "a\0".
    state = seed ^ np.uint64(length)
    i = start
    left = length
    while left >= 8:
        state = (state ^ load64(text, i)) * MIX
        state ^= state >> np.uint64(29)
        i += 8
        left -= 8
    if left > 0:
        # The last bytes, without those that follow the field.
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
    # The last bytes are loaded with what follows, which the shift drops.
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


# The numbers that fields spell, correctly rounded, whatever the locale.
#
# Nearly all are exact in a few operations on doubles. Others are multiplied out in 128 bits. The few that this does not
# decide, such as numbers halfway between two doubles or near the ends of their range, are left to Python.


NO_NUMBER, FINE, FOR_PYTHON = 0, 1, 2
# Eight bytes at once again: points, digits, and what digits have in common (0x30 to 0x39).
POINTS = np.uint64(0x2E2E2E2E2E2E2E2E)
ZEROS = np.uint64(0x3030303030303030)
THREES = np.uint64(0x3333333333333333)
SIXES = np.uint64(0x0606060606060606)
HIGH_HALVES = np.uint64(0xF0F0F0F0F0F0F0F0)
PAIRS = np.uint64(0x000000FF000000FF)
LOW_HALF = np.uint64(0xFFFFFFFF)
# Powers of ten up to 10**22 are exact doubles.
EXACT_POWERS = np.array([10.0**k for k in range(23)])
# Both have eight letters, since both are compared letter by letter in one loop.
SPELLED_INFINITY = np.frombuffer(b"infinity", np.uint8)
SPELLED_NAN = np.frombuffer(b"nanxxxxx", np.uint8)

# 10 ** k for k from LEAST_POWER on is between POWER and POWER + 1 times 2 ** POWER_EXPONENT, POWER having 128 bits.
LEAST_POWER, GREATEST_POWER = -330, 308


def _power_of_ten(k: int) -> tuple[int, int]:
    if k >= 0:
        exponent = (10**k).bit_length() - 128
        return (10**k >> exponent if exponent > 0 else 10**k << -exponent), exponent
    # A negative power is a reciprocal, cut off below its 128 bits.
    exponent = -(10**-k).bit_length() - 127
    power = (1 << -exponent) // 10**-k
    return (power, exponent) if power < 1 << 128 else (power >> 1, exponent + 1)


_POWERS = [_power_of_ten(k) for k in range(LEAST_POWER, GREATEST_POWER + 1)]
POWER_HIGH = np.array([power >> 64 for power, _ in _POWERS], np.uint64)
POWER_LOW = np.array([power & (2**64 - 1) for power, _ in _POWERS], np.uint64)
POWER_EXPONENT = np.array([exponent for _, exponent in _POWERS], np.int64)


@inline
def spelled_number(text: Any, start: int, end: int) -> float:
    """inf, infinity and nan in any case with any sign; 0 for anything else."""
    i = start
    negative = text[i] == 45
    if negative or text[i] == 43:
        i += 1
    letters = end - i
    if letters != 3 and letters != 8:
        return 0.0
    # Both words are compared in one loop; `| 32` makes small letters.
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


@inline
def short_decimal(text: Any, start: int, length: int) -> tuple[bool, float]:
    """The number that up to eight digits and a point spell, all at once; False for anything else."""
    word = load64(text, start)
    # Flag the bytes of the field that are a point.
    points = word ^ POINTS
    points = (points - ONES) & ~points & HIGH_BITS & (EVERY_BIT >> np.uint64(64 - 8 * length))
    digits, decimals = length, 0
    if points != np.uint64(0):
        place = first_flag(points)
        # Take the point out: the digits after it move down by one byte.
        before = EVERY_BIT << np.uint64(8 * place)
        word = (word & ~before) | ((word >> np.uint64(8)) & before)
        digits, decimals = length - 1, length - 1 - place
        if digits == 0:
            return False, 0.0
    # Move the digits to the end of the word and fill up with leading zeros.
    word <<= np.uint64(64 - 8 * digits)
    if digits < 8:
        word |= ZEROS >> np.uint64(8 * digits)
    # A digit has 3 in its upper half, and still has it with 6 added: so 0x30 to 0x39, and nothing else, pass.
    carried = (word + SIXES) & HIGH_HALVES
    if ((word & HIGH_HALVES) | (carried >> np.uint64(4))) != THREES:
        return False, 0.0
    # Neighbours join to pairs, pairs to fours, fours to the whole: three multiplications instead of eight.
    word -= ZEROS
    word = word * np.uint64(10) + (word >> np.uint64(8))
    even = (word & PAIRS) * np.uint64(0x000F424000000064)
    odd = ((word >> np.uint64(16)) & PAIRS) * np.uint64(0x0000271000000001)
    return True, np.float64((even + odd) >> np.uint64(32)) / EXACT_POWERS[decimals]


@inline
def product(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The upper and the lower 64 bits of a product."""
    # Long multiplication with 32-bit halves; no partial sum overflows 64 bits.
    half = np.uint64(32)
    low = (a & LOW_HALF) * (b & LOW_HALF)
    one = (a >> half) * (b & LOW_HALF) + (low >> half)
    other = (a & LOW_HALF) * (b >> half) + (one & LOW_HALF)
    return (a >> half) * (b >> half) + (one >> half) + (other >> half), (other << half) | (low & LOW_HALF)


@inline
def rounded(high: np.uint64, low: np.uint64, exponent: int) -> np.uint64:
    """The bits of the double nearest to the 128 bits of high and low times 2 ** exponent; 0 beyond normal doubles."""
    # Keep the leading 53 bits; the rest says whether to round up: above half, or half and then to the even mantissa.
    shift = np.uint64(10) + (high >> np.uint64(63))
    mantissa = high >> shift
    rest, half = high & ((np.uint64(1) << shift) - np.uint64(1)), np.uint64(1) << (shift - np.uint64(1))
    if rest > half or (rest == half and (low != np.uint64(0) or mantissa & np.uint64(1) == np.uint64(1))):
        mantissa += np.uint64(1)
    # The exponent as a double stores it; only normal doubles are made here.
    biased = exponent + 64 + np.int64(shift) + 1075
    if biased < 1 or biased > 2045:
        return np.uint64(0)
    return (np.uint64(biased) << np.uint64(52)) + mantissa - np.uint64(1 << 52)  # a mantissa of 54 bits carries over


@inline
def scaled(mantissa: np.uint64, power: int, digits_dropped: bool) -> tuple[bool, float]:
    """The double nearest to mantissa * 10 ** power, with True; NaN with False where 128 bits do not decide it.

    Where digits were dropped, the number may be anything up to (mantissa + 1) * 10 ** power.
    """
    if mantissa == np.uint64(0):
        return True, 0.0
    if power < LEAST_POWER or power > GREATEST_POWER:
        return False, np.nan
    # Bring the leading bit to the top, so that the product has all the bits it can have.
    shift = np.uint64(0)
    while mantissa >> np.uint64(63) == np.uint64(0):
        mantissa <<= np.uint64(1)
        shift += np.uint64(1)
    at = power - LEAST_POWER
    # 64 times 128 bits; of the 192 bits of the product the lowest 64 are cut off.
    high, low = product(mantissa, POWER_HIGH[at])
    carried, _ = product(mantissa, POWER_LOW[at])
    low += carried
    if low < carried:
        high += np.uint64(1)
    # The bits cut off are less than 1, and the power's own error times the mantissa is less than 1 as well. So the true
    # number lies between these 128 bits and these 128 bits + 2: where both ends round to one double, so does it.
    upper_low = low + np.uint64(2)
    upper_high = high + np.uint64(upper_low < low)
    if digits_dropped:
        upper_high += np.uint64(1) << shift
    exponent = POWER_EXPONENT[at] + 64 - np.int64(shift)
    bits = rounded(high, low, exponent)
    if upper_high < high or bits == np.uint64(0) or bits != rounded(upper_high, upper_low, exponent):
        return False, np.nan
    return True, np.uint64(bits).view(np.float64)


@inline
def decimal(text: Any, start: int, end: int) -> tuple[int, float]:
    """The number a field spells, correctly rounded, with FINE; NO_NUMBER, or FOR_PYTHON where Python must read it."""
    i = start
    negative = text[i] == 45
    if negative or text[i] == 43:
        i += 1
    # Up to eight characters are read all at once.
    if i < end and end - i <= 8:
        fine, value = short_decimal(text, i, end - i)
        if fine:
            return FINE, -value if negative else value
    # Otherwise digit by digit. 19 digits always fit into 64 bits; more are counted and dropped.
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
        return FINE if value != 0.0 else NO_NUMBER, value
    # An exponent after e or E. A very large one is not added up further, so that it cannot overflow.
    if i < end and (text[i] | 32) == 101:
        i += 1
        down = i < end and text[i] == 45
        if i < end and (text[i] == 45 or text[i] == 43):
            i += 1
        if i == end:
            return NO_NUMBER, 0.0
        power = 0
        while i < end and text[i] >= 48 and text[i] <= 57:
            if power < 100000:
                power = power * 10 + (text[i] - 48)
            i += 1
        exponent += -power if down else power
    if i < end:
        return NO_NUMBER, 0.0
    if digits <= 19 and mantissa <= np.uint64(9007199254740992) and exponent >= -22 and exponent <= 22:
        # Both the digits and the power of ten are exact doubles, so one operation rounds once.
        value = np.float64(mantissa)
        value = value / EXACT_POWERS[-exponent] if exponent < 0 else value * EXACT_POWERS[exponent]
        return FINE, -value if negative else value
    dropped = digits - 19 if digits > 19 else 0
    fine, value = scaled(mantissa, exponent + dropped, dropped > 0)
    return FINE if fine else FOR_PYTHON, -value if negative else value


# Columns of fields as numbers: codes, hashes, integers.


@inline
def number_fields(fields: Any, count: int, seed: np.uint64, table: Any, first: Any, codes: Any) -> int:
    """Number equal fields equally, in the order of first sight; -1 where the table is too small.

    `first` gets the place where each distinct field was first seen. Returns the number of distinct fields.
    """
    known = 0
    for i in range(count):
        start, length = fields.starts[i], fields.lengths[i]
        wanted = hash_of(fields.buffer, start, length, seed)
        # Open addressing: try slot after slot, until one is free or holds the same bytes. The middle bits of the hash
        # choose the first slot, as in the tables of runs and judgements.
        slot = np.int64(wanted >> np.uint64(20)) & table.mask
        while True:
            code = table.slots[slot] - 1
            if code < 0:
                # More than half full, searches become long: the caller comes back with a larger table.
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
            # The next free slot from the one that the hash chooses.
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
        # Nine digits always fit into 32 bits.
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


# From bytes to lines and fields.


TOO_FEW_FIELDS = -1


@kernel
def scan_fields(
    text: Bytes, begin: int, end: int, fewest: int, most: int, starts: Int64s, lengths: Int32s, found: Int64s
) -> int:
    """Where each of up to `most` fields of every line lies; a missing field has length 0.

    Returns the number of lines, with the number of fields of the longest in `found[0]`; or TOO_FEW_FIELDS, with the
    byte where the line starts and the number of its fields in `found`.
    """
    lines, widest = 0, 0
    i = begin
    while i < end:
        start_of_line = i
        i = after_blanks(text, i)
        if text[i] == NEWLINE or text[i] == HASH:
            i = line_end(text, i) + 1
            continue
        # The fields of the line: all are counted, the first `most` are kept.
        count = 0
        while text[i] != NEWLINE:
            field_start = i
            i = field_end(text, i)
            if count < most:
                starts[lines * most + count] = field_start
                lengths[lines * most + count] = i - field_start
            count += 1
            i = after_blanks(text, i)
        if count < fewest:
            found[0], found[1] = start_of_line, count
            return TOO_FEW_FIELDS
        # Fields that the line lacks are empty slices, so that the arrays stay a grid of lines and fields.
        for k in range(count, most):
            starts[lines * most + k] = start_of_line
            lengths[lines * most + k] = 0
        widest = max(widest, count)
        lines += 1
        i += 1
    found[0] = widest
    return lines
