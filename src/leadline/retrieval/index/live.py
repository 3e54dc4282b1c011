"""A segment without its dead documents: as if they had never been in it, in every list and in every count.

Rows are numbered anew. The dictionary has the terms of live documents only; the stored lists are read and the postings
of dead documents left out. Statistics come from the tombstones, which know what the dead documents count; if a list
that is read does not have as many live postings as they say, that is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.index.forms import Forms, write_ranks
from leadline.retrieval.index.packing import PackedArray, gaps
from leadline.retrieval.index.segment import CodedColumn, Field, Segment
from leadline.retrieval.index.terms import Terms, offsets_of
from leadline.retrieval.index.tombstones import (
    Tombstones,
    documents_of_occurrences,
    slabs_of_terms,
    unpacked_forms,
)
from leadline.text.ids import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
