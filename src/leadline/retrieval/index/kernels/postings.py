"""Postings: words numbered and inverted, sorted dictionaries and lists merged, and the forms of occurrences."""

from __future__ import annotations

from typing import Any

from leadline.retrieval.index.kernels.arguments import (
    BatchWords,
    FieldLists,
    FormLists,
    PositionLists,
    PostingLists,
    SortedTerms,
    TermCounts,
)
from leadline.text.kernel_arguments import Bytes, FieldSlices, Floats, HashTable, Int32s, Int64s, UInt64, kernel
from leadline.text.kernels import inline, number_fields


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
