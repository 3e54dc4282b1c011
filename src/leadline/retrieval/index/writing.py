"""Write or change an index: first new files, then the manifest; files that it no longer names are deleted last."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.records.scores.result import counted
from leadline.retrieval.index import arrays
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.batches import BATCH_BYTES, DocumentBatch, Records, SomeRows, batches, is_collection
from leadline.retrieval.index.derived import split_fields
from leadline.retrieval.index.families import Members, Unit, family_batches
from leadline.retrieval.index.id_order import sorted_places
from leadline.retrieval.index.inverting import inverted
from leadline.retrieval.index.manifest import KIND, MANIFEST, VERSION, WHAT, files_of, read_manifest
from leadline.retrieval.index.merging import MERGE_SIZES, MergeSizes, merge
from leadline.retrieval.index.opening import described_file, opened_segment
from leadline.retrieval.index.origin import Origin
from leadline.retrieval.index.segment import Segment
from leadline.retrieval.index.terms import Terms
from leadline.retrieval.index.tombstones import ROWS as DEAD_ROWS
from leadline.text.checksums import file_sha256, sealed
from leadline.text.files import readable_size, reported, sync_folder, write_stored
from leadline.text.memory_budget import LargestDocument, MemoryBudget, MemoryLike
from leadline.text.owned_folder import OwnedFolder
from leadline.text.spread import Spread
from leadline.text.stored import stored_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNFINISHED = "unfinished-"  # prefix of the folder for segments to be merged
# Measured with benchmarks/memory.py: the memory of the libraries, of each document, and of each byte of a batch.
BASE_BYTES, BYTES_A_DOCUMENT, BYTES_A_BYTE = 220_000_000, 150, 10
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
        room = (budget.size - fixed) // BYTES_A_BYTE
        while threads > 1 and room // (threads + 1) < min(4 * SMALLEST_BATCH, BATCH_BYTES):
            threads -= 1
        batch = min(BATCH_BYTES, room // (threads + 1))
        budget.state(f"{threads + 1} batches of {readable_size(batch)} of text at a time, merged on disk")
        return cls(threads, batch, MergeSizes(min(MERGE_SIZES.slab, batch // 6), min(MERGE_SIZES.in_memory, batch)))


def least_memory(documents: int) -> int:
    """The smallest budget for an index of so many documents."""
    return BASE_BYTES + BYTES_A_DOCUMENT * documents + 2 * SMALLEST_BATCH * BYTES_A_BYTE


def build(
    source: Iterable[Any] | Records, folder: Path, fields: Sequence[str], analysis: Analysis, positions: bool,
    workers: int | None, origin: str, unit: Unit = "document", members: Members = "joined",
    memory: MemoryLike = None,
    spread: Spread | None = None,
) -> None:  # fmt: skip
    """Write an index of documents; `spread` inverts and merges them elsewhere."""
    if not split_fields(fields)[0]:
        derived = f"{fields[0]} is derived from others: name one of these too" if fields else ""
        problem = derived or "an index needs at least one"
        raise InputError("fields", problem)
    checked_choice("unit", unit, get_args(Unit))
    checked_choice("members", members, get_args(Members))
    settings = {
        "analysis": analysis.settings(), "fields": list(fields), "positions": positions, "source": origin,
        "unit": unit, "members": members, "stemmer": analysis.stemmer_version(),
    }  # fmt: skip
    budget = MemoryBudget.of(memory)
    sizes = BuildSizes.of(workers, budget, source)
    units = _seen(units_of(source, fields, unit, members, size=sizes.batch), budget, sizes)
    with OwnedFolder.locked(folder, KIND, VERSION) as owned:
        if owned.damaged:
            _recover_names(owned)
        made = new_segment(units, owned, fields, analysis, positions, sizes, spread)
        commit(
            owned, settings, [Part(made)], lambda ids: Origin.of(source, ids, members if unit == "family" else None)
        )  # fmt: skip


def _seen(
    units: Iterator[DocumentBatch], budget: MemoryBudget | None, sizes: BuildSizes
) -> Iterator[DocumentBatch]:  # fmt: skip
    """The same batches; of one that is a single document too large for the budget, it is said."""
    largest = LargestDocument(budget, sizes.batch, BYTES_A_BYTE)
    for batch in units:
        if len(batch.ids) == 1:
            largest.see(batch.size)
        yield batch


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
    source: Iterator[DocumentBatch], owned: OwnedFolder, fields: Sequence[str], analysis: Analysis, positions: bool,
    sizes: BuildSizes, spread: Spread | None = None,
) -> Path:  # fmt: skip
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
    source: Iterable[Any] | Records, fields: Sequence[str], unit: Unit, members: Members,
    chosen: NDArray[np.int64] | None = None, size: int = BATCH_BYTES,
) -> Iterator[DocumentBatch]:  # fmt: skip
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
    _remove_all_but(owned, {order.name, *(path.name for path in files)})


def _remove_all_but(owned: OwnedFolder, named: set[str]) -> None:
    """Remove the segments, tombstones and orders that the manifest does not name.

    A process that has them open keeps them; where the system does not allow that, the next change removes them.
    """
    ours = ("segment-", "dead-", "order-")
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
    counts = {"documents": len(places)} | {
        f"{name} words": sum(int(segment.field(name).totals.sum()) for segment in segments)
        for name in settings["fields"]
    }
    collection = None if origin is None else {"hash": origin.hash, "parts": origin.parts, "id": origin.id}
    return {
        "what": WHAT, "version": VERSION, "analysis": settings["analysis"], "fields": settings["fields"],
        "positions": settings["positions"], "source": settings["source"], "unit": settings.get("unit", "document"),
        "members": settings.get("members", "joined"), "stemmer": settings.get("stemmer"), "collection": collection,
        "counts": counts, "segments": described, "order": described_file(order),
    }  # fmt: skip


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
