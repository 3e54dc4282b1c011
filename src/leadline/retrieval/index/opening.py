"""Open the files that a manifest names, and check that they are the files it was written for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.retrieval.index import arrays
from leadline.retrieval.index.array_table import damaged
from leadline.retrieval.index.checked_array import ValueBounds
from leadline.retrieval.index.segment import Segment
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
    """The segment that a manifest describes."""
    segment = Segment(folder / known["file"])
    _check_identity(segment.file, known)
    if len(segment) != known["documents"]:
        raise damaged(str(segment.path), f"it has {len(segment)} documents, not {known['documents']}")
    return segment


def opened_order(folder: Path, known: Mapping[str, Any], documents: int) -> NDArray[np.int32]:
    """The rank of each document when all are sorted by id."""
    file = arrays.read(folder / known["file"])
    _check_identity(file, known)
    ranks = file.whole("ranks", np.int32, ValueBounds(0, documents - 1), "order of documents")
    if len(ranks) != documents:
        raise damaged(file.path, f"it has {len(ranks)} documents, not {documents}")
    return ranks


def _check_identity(file: arrays.ArrayFile, known: Mapping[str, Any]) -> None:
    if file.root != known["checksum"]:
        raise damaged(file.path, "it is not the file that the manifest names")
