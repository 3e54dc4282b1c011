"""The compiled part of a query of joined words: its lists found and weighed, the best documents kept.

The arrays are where a `QueryPlan` and a `JoinedSpace` say (`kernel_arguments.py`). Everything that is read from a file
is compared with its checksum once, and no place in an array is taken from a file without a comparison with its bounds,
so that a damaged file gives NOT_HERE: the caller then searches by lists, which says what is damaged.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.retrieval.joined.kernel_arguments import (
    ABSENT,
    CURSORS,
    DOCUMENTS_AT,
    EACH_COUNTS,
    ENDED,
    FEW,
    FEW_COUNTS,
    HISTOGRAM,
    KEYS,
    KIND,
    LIST_COUNTS,
    LIST_ROWS,
    LISTS,
    LOADED,
    LOADED_COUNTS,
    MATCHES,
    MISSING,
    MOST_PARTS,
    MOST_TERMS,
    MULTIPLIERS,
    NO_FACTOR,
    NORMS_AT,
    NOT_HERE,
    NUMBERS,
    ORDER,
    PART,
    PART_FACTORS,
    PARTS,
    POSTINGS,
    ROOM,
    ROWS,
    SAID,
    SAID_FROM,
    SAID_SIZE,
    SPARE_KEYS,
    SPARE_ROWS,
    SUMMED_UP,
    TERM,
    TIMES_AT,
    Joined,
)
from leadline.retrieval.joined.listing import by_length, having_all, list_part, live_row, look_up, places_in
from leadline.retrieval.mapped.kernel_arguments import (
    BASE,
    FACTORS,
    HEAD,
    MODULUS,
    NEW_ROWS,
    NORMS,
    OF_FREQUENCIES,
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
    size_of_list,
    uint64s_at,
    unpack_checked,
)
from leadline.retrieval.models.kernel_arguments import Candidates
from leadline.retrieval.models.kernels import EVERY_BIT_BUT_SIGN, sort_best
from leadline.text.kernel_arguments import Int32s, kernel
from leadline.text.kernels import inline

HIGHEST = 1e300  # of a weight: more cannot be added up


# The best of the documents.


@apart
def factor_of(plan: Any, work: Any, part: int, documents: int) -> Any:
    """Look up what a part that is in so many documents counts; returns whether the query can be answered here."""
    said, multiplier = int64s_at(work[SAID]), floats_at(work[MULTIPLIERS])[part]
    factor = floats_at(plan[FACTORS])[documents]
    if np.isnan(factor):
        if said[MISSING] < SAID_SIZE - SAID_FROM:
            said[SAID_FROM + said[MISSING]] = documents
            said[MISSING] += 1
        return True
    floats_at(work[PART_FACTORS])[part] = factor
    return multiplier >= 0.0 and factor >= 0.0 and multiplier * factor < HIGHEST


@inline
def is_better(key: int, row: int, other: int, other_row: int, ranks: Any) -> Any:
    """Whether a document comes before another: by its total, then by its rank."""
    return key > other or (key == other and ranks[row] > ranks[other_row])


@apart
def best_of(plan: Any, work: Any, count: int, k: int) -> Any:
    """Put the k best of the documents in ROWS, with their totals in KEYS, first and in order; returns how many."""
    rows, keys, ranks = int32s_at(work[ROWS]), int64s_at(work[KEYS]), int32s_at(plan[RANKS])
    if k > FEW:
        sorted_keys = uint64s_at(work[KEYS])
        for n in range(count):
            sorted_keys[n] = np.uint64(keys[n] ^ EVERY_BIT_BUT_SIGN)
        if count > 0:
            spare = Candidates(rows, sorted_keys, int32s_at(work[SPARE_ROWS]), uint64s_at(work[SPARE_KEYS]))
            sort_best(count, spare, int32s_at(work[HISTOGRAM]), ranks)
        for n in range(count):
            keys[n] = np.int64(sorted_keys[n]) ^ EVERY_BIT_BUT_SIGN
        return np.int64(count if count < k else k)
    kept = np.int64(0)
    for n in range(count):
        key, row = keys[n], rows[n]
        if kept == k and not is_better(key, row, keys[k - 1], rows[k - 1], ranks):
            continue
        at = kept if kept < k else k - 1
        while at > 0 and is_better(key, row, keys[at - 1], rows[at - 1], ranks):
            keys[at], rows[at] = keys[at - 1], rows[at - 1]
            at -= 1
        keys[at], rows[at] = key, row
        kept += np.int64(kept < k)
    return kept


@apart
def times_at(record: Any, work: Any, t: int, count: int) -> Any:
    """Write how often a term is in the documents of its ascending postings; returns whether the file is right."""
    times, loaded = floats_at(work[TIMES_AT]), int64s_at(work[LOADED_COUNTS])
    postings = int64s_at(work[POSTINGS] + 8 * PER_BLOCK * t)
    counts = int32s_at(work[EACH_COUNTS] + 4 * PER_BLOCK * t)
    i = np.int64(0)
    while i < count:
        block, last = postings[i] // PER_BLOCK, i + 1
        while last < count and postings[last] // PER_BLOCK == block:
            last += 1
        if loaded[t] != block and last - i > FEW_COUNTS:
            if not unpack_checked(record, OF_FREQUENCIES, block, counts):
                return False
            loaded[t] = block
        if loaded[t] == block:
            for n in range(i, last):
                times[n] = np.float64(counts[postings[n] % PER_BLOCK]) + 1.0
        else:
            for n in range(i, last):
                times[n] = np.float64(count_at(record, postings[n]))
                if times[n] == 0.0:
                    return False
        i = last
    return True


@apart
def rank_terms(plan: Any, records: int, work: Any, terms: int, mask: int) -> Any:
    """Write the allowed documents that have all terms, and their totals; returns how many, -1 if damaged."""
    segments, numbers, order = plan[SEGMENTS], int64s_at(work[NUMBERS]), int64s_at(work[ORDER])
    documents, postings = int32s_at(work[DOCUMENTS_AT]), int64s_at(work[POSTINGS])
    multipliers, factors = floats_at(work[MULTIPLIERS]), floats_at(work[PART_FACTORS])
    rows, totals, norms, allowed = int32s_at(work[ROWS]), floats_at(work[KEYS]), floats_at(plan[NORMS]), bytes_at(mask)
    times, norms_at, listed = floats_at(work[TIMES_AT]), floats_at(work[NORMS_AT]), np.int64(0)
    for segment in range(segments):
        record = int64s_at(records + 8 * segment * RECORD)
        if not by_length(record, work, 0, terms, segments, segment):
            continue
        lead = numbers[order[0] * segments + segment]
        i, stop, before = int64s_at(record[STARTS])[lead], int64s_at(record[STARTS])[lead + 1], np.int64(-1)
        while i < stop:
            found = having_all(record, work, 0, terms, segments, segment, i, before)
            if found < 0:
                return np.int64(-1)
            before = int64s_at(work[SAID])[ENDED]
            kept = np.int64(0)
            for n in range(found):
                row = live_row(record, documents[n])
                if row < 0 or (mask != 0 and not allowed[row]):
                    continue
                rows[listed + kept], totals[listed + kept], norms_at[kept] = np.int32(row), -0.0, norms[row]
                for t in range(terms):
                    postings[t * PER_BLOCK + kept] = postings[t * PER_BLOCK + n]
                kept += 1
            for t in range(terms):  # in the order of the query, as everywhere
                if not times_at(record, work, t, kept):
                    return np.int64(-1)
                factor, multiplier = factors[t], multipliers[t]
                for n in range(kept):
                    totals[listed + n] += multiplier * (factor * times[n] / (times[n] + norms_at[n]))
            listed += kept
            i += PER_BLOCK - i % PER_BLOCK
    return listed


@apart
def rank_lists(plan: Any, work: Any, parts: int, mask: int) -> Any:
    """Write the allowed documents that all lists have, and their totals; returns how many there are."""
    lists, summed = int64s_at(work[LISTS]), int32s_at(work[SUMMED_UP])
    multipliers, factors = floats_at(work[MULTIPLIERS]), floats_at(work[PART_FACTORS])
    rows, totals, norms, allowed = int32s_at(work[ROWS]), floats_at(work[KEYS]), floats_at(plan[NORMS]), bytes_at(mask)
    room = int64s_at(work[SAID])[ROOM]
    lead: Any = np.int64(0)
    for p in range(1, parts):
        lead = p if lists[p] < lists[lead] else lead
    listed, leading = np.int64(0), int32s_at(work[LIST_ROWS] + 4 * room * lead)
    for n in range(lists[lead]):
        if mask == 0 or allowed[leading[n]]:
            rows[listed] = leading[n]
            listed += 1
    # Which of them the other lists have: a document of the list has the number of lists that had it so far.
    for n in range(listed):
        summed[rows[n]] = 1
    had = np.int32(1)
    for p in range(parts):
        if p != lead:
            others = int32s_at(work[LIST_ROWS] + 4 * room * p)
            for n in range(lists[p]):
                summed[others[n]] += np.int32(summed[others[n]] == had)
            had += np.int32(1)
    kept = np.int64(0)
    for n in range(listed):
        row = rows[n]
        rows[kept] = row
        is_kept = summed[row] == had
        summed[row] = np.int32(0)
        kept += np.int64(is_kept)
    for n in range(kept):
        summed[rows[n]] = np.int32(n + 1)
        totals[n] = np.float64(-0.0)
    for p in range(parts):
        of, counts = int32s_at(work[LIST_ROWS] + 4 * room * p), int32s_at(work[LIST_COUNTS] + 4 * room * p)
        for n in range(lists[p]):
            at = np.int64(summed[of[n]])
            if at > 0:
                frequency = np.float64(counts[n])
                totals[at - 1] += multipliers[p] * (factors[p] * frequency / (frequency + norms[of[n]]))
    for n in range(kept):
        summed[rows[n]] = np.int32(0)
    return kept


@apart
def rank_parts(plan: Any, records: int, places: int, work: Any, parts: int, mask: int) -> Any:
    """Write the allowed documents that have all parts, and their totals; returns how many, or why there are none."""
    said, lists, room = int64s_at(work[SAID]), int64s_at(work[LISTS]), 4 * int64s_at(work[SAID])[ROOM]
    if parts > MOST_PARTS:
        return np.int64(NOT_HERE)
    for p in range(parts):
        part = int64s_at(work[PARTS] + 8 * PART * p)
        rows, counts, spare = (
            work[LIST_ROWS] + room * p,
            work[LIST_COUNTS] + room * p,
            work[LIST_ROWS] + room * MOST_PARTS,
        )
        lists[p] = list_part(plan, records, places, work, part, rows, counts, spare)
        if lists[p] == 0:
            return np.int64(0)
        if lists[p] < 0 or not factor_of(plan, work, p, lists[p]):
            return np.int64(NOT_HERE)
    return np.int64(NO_FACTOR) if said[MISSING] > 0 else rank_lists(plan, work, parts, mask)


@apart
def rank_words(plan: Any, records: int, work: Any, terms: int, mask: int) -> Any:
    """Write the allowed documents that have all terms, and their totals; returns how many, or why there are none."""
    numbers, segments = int64s_at(work[NUMBERS]), plan[SEGMENTS]
    for t in range(terms):
        documents = np.int64(0)
        for s in range(segments):
            documents += size_of_list(int64s_at(records + 8 * s * RECORD), numbers[t * segments + s])
        if documents == 0:
            return np.int64(0)
        if not factor_of(plan, work, t, documents):
            return np.int64(NOT_HERE)
    return np.int64(NO_FACTOR) if int64s_at(work[SAID])[MISSING] > 0 else rank_terms(plan, records, work, terms, mask)


@kernel
def rank_joined(plans: Plans, work: Joined, places: int, terms: int, size: int, parts: int, k: int, mask: int) -> int:
    """Find the k best of the allowed documents that have every part of a query, in one field; says how many have.

    Returns how many are listed, or NOT_HERE where the query is one for the search by lists, or NO_FACTOR. `places` is
    the address of the positions of all segments.
    """
    here, plan = work.addresses, int64s_at(plans.addresses[0])
    said, described, records = int64s_at(here[SAID]), int64s_at(here[PARTS]), plans.addresses[0] + 8 * HEAD
    said[MATCHES] = said[MISSING] = 0
    if terms > MOST_TERMS or parts > MOST_TERMS or not look_up(plan, records, here, terms, size):
        return NOT_HERE
    others = np.int64(0)
    for p in range(parts):
        others += np.int64(described[p * PART + KIND] != TERM)
    if others == 0:
        found = rank_words(plan, records, here, parts, mask)
    else:
        found = rank_parts(plan, records, places, here, parts, mask)
    if found < 0:
        return found
    said[MATCHES] = found
    return best_of(plan, here, found, k)


@kernel
def list_joined(plans: Plans, work: Joined, places: int, terms: int, size: int) -> int:
    """Write the list of the first part of a query; returns how long it is, or NOT_HERE."""
    here, plan, records = work.addresses, int64s_at(plans.addresses[0]), plans.addresses[0] + 8 * HEAD
    if terms > MOST_TERMS or not look_up(plan, records, here, terms, size):
        return NOT_HERE
    spare = here[LIST_ROWS] + 4 * int64s_at(here[SAID])[ROOM] * MOST_PARTS
    return list_part(plan, records, places, here, int64s_at(here[PARTS]), here[LIST_ROWS], here[LIST_COUNTS], spare)


@kernel
def rank_among(plans: Plans, work: Joined, terms: int, size: int, k: int, rows: Int32s, count: int) -> int:
    """Find the k best of some documents, by ascending rows, that have any of the terms; says how many have.

    It returns what `rank_joined` does, and says how many terms are in no document.
    """
    here, plan, records = work.addresses, int64s_at(plans.addresses[0]), plans.addresses[0] + 8 * HEAD
    said, numbers, segments = int64s_at(here[SAID]), int64s_at(here[NUMBERS]), plan[SEGMENTS]
    said[MATCHES] = said[MISSING] = said[ABSENT] = 0
    if terms > MOST_TERMS or not look_up(plan, records, here, terms, size):
        return NOT_HERE
    for t in range(terms):
        documents = np.int64(0)
        for s in range(segments):
            documents += size_of_list(int64s_at(records + 8 * s * RECORD), numbers[t * segments + s])
        said[ABSENT] += np.int64(documents == 0)
        if documents > 0 and not factor_of(plan, here, t, documents):
            return NOT_HERE
    if said[MISSING] > 0:
        return NO_FACTOR
    multipliers, factors = floats_at(here[MULTIPLIERS]), floats_at(here[PART_FACTORS])
    postings, documents_at = int64s_at(here[POSTINGS]), int32s_at(here[DOCUMENTS_AT])
    cursors, loaded, norms = int64s_at(here[CURSORS]), int64s_at(here[LOADED]), floats_at(plan[NORMS])
    found_rows, totals, found, i = int32s_at(here[ROWS]), floats_at(here[KEYS]), np.int64(0), np.int64(0)
    for s in range(segments):
        record = int64s_at(records + 8 * s * RECORD)
        if record[NEW_ROWS] != 0:
            return NOT_HERE
        for t in range(terms):
            loaded[t] = -1
            if numbers[t * segments + s] >= 0:
                cursors[t] = int64s_at(record[STARTS])[numbers[t * segments + s]] // PER_BLOCK
        beyond = record[BASE] + record[MODULUS]
        while i < count and np.int64(rows[i]) < beyond:
            some = np.int64(0)
            while some < PER_BLOCK and i + some < count and np.int64(rows[i + some]) < beyond:
                documents_at[some] = np.int32(np.int64(rows[i + some]) - record[BASE])
                some += 1
            for t in range(terms):
                number = numbers[t * segments + s]
                if number < 0:
                    for n in range(some):
                        postings[t * PER_BLOCK + n] = -1
                elif places_in(record, number, here, t, documents_at, some) < 0:
                    return NOT_HERE
            for n in range(some):
                row, total, has_any = rows[i + n], np.float64(-0.0), False
                for t in range(terms):  # in the order of the query, as everywhere
                    if postings[t * PER_BLOCK + n] >= 0:
                        frequency = np.float64(count_at(record, postings[t * PER_BLOCK + n]))
                        if frequency == 0.0:
                            return NOT_HERE
                        total += multipliers[t] * (factors[t] * frequency / (frequency + norms[row]))
                        has_any = True
                found_rows[found], totals[found] = row, total
                found += np.int64(has_any)
            i += some
    said[MATCHES] = found
    return best_of(plan, here, found, k)
