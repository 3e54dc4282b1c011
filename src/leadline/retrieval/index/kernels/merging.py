"""Merge sorted dictionaries and lists, and look terms up in them."""

from __future__ import annotations

from typing import Any

from leadline.retrieval.index.kernels.arguments import FieldLists, SortedTerms
from leadline.text.kernels.arguments import Floats, Int32s, Int64s, kernel
from leadline.text.kernels.primitives import inline


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
        least = -1
        for p in range(parts):
            head = heads[p]
            if head < bounds[p + 1] and (least < 0 or compare_terms(terms, head, terms, least) < 0):
                least = head
        if least < 0:
            return merged
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
