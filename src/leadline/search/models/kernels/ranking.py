"""The best documents of many queries, from lists of weights that a model has already computed.

Documents are taken a block at a time, so that their running totals stay in the processor's nearest caches, and every
term of the query adds its weights to the block. Nothing is estimated or skipped, and a document's terms are added in
the order of the query: the total is the same to the last bit as a plain sum.

Which documents can still be among the best is known from a histogram of the scores met so far, whose bins are the
leading bits of the number itself. Only those are kept, and only they are sorted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

BLOCK = 16384  # documents; their totals take 128 KiB
GROUP = 8  # documents looked at together; most groups hold none of the best
BINS = 4096  # 256 for each power of two, over 16 powers of two below the highest score possible
BIN_SHIFT = 44  # so many bits of a double's 52 are within a bin
UNTOUCHED = -0.0  # the total of a document that has no term: adding a weight of 0 to it makes it +0.0
UNTOUCHED_BITS = np.int64(-0x8000000000000000)
EVERY_BIT_BUT_SIGN = np.int64(0x7FFFFFFFFFFFFFFF)
LOWEST = np.float64(-1.7976931348623157e308)


@intrinsic
def bits_of(_context: Any, _value: Any) -> Any:
    """A double as the integer with the same bits."""
    signature = types.int64(types.float64)

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return signature, generate


@intrinsic
def double_of(_context: Any, _bits: Any) -> Any:
    """The double that has these bits."""
    signature = types.float64(types.int64)

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.DoubleType())

    return signature, generate


@njit(forceinline=True, error_model="numpy")
def sorting_key(score: float) -> np.uint64:
    """A number that is smaller the higher the score is."""
    bits = bits_of(score)
    return np.uint64(bits ^ (~(bits >> 63) & EVERY_BIT_BUT_SIGN))


@njit(forceinline=True, error_model="numpy")
def score_of(key: np.uint64) -> float:
    """The score that has this key."""
    bits = np.int64(key)
    return double_of(bits ^ (~(bits >> 63) & EVERY_BIT_BUT_SIGN))


@njit(forceinline=True, error_model="numpy")
def sort_best(count: int, keys: Any, rows: Any, spare_keys: Any, spare_rows: Any, counts: Any, ranks: Any) -> None:
    """Sort documents by their keys, low first, and equal keys by the rank of the document, high first.

    Three passes sort by the 24 leading bits of what differs; few have those in common, and they are sorted afterwards.
    """
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


@njit(error_model="numpy")
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


def rank_documents(
    queries: int,
    query_offsets: Any,
    lists: Any,
    multipliers: Any,
    highest: Any,
    directory: Any,
    places: Any,
    weights: Any,
    documents: int,
    ranks: Any,
    masked: int,
    allowed: Any,
    k: int,
    totals: Any,
    histogram: Any,
    candidate_rows: Any,
    candidate_keys: Any,
    spare_rows: Any,
    spare_keys: Any,
    rows: Any,
    scores: Any,
    found: Any,
) -> int:
    """The k best documents of each query: `rows` and `scores` from query * k on, `found` how many there are.

    Term t of the queries adds multipliers[t] times the weights of list lists[t]. The postings of list l in block b are
    those from directory[l * (blocks + 1) + b] up to the next entry: a document's place in its block, and the weight.
    No score of query q exceeds highest[q], but for rounding.
    """
    blocks = (documents + BLOCK - 1) // BLOCK
    for query in range(queries):
        first, last = query_offsets[query], query_offsets[query + 1]
        for b in range(BINS):
            histogram[b] = 0
        lowest_bin = (bits_of(highest[query]) >> BIN_SHIFT) - (BINS - 1)
        floor, kept, threshold, candidates = 0, np.int64(0), LOWEST, np.int64(0)
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
                multiplier = multipliers[t]
                entry = lists[t] * (blocks + 1) + block
                for p in range(directory[entry], directory[entry + 1]):
                    # Adding 0 makes +0.0 of -0.0: a document is touched even by a weight of nothing.
                    totals[places[p]] += multiplier * weights[p] + 0.0
            before = candidates
            for group in range(0, width, GROUP):
                most = totals[group]
                for i in range(group + 1, group + GROUP):
                    most = totals[i] if totals[i] > most else most
                if most < threshold:
                    continue
                for i in range(group, group + GROUP):  # without branches, which nobody could foretell
                    total = totals[i]
                    bits = bits_of(total)
                    good = np.int64(total >= threshold) & np.int64(bits != UNTOUCHED_BITS)
                    leading = (bits >> BIN_SHIFT) - lowest_bin
                    at_least = leading if leading > 0 else np.int64(0)
                    histogram[at_least if at_least < BINS - 1 else BINS - 1] += good
                    candidate_rows[candidates] = base + i
                    candidate_keys[candidates] = sorting_key(total)
                    candidates += good
            kept += candidates - before
            while floor < BINS - 1 and kept - histogram[floor] >= k:
                kept -= histogram[floor]
                floor += 1
            if floor > 0:
                threshold = double_of((floor + lowest_bin) << BIN_SHIFT)
        worst = sorting_key(threshold)
        count = 0
        for i in range(candidates):
            if candidate_keys[i] <= worst:
                candidate_rows[count], candidate_keys[count] = candidate_rows[i], candidate_keys[i]
                count += 1
        if count > 0:
            sort_best(count, candidate_keys, candidate_rows, spare_keys, spare_rows, histogram, ranks)
        count = count if count < k else k
        for i in range(count):
            rows[query * k + i] = candidate_rows[i]
            scores[query * k + i] = score_of(candidate_keys[i])
        found[query] = count
    return 0
