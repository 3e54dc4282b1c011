"""The arguments of the search kernel; see `text/kernel_arguments.py`."""

from __future__ import annotations

from typing import NamedTuple

from leadline.text.kernel_arguments import Bytes, Floats, Int32s, Int64s, UInt16s, UInt64s

BLOCK = 4096  # documents; their totals take 32 KiB, which the fastest cache of a processor holds
MOST_COUNT = 65535  # of occurrences in a document, where weights are computed by the search: what 16 bits hold
TIMES_PAID = 2  # a weight is stored when it was computed so often, which takes about as long as storing it
GROUP = 8  # documents compared together; most groups have none of the best
BINS = 4096  # of the histogram of scores: 256 per power of two, for the 16 powers of two below the highest score


class QueryLists(NamedTuple):
    """Queries: entry t, of those offsets[q]:offsets[q + 1], adds multipliers[t] times the weights of list lists[t]."""

    offsets: Int64s
    lists: Int64s
    multipliers: Floats
    length_most: Floats  # the most that the length of a document adds to a score
    terms: Floats  # what the length part of a document is multiplied by; 0 where the model has none


class WeightLists(NamedTuple):
    """Lists of postings by blocks of documents, with their weights or with what their weights are computed of.

    The postings of list l in block b are those from directory[l * (blocks + 1) + b] up to the next entry. The weight of
    posting p is values[value_at[l] + p] if norm_at[l] is negative, and otherwise, for a document d,
    factors[l] * counts[p] / (counts[p] + norms[norm_at[l] + lengths[length_at[l] + d]]).
    """

    directory: Int64s
    places: UInt16s  # of a posting's document in its block
    counts: UInt16s  # how often the term is in the document
    values: Floats
    value_at: Int64s  # of each list, as all below up to `spent`
    factors: Floats
    norm_at: Int64s
    length_at: Int64s
    lowest: Floats  # at most the lowest weight
    highest: Floats  # at least the highest weight
    spent: Int64s  # how many of its weights searches computed
    norms: Floats
    lengths: Int32s
    ranks: Int32s  # of documents by id


class DocumentFilter(NamedTuple):
    """Which documents are allowed, where `masked`, and what the length of each adds to its score for each term."""

    masked: int
    allowed: Bytes
    length: Floats


class RunningTotals(NamedTuple):
    """Scratch space for the totals of a block of documents, and for the histogram of all."""

    totals: Floats
    histogram: Int32s


class AskedLists(NamedTuple):
    """Lists of a segment: list l is values starts[l]:stops[l] of its packed arrays."""

    lists: int
    base: int  # the row of the segment's first document
    starts: Int64s
    stops: Int64s
    occurrences: Int64s  # what the frequencies of each add up to


class ReadLists(NamedTuple):
    """Where lists are read to, as `WeightLists` describes."""

    cursors: Int64s  # the next posting of each list
    reached: Int64s  # the block of documents it is in
    most: Int64s  # the highest frequency
    places: UInt16s
    counts: UInt16s
    directory: Int64s
    entries: int  # of the directory, for each list
    is_last: int  # whether no segment follows


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
