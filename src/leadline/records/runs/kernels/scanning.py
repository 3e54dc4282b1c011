"""From the bytes of a run to its topics, documents and scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.records.runs.kernels.arguments import RunLines, RunTopics
from leadline.text.kernels.arguments import Bytes, Int64s, UInt64, kernel
from leadline.text.kernels.numbers import FINE, NO_NUMBER, decimal
from leadline.text.kernels.primitives import (
    HASH,
    NEWLINE,
    SPACE,
    TAB,
    after_blanks,
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

        t_length = t_end - t_start
        if (
            previous < 0
            or t_length != topics.lengths[previous]
            or not same_bytes(text, t_start, text, topics.starts[previous], t_length)
        ):
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
