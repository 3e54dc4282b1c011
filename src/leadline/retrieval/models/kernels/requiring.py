"""The best of the documents that have every term of a query.

In each block of documents the shortest list is read, and its documents are looked up in the others. The total of a
document that all of them have is added up in the order of the query, as in `ranking.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.retrieval.models.kernels.arguments import (
    BINS,
    BLOCK,
    BestDocuments,
    Candidates,
    DocumentFilter,
    QueryBounds,
    QueryLists,
    RunningTotals,
    WeightLists,
)
from leadline.retrieval.models.kernels.ranking import (
    BIN_SHIFT,
    LOWEST,
    UNTOUCHED,
    bin_of,
    is_due,
    order_terms,
    weight_of,
    write_best,
)
from leadline.retrieval.models.kernels.sorting import sorting_key
from leadline.text.kernels.arguments import kernel
from leadline.text.kernels.primitives import inline


@inline
def find_in_all(asked: Any, weights: Any, terms: int, entry_of: int, block: int, place: int, cursors: Any) -> int:
    """Whether all lists have a document; `cursors` are moved to its postings, or to the last ones before it."""
    for t in range(terms):
        low, stop = cursors[t], weights.directory[asked.lists[t] * entry_of + block + 1]
        step = np.int64(1)
        while low + step < stop and weights.places[low + step] <= place:
            low += step
            step *= 2
        while step > 0:
            if low + step < stop and weights.places[low + step] <= place:
                low += step
            step //= 2
        cursors[t] = low
        if weights.places[low] != place:
            return False
    return True


@kernel
def rank_having_all(
    asked: QueryLists,
    weights: WeightLists,
    documents: int,
    k: int,
    only: DocumentFilter,
    running: RunningTotals,
    bounds: QueryBounds,
    candidates: Candidates,
    best: BestDocuments,
) -> int:
    """Find the k best of the allowed documents that have every term of the one query.

    Returns twice the number of documents that have every term, plus 1 if weights of lists should be stored.
    """
    blocks = (documents + BLOCK - 1) // BLOCK
    entry_of, terms = blocks + 1, asked.offsets[1]
    cursors, histogram = bounds.order, running.histogram
    for b in range(BINS):
        histogram[b] = 0
    highest = order_terms(asked, weights, 0, terms, bounds, 0)
    lowest_bin = (np.float64(highest).view(np.int64) >> BIN_SHIFT) - (BINS - 1)
    matches = np.int64(0)
    floor, kept, threshold, found = 0, np.int64(0), LOWEST, np.int64(0)
    for block in range(blocks):
        shortest, size = 0, np.int64(BLOCK + 1)
        for t in range(terms):
            entry = asked.lists[t] * entry_of + block
            cursors[t] = weights.directory[entry]
            if weights.directory[entry + 1] - weights.directory[entry] < size:
                shortest, size = t, weights.directory[entry + 1] - weights.directory[entry]
        first = cursors[shortest]
        in_block = matches
        for p in range(first, first + size):
            place = np.int64(weights.places[p])
            document = block * BLOCK + place
            if only.masked and not only.allowed[document]:
                continue
            if not find_in_all(asked, weights, terms, entry_of, block, place, cursors):
                continue
            matches += 1
            total = UNTOUCHED
            for t in range(terms):
                weight = weight_of(weights, asked.lists[t], cursors[t], document)
                total += asked.multipliers[t] * weight + 0.0
            if total >= threshold:
                histogram[bin_of(total, lowest_bin)] += 1
                kept += 1
                candidates.rows[found] = document
                candidates.keys[found] = sorting_key(total)
                found += 1
        for t in range(terms):
            if weights.norm_at[asked.lists[t]] >= 0:
                weights.spent[asked.lists[t]] += matches - in_block
        while floor < BINS - 1 and kept - histogram[floor] >= k:
            kept -= histogram[floor]
            floor += 1
        if floor > 0:
            threshold = np.int64((floor + lowest_bin) << BIN_SHIFT).view(np.float64)
    write_best(0, k, found, threshold, candidates, histogram, weights.ranks, best)
    return 2 * matches + is_due(asked, weights, 0, terms, entry_of)
