"""A dictionary of terms, sorted by their bytes, and the words as they are written, by the term they were reduced to."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.retrieval.index.kernel_arguments import BatchWords, FormLists, SortedTerms
from leadline.text.engine import Kernel, compiled_job, prepared
from leadline.text.fields import ranges
from leadline.text.memory import NEW_ARRAYS, NewArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray


def offsets_of(lengths: Sequence[int] | NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """The start of each of several concatenated lists, and the end of the last.

    >>> offsets_of([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    offsets = np.zeros(len(lengths) + 1, np.int64)
    if len(lengths):
        np.add.accumulate(lengths, out=offsets[1:])  # quicker than np.cumsum, which searches for a method
    return offsets


def are_offsets(offsets: NDArray[np.int64], total: int) -> bool:
    """Whether these can be the offsets of lists with `total` values together.

    >>> are_offsets(np.array([0, 2, 2, 5]), 5), are_offsets(np.array([0, 7, 5]), 5), are_offsets(np.array([0, 3]), 5)
    (True, False, False)
    """
    return bool(len(offsets) and offsets[0] == 0 and offsets[-1] == total and (offsets[1:] >= offsets[:-1]).all())


@dataclass(frozen=True)
class Terms:
    """Sorted terms.

    >>> terms = Terms.of([b"acid", b"acids", b"base"])
    >>> terms.find([b"base", b"ac"]).tolist(), terms.prefixed(b"acid")
    ([2, -1], range(0, 2))
    """

    buffer: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, terms: Sequence[bytes]) -> Terms:
        return cls(np.frombuffer(b"".join(terms), np.uint8), offsets_of([len(term) for term in terms]))

    @classmethod
    def joined(cls, parts: Sequence[Terms], room: NewArrays = NEW_ARRAYS) -> Terms:
        """The terms of several, one behind the other, in arrays of `room`."""
        if len(parts) == 1:
            return parts[0]
        buffer = room.take("terms", sum(len(part.buffer) for part in parts), np.uint8)
        offsets = room.take("offsets", sum(len(part) for part in parts) + 1, np.int64)
        place = at = 0
        for part in parts:
            buffer[at : at + len(part.buffer)] = part.buffer
            np.add(part.offsets[:-1], at, out=offsets[place : place + len(part)])
            place, at = place + len(part), at + len(part.buffer)
        offsets[place] = at
        return cls(buffer, offsets)

    def is_sound(self) -> bool:
        """Whether the offsets are within the buffer and each term is valid UTF-8; a file may be damaged."""
        if not are_offsets(self.offsets, len(self.buffer)):
            return False
        if not len(self.buffer) or int(self.buffer.max()) < 128:
            return True
        try:
            self.buffer.tobytes().decode()
        except UnicodeDecodeError:
            return False
        starts = self.offsets[: np.searchsorted(self.offsets, len(self.buffer))]
        return not ((self.buffer[starts] & 0xC0) == 0x80).any()  # no term begins within a character

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, number: int) -> bytes:
        if number >= len(self):
            raise IndexError(number)
        return self.buffer[self.offsets[number] : self.offsets[number + 1]].tobytes()

    def __iter__(self) -> Iterator[bytes]:
        return (self[number] for number in range(len(self)))

    def find(self, wanted: Sequence[bytes]) -> NDArray[np.int64]:
        """The number of each term, -1 for one that is not in the dictionary."""
        return _find.choose(_BYTES_A_TERM * len(wanted))(self, wanted)

    def chosen(self, numbers: NDArray[np.integer[Any]], room: NewArrays = NEW_ARRAYS) -> Terms:
        """The terms with these numbers, in this order, in arrays of `room`."""
        offsets = room.take("offsets", len(numbers) + 1, np.int64)
        offsets[0] = 0
        if len(numbers):
            np.subtract(self.offsets[1:][numbers], self.offsets[numbers], out=offsets[1:])
            np.add.accumulate(offsets[1:], out=offsets[1:])
        buffer = room.take("terms", int(offsets[-1]), np.uint8)
        for first in range(0, len(numbers), _AT_ONCE):  # the place of each byte takes eight
            some = numbers[first : first + _AT_ONCE]
            bounds = offsets[first : first + len(some) + 1]
            buffer[bounds[0] : bounds[-1]] = self.buffer[ranges(self.offsets[some], np.diff(bounds))]
        return Terms(buffer, offsets)

    def arrays(self) -> SortedTerms:
        """The dictionary as the argument of a kernel."""
        return SortedTerms(self.buffer, self.offsets)

    @cached_property
    def _prepared(self) -> SortedTerms:
        return prepared(self.arrays())

    @cached_property
    def after_joints(self) -> NDArray[np.int64]:
        """The places of the buffer behind a sign that joins the parts of a word, as in 1,4-butanediol."""
        return np.flatnonzero(np.isin(self.buffer, np.frombuffer(JOINTS, np.uint8))) + 1

    def prefixed(self, prefix: bytes) -> range:
        """The numbers of the terms that begin with a prefix."""
        beyond = prefix.rstrip(b"\xff")
        beyond = beyond[:-1] + bytes([beyond[-1] + 1]) if beyond else b""
        terms = self._listed if len(self) <= _MOST_LISTED else self
        return range(bisect_left(terms, prefix), bisect_left(terms, beyond) if beyond else len(self))

    @cached_property
    def _listed(self) -> list[bytes]:
        """All terms, among which a prefix is found in a tenth of the time."""
        return list(self)


JOINTS = b"-&.,"  # between the parts of a word
_AT_ONCE = 1 << 16  # terms that are copied together
_MOST_LISTED = 4096  # terms, as those of a column, that are held as objects
_BYTES_A_TERM = 100  # plain Python finds a term in the time in which it reads so many bytes of text


def _find_plain(terms: Terms, wanted: Sequence[bytes]) -> NDArray[np.int64]:
    places = (bisect_left(terms, term) for term in wanted)
    found = [n if n < len(terms) and terms[n] == term else -1 for n, term in zip(places, wanted, strict=True)]
    return np.array(found, np.int64)


@compiled_job("leadline.retrieval.index.kernels.find_terms", plain=_find_plain)
def _find(kernel: Kernel, terms: Terms, wanted: Sequence[bytes]) -> NDArray[np.int64]:
    found = np.empty(len(wanted), np.int64)
    kernel(terms._prepared, len(terms), Terms.of(wanted).arrays(), len(wanted), found)
    return found


# The words as they are written, by the term they were reduced to.
#
# Postings are those of terms: in a stemmed index *communicates* and *communication* have one list. Truncated words and
# wildcards must match words as they are written, so each occurrence of a term has its form: as many zeros as there are
# forms of the term that are more frequent, and a one. A term with one form needs no bits. A word with a digit is never
# stemmed and is its own only form; such terms are not listed.
#
# The dictionary of forms is sorted: its keys are `term NUL word`, so that dictionaries are merged like those of terms.
# Stored are the number of bytes that a word has in common with its term, and the rest of the word.


TERM_END = b"\0"  # the term and the word, in a key


@dataclass(frozen=True)
class Forms:
    """The forms of the terms of a field. Form f is a form of term owners[f]; owners ascend."""

    keys: Terms
    counts: NDArray[np.int64]  # the number of forms of each term; 0 for a term that is its own only form
    occurrences: NDArray[np.int64]  # of each form
    totals: NDArray[np.int64]  # occurrences of each term

    @cached_property
    def owners(self) -> NDArray[np.int32]:
        """The term of each form."""
        return np.repeat(np.arange(len(self.counts), dtype=np.int32), self.counts)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first form of each term."""
        return offsets_of(self.counts)

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        """The forms, term by term, the most frequent first."""
        return np.lexsort((-self.occurrences, self.owners))

    @cached_property
    def by_rank(self) -> NDArray[np.int32]:
        """The forms of each term, the most frequent first, as numbers within the term."""
        return (self._order - self.starts[self.owners]).astype(np.int32)

    @cached_property
    def ranks(self) -> NDArray[np.int32]:
        """The number of forms of the same term that are more frequent, or as frequent and listed before."""
        ranks = np.empty(len(self.owners), np.int32)
        ranks[self._order] = np.arange(len(self.owners)) - self.starts[self.owners]
        return ranks

    @cached_property
    def limits(self) -> NDArray[np.int64]:
        """The end of each term's forms, in bits from its first byte on."""
        bits = np.zeros(len(self.counts), np.int64)
        np.add.at(bits, self.owners, self.occurrences * (self.ranks + np.int64(1)))
        return np.where(self.counts > 1, bits, 0)

    @cached_property
    def begins(self) -> NDArray[np.int64]:
        """The first byte of each term's forms, and the end of the last."""
        return offsets_of((self.limits + 7) // 8)

    @property
    def first_bits(self) -> NDArray[np.int64]:
        return self.begins[:-1] * 8

    def word(self, form: int) -> bytes:
        return self.keys[form].partition(TERM_END)[2]

    def words(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the word of each form begins and ends in the buffer of keys."""
        ends = self.keys.offsets[1:]
        marks = np.flatnonzero(self.keys.buffer == 0)
        return marks + 1, ends

    def unpacked(self, packed: NDArray[np.uint8], term: int) -> NDArray[np.int64]:
        """The number of the form of every occurrence of a term, counted from its first form; `packed` are its bytes."""
        total, count = int(self.totals[term]), int(self.counts[term])
        if count < 2:
            return np.zeros(total, np.int64)
        ends = np.flatnonzero(np.unpackbits(packed, bitorder="little"))[:total]
        ranks = np.zeros(total, np.int64)
        ranks[: len(ends)] = np.minimum(np.diff(ends, prepend=-1) - 1, count - 1)  # a damaged file may have any bits
        return self.by_rank[self.starts[term] + ranks].astype(np.int64)

    def unpacked_all(self, packed: NDArray[np.uint8], terms: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """As `unpacked`, of several terms with more than one form; None where the bits do not fit the occurrences."""
        totals, sizes = self.totals[terms], np.diff(self.begins)[terms]
        ends = np.flatnonzero(np.unpackbits(packed, bitorder="little"))
        first = np.cumsum(sizes) - sizes
        if not np.array_equal(np.diff(np.searchsorted(ends, np.append(first, len(packed)) * 8)), totals):
            return None
        ranks = np.diff(ends, prepend=-1) - 1
        ranks[(np.cumsum(totals) - totals)] = ends[np.cumsum(totals) - totals] - first * 8
        ranks = np.minimum(ranks, np.repeat(self.counts[terms] - 1, totals))
        return self.by_rank[np.repeat(self.starts[terms], totals) + ranks].astype(np.int64)

    def lists(self, packed: NDArray[np.uint8]) -> FormLists:
        """The arguments of a kernel."""
        return FormLists(self.totals, self.starts, self.by_rank, self.begins, packed)


def shared_beginnings(keys: Terms, terms: Terms, owners: NDArray[np.int32]) -> NDArray[np.int64]:
    """The number of bytes at the beginning of each form that its term has, too."""
    words, of_terms = keys.offsets[:-1] + np.diff(terms.offsets)[owners] + 1, terms.offsets[owners]
    longest = np.minimum(np.diff(terms.offsets)[owners], keys.offsets[1:] - words)
    shared = np.zeros(len(keys), np.int64)
    here, count = np.flatnonzero(longest > 0), 0
    while len(here):
        here = here[keys.buffer[words[here] + count] == terms.buffer[of_terms[here] + count]]
        count += 1
        shared[here] = count
        here = here[longest[here] > count]
    return shared


def form_tails(keys: Terms, shared: NDArray[np.int64]) -> Terms:
    """What each form has after its shared beginning."""
    ends = keys.offsets[1:]
    starts = np.flatnonzero(keys.buffer == 0) + 1 + shared
    return Terms(keys.buffer[ranges(starts, ends - starts)], offsets_of(ends - starts))


def keys_of(terms: Terms, owners: NDArray[Any], shared: NDArray[np.int64], tails: Terms) -> Terms | None:
    """The keys of forms; None where a form shares more than its term has."""
    of_terms, sizes = terms.offsets[owners], np.diff(terms.offsets)[owners]
    if (shared > sizes).any():
        return None
    offsets = offsets_of(sizes + 1 + shared + np.diff(tails.offsets))
    buffer = np.zeros(int(offsets[-1]), np.uint8)
    words = offsets[:-1] + sizes + 1
    buffer[ranges(offsets[:-1], sizes)] = terms.buffer[ranges(of_terms, sizes)]
    buffer[ranges(words, shared)] = terms.buffer[ranges(of_terms, shared)]
    buffer[ranges(words + shared, np.diff(tails.offsets))] = tails.buffer
    return Terms(buffer, offsets)


def forms_of(
    words: Sequence[bytes], terms: Sequence[bytes], term_of: NDArray[np.int32], count: int
) -> tuple[list[bytes], NDArray[np.int32], NDArray[np.int32]]:
    """The sorted keys of forms, the term of each form, and for each word the number of its form within its term.

    `term_of` has the number of each word's term, among `count` terms.
    """
    listed = [
        code for code, term in enumerate(terms) if term and (term.isalpha() or _DIGITS.isdisjoint(term))
    ]  # a word with a digit is not stemmed
    written = [terms[code] + TERM_END + words[code] for code in listed]
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


def counted_forms(
    keys: Sequence[bytes],
    owners: NDArray[np.int32],
    form_of: NDArray[np.int32],
    words: BatchWords,
    totals: NDArray[np.int64],
) -> Forms:
    """The forms of a batch of texts; `form_of` is the number of each word's form within its term."""
    counts = np.bincount(owners, minlength=words.terms)
    if not len(keys):
        return Forms(Terms.of(keys), counts, np.empty(0, np.int64), totals)
    codes = words.codes[words.offsets[0] : words.offsets[-1]]
    of_words = _code_counts.choose(len(codes))(codes, len(words.term_of))
    listed = np.flatnonzero(words.term_of >= 0)
    listed = listed[counts[words.term_of[listed]] > 0]
    forms = offsets_of(counts)[words.term_of[listed]] + form_of[listed]
    occurrences = np.bincount(forms, of_words[listed], len(keys)).astype(np.int64)
    return Forms(Terms.of(keys), counts, occurrences, totals)


def _code_counts_plain(codes: NDArray[np.int32], count: int) -> NDArray[np.int64]:
    return np.bincount(codes, minlength=count)


@compiled_job("leadline.retrieval.index.kernels.count_codes", plain=_code_counts_plain)
def _code_counts(kernel: Kernel, codes: NDArray[np.int32], count: int) -> NDArray[np.int64]:
    """How often each of so many codes occurs."""
    counts = np.zeros(count, np.int64)
    kernel(np.ascontiguousarray(codes), len(codes), counts)
    return counts


def word_ranks(words: BatchWords, form_of: NDArray[np.int32], forms: Forms) -> NDArray[np.int32]:
    """The rank of the form of each word; 0 for one whose term has no forms."""
    ranks = np.zeros(len(words.term_of), np.int32)
    listed = np.flatnonzero(words.term_of >= 0)
    listed = listed[forms.counts[words.term_of[listed]] > 1]
    ranks[listed] = forms.ranks[forms.starts[words.term_of[listed]] + form_of[listed]]
    return ranks


def write_ranks(
    terms: NDArray[np.int64],
    ranks: NDArray[Any],
    cursors: NDArray[np.int64],
    limits: NDArray[np.int64],
    into: NDArray[np.uint8],
) -> None:
    """Write the ranks of occurrences of ascending terms from the cursors on, which go to the end of what is written."""
    steps = np.cumsum(ranks + np.int64(1))
    first = np.searchsorted(terms, terms)
    at = cursors[terms] + steps - np.concatenate([[0], steps])[first] - 1
    kept = at < limits[terms]
    np.bitwise_or.at(into, at[kept] >> 3, (1 << (at[kept] & 7)).astype(np.uint8))
    last = np.flatnonzero(np.diff(terms, append=-1))
    cursors[terms[last]] = np.minimum(at[last] + 1, limits[terms[last]])


def _packed_plain(words: BatchWords, ranks: NDArray[np.int32], forms: Forms) -> NDArray[np.uint8]:
    into = np.zeros(int(forms.begins[-1]), np.uint8)
    codes = words.codes[words.offsets[0] : words.offsets[-1]]
    term = words.term_of[codes].astype(np.int64)
    order = np.argsort(term, kind="stable")
    order = order[term[order] >= 0]
    write_ranks(term[order], ranks[codes[order]], forms.first_bits, forms.first_bits + forms.limits, into)
    return into


@compiled_job("leadline.retrieval.index.kernels.pack_forms", plain=_packed_plain)
def packed_forms(kernel: Kernel, words: BatchWords, ranks: NDArray[np.int32], forms: Forms) -> NDArray[np.uint8]:
    """The form of every occurrence, term by term; `ranks` are those of words."""
    into = np.zeros(int(forms.begins[-1]), np.uint8)
    kernel(words, ranks, forms.first_bits, forms.first_bits + forms.limits, into)
    return into


def _moved_plain(
    old: Forms,
    packed: NDArray[np.uint8],
    new: NDArray[np.int32],
    ranks: NDArray[np.int32],
    cursors: NDArray[np.int64],
    limits: NDArray[np.int64],
    into: NDArray[np.uint8],
) -> None:
    for term in np.flatnonzero((old.counts > 0) & (cursors[new] < limits[new])).tolist():
        forms = old.unpacked(packed[old.begins[term] : old.begins[term + 1]], term)
        of_term = np.full(len(forms), new[term], np.int64)
        write_ranks(of_term, ranks[old.starts[term] + forms], cursors, limits, into)


@compiled_job("leadline.retrieval.index.kernels.move_forms", plain=_moved_plain)
def moved_forms(
    kernel: Kernel,
    old: Forms,
    packed: NDArray[np.uint8],
    new: NDArray[np.int32],
    ranks: NDArray[np.int32],
    cursors: NDArray[np.int64],
    limits: NDArray[np.int64],
    into: NDArray[np.uint8],
) -> None:
    """Append the forms of a part's occurrences to those of the merged terms; `cursors` are their next bits.

    `ranks` has the rank of each form among those of the merged term.
    """
    kernel(old.lists(packed), len(new), new, ranks, cursors, limits, into)


def kept_occurrences(
    chosen: NDArray[np.bool_], frequencies: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The number of chosen occurrences in each posting, and the place of each chosen occurrence among all."""
    before = offsets_of(chosen.astype(np.int64))
    ends = np.cumsum(frequencies)
    return before[ends] - before[ends - frequencies], np.flatnonzero(chosen)
