"""What the kernels of one call take: addresses of arrays, made once, since to look them up takes longer than to search.

A `QueryPlan` says where the arrays of an index are for one formula, a `Workspace` where those of a thread are. Both are
arrays of integers: an address, a number, or the bits of a floating-point number. The names below are places in them.
"""

from __future__ import annotations

from typing import NamedTuple

from leadline.text.kernel_arguments import Int64s

# A plan: its head, then a record for each segment and field, the fields of a segment one behind the other.
# IS_WEIGHTED is whether frequencies are added up, over several fields or with a weight.
DOCUMENTS, SEGMENTS, FIELDS, FACTORS, NORMS, RANKS, IS_WEIGHTED, HEAD = 0, 1, 2, 3, 4, 5, 6, 8

# A record. The dictionary, the lists of its terms, and their documents and frequencies as packed arrays.
(
    NAMES, NAME_ENDS, TERMS, STARTS, TOTALS, LIVE_COUNTS, NEW_ROWS, BASE, FIELD_WEIGHT, MODULUS,
    OF_DOCUMENTS, _, _, _, _, _, _, _, _,
    OF_FREQUENCIES, _, _, _, _, _, _, _, _,
    KEPT_LISTS, USES, RECORD,
) = range(31)  # fmt: skip

# A packed array in a record: its blocks, the words that the checksums are of, and which of these were compared.
WORDS, WIDTHS, OFFSETS, BASES, SUMMED, SUMMED_SIZE, KEYS, SUMS, GOOD = range(9)

# A list that is kept, at the address that KEPT_LISTS has for the number of its term in its first dictionary.
KEPT_ROWS, KEPT_WEIGHTS, KEPT_SIZE = 0, 1, 2

# The working arrays of a thread.
(
    TEXT, MULTIPLIERS, NUMBERS, TOTALS_OF, FLAGS, UNPACKED, COUNTED, WEIGHED, BEST_KEYS, BEST_ROWS, FOUND_ROWS,
    FOUND_SCORES, CANDIDATE_ROWS, CANDIDATE_KEYS, SPARE_ROWS, SPARE_KEYS, HISTOGRAM, FREQUENCIES, TOUCHED, SAID,
    STAMPS, PLACES, BLOCKS, WORK,
) = range(24)  # fmt: skip

# What a kernel says beside the number of documents it found, in the array SAID.
MATCHES, MISSING, WANTED, COLD, GENERATION, SAID_FROM, SAID_SIZE = 0, 1, 2, 3, 4, 8, 1024
MOST_SAID = 500  # numbers of documents without a factor, and behind them lists worth keeping, of one query

# What a kernel returns where it found nothing.
NOT_HERE, NO_FACTOR = -1, -2

PER_BLOCK = 128  # values of a packed array
LONG = 512  # documents of a list from which on it is kept,
TIMES_ASKED = 2  # where it is asked for so often
PER_FLAG = 64  # documents that share the flag that one of them was touched
SPARSE = 8  # where there are so many times more documents than postings, only flagged documents are looked at
FEW = 32  # best documents that are kept in order as they are found; of more, all that may be among them are sorted


class Plans(NamedTuple):
    """The addresses of the plans of a query, one for each formula."""

    plans: int
    addresses: Int64s


class Work(NamedTuple):
    """The addresses of the working arrays of a thread."""

    addresses: Int64s
