"""Open the files that a manifest names, and check that they are the files it was written for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.retrieval.index import arrays
from leadline.retrieval.index.array_table import damaged
from leadline.retrieval.index.checked_array import ValueBounds
from leadline.retrieval.index.live import LiveSegment
from leadline.retrieval.index.origin import Origin, stored_origin
from leadline.retrieval.index.segment import Segment, SegmentFile
from leadline.retrieval.index.tombstones import Tombstones
from leadline.text.checksums import file_sha256

if TYPE_CHECKING:
    from numpy.typing import NDArray


def described_file(path: Path) -> dict[str, Any]:
    """The entry of an array file in a manifest."""
    return {
        "file": path.name,
        "bytes": path.stat().st_size,
        "checksum": arrays.read(path).root,
        "sha256": file_sha256(path),
    }


def opened_segment(folder: Path, known: Mapping[str, Any]) -> Segment:
    """The segment that a manifest describes, without its dead documents."""
    segment = Segment(folder / known["file"])
    _check_identity(segment.file, known)
    if len(segment) != known["documents"]:
        raise damaged(str(segment.path), f"it has {len(segment)} documents, not {known['documents']}")
    dead = known.get("dead")
    if dead is None:
        return segment
    tombstones = Tombstones(folder / dead["file"], len(segment))
    _check_identity(tombstones.file, dead)
    if len(tombstones.rows) != dead["documents"]:
        raise tombstones.damaged(f"it has {len(tombstones.rows)} documents, not {dead['documents']}")
    return LiveSegment(segment, tombstones)


class OrderFile:
    """The file of what changes with every document: the order of all ids, and where the documents come from."""

    def __init__(self, folder: Path, manifest: Mapping[str, Any], documents: int) -> None:
        self._content = SegmentFile(folder / manifest["order"]["file"])
        self._collection, self._documents = manifest.get("collection"), documents
        file = self._content.arrays
        _check_identity(file, manifest["order"])
        # The rank of each document when all are sorted by id.
        self.ranks: NDArray[np.int32] = file.whole(
            "ranks", np.int32, ValueBounds(0, documents - 1), "order of documents"
        )
        if len(self.ranks) != documents:
            raise damaged(file.path, f"it has {len(self.ranks)} documents, not {documents}")

    @cached_property
    def origin(self) -> Origin | None:
        """Where the documents come from; None where that is not known."""
        if self._collection is None:
            return None
        return stored_origin(self._content, self._collection, self._documents)


def _check_identity(file: arrays.ArrayFile, known: Mapping[str, Any]) -> None:
    if file.root != known["checksum"]:
        raise damaged(file.path, "it is not the file that the manifest names")
