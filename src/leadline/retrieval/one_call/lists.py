"""Terms looked up, and their lists read, weighed and added up: what the kernels of this folder share.

Every document has a total, -0.0 until a term adds to it. Weights are added in the order of the query, so the total
equals that of the other ways to search, to the last bit.
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
    KEPT_IS_DENSE,
    KEPT_LISTS,
    KEPT_ROWS,
    KEPT_SIZE,
    KEPT_WEIGHTS,
    LIVE_COUNTS,
    LONG_SHARE,
    NORMS,
    PER_BLOCK,
    RECORD,
    SEGMENTS,
    STARTS,
    TOTALS,
    USES,
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
)
from leadline.retrieval.one_call.kernel_arguments import (
    ABSENT,
    BEFORE,
    COLD,
    COUNTED,
    FLAGS,
    FREQUENCIES,
    KEEPING_PAYS,
    LIVE,
    LONG,
    MISSING,
    MOST_SAID,
    MULTIPLIERS,
    NEXT,
    NUMBERS,
    OCCURRENCES,
    PER_FLAG,
    SAID,
    SAID_FROM,
    TEXT,
    TIMES_ASKED,
    TOTALS_OF,
    TOUCHED,
    UNPACKED,
    WANTED,
    WEIGHED,
)
from leadline.text.kernels import inline

HIGHEST = 1e300  # of a weight: more cannot be added up
MOST_USES = 255  # of a list are counted


@apart
def weigh(count: int, rows: Any, counts: Any, norms: Any, factor: float, multiplier: float, weighed: Any) -> None:
    """Write what a term adds to documents: the multiplier times factor · tf / (tf + norm)."""
    for i in range(count):
        weighed[i] = norms[rows[i]]
    for i in range(count):
        frequency = np.float64(counts[i]) + 1.0
        weighed[i] = multiplier * (factor * frequency / (frequency + weighed[i]))


@inline
def begin_list(said: Any) -> None:
    """Make ready to read a list part by part."""
    said[BEFORE], said[OCCURRENCES], said[LIVE] = -1, 0, 0


@apart
def read_part(record: Any, work: Any, i: int, stop: int) -> Any:
    """Write what a block has of a list, from posting `i` on, to UNPACKED and COUNTED, without documents that are dead.

    Returns how many there are, -1 where the file is damaged; where the list goes on is said at NEXT.
    """
    rows, counts, said = int32s_at(work[UNPACKED]), int32s_at(work[COUNTED]), int64s_at(work[SAID])
    block, first = i // PER_BLOCK, i % PER_BLOCK
    last = PER_BLOCK if stop - i > PER_BLOCK - first else first + stop - i
    before = read_documents(record, block, first, last, said[BEFORE], rows)
    sum_of = read_counts(record, block, first, last, counts)
    if before < 0 or sum_of < 0:
        return np.int64(-1)
    kept = to_rows(record, last - first, rows, counts)
    said[BEFORE], said[NEXT] = before, i + last - first
    said[OCCURRENCES] += sum_of
    said[LIVE] += kept
    return kept


@inline
def is_whole(record: Any, said: Any, number: int) -> Any:
    """Whether what the dictionary says of a list is what was read."""
    all_live = record[LIVE_COUNTS] == 0 or said[LIVE] == int64s_at(record[LIVE_COUNTS])[number]
    return all_live and said[OCCURRENCES] == int64s_at(record[TOTALS])[number]


@apart
def add_list(plan: Any, record: Any, work: Any, number: int, factor: float, multiplier: float, flagged: int) -> Any:
    """Add a term's weights to the totals of its documents in a segment; returns whether the list is right."""
    rows, counts, weighed = int32s_at(work[UNPACKED]), int32s_at(work[COUNTED]), floats_at(work[WEIGHED])
    totals, norms, flags = floats_at(work[TOTALS_OF]), floats_at(plan[NORMS]), bytes_at(work[FLAGS])
    said, starts = int64s_at(work[SAID]), int64s_at(record[STARTS])
    i, stop = starts[number], starts[number + 1]
    begin_list(said)
    while i < stop:
        kept = read_part(record, work, i, stop)
        if kept < 0:
            return False
        weigh(kept, rows, counts, norms, factor, multiplier, weighed)
        for n in range(kept):
            totals[rows[n]] += weighed[n]
        if flagged:
            for n in range(kept):
                flags[rows[n] // PER_FLAG] = 1
        i = said[NEXT]
    return is_whole(record, said, number)


@apart
def count_in_fields(record: Any, work: Any, number: int, touched: Any) -> Any:
    """Add a term's frequencies in one field to those of its documents; returns the documents that have any so far.

    `touched` is how many had any before; -1 is returned where the list is not right.
    """
    rows, counts = int32s_at(work[UNPACKED]), int32s_at(work[COUNTED])
    frequencies, listed = floats_at(work[FREQUENCIES]), int32s_at(work[TOUCHED])
    weight = np.int64(record[FIELD_WEIGHT]).view(np.float64)
    said, starts = int64s_at(work[SAID]), int64s_at(record[STARTS])
    i, stop = starts[number], starts[number + 1]
    begin_list(said)
    while i < stop:
        kept = read_part(record, work, i, stop)
        if kept < 0:
            return np.int64(-1)
        for n in range(kept):  # without branches, because they would be mispredicted
            row = rows[n]
            listed[touched] = row
            touched += np.int64(frequencies[row] == 0.0)
            frequencies[row] += weight * (np.float64(counts[n]) + 1.0)
        i = said[NEXT]
    return touched if is_whole(record, said, number) else np.int64(-1)


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

    The terms are in TEXT, each with a zero behind it. `stride` is the room for the numbers of one term and plan. How
    many terms are in no document is said as ABSENT.
    """
    text, numbers, said = bytes_at(work[TEXT]), int64s_at(work[NUMBERS]), int64s_at(work[SAID])
    start, postings = np.int64(0), np.int64(0)
    said[ABSENT] = 0
    for t in range(terms):
        before = postings
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
        said[ABSENT] += np.int64(postings == before)
        start = stop + 1
    return postings if start == size else np.int64(-1)


@apart
def add_kept(plan: Any, kept: Any, work: Any, multiplier: float, flagged: int) -> None:
    """Add the weights of a list that is kept to the totals of its documents."""
    totals, flags, size = floats_at(work[TOTALS_OF]), bytes_at(work[FLAGS]), kept[KEPT_SIZE]
    rows, weights = int32s_at(kept[KEPT_ROWS]), floats_at(kept[KEPT_WEIGHTS])
    if kept[KEPT_IS_DENSE] != 0:
        for i in range(plan[DOCUMENTS]):
            totals[i] += multiplier * weights[i]
    elif multiplier == 1.0:
        for n in range(size):
            totals[rows[n]] += weights[n]
    else:
        for n in range(size):
            totals[rows[n]] += multiplier * weights[n]
    if flagged:
        for n in range(size):
            flags[rows[n] // PER_FLAG] = 1


@inline
def note_use(record: Any, said: Any, number: int, documents: int, entry: int) -> None:
    """Count that a list was asked for, and say so where it is worth keeping."""
    said[COLD] += documents
    if documents >= LONG:
        uses = bytes_at(record[USES])
        times = np.int64(uses[number]) + 1
        uses[number] = np.uint8(times if times < MOST_USES else MOST_USES)
        if times >= TIMES_ASKED and times * documents >= KEEPING_PAYS and said[WANTED] < MOST_SAID:
            said[SAID_FROM + MOST_SAID + said[WANTED]] = entry
            said[WANTED] += 1


@inline
def note_missing(said: Any, documents: int) -> None:
    """Say that there is no factor for a term in so many documents."""
    if said[MISSING] < MOST_SAID:
        said[SAID_FROM + said[MISSING]] = documents
        said[MISSING] += 1


@apart
def note_uses(plans: Any, addresses: Any, work: Any, terms: int, stride: int) -> Any:
    """Count the lists that are asked for and not kept; returns how many are worth keeping.

    Over several fields how long a list is, is known only when frequencies were added up: it is counted then.
    """
    numbers, said = int64s_at(work[NUMBERS]), int64s_at(work[SAID])
    for entry in range(terms * plans):
        plan, here = int64s_at(addresses[entry % plans]), addresses[entry % plans] + 8 * HEAD
        documents: Any = np.int64(0)
        first: Any = np.int64(-1)
        if plan[IS_WEIGHTED] == 0:
            for r in range(plan[SEGMENTS]):
                number = numbers[entry * stride + r]
                documents += size_of_list(int64s_at(here + 8 * r * RECORD), number)
                first = r if first < 0 and number >= 0 else first
        if documents > 0:
            record, number = int64s_at(here + 8 * first * RECORD), numbers[entry * stride + first]
            if int64s_at(record[KEPT_LISTS])[number] == 0:
                note_use(record, said, number, documents, entry)
    return said[WANTED]


@apart
def lacks_factors(plans: Any, addresses: Any, work: Any, terms: int, stride: int) -> Any:
    """Say for which numbers of documents there is no factor; returns whether there are any.

    Over several fields that is known only when frequencies were added up.
    """
    numbers, said = int64s_at(work[NUMBERS]), int64s_at(work[SAID])
    for entry in range(terms * plans):
        plan, here = int64s_at(addresses[entry % plans]), addresses[entry % plans] + 8 * HEAD
        if plan[IS_WEIGHTED] == 0:
            documents = np.int64(0)
            for r in range(plan[SEGMENTS]):
                documents += size_of_list(int64s_at(here + 8 * r * RECORD), numbers[entry * stride + r])
            if documents > 0 and np.isnan(floats_at(plan[FACTORS])[documents]):
                note_missing(said, documents)
    return said[MISSING] > 0


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
            add_kept(plan, int64s_at(address), work, multipliers[entry], flagged)
            continue
        if several:
            record = int64s_at(here + 8 * first * RECORD)
            if documents * LONG_SHARE >= plan[DOCUMENTS]:  # to make it all totals are looked at
                note_use(record, said, numbers[entry * stride + first], documents, entry)
            add_in_fields(plan, work, documents, factor, multipliers[entry], flagged)
        elif said[MISSING] == 0:
            for r in range(records):
                number = numbers[entry * stride + r]
                if number >= 0 and not add_list(
                    plan, int64s_at(here + 8 * r * RECORD), work, number, factor, multipliers[entry], flagged
                ):
                    return -1.0
    return most
