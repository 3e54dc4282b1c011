"""The best documents of many queries, from lists of weights that a model has already computed.

Documents are processed in blocks, so that their running totals stay in the processor's caches, and every term of the
query adds its weights to the block. Nothing is estimated or skipped, and a document's terms are added in the order of
the query: the total equals a plain sum to the last bit.

A histogram of the scores so far, binned by the leading bits of the floating-point number, gives a threshold that a
document must reach to be among the best. Only documents that reach it are stored and sorted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from leadline.retrieval.models.kernels.arguments import (
    BINS,
    BLOCK,
    GROUP,
    BestDocuments,
    Candidates,
    QueryLists,
    WeightLists,
)
from leadline.text.kernels.arguments import Bytes, Floats, Int32s, kernel
from leadline.text.kernels.primitives import inline

BIN_SHIFT = 44  # the lowest 44 of a double's 52 fraction bits do not count for the bin
UNTOUCHED = -0.0  # the total of a document that has no term: adding a weight of 0 to it makes it +0.0
UNTOUCHED_BITS = np.int64(-0x8000000000000000)
EVERY_BIT_BUT_SIGN = np.int64(0x7FFFFFFFFFFFFFFF)
LOWEST = np.float64(-1.7976931348623157e308)


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


@kernel
def rank_documents(
    asked: QueryLists,
    weights: WeightLists,
    documents: int,
    ranks: Int32s,
    masked: int,
    allowed: Bytes,
    k: int,
    length: Floats,
    totals: Floats,
    histogram: Int32s,
    candidates: Candidates,
    best: BestDocuments,
) -> int:
    """Find the k best documents of each query, among those allowed where `masked`."""
    blocks = (documents + BLOCK - 1) // BLOCK
    for query in range(asked.queries):
        first, last = asked.offsets[query], asked.offsets[query + 1]
        for b in range(BINS):
            histogram[b] = 0
        lowest_bin = (np.float64(asked.highest[query]).view(np.int64) >> BIN_SHIFT) - (BINS - 1)
        floor, kept, threshold, found = 0, np.int64(0), LOWEST, np.int64(0)
        for block in range(blocks):
            base = block * BLOCK
            width = documents - base if documents - base < BLOCK else BLOCK
            for i in range(width):
                totals[i] = UNTOUCHED
            for i in range(width, width + GROUP):
                totals[i] = -np.inf
            if masked:
                for i in range(width):
                    if not allowed[base + i]:
                        totals[i] = -np.inf
            for t in range(first, last):
                multiplier = asked.multipliers[t]
                entry = asked.lists[t] * (blocks + 1) + block
                for p in range(weights.directory[entry], weights.directory[entry + 1]):
                    # Adding 0 turns -0.0 into +0.0: a weight of 0 touches the document too.
                    totals[weights.places[p]] += multiplier * weights.values[p] + 0.0
            if asked.terms[query] != 0.0:
                for i in range(width):
                    if np.float64(totals[i]).view(np.int64) != UNTOUCHED_BITS:
                        totals[i] += asked.terms[query] * length[base + i]
            before = found
            for group in range(0, width, GROUP):
                most = totals[group]
                for i in range(group + 1, group + GROUP):
                    most = totals[i] if totals[i] > most else most
                if most < threshold:
                    continue
                for i in range(group, group + GROUP):  # without branches, because they would be mispredicted
                    total = totals[i]
                    bits = np.float64(total).view(np.int64)
                    good = np.int64(total >= threshold) & np.int64(bits != UNTOUCHED_BITS)
                    leading = (bits >> BIN_SHIFT) - lowest_bin
                    at_least = leading if leading > 0 else np.int64(0)
                    histogram[at_least if at_least < BINS - 1 else BINS - 1] += good
                    candidates.rows[found] = base + i
                    candidates.keys[found] = sorting_key(total)
                    found += good
            kept += found - before
            while floor < BINS - 1 and kept - histogram[floor] >= k:
                kept -= histogram[floor]
                floor += 1
            if floor > 0:
                threshold = np.int64((floor + lowest_bin) << BIN_SHIFT).view(np.float64)
        worst = sorting_key(threshold)
        count = 0
        for i in range(found):
            if candidates.keys[i] <= worst:
                candidates.rows[count], candidates.keys[count] = candidates.rows[i], candidates.keys[i]
                count += 1
        if count > 0:
            sort_best(count, candidates, histogram, ranks)
        count = count if count < k else k
        for i in range(count):
            best.rows[query * k + i] = candidates.rows[i]
            best.scores[query * k + i] = score_of(candidates.keys[i])
        best.found[query] = count
    return 0
