"""Pack the form of each occurrence of a term into as many bits as the term has forms."""

from __future__ import annotations

from typing import Any

from leadline.retrieval.index.kernels.arguments import BatchWords, FormLists
from leadline.text.kernels.arguments import Bytes, Int32s, Int64s, kernel
from leadline.text.kernels.primitives import inline


@inline
def write_bits(into: Any, bit: int, width: int, value: int) -> None:
    for b in range(width):
        if (value >> b) & 1:
            at = bit + b
            into[at >> 3] = into[at >> 3] | (1 << (at & 7))


@inline
def read_bits(packed: Any, bit: int, width: int) -> int:
    value = 0
    for b in range(width):
        at = bit + b
        value |= ((packed[at >> 3] >> (at & 7)) & 1) << b
    return value


@kernel
def pack_forms(words: BatchWords, form_of: Int32s, widths: Bytes, cursors: Int64s, into: Bytes) -> int:
    """Write the form of each occurrence, term by term. `cursors` are the first bit of each term; `into` is zeros."""
    for i in range(words.offsets[0], words.offsets[words.texts]):
        code = words.codes[i]
        term = words.term_of[code]
        if term >= 0:
            width = widths[term]
            if width > 0:
                write_bits(into, cursors[term], width, form_of[code])
                cursors[term] += width
    return 0


@kernel
def move_forms(
    old: FormLists, terms: int, new: Int32s, renumbered: Int32s, widths: Bytes, cursors: Int64s, into: Bytes
) -> int:
    """Append the forms of each term to those of its new number, with new numbers and widths.

    `renumbered` has the new number of each old form, term by term; `cursors` are bits, as in `pack_forms`.
    """
    for t in range(terms):
        n = new[t]
        width = widths[n]
        if width > 0:
            bit = old.begins[t] * 8
            last = old.starts[t + 1] - old.starts[t] - 1
            for _ in range(old.totals[t]):
                form = read_bits(old.packed, bit, old.widths[t])
                form = form if form <= last else last  # a damaged file may have any bits
                write_bits(into, cursors[n], width, renumbered[old.starts[t] + form])
                bit += old.widths[t]
                cursors[n] += width
    return 0
