"""Check what Leadline has stored: a folder of ours, a pool, a store, a run with its manifest, the backup of a review.

This is the only word on whether something is sound. Each kind has its check beside its writer; here is which is which.
"""

from __future__ import annotations

import contextlib
import os
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from leadline.collections.crawl.crawl_folder import KIND_NAME as CRAWL
from leadline.collections.crawl.crawl_folder import SETTINGS as CRAWL_SETTINGS
from leadline.collections.crawl.crawl_folder import check_crawl
from leadline.collections.documents.collection import NOT_FINISHED, check_collection
from leadline.collections.documents.collection_files import KIND_NAME as COLLECTION
from leadline.collections.documents.forms import KIND as PUBLICATIONS
from leadline.collections.documents.forms import KIND_NAME as FORMS
from leadline.collections.documents.forms import check_forms
from leadline.errors import InputError
from leadline.judge.journal import JOURNAL, OLDER_PEOPLE, PEOPLE, People
from leadline.judge.pools import check_pool
from leadline.judge.review.project import SETTINGS as REVIEW_SETTINGS
from leadline.judge.review.project import WHAT as REVIEW
from leadline.judge.review.project import check_backup, check_review, journal_notes
from leadline.judge.review.runs_folder import check_runs
from leadline.judge.simulated_office import KIND_NAME as OFFICE
from leadline.judge.simulated_office import check_office
from leadline.records.manifest import check_manifest
from leadline.records.result import counted
from leadline.retrieval.index.manifest import KIND_NAME as INDEX
from leadline.retrieval.index.manifest import check_index
from leadline.retrieval.pipeline.grid import KIND_NAME as GRID
from leadline.retrieval.pipeline.grid import check_grid
from leadline.retrieval.word_search import HISTORY, OLDER_HISTORY, SearchHistory
from leadline.show.campaign.archive import check_archive
from leadline.show.campaign.campaign import ARCHIVE, CAMPAIGN_STORE, FACTS, FACTS_KIND
from leadline.show.campaign.campaign import STORE as CAMPAIGN_FILE
from leadline.show.campaign.status import check_campaign
from leadline.show.demo import KEYS, check_demo
from leadline.show.lab.case import CASE_STORE, ENDING, check_case
from leadline.show.lab.case_export import check_archive as check_case_archive
from leadline.show.lab.case_export import is_archive as is_case_archive
from leadline.show.lab.check_lab import check_lab
from leadline.show.lab.kept_sources import check_sources
from leadline.show.lab.lab import Lab
from leadline.show.lab.lab_store import FILE as LAB_FILE
from leadline.show.lab.lab_store import LAB_STORE, RESULTS, RESULTS_STORE
from leadline.text.checksums import Finding, findings, parsed_object, stored_bytes
from leadline.text.files import readable_size
from leadline.text.owned_files import BESIDE_POOL, IDENTITY, MANIFEST, RECORD, is_owned, store_letters
from leadline.text.owned_files import JOURNAL as JOURNAL_END
from leadline.text.owned_folder import OwnedFolder, check_identity, identity_of
from leadline.text.store.kind import StoreKind
from leadline.text.store.store import Store

_UNFINISHED = ".unfinished"
_LARGEST = 64 << 20  # bytes of a file that says what a folder is
_BACK = "restore it from a copy of the folder"
Check = Callable[[Path], Iterator[Finding]]


@dataclass(frozen=True)
class StoredFolder:
    """A kind of folder of ours, and how it is known where its identity file is gone: by a file and what that says."""

    kind: str
    check: Check
    file: str = ""
    what: str = ""
    needs_identity: bool = False  # its check opens nothing without


FOLDERS = {
    each.kind: each
    for each in (
        StoredFolder("collection", check_collection, "manifest.json", COLLECTION),
        StoredFolder("crawl", check_crawl, CRAWL_SETTINGS, CRAWL, needs_identity=True),
        StoredFolder("index", check_index, "manifest.json", INDEX),
        StoredFolder("simulated office", check_office, "manifest.json", OFFICE),
        StoredFolder(PUBLICATIONS, check_forms, "manifest.json", FORMS),
        StoredFolder("grid", check_grid, "manifest.json", GRID),
        StoredFolder("review", check_review, REVIEW_SETTINGS, REVIEW, needs_identity=True),
        StoredFolder("demo", check_demo, KEYS, needs_identity=True),
        StoredFolder("lab", check_lab, LAB_FILE, needs_identity=True),
        StoredFolder(ARCHIVE, check_archive, FACTS, FACTS_KIND),
        StoredFolder("campaign", check_campaign, CAMPAIGN_FILE, needs_identity=True),
        StoredFolder("folder of jobs", check_identity),
        StoredFolder("folder of sources", check_sources),
        StoredFolder("runs of reviews", check_runs),
    )
}
STORES = {
    kind.letters: kind for kind in (JOURNAL, PEOPLE, HISTORY, LAB_STORE, RESULTS_STORE, CAMPAIGN_STORE, CASE_STORE)
}
_NAMED = {".journal": JOURNAL, "journal": JOURNAL, ".people": PEOPLE, "people": PEOPLE}
_NAMED |= {LAB_FILE: LAB_STORE, RESULTS: RESULTS_STORE, CAMPAIGN_FILE: CAMPAIGN_STORE, ENDING: CASE_STORE}
_OLDER = {OLDER_PEOPLE: PEOPLE, OLDER_HISTORY: HISTORY}  # what the files of version 0.1 say they are


@dataclass
class Examination:
    """What something stored is, what is damaged in it, and what else lies there."""

    kind: str
    files: int = 0
    bytes: int = 0
    findings: list[Finding] = field(default_factory=list)
    leftovers: list[Path] = field(default_factory=list)  # of processes that were killed
    unfinished: list[Path] = field(default_factory=list)  # work that continues when it is started again
    strangers: list[Path] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def verdict(self, path: str | os.PathLike[str]) -> str:
        """Whether it is sound, in a line."""
        size = f"{counted(self.files, 'file')}, {readable_size(self.bytes)}"
        if not self.findings:
            return f"the {self.kind} {os.fspath(path)} is sound: {size}"
        unfinished = all(each.problem == NOT_FINISHED for each in self.findings)
        state = "unfinished:" if unfinished else f"damaged: {counted(len(self.findings), 'problem')},"
        return f"the {self.kind} {os.fspath(path)} is {state} {size}"


def check(path: str | os.PathLike[str]) -> list[Finding]:
    """Everything that is damaged in what Leadline stored; empty where it is sound. It is read in full.

    `path` is a folder of ours, a pool, a store (a journal, a history), a run or judgements with a manifest, or the
    backup of a review. Each finding has a `path`, a `problem`, and in `mend` how to mend it.
    """
    return examine(path).findings


def examine(path: str | os.PathLike[str]) -> Examination:
    """Read what is stored in full, and say what it is and what is in it."""
    place = Path(path)
    if not place.is_dir():
        return _examine_file(place)
    known = FOLDERS[_kind(place)]
    found = Examination(kind := known.kind)
    if known.needs_identity and not is_owned(place):
        found.findings = [Finding(str(place / IDENTITY), "is missing", _BACK)]
    else:
        found.findings = list(dict.fromkeys(known.check(place)))
    for file in _files(place):
        found.files += 1
        found.bytes += file.stat().st_size
    _add_others(found, place)
    if kind == "lab" and found.strangers:
        with contextlib.suppress(InputError):  # which is among the findings
            had = {entry.path.resolve() for entry in Lab.open(place).entries()}
            found.strangers = [each for each in found.strangers if each.resolve() not in had]
    if kind == "review" and not found.findings:
        found.notes += journal_notes(place)
    return found


def _kind(folder: Path) -> str:
    """What a folder is by its identity file or, where that is gone, by another file."""
    try:
        owned = identity_of(folder)
    except InputError:  # damaged; the check says so
        owned = None
    if owned is not None and owned.kind in FOLDERS:
        return owned.kind
    for each in FOLDERS.values():
        if not each.file or not os.path.lexists(path := folder / each.file):
            continue
        said = _said(path)
        if said.get("what") == each.what if each.what else "office" in said or store_letters(path) in ("LLAB", "LCMP"):
            return each.kind
    raise InputError(str(folder), "is not a folder that leadline wrote: name a collection, an index, a grid, …")


def _said(path: Path) -> dict[str, Any]:
    """What a JSON file says; nothing where it is anything else."""
    try:
        return parsed_object(stored_bytes(path, _LARGEST), str(path), "")
    except (OSError, InputError):
        return {}


def _examine_file(path: Path) -> Examination:
    """What a file of ours is, with what is kept beside it."""
    kind, check, files = _file(path)
    found = Examination(kind, findings=list(dict.fromkeys(check)))
    for file in filter(Path.is_file, files):
        found.files += 1
        found.bytes += file.stat().st_size
    return found


def _file(path: Path) -> tuple[str, Iterator[Finding], list[Path]]:
    """What a file is, what is wrong with it, and all the files of it."""
    for end in (RECORD, MANIFEST):  # what is beside a file is checked with it
        made = Path(str(path).removesuffix(end))
        if path.name.endswith(end) and made.name and os.path.lexists(made):
            return _file(made)
    if any(os.path.lexists(f"{path}{end}") for end in (RECORD, JOURNAL_END)):
        return "pool", check_pool(path), [path, *(Path(f"{path}{end}") for end in BESIDE_POOL)]
    if os.path.lexists(manifest := Path(f"{path}{MANIFEST}")):
        what = str(_said(manifest).get("what", "file")).removeprefix("a ")
        return what, check_manifest(path), [path, manifest]
    if not os.path.lexists(path):
        raise InputError(str(path), "no such file or folder")
    named = STORES.get(store_letters(path)) or _NAMED.get(path.name) or _NAMED.get(path.suffix)
    if named is CASE_STORE:
        return "case of a lab", check_case(path), [path]
    if (kind := named or _OLDER.get(str(_said(path).get("what")))) is not None:
        return kind.name.split(" ", 1)[1], findings(partial(_check_store, path, kind), kind.repair), [path]
    if is_case_archive(path):
        return "archive of a case", check_case_archive(path), [path]
    if zipfile.is_zipfile(path):
        return "backup", check_backup(path), [path]
    problem = "is not a file that leadline keeps, or its beginning is damaged"
    raise InputError(str(path), f"{problem}: name a pool, a store, or a run with a manifest")


def _check_store(path: Path, kind: StoreKind) -> None:
    """Read a store of any kind, or the file of version 0.1 that it takes the place of."""
    problem = ""
    if kind is PEOPLE:
        problem = People(path).check()
    elif kind is HISTORY:
        problem = SearchHistory.check(path)
    else:
        with Store.open(path, kind) as store:
            problem = store.check()
    if problem:
        raise InputError(str(path), problem)


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
