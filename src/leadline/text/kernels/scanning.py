"""From bytes to lines and fields."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from leadline.text.kernels.primitives import (
    HASH,
    NEWLINE,
    SPACE,
    TAB,
    after_blanks,
    decimal,
    field_end,
    first_bit,
    hash_of,
    line_end,
    same_bytes,
    where_within,
)

# What a scan reports instead of a count. The plain path raises the same findings by the same names.
TOO_FEW_FIELDS, NOT_A_NUMBER, NAN_SCORE = -1, -2, -3


@njit(forceinline=True, error_model="numpy")
def scan_lines(
    text: Any,
    end: int,
    seed: np.uint64,
    fields: int,
    key_field: int,
    one_topic: int,
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
    state: Any,
) -> int:
    """Find topic, document and sorting key of every line, to the end or, for `one_topic`, to the next topic.

    `state` holds the byte to go on from, the number of topics and of lines with words after the last field so far.
    Returns the number of lines, or what is wrong; `state` then holds the byte where the line starts, and the number of
    its fields or the place of its key.
    """
    i, topics, longer = state[0], state[1], state[2]
    lines, previous = 0, -1
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
                state[0], state[1] = start_of_line, count
                return TOO_FEW_FIELDS

        t_length = t_end - t_start
        if (
            previous < 0
            or t_length != topic_length[previous]
            or not same_bytes(text, t_start, text, topic_start[previous], t_length)
        ):
            if one_topic and previous >= 0:
                i = start_of_line
                break
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
        if text[i] != NEWLINE:
            i = after_blanks(text, i)
            if text[i] != NEWLINE:
                longer += 1
                i = line_end(text, i)
        i += 1
        topic[lines] = previous
        document_start[lines] = d_start
        document_length[lines] = d_end - d_start
        document_hash[lines] = hash_of(text, d_start, d_end - d_start, seed)
        if key_field > 0:
            fine, value = decimal(text, k_start, k_end)
            if not fine or value != value:
                state[0], state[1], state[2] = start_of_line, k_start, k_end
                return NAN_SCORE if fine else NOT_A_NUMBER
            key[lines] = value
        lines += 1
    state[0], state[1], state[2] = i, topics, longer
    return lines


def scan_run(
    text: Any,
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
    state: Any,
) -> int:
    """All lines of a run: see `scan_lines`."""
    return scan_lines(
        text, end, seed, fields, key_field, 0, topic_slots, slot_mask, topic_start, topic_length, topic_hash,
        topic, document_start, document_length, document_hash, key, state,
    )  # fmt: skip


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
