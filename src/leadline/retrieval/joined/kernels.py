"""The compiled part of a query of joined words: lists intersected, positions compared, the best documents kept.

The arrays are where a `QueryPlan` and a `JoinedSpace` say (`kernel_arguments.py`). Everything that is read from a file
is compared with its checksum once, and no place in an array is taken from a file without a comparison with its bounds,
so that a damaged file gives NOT_HERE: the caller then searches by lists, which says what is damaged.

Documents that have several words are found block by block: the shortest list leads, the block of another list in which
its documents may be is unpacked, and its documents are stamped with their places, so that the leading ones are found
without branches. The positions of words are unpacked only for documents that have all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.retrieval.joined.kernel_arguments import (
    BLOCK_STARTS,
    CURSORS,
    DOCUMENTS_AT,
    EACH_COUNTS,
    EACH_DOCUMENTS,
    EACH_GAPS,
    EACH_SUMS,
    ENDED,
    FEW,
    FEW_COUNTS,
    FEW_VALUES,
    FIRST_TERM,
    FIRST_WORD,
    GENERATION,
    HISTOGRAM,
    KEYS,
    KIND,
    LIST_COUNTS,
    LIST_ROWS,
    LISTS,
    LOADED,
    LOADED_COUNTS,
    LOADED_GAPS,
    MATCHES,
    MISSING,
    MOST_PARTS,
    MOST_PLACED,
    MOST_TERMS,
    MULTIPLIERS,
    NEXT_HERE,
    NO_FACTOR,
    NORMS_AT,
    NOT_HERE,
    NUMBERS,
    ORDER,
    PART,
    PART_FACTORS,
    PARTS,
    PHRASE,
    PLACE_RECORD,
    POSITION_STARTS,
    POSITIONS,
    POSTINGS,
    ROOM,
    ROWS,
    SAID,
    SAID_FROM,
    SAID_SIZE,
    SEEN_GAPS,
    SEQUENCE,
    SPARE_KEYS,
    SPARE_ROWS,
    STAMPED,
    STAMPS,
    STARTS_HERE,
    SUMMED_UP,
    TERM,
    TERM_COUNT,
    TEXT,
    TIMES_AT,
    UNION,
    UNION_ENDS,
    UNION_NUMBERS,
    WORD_COUNT,
    Joined,
)
from leadline.retrieval.mapped.kernel_arguments import (
    BASE,
    BASES,
    FACTORS,
    GOOD,
    HEAD,
    LIVE_COUNTS,
    MODULUS,
    NEW_ROWS,
    NORMS,
    OF_DOCUMENTS,
    OF_FREQUENCIES,
    OFFSETS,
    PER_BLOCK,
    RANKS,
    RECORD,
    SEGMENTS,
    STARTS,
    TERMS,
    TOTALS,
    WIDTHS,
    WORDS,
    Plans,
)
from leadline.retrieval.mapped.kernels import (
    HALF,
    LANES,
    WORDS_A_SUM,
    apart,
    bytes_at,
    count_at,
    find_name,
    floats_at,
    int32s_at,
    int64s_at,
    is_block_right,
    read_counts,
    read_documents,
    size_of_list,
    to_rows,
    uint64s_at,
    unpack_checked,
)
from leadline.retrieval.models.kernel_arguments import Candidates
from leadline.retrieval.models.kernels import EVERY_BIT_BUT_SIGN, sort_best
from leadline.text.kernel_arguments import Int32s, kernel
from leadline.text.kernels import inline

HIGHEST = 1e300  # of a weight: more cannot be added up
LARGEST = np.int64(0x7FFFFFFF)  # of a position
LAST_STAMP = 0x7FFF0000

# Terms, and documents in their lists.


@apart
def look_up(plan: Any, records: int, work: Any, terms: int, size: int) -> Any:
    """Find the number of every term in the dictionary of every segment; returns whether the text is as it should be.

    The terms are in TEXT, each with a zero behind it.
    """
    text, numbers, segments = bytes_at(work[TEXT]), int64s_at(work[NUMBERS]), plan[SEGMENTS]
    start = np.int64(0)
    for t in range(terms):
        stop = start
        while stop < size and text[stop] != 0:
            stop += 1
        if stop == size:
            return False  # a term with a zero in it
        for s in range(segments):
            record = int64s_at(records + 8 * s * RECORD)
            number = find_name(record, text, start, stop - start)
            numbers[t * segments + s] = number if size_of_list(record, number) > 0 else np.int64(-1)
        start = stop + 1
    return start == size


@apart
def new_stamp(work: Any) -> Any:
    """A stamp with room for a place of a block behind it, which no document has."""
    said, stamps = int64s_at(work[SAID]), int32s_at(work[STAMPS])
    said[GENERATION] += PER_BLOCK
    if said[GENERATION] >= LAST_STAMP:
        said[GENERATION] = PER_BLOCK
        for n in range(said[STAMPED]):
            stamps[n] = 0
    return said[GENERATION]


@apart
def places_in(record: Any, number: int, work: Any, t: int, documents: Any, count: int) -> Any:
    """Write the place of ascending documents in the list of a term, -1 where it is not; returns how many have one.

    `t` is the number of the term among those of the query. -1 is returned where the file is damaged.
    """
    stamps, cursors, loaded = int32s_at(work[STAMPS]), int64s_at(work[CURSORS]), int64s_at(work[LOADED])
    postings = int64s_at(work[POSTINGS] + 8 * PER_BLOCK * t)
    unpacked = int32s_at(work[EACH_DOCUMENTS] + 4 * PER_BLOCK * t)
    bases = int32s_at(record[OF_DOCUMENTS + BASES])
    start, stop = int64s_at(record[STARTS])[number], int64s_at(record[STARTS])[number + 1]
    block, end = cursors[t], (stop - 1) // PER_BLOCK
    found, i = np.int64(0), np.int64(0)
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
            beyond = np.int64(np.uint32(bases[block + 1]))
            while last < count and np.int64(documents[last]) < beyond:
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
        stamp = new_stamp(work)
        for n in range(size):
            stamps[unpacked[n]] = np.int32(stamp + n)
        for n in range(i, last):
            place = np.int64(stamps[documents[n]]) - stamp
            here = place >= 0 and place < PER_BLOCK
            postings[n] = block * PER_BLOCK + first + place if here else np.int64(-1)
            found += np.int64(here)
        i = last
    cursors[t] = block
    return found


@apart
def by_length(record: Any, work: Any, first: int, terms: int, segments: int, segment: int) -> Any:
    """Order terms by the lengths of their lists in a segment, the shortest first; returns whether all have one."""
    numbers, order, starts = int64s_at(work[NUMBERS]), int64s_at(work[ORDER]), int64s_at(record[STARTS])
    cursors, loaded = int64s_at(work[CURSORS]), int64s_at(work[LOADED])
    loaded_counts, loaded_gaps = int64s_at(work[LOADED_COUNTS]), int64s_at(work[LOADED_GAPS])
    seen_gaps = int64s_at(work[SEEN_GAPS])
    for t in range(terms):
        loaded_counts[t] = loaded_gaps[t] = seen_gaps[t] = -1
        number = numbers[(first + t) * segments + segment]
        if number < 0:
            return False
        cursors[t], loaded[t] = starts[number] // PER_BLOCK, -1
        size, at = starts[number + 1] - starts[number], np.int64(t)
        while at > 0:
            other = numbers[(first + order[at - 1]) * segments + segment]
            if starts[other + 1] - starts[other] <= size:
                break
            order[at] = order[at - 1]
            at -= 1
        order[at] = t
    return True


@apart
def having_all(
    record: Any, work: Any, first: int, terms: int, segments: int, segment: int, start: int, before: int
) -> Any:
    """Find the documents that have all terms among those of one block of the shortest list, from a posting on.

    They are written to DOCUMENTS_AT, in the segment's numbers, with the place of each in every list. Returns how many
    there are, or -1 where the file is damaged; the last document of the block is said as ENDED.
    """
    numbers, order, postings = int64s_at(work[NUMBERS]), int64s_at(work[ORDER]), int64s_at(work[POSTINGS])
    documents = int32s_at(work[DOCUMENTS_AT])
    lead = order[0]
    stop = int64s_at(record[STARTS])[numbers[(first + lead) * segments + segment] + 1]
    block, place = start // PER_BLOCK, start % PER_BLOCK
    last = PER_BLOCK if stop - start > PER_BLOCK - place else place + stop - start
    ended = read_documents(record, block, place, last, before, documents)
    int64s_at(work[SAID])[ENDED] = ended
    if ended < 0:
        return np.int64(-1)
    count = np.int64(last - place)
    for n in range(count):
        postings[lead * PER_BLOCK + n] = start + n
    for other in range(1, terms):
        t = order[other]
        found = places_in(record, numbers[(first + t) * segments + segment], work, t, documents, count)
        if found < 0:
            return np.int64(-1)
        if found < count:
            kept = np.int64(0)
            for n in range(count):
                there = postings[t * PER_BLOCK + n] >= 0
                documents[kept] = documents[n]
                for each in range(other + 1):
                    of = order[each] * PER_BLOCK
                    postings[of + kept] = postings[of + n]
                kept += np.int64(there)
            count = kept
        if count == 0:
            break
    return count


@inline
def live_row(record: Any, document: int) -> Any:
    """The row of a document in the index; -1 where it is dead."""
    row = np.int64(document)
    if record[NEW_ROWS] != 0:
        row = np.int64(int32s_at(record[NEW_ROWS])[document])
        if row < 0:
            return np.int64(-1)
    return row + record[BASE]


# Positions.


@apart
def position_before(record: Any, place: Any, number: int, block: int, counts: Any) -> Any:
    """Where the positions of a block of a term's frequencies begin; -1 where the file is damaged.

    What is found is noted for other queries.
    """
    starts, known = int64s_at(record[STARTS]), int64s_at(place[BLOCK_STARTS])
    begin = starts[number]
    first = begin // PER_BLOCK
    at = np.int64(block)
    while at > first and known[at] == 0:
        at -= 1
    position = known[at] - 1 if at > first else int64s_at(place[POSITION_STARTS])[number]
    while at < block:
        if not unpack_checked(record, OF_FREQUENCIES, at, counts):
            return np.int64(-1)
        from_place = begin - at * PER_BLOCK if at == first else np.int64(0)
        position += PER_BLOCK - from_place
        for i in range(from_place, PER_BLOCK):
            position += np.int64(counts[i])
        at += 1
        known[at] = position + 1
    return position


@apart
def load_counts(record: Any, place: Any, number: int, block: int, work: Any, t: int) -> Any:
    """Unpack a block of a term's frequencies, with the number of positions before each; returns whether it is right."""
    counts = int32s_at(work[EACH_COUNTS] + 4 * PER_BLOCK * t)
    sums = int64s_at(work[EACH_SUMS] + 8 * PER_BLOCK * t)
    position = position_before(record, place, number, block, counts)
    if position < 0 or not unpack_checked(record, OF_FREQUENCIES, block, counts):
        return False
    begin = max(int64s_at(record[STARTS])[number] - block * PER_BLOCK, 0)
    for i in range(begin, PER_BLOCK):
        sums[i] = position
        position += np.int64(counts[i]) + 1
    int64s_at(work[LOADED_COUNTS])[t] = block
    return True


@inline
def gap_at(place: Any, at: int) -> Any:
    """One packed value; its checksum was compared."""
    block = at // PER_BLOCK
    width, words = np.int64(bytes_at(place[WIDTHS])[block]), int32s_at(place[WORDS])
    lane = at % PER_BLOCK
    bit = (lane // LANES) * width
    word = int64s_at(place[OFFSETS])[block] + LANES * (bit >> 5) + lane % LANES
    both = np.uint64(np.uint32(words[word])) | (np.uint64(np.uint32(words[word + LANES])) << HALF)
    return np.int64((both >> np.uint64(bit & 31)) & np.uint64((np.int64(1) << width) - 1))


@apart
def read_positions(place: Any, at: int, count: int, work: Any, t: int, into: Any) -> Any:
    """Write the positions of a term in a document; returns whether they are right."""
    if at < 0 or count > MOST_PLACED or at + count > place[POSITIONS]:
        return False
    loaded, seen = int64s_at(work[LOADED_GAPS]), int64s_at(work[SEEN_GAPS])
    unpacked = int32s_at(work[EACH_GAPS] + 4 * PER_BLOCK * t)
    position, i, good = np.int64(-1), np.int64(0), bytes_at(place[GOOD])
    while i < count:
        block, first = (at + i) // PER_BLOCK, (at + i) % PER_BLOCK
        some = PER_BLOCK - first if count - i > PER_BLOCK - first else count - i
        # A block of which more is wanted is unpacked as a whole.
        if loaded[t] != block and (some > FEW_VALUES or seen[t] == block):
            if not unpack_checked(place, 0, block, unpacked):
                return False
            loaded[t] = block
        if loaded[t] == block:
            for n in range(some):
                position += np.int64(np.uint32(unpacked[first + n])) + 1
                into[i + n] = np.int32(position if position < LARGEST else LARGEST)
        else:
            width = np.int64(bytes_at(place[WIDTHS])[block])
            if seen[t] != block and width > 0:
                start, end = int64s_at(place[OFFSETS])[block], int64s_at(place[OFFSETS])[block + 1]
                for each in range(start >> WORDS_A_SUM, ((end - 1) >> WORDS_A_SUM) + 1):
                    if good[each] == 0 and not is_block_right(place, 0, each):
                        return False
            seen[t] = block
            for n in range(some):
                position += (gap_at(place, at + i + n) if width > 0 else np.int64(0)) + 1
                into[i + n] = np.int32(position if position < LARGEST else LARGEST)
        i += some
    return True


@apart
def positions_of(record: Any, place: Any, number: int, posting: int, work: Any, t: int, into: Any) -> Any:
    """Write the positions of a term in the document of a posting; returns how many, -1 where the file is damaged."""
    block = posting // PER_BLOCK
    if int64s_at(work[LOADED_COUNTS])[t] != block and not load_counts(record, place, number, block, work, t):
        return np.int64(-1)
    count = np.int64(int32s_at(work[EACH_COUNTS] + 4 * PER_BLOCK * t)[posting % PER_BLOCK]) + 1
    at = int64s_at(work[EACH_SUMS] + 8 * PER_BLOCK * t)[posting % PER_BLOCK]
    if not read_positions(place, at, count, work, t, into):
        return np.int64(-1)
    return count


@apart
def times_in(record: Any, place: Any, work: Any, part: Any, segment: int, segments: int, n: int) -> Any:
    """How often a document that has all words of a phrase has the phrase; -1 where the file is damaged.

    `n` is its place among the documents of the block. The rarest word is read first.
    """
    numbers, order, postings = int64s_at(work[NUMBERS]), int64s_at(work[ORDER]), int64s_at(work[POSTINGS])
    sequence = int64s_at(work[SEQUENCE])
    starts, others = int32s_at(work[STARTS_HERE]), int32s_at(work[NEXT_HERE])
    count: Any = np.int64(-1)
    first = part[FIRST_TERM]
    for each in range(part[TERM_COUNT]):
        t = order[each]
        # Where a word is in the phrase more than once, its positions serve all of its places.
        found = np.int64(-1)
        for w in range(part[WORD_COUNT]):
            if sequence[part[FIRST_WORD] + w] != t:
                continue
            if found < 0:
                into = starts if count < 0 else others
                found = positions_of(
                    record, place, numbers[(first + t) * segments + segment], postings[t * PER_BLOCK + n], work, t, into
                )
                if found < 0:
                    return np.int64(-1)
                if count < 0:
                    count = found
                    if part[TERM_COUNT] < part[WORD_COUNT]:
                        for i in range(found):
                            others[i] = starts[i]
                    for i in range(count):
                        starts[i] -= np.int32(w)
                    continue
            kept, i = np.int64(0), np.int64(0)
            for s in range(count):
                wanted = np.int64(starts[s]) + w
                while i < found and np.int64(others[i]) < wanted:
                    i += 1
                starts[kept] = starts[s]
                kept += np.int64(i < found and np.int64(others[min(i, found - 1)]) == wanted)
            count = kept
            if count == 0:
                return count
    return count


@apart
def list_phrase(plan: Any, records: int, places: Any, work: Any, part: Any, rows: Any, counts: Any) -> Any:
    """Write the rows of the documents with a phrase, and how often each has it; returns how many, -1 if damaged."""
    segments, terms, first = plan[SEGMENTS], part[TERM_COUNT], part[FIRST_TERM]
    numbers, order, documents = int64s_at(work[NUMBERS]), int64s_at(work[ORDER]), int32s_at(work[DOCUMENTS_AT])
    listed = np.int64(0)
    for segment in range(segments):
        record = int64s_at(records + 8 * segment * RECORD)
        place = int64s_at(places + 8 * segment * PLACE_RECORD)
        if not by_length(record, work, first, terms, segments, segment):
            continue
        lead = numbers[(first + order[0]) * segments + segment]
        i, stop, before = int64s_at(record[STARTS])[lead], int64s_at(record[STARTS])[lead + 1], np.int64(-1)
        while i < stop:
            found = having_all(record, work, first, terms, segments, segment, i, before)
            if found < 0:
                return np.int64(-1)
            before = int64s_at(work[SAID])[ENDED]
            for n in range(found):
                row = live_row(record, documents[n])
                if row < 0:
                    continue
                times = times_in(record, place, work, part, segment, segments, n)
                if times < 0:
                    return np.int64(-1)
                rows[listed], counts[listed] = np.int32(row), np.int32(times)
                listed += np.int64(times > 0)
            i += PER_BLOCK - i % PER_BLOCK
    return listed


# Lists of terms, and of several together.


@apart
def list_term(record: Any, number: int, rows: int, counts: int) -> Any:
    """Write the rows of a term's documents in a segment, and its frequencies less 1; returns how many, -1 if damaged.

    `rows` and `counts` are addresses, with room for a block more than there are documents.
    """
    i, stop = int64s_at(record[STARTS])[number], int64s_at(record[STARTS])[number + 1]
    before, occurrences, live = np.int64(-1), np.int64(0), np.int64(0)
    while i < stop:
        block, first = i // PER_BLOCK, i % PER_BLOCK
        last = PER_BLOCK if stop - i > PER_BLOCK - first else first + stop - i
        before = read_documents(record, block, first, last, before, int32s_at(rows + 4 * live))
        sum_of = read_counts(record, block, first, last, int32s_at(counts + 4 * live))
        if before < 0 or sum_of < 0:
            return np.int64(-1)
        live += to_rows(record, last - first, int32s_at(rows + 4 * live), int32s_at(counts + 4 * live))
        occurrences += sum_of
        i += last - first
    # What the dictionary says of the list must be what was read.
    is_whole = record[LIVE_COUNTS] == 0 or live == int64s_at(record[LIVE_COUNTS])[number]
    return live if is_whole and occurrences == int64s_at(record[TOTALS])[number] else np.int64(-1)


@apart
def list_union(plan: Any, records: int, work: Any, part: Any, rows: Any, counts: Any, spare: int) -> Any:
    """Write the rows of the documents with any of several terms, and how often; returns how many, -1 if damaged.

    `spare` is the address of room for two lists of one term.
    """
    segments, ends, numbers = plan[SEGMENTS], int64s_at(part[UNION_ENDS]), int64s_at(part[UNION_NUMBERS])
    summed, listed, at = int32s_at(work[SUMMED_UP]), np.int64(0), np.int64(0)
    each_counts = spare + 4 * int64s_at(work[SAID])[ROOM]
    right: Any = True
    for segment in range(segments):
        record = int64s_at(records + 8 * segment * RECORD)
        before = listed
        while right and at < ends[segment]:
            found = np.int64(-1)
            if numbers[at] >= 0 and numbers[at] < record[TERMS]:
                found = list_term(record, numbers[at], spare, each_counts)
            right = found >= 0
            of, times = int32s_at(spare), int32s_at(each_counts)
            for n in range(found):  # without branches, because they would be mispredicted
                row = of[n]
                rows[listed] = row
                listed += np.int64(summed[row] == 0)
                summed[row] += times[n] + np.int32(1)
            at += 1
        for n in range(before, listed):
            counts[n] = summed[rows[n]]
            summed[rows[n]] = 0
    return listed if right else np.int64(-1)


@apart
def list_part(plan: Any, records: int, places: Any, work: Any, part: Any, rows: int, counts: int, spare: int) -> Any:
    """Write the list of a part of a query; returns how long it is, -1 where a file is damaged."""
    if part[KIND] == PHRASE:
        return list_phrase(plan, records, places, work, part, int32s_at(rows), int32s_at(counts))
    if part[KIND] == UNION:
        return list_union(plan, records, work, part, int32s_at(rows), int32s_at(counts), spare)
    numbers, listed = int64s_at(work[NUMBERS]), np.int64(0)
    for segment in range(plan[SEGMENTS]):
        number = numbers[part[FIRST_TERM] * plan[SEGMENTS] + segment]
        if number >= 0:
            record = int64s_at(records + 8 * segment * RECORD)
            found = list_term(record, number, rows + 4 * listed, counts + 4 * listed)
            if found < 0:
                return np.int64(-1)
            for n in range(listed, listed + found):
                int32s_at(counts)[n] += 1
            listed += found
    return listed


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

    It returns what `rank_joined` does.
    """
    here, plan, records = work.addresses, int64s_at(plans.addresses[0]), plans.addresses[0] + 8 * HEAD
    said, numbers, segments = int64s_at(here[SAID]), int64s_at(here[NUMBERS]), plan[SEGMENTS]
    said[MATCHES] = said[MISSING] = 0
    if terms > MOST_TERMS or not look_up(plan, records, here, terms, size):
        return NOT_HERE
    for t in range(terms):
        documents = np.int64(0)
        for s in range(segments):
            documents += size_of_list(int64s_at(records + 8 * s * RECORD), numbers[t * segments + s])
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
