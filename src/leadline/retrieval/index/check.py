"""A check of an index in full."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from leadline.errors import InputError
from leadline.retrieval.index.manifest import file_digest, read_manifest
from leadline.text.checksums import Finding


def check_index(folder: Path) -> Iterator[Finding]:
    """Everything that is wrong with an index; nothing where it is as it was written."""
    fix = "build the index again"
    try:
        manifest = read_manifest(folder)
    except InputError as error:
        yield Finding(error.where, error.problem, fix)
        return
    for segment in manifest["segments"]:
        path = folder / segment["file"]
        if not path.is_file() or file_digest(path) != segment["sha256"]:
            yield Finding(str(path), "is damaged, its checksum does not fit", fix)
