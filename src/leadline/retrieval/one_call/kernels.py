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
    BASE,
    BASES,
    DOCUMENTS,
    FACTORS,
    HEAD,
    IS_WEIGHTED,
    NEW_ROWS,
    NORMS,
    OF_DOCUMENTS,
    PER_BLOCK,
    RANKS,
    RECORD,
    SEGMENTS,
    STARTS,
    Plans,
)
from leadline.retrieval.mapped.kernels import (
    apart,
    bytes_at,
    count_at,
    floats_at,
    int32s_at,
    int64s_at,
    read_documents,
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
    sort_best,
)
from leadline.retrieval.one_call.kernel_arguments import (
    BEST_KEYS,
    BEST_ROWS,
    CANDIDATE_KEYS,
    CANDIDATE_ROWS,
    CANDIDATES,
    COLD,
    CURSORS,
    EACH_UNPACKED,
    FEW,
    FLAGS,
    FOUND_ROWS,
    FOUND_SCORES,
    GENERATION,
    HISTOGRAM,
    LOADED,
    MATCHES,
    MISSING,
    MOST_REQUIRED,
    MULTIPLIERS,
    NO_FACTOR,
    NOT_HERE,
    NUMBERS,
    ORDER,
    PER_FLAG,
    POSTINGS,
    PRUNED_TERMS,
    RESTS,
    SAID,
    SPARE_KEYS,
    SPARE_ROWS,
    SPARSE,
    STAMPED,
    STAMPS,
    TOTALS_OF,
    WANTED,
    WEIGHED,
    Work,
)
from leadline.retrieval.one_call.lists import (
    HIGHEST,
    UNTOUCHED,
    add_terms,
    look_up,
    note_missing,
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


# The best of the documents that have all terms.


@apart
def is_in_all(record: Any, number: int, work: Any, t: int, before: int, documents: Any, count: int) -> Any:
    """Keep those of ascending documents that a list has, with the place of each in the list; returns how many.

    `t` is the number of the term among those of the query, `before` that of terms whose lists were asked before. -1 is
    returned where the file is damaged.
    """
    order, stamps, said = int64s_at(work[ORDER]), int32s_at(work[STAMPS]), int64s_at(work[SAID])
    postings, cursors, loaded = int64s_at(work[POSTINGS]), int64s_at(work[CURSORS]), int64s_at(work[LOADED])
    unpacked = int32s_at(work[EACH_UNPACKED] + 4 * PER_BLOCK * t)
    bases = int32s_at(record[OF_DOCUMENTS + BASES])
    start, stop = int64s_at(record[STARTS])[number], int64s_at(record[STARTS])[number + 1]
    block, end = cursors[t], (stop - 1) // PER_BLOCK
    kept, i = np.int64(0), np.int64(0)
    while i < count:
        # The base of a block is past the last document before it. Steps double until they are too long, then halve.
        document = np.int64(documents[i])
        step = np.int64(1)
        while block + step <= end and np.int64(np.uint32(bases[block + step])) <= document:
            block += step
            step *= 2
        while step > 0:
            if block + step <= end and np.int64(np.uint32(bases[block + step])) <= document:
                block += step
            step //= 2
        last = i + 1
        if block < end:
            while last < count and np.int64(documents[last]) < np.int64(np.uint32(bases[block + 1])):
                last += 1
        else:
            last = np.int64(count)
        first = start - block * PER_BLOCK if start > block * PER_BLOCK else np.int64(0)
        size = (stop - block * PER_BLOCK if stop - block * PER_BLOCK < PER_BLOCK else np.int64(PER_BLOCK)) - first
        if loaded[t] != block:
            if read_documents(record, block, first, first + size, -1, unpacked) < 0:
                return np.int64(-1)
            loaded[t] = block
        # The documents of the block are stamped with their places, so that those at hand are found without branches.
        said[GENERATION] += PER_BLOCK
        if said[GENERATION] >= 0x7FFF0000:
            said[GENERATION] = PER_BLOCK
            for n in range(said[STAMPED]):
                stamps[n] = 0
        stamp = said[GENERATION]
        for n in range(size):
            stamps[unpacked[n]] = np.int32(stamp + n)
        for n in range(i, last):
            place = np.int64(stamps[documents[n]]) - stamp
            for other in range(before):
                of = order[other] * PER_BLOCK
                postings[of + kept] = postings[of + n]
            postings[t * PER_BLOCK + kept] = block * PER_BLOCK + first + place
            documents[kept] = documents[n]
            kept += np.int64(place >= 0 and place < PER_BLOCK)
        i = last
    cursors[t] = block
    return kept


@apart
def add_required(plan: Any, here: int, work: Any, terms: int, stride: int, segment: int, mask: int) -> Any:
    """Give their totals to the allowed documents of a segment that have all terms; returns how many, -1 if damaged."""
    numbers, order, cursors = int64s_at(work[NUMBERS]), int64s_at(work[ORDER]), int64s_at(work[CURSORS])
    loaded, postings, factors = int64s_at(work[LOADED]), int64s_at(work[POSTINGS]), floats_at(work[WEIGHED])
    record, multipliers = int64s_at(here + 8 * segment * RECORD), floats_at(work[MULTIPLIERS])
    documents, norms = int32s_at(work[CANDIDATES]), floats_at(plan[NORMS])
    totals, flags, allowed = floats_at(work[TOTALS_OF]), bytes_at(work[FLAGS]), bytes_at(mask)
    starts = int64s_at(record[STARTS])
    # The shortest list leads.
    for t in range(terms):
        number = numbers[t * stride + segment]
        if number < 0:
            return np.int64(0)
        cursors[t], loaded[t] = starts[number] // PER_BLOCK, -1
        size, at = starts[number + 1] - starts[number], np.int64(t)
        while at > 0:
            other = numbers[order[at - 1] * stride + segment]
            if starts[other + 1] - starts[other] <= size:
                break
            order[at] = order[at - 1]
            at -= 1
        order[at] = t
    lead, matches, before = order[0], np.int64(0), np.int64(-1)
    i, stop = starts[numbers[lead * stride + segment]], starts[numbers[lead * stride + segment] + 1]
    while i < stop:
        block, first = i // PER_BLOCK, i % PER_BLOCK
        last = PER_BLOCK if stop - i > PER_BLOCK - first else first + stop - i
        before = read_documents(record, block, first, last, before, documents)
        if before < 0:
            return np.int64(-1)
        found = np.int64(last - first)
        for n in range(found):
            postings[lead * PER_BLOCK + n] = i + n
        for other in range(1, terms):
            t = order[other]
            found = is_in_all(record, numbers[t * stride + segment], work, t, other, documents, found)
            if found <= 0:
                break
        if found < 0:
            return np.int64(-1)
        found = to_rows_alive(record, found, documents, postings, order, terms)
        for n in range(found):
            row = documents[n]
            if mask != 0 and not allowed[row]:
                continue
            matches += 1
            # In the order of the query, as everywhere.
            total = np.float64(-0.0)
            for t in range(terms):
                frequency = np.float64(count_at(record, postings[t * PER_BLOCK + n]))
                if frequency == 0.0:
                    return np.int64(-1)
                total += multipliers[t] * (factors[t] * frequency / (frequency + norms[row]))
            totals[row] = total
            flags[row // PER_FLAG] = 1
        i += last - first
    return matches


@inline
def to_rows_alive(record: Any, count: int, documents: Any, postings: Any, order: Any, terms: int) -> Any:
    """Turn documents of a segment into rows of the index, with the postings of those that are not dead."""
    base = np.int32(record[BASE])
    if record[NEW_ROWS] == 0:
        for n in range(count):
            documents[n] += base
        return np.int64(count)
    new, kept = int32s_at(record[NEW_ROWS]), np.int64(0)
    for n in range(count):
        row = new[documents[n]]
        documents[kept] = row + base
        for t in range(terms):
            postings[t * PER_BLOCK + kept] = postings[t * PER_BLOCK + n]
        kept += np.int64(row >= 0)
    return kept


@kernel
def rank_required(plans: Plans, work: Work, terms: int, size: int, stride: int, k: int, mask: int) -> int:
    """Find the k best of the allowed documents that have every term of a query, in one field; says how many have.

    It returns what `rank_query` does.
    """
    here = work.addresses
    said, plan = int64s_at(here[SAID]), int64s_at(plans.addresses[0])
    numbers, multipliers = int64s_at(here[NUMBERS]), floats_at(here[MULTIPLIERS])
    said[MATCHES] = said[MISSING] = said[WANTED] = said[COLD] = 0
    if plan[IS_WEIGHTED] != 0 or terms > MOST_REQUIRED:
        return NOT_HERE
    if look_up(1, plans.addresses, here, terms, size, stride) < 0:
        return NOT_HERE
    records, factors, most = plans.addresses[0] + 8 * HEAD, floats_at(here[WEIGHED]), 0.0
    for t in range(terms):
        documents = np.int64(0)
        for r in range(plan[SEGMENTS]):
            documents += size_of_list(int64s_at(records + 8 * r * RECORD), numbers[t * stride + r])
        if documents == 0:
            return 0
        factors[t] = floats_at(plan[FACTORS])[documents]
        if np.isnan(factors[t]):
            note_missing(said, documents)
        elif not (multipliers[t] >= 0.0 and factors[t] >= 0.0 and multipliers[t] * factors[t] < HIGHEST):
            return NOT_HERE
        most += multipliers[t] * factors[t]
    if said[MISSING] > 0:
        return NO_FACTOR
    for segment in range(plan[SEGMENTS]):
        matches = add_required(plan, records, here, terms, stride, segment, mask)
        if matches < 0:
            return NOT_HERE
        said[MATCHES] += matches
    if k <= FEW:
        return best_few(plan, here, k, 0, 1)
    return best_many(plan, here, k, 0, 1, most)


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
