"""Write or change an index: first new files, then the manifest; files that it no longer names are deleted last."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.retrieval.index import arrays
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.batches import BATCH_BYTES, DocumentBatch, Records, batches
from leadline.retrieval.index.derived import split_fields
from leadline.retrieval.index.families import Members, Unit, family_batches
from leadline.retrieval.index.inverting import inverted
from leadline.retrieval.index.manifest import KIND, MANIFEST, VERSION, WHAT, read_manifest
from leadline.retrieval.index.merging import merge
from leadline.retrieval.index.opening import described_file
from leadline.retrieval.index.segment import Segment
from leadline.text.checksums import file_sha256, sealed
from leadline.text.files import reported, sync_folder, write_stored
from leadline.text.owned_folder import OwnedFolder
from leadline.text.stored import stored_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNFINISHED = "unfinished-"  # prefix of the folder for segments to be merged
AT_ONCE = 16  # segments merged together: the head of each dictionary is compared for every term


def build(
    source: Iterable[Any] | Records, folder: Path, fields: Sequence[str], analysis: Analysis, positions: bool,
    workers: int | None, origin: str, unit: Unit = "document", members: Members = "joined",
) -> None:  # fmt: skip
    """Write an index of documents."""
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
    units = _units(source, fields, unit, members)
    with OwnedFolder.locked(folder, KIND, VERSION) as owned:
        if owned.damaged:
            _recover_names(owned)
        made = _new_segment(units, owned, fields, analysis, positions, workers)
        _commit(owned, settings, [made])


def add(
    source: Iterable[Any] | Records, folder: Path, manifest: dict[str, Any], analysis: Analysis, workers: int | None
) -> None:
    """Write one more segment of an index of documents."""
    units = _units(source, manifest["fields"], "document", "joined")
    with _unchanged(folder, manifest) as owned:
        made = _new_segment(units, owned, manifest["fields"], analysis, manifest["positions"], workers)
        _commit(owned, manifest, [*(folder / segment["file"] for segment in manifest["segments"]), made])


def merge_all(segments: Sequence[Segment], folder: Path, manifest: dict[str, Any]) -> None:
    """Write all segments of an index as one."""
    with _unchanged(folder, manifest) as owned:
        made = _new_path(owned)
        merge(segments, manifest["fields"], made)
        _commit(owned, manifest, [made])


def tidy(folder: Path, manifest: dict[str, Any]) -> None:
    """Remove what a killed process left in the folder of an index, unless another process writes there."""
    with contextlib.suppress(InputError, OSError), _unchanged(folder, manifest) as owned:
        owned.remove_all(UNFINISHED)
        _remove_all_but(owned, {known["file"] for known in (*manifest["segments"], manifest["order"])})


@contextlib.contextmanager
def _unchanged(folder: Path, manifest: dict[str, Any]) -> Iterator[OwnedFolder]:
    """The locked folder; InputError if its index is no longer the one that was opened."""
    with OwnedFolder.locked(folder, KIND, VERSION) as owned:
        if read_manifest(folder)["segments"] != manifest["segments"]:
            raise InputError(str(folder), "was changed by another process: open it again")
        yield owned


def _recover_names(owned: OwnedFolder) -> None:
    """List again the files of the index where lines of the identity are damaged: those with the right checksum."""
    with contextlib.suppress(InputError, OSError):
        manifest = read_manifest(owned.path)
        for known in (*manifest["segments"], manifest["order"]):
            if file_sha256(owned.path / known["file"]) == known["sha256"]:
                owned.add(known["file"])


def _new_path(owned: OwnedFolder, inside: str = "") -> Path:
    """The path of a new segment, listed among the files of the folder."""
    name = f"{inside}segment-{secrets.token_hex(6)}.arrays"
    owned.add(name)
    return owned.path / name


def _new_segment(
    source: Iterator[DocumentBatch], owned: OwnedFolder, fields: Sequence[str], analysis: Analysis, positions: bool,
    workers: int | None,
) -> Path:  # fmt: skip
    """Write one segment of all documents: batches are inverted in parallel, and their segments merged."""
    owned.remove_all(UNFINISHED)  # of a process that was killed
    staging = f"{UNFINISHED}{secrets.token_hex(6)}"
    owned.add(staging)
    with reported(owned.path / staging):
        (owned.path / staging).mkdir()
    try:
        pieces = list(_pieces(source, owned, f"{staging}/", analysis, positions, workers or os.cpu_count() or 1))
        if not pieces:
            raise InputError(str(owned.path), "there are no documents to index")
        while len(pieces) > 1:
            rounds = range(0, len(pieces), AT_ONCE)
            pieces = [_merged(pieces[at : at + AT_ONCE], fields, owned, f"{staging}/") for at in rounds]
        made = _new_path(owned)
        os.replace(pieces[0], made)
    finally:
        owned.remove_all(UNFINISHED)
    return made


def _units(
    source: Iterable[Any] | Records, fields: Sequence[str], unit: Unit, members: Members
) -> Iterator[DocumentBatch]:
    """Batches of documents or of families, each with the names of the fields to derive."""
    own, derived = split_fields(fields)
    if unit == "family" and not hasattr(source, "records"):
        raise InputError("unit", "family needs a collection: build one first, or choose document")
    units = batches(source, own) if unit == "document" else family_batches(source, own, BATCH_BYTES, members)
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
            waiting.append(pool.submit(invert, batch, _new_path(owned, staging)))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _merged(pieces: Sequence[Path], fields: Sequence[str], owned: OwnedFolder, staging: str) -> Path:
    if len(pieces) == 1:
        return pieces[0]
    made = _new_path(owned, staging)
    merge([Segment(piece) for piece in pieces], fields, made)
    owned.remove(f"{staging}{piece.name}" for piece in pieces)  # some systems keep files that are still mapped
    return made


def _commit(owned: OwnedFolder, settings: dict[str, Any], paths: Sequence[Path]) -> None:
    """Make these the segments of the index; the manifest is written last, when all other files are on disk."""
    known = {segment["file"]: segment for segment in settings.get("segments", [])}
    order = owned.path / f"order-{secrets.token_hex(6)}.arrays"
    new = [*(path for path in paths if path.name not in known), order]
    owned.add(order.name, MANIFEST)
    before = _content(owned.path / MANIFEST)
    try:
        manifest = _manifest(settings, paths, known, order)
        for path in new:
            arrays.sync_file(path)
        sync_folder(owned.path)
        write_stored(owned.path / MANIFEST, sealed(manifest))
    except BaseException:
        if _content(owned.path / MANIFEST) == before:
            owned.remove(path.name for path in new)
        raise
    _remove_all_but(owned, {order.name, *(path.name for path in paths)})


def _remove_all_but(owned: OwnedFolder, named: set[str]) -> None:
    """Remove the segments and orders that the manifest does not name."""
    owned.remove(name for name in owned.names if name.startswith(("segment-", "order-")) and name not in named)
    owned.format = VERSION  # an older version may have made the folder
    owned.keep_only(named)


def _manifest(
    settings: dict[str, Any], paths: Sequence[Path], known: dict[str, dict[str, Any]], order: Path
) -> dict[str, Any]:
    """The manifest of an index with these segments; it writes the file with the order of the documents, too."""
    segments = [Segment(path) for path in paths]
    places = sorted_places([name for segment in segments for name in segment.ids])
    arrays.write(order, {"ranks": places})
    described = [
        known.get(path.name) or {**described_file(path), "documents": len(segment)}
        for path, segment in zip(paths, segments, strict=True)
    ]
    counts = {"documents": len(places)} | {
        f"{name} words": sum(int(segment.field(name).totals.sum()) for segment in segments)
        for name in settings["fields"]
    }
    return {
        "what": WHAT, "version": VERSION, "analysis": settings["analysis"], "fields": settings["fields"],
        "positions": settings["positions"], "source": settings["source"], "unit": settings.get("unit", "document"),
        "members": settings.get("members", "joined"), "stemmer": settings.get("stemmer"),
        "counts": counts, "segments": described, "order": described_file(order),
    }  # fmt: skip


def _content(path: Path) -> bytes | None:
    try:
        return stored_bytes(path)
    except FileNotFoundError:
        return None


def sorted_places(names: Sequence[bytes]) -> NDArray[np.int32]:
    """The rank of each name when all are sorted; InputError where two are the same."""
    order = sorted(range(len(names)), key=names.__getitem__)
    for before, after in pairwise(order):
        if names[before] == names[after]:
            raise InputError(names[after].decode(), "is in the index already: ids must be unique")
    places = np.empty(len(names), np.int32)
    places[order] = np.arange(len(names), dtype=np.int32)
    return places
