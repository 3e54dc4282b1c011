"""The numbers that fields spell, correctly rounded, whatever the locale.

Nearly all are exact in a few operations on doubles. Others are multiplied out in 128 bits. The few that this does not
decide, such as numbers halfway between two doubles or near the ends of their range, are left to Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.text.kernels.primitives import EVERY_BIT, HIGH_BITS, ONES, first_flag, inline, load64

NO_NUMBER, FINE, FOR_PYTHON = 0, 1, 2
POINTS = np.uint64(0x2E2E2E2E2E2E2E2E)
ZEROS = np.uint64(0x3030303030303030)
THREES = np.uint64(0x3333333333333333)
SIXES = np.uint64(0x0606060606060606)
HIGH_HALVES = np.uint64(0xF0F0F0F0F0F0F0F0)
PAIRS = np.uint64(0x000000FF000000FF)
LOW_HALF = np.uint64(0xFFFFFFFF)
EXACT_POWERS = np.array([10.0**k for k in range(23)])
SPELLED_INFINITY = np.frombuffer(b"infinity", np.uint8)
SPELLED_NAN = np.frombuffer(b"nanxxxxx", np.uint8)

# 10 ** k for k from LEAST_POWER on is between POWER and POWER + 1 times 2 ** POWER_EXPONENT, POWER having 128 bits.
LEAST_POWER, GREATEST_POWER = -330, 308


def _power_of_ten(k: int) -> tuple[int, int]:
    if k >= 0:
        exponent = (10**k).bit_length() - 128
        return (10**k >> exponent if exponent > 0 else 10**k << -exponent), exponent
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


@inline
def product(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The upper and the lower 64 bits of a product."""
    half = np.uint64(32)
    low = (a & LOW_HALF) * (b & LOW_HALF)
    one = (a >> half) * (b & LOW_HALF) + (low >> half)
    other = (a & LOW_HALF) * (b >> half) + (one & LOW_HALF)
    return (a >> half) * (b >> half) + (one >> half) + (other >> half), (other << half) | (low & LOW_HALF)


@inline
def rounded(high: np.uint64, low: np.uint64, exponent: int) -> np.uint64:
    """The bits of the double nearest to the 128 bits of high and low times 2 ** exponent; 0 beyond normal doubles."""
    shift = np.uint64(10) + (high >> np.uint64(63))
    mantissa = high >> shift
    rest, half = high & ((np.uint64(1) << shift) - np.uint64(1)), np.uint64(1) << (shift - np.uint64(1))
    if rest > half or (rest == half and (low != np.uint64(0) or mantissa & np.uint64(1) == np.uint64(1))):
        mantissa += np.uint64(1)
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
    shift = np.uint64(0)
    while mantissa >> np.uint64(63) == np.uint64(0):
        mantissa <<= np.uint64(1)
        shift += np.uint64(1)
    at = power - LEAST_POWER
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
    if i < end and end - i <= 8:
        fine, value = short_decimal(text, i, end - i)
        if fine:
            return FINE, -value if negative else value
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
