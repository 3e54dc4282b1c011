"""The arguments of the search kernel; see `text/kernels/arguments.py`."""

from __future__ import annotations

from typing import NamedTuple

from leadline.text.kernels.arguments import Bytes, Floats, Int32s, Int64s, UInt16s, UInt64s

BLOCK = 4096  # documents; their totals take 32 KiB, which the fastest cache of a processor holds
GROUP = 8  # documents compared together; most groups have none of the best
BINS = 4096  # of the histogram of scores: 256 per power of two, for the 16 powers of two below the highest score


class QueryLists(NamedTuple):
    """Queries: entry t, of those offsets[q]:offsets[q + 1], adds multipliers[t] times the weights of list lists[t]."""

    queries: int
    offsets: Int64s
    lists: Int64s
    multipliers: Floats
    length_most: Floats  # the most that the length of a document adds to a score
    terms: Floats  # what the length part of a document is multiplied by; 0 where the model has none


class WeightLists(NamedTuple):
    """Lists of weights by blocks of documents.

    The postings of list l in block b are those from directory[l * (blocks + 1) + b] up to the next entry.
    """

    directory: Int64s
    places: UInt16s  # of a posting's document in its block
    values: Floats
    lowest: Floats  # of each list
    highest: Floats


class QueryBounds(NamedTuple):
    """Scratch space for the terms of a query."""

    most: Floats  # the most that each can add to a score
    order: Int64s  # the terms by it, low first
    is_left_out: Bytes  # whether the term is added only to documents that the other terms put near the best


class Candidates(NamedTuple):
    """Documents that may be among the best, with sorting keys, and spare arrays for sorting them."""

    rows: Int32s
    keys: UInt64s
    spare_rows: Int32s
    spare_keys: UInt64s


class BestDocuments(NamedTuple):
    """The best documents of query q, best first, from q * k on, and how many there are."""

    rows: Int32s
    scores: Floats
    found: Int32s
