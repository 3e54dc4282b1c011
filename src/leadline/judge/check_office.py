"""A check of a simulated office in full: its collection, truth tables, topics and judgements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from leadline.collections.documents.check import check_collection, check_file, check_identity, finding_of
from leadline.collections.documents.manifest import read_manifest as read_collection
from leadline.errors import InputError
from leadline.judge.simulated_office import FIX, MANIFEST, VERSION, WHAT
from leadline.text.checksums import Finding, read_sealed

_NAME = re.compile(r"(truth/)?[\w][\w.]*")


def check_office(folder: Path) -> Iterator[Finding]:
    """Everything that is wrong with a simulated office; nothing where it is as it was written."""
    yield from check_identity(folder)
    try:
        manifest = read_manifest(folder)
    except InputError as error:
        yield finding_of(error, FIX)
        return
    for name, sha256 in manifest["files"].items():
        yield from check_file(folder / name, sha256, FIX)
    yield from check_collection(folder / "collection")
    try:
        if read_collection(folder / "collection")["hash"] != manifest.get("collection"):
            yield Finding(str(folder / "collection"), "is of another office", FIX)
    except InputError:
        pass  # which the check of the collection says


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of an office; InputError where it is missing, damaged or of a newer format."""
    path = folder / MANIFEST
    manifest = read_sealed(path, WHAT, VERSION, FIX, number="version", unsealed=1)
    if manifest is None:
        raise InputError(str(path), f"is missing: {FIX}")
    files = manifest.get("files")
    if not isinstance(files, dict) or not all(_NAME.fullmatch(name) for name in files):
        raise InputError(str(path), f"is damaged, `files` does not list files of the office: {FIX}")
    return manifest
