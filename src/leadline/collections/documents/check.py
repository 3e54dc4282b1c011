"""A full check of a collection: the checksum of every file, and whether the tables fit the parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from leadline.collections.documents.column_sums import FIX
from leadline.collections.documents.manifest import BROKEN, MANIFEST, read_manifest
from leadline.collections.documents.staging import BUILDING, JOURNAL
from leadline.collections.documents.store import Collection
from leadline.errors import InputError, system_reason
from leadline.text.checksums import Finding, file_sha256
from leadline.text.owned_folder import identity_of

NOT_FINISHED = "is not finished"


def check_collection(folder: Path) -> Iterator[Finding]:
    """The problems of a collection; none if it is undamaged."""
    yield from check_identity(folder)
    try:
        collection = Collection(folder, read_manifest(folder))
    except InputError as error:
        if not (folder / MANIFEST).exists() and (folder / BUILDING / JOURNAL).is_file():
            yield Finding(str(folder), NOT_FINISHED, "the same command continues a build that was stopped")
        else:
            yield finding_of(error, FIX)
        return
    damaged = False
    for table in collection.tables():
        for finding in findings(table.check_all, FIX):
            damaged = True
            yield finding
    sums = collection.manifest.get("checksums", {})
    if BROKEN in sums:
        yield from check_file(collection.inside / BROKEN, sums[BROKEN], FIX)
    if collection.manifest["version"] > 1:
        yield from check_file(collection.inside / MANIFEST, file_sha256(folder / MANIFEST), FIX)
    if not damaged:
        yield from findings(collection.check_bounds, FIX)


def check_identity(folder: Path) -> Iterator[Finding]:
    """A finding if the identity file of a folder is damaged or cannot be read."""
    try:
        owned = identity_of(folder)
    except InputError as error:
        yield finding_of(error, "make the folder again under another name")
        return
    if owned is not None and owned.damaged:
        problem = f"has {owned.damaged} damaged lines, so some files are no longer known as ours"
        yield Finding(str(folder), problem, f"make the {owned.kind} again, under another name if that is refused")


def check_file(path: Path, sha256: object, fix: str) -> Iterator[Finding]:
    """A finding if a file is missing or its SHA-256 is another."""
    try:
        if file_sha256(path) != sha256:
            yield Finding(str(path), "is damaged, its checksum does not fit", fix)
    except FileNotFoundError:
        yield Finding(str(path), "is missing", fix)
    except OSError as error:
        yield Finding(str(path), f"cannot be read: {system_reason(error)}", fix)


def findings(check: Callable[[], object], fix: str) -> Iterator[Finding]:
    """The InputError that a function raises, as a finding; nothing if it raises none."""
    try:
        check()
    except InputError as error:
        yield finding_of(error, fix)


def finding_of(error: InputError, fix: str) -> Finding:
    """An error as a finding; the text after its last colon is the fix."""
    problem, _, ending = error.problem.rpartition(": ")
    return Finding(error.where, problem, ending) if problem else Finding(error.where, error.problem, fix)
