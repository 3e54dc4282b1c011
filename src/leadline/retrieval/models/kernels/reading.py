"""Read the packed lists of terms as places in blocks of documents, without arrays in between; and weigh them."""

from __future__ import annotations

import numpy as np

from leadline.retrieval.index.kernels.arguments import PackedBlocks
from leadline.retrieval.index.kernels.packing import PER_BLOCK, finish_block, unpack_block
from leadline.retrieval.models.kernels.arguments import BLOCK, MOST_COUNT, AskedLists, ReadLists, WeightLists
from leadline.text.kernels.arguments import Floats, Int64s, kernel

IN_ORDER, NOT_ASCENDING, WRONG_SUM = 0, 1, 2


@kernel
def read_lists(
    documents: PackedBlocks,
    frequencies: PackedBlocks,
    asked: AskedLists,
    into: ReadLists,
    unpacked_documents: Int64s,
    unpacked_frequencies: Int64s,
) -> int:
    """Write the postings of lists in one segment behind those of the segments before; returns what is wrong, or 0."""
    unpacked = np.int64(-1)
    for number in range(asked.lists):
        at, reached, most = into.cursors[number], into.reached[number], into.most[number]
        row = number * into.entries
        before, total, wrong = np.int64(-1), np.int64(0), np.int64(0)
        i, stop = asked.starts[number], asked.stops[number]
        while i < stop:
            block = i // PER_BLOCK
            if block != unpacked:
                unpack_block(documents, block, unpacked_documents)
                finish_block(documents, block, unpacked_documents)
                unpack_block(frequencies, block, unpacked_frequencies)
                finish_block(frequencies, block, unpacked_frequencies)
                unpacked = block
            first = i - block * PER_BLOCK
            count = PER_BLOCK - first if PER_BLOCK - first < stop - i else stop - i
            for k in range(first, first + count):
                document, frequency = unpacked_documents[k], unpacked_frequencies[k]
                wrong |= np.int64(document <= before)
                before = document
                row_of_index = asked.base + document
                while reached < row_of_index // BLOCK:
                    reached += 1
                    into.directory[row + reached] = at
                into.places[at] = np.uint16(row_of_index % BLOCK)
                into.counts[at] = np.uint16(frequency if frequency < MOST_COUNT else MOST_COUNT)
                at += 1
                total += frequency
                most = frequency if frequency > most else most
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
