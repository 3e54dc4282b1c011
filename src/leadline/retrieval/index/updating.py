"""Change an index: documents added, changed and deleted, and segments merged.

New and changed documents become a new segment; those that were changed or deleted are dead in their old one. Segments
are merged when there are many of about the same size, and written anew when many of their documents are dead, so that
both stay few: see `groups_to_merge`. Only neighbours are merged, so rows stay in the order of the collection.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.batches import DocumentBatch, Records
from leadline.retrieval.index.families import Members, Unit, family_ids
from leadline.retrieval.index.inverting import content_sums
from leadline.retrieval.index.live import LiveSegment
from leadline.retrieval.index.manifest import live_documents
from leadline.retrieval.index.merging import merge
from leadline.retrieval.index.origin import Origin
from leadline.retrieval.index.segment import CODES, NUMBERS, Segment
from leadline.retrieval.index.terms import Terms
from leadline.retrieval.index.tombstones import write_tombstones
from leadline.retrieval.index.writing import BuildSizes, Part, commit, new_path, new_segment, tidy, unchanged, units_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH = 8  # segments of about the same size that are merged to one
MOST_DEAD = 0.2  # of the documents of a segment, before it is written anew


class OpenIndex(Protocol):
    """What is needed of an `Index`, which itself needs this module."""

    folder: Path
    manifest: dict[str, Any]
    analysis: Analysis
    fields: list[str]
    own: list[str]
    unit: Unit
    segments: list[Segment]
    bases: NDArray[np.int64]

    def __len__(self) -> int: ...
    @property
    def ids(self) -> list[str]: ...
    @property
    def origin(self) -> Origin | None: ...
    def column(self, name: str) -> NDArray[Any]: ...
    def words_of(self, column: str, row: int) -> list[str]: ...


@dataclass(frozen=True)
class Changes:
    """How the documents of an index differ from those of a collection."""

    dead: NDArray[np.int64]  # rows of the index that were changed or deleted
    new: NDArray[np.int64]  # rows of the collection that are to be indexed; of an index of families, their places
    changed: int  # of the new ones
    is_same_collection: bool  # nothing at all has changed, families and places included

    @property
    def added(self) -> int:
        return len(self.new) - self.changed

    @property
    def deleted(self) -> int:
        return len(self.dead) - self.changed


def add(source: Iterable[Any] | Records, index: OpenIndex, workers: int | None) -> None:
    """Write one more segment of an index of documents."""
    units = units_of(source, index.fields, "document", "joined")
    with unchanged(index.folder, index.manifest) as owned:
        made = new_segment(
            units, owned, index.fields, index.analysis, index.manifest["positions"], BuildSizes.of(workers)
        )

        def origin_of(_: Terms) -> Origin | None:
            if index.origin is None:
                return None
            return index.origin.with_others(Segment(made).numbers("family"))

        commit(owned, index.manifest, [*_parts(index), Part(made)], origin_of)


def merge_all(index: OpenIndex) -> None:
    """Write all segments of an index as one."""
    merge_groups(index, [range(len(index.segments))])


def changes_of(index: OpenIndex, collection: Records) -> Changes:
    """What `update` would change.

    A document is the same if it is at the same place of the same part of the collection, a family if all its members
    are. In a collection that was built again, where all places are new, it is the same if its texts and its data are.
    """
    members = _members(index)
    ids = collection.records["id"].to_list() if members is None else family_ids(collection.records, members)
    row_of = {name: row for row, name in enumerate(ids)}
    rows = np.array([row_of.get(name, -1) for name in index.ids], np.int64)
    there = np.flatnonzero(rows >= 0)
    now = Origin.of(collection, Terms.of([ids[row].encode() for row in rows[there].tolist()]), members)
    same = np.zeros(len(index), np.bool_)
    if index.origin is not None and now is not None:
        same[there] = index.origin.chosen(there).is_same(now)
    if index.origin is None or now is None or not index.origin.was_before(now):
        unsure = there[~same[there]]
        same[unsure] = _is_equal(index, unsure, collection, rows[unsure])
    new = np.ones(len(ids), np.bool_)
    new[rows[same]] = False
    is_same = bool(same.all() and not new.any() and index.origin and now and index.origin.hash == now.hash)
    changed = int(np.count_nonzero(~same[there]))
    return Changes(np.flatnonzero(~same), np.flatnonzero(new), changed, is_same)


def update(
    index: OpenIndex, collection: Any, changes: Changes, workers: int | None, source: Any = None,
    origin: str | None = None,
) -> None:  # fmt: skip
    """Bring an index up to date with its collection, in one step.

    `source` gives the texts of the new documents (default: the collection); `origin` is the collection's folder, where
    it was moved.
    """
    settings = index.manifest if origin is None else {**index.manifest, "source": origin}
    if changes.is_same_collection and settings == index.manifest:
        tidy(index.folder, index.manifest)  # a process that was killed after its last step left nothing else to do
        return
    with unchanged(index.folder, index.manifest) as owned:
        parts = []
        for part, segment, first in zip(_parts(index), index.segments, index.bases.tolist(), strict=False):
            here = changes.dead[(changes.dead >= first) & (changes.dead < first + len(segment))] - first
            if not len(here):
                parts.append(part)
            elif len(here) < len(segment):  # otherwise nothing of it is left
                tombstones = new_path(owned, kind="dead")
                stored, rows = segment, here
                if isinstance(segment, LiveSegment):
                    stored, rows = segment.stored, np.concatenate([segment.tombstones.rows, segment.rows[here]])
                write_tombstones(tombstones, stored, rows, index.fields, index.analysis)
                parts.append(Part(part.path, tombstones))
        if len(changes.new):
            units = _chosen_units(index, source if source is not None else collection, changes.new)
            positions = index.manifest["positions"]
            parts.append(
                Part(new_segment(units, owned, index.fields, index.analysis, positions, BuildSizes.of(workers)))
            )
        commit(owned, settings, parts, lambda ids: Origin.of(collection, ids, _members(index)))


def _members(index: OpenIndex) -> Members | None:
    """Whose texts a family has; None for an index of documents."""
    return index.manifest["members"] if index.unit == "family" else None


def _chosen_units(index: OpenIndex, source: Any, chosen: NDArray[np.int64]) -> Iterator[DocumentBatch]:
    """Batches of some documents or families of a collection, as the index has them."""
    return units_of(source, index.fields, index.unit, index.manifest["members"], chosen)


def groups_to_merge(segments: Sequence[dict[str, Any]]) -> list[range]:
    """Which segments to write anew as one: ranges of neighbours.

    A segment has the level log₈ of its live documents, or that of a later segment if that is higher. Eight segments of
    a level become one, so there are at most 7 a level, and a document is written anew about once a level. A segment is
    written anew by itself when more than a fifth of its documents are dead.
    """
    sizes = [live_documents(segment) for segment in segments]
    levels = [int(np.log2(max(size, 1)) / np.log2(WIDTH)) for size in sizes]
    levels = np.maximum.accumulate(levels[::-1])[::-1].tolist()
    groups = []
    for _, places in groupby(range(len(levels)), key=levels.__getitem__):
        here = list(places)
        if len(here) >= WIDTH:
            groups.append(range(here[0], here[-1] + 1))
        else:
            many_dead = [at for at in here if sizes[at] < (1 - MOST_DEAD) * segments[at]["documents"]]
            groups += [range(at, at + 1) for at in many_dead]
    return groups


def _parts(index: OpenIndex) -> list[Part]:
    """The segments of an index as they are."""
    dead = [segment.get("dead") for segment in index.manifest["segments"]]
    return [
        Part(index.folder / segment["file"], index.folder / each["file"] if each else None)
        for segment, each in zip(index.manifest["segments"], dead, strict=True)
    ]


def merge_groups(index: OpenIndex, groups: Sequence[range]) -> None:
    """Write ranges of segments as one each, without their dead documents."""
    families, bases = index.column("family"), index.bases
    with unchanged(index.folder, index.manifest) as owned:
        parts = _parts(index)
        for group in reversed(groups):
            made = new_path(owned)
            of_group = families[bases[group.start] : bases[group.stop]]
            merge(index.segments[group.start : group.stop], index.fields, made, of_group)
            parts[group.start : group.stop] = [Part(made)]
        commit(owned, index.manifest, parts, lambda _: index.origin)


def _is_equal(
    index: OpenIndex, rows: NDArray[np.int64], collection: Any, others: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether documents of the index are as in a collection: the checksum of their texts, days, names and classes."""
    if not len(rows):
        return np.ones(0, np.bool_)
    equal = np.zeros(len(rows), np.bool_)
    place_of = {index.ids[row]: place for place, row in enumerate(rows.tolist())}
    numbers = {name: index.column(name) for name in NUMBERS if name != "family"}
    for batch in _chosen_units(index, collection, np.sort(others)):
        sums = content_sums(list(batch.texts.values()))
        places = np.array([place_of[name] for name in batch.ids])
        of_index = rows[places]
        same = np.ones(len(places), np.bool_)
        for name, column in numbers.items():
            same &= column[of_index] == (sums if name == "content" else batch.numbers[name])
        for name in CODES:
            given = zip(of_index.tolist(), batch.codes[name], strict=True)
            same &= np.array([index.words_of(name, row) == words for row, words in given])
        equal[places] = same
    return equal
