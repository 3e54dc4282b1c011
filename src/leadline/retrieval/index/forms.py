"""The words as they are written, by the term they were reduced to.

Postings are those of terms: in a stemmed index *communicates* and *communication* have one list. Truncated words and
wildcards must match words as they are written, so each occurrence of a term has the number of its form, in as many
bits as the term's forms need: none for a term with one form, 2 for a term with three. A word with a digit is never
stemmed and is its own only form; such terms are not listed.

The dictionary of forms is sorted: its keys are `term NUL word`, so that dictionaries are merged like those of terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.retrieval.index.kernels.arguments import BatchWords, FormLists
from leadline.retrieval.index.terms import Terms, offsets_of
from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job

if TYPE_CHECKING:
    from numpy.typing import NDArray

BETWEEN = b"\0"  # the term and the word, in a key


@dataclass(frozen=True)
class Forms:
    """The forms of the terms of a field. Form f is a form of term owners[f]; owners ascend."""

    keys: Terms
    owners: NDArray[np.int32]
    totals: NDArray[np.int64]  # occurrences of each term

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of forms of each term; 0 for a term that is its own only form."""
        return np.bincount(self.owners, minlength=len(self.totals))

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first form of each term."""
        return offsets_of(self.counts)

    @cached_property
    def widths(self) -> NDArray[np.uint8]:
        """The number of bits that the form of an occurrence takes."""
        return np.frexp(np.maximum(self.counts - 1, 0).astype(np.float64))[1].astype(np.uint8)

    @cached_property
    def begins(self) -> NDArray[np.int64]:
        """The first byte of each term's forms, and the end of the last."""
        return offsets_of((self.widths * self.totals + 7) // 8)

    def word(self, form: int) -> bytes:
        return self.keys[form].partition(BETWEEN)[2]

    def words(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the word of each form begins and ends in the buffer of keys."""
        ends = self.keys.offsets[1:]
        marks = np.flatnonzero(self.keys.buffer == 0)
        return marks + 1, ends

    def unpacked(self, packed: NDArray[np.uint8], term: int) -> NDArray[np.int64]:
        """The number of the form of every occurrence of a term, counted from its first form; `packed` are its bytes."""
        width, total = int(self.widths[term]), int(self.totals[term])
        if not width:
            return np.zeros(total, np.int64)
        bits = np.unpackbits(packed, count=width * total, bitorder="little").reshape(total, width)
        forms = bits @ (1 << np.arange(width))
        return np.minimum(forms, self.counts[term] - 1)  # a damaged file may have any bits

    def lists(self, packed: NDArray[np.uint8]) -> FormLists:
        """The arguments of a kernel."""
        return FormLists(self.totals, self.starts, self.widths, self.begins, packed)


def forms_of(
    words: Sequence[bytes], terms: Sequence[bytes], term_of: NDArray[np.int32], count: int
) -> tuple[list[bytes], NDArray[np.int32], NDArray[np.int32]]:
    """The sorted keys of forms, the term of each form, and for each word the number of its form within its term.

    `term_of` has the number of each word's term, among `count` terms.
    """
    listed = [
        code for code, term in enumerate(terms) if term and (term.isalpha() or _DIGITS.isdisjoint(term))
    ]  # a word with a digit is not stemmed
    written = [terms[code] + BETWEEN + words[code] for code in listed]
    order = sorted(range(len(listed)), key=written.__getitem__)
    ordered = [written[place] for place in order]
    codes = np.array(listed, np.int64)[order] if listed else np.empty(0, np.int64)
    new = np.ones(len(ordered), np.bool_)  # two languages may have a word and its term in common
    new[1:] = [one != other for one, other in pairwise(ordered)]
    keys = [key for key, is_new in zip(ordered, new.tolist(), strict=True) if is_new]
    owners = term_of[codes[new]].astype(np.int32)
    form_of = np.zeros(len(words), np.int32)
    starts = offsets_of(np.bincount(owners, minlength=count))
    form_of[codes] = np.cumsum(new) - 1 - starts[term_of[codes]]
    return keys, owners, form_of


_DIGITS = frozenset(b"0123456789")


def _bits_plain(forms: Any, widths: Any, first: Any, into: NDArray[np.uint8]) -> None:
    """Write forms, each of some width from its first bit on."""
    for bit in range(int(widths.max(initial=0))):
        is_set = (widths > bit) & (forms >> bit & 1 > 0)
        at = first[is_set] + bit
        np.bitwise_or.at(into, at >> 3, (1 << (at & 7)).astype(np.uint8))


def _rank_within(terms: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of each value among its equals; the values ascend."""
    return np.arange(len(terms)) - np.searchsorted(terms, terms)


def _packed_plain(words: BatchWords, form_of: NDArray[np.int32], forms: Forms) -> NDArray[np.uint8]:
    into = np.zeros(int(forms.begins[-1]), np.uint8)
    codes = words.codes[words.offsets[0] : words.offsets[-1]]
    term = words.term_of[codes].astype(np.int64)
    order = np.argsort(term, kind="stable")
    order = order[term[order] >= 0]
    term = term[order]
    widths = forms.widths[term].astype(np.int64)
    _bits_plain(form_of[codes[order]], widths, forms.begins[term] * 8 + _rank_within(term) * widths, into)
    return into


@compiled_job("leadline.retrieval.index.kernels.forms.pack_forms", plain=_packed_plain)
def packed_forms(kernel: Kernel, words: BatchWords, form_of: NDArray[np.int32], forms: Forms) -> NDArray[np.uint8]:
    """The form of every occurrence, term by term."""
    into = np.zeros(int(forms.begins[-1]), np.uint8)
    kernel(words, form_of, forms.widths, forms.begins[:-1] * 8, into)
    return into


def _moved_plain(
    old: Forms, packed: NDArray[np.uint8], new: NDArray[np.int32], renumbered: NDArray[np.int32], merged: Forms,
    cursors: NDArray[np.int64], into: NDArray[np.uint8],
) -> None:  # fmt: skip
    term = np.repeat(np.arange(len(new)), old.totals)
    rank, width = _rank_within(term), old.widths[term].astype(np.int64)
    first = old.begins[term] * 8 + rank * width
    bits = np.unpackbits(packed, bitorder="little")
    form = np.zeros(len(term), np.int64)
    for bit in range(int(width.max(initial=0))):
        wide = np.flatnonzero(width > bit)
        form[wide] |= bits[first[wide] + bit].astype(np.int64) << bit
    form = np.minimum(form, np.maximum(old.counts[term] - 1, 0))
    kept = merged.widths[new[term]] > 0
    term, rank, form = term[kept], rank[kept], form[kept]
    widths = merged.widths[new[term]].astype(np.int64)
    _bits_plain(renumbered[old.starts[term] + form], widths, cursors[new[term]] + rank * widths, into)
    cursors[new] += merged.widths[new].astype(np.int64) * old.totals


@compiled_job("leadline.retrieval.index.kernels.forms.move_forms", plain=_moved_plain)
def moved_forms(
    kernel: Kernel, old: Forms, packed: NDArray[np.uint8], new: NDArray[np.int32], renumbered: NDArray[np.int32],
    merged: Forms, cursors: NDArray[np.int64], into: NDArray[np.uint8],
) -> None:  # fmt: skip
    """Append the forms of a part's occurrences to those of the merged terms; `cursors` are their next bits."""
    kernel(old.lists(packed), len(new), new, renumbered, merged.widths, cursors, into)


def kept_occurrences(
    chosen: NDArray[np.bool_], frequencies: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The number of chosen occurrences in each posting, and the place of each chosen occurrence among all."""
    before = offsets_of(chosen.astype(np.int64))
    ends = np.cumsum(frequencies)
    return before[ends] - before[ends - frequencies], np.flatnonzero(chosen)
