"""The compiled half of reading runs: lines found, and put in the order of the tie rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.records.kernel_arguments import LineOrder, RunLines, RunTopics
from leadline.text.kernel_arguments import Bytes, Int64s, UInt64, kernel
from leadline.text.kernels import (
    FINE,
    HASH,
    NEWLINE,
    NO_NUMBER,
    SPACE,
    TAB,
    after_blanks,
    bytes_above,
    decimal,
    field_end,
    first_bit,
    hash_of,
    inline,
    line_end,
    same_bytes,
    where_within,
)

# What a scan reports instead of a count. The plain path raises the same findings by the same names.
TOO_FEW_FIELDS, NOT_A_NUMBER, NAN_SCORE = -1, -2, -3


@inline
def scan_lines(
    text: Any,
    end: int,
    seed: np.uint64,
    fields: int,
    key_field: int,
    one_topic: int,
    topics: Any,
    lines: Any,
    state: Any,
) -> int:
    """Find topic, document and sorting key of every line, to the end or, for `one_topic`, to the next topic.

    `state` has four numbers: the byte to go on from, and how many topics, how many lines with words after the last
    field and how many keys that Python must read have been found so far. Such a key is NaN, which no other key is.
    Returns the number of lines, or what is wrong; `state` then holds the byte where the line starts, and the number of
    its fields or where its key starts and ends.
    """
    i, known, longer, left_to_python = state[0], state[1], state[2], state[3]
    count, previous = 0, -1
    while i < end:
        start_of_line = i
        # Nearly all lines are six fields with a single blank between them, in less than 64 bytes: these are found all
        # at once. `ends` has a bit where a field ends, and anything unusual leaves it with another number of bits.
        blanks = where_within(text, i, np.uint8(SPACE), np.uint8(1)) | where_within(text, i, np.uint8(TAB), np.uint8(5))
        newlines = where_within(text, i, np.uint8(NEWLINE), np.uint8(1))
        below = newlines ^ (newlines - np.uint64(1))  # the bits up to and with the first line feed
        ends = blanks & below
        usual = (
            newlines != np.uint64(0)
            and fields == 6
            and (ends & (ends << np.uint64(1) | np.uint64(1))) == np.uint64(0)
            and where_within(text, i, np.uint8(0), np.uint8(SPACE + 1)) & below == ends
            and text[i] != HASH
        )
        if usual:
            # The lowest bit is where the next field ends; `ends & (ends - 1)` clears it.
            t_start, t_end = i, i + first_bit(ends)
            ends &= ends - np.uint64(1)
            d_start = i + first_bit(ends) + 1
            ends &= ends - np.uint64(1)
            d_end = i + first_bit(ends)
            ends &= ends - np.uint64(1)
            rank_end = i + first_bit(ends)
            ends &= ends - np.uint64(1)
            score_end = i + first_bit(ends)
            ends &= ends - np.uint64(1)
            # A bit is left for the end of the tag, and no other.
            usual = ends != np.uint64(0) and ends & (ends - np.uint64(1)) == np.uint64(0)
            k_start, k_end = (rank_end + 1, score_end) if key_field == 4 else (d_end + 1, rank_end)
            i += first_bit(newlines)
        # Any other line: field after field, with blank lines and comments left out.
        if not usual:
            i = start_of_line
            i = after_blanks(text, i)
            if text[i] == NEWLINE or text[i] == HASH:
                i = line_end(text, i) + 1
                continue
            t_start = i
            i = field_end(text, i)
            t_end = i
            d_start, d_end, k_start, k_end = i, i, i, i
            found = 1
            while found < fields:
                i = after_blanks(text, i)
                if text[i] == NEWLINE:
                    break
                field_start = i
                i = field_end(text, i)
                if found == 2:
                    d_start, d_end = field_start, i
                elif found == key_field:
                    k_start, k_end = field_start, i
                found += 1
            if found < fields:
                state[0], state[1] = start_of_line, found
                return TOO_FEW_FIELDS

        # The topic is mostly that of the line before. If not, it is looked up by hash, or gets the next number.
        t_length = t_end - t_start
        if (
            previous < 0
            or t_length != topics.lengths[previous]
            or not same_bytes(text, t_start, text, topics.starts[previous], t_length)
        ):
            # The next topic begins: its line is left for the next call.
            if one_topic and previous >= 0:
                i = start_of_line
                break
            wanted = hash_of(text, t_start, t_length, seed)
            slot = np.int64(wanted >> np.uint64(20)) & topics.mask
            while True:
                code = topics.slots[slot] - 1
                if code < 0:
                    topics.slots[slot] = known + 1
                    topics.starts[known] = t_start
                    topics.lengths[known] = t_length
                    topics.hashes[known] = wanted
                    previous = known
                    known += 1
                    break
                if (
                    topics.hashes[code] == wanted
                    and topics.lengths[code] == t_length
                    and same_bytes(text, t_start, text, topics.starts[code], t_length)
                ):
                    previous = code
                    break
                slot = (slot + 1) & topics.mask
        # Words after the last field are allowed, and counted for a note.
        if text[i] != NEWLINE:
            i = after_blanks(text, i)
            if text[i] != NEWLINE:
                longer += 1
                i = line_end(text, i)
        i += 1
        lines.topic[count] = previous
        lines.starts[count] = d_start
        lines.lengths[count] = d_end - d_start
        lines.hashes[count] = hash_of(text, d_start, d_end - d_start, seed)
        # The sorting key. NaN marks a number that Python must read; a NaN in the file itself is an error.
        if key_field > 0:
            kind, value = decimal(text, k_start, k_end)
            if kind == NO_NUMBER or (kind == FINE and value != value):
                state[0], state[1], state[2] = start_of_line, k_start, k_end
                return NAN_SCORE if kind == FINE else NOT_A_NUMBER
            if kind != FINE:
                left_to_python += 1
            lines.keys[count] = value
        count += 1
    state[0], state[1], state[2], state[3] = i, known, longer, left_to_python
    return count


@kernel
def scan_run(
    text: Bytes,
    end: int,
    seed: UInt64,
    fields: int,
    key_field: int,
    topics: RunTopics,
    lines: RunLines,
    state: Int64s,
) -> int:
    """All lines of a run: see `scan_lines`."""
    return scan_lines(text, end, seed, fields, key_field, 0, topics, lines, state)


# The compiled twin of the tie rule, `tie_order` in `ties.py`.


@inline
def comes_first(text: Any, lines: Any, by_document: int, a: int, b: int) -> bool:
    """The tie rule: larger key first, then the larger document id (or the earlier line)."""
    if lines.keys[a] != lines.keys[b]:
        return lines.keys[a] > lines.keys[b]
    if by_document:
        return bytes_above(text, lines.starts[a], lines.lengths[a], lines.starts[b], lines.lengths[b])
    return a < b


@inline
def sort_lines(text: Any, lines: Any, by_document: int, sequence: Any, spare: Any, low: int, high: int) -> None:
    """Merge sort of sequence[low:high], from single lines up."""
    width = 1
    while width < high - low:
        start = low
        while start + width < high:
            middle = start + width
            stop = middle + width if middle + width < high else high
            # Only the left half is set aside: the merged lines never overtake what is left of the right half.
            for i in range(start, middle):
                spare[i] = sequence[i]
            # The right half goes first only where it truly comes first: equal lines keep their order.
            i, j, k = start, middle, start
            while i < middle and j < stop:
                if comes_first(text, lines, by_document, sequence[j], spare[i]):
                    sequence[k] = sequence[j]
                    j += 1
                else:
                    sequence[k] = spare[i]
                    i += 1
                k += 1
            while i < middle:
                sequence[k] = spare[i]
                i += 1
                k += 1
            start += 2 * width
        width *= 2


@inline
def order_topic(text: Any, low: int, high: int, lines: Any, sorting: int, order: Any, found: Any) -> bool:
    """Sort order.sequence[low:high], the lines of one topic. False where two name the same document: see `found`."""
    sequence, slots = order.sequence, order.slots
    # A hash table of the topic's documents, at most a quarter full, finds a document that is listed twice. The same
    # pass sees whether the keys fall already.
    size = 16
    while size < 4 * (high - low):
        size *= 2
    for k in range(size):
        slots[k] = -1
    falling, tied = True, False
    for i in range(low, high):
        line = sequence[i]
        if i > low:
            falling = falling and lines.keys[line] <= lines.keys[sequence[i - 1]]
            tied = tied or lines.keys[line] == lines.keys[sequence[i - 1]]
        slot = np.int64(lines.hashes[line] >> np.uint64(20)) & (size - 1)
        while slots[slot] >= 0:
            other = slots[slot]
            if (
                lines.hashes[other] == lines.hashes[line]
                and lines.lengths[other] == lines.lengths[line]
                and same_bytes(text, lines.starts[other], text, lines.starts[line], lines.lengths[line])
            ):
                found[0], found[1] = other, line
                return False
            slot = (slot + 1) & (size - 1)
        slots[slot] = line
    if sorting == 0 or (falling and not (tied and sorting == 1)):
        return True
    # All lines, or only each tie where the rest is in order.
    start = low
    while start < high:
        stop = high
        if falling:
            stop = start + 1
            while stop < high and lines.keys[sequence[stop]] == lines.keys[sequence[start]]:
                stop += 1
        if stop - start > 1:
            sort_lines(text, lines, sorting == 1, sequence, order.spare, start, stop)
        start = stop
    return True


@kernel
def order_run(
    text: Bytes,
    count: int,
    topics: int,
    lines: RunLines,
    sorting: int,
    offsets: Int64s,
    order: LineOrder,
    found: Int64s,
) -> int:
    """Group the lines by topic and put each group in the order of the tie rule.

    `sorting`: 0 leaves the order of the lines, 1 sorts by key and document, 2 by key and line. Returns 0, or -1
    with the two lines that name the same document for the same topic in `found`.
    """
    # A counting sort by topic, which keeps the order of lines: count, add up, place. `spare` has the next free places.
    for t in range(topics + 1):
        offsets[t] = 0
    for i in range(count):
        offsets[lines.topic[i] + 1] += 1
    for t in range(topics):
        offsets[t + 1] += offsets[t]
    for t in range(topics):
        order.spare[t] = offsets[t]
    for i in range(count):
        t = lines.topic[i]
        order.sequence[order.spare[t]] = i
        order.spare[t] += 1
    for t in range(topics):
        if not order_topic(text, offsets[t], offsets[t + 1], lines, sorting, order, found):
            return -1
    return 0
