"""The compiled half of reading: loops over bytes, in the subset of Python that Numba compiles.

Nothing here is imported on the way to a small evaluation. `compiled.py` compiles these functions once, keeps
the machine code in the user's cache, and loads it without importing Numba. `plain.py` gives the same answers
without a compiler; a property test holds the two together on arbitrary text.

Every buffer of text ends with at least eight line feeds beyond its stated length, so that a field always ends
and eight bytes can always be loaded at once.
"""

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
MIX = np.uint64(0x9E3779B97F4A7C15)
EXACT_POWERS = np.array([10.0**k for k in range(23)])
SPELLED_INFINITY = np.frombuffer(b"infinity", np.uint8)
SPELLED_NAN = np.frombuffer(b"nanxxxxx", np.uint8)

# What a scan reports instead of a count. The plain path raises the same findings by the same names.
TOO_FEW_FIELDS, NOT_A_NUMBER, NAN_SCORE = -1, -2, -3


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


@njit(inline="always")
def is_blank(byte: int) -> bool:
    return byte == SPACE or (byte >= TAB and byte <= 13 and byte != NEWLINE)


@njit(inline="always")
def after_blanks(text: Any, i: int) -> int:
    while is_blank(text[i]):
        i += 1
    return i


@njit(inline="always")
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


@njit(inline="always")
def line_end(text: Any, i: int) -> int:
    """The line feed that ends the line of byte i."""
    while True:
        word = load64(text, i) ^ NEWLINES
        flags = (word - ONES) & ~word & HIGH_BITS
        if flags != np.uint64(0):
            return i + first_flag(flags)
        i += 8


@njit(inline="always")
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
        rest = load64(text, i) & (np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(64 - 8 * left))
        state = (state ^ rest) * MIX
        state ^= state >> np.uint64(29)
    return state * MIX


@njit(inline="always")
def same_bytes(a: Any, a_start: int, b: Any, b_start: int, length: int) -> bool:
    i = 0
    while i + 8 <= length:
        if load64(a, a_start + i) != load64(b, b_start + i):
            return False
        i += 8
    while i < length:
        if a[a_start + i] != b[b_start + i]:
            return False
        i += 1
    return True


@njit(inline="always")
def bytes_above(text: Any, a_start: int, a_length: int, b_start: int, b_length: int) -> bool:
    """Whether field a sorts after field b, byte by byte."""
    shorter = a_length if a_length < b_length else b_length
    for i in range(shorter):
        a, b = text[a_start + i], text[b_start + i]
        if a != b:
            return a > b
    return a_length > b_length


@njit(inline="always")
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


@njit(inline="always")
def decimal(text: Any, start: int, end: int) -> tuple[bool, float]:
    """The number a field spells, correctly rounded; False when it spells none."""
    i = start
    negative = text[i] == 45
    if negative or text[i] == 43:
        i += 1
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


def scan_run(
    text: Any,
    begin: int,
    end: int,
    seed: np.uint64,
    fields: int,
    key_field: int,
    topic_slots: Any,
    slot_mask: int,
    topic_start: Any,
    topic_length: Any,
    topic_hash: Any,
    topic: Any,
    document_start: Any,
    document_length: Any,
    document_hash: Any,
    key: Any,
    found: Any,
) -> int:
    """Find topic, document and sorting key of every line.

    Returns the number of lines, or what is wrong; `found` then holds the byte where the line starts and the
    number of fields it has, else the number of topics and of lines with words after the last field.
    """
    lines, topics, longer, previous = 0, 0, 0, -1
    i = begin
    while i < end:
        start_of_line = i
        i = after_blanks(text, i)
        if text[i] == NEWLINE or text[i] == HASH:
            i = line_end(text, i) + 1
            continue
        t_start = i
        i = field_end(text, i)
        t_end = i
        d_start, d_end, k_start, k_end = i, i, i, i
        count = 1
        while count < fields:
            i = after_blanks(text, i)
            if text[i] == NEWLINE:
                break
            field_start = i
            i = field_end(text, i)
            if count == 2:
                d_start, d_end = field_start, i
            elif count == key_field:
                k_start, k_end = field_start, i
            count += 1
        if count < fields:
            found[0], found[1] = start_of_line, count
            return TOO_FEW_FIELDS
        if text[i] != NEWLINE:
            i = after_blanks(text, i)
            if text[i] != NEWLINE:
                longer += 1
                i = line_end(text, i)
        i += 1

        t_length = t_end - t_start
        if (
            previous < 0
            or t_length != topic_length[previous]
            or not same_bytes(text, t_start, text, topic_start[previous], t_length)
        ):
            wanted = hash_of(text, t_start, t_length, seed)
            slot = np.int64(wanted >> np.uint64(20)) & slot_mask
            while True:
                code = topic_slots[slot] - 1
                if code < 0:
                    topic_slots[slot] = topics + 1
                    topic_start[topics] = t_start
                    topic_length[topics] = t_length
                    topic_hash[topics] = wanted
                    previous = topics
                    topics += 1
                    break
                if (
                    topic_hash[code] == wanted
                    and topic_length[code] == t_length
                    and same_bytes(text, t_start, text, topic_start[code], t_length)
                ):
                    previous = code
                    break
                slot = (slot + 1) & slot_mask
        topic[lines] = previous
        document_start[lines] = d_start
        document_length[lines] = d_end - d_start
        document_hash[lines] = hash_of(text, d_start, d_end - d_start, seed)
        if key_field > 0:
            fine, value = decimal(text, k_start, k_end)
            if not fine or value != value:
                found[0] = start_of_line
                found[1] = k_start
                found[2] = k_end
                return NAN_SCORE if fine else NOT_A_NUMBER
            key[lines] = value
        lines += 1
    found[0], found[1] = topics, longer
    return lines


@njit(inline="always")
def comes_first(
    text: Any, starts: Any, lengths: Any, key: Any, by_document: int, a: int, b: int
) -> bool:
    """The tie rule: larger key first, then the larger document id (or the earlier line)."""
    if key[a] != key[b]:
        return key[a] > key[b]
    if by_document:
        return bytes_above(text, starts[a], lengths[a], starts[b], lengths[b])
    return a < b


@njit(inline="always")
def sort_lines(
    text: Any, starts: Any, lengths: Any, key: Any, by_document: int, order: Any, spare: Any, low: int, high: int
) -> None:
    """Merge sort of order[low:high]: insertion in short stretches, then doubling merges."""
    stretch = 12
    start = low
    while start < high:
        stop = start + stretch if start + stretch < high else high
        for i in range(start + 1, stop):
            line = order[i]
            j = i - 1
            while j >= start and comes_first(text, starts, lengths, key, by_document, line, order[j]):
                order[j + 1] = order[j]
                j -= 1
            order[j + 1] = line
        start += stretch
    width = stretch
    while width < high - low:
        start = low
        while start + width < high:
            middle = start + width
            stop = middle + width if middle + width < high else high
            if comes_first(text, starts, lengths, key, by_document, order[middle], order[middle - 1]):
                for i in range(start, middle):
                    spare[i] = order[i]
                i, j, k = start, middle, start
                while i < middle and j < stop:
                    if comes_first(text, starts, lengths, key, by_document, order[j], spare[i]):
                        order[k] = order[j]
                        j += 1
                    else:
                        order[k] = spare[i]
                        i += 1
                    k += 1
                while i < middle:
                    order[k] = spare[i]
                    i += 1
                    k += 1
            start += 2 * width
        width *= 2


def order_run(
    text: Any,
    lines: int,
    topics: int,
    topic: Any,
    document_start: Any,
    document_length: Any,
    document_hash: Any,
    key: Any,
    sorting: int,
    offsets: Any,
    order: Any,
    spare: Any,
    slots: Any,
    found: Any,
) -> int:
    """Group the lines by topic and put each group in the order of the tie rule.

    `sorting`: 0 leaves the order of the lines, 1 sorts by key and document, 2 by key and line. Returns 0, or -1
    with the two lines that name the same document for the same topic in `found`.
    """
    for t in range(topics + 1):
        offsets[t] = 0
    for i in range(lines):
        offsets[topic[i] + 1] += 1
    for t in range(topics):
        offsets[t + 1] += offsets[t]
    grouped = True
    for i in range(1, lines):
        if topic[i] < topic[i - 1]:
            grouped = False
            break
    if grouped:
        for i in range(lines):
            order[i] = i
    else:
        for t in range(topics):
            spare[t] = offsets[t]
        for i in range(lines):
            t = topic[i]
            order[spare[t]] = i
            spare[t] += 1
    for t in range(topics):
        low, high = offsets[t], offsets[t + 1]
        size = 16
        while size < 2 * (high - low):
            size *= 2
        for k in range(size):
            slots[k] = -1
        for i in range(low, high):
            line = order[i]
            slot = np.int64(document_hash[line] >> np.uint64(20)) & (size - 1)
            while slots[slot] >= 0:
                other = slots[slot]
                if (
                    document_hash[other] == document_hash[line]
                    and document_length[other] == document_length[line]
                    and same_bytes(text, document_start[other], text, document_start[line], document_length[line])
                ):
                    found[0], found[1] = other, line
                    return -1
                slot = (slot + 1) & (size - 1)
            slots[slot] = line
        if sorting == 0:
            continue
        falling = True
        for i in range(low + 1, high):
            if key[order[i]] > key[order[i - 1]]:
                falling = False
                break
        if not falling:
            sort_lines(
                text, document_start, document_length, key, 1 if sorting == 1 else 0, order, spare, low, high
            )
        elif sorting == 1:
            start = low
            while start < high:
                stop = start + 1
                while stop < high and key[order[stop]] == key[order[start]]:
                    stop += 1
                if stop - start > 1:
                    sort_lines(text, document_start, document_length, key, 1, order, spare, start, stop)
                start = stop
    return 0


def index_documents(
    topics: int, offsets: Any, document_hash: Any, table_start: Any, slots: Any
) -> int:
    """One hash table a topic: `slots[table_start[t]:table_start[t + 1]]` holds places of documents, or -1."""
    for t in range(topics):
        first = table_start[t]
        mask = table_start[t + 1] - first - 1
        for i in range(offsets[t], offsets[t + 1]):
            slot = np.int64(document_hash[i] >> np.uint64(20)) & mask
            while slots[first + slot] >= 0:
                slot = (slot + 1) & mask
            slots[first + slot] = i
    return 0


def join_run(
    text: Any,
    topics: int,
    run_topic: Any,
    offsets: Any,
    order: Any,
    document_start: Any,
    document_length: Any,
    document_hash: Any,
    key: Any,
    with_ties: int,
    judged_text: Any,
    judged_start: Any,
    judged_length: Any,
    judged_hash: Any,
    table_start: Any,
    slots: Any,
    hit_offsets: Any,
    hit_rank: Any,
    hit_document: Any,
    tie_first: Any,
    tie_last: Any,
) -> int:
    """The judged documents of a run, for each topic of the judgements in the order of rank: the hits.

    `run_topic` says which topic of the run a topic of the judgements is, -1 when the run lacks it.
    """
    hits = 0
    for t in range(topics):
        hit_offsets[t] = hits
        if run_topic[t] < 0:
            continue
        first = table_start[t]
        mask = table_start[t + 1] - first - 1
        low, high = offsets[run_topic[t]], offsets[run_topic[t] + 1]
        group, pending = low, hits
        for i in range(low, high):
            line = order[i]
            if with_ties and i > low and key[line] != key[order[i - 1]]:
                while pending < hits:
                    tie_last[pending] = i - low
                    pending += 1
                group = i
            wanted, length = document_hash[line], document_length[line]
            slot = np.int64(wanted >> np.uint64(20)) & mask
            while slots[first + slot] >= 0:
                j = slots[first + slot]
                if (
                    judged_hash[j] == wanted
                    and judged_length[j] == length
                    and same_bytes(text, document_start[line], judged_text, judged_start[j], length)
                ):
                    hit_rank[hits] = i - low + 1
                    hit_document[hits] = j
                    tie_first[hits] = (group if with_ties else i) - low + 1
                    tie_last[hits] = i - low + 1
                    hits += 1
                    break
                slot = (slot + 1) & mask
        if with_ties:
            while pending < hits:
                tie_last[pending] = high - low
                pending += 1
    hit_offsets[topics] = hits
    return hits


def scan_fields(text: Any, begin: int, end: int, fewest: int, most: int, starts: Any, lengths: Any, found: Any) -> int:
    """Where each of up to `most` fields of every line lies; a missing field has length 0.

    Returns the number of lines, or what is wrong, as `scan_run` does; `found[0]` is then the number of fields
    of the longest line.
    """
    lines, widest = 0, 0
    i = begin
    while i < end:
        start_of_line = i
        i = after_blanks(text, i)
        if text[i] == NEWLINE or text[i] == HASH:
            i = line_end(text, i) + 1
            continue
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
        for k in range(count, most):
            starts[lines * most + k] = start_of_line
            lengths[lines * most + k] = 0
        if count > widest:
            widest = count
        lines += 1
        i += 1
    found[0] = widest
    return lines


def encode(
    text: Any, count: int, stride: int, starts: Any, lengths: Any, seed: np.uint64, slots: Any, mask: int,
    first: Any, hashes: Any, codes: Any,
) -> int:
    """Number equal fields equally, in the order of first sight. `first` holds the line each was first seen in."""
    known = 0
    for i in range(count):
        start, length = starts[i * stride], lengths[i * stride]
        wanted = hash_of(text, start, length, seed)
        slot = np.int64(wanted >> np.uint64(20)) & mask
        while True:
            code = slots[slot] - 1
            if code < 0:
                slots[slot] = known + 1
                first[known] = i
                hashes[known] = wanted
                codes[i] = known
                known += 1
                break
            j = first[code]
            if (
                hashes[code] == wanted
                and lengths[j * stride] == length
                and same_bytes(text, start, text, starts[j * stride], length)
            ):
                codes[i] = code
                break
            slot = (slot + 1) & mask
    return known


def hash_fields(text: Any, count: int, starts: Any, lengths: Any, seed: np.uint64, hashes: Any) -> int:
    """The hash of each field, as `scan_run` computes it for documents."""
    for i in range(count):
        hashes[i] = hash_of(text, starts[i], lengths[i], seed)
    return 0


def whole_numbers(text: Any, count: int, stride: int, starts: Any, lengths: Any, values: Any) -> int:
    """The integers the fields spell. Returns -1, or the first line whose field spells none."""
    for i in range(count):
        start = starts[i * stride]
        j, end = start, start + lengths[i * stride]
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
