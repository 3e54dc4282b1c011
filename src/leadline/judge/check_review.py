"""A check of a review in full: its settings, candidates, documents and journal."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

from leadline.collections.documents.check import check_collection, check_identity, finding_of
from leadline.collections.documents.manifest import read_manifest
from leadline.errors import InputError, system_reason
from leadline.judge.assessors.event_chain import ChainHead
from leadline.judge.assessors.journal import JudgingJournal
from leadline.judge.assessors.people import People
from leadline.judge.review.project import JOURNAL, PEOPLE, REPAIR, ReviewProject, ReviewRound
from leadline.records.scores.result import counted
from leadline.text.checksums import Finding
from leadline.text.stored import stored_bytes

HASH = re.compile("[0-9a-f]{64}")
LARGEST = 64 << 20  # bytes of a report that are read


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


def certified_events(folder: Path, certificate: str) -> tuple[str, int | None]:
    """The head of the journal's chain that a certificate names, and how many events the journal has up to there.

    None where the journal does not have these events any more. `certificate` is a report as PDF, its page saved from a
    browser, or the hash itself.
    """
    named, events = certificate.strip().lower(), None
    if not HASH.fullmatch(named):
        try:
            content = stored_bytes(Path(certificate).resolve(), LARGEST)
        except OSError as error:
            raise InputError(certificate, f"cannot be read: {system_reason(error)}") from None
        head = ChainHead.found_in(content.decode("latin-1"))
        if head is None:
            problem = "names no head of a journal's chain: name a report of `leadline review report`, or the hash in it"
            raise InputError(certificate, problem)
        named, events = head.hash, head.events
    with contextlib.closing(ReviewProject.open(folder).journal()) as journal:
        found = journal.events_at(named)
    return named, found if events in (None, found) else None


def journal_notes(folder: Path) -> list[str]:
    """What to say of the journal of a review that is sound: the head of its chain, or that it has none yet."""
    with contextlib.closing(ReviewProject.open(folder).journal()) as journal:
        head = journal.head()
    if not head.unchained:
        return [str(head)]
    if head.unchained == head.events:
        return [str(head), f"{folder / JOURNAL} has no chain yet, it is of the older format; the next event begins one"]
    return [str(head), f"the chain began after the first {counted(head.unchained, 'event')}, which it covers"]


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
