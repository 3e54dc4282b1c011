"""The arguments of the indexing kernels, and the classes of characters; see `text/kernel_arguments.py`."""

from __future__ import annotations

from typing import NamedTuple

from leadline.text.kernel_arguments import Bytes, Int32s, Int64s, UInt64s

# Classes of characters, assigned in `analysis.py`. The order matters: LETTER and DIGIT, which make words, are
# compared as a range, and so are POINT, HYPHEN and AMPERSAND, which may join two parts of a word.
# ALONE is a word by itself; SYLLABLE is one of Korean, whose words are cut into pairs.
BETWEEN, LETTER, DIGIT, POINT, HYPHEN, AMPERSAND, ALONE, SYLLABLE = 0, 1, 2, 3, 4, 5, 6, 7


class BatchWords(NamedTuple):
    """The words of texts as numbers: those of text t are codes[offsets[t]:offsets[t + 1]]."""

    texts: int
    offsets: Int64s
    codes: Int32s
    term_of: Int32s  # the term of each word, -1 for one that is left out
    terms: int


class TermCounts(NamedTuple):
    """For each term the number of texts that have it, and how often it occurs in all."""

    texts: Int64s
    occurrences: Int64s


class PostingLists(NamedTuple):
    """The lists of postings of all terms, filled from each term's cursor on."""

    cursors: Int64s
    documents: Int32s
    frequencies: Int32s


class PositionLists(NamedTuple):
    """The positions of all terms, filled from each term's cursor on where they are wanted."""

    wanted: int
    cursors: Int64s
    positions: Int32s


class FormLists(NamedTuple):
    """The forms of all occurrences of terms: those of term t are in the bytes from begins[t] up to begins[t + 1]."""

    totals: Int64s
    starts: Int64s  # the first form of each term among all forms
    by_rank: Int32s  # the forms of each term, the most frequent first, as numbers within the term
    begins: Int64s
    packed: Bytes


class SortedTerms(NamedTuple):
    """Concatenated terms: term t is buffer[offsets[t]:offsets[t + 1]]."""

    buffer: Bytes
    offsets: Int64s


class FieldLists(NamedTuple):
    """Postings of terms in several fields: those of term t in field f are starts[f * terms + t]:stops[...]."""

    terms: int
    fields: int
    starts: Int64s
    stops: Int64s
    documents: Int32s
    frequencies: Int32s


class PackedBlocks(NamedTuple):
    """Integers in blocks of 128: block b has widths[b] bits for each, from words[offsets[b]] on."""

    words: Int32s
    widths: Bytes
    offsets: Int64s
    has_bases: int
    bases: Int32s  # of each block: added to its values, or with a modulus the least value that may come next
    modulus: int  # of running sums; 0 where the integers are the values
    add: int  # added to every value


class BlockSums(NamedTuple):
    """An array in a file as `size` words, `width` of them a block, and the checksum of each block."""

    words: UInt64s
    size: int
    width: int
    keys: UInt64s
    sums: UInt64s
