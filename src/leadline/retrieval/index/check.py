"""A full check of an index: every byte is read, and all arrays must fit together."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from leadline.collections.documents.check import check_identity, finding_of, findings
from leadline.errors import InputError
from leadline.retrieval.index import arrays
from leadline.retrieval.index.array_table import REBUILD, damaged
from leadline.retrieval.index.live import LiveSegment
from leadline.retrieval.index.manifest import live_documents, read_manifest
from leadline.retrieval.index.opening import OrderFile, opened_segment
from leadline.retrieval.index.segment import CODES, NUMBERS, Segment
from leadline.text.checksums import Finding, file_sha256, read_sealed

VECTORS = "vectors-*.float16"
ABOUT_VECTORS = "vectors-*.json"  # beside each file of vectors: by which model they were made
ABOUT, ABOUT_FORMAT = "a description of vectors by leadline", 1
REBUILD_VECTORS = "make the vectors again with `leadline index --dense`"


def check_index(folder: Path) -> Iterator[Finding]:
    """The problems of an index; none if it is undamaged."""
    folder = Path(folder)
    try:
        manifest = read_manifest(folder)
    except InputError as error:
        yield finding_of(error, REBUILD)
        return
    yield from check_identity(folder)
    for known in manifest["segments"]:
        yield from findings(partial(_check_segment, folder, known, manifest["fields"]), REBUILD)
    yield from findings(partial(_check_order, folder, manifest), REBUILD)
    for path in sorted(folder.glob(VECTORS)):
        yield from findings(partial(_check_vectors, path), REBUILD)
    for path in sorted(folder.glob(ABOUT_VECTORS)):
        yield from findings(partial(read_about_vectors, path), REBUILD_VECTORS)


def check_arrays(file: arrays.ArrayFile) -> None:
    """Read every array of a file."""
    for name in file.names():
        file.whole(name)


def _check_vectors(path: Path) -> None:
    check_arrays(arrays.read(path, REBUILD_VECTORS))


def read_about_vectors(path: Path) -> dict[str, Any]:
    """What the description of vectors says, checked against its checksum."""
    return read_sealed(path, ABOUT, ABOUT_FORMAT, REBUILD_VECTORS) or {}


def _check_segment(folder: Path, known: dict[str, Any], fields: list[str]) -> None:
    segment = opened_segment(folder, known)
    _check_content(segment, fields)
    _check_file(folder, known)
    if isinstance(segment, LiveSegment):
        _check_content(segment.stored, fields)
        check_arrays(segment.tombstones.file)
        _check_file(folder, known["dead"])


def _check_content(segment: Segment, fields: list[str]) -> None:
    """Read all of a segment; of one with tombstones, all that is left of it."""
    _ = segment.ids
    for name in fields:
        field = segment.field(name)
        for part in (field.documents, field.frequencies, field.positions, field.form_codes):
            _ = part[:]
        _ = field.spellings, field.breaks
    for column in NUMBERS:
        segment.numbers(column)
    for column in CODES:
        segment.coded(column)
    check_arrays(segment.file)


def _check_order(folder: Path, manifest: dict[str, Any]) -> None:
    _ = OrderFile(folder, manifest, sum(map(live_documents, manifest["segments"]))).origin
    _check_file(folder, manifest["order"])


def _check_file(folder: Path, known: dict[str, Any]) -> None:
    path = folder / known["file"]
    if file_sha256(path) != known["sha256"]:
        raise damaged(str(path), "its checksum does not fit")
