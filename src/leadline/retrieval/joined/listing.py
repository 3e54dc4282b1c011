"""The compiled part of lists for queries of joined words: documents with all terms, positions compared, terms united.

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
    FEW_VALUES,
    FIRST_TERM,
    FIRST_WORD,
    GENERATION,
    KIND,
    LOADED,
    LOADED_COUNTS,
    LOADED_GAPS,
    MOST_PLACED,
    NEXT_HERE,
    NUMBERS,
    ORDER,
    PHRASE,
    PLACE_RECORD,
    POSITION_STARTS,
    POSITIONS,
    POSTINGS,
    ROOM,
    SAID,
    SEEN_GAPS,
    SEQUENCE,
    STAMPED,
    STAMPS,
    STARTS_HERE,
    SUMMED_UP,
    TERM_COUNT,
    TEXT,
    UNION,
    UNION_ENDS,
    UNION_NUMBERS,
    WORD_COUNT,
)
from leadline.retrieval.mapped.kernel_arguments import (
    BASE,
    BASES,
    GOOD,
    LIVE_COUNTS,
    NEW_ROWS,
    OF_DOCUMENTS,
    OF_FREQUENCIES,
    OFFSETS,
    PER_BLOCK,
    RECORD,
    SEGMENTS,
    STARTS,
    TERMS,
    TOTALS,
    WIDTHS,
    WORDS,
)
from leadline.retrieval.mapped.kernels import (
    HALF,
    LANES,
    WORDS_A_SUM,
    apart,
    bytes_at,
    find_name,
    int32s_at,
    int64s_at,
    is_block_right,
    read_counts,
    read_documents,
    size_of_list,
    to_rows,
    unpack_checked,
)
from leadline.text.kernels import inline

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
            kept, other = np.int64(0), np.int64(0)
            for s in range(count):
                wanted = np.int64(starts[s]) + w
                while other < found and np.int64(others[other]) < wanted:
                    other += 1
                starts[kept] = starts[s]
                kept += np.int64(other < found and np.int64(others[min(other, found - 1)]) == wanted)
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
