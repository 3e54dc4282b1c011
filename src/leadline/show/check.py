"""Check what Leadline has stored in a folder: index, collection, simulated office, grid, review, lab or demo."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from leadline.collections.crawl.crawl_folder import check_crawl
from leadline.collections.documents.collection import check_collection, check_file, check_identity, findings
from leadline.collections.documents.collection_files import KIND_NAME as COLLECTION
from leadline.errors import InputError
from leadline.judge.review.project import check_review, journal_notes
from leadline.judge.simulated_office import JUDGED, check_office
from leadline.judge.simulated_office import KIND_NAME as OFFICE
from leadline.retrieval.index.manifest import KIND_NAME as INDEX
from leadline.retrieval.index.manifest import check_index
from leadline.retrieval.pipeline.grid import KIND_NAME as GRID
from leadline.retrieval.pipeline.grid import check_grid
from leadline.show.demo import KEYS, REPORT, STORY, TRUE_REPORT, DoneSteps
from leadline.show.demo import REPAIR as AGAIN
from leadline.show.lab.check_lab import check_lab
from leadline.show.papers.beyond import STORED, read_stored
from leadline.show.report.html_page import key_written_in
from leadline.text.checksums import Finding, file_sha256, parsed_object, stored_bytes
from leadline.text.owned_files import IDENTITY, is_owned
from leadline.text.owned_folder import OwnedFolder, identity_of

_UNFINISHED = ".unfinished"


@dataclass
class Examination:
    """What a folder is, what is damaged in it, and what else lies there."""

    kind: str
    files: int = 0
    bytes: int = 0
    findings: list[Finding] = field(default_factory=list)
    leftovers: list[Path] = field(default_factory=list)  # of processes that were killed
    unfinished: list[Path] = field(default_factory=list)  # work that continues when it is started again
    strangers: list[Path] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check(folder: str | os.PathLike[str]) -> list[Finding]:
    """Everything that is damaged in a folder that Leadline wrote; empty where it is sound. It is read in full.

    Each finding has a `path`, a `problem` and a `fix`.
    """
    return examine(folder).findings


def examine(folder: str | os.PathLike[str]) -> Examination:
    """Read a folder in full, and say what it is and what is in it."""
    path = Path(folder)
    found = Examination(_kind(path))
    found.findings = list(dict.fromkeys(_CHECKS[found.kind](path)))
    for file in _files(path):
        found.files += 1
        found.bytes += file.stat().st_size
    _add_others(found, path)
    if found.kind == "review" and not found.findings:
        found.notes += journal_notes(path)
    return found


def _kind(folder: Path) -> str:
    """What a folder holds, by its identity file or, where it has none, by its manifest."""
    if not folder.is_dir():
        raise InputError(str(folder), "is not a folder" if folder.exists() else "no such folder")
    try:
        owned = identity_of(folder)
    except InputError:  # damaged; the check says so
        owned = None
    if owned is not None and owned.kind in _CHECKS:
        return owned.kind
    path = folder / "manifest.json"
    try:
        what = parsed_object(stored_bytes(path), str(path), "").get("what")
    except (OSError, InputError):
        what = None
    if isinstance(what, str) and what in _KINDS:
        return _KINDS[what]
    raise InputError(str(folder), "is not a folder that leadline wrote: name a collection, an index, a grid, …")


def _check_demo(folder: Path) -> Iterator[Finding]:
    """Everything that is wrong with a demo. A step that is not done yet is not a fault."""
    yield from check_identity(folder)
    done = DoneSteps(folder)
    steps = done.read()
    if not steps:
        yield Finding(str(folder / KEYS), "is missing or damaged", AGAIN)
    if "office" in steps:
        yield from check_office(folder / "office")
        for name in JUDGED:
            source = folder / "office" / name
            yield from check_file(folder / name, file_sha256(source) if source.is_file() else None, AGAIN)
    if "index" in steps:
        yield from check_index(folder / "index")
    if "runs" in steps:
        yield from check_grid(folder)
    if "citations-truth" in steps:
        yield from findings(lambda: read_stored(folder / STORED), AGAIN)
    if "story" in steps:
        yield from check_file(folder / STORY, steps["story"], AGAIN)
        for name in (REPORT, TRUE_REPORT):
            if not key_written_in(folder / name):
                yield Finding(str(folder / name), "is missing or damaged", AGAIN)


def _files(folder: Path) -> Iterator[Path]:
    """The files of ours in a folder, and in folders of ours in it."""
    owned = _owned(folder)
    if owned is None:  # without an identity file: whatever lies there
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
        return
    yield folder / IDENTITY
    for name in sorted(owned.names):
        path = folder / name
        if path.is_symlink() or path.suffix == _UNFINISHED:
            continue
        if path.is_file():
            yield path
        elif path.is_dir() and is_owned(path):
            yield from _files(path)


def _add_others(found: Examination, folder: Path) -> None:
    owned = _owned(folder)
    if owned is None:
        return
    found.leftovers += owned.leftovers()
    found.strangers += owned.strangers()
    for name in sorted(owned.names):
        path = folder / name
        if path.suffix == _UNFINISHED and path.is_file():
            found.unfinished.append(path)
        elif path.is_dir() and not path.is_symlink() and is_owned(path):
            _add_others(found, path)


def _owned(folder: Path) -> OwnedFolder | None:
    try:
        return identity_of(folder)
    except InputError:
        return None


_CHECKS: dict[str, Callable[[Path], Iterator[Finding]]] = {
    "collection": check_collection,
    "crawl": check_crawl,
    "index": check_index,
    "simulated office": check_office,
    "grid": check_grid,
    "review": check_review,
    "demo": _check_demo,
    "lab": check_lab,
}
_KINDS = {COLLECTION: "collection", INDEX: "index", OFFICE: "simulated office", GRID: "grid"}
