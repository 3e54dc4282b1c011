"""Read the packed lists of terms as places in blocks of documents, without arrays in between; and weigh them."""

from __future__ import annotations

import numpy as np

from leadline.retrieval.index.kernels.arguments import PackedBlocks
from leadline.retrieval.index.kernels.packing import PER_BLOCK, unpack_documents, unpack_words
from leadline.retrieval.models.kernels.arguments import BLOCK, MOST_COUNT, AskedLists, ReadLists, WeightLists
from leadline.text.kernels.arguments import Floats, Int32s, Int64s, kernel

IN_ORDER, NOT_ASCENDING, WRONG_SUM = 0, 1, 2


@kernel
def read_lists(
    documents: PackedBlocks,
    frequencies: PackedBlocks,
    asked: AskedLists,
    into: ReadLists,
    unpacked_documents: Int32s,
    unpacked_frequencies: Int32s,
) -> int:
    """Write the postings of lists in one segment behind those of the segments before; returns what is wrong, or 0."""
    unpacked, ascending = np.int64(-1), False
    for number in range(asked.lists):
        at, reached, most = into.cursors[number], into.reached[number], np.int32(into.most[number])
        row = number * into.entries
        before, total, wrong = np.int32(-1), np.int64(0), np.int64(0)
        i, stop = asked.starts[number], asked.stops[number]
        while i < stop:
            block = i // PER_BLOCK
            if block != unpacked:
                ascending = unpack_documents(documents, block, unpacked_documents)
                unpack_words(frequencies, block, unpacked_frequencies)
                unpacked = block
            first = i - block * PER_BLOCK
            count = PER_BLOCK - first if PER_BLOCK - first < stop - i else stop - i
            wrong |= np.int64(unpacked_documents[first] <= before)
            if not ascending:
                for k in range(first + 1, first + count):
                    wrong |= np.int64(unpacked_documents[k] <= unpacked_documents[k - 1])
            before = unpacked_documents[first + count - 1]
            if (asked.base + unpacked_documents[first]) // BLOCK == reached and (
                asked.base + before
            ) // BLOCK == reached:
                for k in range(count):
                    into.places[at + k] = np.uint16((asked.base + unpacked_documents[first + k]) & (BLOCK - 1))
            else:
                for k in range(count):
                    document = asked.base + unpacked_documents[first + k]
                    while reached < document // BLOCK:
                        reached += 1
                        into.directory[row + reached] = at + k
                    into.places[at + k] = np.uint16(document & (BLOCK - 1))
            if frequencies.widths[block] == 0:
                for k in range(count):
                    into.counts[at + k] = np.uint16(1)
                most = most if most > 1 else np.int32(1)
            else:
                for k in range(first, first + count):
                    most = unpacked_frequencies[k] + 1 if unpacked_frequencies[k] + 1 > most else most
                    total += unpacked_frequencies[k]
                for k in range(count):
                    frequency = unpacked_frequencies[first + k] + np.int32(1)
                    into.counts[at + k] = np.uint16(frequency if frequency < MOST_COUNT else MOST_COUNT)
            total += count
            at += count
            i += count
        if wrong:
            return NOT_ASCENDING
        if total != asked.occurrences[number]:
            return WRONG_SUM
        into.cursors[number], into.reached[number], into.most[number] = at, reached, most
        if into.is_last:
            for block in range(reached + 1, into.entries):
                into.directory[row + block] = at
    return IN_ORDER


@kernel
def weigh_lists(
    weights: WeightLists, blocks: int, numbers: Int64s, lists: int, values: Floats, lowest: Floats, highest: Floats
) -> int:
    """Write the weights of lists of frequencies, one list behind the other, and the bounds of each list."""
    at = 0
    for n in range(lists):
        number = numbers[n]
        row, factor = number * (blocks + 1), weights.factors[number]
        low, high = np.inf, -np.inf
        for block in range(blocks):
            norms, lengths = weights.norm_at[number], weights.length_at[number] + block * BLOCK
            for p in range(weights.directory[row + block], weights.directory[row + block + 1]):
                frequency = np.float64(weights.counts[p])
                length = weights.lengths[lengths + weights.places[p]]
                value = factor * frequency / (frequency + weights.norms[norms + length])
                low = value if value < low else low
                high = value if value > high else high
                values[at] = value
                at += 1
        lowest[n], highest[n] = low, high
    return at
