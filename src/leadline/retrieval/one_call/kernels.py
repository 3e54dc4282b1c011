"""The compiled part of a query in one call: terms found, lists unpacked, weighed and added up, the best documents kept.

The arrays are where a `QueryPlan` and a `Workspace` say (`kernel_arguments.py`). Everything that is read from a file is
compared with its checksum once, and no place in an array is taken from a file without a comparison with its bounds, so
that a damaged file gives NOT_HERE and never another answer: the caller then searches by lists, which says what is
damaged.

As no weight is negative, totals are compared by their bits: those of doubles from 0 up are in the order of their
values, and those of UNTOUCHED_BITS, -0.0, are the lowest integer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.retrieval.mapped.kernel_arguments import (
    DOCUMENTS,
    FACTORS,
    HEAD,
    IS_WEIGHTED,
    LONG_SHARE,
    NORMS,
    RANKS,
    RECORD,
    SEGMENTS,
    STARTS,
    Plans,
)
from leadline.retrieval.mapped.kernels import (
    apart,
    bytes_at,
    floats_at,
    int32s_at,
    int64s_at,
    size_of_list,
    uint64s_at,
)
from leadline.retrieval.models.kernel_arguments import (
    BINS,
    Candidates,
)
from leadline.retrieval.models.kernels import (
    BIN_SHIFT,
    EVERY_BIT_BUT_SIGN,
    UNTOUCHED_BITS,
    sort_best,
)
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
    HISTOGRAM,
    IS_PRUNED,
    KEEP_FIRST,
    MATCHES,
    MISSING,
    MULTIPLIERS,
    NEXT,
    NO_FACTOR,
    NOT_COUNTED,
    NOT_HERE,
    NUMBERS,
    PER_FLAG,
    RESTS,
    SAID,
    SPARE_KEYS,
    SPARE_ROWS,
    SPARSE,
    TERMS_PRUNED_IN_ONE_CALL,
    TOTALS_OF,
    UNPACKED,
    WANTED,
    Work,
)
from leadline.retrieval.one_call.lists import (
    HIGHEST,
    add_terms,
    begin_list,
    is_whole,
    lacks_factors,
    look_up,
    note_uses,
    read_part,
    weigh,
)
from leadline.retrieval.one_call.pruning import (
    SLACK,
    count_having,
    few_touched,
)
from leadline.text.kernel_arguments import Int32s, UInt64s, kernel
from leadline.text.kernels import inline

GROUP = 16  # documents compared together; most groups have none of the best

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
                totals[i] = UNTOUCHED_BITS
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
                totals[i] = UNTOUCHED_BITS
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
            count += np.int64(totals[i] != UNTOUCHED_BITS) & np.int64(allowed[i] != 0)
    else:
        for i in range(plan[DOCUMENTS]):
            count += np.int64(totals[i] != UNTOUCHED_BITS)
    return count


@apart
def forget_totals(plan: Any, work: Any) -> None:
    """Make all totals as they were before a query."""
    totals, flags = int64s_at(work[TOTALS_OF]), bytes_at(work[FLAGS])
    for part in range(0, plan[DOCUMENTS], PER_FLAG):
        flags[part // PER_FLAG] = 0
        for i in range(part, part + PER_FLAG):
            totals[i] = UNTOUCHED_BITS


@kernel
def rank_query(
    plans: Plans, work: Work, terms: int, size: int, stride: int, k: int, mask: int, counts: int, uses: int
) -> int:
    """Find the k best documents of a query among those that a mask allows, where there is one.

    Returns how many there are, or NOT_HERE where the query is one for the search by lists, or NO_FACTOR. With `counts`
    the documents that have a term are counted, too. `uses` is whether lists that are asked for are counted; where it is
    KEEP_FIRST, that is returned where some of them are worth keeping, so that they are not read twice.
    """
    here = work.addresses
    said, plan = int64s_at(here[SAID]), int64s_at(plans.addresses[0])
    said[MATCHES] = said[MISSING] = said[WANTED] = said[COLD] = said[IS_PRUNED] = 0
    postings = look_up(plans.plans, plans.addresses, here, terms, size, stride)
    if postings < 0:
        return NOT_HERE
    if postings == 0:
        return 0
    if lacks_factors(plans.plans, plans.addresses, here, terms, stride):
        return NO_FACTOR
    if uses != NOT_COUNTED and note_uses(plans.plans, plans.addresses, here, terms, stride) > 0 and uses == KEEP_FIRST:
        return KEEP_FIRST
    first = plans.addresses[0] + 8 * HEAD
    if plans.plans == 1 and plan[IS_WEIGHTED] == 0 and terms > 1 and terms <= TERMS_PRUNED_IN_ONE_CALL:
        few = few_touched(plan, first, here, terms, stride, k, mask)
        if few < 0:
            return NOT_HERE
        if few > 0:
            said[IS_PRUNED] = 1
            said[MATCHES] = count_having(plan, first, here, terms, stride, mask) if counts else 0
            if said[MATCHES] < 0:
                return NOT_HERE
            return (
                best_few(plan, here, k, 0, 1)
                if k <= FEW
                else best_many(plan, here, k, 0, 1, floats_at(here[RESTS])[0] * SLACK)
            )
    flagged = np.int64(postings * SPARSE < plan[DOCUMENTS] and not counts)
    most = add_terms(plans.plans, plans.addresses, here, terms, stride, flagged)
    if most < 0.0:
        return NOT_HERE
    if said[MISSING] > 0:
        forget_totals(plan, here)
        return NO_FACTOR
    if counts:
        said[MATCHES] = count_touched(plan, here, mask)
    if k <= FEW:
        return best_few(plan, here, k, mask, flagged)
    return best_many(plan, here, k, mask, flagged, most)


@apart
def write_totals(plan: Any, work: Any) -> Any:
    """Write the documents that have a total, and their totals, which are cleared; returns how many there are."""
    totals, rows, weights = int64s_at(work[TOTALS_OF]), int32s_at(work[FOUND_ROWS]), floats_at(work[FOUND_SCORES])
    count: Any = np.int64(0)
    for i in range(plan[DOCUMENTS]):  # without branches, because they would be mispredicted
        total = totals[i]
        rows[count], weights[count] = np.int32(i), np.int64(total).view(np.float64)
        totals[i] = UNTOUCHED_BITS
        count += np.int64(total != UNTOUCHED_BITS)
    return count


@apart
def write_weighed(plan: Any, first: int, work: Any) -> Any:
    """Write the documents that have the first term, and its weights; returns how many there are, -1 if not here."""
    numbers, said, norms = int64s_at(work[NUMBERS]), int64s_at(work[SAID]), floats_at(plan[NORMS])
    unpacked, counted = int32s_at(work[UNPACKED]), int32s_at(work[COUNTED])
    documents, count = np.int64(0), np.int64(0)
    for r in range(plan[SEGMENTS]):
        documents += size_of_list(int64s_at(first + 8 * r * RECORD), numbers[r])
    factor = floats_at(plan[FACTORS])[documents]
    if not (factor >= 0.0 and factor < HIGHEST):
        return np.int64(-1)
    for r in range(plan[SEGMENTS]):
        record, number = int64s_at(first + 8 * r * RECORD), numbers[r]
        if number < 0:
            continue
        i, stop = int64s_at(record[STARTS])[number], int64s_at(record[STARTS])[number + 1]
        begin_list(said)
        while i < stop:
            size = read_part(record, work, i, stop)
            if size < 0 or count + size > plan[DOCUMENTS]:
                return np.int64(-1)
            rows, weights = int32s_at(work[FOUND_ROWS] + 4 * count), floats_at(work[FOUND_SCORES] + 8 * count)
            weigh(size, unpacked, counted, norms, factor, 1.0, weights)
            for n in range(size):
                rows[n] = unpacked[n]
            count += size
            i = said[NEXT]
        if not is_whole(record, said, number):
            return np.int64(-1)
    return count


@kernel
def weigh_list(plans: Plans, work: Work, size: int, stride: int, bits: UInt64s, before: Int32s) -> int:
    """Write the documents that have a term and their weights; returns how many there are, or NOT_HERE.

    Where they are many, they are also written as bits, with the number of bits that are set before each word of them.
    """
    here, plan = work.addresses, int64s_at(plans.addresses[0])
    said, rows = int64s_at(here[SAID]), int32s_at(here[FOUND_ROWS])
    said[MISSING] = said[WANTED] = said[COLD] = 0
    if look_up(1, plans.addresses, here, 1, size, stride) <= 0:
        return NOT_HERE
    count: Any = np.int64(-1)
    if plan[IS_WEIGHTED] == 0:
        count = write_weighed(plan, plans.addresses[0] + 8 * HEAD, here)
    else:
        floats_at(here[MULTIPLIERS])[0] = 1.0  # the total of one term with a multiplier of 1 is its weight
        if add_terms(1, plans.addresses, here, 1, stride, 0) >= 0.0 and said[MISSING] == 0:
            count = write_totals(plan, here)
    if count < 0:
        return NOT_HERE
    if count * LONG_SHARE >= plan[DOCUMENTS]:
        so_far, n = np.int64(0), np.int64(0)
        for w in range(plan[DOCUMENTS] // 64 + 1):
            word = np.uint64(0)
            while n < count and np.int64(rows[n]) >> 6 == w:
                word |= np.uint64(1) << np.uint64(rows[n] & 63)
                n += 1
            bits[w], before[w] = word, np.int32(so_far)
            so_far = n
    return count
