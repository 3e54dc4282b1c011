"""A check of a review in full: its settings, candidates, documents and journal."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from leadline.collections.documents.check import check_collection, check_identity, finding_of
from leadline.collections.documents.manifest import read_manifest
from leadline.errors import InputError
from leadline.judge.assessors.journal import JudgingJournal
from leadline.judge.assessors.people import People
from leadline.judge.review.project import JOURNAL, PEOPLE, REPAIR, ReviewProject, ReviewRound
from leadline.text.checksums import Finding


def check_review(folder: Path) -> Iterator[Finding]:
    """Everything that is wrong with a review; nothing where it is as it was written."""
    yield from check_identity(folder)
    try:
        project = ReviewProject.open(folder)
        with contextlib.closing(JudgingJournal(folder / JOURNAL)) as journal:
            damage = journal.check()
        People(folder / PEOPLE)  # which reads them
    except InputError as error:
        yield finding_of(error, REPAIR)
        return
    if damage:
        yield Finding(str(folder / JOURNAL), damage, REPAIR)
    for each in project.rounds:
        yield from _check_documents(each, folder)


def _check_documents(round: ReviewRound, folder: Path) -> Iterator[Finding]:
    """Whether the documents of a round are still those that were read, in full where the review keeps them itself."""
    place = round.place(folder)
    own = place.resolve().parent == folder.resolve()
    if own:
        yield from check_collection(place)
    try:
        if read_manifest(place)["hash"] != round.collection_hash:
            yield Finding(str(place), "is no longer the collection that is reviewed", REPAIR)
    except InputError as error:
        if not own:
            yield finding_of(error, REPAIR)
