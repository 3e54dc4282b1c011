"""Columns of fields as numbers: codes, hashes, integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.text.kernels.primitives import hash_of, same_bytes


def encode(
    text: Any,
    count: int,
    stride: int,
    starts: Any,
    lengths: Any,
    seed: np.uint64,
    slots: Any,
    mask: int,
    first: Any,
    hashes: Any,
    codes: Any,
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


def gather_fields(text: Any, count: int, starts: Any, lengths: Any, into: Any) -> int:
    """Copy the fields one behind the other."""
    at = 0
    for i in range(count):
        start = starts[i]
        for k in range(lengths[i]):
            into[at + k] = text[start + k]
        at += lengths[i]
    return at


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
