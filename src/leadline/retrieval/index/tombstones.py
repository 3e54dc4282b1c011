"""Tombstones: which documents of a segment are dead, and the segment as if they had never been in it.

A segment is never changed. Beside one with dead documents is a file that names them and says how much they count in the
statistics of the segment, so that a reader subtracts them without reading all postings:

    dead                    the rows of the dead documents, ascending
    FIELD/terms             the terms that dead documents have, ascending
    FIELD/documents         in how many dead documents each occurs
    FIELD/occurrences       and how often
    FIELD/forms             the forms of words that dead documents have, ascending
    FIELD/form_occurrences  and how often each occurs there
    FIELD/spellings         the keys of the dictionary of spellings that only dead documents have
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.index import arrays
from leadline.retrieval.index.analysis import Analysis, spelling_keys
from leadline.retrieval.index.arrays import damaged
from leadline.retrieval.index.packing import PackedArray, gaps
from leadline.retrieval.index.segment import CodedColumn, Field, Segment
from leadline.retrieval.index.terms import TERM_END as BETWEEN
from leadline.retrieval.index.terms import Forms, Terms, offsets_of, write_ranks
from leadline.text.fields import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SLAB = 1 << 22  # postings that are read together
ROWS = "dead"


@dataclass(frozen=True)
class DeadWords:
    """What the dead documents of a segment count in one field."""

    terms: NDArray[np.integer[Any]]
    documents: NDArray[np.integer[Any]]
    occurrences: NDArray[np.int64]
    forms: NDArray[np.integer[Any]]
    form_occurrences: NDArray[np.int64]
    spellings: NDArray[np.integer[Any]]


_TYPES: dict[str, Any] = {each.name: np.int64 if "occurrences" in each.name else np.int32 for each in fields(DeadWords)}


class Tombstones:
    """The dead documents of a segment with `documents` documents."""

    def __init__(self, path: Path, documents: int) -> None:
        self.path, self.file = path, arrays.read(path)
        self.rows: NDArray[np.int32] = self.file.whole(ROWS, np.int32)
        if not (0 < len(self.rows) < documents and _is_ascending(self.rows, documents)):
            raise self.damaged("its rows are not those of documents")
        self.live = np.ones(documents, np.bool_)
        self.live[self.rows] = False

    def words(self, name: str, field: Field) -> DeadWords:
        """What the dead documents count in a field of the segment."""
        dead = DeadWords(**{kind: self.file.whole(f"{name}/{kind}", dtype) for kind, dtype in _TYPES.items()})
        counts = np.diff(field.starts)
        if not (
            _is_ascending(dead.terms, len(counts))
            and len(dead.terms) == len(dead.documents) == len(dead.occurrences)
            and (dead.documents > 0).all()
            and (dead.documents <= counts[dead.terms]).all()
            and (dead.occurrences >= dead.documents).all()
            and (dead.occurrences <= field.totals[dead.terms]).all()
        ):
            raise self.damaged(f'its counts do not fit the terms of "{name}"')
        return dead

    def check_forms(self, name: str, field: Field, dead: DeadWords) -> None:
        """Raise InputError if the forms of dead words do not fit those of the segment."""
        if not (
            _is_ascending(dead.forms, len(field.forms.keys))
            and len(dead.forms) == len(dead.form_occurrences)
            and (dead.form_occurrences > 0).all()
            and (dead.form_occurrences <= field.forms.occurrences[dead.forms]).all()
        ):
            raise self.damaged(f'its counts do not fit the forms of words of "{name}"')

    def check_spellings(self, name: str, field: Field, dead: DeadWords) -> None:
        """Raise InputError if there are no such spellings in the segment."""
        if not _is_ascending(dead.spellings, len(field.spellings)):
            raise self.damaged(f'its numbers do not fit the spellings of "{name}"')

    def damaged(self, problem: str) -> InputError:
        return damaged(str(self.path), problem)


def _is_ascending(numbers: NDArray[np.integer[Any]], below: int) -> bool:
    return not len(numbers) or bool(numbers[0] >= 0 and numbers[-1] < below and (np.diff(numbers) > 0).all())


def write_tombstones(
    path: Path, segment: Segment, rows: NDArray[np.int64], names: Sequence[str], analysis: Analysis
) -> None:
    """Write the tombstones of these rows of a segment; `segment` is the stored one, with all its documents."""
    dead = np.zeros(len(segment), np.bool_)
    dead[rows] = True
    content: dict[str, NDArray[Any]] = {ROWS: np.flatnonzero(dead).astype(np.int32)}
    for name in names:
        words = _dead_words(segment, name, dead, analysis)
        content |= {f"{name}/{kind}": getattr(words, kind).astype(dtype) for kind, dtype in _TYPES.items()}
    arrays.write(path, content)


def _dead_words(segment: Segment, name: str, dead: NDArray[np.bool_], analysis: Analysis) -> DeadWords:
    field = segment.field(name)
    postings = _dead_postings(field, dead)
    terms, of_term, documents = np.unique(postings.terms, return_inverse=True, return_counts=True)
    occurrences = np.bincount(of_term, postings.frequencies, len(terms)).astype(np.int64)
    forms, form_occurrences = _dead_forms(field, postings)
    spellings = _dead_spellings(segment, field, dead, terms, analysis)
    return DeadWords(terms, documents, occurrences, forms, form_occurrences, spellings)


class _Postings(NamedTuple):
    """Some postings of a field: the term and the frequency of each, and how many occurrences are before it."""

    terms: NDArray[np.int64]
    frequencies: NDArray[np.int64]
    before: NDArray[np.int64]


def _dead_postings(field: Field, dead: NDArray[np.bool_]) -> _Postings:
    """The postings of dead documents."""
    found = [(np.empty(0, np.int64),) * 3]
    first, before = 0, 0
    while first < len(field.terms):
        last = max(first + 1, int(np.searchsorted(field.starts, field.starts[first] + _SLAB, "right")) - 1)
        part = slice(int(field.starts[first]), int(field.starts[last]))
        here = np.flatnonzero(dead[field.documents[part]])
        frequencies = field.frequencies[part]
        ends = np.cumsum(frequencies, dtype=np.int64)
        counts = frequencies[here].astype(np.int64)
        found.append(
            (np.searchsorted(field.starts, here + part.start, "right") - 1, counts, before + ends[here] - counts)
        )
        first, before = last, before + int(ends[-1])
    return _Postings(*map(np.concatenate, zip(*found, strict=True)))


def _dead_forms(field: Field, postings: _Postings) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The forms of words that dead documents have, and how often each occurs there."""
    counts = field.forms.counts[postings.terms]
    alone = counts == 1  # all occurrences are of the only form
    only = field.forms.starts[postings.terms[alone]]
    several = _Postings(*(each[counts > 1] for each in postings))
    terms = np.repeat(several.terms, several.frequencies)
    numbers = np.concatenate([only, field.forms.starts[terms] + _some_forms(field, several, terms)])
    each = np.concatenate([postings.frequencies[alone], np.ones(len(terms), np.int64)])
    forms, of_form = np.unique(numbers, return_inverse=True)
    return forms, np.bincount(of_form, each, len(forms)).astype(np.int64)


def _some_forms(field: Field, postings: _Postings, terms: NDArray[np.int64]) -> NDArray[np.int64]:
    """The form of every occurrence in some postings of terms with several forms; `terms` are those of occurrences.

    The n-th occurrence ends with the n-th bit that is set. Bits are counted by bytes, which is many times faster than
    to unpack them all.
    """
    forms, codes = field.forms, field.form_codes[:]
    set_before = np.concatenate([[0], np.cumsum(_BITS[codes], dtype=np.int64)])  # bits before each byte
    in_codes = offsets_of(np.where(forms.counts > 1, field.totals, 0))  # occurrences of earlier terms in the codes
    if set_before[-1] != in_codes[-1]:
        raise field.damaged("forms of words")
    number = ranges(postings.before - field.position_starts[postings.terms], postings.frequencies)  # within the term
    last = _place_of_bit(codes, set_before, in_codes[terms] + number)
    begin = forms.begins[terms] * 8 - 1
    previous = np.where(
        number > 0, _place_of_bit(codes, set_before, in_codes[terms] + np.maximum(number - 1, 0)), begin
    )
    ranks = np.clip(last - previous - 1, 0, forms.counts[terms] - 1)
    return forms.by_rank[forms.starts[terms] + ranks].astype(np.int64)


# For each byte, the number of its bits that are set, and their places.
_BITS = np.array([byte.bit_count() for byte in range(256)], np.uint8)
_SET_BITS = np.array([sorted(range(8), key=lambda bit: (not byte >> bit & 1, bit)) for byte in range(256)])


def _place_of_bit(
    codes: NDArray[np.uint8], set_before: NDArray[np.int64], numbers: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The places of bits that are set, by their numbers among all of these."""
    byte = np.searchsorted(set_before, numbers, "right") - 1
    return byte * 8 + _SET_BITS[codes[byte], numbers - set_before[byte]]


def _dead_spellings(
    segment: Segment, field: Field, dead: NDArray[np.bool_], terms: NDArray[np.int64], analysis: Analysis
) -> NDArray[np.int64]:
    """The keys of spellings that no live document has.

    A key comes from a word, its term and the language of its document, so the keys of each term of the dead documents
    are made again from what is live.
    """
    keys = list(field.spellings)
    if not keys:
        return np.empty(0, np.int64)
    number_of = {field.terms[term]: term for term in terms.tolist()}
    pairs = [key.partition(BETWEEN)[::2] for key in keys]
    asked = sorted({number_of[term] for _, term in pairs if term in number_of})
    living = _living_keys(segment, field, ~dead, np.array(asked, np.int64), analysis)
    gone = [bool(term) and term in number_of and key not in living for key, (_, term) in zip(keys, pairs, strict=True)]
    # The key of a spelling alone is dead with the last of its terms.
    left = {spelling for (spelling, term), is_gone in zip(pairs, gone, strict=True) if term and not is_gone}
    dead_keys = [
        is_gone if term else spelling not in left for (spelling, term), is_gone in zip(pairs, gone, strict=True)
    ]
    return np.flatnonzero(dead_keys)


def _living_keys(
    segment: Segment, field: Field, live: NDArray[np.bool_], terms: NDArray[np.int64], analysis: Analysis
) -> set[bytes]:
    """The keys of spellings that live documents give these terms."""
    languages = segment.coded("language")
    given = np.full(len(segment), len(languages.terms))  # the language of each document; the last means none
    has_one = np.diff(languages.offsets) > 0
    given[has_one] = languages.codes[languages.offsets[:-1][has_one]]
    analyses = [analysis.for_language(name.decode()) for name in (*languages.terms, b"")]
    words: dict[Analysis, set[tuple[bytes, bytes]]] = {each: set() for each in analyses}
    for term in terms.tolist():
        run = slice(int(field.starts[term]), int(field.starts[term + 1]))
        documents = np.repeat(field.documents[run], field.frequencies[run])
        numbers = field.form_numbers(term)
        # Each pair of a language and a form, once, in live documents.
        used = np.unique(np.stack([given[documents], numbers])[:, live[documents]], axis=1)
        for language, number in used.T.tolist():
            listed = int(field.forms.counts[term]) > 0
            word = field.forms.word(int(field.forms.starts[term]) + number) if listed else field.terms[term]
            words[analyses[language]].add((word, field.terms[term]))
    keys: set[bytes] = set()
    for each, pairs in words.items():
        ordered = sorted(pairs)
        keys.update(spelling_keys([word for word, _ in ordered], [term for _, term in ordered], each))
    return keys


# The occurrences of terms, with which the dead ones are told from the live


def slabs_of_terms(field: Field, terms: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Terms in pieces whose occurrences fit the memory."""
    slab = np.cumsum(field.totals[terms]) // _SLAB
    return np.split(terms, np.flatnonzero(np.diff(slab)) + 1) if len(terms) else []


def unpacked_forms(field: Field, terms: NDArray[np.int64]) -> NDArray[np.int64]:
    """The form of every occurrence of terms with several forms, counted from the first form of its term."""
    begins = field.forms.begins
    codes = field.form_codes[ranges(begins[terms], np.diff(begins)[terms])]
    found = field.forms.unpacked_all(codes, terms)
    if found is None:
        raise field.damaged("forms of words")
    return found


def documents_of_occurrences(field: Field, terms: NDArray[np.int64]) -> NDArray[np.int32]:
    """The document of every occurrence of terms."""
    starts, stops = field.starts[terms], field.starts[terms + 1]
    return np.repeat(field.documents.ranges(starts, stops), field.frequencies.ranges(starts, stops))


# A segment without its dead documents: as if they had never been in it, in every list and in every count.
#
# Rows are numbered anew. The dictionary has the terms of live documents only; the stored lists are read and the
# postings of dead documents left out. Statistics come from the tombstones, which know what the dead documents count; if
# a list that is read does not have as many live postings as they say, that is an error.


class LiveSegment(Segment):
    """A stored segment with tombstones."""

    def __init__(self, stored: Segment, tombstones: Tombstones) -> None:
        self.stored, self.tombstones = stored, tombstones
        self.path, self.content, self.file = stored.path, stored.content, stored.file
        self.rows = np.flatnonzero(tombstones.live)  # of the live documents in the stored segment
        self._size = len(self.rows)
        self._fields, self._columns = {}, {}

    @cached_property
    def ids(self) -> Terms:
        return self.stored.ids.chosen(self.rows)

    def field(self, name: str) -> Field:
        if name not in self._fields:
            self._fields[name] = LiveField(self.stored.field(name), self.tombstones, name)
        return self._fields[name]

    def numbers(self, column: str) -> NDArray[Any]:
        return self.stored.numbers(column)[self.rows]

    def coded_terms(self, column: str) -> Terms:
        return self.coded(column).terms

    def coded(self, column: str) -> CodedColumn:
        if column not in self._columns:
            whole = self.stored.coded(column)
            counts = np.diff(whole.offsets)[self.rows]
            codes = whole.codes[ranges(whole.offsets[self.rows], counts)]
            used, new = np.unique(codes, return_inverse=True)
            self._columns[column] = CodedColumn(whole.terms.chosen(used), offsets_of(counts), new.astype(np.int32))
        return self._columns[column]


def stored_numbers(field: Field, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers of terms of a field in the dictionary that is stored."""
    return field.kept[numbers] if isinstance(field, LiveField) else numbers


class LiveField(Field):
    """The postings of live documents in one field of a segment."""

    def __init__(self, stored: Field, tombstones: Tombstones, name: str) -> None:
        self.stored, self._tombstones, self._name = stored, tombstones, name
        self.live = tombstones.live
        self.new = (np.cumsum(self.live) - 1).astype(np.int32)  # the number of each live document
        self._dead = tombstones.words(name, stored)
        counts, totals = np.diff(stored.starts), stored.totals.copy()
        counts[self._dead.terms] -= self._dead.documents
        totals[self._dead.terms] -= self._dead.occurrences
        self.kept = np.flatnonzero(counts)  # the number of each term in the stored dictionary
        self.terms, self.totals = stored.terms.chosen(self.kept), totals[self.kept]
        self.starts = offsets_of(counts[self.kept])
        self.lengths = stored.lengths[self.live]
        if int(self.lengths.sum(dtype=np.int64)) != int(self.totals.sum()):
            raise self.damaged("lengths")
        self.documents = LiveDocuments(self)
        self.frequencies = LiveFrequencies(self)  # type: ignore[assignment]
        self.positions = LivePositions(self)

    def damaged(self, what: str) -> InputError:
        return self._tombstones.damaged(f'its counts do not fit the {what} of "{self._name}"')

    def stored_ranges(
        self, starts: NDArray[np.int64], stops: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the lists of terms, or of runs of terms, are in the stored lists."""
        filled = stops > starts
        first, last = np.searchsorted(self.starts, starts[filled]), np.searchsorted(self.starts, stops[filled])
        begins, ends = np.zeros(len(starts), np.int64), np.zeros(len(starts), np.int64)
        begins[filled], ends[filled] = self.stored.starts[self.kept[first]], self.stored.starts[self.kept[last - 1] + 1]
        return begins, ends

    def postings(
        self, starts: NDArray[np.int64], stops: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        documents, frequencies = self.stored.postings(*self.stored_ranges(starts, stops))
        live = self.live[documents]
        documents = self.new[documents[live]]
        if len(documents) != int((stops - starts).sum()):
            raise self.damaged("postings")
        return documents, frequencies[live]

    def places(self, terms: range, among: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        if not len(terms):
            return np.empty(0, np.int64), np.empty(0, np.int32)
        stored = np.zeros(len(self.live), np.bool_)
        stored[self.live] = among
        # The terms between them that are left out have no live documents.
        run = range(int(self.kept[terms.start]), int(self.kept[terms.stop - 1]) + 1)
        documents, positions = self.stored.places(run, stored)
        return self.new[documents].astype(np.int64), positions

    @cached_property
    def _kept_forms(self) -> NDArray[np.int64]:
        """The number of each form in the stored dictionary."""
        self._tombstones.check_forms(self._name, self.stored, self._dead)
        return np.flatnonzero(self._form_occurrences)

    @cached_property
    def _form_occurrences(self) -> NDArray[np.int64]:
        """How often each form of the stored dictionary occurs in live documents."""
        occurrences = self.stored.forms.occurrences.copy()
        occurrences[self._dead.forms] -= self._dead.form_occurrences
        return occurrences

    @cached_property
    def forms(self) -> Forms:
        stored, kept = self.stored.forms, self._kept_forms
        counts = np.bincount(stored.owners[kept], minlength=len(stored.counts))
        occurrences = self._form_occurrences[kept]
        totals = np.bincount(stored.owners[kept], occurrences, len(stored.counts)).astype(np.int64)[self.kept]
        if not np.array_equal(totals > 0, counts[self.kept] > 0) or (totals != self.totals)[totals > 0].any():
            raise self.damaged("forms of words")
        return Forms(stored.keys.chosen(kept), counts[self.kept], occurrences, self.totals)

    @cached_property
    def _new_forms(self) -> NDArray[np.int64]:
        """The number of each stored form among those of its term that are left."""
        number = np.cumsum(self._form_occurrences > 0) - 1
        first = np.zeros(len(self.stored.forms.counts), np.int64)
        first[self.kept] = self.forms.starts[:-1]
        return number - first[self.stored.forms.owners]

    def form_numbers(self, term: int) -> NDArray[np.int64]:
        if self.forms.counts[term] < 2:
            return np.zeros(int(self.totals[term]), np.int64)
        number = int(self.kept[term])
        stored = self.stored.form_numbers(number)
        live = self.live[documents_of_occurrences(self.stored, np.array([number]))]
        return self._new_forms[self.stored.forms.starts[number] + stored[live]]

    @cached_property
    def form_codes(self) -> NDArray[np.uint8]:
        """The forms of all live occurrences, packed as in a segment without dead documents."""
        forms = self.forms
        into = np.zeros(int(forms.begins[-1]), np.uint8)
        new = np.zeros(len(self.stored.terms), np.int64)
        new[self.kept] = np.arange(len(self.kept))
        several = np.flatnonzero(forms.counts > 1)
        for chosen in slabs_of_terms(self.stored, self.kept[several]):
            live = self.live[documents_of_occurrences(self.stored, chosen)]
            of_term = np.repeat(chosen, self.stored.totals[chosen])[live]
            numbers = self._new_forms[self.stored.forms.starts[of_term] + unpacked_forms(self.stored, chosen)[live]]
            terms = new[of_term]
            ranks = forms.ranks[forms.starts[terms] + numbers]
            write_ranks(terms, ranks, forms.first_bits, forms.first_bits + forms.limits, into)
        return into

    @cached_property
    def spellings(self) -> Terms:
        self._tombstones.check_spellings(self._name, self.stored, self._dead)
        kept = np.ones(len(self.stored.spellings), np.bool_)
        kept[self._dead.spellings] = False
        return self.stored.spellings.chosen(np.flatnonzero(kept))

    def break_counts(self) -> NDArray[np.int64]:
        return np.diff(self.stored.break_starts)[self.live]

    def break_gaps(self, at_once: int) -> Iterator[NDArray[np.int32]]:
        counts = self.break_counts()
        yield gaps(self.breaks, self.break_starts[:-1][counts > 0])

    @cached_property
    def breaks(self) -> NDArray[np.int32]:
        counts = np.diff(self.stored.break_starts)[self.live]
        return self.stored.breaks[ranges(self.stored.break_starts[:-1][self.live], counts)]


class _LiveLists(PackedArray):
    """Lists of terms of which only what belongs to live documents is read; ranges are those of whole lists."""

    def __init__(self, field: LiveField) -> None:
        self._field, self._size = field, int(field.starts[-1])

    def ranges(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int32]:
        values = self._live(*self._field.stored_ranges(starts, stops))
        if len(values) != int((stops - starts).sum()):
            raise self._field.damaged("postings")
        return values

    def _live(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int32]:
        """The values of live documents in ranges of the stored lists."""
        raise NotImplementedError


class LiveDocuments(_LiveLists):
    def _live(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int32]:
        documents = self._field.stored.documents.ranges(starts, stops)
        return self._field.new[documents[self._field.live[documents]]]


class LiveFrequencies(_LiveLists):
    def _live(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int32]:
        documents = self._field.stored.documents.ranges(starts, stops)
        return self._field.stored.frequencies.ranges(starts, stops)[self._field.live[documents]]


class LivePositions(_LiveLists):
    """Positions as gaps, one list for each posting, as a merge copies them."""

    def __init__(self, field: LiveField) -> None:
        self._field = field
        self._size = int(field.totals.sum()) if len(field.stored.positions) else 0

    def ranges(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int32]:
        field, filled = self._field, stops > starts
        terms = [np.searchsorted(field.position_starts, places[filled]) for places in (starts, stops)]
        of_lists = field.stored_ranges(field.starts[terms[0]], field.starts[terms[1]])
        documents = field.stored.documents.ranges(*of_lists)
        frequencies = field.stored.frequencies.ranges(*of_lists)
        first, last = field.kept[terms[0]], field.kept[terms[1] - 1] + 1
        stored = field.stored.positions.ranges(field.stored.position_starts[first], field.stored.position_starts[last])
        values = stored[np.repeat(field.live[documents], frequencies)]
        if len(values) != int((stops - starts).sum()):
            raise field.damaged("positions")
        return values
