"""Write or change an index: new files, then the manifest; segments merged; what it no longer names deleted last."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, get_args

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.records.result import counted
from leadline.retrieval.choices import Members, Unit
from leadline.retrieval.index import arrays
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.derived import split_fields
from leadline.retrieval.index.inverting import (
    BATCH_BYTES,
    DocumentBatch,
    Records,
    SomeRows,
    batches,
    content_sums,
    inverted,
    is_collection,
    listed,
)
from leadline.retrieval.index.manifest import (
    KIND,
    KIND_NAME,
    MANIFEST,
    VERSION,
    Origin,
    described_file,
    family_batches,
    family_ids,
    files_of,
    live_documents,
    opened_segment,
    read_manifest,
    trees_of,
)
from leadline.retrieval.index.segment import CODES, MERGE_SIZES, NUMBERS, MergeSizes, Segment, merge
from leadline.retrieval.index.terms import Terms
from leadline.retrieval.index.tombstones import ROWS as DEAD_ROWS
from leadline.retrieval.index.tombstones import LiveSegment, write_tombstones
from leadline.retrieval.index.trees import TREES, Tree, TreeKind
from leadline.text.checksums import CHECKSUM, file_sha256, sealed, stored_bytes
from leadline.text.engine import LOADING_PAYS, engine_of
from leadline.text.files import readable_size, reported, sync_folder, write_stored
from leadline.text.owned_folder import OwnedFolder
from leadline.text.spread import LargestDocument, MemoryBudget, MemoryLike, Spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNFINISHED = "unfinished-"  # prefix of the folder for segments to be merged
# Measured with benchmarks/memory.py: the memory of the libraries, of each document, and of each byte of a batch.
BASE_BYTES, BYTES_A_DOCUMENT, BYTES_A_BYTE = 220_000_000, 150, 10
PLAIN_BYTES_A_BYTE = 28  # without machine code
SMALLEST_BATCH = 1 << 20
AT_ONCE = 16  # segments merged together: the head of each dictionary is compared for every term


@dataclass(frozen=True)
class BuildSizes:
    """How much of an index in the making is in memory: `workers` + 1 batches of texts, and lists that are merged."""

    workers: int
    batch: int = BATCH_BYTES  # bytes of text
    merging: MergeSizes = MERGE_SIZES

    @classmethod
    def of(cls, workers: int | None, budget: MemoryBudget | None = None, source: Any = None) -> BuildSizes:
        """The sizes that keep to a budget: smaller batches, and fewer workers where batches would be very small."""
        threads = workers or os.cpu_count() or 1
        if budget is None:
            return cls(threads)
        documents = len(source) if is_collection(source) else 0
        budget.require(least_memory(documents), f"an index of {counted(documents, 'document')}")
        fixed = BASE_BYTES + BYTES_A_DOCUMENT * documents
        compiled = engine_of("leadline.retrieval.index.kernels").expects(LOADING_PAYS + 1)
        room = (budget.size - fixed) // (BYTES_A_BYTE if compiled else PLAIN_BYTES_A_BYTE)
        while threads > 1 and room // (threads + 1) < min(4 * SMALLEST_BATCH, BATCH_BYTES):
            threads -= 1
        batch = min(BATCH_BYTES, max(room // (threads + 1), SMALLEST_BATCH))
        budget.state(f"{threads + 1} batches of {readable_size(batch)} of text at a time, merged on disk")
        return cls(threads, batch, MergeSizes(min(MERGE_SIZES.slab, batch // 6), min(MERGE_SIZES.in_memory, batch)))


def least_memory(documents: int) -> int:
    """The smallest budget for an index of so many documents."""
    return BASE_BYTES + BYTES_A_DOCUMENT * documents + 2 * SMALLEST_BATCH * BYTES_A_BYTE


def build(
    source: Iterable[Any] | Records,
    folder: Path,
    fields: Sequence[str],
    analysis: Analysis,
    positions: bool,
    workers: int | None,
    origin: str,
    unit: Unit = "document",
    members: Members = "joined",
    memory: MemoryLike = None,
    spread: Spread | None = None,
) -> None:
    """Write an index of documents; `spread` inverts and merges them elsewhere."""
    if not split_fields(fields)[0]:
        derived = f"{fields[0]} is derived from others: name one of these too" if fields else ""
        problem = derived or "an index needs at least one"
        raise InputError("fields", problem)
    checked_choice("unit", unit, get_args(Unit))
    checked_choice("members", members, get_args(Members))
    settings = {
        "analysis": analysis.settings(),
        "fields": list(fields),
        "positions": positions,
        "source": origin,
        "unit": unit,
        "members": members,
        "stemmer": analysis.stemmer_version(),
    }
    budget = MemoryBudget.of(memory)
    sizes = BuildSizes.of(workers, budget, source)
    units = _warn_of_largest(units_of(source, fields, unit, members, size=sizes.batch), budget, sizes)
    with OwnedFolder.locked(folder, KIND, VERSION) as owned:
        if owned.damaged:
            _recover_names(owned)
        made = new_segment(units, owned, fields, analysis, positions, sizes, spread)
        commit(owned, settings, [Part(made)], lambda ids: Origin.of(source, ids, members if unit == "family" else None))


def _warn_of_largest(
    units: Iterator[DocumentBatch], budget: MemoryBudget | None, sizes: BuildSizes
) -> Iterator[DocumentBatch]:
    """The same batches, with a warning where a single document is too large for the budget."""
    largest = LargestDocument(budget, sizes.batch, BYTES_A_BYTE)
    for batch in units:
        if len(batch.ids) == 1:
            largest.see(batch.size)
        yield batch


def keep_trees(folder: Path, manifest: dict[str, Any], trees: Mapping[TreeKind, Tree]) -> None:
    """Keep trees in the folder of an index, each in place of one of its kind; the manifest is written last."""
    with unchanged(folder, manifest) as owned:
        entries = dict(trees_of(manifest))
        for kind, tree in trees.items():
            path = new_path(owned, kind=kind)
            arrays.write(path, tree.stored())
            arrays.sync_file(path)
            entries[kind] = {**described_file(path), "source": tree.source}
        sync_folder(folder)
        content = {name: value for name, value in manifest.items() if name != CHECKSUM}
        content |= {"version": VERSION, "trees": entries}
        write_stored(folder / MANIFEST, sealed(content))
        _remove_all_but(owned, {entry["file"] for entry in files_of(content)})


def tidy(folder: Path, manifest: dict[str, Any]) -> None:
    """Remove what a killed process left in the folder of an index, unless another process writes there."""
    with contextlib.suppress(InputError, OSError), unchanged(folder, manifest) as owned:
        owned.remove_all(UNFINISHED)
        _remove_all_but(owned, {known["file"] for known in files_of(manifest)})


@contextlib.contextmanager
def unchanged(folder: Path, manifest: dict[str, Any]) -> Iterator[OwnedFolder]:
    """The locked folder; InputError if its index is no longer the one that was opened."""
    with OwnedFolder.locked(folder, KIND, VERSION) as owned:
        if read_manifest(folder)["order"] != manifest["order"]:
            raise InputError(str(folder), "was changed by another process: open it again")
        yield owned


def _recover_names(owned: OwnedFolder) -> None:
    """List again the files of the index where lines of the identity are damaged: those with the right checksum."""
    with contextlib.suppress(InputError, OSError):
        manifest = read_manifest(owned.path)
        for known in files_of(manifest):
            if file_sha256(owned.path / known["file"]) == known["sha256"]:
                owned.add(known["file"])


def new_path(owned: OwnedFolder, inside: str = "", kind: str = "segment") -> Path:
    """The path of a new file, listed among the files of the folder."""
    name = f"{inside}{kind}-{secrets.token_hex(6)}.arrays"
    owned.add(name)
    return owned.path / name


def new_segment(
    source: Iterator[DocumentBatch],
    owned: OwnedFolder,
    fields: Sequence[str],
    analysis: Analysis,
    positions: bool,
    sizes: BuildSizes,
    spread: Spread | None = None,
) -> Path:
    """Write one segment of all documents: batches are inverted in parallel, and their segments merged."""
    owned.remove_all(UNFINISHED)  # of a process that was killed
    staging = f"{UNFINISHED}{secrets.token_hex(6)}"
    owned.add(staging)
    with reported(owned.path / staging):
        (owned.path / staging).mkdir()
    try:
        if spread is None:
            pieces = list(_pieces(source, owned, f"{staging}/", analysis, positions, sizes.workers))
        else:
            numbered = ((batch, new_path(owned, f"{staging}/")) for batch in source)
            pieces = list(spread(_inverted_elsewhere, numbered, analysis, positions))
        if not pieces:
            raise InputError(str(owned.path), "there are no documents to index")
        while len(pieces) > 1:
            rounds = range(0, len(pieces), AT_ONCE)
            groups = [pieces[at : at + AT_ONCE] for at in rounds]
            if spread is None:
                pieces = [_merged(group, fields, owned, f"{staging}/", sizes) for group in groups]
            else:
                into = ((group, new_path(owned, f"{staging}/")) for group in groups)
                pieces = list(spread(_merged_elsewhere, into, fields))
                owned.remove(f"{staging}/{piece.name}" for group in groups for piece in group if piece not in pieces)
        made = new_path(owned)
        os.replace(pieces[0], made)
    finally:
        if spread is not None:  # what a machine that was lost has left there
            owned.add(*(f"{staging}/{left.name}" for left in (owned.path / staging).glob("segment-*.arrays")))
        owned.remove_all(UNFINISHED)
    return made


def units_of(
    source: Iterable[Any] | Records,
    fields: Sequence[str],
    unit: Unit,
    members: Members,
    chosen: NDArray[np.int64] | None = None,
    size: int = BATCH_BYTES,
) -> Iterator[DocumentBatch]:
    """Batches of documents or of families, each with the names of the fields to derive.

    `chosen` are rows of a collection, or places of families (default: all).
    """
    own, derived = split_fields(fields)
    if unit == "family" and not is_collection(source):
        raise InputError("unit", "family needs a collection: build one first, or choose document")
    if unit == "document":
        rows: Any = source if chosen is None else SomeRows(source, chosen)
        units = batches(rows, own, size)
    else:
        units = family_batches(source, own, size, members, chosen)
    return (replace(batch, derived=tuple(derived)) for batch in units)


def _pieces(
    source: Iterator[DocumentBatch], owned: OwnedFolder, staging: str, analysis: Analysis, positions: bool, workers: int
) -> Iterator[Path]:
    """A segment file for each batch, in order. At most `workers` + 1 batches are in memory."""

    def invert(batch: DocumentBatch, path: Path) -> Path:
        arrays.write(path, inverted(batch, analysis, positions))
        return path

    waiting: deque[Future[Path]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        for batch in source:
            waiting.append(pool.submit(invert, batch, new_path(owned, staging)))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _merged(pieces: Sequence[Path], fields: Sequence[str], owned: OwnedFolder, staging: str, sizes: BuildSizes) -> Path:
    if len(pieces) == 1:
        return pieces[0]
    made = new_path(owned, staging)
    merge([Segment(piece) for piece in pieces], fields, made, sizes=sizes.merging)
    owned.remove(f"{staging}{piece.name}" for piece in pieces)  # some systems keep files that are still mapped
    return made


def _inverted_elsewhere(batch: DocumentBatch, path: Path, analysis: Analysis, positions: bool) -> Path:
    """Write the segment of a batch. Another process may be writing it too, if it was thought to be lost."""
    return _replaced(path, lambda other: arrays.write(other, inverted(batch, analysis, positions)))


def _merged_elsewhere(pieces: Sequence[Path], path: Path, fields: Sequence[str]) -> Path:
    """Merge segments into one; what is merged stays, since the merge may have to be done again."""
    if len(pieces) == 1:
        return pieces[0]
    return _replaced(path, lambda other: merge([Segment(piece) for piece in pieces], fields, other))


def _replaced(path: Path, write: Callable[[Path], None]) -> Path:
    """Write a file under a name of its own, flush it, and give it its name."""
    other = path.with_name(f"{path.stem}-{secrets.token_hex(6)}.arrays")
    try:
        write(other)
        arrays.sync_file(other)
        os.replace(other, path)
    finally:
        other.unlink(missing_ok=True)
    return path


@dataclass(frozen=True)
class Part:
    """A segment of an index, and its tombstones if it has dead documents."""

    path: Path
    dead: Path | None = None


def commit(
    owned: OwnedFolder,
    settings: dict[str, Any],
    parts: Sequence[Part],
    origin_of: Callable[[Terms], Origin | None],
) -> None:
    """Make these the segments of the index; the manifest is written last, when all other files are on disk.

    `origin_of` gives the places of the documents with these ids in their collection.
    """
    known = {entry["file"]: entry for entry in files_of(settings)} if "segments" in settings else {}
    order = owned.path / f"order-{secrets.token_hex(6)}.arrays"
    files = [path for part in parts for path in (part.path, part.dead) if path is not None]
    new = [*(path for path in files if path.name not in known), order]
    owned.add(order.name, MANIFEST)
    before = _content(owned.path / MANIFEST)
    try:
        manifest = _manifest(settings, parts, known, order, origin_of)
        for path in new:
            arrays.sync_file(path)
        sync_folder(owned.path)
        write_stored(owned.path / MANIFEST, sealed(manifest))
    except BaseException:
        if _content(owned.path / MANIFEST) == before:
            owned.remove(path.name for path in new)
        raise
    kept = (entry["file"] for entry in trees_of(settings).values())
    _remove_all_but(owned, {order.name, *kept, *(path.name for path in files)})


def _remove_all_but(owned: OwnedFolder, named: set[str]) -> None:
    """Remove the segments, tombstones and orders that the manifest does not name.

    A process that has them open keeps them; where the system does not allow that, the next change removes them.
    """
    ours = ("segment-", "dead-", "order-", *(f"{kind}-" for kind in TREES))
    owned.remove(name for name in owned.names if name.startswith(ours) and name not in named)
    owned.format = VERSION  # an older version may have made the folder
    owned.keep_only(named)


def _manifest(
    settings: dict[str, Any],
    parts: Sequence[Part],
    known: dict[str, dict[str, Any]],
    order: Path,
    origin_of: Callable[[Terms], Origin | None],
) -> dict[str, Any]:
    """The manifest of an index with these segments; it writes the file with the order of the documents, too."""
    described = [_described(part, known) for part in parts]
    segments = [opened_segment(order.parent, each) for each in described]
    ids = Terms.joined([segment.ids for segment in segments])
    places = sorted_places(ids)
    origin = origin_of(ids)
    arrays.write(order, {"ranks": places} | (origin.stored() if origin is not None else {}))
    trees = {"trees": trees_of(settings)} if trees_of(settings) else {}
    counts = {"documents": len(places)} | {
        f"{name} words": sum(int(segment.field(name).totals.sum()) for segment in segments)
        for name in settings["fields"]
    }
    collection = None if origin is None else {"hash": origin.hash, "parts": origin.parts, "id": origin.id}
    return {
        "what": KIND_NAME,
        "version": VERSION,
        "analysis": settings["analysis"],
        "fields": settings["fields"],
        "positions": settings["positions"],
        "source": settings["source"],
        "unit": settings.get("unit", "document"),
        "members": settings.get("members", "joined"),
        "stemmer": settings.get("stemmer"),
        "collection": collection,
        "counts": counts,
        "segments": described,
        "order": described_file(order),
        **trees,
    }


def _described(part: Part, known: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The entry of a segment in the manifest."""
    entry = known.get(part.path.name) or {**described_file(part.path), "documents": len(Segment(part.path))}
    entry = {name: value for name, value in entry.items() if name != "dead"}
    if part.dead is None:
        return entry
    rows = arrays.read(part.dead).size(DEAD_ROWS)
    return entry | {"dead": known.get(part.dead.name) or {**described_file(part.dead), "documents": rows}}


def _content(path: Path) -> bytes | None:
    try:
        return stored_bytes(path)
    except FileNotFoundError:
        return None


# Change an index: documents added, changed and deleted, and segments merged.
#
# New and changed documents become a new segment; those that were changed or deleted are dead in their old one. Segments
# are merged when there are many of about the same size, and written anew when many of their documents are dead, so that
# both stay few: see `groups_to_merge`. Only neighbours are merged, so rows stay in the order of the collection.


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
    def id_of(self, row: int) -> str: ...
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
    kept: NDArray[np.int64] | None = None  # rows of the collection of the other documents, where their places tell

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
    rows_by_place = None if index.origin is None else index.origin.rows_in(collection)
    if rows_by_place is not None:
        return _changes_by_place(index, collection, rows_by_place)
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


def _changes_by_place(index: OpenIndex, collection: Any, rows: NDArray[np.int64]) -> Changes:
    """What `update` would change; `rows` are those of the index's documents in the collection."""
    dead = np.flatnonzero(rows < 0)
    is_new = np.ones(len(collection), np.bool_)
    is_new[rows[rows >= 0]] = False
    new = np.flatnonzero(is_new)
    changed = 0
    if len(dead) and len(new):
        anew = set(collection.records_at(new, ("id",))["id"].to_list())
        changed = sum(index.id_of(row) in anew for row in dead.tolist())
    origin = index.origin
    is_same = not len(dead) and not len(new) and origin is not None and origin.hash == collection.manifest["hash"]
    return Changes(dead, new, changed, is_same, rows[rows >= 0])


def update(
    index: OpenIndex,
    collection: Any,
    changes: Changes,
    workers: int | None,
    source: Any = None,
    origin: str | None = None,
) -> None:
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

        def origin_of(ids: Terms) -> Origin | None:
            if changes.kept is None:
                return Origin.of(collection, ids, _members(index))
            return Origin.of_rows(collection, np.concatenate([changes.kept, changes.new]))

        commit(owned, settings, parts, origin_of)


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
            given = zip(of_index.tolist(), listed(batch.codes[name]), strict=True)
            same &= np.array([index.words_of(name, row) == words for row, words in given])
        equal[places] = same
    return equal


# The order of the ids of documents, in arrays: no id becomes an object of its own.


_BYTES = 8  # of a name that are compared at once
_AT_ONCE = 1 << 18  # names whose bytes are read together


def sorted_places(names: Terms) -> NDArray[np.int32]:
    """The rank of each name when all are sorted by their bytes; InputError where two are the same.

    They are sorted by their first eight bytes, as numbers; those that are the same so far by the next eight, and so on.

    >>> sorted_places(Terms.of([b"EP2", b"EP", b"WO199500123", b"WO199500101"])).tolist()
    [1, 0, 3, 2]
    """
    order = np.arange(len(names), dtype=np.int32)
    undecided = order.astype(np.int64)  # places of the order whose names are not told apart yet
    group = np.zeros(len(names), np.int32)  # the same for those that are the same so far
    depth = 0
    while len(undecided):
        rows = order[undecided]
        key, length = _bytes_of(names, rows, depth)
        sorted_by = np.lexsort((length, key, group))
        order[undecided], key, length = rows[sorted_by], key[sorted_by], length[sorted_by]
        group = group[sorted_by]
        same = np.zeros(len(undecided) + 1, np.bool_)  # as the one before
        same[1:-1] = (group[1:] == group[:-1]) & (key[1:] == key[:-1]) & (length[1:] == length[:-1])
        twice = np.flatnonzero(same[:-1] & (length < _BYTES))  # both names end here
        if len(twice):
            name = names[int(order[undecided[twice[0]]])].decode()
            raise InputError(name, "is in the index already: ids must be unique")
        left = np.flatnonzero(same[:-1] | same[1:])
        group = np.cumsum(~same[:-1][left], dtype=np.int32)
        undecided, depth = undecided[left], depth + _BYTES
    places = np.empty(len(names), np.int32)
    places[order] = np.arange(len(names), dtype=np.int32)
    return places


def _bytes_of(names: Terms, rows: NDArray[np.int32], depth: int) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """The next eight bytes of each name as a number, and how many of them it has."""
    key, length = np.zeros(len(rows), np.uint64), np.empty(len(rows), np.uint8)
    for first in range(0, len(rows), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        starts, ends = names.offsets[rows[part]] + depth, names.offsets[rows[part] + 1]
        length[part] = np.clip(ends - starts, 0, _BYTES)
        for place in range(_BYTES):
            here = length[part] > place
            values = np.zeros(len(here), np.uint64)
            values[here] = names.buffer[starts[here] + place]
            key[part] = key[part] << np.uint64(8) | values
    return key, length
