"""The compiled twin of the tie rule in `order.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.records.runs.kernels.arguments import LineOrder, RunLines
from leadline.text.kernels.arguments import Bytes, Int64s, kernel
from leadline.text.kernels.primitives import bytes_above, inline, same_bytes


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
            for i in range(start, middle):
                spare[i] = sequence[i]
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
