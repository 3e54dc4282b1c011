"""Whether everything in a lab is sound: what was added or found there, its people, audit log, jobs and results."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from leadline.collections.documents.collection import check_collection
from leadline.errors import InputError
from leadline.judge.journal import check_people
from leadline.judge.pools import FIX_JOURNAL, check_pool
from leadline.judge.review.project import check_review
from leadline.records.manifest import MEND, check_manifest
from leadline.retrieval.index.manifest import check_index
from leadline.show.lab.case import ENDING as CASE
from leadline.show.lab.case import FOLDER as CASES
from leadline.show.lab.case import check_cases
from leadline.show.lab.jobs import Jobs
from leadline.show.lab.kept_sources import check_sources
from leadline.show.lab.kinds import KINDS
from leadline.show.lab.lab import (
    BESIDE_JOURNAL,
    FILE_NAME,
    JOURNAL_END,
    KIND,
    PEOPLE,
    PRIVATE,
    VERSION,
    Lab,
    LabEntry,
)
from leadline.show.lab.lab_store import CAMPAIGNS, FILE, JOBS, RESULTS, SOURCES, AuditLog, LabStore, read_older_job
from leadline.text.checksums import Finding, finding_of, findings
from leadline.text.files import PATIENCE
from leadline.text.owned_files import MANIFEST, RECORD
from leadline.text.owned_folder import OwnedFolder, check_identity, check_listed

# The journals of a lab's pools: listed as the lab's own once they are there, so that one that is gone is missed.


def journal_file(lab: Lab, pool: LabEntry) -> Path:
    """The journal of a pool, which may not be there yet; InputError where it was there and is gone."""
    path = Path(f"{pool.path}{JOURNAL_END}")
    if not os.path.lexists(path) and _names(pool)[0] in OwnedFolder.open(lab.folder, KIND, VERSION).names:
        raise InputError(str(path), f"is missing, with the marks of the pool: {FIX_JOURNAL}")
    return path


def keep_journal(lab: Lab, pool: LabEntry) -> None:
    """List the journal of a pool, which is there by now; not for a file that was found under a name of another form."""
    known = OwnedFolder.open(lab.folder, KIND, VERSION).names.issuperset(_names(pool))
    if FILE_NAME.fullmatch(pool.path.name) and not known:
        with OwnedFolder.locked(lab.folder, KIND, VERSION, patience=PATIENCE) as owned:
            owned.add(*_names(pool))


def _names(pool: LabEntry) -> list[str]:
    return [f"{KINDS['pool'].folder}/{pool.path.name}{end}" for end in (JOURNAL_END, *BESIDE_JOURNAL)]


FIX_STORE, FIX_JOB = "restore it from a backup", "ask for the work again"
FIX_RESULTS = "remove it: its results are computed again"
PUT_BACK = "put it back, or add it again with `leadline lab add`"
CHANGED = "put back what was added, or add it again with --replace if the change is wanted"
FOLDERS: Mapping[str, Callable[[Path], Iterator[Finding]]] = {
    "collection": check_collection,
    "index": check_index,
    "review": check_review,
}
Checked = tuple[LabEntry | None, list[Finding]]  # what a lab has, or None for what it keeps of itself; what is wrong


def check_lab(folder: Path) -> Iterator[Finding]:
    """Everything that is damaged or missing in a lab."""
    for _, found in checked_entries(folder):
        yield from found


def checked_entries(folder: Path) -> Iterator[Checked]:
    """What a lab has, each with what is damaged in it. All of it is read in full."""
    shelves = (kind.folder for kind in KINDS.values() if kind.folder)
    own = (FILE, RESULTS, PEOPLE, JOBS, CASES, SOURCES, CAMPAIGNS, *shelves)
    cases = (f"{CASES}/{path.name}" for path in sorted((folder / CASES).glob(f"*{CASE}")))
    yield None, [*check_identity(folder), *check_listed(folder, [*own, *cases])]
    try:
        lab = Lab.open(folder)
    except InputError as error:
        yield None, [finding_of(error, FIX_STORE)]
        return
    yield None, [*check_own_files(lab), *check_sources(folder / SOURCES), *_without_their_files(lab)]
    for entry in lab.entries():
        yield entry, list(check_entry(lab, entry))


def state_of(entry: LabEntry, found: Sequence[Finding]) -> str:
    """What `lab status` says of an entry: as it says itself, and damaged where the check found something."""
    state = entry.state
    return "damaged" if found and state in ("sound", "found") else state


def check_own_files(lab: Lab) -> Iterator[Finding]:
    """Everything that is damaged in what a lab keeps of itself: people, audit log and jobs."""
    if os.path.lexists(people := lab.folder / PEOPLE):
        yield from check_people(people)
    yield from findings(partial(_check_store, lab.results), FIX_RESULTS)
    yield from check_cases(lab)
    try:
        _check_store(lab.store)
        for _ in AuditLog(lab.store).lines():
            pass
    except InputError as error:
        place = f"{error.where}:{error.line}" if error.line else error.where
        yield Finding(place, error.problem, FIX_STORE)
        return
    yield from findings(Jobs(lab).all, FIX_JOB)
    if any((lab.folder / JOBS).glob("*")):  # with what commands printed
        wrong = [*check_identity(lab.folder / JOBS), *check_listed(lab.folder / JOBS, ())]
        yield from (
            replace(each, mend=f"remove the folder {JOBS}, which has only what commands printed") for each in wrong
        )
    for path in sorted((lab.folder / JOBS).glob("*.json")):
        yield from findings(partial(read_older_job, path), FIX_JOB)


def _check_store(kept: LabStore) -> None:
    with kept.opened() as store:
        if problem := store.check():
            raise InputError(str(kept.path), problem)


def _without_their_files(lab: Lab) -> Iterator[Finding]:
    """What lies beside a run, judgements or a pool that is not there, and that the lab does not miss by its name."""
    missed = {entry.path for entry in lab.entries() if entry.state == "missing"}
    for kind in KINDS.values():
        for end in kind.beside:
            for path in sorted((lab.folder / kind.folder).glob(f"*{end}")):
                made = Path(str(path).removesuffix(end))
                if made.name and made not in missed and not os.path.lexists(made):
                    problem = f"is there without the {kind.name} {made.name}"
                    yield Finding(str(path), problem, f"restore {made.name} from a copy, or remove this file")


def check_entry(lab: Lab, entry: LabEntry) -> Iterator[Finding]:
    """Everything that is damaged in one thing of a lab, and in what belongs to it."""
    kind, state = KINDS[entry.kind], entry.state
    if state == "missing":
        kept = "; its journal still has the marks" if Path(f"{entry.path}{JOURNAL_END}").exists() else ""
        yield Finding(str(entry.path), f"the {entry.kind} {entry.name} is gone", f"{PUT_BACK}{kept}")
        return
    if state == "changed":
        yield Finding(str(entry.path), f"the {entry.kind} {entry.name} is not what was added", CHANGED)
    if kind.is_folder:
        yield from FOLDERS[kind.name](entry.path)
        return
    if kind.name == "pool":
        yield from check_pool(entry.path)
        yield from findings(lambda: journal_file(lab, entry), FIX_JOURNAL)
    elif state == "found":  # nobody knows what it was before, so it is read
        yield from findings(lambda: kind.check(entry.path), MEND)
    yield from _beside(lab, entry)
    if MANIFEST in kind.beside:
        yield from check_manifest(entry.path)


def _beside(lab: Lab, entry: LabEntry) -> Iterator[Finding]:
    """What was copied with an entry and is not beside it any more."""
    kind = KINDS[entry.kind]
    listed = OwnedFolder.open(lab.folder, KIND, VERSION).names if entry.path.parent == lab.folder / kind.folder else ()
    for end in kind.beside:
        beside, is_of_pool = f"{entry.path}{end}", end in (*PRIVATE, RECORD)  # which the check of a pool misses
        if not is_of_pool and f"{kind.folder}/{entry.path.name}{end}" in listed and not os.path.lexists(beside):
            yield Finding(beside, "is missing", PUT_BACK)
