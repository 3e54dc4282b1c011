"""The working arrays of a query of joined words: their addresses, in places with the names below."""

from __future__ import annotations

from typing import NamedTuple

from leadline.retrieval.mapped.kernel_arguments import GOOD
from leadline.text.kernel_arguments import Int64s

# The working arrays of a thread. EACH is of each of MOST_TERMS terms.
(
    TEXT, NUMBERS, PARTS, SEQUENCE, MULTIPLIERS, PART_FACTORS, SAID, STAMPS, LISTS, LIST_ROWS, LIST_COUNTS,
    DOCUMENTS_AT, EACH_DOCUMENTS, EACH_COUNTS, EACH_SUMS, EACH_GAPS, POSTINGS, ORDER, CURSORS, LOADED, LOADED_COUNTS,
    LOADED_GAPS, SEEN_GAPS, STARTS_HERE, NEXT_HERE, ROWS, KEYS, SPARE_ROWS, SPARE_KEYS, HISTOGRAM, SUMMED_UP, TIMES_AT,
    NORMS_AT, WORK,
) = range(34)  # fmt: skip

# A part of a query: what it is, its first term in TEXT and how many it has, and where its words begin in SEQUENCE and
# how many they are. A union has its terms by their numbers, at an address, those of a segment up to an end that is
# listed behind the address of the ends.
KIND, FIRST_TERM, TERM_COUNT, FIRST_WORD, WORD_COUNT, UNION_NUMBERS, UNION_ENDS, PART = range(8)
TERM, PHRASE, UNION = range(3)

# What a kernel says beside the number of documents it found, in the array SAID.
MATCHES, MISSING, GENERATION, STAMPED, ROOM, ENDED, ABSENT, SAID_FROM = 0, 1, 2, 3, 4, 5, 6, 8
SAID_SIZE = 256

NOT_HERE, NO_FACTOR = -1, -2  # what a kernel returns where it found nothing

MOST_TERMS = 64  # of a query
MOST_PARTS = 16  # of which one is no single term
MOST_PLACED = 1 << 16  # occurrences of a word in a document
FEW_VALUES = 16  # of a block of positions: more are unpacked together
FEW_COUNTS = 8  # of a block of frequencies: the same
FEW = 32  # best documents that are kept in order as they are found

# The positions of a segment: a packed array, where those of each term begin, where those of each block of frequencies
# do (more by 1, and 0 where that is not known yet), and how many there are.
(POSITION_STARTS, BLOCK_STARTS, POSITIONS, PLACE_RECORD) = range(GOOD + 1, GOOD + 5)


class Joined(NamedTuple):
    """The addresses of the working arrays of a thread."""

    addresses: Int64s
