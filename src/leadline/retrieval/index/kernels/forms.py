"""Write and move the forms of the occurrences of terms: a form of rank r is r zeros and a one."""

from __future__ import annotations

from typing import Any

from leadline.retrieval.index.kernels.arguments import BatchWords, FormLists
from leadline.text.kernels.arguments import Bytes, Int32s, Int64s, kernel
from leadline.text.kernels.primitives import inline


@inline
def write_rank(into: Any, cursors: Any, limits: Any, term: int, rank: int) -> None:
    """Write a rank at the cursor of a term; what goes beyond its limit is left out, as a damaged file may ask for."""
    at, limit = cursors[term] + rank, limits[term]
    if at < limit:
        into[at >> 3] = into[at >> 3] | (1 << (at & 7))
    cursors[term] = at + 1 if at < limit else limit


@kernel
def pack_forms(words: BatchWords, rank_of: Int32s, cursors: Int64s, limits: Int64s, into: Bytes) -> int:
    """Write the form of each occurrence, term by term. `cursors` are the first bit of each term, `into` is zeros."""
    for i in range(words.offsets[0], words.offsets[words.texts]):
        code = words.codes[i]
        term = words.term_of[code]
        if term >= 0:
            write_rank(into, cursors, limits, term, rank_of[code])
    return 0


@kernel
def move_forms(
    old: FormLists, terms: int, new: Int32s, ranks: Int32s, cursors: Int64s, limits: Int64s, into: Bytes
) -> int:
    """Append the forms of each term to those of its new number; `ranks` has the new rank of each old form."""
    for t in range(terms):
        n, first = new[t], old.starts[t]
        last = old.starts[t + 1] - first - 1
        if last >= 0 and cursors[n] < limits[n]:
            bit, end = old.begins[t] * 8, old.begins[t + 1] * 8
            for _ in range(old.totals[t]):
                rank = 0
                while bit < end and not (old.packed[bit >> 3] >> (bit & 7)) & 1:
                    bit += 1
                    rank += 1
                if bit < end:
                    bit += 1
                else:
                    rank = 0
                form = old.by_rank[first + (rank if rank < last else last)]  # a damaged file may have any bits
                write_rank(into, cursors, limits, n, ranks[first + form])
    return 0
