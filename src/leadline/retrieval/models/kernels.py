"""The compiled part of a search: lists read, weights added up, the best documents found and sorted.

Documents are processed in blocks, so that their running totals stay in the processor's caches, and every term of the
query adds its weights to the block. A document's terms are added in the order of the query: the total equals a plain
sum to the last bit.

A histogram of the scores so far, binned by the leading bits of the floating-point number, gives a threshold that a
document must reach to be among the best. Only documents that reach it are stored and sorted.

Terms that together cannot lift a document to the threshold are left out at first (Turtle and Flood,
Query evaluation: strategies and optimizations, 1995): frequent words, whose lists are long and whose weights are low.
Only for the documents that the other terms bring near the threshold are all terms added up, again in the order of the
query. A bound of a sum is taken a little too high, so that no rounding can lose a document.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from leadline.retrieval.index.kernel_arguments import PackedBlocks
from leadline.retrieval.index.kernels import PER_BLOCK, unpack_documents, unpack_words
from leadline.retrieval.models.kernel_arguments import (
    BINS,
    BLOCK,
    GROUP,
    MOST_COUNT,
    TIMES_PAID,
    AskedLists,
    BestDocuments,
    Candidates,
    DocumentFilter,
    QueryBounds,
    QueryLists,
    ReadLists,
    RunningTotals,
    WeightLists,
)
from leadline.text.kernel_arguments import Floats, Int32s, Int64s, kernel
from leadline.text.kernels import inline

BIN_SHIFT = 44  # the lowest 44 of a double's 52 fraction bits do not count for the bin
UNTOUCHED = -0.0  # the total of a document that has no term: adding a weight of 0 to it makes it +0.0
UNTOUCHED_BITS = np.int64(-0x8000000000000000)
LOWEST = np.float64(-1.7976931348623157e308)
FEW_TERMS = 16  # of a query: with more, their bounds add up to far more than any document gets
PRUNED_SHARE = 50  # and where at most one in so many documents is wanted
TERMS_PRUNED_BY_LISTS = (
    256  # of a query, at most: with more, adding up one document costs more than leaving terms out saves
)
MOST_FAILURES = 3  # blocks of documents of which too many came near the best
STEPS_A_LOOKUP = 20  # postings that are added up in the time in which one is looked up
PART = 512  # documents of a block, after which the threshold is raised
ROUNDING = 1e-9  # far more than the rounding errors of a sum, as a share of it


@inline
def order_terms(asked: Any, weights: Any, first: int, last: int, bounds: Any, ordered: int) -> float:
    """Find the most that each term can add, and the order of the terms by it; returns the most that all can."""
    highest = 0.0
    for t in range(first, last):
        number = asked.lists[t]
        # The multiplier may be negative, and then the lowest weight adds the most.
        one = asked.multipliers[t] * weights.highest[number]
        other = asked.multipliers[t] * weights.lowest[number]
        most = one if one > other else other
        most = most if most > 0.0 else 0.0  # a document may lack the term
        highest += most
        if ordered:
            bounds.most[t - first] = most
            bounds.order[t - first] = t - first
    gap = 1
    while gap < (last - first) // 3:
        gap = 3 * gap + 1
    while ordered and gap > 0:  # Shell's sort
        for n in range(gap, last - first):
            term, at = bounds.order[n], n
            while at >= gap and bounds.most[bounds.order[at - gap]] > bounds.most[term]:
                bounds.order[at] = bounds.order[at - gap]
                at -= gap
            bounds.order[at] = term
        gap //= 3
    return highest


@inline
def rounding_errors(asked: Any, weights: Any, first: int, last: int) -> float:
    """More than any total of the query can be wrong by rounding."""
    size = 0.0
    for t in range(first, last):
        number = asked.lists[t]
        size += abs(asked.multipliers[t]) * (abs(weights.highest[number]) + abs(weights.lowest[number]))
    return ROUNDING * size


@inline
def leave_out_terms(count: int, bounds: Any, limit: float) -> int:
    """Choose the terms to be left out at first, of which none can lift a document to the limit; returns how many."""
    together, left_out = 0.0, 0
    for n in range(count):
        bounds.is_left_out[n] = 0
    # The weakest first, as long as all of them together stay below the limit.
    for n in range(count):
        term = bounds.order[n]
        together += bounds.most[term]
        if together >= limit:
            break
        bounds.is_left_out[term] = 1
        left_out += 1
    return left_out


@inline
def weight_of(weights: Any, number: int, posting: int, document: int) -> float:
    """The weight of one posting of a list."""
    norms = weights.norm_at[number]
    if norms < 0:
        return weights.values[weights.value_at[number] + posting]
    # BM25 and its like: the weight from the frequency and a norm that depends on the length of the document only.
    count = np.float64(weights.counts[posting])
    norm = weights.norms[norms + weights.lengths[weights.length_at[number] + document]]
    return weights.factors[number] * count / (count + norm)


@inline
def weight_in(asked: Any, weights: Any, t: int, entry_of: int, block: int, place: int) -> float:
    """What term t of the queries adds to a document; UNTOUCHED where the document lacks it."""
    entry = asked.lists[t] * entry_of + block
    low, count = weights.directory[entry], weights.directory[entry + 1] - weights.directory[entry]
    if count == 0:
        return UNTOUCHED
    while count > 1:  # without branches, because they would be mispredicted
        half = count >> 1
        low += half if weights.places[low + half] <= place else 0
        count -= half
    if weights.places[low] != place:
        return UNTOUCHED
    return asked.multipliers[t] * weight_of(weights, asked.lists[t], low, block * BLOCK + place) + 0.0


@inline
def can_reach(
    asked: Any,
    weights: Any,
    first: int,
    entry_of: int,
    block: int,
    place: int,
    bounds: Any,
    left_out: int,
    missing: float,
    limit: float,
) -> int:
    """Whether a document that is `missing` the terms left out may reach the limit with them."""
    total = missing
    open_terms = 0.0  # the most that the terms add that were not looked up yet
    for n in range(left_out):
        open_terms += bounds.most[bounds.order[n]]
    # The strongest first, so that documents are given up early.
    for n in range(left_out - 1, -1, -1):
        if total + open_terms < limit:
            return False
        open_terms -= bounds.most[bounds.order[n]]
        total += weight_in(asked, weights, first + bounds.order[n], entry_of, block, place)
    return total >= limit


@inline
def exact_total(asked: Any, weights: Any, first: int, last: int, entry_of: int, block: int, place: int) -> float:
    """The total of one document over all terms of a query, in their order."""
    total = UNTOUCHED
    for t in range(first, last):
        total += weight_in(asked, weights, t, entry_of, block, place)
    return total


@inline
def add_lists(
    asked: Any, weights: Any, first: int, last: int, entry_of: int, block: int, prunes: int, bounds: Any, totals: Any
) -> int:
    """Add the weights of the query's terms to the totals of a block; returns the postings of the terms left out.

    `entry_of` is the number of entries of the directory for each list.
    """
    skipped = 0
    for t in range(first, last):
        multiplier = asked.multipliers[t]
        entry = asked.lists[t] * entry_of + block
        if prunes and bounds.is_left_out[t - first]:
            skipped += weights.directory[entry + 1] - weights.directory[entry]
            continue
        number = asked.lists[t]
        norms = weights.norm_at[number]
        # Adding 0 turns -0.0 into +0.0: a weight of 0 touches the document too.
        if norms < 0:
            values = weights.value_at[number]
            for p in range(weights.directory[entry], weights.directory[entry + 1]):
                totals[weights.places[p]] += multiplier * weights.values[values + p] + 0.0
        else:
            factor, lengths = weights.factors[number], weights.length_at[number] + block * BLOCK
            weights.spent[number] += weights.directory[entry + 1] - weights.directory[entry]
            for p in range(weights.directory[entry], weights.directory[entry + 1]):
                count, place = np.float64(weights.counts[p]), weights.places[p]
                norm = weights.norms[norms + weights.lengths[lengths + place]]
                totals[place] += multiplier * (factor * count / (count + norm)) + 0.0
    return skipped


@inline
def postings_in(asked: Any, weights: Any, first: int, last: int, entry_of: int, block: int) -> Any:
    """The number of postings of all terms of a query in a block of documents."""
    postings = np.int64(0)
    for t in range(first, last):
        entry = asked.lists[t] * entry_of + block
        postings += weights.directory[entry + 1] - weights.directory[entry]
    return postings


@inline
def clear_totals(totals: Any, base: int, width: int, masked: int, allowed: Any) -> None:
    for i in range(width):
        totals[i] = UNTOUCHED
    # Beyond the last document, and where the filter forbids one, nothing ever reaches a threshold.
    for i in range(width, width + GROUP):
        totals[i] = -np.inf
    if masked:
        for i in range(width):
            if not allowed[base + i]:
                totals[i] = -np.inf


@inline
def is_due(asked: Any, weights: Any, first: int, last: int, entry_of: int) -> int:
    """Whether weights of some list of a query were computed so often that they should be stored."""
    due = 0
    for t in range(first, last):
        number = asked.lists[t]
        size = weights.directory[(number + 1) * entry_of - 1] - weights.directory[number * entry_of]
        due |= weights.norm_at[number] >= 0 and size > 0 and weights.spent[number] >= TIMES_PAID * size
    return due


@inline
def bin_of(total: float, lowest_bin: int) -> Any:
    """The bin of a score in the histogram."""
    # The bits of positive doubles are in the order of their values, so the leading ones number bins that widen with the
    # score. What is below the lowest bin counts there.
    leading = (np.float64(total).view(np.int64) >> BIN_SHIFT) - lowest_bin
    at_least = leading if leading > 0 else np.int64(0)
    return at_least if at_least < BINS - 1 else np.int64(BINS - 1)


@inline
def write_best(
    query: int, k: int, found: int, threshold: float, candidates: Any, histogram: Any, ranks: Any, best: Any
) -> None:
    """Sort the candidates that reach the threshold, and write the first k as the best documents of a query."""
    # Candidates were stored while the threshold was still lower.
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


@kernel
def rank_documents(
    queries: int,
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
    """Find the k best documents of each query, among those allowed.

    Returns whether weights of lists were computed so often that they should be stored.
    """
    blocks = (documents + BLOCK - 1) // BLOCK
    due, few = 0, False
    totals, histogram = running.totals, running.histogram
    for query in range(queries):
        first, last = asked.offsets[query], asked.offsets[query + 1]
        for b in range(BINS):
            histogram[b] = 0
        prunes = asked.terms[query] == 0.0 and last - first <= TERMS_PRUNED_BY_LISTS and k * PRUNED_SHARE <= documents
        highest = order_terms(asked, weights, first, last, bounds, prunes)
        share = 1.0 if last - first <= FEW_TERMS else 0.5
        errors = rounding_errors(asked, weights, first, last) if prunes else 0.0
        # The highest possible score falls into the last bin.
        lowest_bin = (np.float64(highest + asked.length_most[query]).view(np.int64) >> BIN_SHIFT) - (BINS - 1)
        failures = 0
        floor, kept, threshold, found = 0, np.int64(0), LOWEST, np.int64(0)
        for block in range(blocks):
            base = block * BLOCK
            width = documents - base if documents - base < BLOCK else BLOCK
            left_out, skipped = 0, 0
            clear_totals(totals, base, width, only.masked, only.allowed)
            # Where few documents are allowed, looking each of them up costs less than adding up whole lists.
            if only.masked:
                allowed = np.int64(0)
                for i in range(width):
                    allowed += np.int64(only.allowed[base + i] != 0)
                postings = postings_in(asked, weights, first, last, blocks + 1, block)
                if allowed == 0 or postings == 0:
                    continue
                few = allowed * (last - first) * STEPS_A_LOOKUP < postings
            if only.masked and few:
                for i in range(width):
                    if only.allowed[base + i]:
                        totals[i] = exact_total(asked, weights, first, last, blocks + 1, block, i)
            else:
                if prunes:
                    left_out = leave_out_terms(last - first, bounds, share * threshold)
                skipped = add_lists(asked, weights, first, last, blocks + 1, block, prunes, bounds, totals)
            missing = 0.0  # the most that the terms left out add
            if left_out > 0:
                for n in range(left_out):
                    missing += bounds.most[bounds.order[n]]
                missing += errors
                near = np.int64(0)
                for i in range(width):
                    near += np.int64(totals[i] >= threshold - missing)
                # Most documents need lookups of the terms left out, some of all; if these cost more than they save:
                if near * (left_out + (last - first) // 4) * STEPS_A_LOOKUP > skipped:
                    share, left_out, missing = 0.5 * share, 0, 0.0
                    failures += 1
                    prunes = prunes and failures < MOST_FAILURES
                    clear_totals(totals, base, width, only.masked, only.allowed)
                    add_lists(asked, weights, first, last, blocks + 1, block, 0, bounds, totals)
            # Some models add a term by the length of the document, to documents that have a word of the query.
            if asked.terms[query] != 0.0:
                for i in range(width):
                    if np.float64(totals[i]).view(np.int64) != UNTOUCHED_BITS:
                        totals[i] += asked.terms[query] * only.length[base + i]
            for part in range(0, width, PART):
                before = found
                for group in range(part, width if width < part + PART else part + PART, GROUP):
                    # Groups of which no document comes near the threshold are passed over with one comparison.
                    most = totals[group]
                    for i in range(group + 1, group + GROUP):
                        most = totals[i] if totals[i] > most else most
                    if most < threshold - missing:
                        continue
                    if left_out > 0:
                        for i in range(group, group + GROUP):
                            if totals[i] >= threshold - missing and can_reach(
                                asked,
                                weights,
                                first,
                                blocks + 1,
                                block,
                                i,
                                bounds,
                                left_out,
                                totals[i],
                                threshold - errors,
                            ):
                                totals[i] = exact_total(asked, weights, first, last, blocks + 1, block, i)
                            else:
                                totals[i] = -np.inf
                    for i in range(group, group + GROUP):  # without branches, because they would be mispredicted
                        total = totals[i]
                        bits = np.float64(total).view(np.int64)
                        good = np.int64(total >= threshold) & np.int64(bits != UNTOUCHED_BITS)
                        histogram[bin_of(total, lowest_bin)] += good
                        candidates.rows[found] = base + i
                        candidates.keys[found] = sorting_key(total)
                        found += good
                kept += found - before
                # Raise the threshold to the highest bin at and above which at least k documents lie.
                while floor < BINS - 1 and kept - histogram[floor] >= k:
                    kept -= histogram[floor]
                    floor += 1
                if floor > 0:
                    threshold = np.int64((floor + lowest_bin) << BIN_SHIFT).view(np.float64)
        write_best(query, k, found, threshold, candidates, histogram, weights.ranks, best)
        due |= is_due(asked, weights, first, last, blocks + 1)
    return due


# The best of the documents that have every term of a query.
#
# In each block of documents the shortest list is read, and its documents are looked up in the others. The total of a
# document that all of them have is added up in the order of the query, as `rank_having_all` in `searcher.py` does.


@inline
def find_in_all(asked: Any, weights: Any, terms: int, entry_of: int, block: int, place: int, cursors: Any) -> int:
    """Whether all lists have a document; `cursors` are moved to its postings, or to the last ones before it."""
    for t in range(terms):
        low, stop = cursors[t], weights.directory[asked.lists[t] * entry_of + block + 1]
        # Steps that double until they are too long, then halve.
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
        # The shortest list of this block leads.
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
            # In the order of the query, as everywhere.
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
        # The bins below the k-th best score so far cannot reach the result: the threshold rises to the first that can.
        while floor < BINS - 1 and kept - histogram[floor] >= k:
            kept -= histogram[floor]
            floor += 1
        if floor > 0:
            threshold = np.int64((floor + lowest_bin) << BIN_SHIFT).view(np.float64)
    write_best(0, k, found, threshold, candidates, histogram, weights.ranks, best)
    return 2 * matches + is_due(asked, weights, 0, terms, entry_of)


# Sort the documents that may be among the best by their scores.


EVERY_BIT_BUT_SIGN = np.int64(0x7FFFFFFFFFFFFFFF)


@inline
def sorting_key(score: float) -> np.uint64:
    """An integer that is the smaller, the higher the score."""
    # A positive double has its bits flipped, a negative one stays as it is, and sorts behind as an unsigned number.
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
    # As many low bits are dropped as leave 24, three digits of eight bits.
    shift = np.uint64(0)
    while (highest - lowest) >> shift >= np.uint64(1 << 24):
        shift += np.uint64(1)
    for i in range(3 * 256):
        counts[i] = 0
    # All three digits are counted in one pass.
    for i in range(count):
        leading = np.int64((keys[i] - lowest) >> shift)
        counts[leading & 255] += 1
        counts[256 + ((leading >> 8) & 255)] += 1
        counts[512 + (leading >> 16)] += 1
    from_keys, from_rows, to_keys, to_rows = keys, rows, spare_keys, spare_rows
    for digit in range(3):
        # From counts to where each value of the digit begins; then place, keeping the order of equals.
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
    # After three passes the result lies in the spare arrays.
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
    # Knuth's gaps, 1, 4, 13, …: far swaps first, so that the last pass, by neighbours, has little to move.
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


# Read the packed lists of terms as places in blocks of documents, without arrays in between; and weigh them.


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
            # Documents must ascend within a list, also from one block to the next. Where the whole block ascends, only
            # its first document needs a look.
            wrong |= np.int64(unpacked_documents[first] <= before)
            if not ascending:
                for k in range(first + 1, first + count):
                    wrong |= np.int64(unpacked_documents[k] <= unpacked_documents[k - 1])
            before = unpacked_documents[first + count - 1]
            # A posting is kept as its place in a block of documents; the directory has where each block begins. Where
            # all postings at hand are of one block, nothing is to be written there.
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
            # A width of 0 means that every frequency is 1; stored are frequencies less 1.
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
        # What the dictionary says of the list must be what was read.
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
                # The lowest and highest weight bound what the term can add to any document.
                low = value if value < low else low
                high = value if value > high else high
                values[at] = value
                at += 1
        lowest[n], highest[n] = low, high
    return at
