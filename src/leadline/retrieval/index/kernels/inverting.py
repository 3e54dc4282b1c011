"""Number the words of texts, and invert them to the postings of each term."""

from __future__ import annotations

from leadline.retrieval.index.kernels.arguments import BatchWords, PositionLists, PostingLists, TermCounts
from leadline.text.kernels.arguments import FieldSlices, HashTable, Int32s, Int64s, UInt64, kernel
from leadline.text.kernels.columns import number_fields


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
                    lists.documents[lists.cursors[term]] = number
                    lists.frequencies[lists.cursors[term]] = 0
                    lists.cursors[term] += 1
                lists.frequencies[lists.cursors[term] - 1] += 1
                if places.wanted:
                    places.positions[places.cursors[term]] = i - begin
                    places.cursors[term] += 1
    return 0
