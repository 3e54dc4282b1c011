"""The compiled twin of the tie rule in runs/order.py."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from leadline.text.kernels.primitives import bytes_above, same_bytes


@njit(forceinline=True, error_model="numpy")
def comes_first(text: Any, starts: Any, lengths: Any, key: Any, by_document: int, a: int, b: int) -> bool:
    """The tie rule: larger key first, then the larger document id (or the earlier line)."""
    if key[a] != key[b]:
        return key[a] > key[b]
    if by_document:
        return bytes_above(text, starts[a], lengths[a], starts[b], lengths[b])
    return a < b


@njit(forceinline=True, error_model="numpy")
def sort_lines(
    text: Any, starts: Any, lengths: Any, key: Any, by_document: int, order: Any, spare: Any, low: int, high: int
) -> None:
    """Merge sort of order[low:high], from single lines up."""
    width = 1
    while width < high - low:
        start = low
        while start + width < high:
            middle = start + width
            stop = middle + width if middle + width < high else high
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


@njit(forceinline=True, error_model="numpy")
def settle_topic(
    text: Any,
    low: int,
    high: int,
    document_start: Any,
    document_length: Any,
    document_hash: Any,
    key: Any,
    sorting: int,
    order: Any,
    spare: Any,
    slots: Any,
    found: Any,
) -> bool:
    """Put order[low:high], the lines of one topic, in order. False when two name the same document: see `found`."""
    size = 16
    while size < 4 * (high - low):
        size *= 2
    for k in range(size):
        slots[k] = -1
    falling, tied = True, False
    for i in range(low, high):
        line = order[i]
        if i > low:
            falling = falling and key[line] <= key[order[i - 1]]
            tied = tied or key[line] == key[order[i - 1]]
        slot = np.int64(document_hash[line] >> np.uint64(20)) & (size - 1)
        while slots[slot] >= 0:
            other = slots[slot]
            if (
                document_hash[other] == document_hash[line]
                and document_length[other] == document_length[line]
                and same_bytes(text, document_start[other], text, document_start[line], document_length[line])
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
            while stop < high and key[order[stop]] == key[order[start]]:
                stop += 1
        if stop - start > 1:
            sort_lines(text, document_start, document_length, key, sorting == 1, order, spare, start, stop)
        start = stop
    return True


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
    for t in range(topics):
        spare[t] = offsets[t]
    for i in range(lines):
        t = topic[i]
        order[spare[t]] = i
        spare[t] += 1
    for t in range(topics):
        if not settle_topic(
            text, offsets[t], offsets[t + 1], document_start, document_length, document_hash, key, sorting, order,
            spare, slots, found,
        ):  # fmt: skip
            return -1
    return 0
