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
from leadline.text.checksums import Finding, check_seal, parsed_object
from leadline.text.stored import stored_bytes

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
    try:
        manifest = parsed_object(stored_bytes(path), str(path), FIX)
    except OSError as error:
        raise InputError(str(path), f"cannot be read, {(error.strerror or str(error)).lower()}: {FIX}") from None
    if manifest.get("what") != WHAT:
        raise InputError(str(path), f"is not that of a simulated office: {FIX}")
    version = manifest.get("version", 1)
    if type(version) is int and version > VERSION:
        raise InputError(str(path), f"has format {version}, this version reads up to {VERSION}: update leadline")
    if version != 1 or "checksum" in manifest:
        check_seal(manifest, str(path), FIX)
    files = manifest.get("files")
    if not isinstance(files, dict) or not all(_NAME.fullmatch(name) for name in files):
        raise InputError(str(path), f"is damaged, `files` does not list files of the office: {FIX}")
    return manifest
