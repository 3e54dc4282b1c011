"""Where the arrays of an index are: addresses that are made once, since to look them up takes longer than to search.

A `QueryPlan` is an array of integers: an address, a number, or the bits of a floating-point number. The names below are
places in it.
"""

from __future__ import annotations

from typing import NamedTuple

from leadline.text.kernel_arguments import Int64s

PER_BLOCK = 128  # values of a packed array, see `packing.py`

# A plan: its head, then a record for each segment and field, the fields of a segment one behind the other.
# IS_WEIGHTED is whether frequencies are added up, over several fields or with a weight.
DOCUMENTS, SEGMENTS, FIELDS, FACTORS, NORMS, RANKS, IS_WEIGHTED, HEAD = 0, 1, 2, 3, 4, 5, 6, 8

# A record. The dictionary, the lists of its terms, and their documents and frequencies as packed arrays.
(
    NAMES, NAME_ENDS, TERMS, STARTS, TOTALS, LIVE_COUNTS, NEW_ROWS, BASE, FIELD_WEIGHT, MODULUS,
    OF_DOCUMENTS, _, _, _, _, _, _, _, _,
    OF_FREQUENCIES, _, _, _, _, _, _, _, _,
    KEPT_LISTS, USES, OLD_DOCUMENTS, RECORD,
) = range(32)  # fmt: skip

# A packed array in a record: its blocks, the words that the checksums are of, and which of these were compared.
WORDS, WIDTHS, OFFSETS, BASES, SUMMED, SUMMED_SIZE, KEYS, SUMS, GOOD = range(9)

# A list that is kept, at the address that KEPT_LISTS has for the number of its term in its first dictionary.
# KEPT_BITS has a bit for each document, and KEPT_BEFORE how many are set before each 64 of them; both are 0 where fewer
# than one document in LONG_SHARE has the term, since they take more memory than such a list. Where one document in
# DENSE_SHARE has it, KEPT_IS_DENSE is 1, and KEPT_WEIGHTS has a weight for every document, -0.0 for those without the
# term: to add that changes no bit of a sum, and no rows have to be looked at.
KEPT_ROWS, KEPT_WEIGHTS, KEPT_SIZE, KEPT_BITS, KEPT_BEFORE, KEPT_MOST, KEPT_IS_DENSE, KEPT_LIST = range(8)

LONG_SHARE, DENSE_SHARE = 32, 2


class Plans(NamedTuple):
    """The addresses of the plans of a query, one for each formula."""

    plans: int
    addresses: Int64s
