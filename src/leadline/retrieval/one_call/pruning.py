"""The documents that may be among the best, of lists read in the order of how much they can add.

Rare terms add much to few documents, frequent ones little to many. So lists are read from the one that can add most on,
until what all others can add together lifts no document among the best that has none of the terms read so far. Of the
others only the weights of documents that may still be among the best are looked up. All of this is with sums in another
order than the query's, which differ in the last bits (SLACK); the few documents that are left get their totals anew, in
the order of the query.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from leadline.retrieval.mapped.kernel_arguments import (
    BASE,
    BASES,
    DOCUMENTS,
    FACTORS,
    FIELDS,
    KEPT_BEFORE,
    KEPT_BITS,
    KEPT_IS_DENSE,
    KEPT_LISTS,
    KEPT_MOST,
    KEPT_ROWS,
    KEPT_SIZE,
    KEPT_WEIGHTS,
    NORMS,
    OF_DOCUMENTS,
    OLD_DOCUMENTS,
    PER_BLOCK,
    RECORD,
    SEGMENTS,
    STARTS,
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
)
from leadline.retrieval.models.kernels import (
    BIN_SHIFT,
    UNTOUCHED_BITS,
)
from leadline.retrieval.one_call.kernel_arguments import (
    BITS,
    BOUNDS,
    BY_BOUND,
    CANDIDATE_KEYS,
    CANDIDATE_ROWS,
    COUNTED,
    FLAGS,
    HISTOGRAM,
    KEPT,
    LOOK_UP,
    LOOK_UP_PACKED,
    MOST_READ,
    MULTIPLIERS,
    NEXT,
    NUMBERS,
    PER_FLAG,
    PRUNING_PAYS,
    READ_AT,
    READ_ROWS,
    READ_WEIGHTS,
    RESTS,
    SAID,
    SIZES,
    TERM_FACTORS,
    TOTALS_OF,
    TOUCHED,
    UNPACKED,
)
from leadline.retrieval.one_call.lists import (
    HIGHEST,
    begin_list,
    is_whole,
    read_part,
    weigh,
)
from leadline.text.kernels import inline

SLACK = 1.0 + 1e-9  # sums in another order differ by much less
ABSENT, WRONG = -1.0, -2.0  # in place of a weight


@intrinsic
def ones(_context: Any, _word: Any) -> Any:
    """How many bits of a word are set."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


@apart
def describe_terms(plan: Any, here: int, work: Any, terms: int, stride: int) -> Any:
    """Say of each term what it can add and how long its list is; returns all postings, -1 where that is not known."""
    numbers, multipliers = int64s_at(work[NUMBERS]), floats_at(work[MULTIPLIERS])
    order, bounds, factors = int64s_at(work[BY_BOUND]), floats_at(work[BOUNDS]), floats_at(work[TERM_FACTORS])
    sizes, kept_at, read_at = int64s_at(work[SIZES]), int64s_at(work[KEPT]), int64s_at(work[READ_AT])
    postings, segments = np.int64(0), plan[SEGMENTS]
    for t in range(terms):
        size, kept = np.int64(0), np.int64(0)
        for r in range(segments):
            number = numbers[t * stride + r]
            if number >= 0:
                record = int64s_at(here + 8 * r * RECORD)
                kept = int64s_at(record[KEPT_LISTS])[number] if size == 0 else kept
                size += size_of_list(record, number)
        factor = floats_at(plan[FACTORS])[size] if size > 0 else 0.0
        bound = multipliers[t] * factor
        if not (bound >= 0.0 and bound < HIGHEST and multipliers[t] >= 0.0):
            return np.int64(-1)
        if kept != 0:
            bound = multipliers[t] * np.int64(int64s_at(kept)[KEPT_MOST]).view(np.float64)
        bounds[t], factors[t], sizes[t], kept_at[t], read_at[t] = bound, factor, size, kept, -1
        order[t] = t
        postings += size
    # The most first, by a sort of Shell.
    gap = np.int64(terms // 2)
    while gap > 0:
        for i in range(gap, terms):
            t, at = order[i], np.int64(i)
            while at >= gap and bounds[order[at - gap]] < bounds[t]:
                order[at] = order[at - gap]
                at -= gap
            order[at] = t
        gap //= 2
    rests = floats_at(work[RESTS])
    rests[terms] = 0.0
    for i in range(terms):
        rests[terms - 1 - i] = rests[terms - i] + bounds[order[terms - 1 - i]]
    return postings


@inline
def touch(work: Any, rows: Any, weights: Any, size: int, multiplier: float, touched: Any) -> Any:
    """Add weights to totals, and list the documents that had none; returns how many are listed."""
    totals, listed = floats_at(work[TOTALS_OF]), int32s_at(work[TOUCHED])
    for n in range(size):  # without branches, because they would be mispredicted
        row = rows[n]
        total = totals[row]
        listed[touched] = row
        touched += np.int64(np.float64(total).view(np.int64) == UNTOUCHED_BITS)
        totals[row] = total + multiplier * weights[n]
    return touched


@inline
def touch_dense(work: Any, rows: Any, weights: Any, size: int, multiplier: float, touched: Any) -> Any:
    """The same where there is a weight for every document."""
    totals, listed = floats_at(work[TOTALS_OF]), int32s_at(work[TOUCHED])
    for n in range(size):
        row = rows[n]
        total = totals[row]
        listed[touched] = row
        touched += np.int64(np.float64(total).view(np.int64) == UNTOUCHED_BITS)
        totals[row] = total + multiplier * weights[row]
    return touched


@apart
def touch_term(plan: Any, here: int, work: Any, t: int, stride: int, touched: Any, read: Any) -> Any:
    """Add a term to totals; returns how many documents are listed, or -1 where a file is damaged.

    What is unpacked of its list is held from place `read` on, and found again there.
    """
    kept = int64s_at(work[KEPT])[t]
    if kept != 0:
        about, multiplier = int64s_at(kept), floats_at(work[MULTIPLIERS])[t]
        rows, weights = int32s_at(about[KEPT_ROWS]), floats_at(about[KEPT_WEIGHTS])
        if about[KEPT_IS_DENSE] != 0:
            return touch_dense(work, rows, weights, about[KEPT_SIZE], multiplier, touched)
        return touch(work, rows, weights, about[KEPT_SIZE], multiplier, touched)
    numbers, said = int64s_at(work[NUMBERS]), int64s_at(work[SAID])
    rows, counts, norms = int32s_at(work[UNPACKED]), int32s_at(work[COUNTED]), floats_at(plan[NORMS])
    factor, multiplier = floats_at(work[TERM_FACTORS])[t], floats_at(work[MULTIPLIERS])[t]
    held = read
    for r in range(plan[SEGMENTS]):
        number = numbers[t * stride + r]
        if number < 0:
            continue
        record = int64s_at(here + 8 * r * RECORD)
        i, stop = int64s_at(record[STARTS])[number], int64s_at(record[STARTS])[number + 1]
        begin_list(said)
        while i < stop:
            size = read_part(record, work, i, stop)
            if size < 0:
                return np.int64(-1)
            held_rows, held_weights = int32s_at(work[READ_ROWS] + 4 * held), floats_at(work[READ_WEIGHTS] + 8 * held)
            weigh(size, rows, counts, norms, factor, multiplier, held_weights)
            for n in range(size):
                held_rows[n] = rows[n]
            touched = touch(work, held_rows, held_weights, size, 1.0, touched)
            held += size
            i = said[NEXT]
        if not is_whole(record, said, number):
            return np.int64(-1)
    int64s_at(work[READ_AT])[t] = read
    return touched


@apart
def packed_weight(plan: Any, here: int, work: Any, t: int, stride: int, row: int) -> Any:
    """The weight of a term in a document, of which one block is unpacked."""
    numbers, rows = int64s_at(work[NUMBERS]), int32s_at(work[UNPACKED])
    segment, segments = np.int64(0), plan[SEGMENTS]
    while segment + 1 < segments and int64s_at(here + 8 * (segment + 1) * plan[FIELDS] * RECORD)[BASE] <= row:
        segment += 1
    record, number = int64s_at(here + 8 * segment * RECORD), numbers[t * stride + segment]
    if number < 0:
        return ABSENT
    document = row - record[BASE]
    if record[OLD_DOCUMENTS] != 0:
        document = np.int64(int32s_at(record[OLD_DOCUMENTS])[document])
    start, stop = int64s_at(record[STARTS])[number], int64s_at(record[STARTS])[number + 1]
    bases, block, end = int32s_at(record[OF_DOCUMENTS + BASES]), start // PER_BLOCK, (stop - 1) // PER_BLOCK
    # The base of a block is past the last document before it.
    while block < end:
        middle = (block + end + 1) >> 1
        if np.int64(np.uint32(bases[middle])) <= document:
            block = middle
        else:
            end = middle - 1
    first = start - block * PER_BLOCK if start > block * PER_BLOCK else np.int64(0)
    last = stop - block * PER_BLOCK if stop - block * PER_BLOCK < PER_BLOCK else np.int64(PER_BLOCK)
    if read_documents(record, block, first, last, -1, rows) < 0:
        return WRONG
    low, high = np.int64(0), last - first
    while low < high:
        middle = (low + high) >> 1
        if rows[middle] < document:
            low = middle + 1
        else:
            high = middle
    if low == last - first or rows[low] != document:
        return ABSENT
    frequency = np.float64(count_at(record, block * PER_BLOCK + first + low))
    if frequency == 0.0:
        return WRONG
    factor, multiplier = floats_at(work[TERM_FACTORS])[t], floats_at(work[MULTIPLIERS])[t]
    return multiplier * (factor * frequency / (frequency + floats_at(plan[NORMS])[row]))


@inline
def weight_of(plan: Any, here: int, work: Any, t: int, stride: int, row: int) -> Any:
    """What a term adds to a document; ABSENT where it is not in it, WRONG where a file is damaged."""
    kept, read = int64s_at(work[KEPT])[t], int64s_at(work[READ_AT])[t]
    found = ABSENT
    if kept != 0 and int64s_at(kept)[KEPT_BITS] != 0:
        about, word, bit = int64s_at(kept), row >> 6, np.uint64(row & 63)
        bits = uint64s_at(about[KEPT_BITS])[word]
        if (bits >> bit) & np.uint64(1) != np.uint64(0):
            place = np.int64(row)
            if about[KEPT_IS_DENSE] == 0:
                before = int32s_at(about[KEPT_BEFORE])[word]
                place = np.int64(before) + ones(bits & ((np.uint64(1) << bit) - np.uint64(1)))
            found = floats_at(work[MULTIPLIERS])[t] * floats_at(about[KEPT_WEIGHTS])[place]
    elif kept != 0 or read >= 0:
        rows_at, weights_at, multiplier = work[READ_ROWS] + 4 * read, work[READ_WEIGHTS] + 8 * read, 1.0
        if kept != 0:
            rows_at, weights_at = int64s_at(kept)[KEPT_ROWS], int64s_at(kept)[KEPT_WEIGHTS]
            multiplier = floats_at(work[MULTIPLIERS])[t]
        rows, size = int32s_at(rows_at), int64s_at(work[SIZES])[t]
        low, high = np.int64(0), size
        while low < high:
            middle = (low + high) >> 1
            if rows[middle] < row:
                low = middle + 1
            else:
                high = middle
        if low < size and rows[low] == row:
            found = multiplier * floats_at(weights_at)[low]
    else:
        found = packed_weight(plan, here, work, t, stride, row)
    return found


@apart
def nearly_best(keys: Any, count: int, k: int, most: float, histogram: Any) -> float:
    """A total that at least k of these reach, a little below that of the best k; 0 where there are fewer."""
    if count < k:
        return 0.0
    lowest_bin = (np.float64(most * SLACK).view(np.int64) >> BIN_SHIFT) - (BINS - 1)
    for i in range(BINS):
        histogram[i] = 0
    for i in range(count):
        leading = (keys[i] >> BIN_SHIFT) - lowest_bin
        leading = leading if leading > 0 else np.int64(0)
        histogram[leading if leading < BINS - 1 else np.int64(BINS - 1)] += 1
    above, b = np.int64(0), np.int64(BINS)
    while b > 0 and above < k:
        b -= 1
        above += histogram[b]
    return np.int64((b + lowest_bin) << BIN_SHIFT).view(np.float64) if b > 0 else 0.0


@apart
def few_touched(plan: Any, here: int, work: Any, terms: int, stride: int, k: int, mask: int) -> Any:
    """Give their totals to the allowed documents that may be among the best, where they are found with less work.

    Returns 1 if so, with their flags set; 0 if all lists are to be added up, with totals as they were; -1 if damaged.
    """
    postings = describe_terms(plan, here, work, terms, stride)
    if postings < PRUNING_PAYS * k * terms:
        return np.int64(0)
    totals, listed, allowed = floats_at(work[TOTALS_OF]), int32s_at(work[TOUCHED]), bytes_at(mask)
    order, bounds, rests = int64s_at(work[BY_BOUND]), floats_at(work[BOUNDS]), floats_at(work[RESTS])
    sizes, kept_at = int64s_at(work[SIZES]), int64s_at(work[KEPT])
    keys, histogram = int64s_at(work[CANDIDATE_KEYS]), int32s_at(work[HISTOGRAM])
    rows, sums, flags = int32s_at(work[CANDIDATE_ROWS]), floats_at(work[CANDIDATE_KEYS]), bytes_at(work[FLAGS])
    touched, read, left, added = np.int64(0), np.int64(0), postings, np.int64(0)
    before, theta, j = 0.0, 0.0, 0
    pays = True
    while j < terms:
        t = order[j]
        # To look for the limit takes about as long as adding up so many postings.
        if touched >= k and before > rests[j] and (2 * sizes[t] >= touched or 2 * added >= touched):
            count, added = np.int64(0), np.int64(0)
            for i in range(touched):
                keys[count] = np.float64(totals[listed[i]]).view(np.int64)
                count += np.int64(mask == 0 or allowed[listed[i]] != 0)
            theta = nearly_best(keys, count, k, before, histogram)
            if theta > rests[j] * SLACK:
                count = np.int64(0)
                for i in range(touched):
                    count += np.int64((totals[listed[i]] + rests[j]) * SLACK >= theta)
                work_left = np.int64(0)
                for i in range(j, terms):
                    work_left += LOOK_UP if kept_at[order[i]] != 0 else LOOK_UP_PACKED
                if count * work_left < left:
                    break
        if kept_at[t] == 0 and read + sizes[t] > MOST_READ:
            pays = False
            break
        touched = touch_term(plan, here, work, t, stride, touched, read)
        if touched < 0:
            return np.int64(-1)
        read += sizes[t] if kept_at[t] == 0 else 0
        before += bounds[t]
        added += sizes[t]
        left -= sizes[t]
        j += 1
    count = np.int64(0)
    for i in range(touched):
        row = listed[i]
        total = totals[row]
        totals[row] = -0.0
        rows[count], sums[count] = row, total
        count += np.int64((total + rests[j]) * SLACK >= theta and (mask == 0 or allowed[row] != 0))
    if not pays:
        return np.int64(0)
    for i in range(j, terms):
        found = np.int64(0)
        for n in range(count):
            weight = weight_of(plan, here, work, order[i], stride, np.int64(rows[n]))
            if weight == WRONG:
                return np.int64(-1)
            total = sums[n] + (weight if weight > 0.0 else 0.0)
            rows[found], sums[found] = rows[n], total
            found += np.int64((total + rests[i + 1]) * SLACK >= theta)
        count = found
    # Now the totals are known but for their last bits.
    limit, found = nearly_best(int64s_at(work[CANDIDATE_KEYS]), count, k, rests[0], histogram), np.int64(0)
    for n in range(count):
        rows[found] = rows[n]
        found += np.int64(sums[n] * SLACK >= limit)
    if found * terms * LOOK_UP > postings:
        return np.int64(0)
    for n in range(found):
        row, total = np.int64(rows[n]), -0.0
        for t in range(terms):
            weight = weight_of(plan, here, work, t, stride, row)
            if weight == WRONG:
                return np.int64(-1)
            if weight >= 0.0:
                total += weight
        totals[row] = total
        flags[row // PER_FLAG] = 1
    return np.int64(1)


@apart
def count_having(plan: Any, here: int, work: Any, terms: int, stride: int, mask: int) -> Any:
    """How many allowed documents have a term; -1 where a file is damaged."""
    bits, numbers, said = uint64s_at(work[BITS]), int64s_at(work[NUMBERS]), int64s_at(work[SAID])
    kept_at, read_at, sizes = int64s_at(work[KEPT]), int64s_at(work[READ_AT]), int64s_at(work[SIZES])
    rows, words = int32s_at(work[UNPACKED]), (plan[DOCUMENTS] + 63) >> 6
    for t in range(terms):
        if kept_at[t] != 0 and int64s_at(kept_at[t])[KEPT_BITS] != 0:
            of = uint64s_at(int64s_at(kept_at[t])[KEPT_BITS])
            for w in range(words):
                bits[w] |= of[w]
        elif kept_at[t] != 0 or read_at[t] >= 0:
            held = int32s_at(int64s_at(kept_at[t])[KEPT_ROWS] if kept_at[t] != 0 else work[READ_ROWS] + 4 * read_at[t])
            for n in range(sizes[t]):
                bits[held[n] >> 6] |= np.uint64(1) << np.uint64(held[n] & 63)
        else:
            for r in range(plan[SEGMENTS]):
                if numbers[t * stride + r] < 0:
                    continue
                record = int64s_at(here + 8 * r * RECORD)
                i = int64s_at(record[STARTS])[numbers[t * stride + r]]
                stop = int64s_at(record[STARTS])[numbers[t * stride + r] + 1]
                begin_list(said)
                while i < stop:
                    size = read_part(record, work, i, stop)
                    if size < 0:
                        for w in range(words):
                            bits[w] = 0
                        return np.int64(-1)
                    for n in range(size):
                        bits[rows[n] >> 6] |= np.uint64(1) << np.uint64(rows[n] & 63)
                    i = said[NEXT]
    count, allowed = np.int64(0), bytes_at(mask)
    for w in range(words):
        word = bits[w]
        bits[w] = 0
        if mask == 0:
            count += ones(word)
        elif word != 0:
            last = plan[DOCUMENTS] - 64 * w if plan[DOCUMENTS] - 64 * w < 64 else np.int64(64)
            for i in range(last):
                count += np.int64((word >> np.uint64(i)) & np.uint64(allowed[64 * w + i] != 0))
    return count
