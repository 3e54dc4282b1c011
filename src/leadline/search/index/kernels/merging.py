"""Many sorted dictionaries and lists as one."""

from __future__ import annotations

from typing import Any

from leadline.text.kernels.primitives import inline


@inline
def compare_bytes(text: Any, a: int, a_length: int, b: int, b_length: int) -> int:
    """Negative, 0 or positive, as the bytes from a on come before, equal, or come after those from b on."""
    shorter = a_length if a_length < b_length else b_length
    for k in range(shorter):
        if text[a + k] != text[b + k]:
            return 1 if text[a + k] > text[b + k] else -1
    return a_length - b_length


def merge_terms(text: Any, offsets: Any, parts: int, bounds: Any, heads: Any, new: Any, origin: Any) -> int:
    """Merge sorted dictionaries whose terms stand one behind the other; part p has terms bounds[p]:bounds[p+1].

    `new` gets each term's number in the merged dictionary, `origin` an old number of each merged term.
    """
    for p in range(parts):
        heads[p] = bounds[p]
    merged = 0
    while True:
        least = -1
        for p in range(parts):
            head = heads[p]
            if head < bounds[p + 1] and (
                least < 0
                or compare_bytes(
                    text, offsets[head], offsets[head + 1] - offsets[head], offsets[least],
                    offsets[least + 1] - offsets[least],
                ) < 0
            ):  # fmt: skip
                least = head
        if least < 0:
            return merged
        for p in range(parts):
            head = heads[p]
            if head < bounds[p + 1] and (
                head == least
                or compare_bytes(
                    text, offsets[head], offsets[head + 1] - offsets[head], offsets[least],
                    offsets[least + 1] - offsets[least],
                ) == 0
            ):  # fmt: skip
                new[head] = merged
                heads[p] += 1
        origin[merged] = least
        merged += 1


def move_lists(terms: int, new: Any, starts: Any, values: Any, add: int, cursors: Any, into: Any) -> int:
    """Append every term's list to that of its new number, adding `add` to each value."""
    for t in range(terms):
        at = cursors[new[t]]
        for i in range(starts[t], starts[t + 1]):
            into[at] = values[i] + add
            at += 1
        cursors[new[t]] = at
    return 0


def find_terms(
    text: Any, offsets: Any, terms: int, wanted_text: Any, wanted_offsets: Any, wanted: int, found: Any
) -> int:
    """The number of each wanted term in a sorted dictionary, -1 where it is not."""
    for w in range(wanted):
        start, length = wanted_offsets[w], wanted_offsets[w + 1] - wanted_offsets[w]
        low, high = 0, terms
        found[w] = -1
        while low < high:
            middle = (low + high) // 2
            other, other_length = offsets[middle], offsets[middle + 1] - offsets[middle]
            order = 0
            k = 0
            while order == 0 and k < length and k < other_length:
                if text[other + k] != wanted_text[start + k]:
                    order = 1 if text[other + k] > wanted_text[start + k] else -1
                k += 1
            if order == 0:
                order = other_length - length
            if order == 0:
                found[w] = middle
                break
            if order < 0:
                low = middle + 1
            else:
                high = middle
    return 0


def unite_lists(
    terms: int,
    fields: int,
    starts: Any,
    stops: Any,
    documents: Any,
    frequencies: Any,
    heads: Any,
    offsets: Any,
    into_documents: Any,
    into_frequencies: Any,
    capacity: int,
) -> int:
    """Each term's lists in several fields as one list of documents, with a frequency for every field.

    The list of term t in field f is starts[f * terms + t]:stops[...]; its frequencies go to row f of the result.
    """
    at = 0
    offsets[0] = 0
    for t in range(terms):
        for f in range(fields):
            heads[f] = starts[f * terms + t]
        while True:
            least = 0x7FFFFFFF
            for f in range(fields):
                head = heads[f]
                if head < stops[f * terms + t] and documents[head] < least:
                    least = documents[head]
            if least == 0x7FFFFFFF:
                break
            into_documents[at] = least
            for f in range(fields):
                head = heads[f]
                into_frequencies[f * capacity + at] = 0
                if head < stops[f * terms + t] and documents[head] == least:
                    into_frequencies[f * capacity + at] = frequencies[head]
                    heads[f] = head + 1
            at += 1
        offsets[t + 1] = at
    return at
