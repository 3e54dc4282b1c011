"""The compiled half of indexing: words found and numbered, postings inverted, lists merged, integers packed."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.retrieval.index.kernel_arguments import (
    ALONE,
    AMPERSAND,
    BETWEEN,
    DIGIT,
    HYPHEN,
    LETTER,
    POINT,
    SYLLABLE,
    BatchWords,
    BlockSums,
    FieldLists,
    FormLists,
    PackedBlocks,
    PositionLists,
    PostingLists,
    SortedTerms,
    TermCounts,
)
from leadline.text.kernel_arguments import Bytes, FieldSlices, Floats, HashTable, Int32s, Int64s, UInt64, kernel
from leadline.text.kernels import first_bit, inline, number_fields, where_within

PER_BLOCK = 128
LANES = 4  # words side by side, so that four values are shifted at once
ROWS = PER_BLOCK // LANES
WORD = np.uint64(32)
SMALL_A, SMALL_LETTERS = np.uint8(97), np.uint8(26)


# Words of texts.


@kernel
def find_words(
    text: Bytes,
    texts: int,
    offsets: Int64s,
    classes: Bytes,
    chemical: int,
    starts: Int64s,
    lengths: Int32s,
    word_offsets: Int64s,
) -> int:
    """Find the words of joined texts: each word's start and length in bytes, and each text's first word.

    A word is a run of letters and digits. With `chemical`, a point or comma between digits, a hyphen beside a digit and
    an ampersand between letters belong to it. An ideograph is a word by itself, and so is each pair of neighbouring
    syllables, or a syllable without a neighbour. The bytes are UTF-8, followed by at least 64 more bytes. Returns the
    number of words.
    """
    words = 0
    word_offsets[0] = 0
    for number in range(texts):
        i, end = offsets[number], offsets[number + 1]
        begin = i  # start of the current word, if `last` is LETTER or DIGIT
        last = BETWEEN
        joined = BETWEEN  # class of the last point or hyphen, which belongs to the word only if the word continues
        joint = i  # and its place
        syllable = -1  # start of the syllable before, which may make a pair with this character
        paired = False  # whether it has made one with that before it
        while i < end:
            # The class of the character, decoded from UTF-8 by the length that its first byte tells.
            byte = text[i]
            if byte < 128:
                kind, width = classes[byte], 1
            elif byte < 0xE0:
                kind, width = classes[((byte & 31) << 6) | (text[i + 1] & 63)], 2
            elif byte < 0xF0:
                kind, width = classes[((byte & 15) << 12) | ((text[i + 1] & 63) << 6) | (text[i + 2] & 63)], 3
            else:  # beyond the table: rare scripts, pictographs, and from U+20000 on ideographs
                plane = ((byte & 7) << 2) | ((text[i + 1] & 63) >> 4)
                picture = plane == 1 and (text[i + 1] & 15) == 15
                kind, width = (ALONE if 2 <= plane <= 3 else BETWEEN if picture else LETTER), 4
            # A syllable waits for the next character, and is a word by itself where it finds no partner at all.
            if syllable >= 0:
                if kind == SYLLABLE:
                    starts[words], lengths[words] = syllable, i + width - syllable
                    words += 1
                elif not paired:
                    starts[words], lengths[words] = syllable, i - syllable
                    words += 1
            paired = syllable >= 0 and kind == SYLLABLE
            syllable = i if kind == SYLLABLE else -1
            # A letter or digit continues the word, begins one, or shows that the sign before it ended one.
            if LETTER <= kind <= DIGIT:
                if joined != BETWEEN and not (
                    (joined == POINT and last == DIGIT and kind == DIGIT)
                    or (joined == HYPHEN and (last == DIGIT) | (kind == DIGIT))
                    or (joined == AMPERSAND and last == LETTER and kind == LETTER)
                ):
                    starts[words], lengths[words] = begin, joint - begin
                    words += 1
                    begin = i
                elif last == BETWEEN:
                    begin = i
                last, joined = kind, BETWEEN
                # Most letters are small ones of ASCII: a run of them is passed over, 64 bytes at a time.
                if SMALL_A <= byte < SMALL_A + SMALL_LETTERS:
                    others = np.uint64(0)
                    while others == np.uint64(0) and i < end:
                        others = ~where_within(text, i, SMALL_A, SMALL_LETTERS)
                        i += first_bit(others) if others != np.uint64(0) else 64
                    i = i if i < end else end
                    continue
            elif chemical and last != BETWEEN and joined == BETWEEN and POINT <= kind <= AMPERSAND:
                joined, joint = kind, i
            else:
                if last != BETWEEN:
                    starts[words], lengths[words] = begin, (i if joined == BETWEEN else joint) - begin
                    words += 1
                if kind == ALONE:
                    starts[words], lengths[words] = i, width
                    words += 1
                last, joined = BETWEEN, BETWEEN
            i += width
        # The text ends within a word.
        if syllable >= 0 and not paired:
            starts[words], lengths[words] = syllable, end - syllable
            words += 1
        if last != BETWEEN:
            starts[words], lengths[words] = begin, (end if joined == BETWEEN else joint) - begin
            words += 1
        word_offsets[number + 1] = words
    return words


# Postings: words numbered and inverted, sorted dictionaries and lists merged, and the forms of occurrences.


@kernel
def number_words(words: FieldSlices, count: int, seed: UInt64, table: HashTable, first: Int64s, codes: Int32s) -> int:
    """Write the code of each word, by first occurrence; returns the number of codes, -1 if the table is full."""
    return number_fields(words, count, seed, table, first, codes)


@kernel
def count_terms(words: BatchWords, latest: Int32s, counts: TermCounts, lengths: Int32s) -> int:
    """Count each term's texts and occurrences, and each text's terms; returns the number of postings.

    `latest` is scratch space, one entry per term.
    """
    postings = 0
    for t in range(words.terms):
        latest[t], counts.texts[t], counts.occurrences[t] = -1, 0, 0
    for number in range(words.texts):
        length = 0
        for i in range(words.offsets[number], words.offsets[number + 1]):
            term = words.term_of[words.codes[i]]
            if term >= 0:
                length += 1
                counts.occurrences[term] += 1
                # The first occurrence of the term in this text: a posting.
                if latest[term] != number:
                    latest[term] = number
                    counts.texts[term] += 1
                    postings += 1
        lengths[number] = length
    return postings


@kernel
def fill_postings(words: BatchWords, latest: Int32s, lists: PostingLists, places: PositionLists) -> int:
    """Write each term's documents in ascending order with its frequency there, and its positions.

    A word that is left out, such as a stop word, still takes a position, so that distances are those of the text.
    `latest` is scratch space, one entry per term.
    """
    for t in range(words.terms):
        latest[t] = -1
    for number in range(words.texts):
        begin = words.offsets[number]
        for i in range(begin, words.offsets[number + 1]):
            term = words.term_of[words.codes[i]]
            if term >= 0:
                if latest[term] != number:
                    latest[term] = number
                    # Texts are read in order, so each list ascends; the cursor is behind the posting of this text.
                    lists.documents[lists.cursors[term]] = number
                    lists.frequencies[lists.cursors[term]] = 0
                    lists.cursors[term] += 1
                lists.frequencies[lists.cursors[term] - 1] += 1
                if places.wanted:
                    places.positions[places.cursors[term]] = i - begin
                    places.cursors[term] += 1
    return 0


@kernel
def count_codes(codes: Int32s, count: int, counts: Int64s) -> int:
    """Count how often each code occurs; `counts` is zeros."""
    for i in range(count):
        counts[codes[i]] += 1
    return 0


@kernel
def find_ends(text: Bytes, size: int, kinds: Bytes, ends: Int64s, lines: Int64s) -> int:
    """The places of marks that may end a sentence, which are before a blank, and of line feeds; returns their number.

    Bit 0 of `kinds` is that a byte is such a mark, bit 1 that it is a blank. The number of line feeds goes to the
    last place of `lines`.
    """
    marks, feeds = 0, 0
    for i in range(size):
        byte = text[i]
        # Both are rare: most bytes have neither bit.
        if byte == 10:
            lines[feeds] = i
            feeds += 1
        elif kinds[byte] & 1 and kinds[text[i + 1]] & 2:
            ends[marks] = i
            marks += 1
    lines[size] = feeds
    return marks


# Merge sorted dictionaries and lists, and look terms up in them.


@inline
def compare_terms(one: Any, a: int, other: Any, b: int) -> int:
    """Negative, 0 or positive, if term a of one dictionary comes before, equals, or comes after term b of another."""
    a_start, a_length = one.offsets[a], one.offsets[a + 1] - one.offsets[a]
    b_start, b_length = other.offsets[b], other.offsets[b + 1] - other.offsets[b]
    shorter = a_length if a_length < b_length else b_length
    for k in range(shorter):
        if one.buffer[a_start + k] != other.buffer[b_start + k]:
            return 1 if one.buffer[a_start + k] > other.buffer[b_start + k] else -1
    return a_length - b_length


@kernel
def merge_terms(terms: SortedTerms, parts: int, bounds: Int64s, heads: Int64s, new: Int32s, origin: Int64s) -> int:
    """Merge concatenated sorted dictionaries; part p has terms bounds[p]:bounds[p + 1].

    `new` gets each term's number in the merged dictionary, `origin` the first old number of each merged term. Returns
    the number of merged terms.
    """
    for p in range(parts):
        heads[p] = bounds[p]
    merged = 0
    while True:
        # The least of the terms that the parts have next; parts are few, so no heap is needed.
        least = -1
        for p in range(parts):
            head = heads[p]
            if head < bounds[p + 1] and (least < 0 or compare_terms(terms, head, terms, least) < 0):
                least = head
        if least < 0:
            return merged
        # Every part that has this term moves on.
        for p in range(parts):
            head = heads[p]
            if head < bounds[p + 1] and (head == least or compare_terms(terms, head, terms, least) == 0):
                new[head] = merged
                heads[p] += 1
        origin[merged] = least
        merged += 1


@kernel
def move_lists(terms: int, new: Int32s, starts: Int64s, values: Int32s, add: int, cursors: Int64s, into: Int32s) -> int:
    """Append every term's list to that of its new number, adding `add` to each value."""
    for t in range(terms):
        at = cursors[new[t]]
        for i in range(starts[t], starts[t + 1]):
            into[at] = values[i] + add
            at += 1
        cursors[new[t]] = at
    return 0


@kernel
def find_terms(terms: SortedTerms, count: int, wanted: SortedTerms, asked: int, found: Int64s) -> int:
    """The number of each wanted term in a sorted dictionary, -1 where it is not; the wanted need not be sorted."""
    for w in range(asked):
        # Binary search.
        low, high = 0, count
        found[w] = -1
        while low < high:
            middle = (low + high) // 2
            order = compare_terms(terms, middle, wanted, w)
            if order == 0:
                found[w] = middle
                break
            if order < 0:
                low = middle + 1
            else:
                high = middle
    return 0


@kernel
def unite_lists(
    lists: FieldLists, heads: Int64s, offsets: Int64s, documents: Int32s, frequencies: Floats, capacity: int
) -> int:
    """Each term's lists in several fields as one list of documents, with a frequency for every field.

    The frequencies of field f go to frequencies[f * capacity:]. Returns the number of postings.
    """
    at = 0
    offsets[0] = 0
    for t in range(lists.terms):
        for f in range(lists.fields):
            heads[f] = lists.starts[f * lists.terms + t]
        while True:
            # The least document that a field has next; every field that has it moves on, the others count 0.
            least = 0x7FFFFFFF
            for f in range(lists.fields):
                head = heads[f]
                if head < lists.stops[f * lists.terms + t] and lists.documents[head] < least:
                    least = lists.documents[head]
            if least == 0x7FFFFFFF:
                break
            documents[at] = least
            for f in range(lists.fields):
                head = heads[f]
                frequencies[f * capacity + at] = 0
                if head < lists.stops[f * lists.terms + t] and lists.documents[head] == least:
                    frequencies[f * capacity + at] = lists.frequencies[head]
                    heads[f] = head + 1
            at += 1
        offsets[t + 1] = at
    return at


# Write and move the forms of the occurrences of terms: a form of rank r is r zeros and a one.


@inline
def write_rank(into: Any, cursors: Any, limits: Any, term: int, rank: int) -> None:
    """Write a rank at the cursor of a term; what goes beyond its limit is left out, as a damaged file may ask for."""
    # The zeros are there already: only the one is written, `rank` bits further.
    at, limit = cursors[term] + rank, limits[term]
    if at < limit:
        into[at >> 3] = into[at >> 3] | (1 << (at & 7))
    cursors[term] = at + 1 if at < limit else limit


@kernel
def pack_forms(words: BatchWords, rank_of: Int32s, cursors: Int64s, limits: Int64s, into: Bytes) -> int:
    """Write the form of each occurrence, term by term. `cursors` are the first bit of each term, `into` is zeros."""
    for i in range(words.offsets[0], words.offsets[words.texts]):
        code = words.codes[i]
        term = words.term_of[code]
        if term >= 0:
            write_rank(into, cursors, limits, term, rank_of[code])
    return 0


@kernel
def move_forms(
    old: FormLists, terms: int, new: Int32s, ranks: Int32s, cursors: Int64s, limits: Int64s, into: Bytes
) -> int:
    """Append the forms of each term to those of its new number; `ranks` has the new rank of each old form."""
    for t in range(terms):
        n, first = new[t], old.starts[t]
        last = old.starts[t + 1] - first - 1
        if last >= 0 and cursors[n] < limits[n]:
            bit, end = old.begins[t] * 8, old.begins[t + 1] * 8
            for _ in range(old.totals[t]):
                # Count zeros up to the next one; where the bits end before, the file is damaged, and rank 0 will do.
                rank = 0
                while bit < end and not (old.packed[bit >> 3] >> (bit & 7)) & 1:
                    bit += 1
                    rank += 1
                if bit < end:
                    bit += 1
                else:
                    rank = 0
                form = old.by_rank[first + (rank if rank < last else last)]  # a damaged file may have any bits
                write_rank(into, cursors, limits, n, ranks[first + form])
    return 0


# Integers packed in blocks of 128: written, read, checked, and lists of them intersected.


@inline
def word_at(words: Any, place: int) -> np.uint64:
    return np.uint64(np.uint32(words[place]))


@inline
def unpack_block(blocks: Any, block: int, into: Any) -> None:
    """Write the 128 values of a block, as unsigned integers of 32 bits, without what is added to them."""
    width, start = np.int64(blocks.widths[block]), blocks.offsets[block]
    if width == 0:
        for i in range(PER_BLOCK):
            into[i] = 0
        return
    # Value 4 * row + lane is in lane `lane`, at bit row * width of the words of that lane, which are every fourth word.
    # It may lie across two of them.
    mask = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    for row in range(ROWS):
        bit = row * width
        place, shift = start + LANES * (bit >> 5), np.uint64(bit & 31)
        if (bit & 31) + width <= 32:
            for lane in range(LANES):
                into[LANES * row + lane] = (word_at(blocks.words, place + lane) >> shift) & mask
        else:
            for lane in range(LANES):
                low, high = word_at(blocks.words, place + lane), word_at(blocks.words, place + LANES + lane)
                into[LANES * row + lane] = ((low | (high << WORD)) >> shift) & mask


@inline
def finish_block(blocks: Any, block: int, into: Any) -> None:
    """Turn unpacked integers into values: running sums modulo a number, or each with the base of the block added."""
    # Gaps are one less than differences, since no document is twice in a list. A block may hold the end of one list and
    # the beginning of the next, whose smaller number is reached by wrapping round at the modulus.
    if blocks.modulus > 0:
        modulus = np.int64(blocks.modulus)
        value = np.int64(np.uint32(blocks.bases[block])) % modulus
        for i in range(PER_BLOCK):
            value += into[i]
            if value >= modulus:
                value %= modulus
            into[i] = value
            value += 1
    else:
        base = np.int64(np.uint32(blocks.bases[block])) if blocks.has_bases else np.int64(0)
        for i in range(PER_BLOCK):
            into[i] += base + blocks.add


@inline
def unpack_words(blocks: Any, block: int, into: Any) -> None:
    """Write the 128 integers of a block, of at most 31 bits.

    Four values are loaded before any is written, so that the compiler, which cannot know that the arrays are different
    ones, shifts them together.
    """
    width, place = np.int64(blocks.widths[block]), blocks.offsets[block]
    words = blocks.words
    if width == 0:
        for i in range(PER_BLOCK):
            into[i] = 0
        return
    mask, shift = np.uint64((np.int64(1) << width) - 1), np.int64(0)
    # The four words of the row at hand; `shift` is the bit at which the next value begins in each.
    a, b, c, d = word_at(words, place), word_at(words, place + 1), word_at(words, place + 2), word_at(words, place + 3)
    for i in range(0, PER_BLOCK, LANES):
        s = np.uint64(shift)
        if shift + width <= 32:
            e, f, g, h = (a >> s) & mask, (b >> s) & mask, (c >> s) & mask, (d >> s) & mask
            into[i], into[i + 1], into[i + 2], into[i + 3] = np.int32(e), np.int32(f), np.int32(g), np.int32(h)
            shift += width
        else:
            e, f, g, h = a >> s, b >> s, c >> s, d >> s
            place += LANES
            a, b = word_at(words, place), word_at(words, place + 1)
            c, d = word_at(words, place + 2), word_at(words, place + 3)
            # The value began in the words before: put its upper bits, from the next words, above its lower ones.
            left = np.uint64(32 - shift)
            e, f, g, h = (e | a << left) & mask, (f | b << left) & mask, (g | c << left) & mask, (h | d << left) & mask
            into[i], into[i + 1], into[i + 2], into[i + 3] = np.int32(e), np.int32(f), np.int32(g), np.int32(h)
            shift += width - 32


@inline
def unpack_documents(blocks: Any, block: int, into: Any) -> Any:
    """Write the documents of a block; returns whether they ascend, as they do where all belong to one list."""
    unpack_words(blocks, block, into)
    modulus = np.int64(blocks.modulus)
    first = np.int64(np.uint32(blocks.bases[block])) % modulus
    # If the last document of the block is below the modulus, nothing wraps round, and 32-bit sums will do.
    total = np.int64(PER_BLOCK - 1)
    for i in range(PER_BLOCK):
        total += into[i]
    ascending = first + total < modulus
    if ascending:
        document = np.int32(first)
        for i in range(PER_BLOCK):
            document += into[i]
            into[i] = document
            document += np.int32(1)
    # A block with the end of one list and the beginning of the next: their step is the gap modulo the documents.
    else:
        value = first
        for i in range(PER_BLOCK):
            value = (value + into[i]) % modulus
            into[i] = np.int32(value)
            value += 1
    return ascending


@kernel
def unpack_ranges(
    blocks: PackedBlocks, starts: Int64s, stops: Int64s, ranges: int, scratch: Int64s, into: Int32s
) -> int:
    """Write the values of ranges, one range behind the other; returns their number."""
    at, unpacked = 0, -1
    for r in range(ranges):
        i, stop = starts[r], stops[r]
        while i < stop:
            # Ranges that follow each other often share a block, which is unpacked once.
            block = i // PER_BLOCK
            if block != unpacked:
                unpack_block(blocks, block, scratch)
                finish_block(blocks, block, scratch)
                unpacked = block
            first = i - block * PER_BLOCK
            count = PER_BLOCK - first if PER_BLOCK - first < stop - i else stop - i
            for k in range(count):
                into[at + k] = np.int32(scratch[first + k])
            at += count
            i += count
    return at


@kernel
def measure_gaps(
    values: Int32s, blocks: int, modulus: int, before: int, gaps: Int32s, bases: Int32s, widths: Bytes
) -> int:
    """The gaps of blocks of numbers below `modulus`, what comes before each block, and the bits that its gaps need.

    `before` is what would come next after the number before. Returns the same after the last.
    """
    at = 0
    following = np.int64(before)
    for block in range(blocks):
        bases[block] = following
        every = np.int64(0)
        for _ in range(PER_BLOCK):
            value = np.int64(values[at])
            gap = value - following
            gap += modulus if gap < 0 else 0
            gaps[at] = gap
            every |= gap
            following = value + 1 if value + 1 < modulus else value + 1 - modulus
            at += 1
        # The highest bit that any gap of the block has.
        width = 0
        while every > 0:
            width += 1
            every >>= 1
        widths[block] = width
    return int(following)


@kernel
def pack_blocks(values: Int32s, blocks: int, widths: Bytes, offsets: Int64s, words: Int32s) -> int:
    """Pack blocks of values, each of the given width; `words` is zeros."""
    for block in range(blocks):
        width = np.int64(widths[block])
        if width == 0:
            continue
        for row in range(ROWS):
            bit = row * width
            place, shift = offsets[block] + LANES * (bit >> 5), np.uint64(bit & 31)
            for lane in range(LANES):
                # The inverse of `unpack_block`: what does not fit into this word goes into the next of the lane.
                value = word_at(values, PER_BLOCK * block + LANES * row + lane) << shift
                words[place + lane] = np.int32(np.uint32(word_at(words, place + lane) | value))
                if (bit & 31) + width > 32:
                    words[place + LANES + lane] = np.int32(np.uint32(value >> WORD))
    return 0


@kernel
def sum_lists(lengths: Int64s, lists: int, values: Int32s, most: int) -> int:
    """Turn the gaps of lists into running sums, at most `most`. A gap of 0 means the next number."""
    at = 0
    for n in range(lists):
        value = np.int64(-1)
        for _ in range(lengths[n]):
            # Never beyond `most`, whatever a damaged file says.
            value += np.int64(np.uint32(values[at])) + 1
            value = value if value < most else np.int64(most)
            values[at] = np.int32(value)
            at += 1
    return at


# The checksums of the blocks of a file, and the minimum, maximum and sum of their values.


LOW_HALF = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


@inline
def block_sum(array: Any, block: int) -> np.uint64:
    """The checksum of a block, as `arrays.py` defines it."""
    start = block * array.width
    count = array.size - start if array.size - start < array.width else array.width
    # A sum of products modulo 2**64: each half of a word times a key of its place, so that words that are
    # changed or in other places show; the number of the block is in it, so that blocks cannot change places.
    total = array.keys[0] * np.uint64(block + 1)
    for i in range(count):
        word = array.words[start + i]
        total += (word & LOW_HALF) * array.keys[i] + (word >> HALF) * array.keys[array.width + i]
    return total


@kernel
def sum_blocks(array: BlockSums, blocks: int) -> int:
    """Write the checksum of every block."""
    for block in range(blocks):
        array.sums[block] = block_sum(array, block)
    return 0


@kernel
def check_blocks(array: BlockSums, numbers: Int64s, blocks: int, values: Int32s, size: int, extent: Int64s) -> int:
    """The place among `numbers` of the first block whose checksum does not fit; -1 where all do.

    `extent` gets the minimum, the maximum and the sum of the values of these blocks; it is unchanged with size 0.
    """
    per_block = 2 * array.width
    for n in range(blocks):
        block = numbers[n]
        if block_sum(array, block) != array.sums[block]:
            return n
        # A block of checksums has `width` words of 64 bits: twice as many values of 32 bits.
        start = block * per_block
        stop = size if size < start + per_block else start + per_block
        least, most, total = np.int32(0x7FFFFFFF), np.int32(-0x80000000), np.int64(0)
        for i in range(start, stop):
            value = values[i]
            least = value if value < least else least
            most = value if value > most else most
            total += value
        extent[0] = least if least < extent[0] else extent[0]
        extent[1] = most if most > extent[1] else extent[1]
        extent[2] += total
    return -1


@kernel
def check_lists(
    array: BlockSums, good: Bytes, packed: PackedBlocks, size: int, starts: Int64s, stops: Int64s, lists: int
) -> int:
    """Check the blocks of a file that have values of lists of a packed array of `size` values.

    `good` is whether a block has been checked. Returns how many are checked now for the first time, or -1 for a list
    beyond the end of the array, or -2 less the number of a block whose checksum does not fit.
    """
    newly = 0
    for n in range(lists):
        start, stop = starts[n], stops[n]
        if start < 0 or stop < start or stop > size:
            return -1
        if stop == start:
            continue
        # From the words that the list is packed in to the blocks of checksums that cover them.
        first, end = packed.offsets[start // PER_BLOCK], packed.offsets[(stop - 1) // PER_BLOCK + 1]
        for block in range(first // (2 * array.width), (end - 1) // (2 * array.width) + 1):
            if not good[block]:
                if block_sum(array, block) != array.sums[block]:
                    return -2 - block
                good[block] = 1
                newly += 1
    return newly


# The documents that are in all of several packed lists.


NOT_ASCENDING = -1


@inline
def is_ascending(values: Any, first: int, last: int) -> int:
    # Without leaving the loop early, so that several values are compared at once.
    wrong = 0
    for i in range(first + 1, last):
        wrong |= values[i] <= values[i - 1]
    return wrong == 0


@inline
def block_of(packed: Any, block: int, last: int, document: int) -> int:
    """The block, from `block` up to `last`, in which a document of a list is; the base of a block is past the last."""
    # Steps that double until they are too long, then halve: near blocks, which are usual, are found soon.
    step = 1
    while block + step <= last and np.uint32(packed.bases[block + step]) <= document:
        block += step
        step *= 2
    while step > 0:
        if block + step <= last and np.uint32(packed.bases[block + step]) <= document:
            block += step
        step //= 2
    return block


@kernel
def intersect_lists(
    packed: PackedBlocks, starts: Int64s, stops: Int64s, lists: int, unpacked: Int32s, into: Int32s
) -> int:
    """Write the documents of the first list that all others have; returns how many, or NOT_ASCENDING.

    The first list should be the shortest; of the others, only blocks are unpacked that may have one of its documents.
    """
    found = 0
    # The first list, whole.
    i, before = starts[0], np.int64(-1)
    while i < stops[0]:
        block = i // PER_BLOCK
        unpack_documents(packed, block, unpacked)
        first = i - block * PER_BLOCK
        last = PER_BLOCK if stops[0] - block * PER_BLOCK > PER_BLOCK else stops[0] - block * PER_BLOCK
        if unpacked[first] <= before or not is_ascending(unpacked, first, last):
            return NOT_ASCENDING
        for k in range(first, last):
            into[found] = unpacked[k]
            found += 1
        before = np.int64(unpacked[last - 1])
        i += last - first
    # Then each other list keeps what it has too; both ascend, so blocks and places only move forward.
    for number in range(1, lists):
        if stops[number] == starts[number]:
            return 0
        kept, here = 0, np.int64(-1)
        block, end = starts[number] // PER_BLOCK, (stops[number] - 1) // PER_BLOCK
        at, last = np.int64(0), np.int64(0)
        for n in range(found):
            document = into[n]
            block = block_of(packed, block, end, document)
            if block != here:
                unpack_documents(packed, block, unpacked)
                here = block
                at = starts[number] - block * PER_BLOCK if starts[number] > block * PER_BLOCK else np.int64(0)
                last = stops[number] - block * PER_BLOCK
                last = last if last < PER_BLOCK else np.int64(PER_BLOCK)
                if not is_ascending(unpacked, at, last):
                    return NOT_ASCENDING
            # Within the block, on to the first that is not less: what was passed by cannot come again.
            while at < last and unpacked[at] < document:
                at += 1
            if at < last and unpacked[at] == document:
                into[kept] = document
                kept += 1
        found = kept
    return found
