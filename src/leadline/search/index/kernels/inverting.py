"""From the words of documents to the documents of words."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.text.kernels.primitives import hash_of, same_bytes


def number_words(
    text: Any,
    words: int,
    starts: Any,
    lengths: Any,
    seed: np.uint64,
    slots: Any,
    mask: int,
    first: Any,
    hashes: Any,
    codes: Any,
) -> int:
    """Number equal words equally, in the order of first sight; -1 when the table is too small for this text."""
    known = 0
    for i in range(words):
        start, length = starts[i], lengths[i]
        wanted = hash_of(text, start, length, seed)
        slot = np.int64(wanted >> np.uint64(20)) & mask
        while True:
            code = slots[slot] - 1
            if code < 0:
                if 2 * known > mask:
                    return -1
                slots[slot] = known + 1
                first[known] = i
                hashes[known] = wanted
                codes[i] = known
                known += 1
                break
            j = first[code]
            if hashes[code] == wanted and lengths[j] == length and same_bytes(text, start, text, starts[j], length):
                codes[i] = code
                break
            slot = (slot + 1) & mask
    return known


def count_terms(
    texts: int,
    word_offsets: Any,
    codes: Any,
    term_of: Any,
    terms: int,
    latest: Any,
    frequency: Any,
    total: Any,
    lengths: Any,
) -> int:
    """In how many texts each term occurs and how often, and the number of terms of each text; returns the postings."""
    postings = 0
    for t in range(terms):
        latest[t], frequency[t], total[t] = -1, 0, 0
    for number in range(texts):
        length = 0
        for i in range(word_offsets[number], word_offsets[number + 1]):
            term = term_of[codes[i]]
            if term >= 0:
                length += 1
                total[term] += 1
                if latest[term] != number:
                    latest[term] = number
                    frequency[term] += 1
                    postings += 1
        lengths[number] = length
    return postings


def fill_postings(
    texts: int,
    word_offsets: Any,
    codes: Any,
    term_of: Any,
    terms: int,
    latest: Any,
    cursors: Any,
    documents: Any,
    frequencies: Any,
    positioned: int,
    position_cursors: Any,
    positions: Any,
) -> int:
    """Write each term's documents in ascending order with its frequency there, and the places where it stands.

    A word left out, a stop word say, still takes its place, so that the others stand as far apart as in the text.
    """
    for t in range(terms):
        latest[t] = -1
    for number in range(texts):
        begin = word_offsets[number]
        for i in range(begin, word_offsets[number + 1]):
            term = term_of[codes[i]]
            if term >= 0:
                if latest[term] != number:
                    latest[term] = number
                    documents[cursors[term]] = number
                    frequencies[cursors[term]] = 0
                    cursors[term] += 1
                frequencies[cursors[term] - 1] += 1
                if positioned:
                    positions[position_cursors[term]] = i - begin
                    position_cursors[term] += 1
    return 0
