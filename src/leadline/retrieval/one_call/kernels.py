"""The compiled part of a query in one call: terms found, lists unpacked, weighed and added up, the best documents kept.

The arrays are where a `QueryPlan` and a `Workspace` say (`kernel_arguments.py`). Everything that is read from a file is
compared with its checksum once, and no place in an array is taken from a file without a comparison with its bounds, so
that a damaged file gives NOT_HERE and never another answer: the caller then searches by lists, which says what is
damaged.

Every document has a total, UNTOUCHED until a term adds to it. Weights are added in the order of the query, so the total
equals that of the other ways to search, to the last bit. As no weight is negative, totals are compared by their bits:
those of doubles from 0 up are in the order of their values, and those of UNTOUCHED, -0.0, are the lowest integer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.retrieval.mapped.kernel_arguments import (
    DOCUMENTS,
    FACTORS,
    FIELD_WEIGHT,
    FIELDS,
    HEAD,
    IS_WEIGHTED,
    KEPT_LISTS,
    KEPT_ROWS,
    KEPT_SIZE,
    KEPT_WEIGHTS,
    LIVE_COUNTS,
    NORMS,
    PER_BLOCK,
    RANKS,
    RECORD,
    SEGMENTS,
    STARTS,
    TOTALS,
    USES,
    Plans,
)
from leadline.retrieval.mapped.kernels import (
    apart,
    bytes_at,
    find_name,
    floats_at,
    int32s_at,
    int64s_at,
    read_counts,
    read_documents,
    size_of_list,
    to_rows,
    uint64s_at,
)
from leadline.retrieval.models.kernel_arguments import BINS, Candidates
from leadline.retrieval.models.kernels import BIN_SHIFT, EVERY_BIT_BUT_SIGN, sort_best
from leadline.retrieval.one_call.kernel_arguments import (
    BEST_KEYS,
    BEST_ROWS,
    CANDIDATE_KEYS,
    CANDIDATE_ROWS,
    COLD,
    COUNTED,
    FEW,
    FLAGS,
    FOUND_ROWS,
    FOUND_SCORES,
    FREQUENCIES,
    HISTOGRAM,
    LONG,
    LONG_SHARE,
    MATCHES,
    MISSING,
    MOST_SAID,
    MULTIPLIERS,
    NO_FACTOR,
    NOT_HERE,
    NUMBERS,
    PER_FLAG,
    SAID,
    SAID_FROM,
    SPARE_KEYS,
    SPARE_ROWS,
    SPARSE,
    TEXT,
    TIMES_ASKED,
    TOTALS_OF,
    TOUCHED,
    UNPACKED,
    WANTED,
    WEIGHED,
    Work,
)
from leadline.text.kernel_arguments import Floats, Int32s, kernel
from leadline.text.kernels import inline

UNTOUCHED = np.int64(-0x8000000000000000)  # the bits of -0.0
GROUP = 16  # documents compared together; most groups have none of the best
HIGHEST = 1e300  # of a weight: more cannot be added up

# Lists added up.


@apart
def weigh(count: int, rows: Any, counts: Any, norms: Any, factor: float, multiplier: float, weighed: Any) -> None:
    """Write what a term adds to documents: the multiplier times factor · tf / (tf + norm)."""
    for i in range(count):
        weighed[i] = norms[rows[i]]
    for i in range(count):
        frequency = np.float64(counts[i]) + 1.0
        weighed[i] = multiplier * (factor * frequency / (frequency + weighed[i]))


@apart
def add_list(plan: Any, record: Any, work: Any, number: int, factor: float, multiplier: float, flagged: int) -> Any:
    """Add a term's weights to the totals of its documents in a segment; returns whether the list is right."""
    rows, counts, weighed = int32s_at(work[UNPACKED]), int32s_at(work[COUNTED]), floats_at(work[WEIGHED])
    totals, norms, flags = floats_at(work[TOTALS_OF]), floats_at(plan[NORMS]), bytes_at(work[FLAGS])
    i, stop = int64s_at(record[STARTS])[number], int64s_at(record[STARTS])[number + 1]
    before, occurrences, live = np.int64(-1), np.int64(0), np.int64(0)
    while i < stop:
        block, first = i // PER_BLOCK, i % PER_BLOCK
        last = PER_BLOCK if stop - i > PER_BLOCK - first else first + stop - i
        before = read_documents(record, block, first, last, before, rows)
        sum_of = read_counts(record, block, first, last, counts)
        if before < 0 or sum_of < 0:
            return False
        kept = to_rows(record, last - first, rows, counts)
        weigh(kept, rows, counts, norms, factor, multiplier, weighed)
        for n in range(kept):
            totals[rows[n]] += weighed[n]
        if flagged:
            for n in range(kept):
                flags[rows[n] // PER_FLAG] = 1
        occurrences += sum_of
        live += kept
        i += last - first
    # What the dictionary says of the list must be what was read.
    is_whole = record[LIVE_COUNTS] == 0 or live == int64s_at(record[LIVE_COUNTS])[number]
    return is_whole and occurrences == int64s_at(record[TOTALS])[number]


@apart
def count_in_fields(record: Any, work: Any, number: int, touched: Any) -> Any:
    """Add a term's frequencies in one field to those of its documents; returns the documents that have any so far.

    `touched` is how many had any before; -1 is returned where the list is not right.
    """
    rows, counts = int32s_at(work[UNPACKED]), int32s_at(work[COUNTED])
    frequencies, listed = floats_at(work[FREQUENCIES]), int32s_at(work[TOUCHED])
    weight = np.int64(record[FIELD_WEIGHT]).view(np.float64)
    i, stop = int64s_at(record[STARTS])[number], int64s_at(record[STARTS])[number + 1]
    before, occurrences, live = np.int64(-1), np.int64(0), np.int64(0)
    while i < stop:
        block, first = i // PER_BLOCK, i % PER_BLOCK
        last = PER_BLOCK if stop - i > PER_BLOCK - first else first + stop - i
        before = read_documents(record, block, first, last, before, rows)
        sum_of = read_counts(record, block, first, last, counts)
        if before < 0 or sum_of < 0:
            return np.int64(-1)
        kept = to_rows(record, last - first, rows, counts)
        for n in range(kept):  # without branches, because they would be mispredicted
            row = rows[n]
            listed[touched] = row
            touched += np.int64(frequencies[row] == 0.0)
            frequencies[row] += weight * (np.float64(counts[n]) + 1.0)
        occurrences += sum_of
        live += kept
        i += last - first
    is_whole = record[LIVE_COUNTS] == 0 or live == int64s_at(record[LIVE_COUNTS])[number]
    return touched if is_whole and occurrences == int64s_at(record[TOTALS])[number] else np.int64(-1)


@apart
def add_in_fields(plan: Any, work: Any, count: int, factor: float, multiplier: float, flagged: int) -> None:
    """Add a term's weights over several fields to the totals of its documents, and forget their frequencies."""
    frequencies, listed = floats_at(work[FREQUENCIES]), int32s_at(work[TOUCHED])
    totals, norms, flags = floats_at(work[TOTALS_OF]), floats_at(plan[NORMS]), bytes_at(work[FLAGS])
    for n in range(count):
        row = listed[n]
        frequency = frequencies[row]
        totals[row] += multiplier * (factor * frequency / (frequency + norms[row]))
        frequencies[row] = 0.0
    if flagged:
        for n in range(count):
            flags[listed[n] // PER_FLAG] = 1


@apart
def look_up(plans: Any, addresses: Any, work: Any, terms: int, size: int, stride: int) -> Any:
    """Find the number of every term in every dictionary; returns their postings in all, or -1.

    The terms are in TEXT, each with a zero behind it. `stride` is the room for the numbers of one term and plan.
    """
    text, numbers = bytes_at(work[TEXT]), int64s_at(work[NUMBERS])
    start, postings = np.int64(0), np.int64(0)
    for t in range(terms):
        stop = start
        while stop < size and text[stop] != 0:
            stop += 1
        if stop == size:
            return np.int64(-1)  # a term with a zero in it
        for p in range(plans):
            plan = int64s_at(addresses[p])
            for r in range(plan[SEGMENTS] * plan[FIELDS]):
                record = int64s_at(addresses[p] + 8 * (HEAD + r * RECORD))
                number = find_name(record, text, start, stop - start)
                # A term of which all documents are dead is none.
                listed = size_of_list(record, number)
                numbers[(t * plans + p) * stride + r] = number if listed > 0 else np.int64(-1)
                postings += listed
        start = stop + 1
    return postings if start == size else np.int64(-1)


@apart
def add_kept(kept: Any, work: Any, multiplier: float, flagged: int) -> None:
    """Add the weights of a list that is kept to the totals of its documents."""
    totals, flags, size = floats_at(work[TOTALS_OF]), bytes_at(work[FLAGS]), kept[KEPT_SIZE]
    rows, weights = int32s_at(kept[KEPT_ROWS]), floats_at(kept[KEPT_WEIGHTS])
    if multiplier == 1.0:
        for n in range(size):
            totals[rows[n]] += weights[n]
    else:
        for n in range(size):
            totals[rows[n]] += multiplier * weights[n]
    if flagged:
        for n in range(size):
            flags[rows[n] // PER_FLAG] = 1


@inline
def note_use(record: Any, said: Any, number: int, documents: int, entry: int, all_documents: int) -> None:
    """Count that a list was asked for, and say so where it is worth keeping."""
    said[COLD] += documents
    if documents >= LONG and documents * LONG_SHARE >= all_documents:
        uses = bytes_at(record[USES])
        times = np.int64(uses[number]) + 1
        uses[number] = np.uint8(times if times < TIMES_ASKED else TIMES_ASKED)
        if times >= TIMES_ASKED and said[WANTED] < MOST_SAID:
            said[SAID_FROM + MOST_SAID + said[WANTED]] = entry
            said[WANTED] += 1


@inline
def note_missing(said: Any, documents: int) -> None:
    """Say that there is no factor for a term in so many documents."""
    if said[MISSING] < MOST_SAID:
        said[SAID_FROM + said[MISSING]] = documents
        said[MISSING] += 1


@apart
def add_terms(plans: Any, addresses: Any, work: Any, terms: int, stride: int, flagged: int) -> float:
    """Add up all terms; returns more than any total can be, or -1 where that cannot be done here.

    Where a factor is missing, that is said, and the totals are of no use.
    """
    numbers, said, multipliers = int64s_at(work[NUMBERS]), int64s_at(work[SAID]), floats_at(work[MULTIPLIERS])
    most = 0.0
    for entry in range(terms * plans):
        plan, here = int64s_at(addresses[entry % plans]), addresses[entry % plans] + 8 * HEAD
        records, documents = plan[SEGMENTS] * plan[FIELDS], np.int64(0)
        several = plan[IS_WEIGHTED] != 0
        # A list that is kept is found by the first dictionary that has its term, and covers all segments and fields.
        first, address = np.int64(0), np.int64(0)
        while first < records and numbers[entry * stride + first] < 0:
            first += 1
        if first < records:
            record = int64s_at(here + 8 * first * RECORD)
            address = int64s_at(record[KEPT_LISTS])[numbers[entry * stride + first]]
        if address != 0:
            documents = int64s_at(address)[KEPT_SIZE]
        elif several:
            for r in range(records):
                if numbers[entry * stride + r] >= 0:
                    record = int64s_at(here + 8 * r * RECORD)
                    documents = count_in_fields(record, work, numbers[entry * stride + r], documents)
                    if documents < 0:
                        return -1.0
        else:
            for r in range(records):
                documents += size_of_list(int64s_at(here + 8 * r * RECORD), numbers[entry * stride + r])
        if documents == 0:
            continue
        factor = floats_at(plan[FACTORS])[documents]
        if np.isnan(factor):
            note_missing(said, documents)
            factor = 0.0
        weight = multipliers[entry] * factor
        if not (weight >= 0.0 and weight < HIGHEST and multipliers[entry] >= 0.0):
            return -1.0
        most += weight
        if address != 0:
            add_kept(int64s_at(address), work, multipliers[entry], flagged)
            continue
        note_use(
            int64s_at(here + 8 * first * RECORD),
            said,
            numbers[entry * stride + first],
            documents,
            entry,
            plan[DOCUMENTS],
        )
        if several:
            add_in_fields(plan, work, documents, factor, multipliers[entry], flagged)
        elif said[MISSING] == 0:
            for r in range(records):
                number = numbers[entry * stride + r]
                if number >= 0 and not add_list(
                    plan, int64s_at(here + 8 * r * RECORD), work, number, factor, multipliers[entry], flagged
                ):
                    return -1.0
    return most


# The best of the documents.


@inline
def is_better(key: int, row: int, other: int, other_row: int, ranks: Any) -> Any:
    """Whether a document comes before another: by its total, then by its rank."""
    return key > other or (key == other and ranks[row] > ranks[other_row])


@apart
def keep_few(work: Any, group: int, allowed: Any, masked: Any, ranks: Any, count: Any, k: int, threshold: Any) -> Any:
    """Put documents of a group that reach the threshold in order among the best; returns how many there are."""
    totals, keys, rows = int64s_at(work[TOTALS_OF]), int64s_at(work[BEST_KEYS]), int32s_at(work[BEST_ROWS])
    for i in range(group, group + GROUP):
        key = totals[i]
        if key < threshold or (masked and not allowed[i]):
            continue
        if count == k and not is_better(key, i, keys[k - 1], rows[k - 1], ranks):
            continue
        at = count if count < k else k - 1
        while at > 0 and is_better(key, i, keys[at - 1], rows[at - 1], ranks):
            keys[at], rows[at] = keys[at - 1], rows[at - 1]
            at -= 1
        keys[at], rows[at] = key, np.int32(i)
        count += np.int64(count < k)
        threshold = keys[k - 1] if count == k else threshold
    return count


@apart
def best_few(plan: Any, work: Any, k: int, mask: int, flagged: int) -> Any:
    """Find the few best documents, and clear all totals; returns how many there are."""
    totals, flags, ranks = int64s_at(work[TOTALS_OF]), bytes_at(work[FLAGS]), int32s_at(plan[RANKS])
    keys, rows, allowed = int64s_at(work[BEST_KEYS]), int32s_at(work[BEST_ROWS]), bytes_at(mask)
    count, threshold = np.int64(0), np.int64(0)
    for part in range(0, plan[DOCUMENTS], PER_FLAG):
        if flagged:
            if flags[part // PER_FLAG] == 0:
                continue
            flags[part // PER_FLAG] = 0
        for group in range(part, part + PER_FLAG, GROUP):
            # Groups of which no document reaches the threshold are passed over with one comparison.
            most = totals[group]
            for i in range(group + 1, group + GROUP):
                most = totals[i] if totals[i] > most else most
            if most >= threshold:
                count = keep_few(work, group, allowed, mask != 0, ranks, count, k, threshold)
                threshold = keys[k - 1] if count == k else threshold
            for i in range(group, group + GROUP):
                totals[i] = UNTOUCHED
    found_rows, scores = int32s_at(work[FOUND_ROWS]), int64s_at(work[FOUND_SCORES])
    for i in range(count):
        found_rows[i], scores[i] = rows[i], keys[i]
    return count


@apart
def best_many(plan: Any, work: Any, k: int, mask: int, flagged: int, most: float) -> Any:
    """Find the best documents where many are wanted, and clear all totals; returns how many there are.

    A histogram of the totals so far, by their leading bits, gives a threshold that a document must reach.
    """
    totals, flags, allowed = int64s_at(work[TOTALS_OF]), bytes_at(work[FLAGS]), bytes_at(mask)
    rows, keys, histogram = int32s_at(work[CANDIDATE_ROWS]), int64s_at(work[CANDIDATE_KEYS]), int32s_at(work[HISTOGRAM])
    for b in range(BINS):
        histogram[b] = 0
    # The highest possible total falls into the last bin.
    lowest_bin = (np.float64(most).view(np.int64) >> BIN_SHIFT) - (BINS - 1)
    floor, kept, threshold, found = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for part in range(0, plan[DOCUMENTS], PER_FLAG):
        if flagged:
            if flags[part // PER_FLAG] == 0:
                continue
            flags[part // PER_FLAG] = 0
        before = found
        for group in range(part, part + PER_FLAG, GROUP):
            highest = totals[group]
            for i in range(group + 1, group + GROUP):
                highest = totals[i] if totals[i] > highest else highest
            if highest >= threshold:
                for i in range(group, group + GROUP):  # without branches, because they would be mispredicted
                    key = totals[i]
                    good = np.int64(key >= threshold)
                    if mask != 0:
                        good &= np.int64(key >= 0 and allowed[i] != 0)
                    leading = (key >> BIN_SHIFT) - lowest_bin
                    leading = leading if leading > 0 else np.int64(0)
                    leading = leading if leading < BINS - 1 else np.int64(BINS - 1)
                    histogram[leading] += np.int32(good)
                    rows[found], keys[found] = np.int32(i), key
                    found += good
            for i in range(group, group + GROUP):
                totals[i] = UNTOUCHED
        kept += found - before
        # Raise the threshold to the highest bin at and above which at least k documents lie.
        while floor < BINS - 1 and kept - histogram[floor] >= k:
            kept -= histogram[floor]
            floor += 1
        if floor > 0:
            threshold = (floor + lowest_bin) << BIN_SHIFT
    # Candidates were stored while the threshold was still lower. A key to sort by is the smaller, the higher the total.
    sorted_keys, count = uint64s_at(work[CANDIDATE_KEYS]), np.int64(0)
    for i in range(found):
        key, row = keys[i], rows[i]
        rows[count], sorted_keys[count] = row, np.uint64(key ^ EVERY_BIT_BUT_SIGN)
        count += np.int64(key >= threshold)
    if count > 0:
        spare_rows, spare_keys = int32s_at(work[SPARE_ROWS]), uint64s_at(work[SPARE_KEYS])
        sort_best(count, Candidates(rows, sorted_keys, spare_rows, spare_keys), histogram, int32s_at(plan[RANKS]))
    count = count if count < k else np.int64(k)
    found_rows, scores = int32s_at(work[FOUND_ROWS]), int64s_at(work[FOUND_SCORES])
    for i in range(count):
        found_rows[i], scores[i] = rows[i], np.int64(sorted_keys[i]) ^ EVERY_BIT_BUT_SIGN
    return count


@inline
def count_touched(plan: Any, work: Any, mask: int) -> Any:
    """How many allowed documents have a term."""
    totals, allowed, count = int64s_at(work[TOTALS_OF]), bytes_at(mask), np.int64(0)
    if mask != 0:
        for i in range(plan[DOCUMENTS]):
            count += np.int64(totals[i] != UNTOUCHED) & np.int64(allowed[i] != 0)
    else:
        for i in range(plan[DOCUMENTS]):
            count += np.int64(totals[i] != UNTOUCHED)
    return count


@kernel
def rank_query(plans: Plans, work: Work, terms: int, size: int, stride: int, k: int, mask: int, counts: int) -> int:
    """Find the k best documents of a query among those that a mask allows, where there is one.

    Returns how many there are, or NOT_HERE where the query is one for the search by lists, or NO_FACTOR. With `counts`
    the documents that have a term are counted, too.
    """
    here = work.addresses
    said, plan = int64s_at(here[SAID]), int64s_at(plans.addresses[0])
    said[MATCHES] = said[MISSING] = said[WANTED] = said[COLD] = 0
    postings = look_up(plans.plans, plans.addresses, here, terms, size, stride)
    if postings < 0:
        return NOT_HERE
    if postings == 0:
        return 0
    flagged = np.int64(postings * SPARSE < plan[DOCUMENTS] and not counts)
    most = add_terms(plans.plans, plans.addresses, here, terms, stride, flagged)
    if most < 0.0:
        return NOT_HERE
    if said[MISSING] > 0:
        return NO_FACTOR
    if counts:
        said[MATCHES] = count_touched(plan, here, mask)
    if k <= FEW:
        return best_few(plan, here, k, mask, flagged)
    return best_many(plan, here, k, mask, flagged, most)


@kernel
def weigh_list(plans: Plans, work: Work, size: int, stride: int, rows: Int32s, weights: Floats) -> int:
    """Write the documents that have a term and their weights; returns how many there are, or NOT_HERE.

    There is room for one more than all documents.
    """
    here = work.addresses
    said, totals = int64s_at(here[SAID]), int64s_at(here[TOTALS_OF])
    said[MISSING] = said[WANTED] = said[COLD] = 0
    floats_at(here[MULTIPLIERS])[0] = 1.0
    if look_up(1, plans.addresses, here, 1, size, stride) <= 0:
        return NOT_HERE
    # The total of one term with a multiplier of 1 is its weight.
    count: Any = np.int64(0)
    if add_terms(1, plans.addresses, here, 1, stride, 0) < 0.0 or said[MISSING] > 0:
        return NOT_HERE
    for i in range(int64s_at(plans.addresses[0])[DOCUMENTS]):  # without branches, because they would be mispredicted
        total = totals[i]
        rows[count], weights[count] = np.int32(i), np.int64(total).view(np.float64)
        totals[i] = UNTOUCHED
        count += np.int64(total != UNTOUCHED)
    return count
