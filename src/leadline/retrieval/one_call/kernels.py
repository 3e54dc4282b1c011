"""The compiled part of a query in one call: terms found, lists unpacked, weighed and added up, the best documents kept.

The arrays are where a `QueryPlan` and a `Workspace` say (`kernel_arguments.py`). Everything that is read from a file is
compared with its checksum once, and no place in an array is taken from a file without a comparison with its bounds, so
that a damaged file gives NOT_HERE and never another answer: the caller then searches by lists, which says what is
damaged.

As no weight is negative, totals are compared by their bits: those of doubles from 0 up are in the order of their
values, and those of UNTOUCHED, -0.0, are the lowest integer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.retrieval.mapped.kernel_arguments import (
    DOCUMENTS,
    HEAD,
    IS_WEIGHTED,
    RANKS,
    Plans,
)
from leadline.retrieval.mapped.kernels import (
    apart,
    bytes_at,
    floats_at,
    int32s_at,
    int64s_at,
    uint64s_at,
)
from leadline.retrieval.models.kernel_arguments import (
    BINS,
    Candidates,
)
from leadline.retrieval.models.kernels import (
    BIN_SHIFT,
    EVERY_BIT_BUT_SIGN,
    sort_best,
)
from leadline.retrieval.one_call.kernel_arguments import (
    BEST_KEYS,
    BEST_ROWS,
    CANDIDATE_KEYS,
    CANDIDATE_ROWS,
    COLD,
    FEW,
    FLAGS,
    FOUND_ROWS,
    FOUND_SCORES,
    HISTOGRAM,
    MATCHES,
    MISSING,
    MULTIPLIERS,
    NO_FACTOR,
    NOT_HERE,
    PER_FLAG,
    PRUNED_TERMS,
    RESTS,
    SAID,
    SPARE_KEYS,
    SPARE_ROWS,
    SPARSE,
    TOTALS_OF,
    WANTED,
    Work,
)
from leadline.retrieval.one_call.lists import (
    UNTOUCHED,
    add_terms,
    look_up,
)
from leadline.retrieval.one_call.pruning import (
    SLACK,
    count_having,
    few_touched,
    note_uses,
)
from leadline.text.kernel_arguments import Floats, Int32s, kernel
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
    first = plans.addresses[0] + 8 * HEAD
    if plans.plans == 1 and plan[IS_WEIGHTED] == 0 and terms > 1 and terms <= PRUNED_TERMS:
        few = few_touched(plan, first, here, terms, stride, k, mask)
        if few < 0:
            return NOT_HERE
        if few > 0:
            said[MATCHES] = count_having(plan, first, here, terms, stride, mask) if counts else 0
            if said[MATCHES] < 0:
                return NOT_HERE
            note_uses(plan, first, here, terms, stride)
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
