"""A segment: some of the documents of an index, in one file, with the postings of each field; and merging segments.

Documents are numbered from 0 within their segment, in the order in which they were added. For each field there are

    terms, term_lengths   the dictionary, sorted
    document_counts       in how many documents each term occurs
    repetitions           how often it occurs beyond once in each
    documents             the documents of each term, ascending
    frequencies           and how often it occurs in each, less 1
    positions             and at which words, as gaps, where the index has positions
    lengths               the number of terms of each document
    form_counts           the number of forms of each term: the words as they are written (`terms.py`)
    form_shared           for each form, how many bytes of it its term has
    form_tails, …          and the rest of it
    form_occurrences      how often each occurs
    form_codes            the form of every occurrence
    spellings, …           parts and other spellings of words
    breaks, break_counts  where the sentences and paragraphs of each document begin (`inverting.py`), with positions

and for the whole segment the documents' ids and columns: days, families and checksums of texts as numbers; offices,
classes, names and numbers as the codes of a dictionary. All integers are packed (`packing.py`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.index import arrays
from leadline.retrieval.index.arrays import REBUILD, CheckedArray, damaged
from leadline.retrieval.index.packing import (
    BASED,
    IN_MEMORY,
    PLAIN,
    Frequencies,
    Kind,
    PackedArray,
    PackedWriter,
    ascending,
    gaps,
    packed,
)
from leadline.retrieval.index.terms import Forms, Terms, form_tails, keys_of, moved_forms, offsets_of, shared_beginnings
from leadline.text.days import UNKNOWN_DAY
from leadline.text.engine import Kernel, compiled_job
from leadline.text.fields import ranges
from leadline.text.memory import NEW_ARRAYS, MappedArrays, NewArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

MISSING = np.int32(UNKNOWN_DAY)
NUMBERS = {
    "priority": np.int32,
    "application": np.int32,
    "publication": np.int32,
    "known": np.int32,
    "family": np.int64,
    "content": np.int64,
}  # days are counted from 1970-01-01; `content` is a checksum of the document's texts
# `number` is a publication's number without its kind, `cites` are those of the publications that a document cites.
CODES = ("office", "classes", "ipc", "cpc", "kind", "language", "applicant", "inventor", "number", "cites")
HALVES = ("low", "high")  # 32 bits each, of the numbers of a column
_MOST = 1 << 40  # occurrences of a term: the sum over all terms does not overflow


class Field:
    """The postings of one field of a segment. Each part of them is checked when it is first read."""

    def __init__(self, file: SegmentFile, name: str, documents: int) -> None:
        self._file, self._name, self._documents = file, name, documents
        of = f'of "{name}"'
        self.terms = file.terms(f"{name}/terms", f"{name}/term_lengths", f"terms {of}")
        counts = file.integers(f"{name}/document_counts", what=f"counts of terms {of}")
        repetitions = file.wide(f"{name}/repetitions", f"counts of terms {of}")
        self.lengths = file.integers(f"{name}/lengths", what=f"lengths {of}")
        self.documents = file.packed(f"{name}/documents", ascending(documents), what=f"postings {of}")
        self.positions = file.packed(f"{name}/positions", what=f"positions {of}")  # empty where the index has none
        self.starts = offsets_of(counts)  # of each term's postings
        if len(repetitions) != len(counts) or not 0 <= _extent(repetitions) <= _MOST:
            raise file.damaged(f"postings {of}")
        self.totals = counts + repetitions  # how often each term occurs
        postings, words = int(self.starts[-1]), int(self.totals.sum())
        stored = file.arrays.checked(f"{name}/frequencies", np.int32, what=f"frequencies {of}")
        self.frequencies = Frequencies(stored, self.starts, self.totals)
        if not (
            len(counts) == len(self.terms)
            and len(self.lengths) == documents
            and len(self.documents) == postings
            and len(self.frequencies) == postings
            and len(self.positions) in (0, words)
            and int(self.lengths.sum(dtype=np.int64)) == words
        ):
            raise file.damaged(f"postings {of}")

    def damaged(self, what: str) -> InputError:
        return self._file.damaged(f'{what} of "{self._name}"')

    @cached_property
    def position_starts(self) -> NDArray[np.int64]:
        """Where each term's positions begin."""
        return offsets_of(self.totals)

    def postings(
        self, starts: NDArray[np.int64], stops: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The documents and frequencies of the lists of terms, or of runs of terms, one behind the other."""
        return self.documents.ranges(starts, stops), self.frequencies.ranges(starts, stops)

    def places(self, terms: range, among: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The document and the position of all occurrences of successive terms, in the documents of `among`."""
        part = slice(self.starts[terms.start], self.starts[terms.stop])
        documents, lengths = self.documents[part], self.frequencies[part].astype(np.int64)
        first = self.position_starts[terms.start] + np.cumsum(lengths) - lengths
        kept = among[documents]
        documents, lengths = documents[kept].astype(np.int64), lengths[kept]
        return np.repeat(documents, lengths), self.positions.lists(first[kept], lengths)

    def form_numbers(self, term: int) -> NDArray[np.int64]:
        """The form of every occurrence of a term, counted from its first form."""
        begins = self.forms.begins
        return self.forms.unpacked(self.form_codes[begins[term] : begins[term + 1]], term)

    @cached_property
    def forms(self) -> Forms:
        """The words as they are written."""
        file, name, what = self._file, self._name, f'forms of words of "{self._name}"'
        counts = file.integers(f"{name}/form_counts", np.int64, what)
        shared = file.integers(f"{name}/form_shared", np.int64, what)
        tails = file.bytes(f"{name}/form_tails", f"{name}/form_tail_lengths", what)
        occurrences = file.wide(f"{name}/form_occurrences", what)
        forms = int(counts.sum())
        if not 0 <= _extent(occurrences) <= _MOST:
            raise file.damaged(what)
        if len(counts) == len(self.terms) and len(shared) == len(tails) == len(occurrences) == forms:
            owners = np.repeat(np.arange(len(counts)), counts)
            keys = keys_of(self.terms, owners, shared, tails)
            if keys is not None and keys.is_sound():
                marks = np.diff(np.searchsorted(np.flatnonzero(keys.buffer == 0), keys.offsets))  # in each key
                listed = counts > 0
                totals = np.bincount(owners, occurrences, len(counts)).astype(np.int64)
                if (marks == 1).all() and (totals == self.totals)[listed].all():
                    return Forms(keys, counts, occurrences, self.totals)
        raise file.damaged(what)

    @cached_property
    def form_codes(self) -> CheckedArray | NDArray[np.uint8]:
        """The forms of all occurrences, packed."""
        what = f'forms of words of "{self._name}"'
        codes = self._file.arrays.checked(f"{self._name}/form_codes", np.uint8, what=what)
        if len(codes) != self.forms.begins[-1]:
            raise self._file.damaged(what)
        return codes

    @cached_property
    def spellings(self) -> Terms:
        """Parts and other spellings of words."""
        name = f"{self._name}/spelling"
        return self._file.terms(f"{name}s", f"{name}_lengths", f'spellings of "{self._name}"')

    def break_counts(self) -> NDArray[np.int64]:
        """The number of breaks of each document."""
        what = f'sentences of "{self._name}"'
        counts = self._file.integers(f"{self._name}/break_counts", np.int64, what)
        if len(counts) != self._documents:
            raise self._file.damaged(what)
        return counts

    @cached_property
    def break_starts(self) -> NDArray[np.int64]:
        """The first break of each document, and the end of the last."""
        return offsets_of(self.break_counts())

    def break_gaps(self, at_once: int) -> Iterator[NDArray[np.int32]]:
        """The breaks of all documents as they are stored, some at a time."""
        stored = self._stored_breaks(int(self.break_counts().sum()))
        return (stored[first : first + at_once] for first in range(0, len(stored), at_once))

    def _stored_breaks(self, count: int) -> PackedArray:
        what = f'sentences of "{self._name}"'
        stored = self._file.packed(f"{self._name}/breaks", what=what)
        if len(stored) != count:
            raise self._file.damaged(what)
        return stored

    @cached_property
    def breaks(self) -> NDArray[np.int32]:
        """Where the sentences and paragraphs of each document begin."""
        stored = self._stored_breaks(int(self.break_starts[-1]))
        return stored.lists(self.break_starts[:-1], np.diff(self.break_starts))


@dataclass(frozen=True)
class CodedColumn:
    """A column of words: the codes of document d are codes[offsets[d]:offsets[d + 1]], numbers of sorted words."""

    terms: Terms
    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]

    def having(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which documents have one of the chosen words."""
        documents, starts = self._by_word
        found = np.zeros(len(self.offsets) - 1, np.bool_)
        numbers = np.flatnonzero(chosen[:-1])
        breaks = np.flatnonzero(np.diff(numbers) != 1) + 1
        for run in np.split(numbers, breaks) if len(breaks) else [numbers] if len(numbers) else []:
            found[documents[starts[run[0]] : starts[run[-1] + 1]]] = True
        return found

    @cached_property
    def _by_word(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The documents of each word, and where those of each word begin: 4 bytes a word of a document."""
        order = np.argsort(self.codes, kind="stable")
        documents = np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int32), np.diff(self.offsets))[order]
        return documents, np.searchsorted(self.codes[order], np.arange(len(self.terms) + 1))


def _extent(values: NDArray[np.int64]) -> int:
    """The largest value; -1 where one is negative."""
    return -1 if int(values.min(initial=0)) < 0 else int(values.max(initial=0))


class SegmentFile:
    """The file of a segment or of a tree, whose arrays are read by their names; `fix` mends a damaged one."""

    def __init__(self, path: Path, fix: str = REBUILD) -> None:
        self.path, self.arrays, self._fix = path, arrays.read(path, fix), fix

    def packed(self, name: str, kind: Kind = PLAIN, what: str = "") -> PackedArray:
        """A packed array, of which parts are read."""
        return PackedArray(self.arrays.checked(name, np.int32, what=what), kind)

    def integers(self, name: str, dtype: Any = np.int32, what: str = "", kind: Kind = PLAIN) -> NDArray[Any]:
        """All values of a packed array."""
        self.arrays.whole(name, np.int32, what=what)  # checked at once, which is quicker than part by part
        return self.packed(name, kind, what=what)[:].astype(dtype, copy=False)

    def wide(self, name: str, what: str) -> NDArray[np.int64]:
        """All values of an array of integers of 64 bits, which is stored in halves."""
        low, high = (self.integers(f"{name}/{half}", what=what, kind=BASED) for half in HALVES)
        if len(low) != len(high):
            raise self.damaged(what)
        return high.astype(np.int64) << 32 | low.view(np.uint32)

    def bytes(self, name: str, lengths: str, what: str) -> Terms:
        """Bytes cut into pieces of the given lengths."""
        buffer = self.arrays.whole(name, np.uint8, what=what)
        offsets = offsets_of(self.integers(lengths, np.int64, what))
        if offsets[-1] != len(buffer):
            raise self.damaged(what)
        return Terms(buffer, offsets)

    def terms(self, name: str, lengths: str, what: str) -> Terms:
        """A dictionary."""
        found = self.bytes(name, lengths, what)
        if not found.is_sound():
            raise self.damaged(what)
        return found

    def damaged(self, what: str) -> InputError:
        return damaged(str(self.path), f"its arrays do not fit together ({what})", self._fix)


class Segment:
    """One file of an index. Every array is checked when it is read, in full or in parts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.content = SegmentFile(path)
        self.file = self.content.arrays
        self._size = len(self.content.packed("id_lengths", what="ids"))
        self._fields: dict[str, Field] = {}
        self._columns: dict[str, CodedColumn] = {}

    def __len__(self) -> int:
        return self._size

    @cached_property
    def ids(self) -> Terms:
        """The ids of the documents, in row order, not sorted."""
        return self.content.terms("ids", "id_lengths", "ids")

    def field(self, name: str) -> Field:
        if name not in self._fields:
            self._fields[name] = Field(self.content, name, len(self))
        return self._fields[name]

    def numbers(self, column: str) -> NDArray[Any]:
        values = self.content.wide(f"columns/{column}", f"column {column}")
        if len(values) != len(self):
            raise self.content.damaged(f"column {column}")
        return values.astype(NUMBERS[column])

    def coded_terms(self, column: str) -> Terms:
        """The dictionary of a column of words."""
        name, what = f"columns/{column}", f"column {column}"
        return self.content.terms(f"{name}/terms", f"{name}/term_lengths", what)

    def forget(self, column: str) -> None:
        """Hold a column of words no longer."""
        self._columns.pop(column, None)

    def coded(self, column: str) -> CodedColumn:
        if column not in self._columns:
            name, what = f"columns/{column}", f"column {column}"
            terms = self.coded_terms(column)
            counts = self.content.integers(f"{name}/counts", np.int64, what)
            codes = self.content.integers(f"{name}/codes", what=what)
            offsets = offsets_of(counts)
            if len(counts) != len(self) or offsets[-1] != len(codes) or int(codes.max(initial=-1)) >= len(terms):
                raise self.content.damaged(what)
            self._columns[column] = CodedColumn(terms, offsets, codes)
        return self._columns[column]


# The arrays of a new segment


def stored_terms(terms: Terms, name: str, lengths: str) -> dict[str, NDArray[Any]]:
    """A dictionary as it is stored."""
    return {name: terms.buffer, lengths: packed(np.diff(terms.offsets))}


def stored_wide(numbers: NDArray[Any], name: str) -> dict[str, NDArray[Any]]:
    """Integers of 64 bits as they are stored."""
    return {f"{name}/{half}": packed(values, BASED) for half, values in zip(HALVES, halves(numbers), strict=True)}


def halves(numbers: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The low and the high 32 bits of integers."""
    wide = numbers.astype(np.int64)
    return wide & 0xFFFFFFFF, wide >> 32


def stored_codes(column: CodedColumn) -> dict[str, NDArray[Any]]:
    """A column of words as it is stored."""
    counts, codes = packed(np.diff(column.offsets)), packed(column.codes)
    return {**stored_terms(column.terms, "terms", "term_lengths"), "counts": counts, "codes": codes}


def stored_forms(forms: Forms, terms: Terms) -> dict[str, NDArray[Any]]:
    """The dictionary of forms as it is stored."""
    shared = shared_beginnings(forms.keys, terms, forms.owners)
    return {
        "form_counts": packed(forms.counts),
        "form_shared": packed(shared),
        **stored_terms(form_tails(forms.keys, shared), "form_tails", "form_tail_lengths"),
        **stored_wide(forms.occurrences, "form_occurrences"),
    }


def stored_breaks(breaks: NDArray[np.int32], starts: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """The breaks of texts as they are stored."""
    counts = np.diff(starts)
    return {"breaks": packed(gaps(breaks, starts[:-1][counts > 0])), "break_counts": packed(counts)}


# Merge segments: their dictionaries are merged, and every term's lists are concatenated.


@dataclass(frozen=True)
class MergeSizes:
    """How much of merged lists is in memory at once."""

    slab: int = 1 << 22  # values of lists that are moved together
    in_memory: int = IN_MEMORY  # bytes of each kind of list of a field, before a file is needed


MERGE_SIZES = MergeSizes()
COLUMNS = 16  # what grows with documents is that much smaller than the lists, and there is more of it


def merge(
    segments: Sequence[Segment],
    fields: Sequence[str],
    path: Path,
    families: NDArray[np.int64] | None = None,
    sizes: MergeSizes = MERGE_SIZES,
) -> None:
    """Write the documents of several segments, in their order, as one. The lists are never in memory as a whole.

    `families` are those of the documents, if they have changed since the segments were written.
    """
    disk = _Disk(path.parent, sizes)
    content: dict[str, _Content] = {"ids": _Bytes([segment.ids.buffer for segment in segments])}
    content["id_lengths"] = disk.packed(np.diff(segment.ids.offsets) for segment in segments)
    writers: dict[str, PackedWriter] = {}
    for name in fields:
        parts = [segment.field(name) for segment in segments]
        _check_positions(segments, parts, name)
        merged = MergedTerms(segments, [part.terms for part in parts], disk)
        arrays_of, lists = _field(segments, parts, merged, disk)
        content |= {f"{name}/{array}": values for array, values in arrays_of.items()}
        writers |= {f"{name}/{array}": writer for array, writer in lists.items()}
    for column in NUMBERS:
        given = [families] if column == "family" and families is not None else None
        content |= disk.wide(given or (segment.numbers(column) for segment in segments), f"columns/{column}")
    for column in CODES:
        content |= {f"columns/{column}/{array}": values for array, values in _coded(segments, column, disk).items()}

    layout: dict[str, tuple[Any, int]] = {name: _layout(array) for name, array in content.items()}
    layout |= {name: _layout(writer) for name, writer in writers.items()}
    with arrays.create(path, layout) as into:
        for written, values in (content | writers).items():
            if isinstance(values, np.ndarray):
                into[written][:] = values
            else:
                values.write(into[written])


@dataclass(frozen=True)
class _Bytes:
    """Bytes of several files, which are copied one behind the other when they are written."""

    parts: Sequence[NDArray[np.uint8]]

    def write(self, into: NDArray[np.uint8]) -> None:
        at = 0
        for part in self.parts:
            into[at : at + len(part)] = part
            at += len(part)


_Content: TypeAlias = "NDArray[Any] | PackedWriter | _Bytes"


def _layout(content: _Content) -> tuple[Any, int]:
    """The type and the size of an array to be written."""
    if isinstance(content, PackedWriter):
        return np.int32, content.finish()
    if isinstance(content, _Bytes):
        return np.uint8, sum(map(len, content.parts))
    return content.dtype, len(content)


@dataclass(frozen=True)
class _Disk:
    """Where what grows with documents and terms is kept until it is written: in memory if small, else in files."""

    folder: Path
    sizes: MergeSizes

    def packed(self, parts: Iterable[NDArray[Any]], kind: Kind = PLAIN) -> PackedWriter:
        """Integers of several segments, one behind the other."""
        writer = PackedWriter(kind, self.folder, self.sizes.in_memory // COLUMNS)
        for values in parts:
            writer.append(values)
        return writer

    def wide(self, parts: Iterable[NDArray[Any]], name: str) -> dict[str, _Content]:
        """The same of 64 bits."""
        writers = [self.packed((), BASED) for _ in HALVES]
        for values in parts:
            for writer, half in zip(writers, halves(values), strict=True):
                writer.append(half)
        return {f"{name}/{half}": writer for half, writer in zip(HALVES, writers, strict=True)}

    def room(self, size: int) -> NewArrays:
        """Arrays of so many bytes together."""
        return NEW_ARRAYS if size <= self.sizes.in_memory else MappedArrays(str(self.folder))


def _field(
    segments: Sequence[Segment], parts: Sequence[Field], merged: MergedTerms, disk: _Disk
) -> tuple[dict[str, _Content], dict[str, PackedWriter]]:
    """The arrays of a merged field, and its lists, which may be too large for the memory."""
    counts = merged.summed([np.diff(part.starts) for part in parts])
    totals = merged.summed([part.totals for part in parts])
    forms = _MergedForms(segments, parts, merged, totals, disk)
    spellings = MergedTerms(segments, [part.spellings for part in parts], disk)
    content: dict[str, _Content] = {
        **stored_terms(merged.terms, "terms", "term_lengths"),
        "document_counts": packed(counts),
        **stored_wide(totals - counts, "repetitions"),
        "lengths": disk.packed(part.lengths for part in parts),
        **stored_forms(forms.forms, merged.terms),
        "form_codes": forms.codes(parts, merged, disk),
        **stored_terms(spellings.terms, "spellings", "spelling_lengths"),
        "breaks": disk.packed(some for part in parts for some in part.break_gaps(disk.sizes.slab)),
        "break_counts": disk.packed(part.break_counts() for part in parts),
    }
    return content, merged.moved(parts, offsets_of(counts), offsets_of(totals), disk)


def _check_positions(segments: Sequence[Segment], parts: Sequence[Field], name: str) -> None:
    """Raise an error if only some of the segments have positions: the merged lists would not fit together."""
    with_positions = [len(part.positions) > 0 for part in parts]
    if any(with_positions):
        for segment, part, has in zip(segments, parts, with_positions, strict=True):
            if len(part.terms) and not has:
                raise damaged(str(segment.path), f'the positions of "{name}" are missing')


class MergedTerms:
    """The merged dictionary of several parts, and the new number of each old term."""

    def __init__(self, segments: Sequence[Segment], parts: Sequence[Terms], disk: _Disk | None = None) -> None:
        self.bounds = offsets_of([len(part) for part in parts])
        size = sum(len(part.buffer) for part in parts) + 20 * int(self.bounds[-1])
        room = NEW_ARRAYS if disk is None else disk.room(size)
        joined = Terms.joined(parts, room)
        self.new, origin = _merged.choose(len(joined.buffer))(joined, self.bounds, room)
        for number, segment in enumerate(segments):
            if (np.diff(self.of_part(number)) <= 0).any():
                raise damaged(str(segment.path), "its terms are not sorted")
        self.terms = joined.chosen(origin, room)

    def __len__(self) -> int:
        return len(self.terms)

    def of_part(self, part: int) -> NDArray[np.int32]:
        return self.new[self.bounds[part] : self.bounds[part + 1]]

    def summed(self, parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """For each merged term, the sum over the parts of a value of each term."""
        result = np.zeros(len(self), np.int64)
        for part, values in enumerate(parts):
            result[self.of_part(part)] += values  # a part has a term once
        return result

    def moved(
        self,
        parts: Sequence[Field],
        starts: NDArray[np.int64],
        places: NDArray[np.int64],
        disk: _Disk,
    ) -> dict[str, PackedWriter]:
        """The lists of each term of all parts, one part's behind the other's, some terms at a time.

        `starts` and `places` are where the postings and the positions of each merged term begin.
        """
        documents = [len(part.lengths) for part in parts]
        kinds = {"documents": ascending(sum(documents)), "frequencies": PLAIN, "positions": PLAIN}
        sizes = disk.sizes
        writers = {array: PackedWriter(kind, disk.folder, sizes.in_memory) for array, kind in kinds.items()}
        has_positions = any(len(part.positions) for part in parts)
        bases = offsets_of(documents).tolist()
        for first, last in _slabs(places if has_positions else starts, sizes.slab):
            runs = [np.searchsorted(self.of_part(n), (first, last)).tolist() for n in range(len(parts))]
            for array, writer in writers.items():
                if array == "positions" and not has_positions:
                    continue
                begins = places if array == "positions" else starts
                into = np.empty(int(begins[last] - begins[first]), np.int32)
                cursors = begins[first:last] - begins[first]
                for number, (part, (low, high)) in enumerate(zip(parts, runs, strict=True)):
                    of_part = part.position_starts if array == "positions" else part.starts
                    values = getattr(part, array)[of_part[low] : of_part[high]]
                    if len(values):
                        add = {"documents": bases[number], "frequencies": -1, "positions": 0}[array]
                        new = self.of_part(number)[low:high] - np.int32(first)
                        move = _moved.choose(values.nbytes)
                        move(new, of_part[low : high + 1] - of_part[low], values, add, cursors, into)
                writer.append(into)
        return writers


def _slabs(starts: NDArray[np.int64], values: int) -> Iterator[tuple[int, int]]:
    """Ranges of terms whose lists are moved together: as many as have so many values, at least one."""
    first, terms = 0, len(starts) - 1
    while first < terms:
        last = max(first + 1, int(np.searchsorted(starts, starts[first] + values, "right")) - 1)
        yield first, min(last, terms)
        first = last


class _MergedForms:
    """The merged forms of words."""

    def __init__(
        self,
        segments: Sequence[Segment],
        parts: Sequence[Field],
        terms: MergedTerms,
        totals: NDArray[np.int64],
        disk: _Disk,
    ) -> None:
        self.merged = MergedTerms(segments, [part.forms.keys for part in parts], disk)
        owners = np.zeros(len(self.merged), np.int32)
        for number, part in enumerate(parts):
            owners[self.merged.of_part(number)] = terms.of_part(number)[part.forms.owners]
        if (np.diff(owners) < 0).any():
            raise damaged(str(segments[0].path), "its forms of words are not sorted")
        occurrences = self.merged.summed([part.forms.occurrences for part in parts])
        self.forms = Forms(self.merged.terms, np.bincount(owners, minlength=len(terms)), occurrences, totals)

    def codes(self, parts: Sequence[Field], terms: MergedTerms, disk: _Disk) -> NDArray[np.uint8]:
        """The forms of each part's occurrences behind those of the parts before it; in a file if there are many."""
        size = int(self.forms.begins[-1])
        into = disk.room(size).take("forms", size, np.uint8)
        into[:] = 0
        cursors, limits = self.forms.first_bits, self.forms.first_bits + self.forms.limits
        for number, part in enumerate(parts):
            ranks = self.forms.ranks[self.merged.of_part(number)]
            move = moved_forms.choose(int(part.totals.sum()))
            move(part.forms, part.form_codes[:], terms.of_part(number), ranks, cursors, limits, into)
        return into


def _coded(segments: Sequence[Segment], column: str, disk: _Disk) -> dict[str, _Content]:
    """A column of words of all segments; the codes of one are in memory at a time."""
    merged = MergedTerms(segments, [segment.coded_terms(column) for segment in segments], disk)
    counts, codes = disk.packed(()), disk.packed(())
    for number, segment in enumerate(segments):
        part = segment.coded(column)
        counts.append(np.diff(part.offsets))
        codes.append(merged.of_part(number)[part.codes])
        segment.forget(column)
    return {**stored_terms(merged.terms, "terms", "term_lengths"), "counts": counts, "codes": codes}


NAMES_AT_ONCE = 1 << 17  # terms that plain Python holds while it merges


def _merged_plain(
    terms: Terms, bounds: NDArray[np.int64], room: NewArrays = NEW_ARRAYS
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """In ranges of terms: each goes as far as all dictionaries have been read."""
    new, origin = room.take("new", len(terms), np.int32), room.take("origin", len(terms), np.int64)
    done, ends, merged = bounds[:-1].tolist(), bounds[1:].tolist(), 0
    names: list[list[bytes]] = [[] for _ in done]
    share = max(1, NAMES_AT_ONCE // max(1, len(done)))
    while done != ends:
        for part, some in enumerate(names):
            some += [terms[at] for at in range(done[part] + len(some), min(done[part] + share, ends[part]))]
        limits = [some[-1] for part, some in enumerate(names) if done[part] + len(some) < ends[part]]
        counts = [bisect_right(some, min(limits)) if limits else len(some) for some in names]
        if not any(counts):  # a dictionary that is not sorted
            counts = [len(some) for some in names]
        first: dict[bytes, int] = {}
        for part in range(len(names) - 1, -1, -1):
            first |= dict(zip(names[part][: counts[part]], range(done[part], ends[part]), strict=False))
        number = {name: merged + place for place, name in enumerate(sorted(first))}
        for part, count in enumerate(counts):
            new[done[part] : done[part] + count] = [number[name] for name in names[part][:count]]
            done[part] += count
            del names[part][:count]
        origin[merged : merged + len(number)] = [first[name] for name in number]
        merged += len(number)
    return new, origin[:merged]


@compiled_job("leadline.retrieval.index.kernels.merge_terms", plain=_merged_plain)
def _merged(
    kernel: Kernel, terms: Terms, bounds: NDArray[np.int64], room: NewArrays = NEW_ARRAYS
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Each term's number when all dictionaries are one, and the first old number of each merged term.

    Dictionary p has the terms bounds[p]:bounds[p + 1].
    """
    new, origin = room.take("new", len(terms), np.int32), room.take("origin", len(terms), np.int64)
    parts = len(bounds) - 1
    count = kernel(terms.arrays(), parts, bounds, np.empty(parts, np.int64), new, origin)
    return new, origin[:count]


def _moved_plain(
    new: NDArray[np.int32],
    starts: NDArray[np.int64],
    values: NDArray[np.int32],
    add: int,
    cursors: NDArray[np.int64],
    into: NDArray[np.int32],
) -> None:
    lengths = np.diff(starts)
    into[ranges(cursors[new], lengths)] = values[starts[0] : starts[-1]] + np.int32(add)
    cursors[new] += lengths


@compiled_job("leadline.retrieval.index.kernels.move_lists", plain=_moved_plain)
def _moved(
    kernel: Kernel,
    new: NDArray[np.int32],
    starts: NDArray[np.int64],
    values: NDArray[np.int32],
    add: int,
    cursors: NDArray[np.int64],
    into: NDArray[np.int32],
) -> None:
    """Copy each term's list to where the cursor of its new number is, adding `add` to each value."""
    kernel(len(new), new, starts, values, add, cursors, into)
