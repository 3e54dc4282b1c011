"""The working arrays of a query in one call: their addresses, in places with the names below."""

from __future__ import annotations

from typing import NamedTuple

from leadline.text.kernel_arguments import Int64s

# The working arrays of a thread.
(
    TEXT, MULTIPLIERS, NUMBERS, TOTALS_OF, FLAGS, UNPACKED, COUNTED, WEIGHED, BEST_KEYS, BEST_ROWS, FOUND_ROWS,
    FOUND_SCORES, CANDIDATE_ROWS, CANDIDATE_KEYS, SPARE_ROWS, SPARE_KEYS, HISTOGRAM, FREQUENCIES, TOUCHED, SAID,
    BY_BOUND, BOUNDS, RESTS, TERM_FACTORS, SIZES, KEPT, READ_AT, READ_ROWS, READ_WEIGHTS, BITS, WORK,
) = range(31)  # fmt: skip

# What a kernel says beside the number of documents it found, in the array SAID.
MATCHES, MISSING, WANTED, COLD, ABSENT, IS_PRUNED, SAID_FROM, SAID_SIZE = 0, 1, 2, 3, 4, 5, 16, 1024
BEFORE, NEXT, OCCURRENCES, LIVE = 8, 9, 10, 11  # of the list that is being read
MOST_SAID = 500  # numbers of documents without a factor, and behind them lists worth keeping, of one query

# What a kernel returns where it found nothing.
NOT_HERE, NO_FACTOR, KEEP_FIRST = -1, -2, -3

# Whether a kernel counts the lists that are asked for; beside KEEP_FIRST, which says those worth keeping at once.
NOT_COUNTED, COUNTED_ONLY = 0, 1

LONG = 512  # documents of a list: from then on it is kept,
TIMES_ASKED = 2  # where it was asked for so often,
KEEPING_PAYS = 1 << 14  # and where so many of its postings were: to keep it takes as long as to add up some thousands
PER_FLAG = 64  # documents that share the flag that one of them was touched
SPARSE = 8  # where there are so many times more documents than postings, only flagged documents are looked at
LOOK_UP = 16  # postings that are added up in the time in which the weight of one document is looked up
LOOK_UP_PACKED = 160  # and where it has to be unpacked
TERMS_PRUNED_IN_ONE_CALL = 16  # of a query: of more, too many documents may be among the best for long
PRUNING_PAYS = 100  # postings for each of the best and each term
MOST_READ = 1 << 18  # postings of lists that were read for a query and are held until its end
FEW = 32  # best documents that are kept in order as they are found; of more, all that may be among them are sorted


class Work(NamedTuple):
    """The addresses of the working arrays of a thread."""

    addresses: Int64s
