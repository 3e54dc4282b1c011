"""Whether everything in a lab is sound: entries, pools with their journals and people, reviews, audit log, jobs.

Collections, indexes and the documents of reviews have checks of their own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from leadline.collections.documents.collection import check_identity, finding_of, findings
from leadline.errors import InputError
from leadline.judge.journal import REPAIR as FIX_PEOPLE
from leadline.judge.journal import People
from leadline.judge.pools import Pool
from leadline.judge.review.project import JOURNAL as REVIEW_JOURNAL
from leadline.judge.review.project import PEOPLE as REVIEW_PEOPLE
from leadline.judge.review.project import REPAIR as FIX_REVIEW
from leadline.judge.review.project import ReviewProject, check_marks
from leadline.show.lab.audit import AuditLog
from leadline.show.lab.jobs import Jobs
from leadline.show.lab.lab import (
    BESIDE_JOURNAL,
    FILE_NAME,
    JOURNAL_END,
    KIND,
    KINDS,
    PEOPLE,
    VERSION,
    Lab,
    LabEntry,
)
from leadline.show.lab.lab_store import JOBS, LabStore, read_older_job
from leadline.text.checksums import Finding
from leadline.text.files import PATIENCE
from leadline.text.owned_folder import OwnedFolder

# The journals of a lab's pools: listed as the lab's own once they are there, so that one that is gone is missed.


FIX_JOURNAL = "restore it from a backup, or another machine's journal"


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
FIX_POOL = "make the pool again with `leadline pool`"


def check_lab(folder: Path) -> Iterator[Finding]:
    """Everything that is damaged or missing in a lab."""
    yield from check_identity(folder)
    try:
        lab = Lab.open(folder)
    except InputError as error:
        yield Finding(error.where, error.problem, FIX_STORE)
        return
    yield from check_own_files(lab)
    for entry in lab.entries():
        state = entry.state
        if state == "missing":
            yield Finding(str(entry.path), f"the {entry.kind} {entry.name} is gone", "add it again, or put it back")
            continue
        if state == "changed":
            fix = "add it again with --replace if the change is wanted"
            yield Finding(str(entry.path), f"the {entry.kind} {entry.name} is not what was added", fix)
        yield from check_entry(lab, entry)


def check_own_files(lab: Lab) -> Iterator[Finding]:
    """Everything that is damaged in what a lab keeps of itself: people, audit log and jobs."""
    yield from findings(lambda: People(lab.folder / PEOPLE), FIX_PEOPLE)
    yield from findings(partial(_check_store, lab.results), FIX_RESULTS)
    try:
        _check_store(lab.store)
        for _ in AuditLog(lab.store).lines():
            pass
    except InputError as error:
        place = f"{error.where}:{error.line}" if error.line else error.where
        yield Finding(place, error.problem, FIX_STORE)
        return
    yield from findings(Jobs(lab).all, FIX_JOB)
    for path in sorted((lab.folder / JOBS).glob("*.json")):
        yield from findings(partial(read_older_job, path), FIX_JOB)


def _check_store(kept: LabStore) -> None:
    with kept.opened() as store:
        if problem := store.check():
            raise InputError(str(kept.path), problem)


def check_entry(lab: Lab, entry: LabEntry) -> Iterator[Finding]:
    """Everything that is damaged in what belongs to a pool or a review: its record, journal and people."""
    if entry.kind == "pool":
        yield from findings(lambda: Pool.read(entry.path), FIX_POOL)
        people = Path(f"{entry.path}.people")
        try:
            journal = journal_file(lab, entry)
        except InputError as error:
            yield finding_of(error, FIX_JOURNAL)
            return
        if os.path.lexists(journal):
            yield from check_marks(journal, people, FIX_JOURNAL)
        else:
            yield from findings(lambda: People(people), FIX_PEOPLE)
    elif entry.kind == "review":
        try:
            begun = bool(ReviewProject.open(entry.path).rounds)
        except InputError as error:
            yield finding_of(error, FIX_REVIEW)
            return
        if begun:
            yield from check_marks(entry.path / REVIEW_JOURNAL, entry.path / REVIEW_PEOPLE, FIX_REVIEW)
