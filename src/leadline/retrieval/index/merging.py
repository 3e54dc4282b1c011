"""Merge segments: their dictionaries are merged, and every term's lists are concatenated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from leadline.retrieval.index import arrays
from leadline.retrieval.index.array_table import damaged
from leadline.retrieval.index.forms import Forms, moved_forms
from leadline.retrieval.index.packing import BASED, IN_MEMORY, PLAIN, Kind, PackedWriter, ascending, packed
from leadline.retrieval.index.segment import (
    CODES,
    HALVES,
    NUMBERS,
    Field,
    Segment,
    halves,
    stored_forms,
    stored_terms,
    stored_wide,
)
from leadline.retrieval.index.terms import Terms, offsets_of
from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job
from leadline.text.ids import ranges
from leadline.text.memory import NEW_ARRAYS, MappedArrays, NewArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
        **stored_terms(merged.terms, "terms", "term_lengths"), "document_counts": packed(counts),
        **stored_wide(totals - counts, "repetitions"), "lengths": disk.packed(part.lengths for part in parts),
        **stored_forms(forms.forms, merged.terms), "form_codes": forms.codes(parts, merged, disk),
        **stored_terms(spellings.terms, "spellings", "spelling_lengths"),
        "breaks": disk.packed(some for part in parts for some in part.break_gaps(disk.sizes.slab)),
        "break_counts": disk.packed(part.break_counts() for part in parts),
    }  # fmt: skip
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
        self, segments: Sequence[Segment], parts: Sequence[Field], terms: MergedTerms, totals: NDArray[np.int64],
        disk: _Disk,
    ) -> None:  # fmt: skip
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


def _merged_plain(
    terms: Terms, bounds: NDArray[np.int64], room: NewArrays = NEW_ARRAYS
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    names = list(terms)
    first = dict(zip(reversed(names), range(len(names) - 1, -1, -1), strict=True))
    number = {name: new for new, name in enumerate(sorted(first))}
    new = np.array([number[name] for name in names], np.int32)
    return new, np.array([first[name] for name in number], np.int64)


@compiled_job("leadline.retrieval.index.kernels.merging.merge_terms", plain=_merged_plain)
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
    new: NDArray[np.int32], starts: NDArray[np.int64], values: NDArray[np.int32], add: int,
    cursors: NDArray[np.int64], into: NDArray[np.int32],
) -> None:  # fmt: skip
    lengths = np.diff(starts)
    into[ranges(cursors[new], lengths)] = values[starts[0] : starts[-1]] + np.int32(add)
    cursors[new] += lengths


@compiled_job("leadline.retrieval.index.kernels.merging.move_lists", plain=_moved_plain)
def _moved(
    kernel: Kernel, new: NDArray[np.int32], starts: NDArray[np.int64], values: NDArray[np.int32], add: int,
    cursors: NDArray[np.int64], into: NDArray[np.int32],
) -> None:  # fmt: skip
    """Copy each term's list to where the cursor of its new number is, adding `add` to each value."""
    kernel(len(new), new, starts, values, add, cursors, into)
