"""From bytes to lines and fields."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.text.kernels.primitives import (
    HASH,
    NEWLINE,
    after_blanks,
    decimal,
    field_end,
    hash_of,
    line_end,
    same_bytes,
)

# What a scan reports instead of a count. The plain path raises the same findings by the same names.
TOO_FEW_FIELDS, NOT_A_NUMBER, NAN_SCORE = -1, -2, -3


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
