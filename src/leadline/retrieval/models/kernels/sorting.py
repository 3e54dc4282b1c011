"""Sort the documents that may be among the best by their scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from leadline.text.kernels.primitives import inline

EVERY_BIT_BUT_SIGN = np.int64(0x7FFFFFFFFFFFFFFF)


@inline
def sorting_key(score: float) -> np.uint64:
    """An integer that is the smaller, the higher the score."""
    bits = np.float64(score).view(np.int64)
    return np.uint64(bits ^ (~(bits >> 63) & EVERY_BIT_BUT_SIGN))


@inline
def score_of(key: np.uint64) -> float:
    """The score that has this key."""
    bits = np.int64(key)
    return np.int64(bits ^ (~(bits >> 63) & EVERY_BIT_BUT_SIGN)).view(np.float64)


@inline
def sort_best(count: int, candidates: Any, counts: Any, ranks: Any) -> None:
    """Sort documents by their keys, low first, and equal keys by the rank of the document, high first.

    A radix sort in three passes sorts by the 24 leading bits of the keys' range; then documents with equal leading bits
    are sorted by `sort_group`.
    """
    keys, rows, spare_keys, spare_rows = candidates.keys, candidates.rows, candidates.spare_keys, candidates.spare_rows
    lowest, highest = keys[0], keys[0]
    for i in range(count):
        lowest = keys[i] if keys[i] < lowest else lowest
        highest = keys[i] if keys[i] > highest else highest
    shift = np.uint64(0)
    while (highest - lowest) >> shift >= np.uint64(1 << 24):
        shift += np.uint64(1)
    for i in range(3 * 256):
        counts[i] = 0
    for i in range(count):
        leading = np.int64((keys[i] - lowest) >> shift)
        counts[leading & 255] += 1
        counts[256 + ((leading >> 8) & 255)] += 1
        counts[512 + (leading >> 16)] += 1
    from_keys, from_rows, to_keys, to_rows = keys, rows, spare_keys, spare_rows
    for digit in range(3):
        place = 0
        for value in range(256 * digit, 256 * digit + 256):
            held = counts[value]
            counts[value] = place
            place += held
        for i in range(count):
            key, row = from_keys[i], from_rows[i]
            at = 256 * digit + ((np.int64((key - lowest) >> shift) >> (8 * digit)) & 255)
            place = counts[at]
            counts[at] = place + 1
            to_keys[place], to_rows[place] = key, row
        from_keys, from_rows, to_keys, to_rows = to_keys, to_rows, from_keys, from_rows
    for i in range(count):
        keys[i], rows[i] = spare_keys[i], spare_rows[i]
    start = 0
    while start < count:
        stop = start + 1
        while stop < count and (keys[stop] - lowest) >> shift == (keys[start] - lowest) >> shift:
            stop += 1
        if stop - start > 1:
            sort_group(start, stop, keys, rows, ranks)
        start = stop


@njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def sort_group(start: int, stop: int, keys: Any, rows: Any, ranks: Any) -> None:
    """Shell's sort of documents by key, low first, then rank, high first."""
    gap = 1
    while gap < (stop - start) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(start + gap, stop):
            key, row = keys[i], rows[i]
            j = i
            while j >= start + gap and (
                keys[j - gap] > key or (keys[j - gap] == key and ranks[rows[j - gap]] < ranks[row])
            ):
                keys[j], rows[j] = keys[j - gap], rows[j - gap]
                j -= gap
            keys[j], rows[j] = key, row
        gap //= 3
