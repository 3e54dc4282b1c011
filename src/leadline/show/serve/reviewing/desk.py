"""A review while people are at it: the queue, the learner in the background, and where the review stands."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.collections.documents.document import Document
from leadline.collections.documents.store import Collection
from leadline.errors import InputError
from leadline.judge.assessors.journal import Event, Kind
from leadline.judge.assessors.judging_state import JudgingState
from leadline.judge.assessors.merging import UNSURE
from leadline.judge.assessors.people import People, Person
from leadline.judge.review.learner import Labels, Rows
from leadline.judge.review.project import PEOPLE, STAGES, ReviewProject
from leadline.judge.review.proposing import Proposer
from leadline.judge.review.reading_queue import ReadingQueue
from leadline.judge.review.review_state import ReviewState, switch_events
from leadline.records.topics.topic import Topic
from leadline.show.serve.journal_desk import JournalDesk, Refused, check_id, text_of
from leadline.show.serve.judging.cards import Cards

if TYPE_CHECKING:
    import polars as pl

AHEAD = 12  # documents that are kept ready
CRITERIA = "1: keep it, it may be relevant. 0: exclude it. ?: unsure. R: exclude it and say why."
STAGE_NAMES = {STAGES[0]: "Titles and abstracts", STAGES[1]: "Full texts"}


class RoundDocuments:
    """The documents of all rounds, each from its collection."""

    def __init__(self, project: ReviewProject) -> None:
        self._project, self._collections = project, project.collections()

    def document(self, name: str) -> Document:
        row = self._project.row_of.get(name)
        if row is None:
            raise InputError(name, "is not in this review")
        return self._collections[int(self._project.round_of[row]) - 1].document(name)


class ReviewDesk(JournalDesk):
    """What the pages of a review ask and tell."""

    def __init__(self, project: ReviewProject) -> None:
        self.project, self.settings = project, project.settings
        self.journal, self.people = project.journal(), People(project.folder / PEOPLE)
        self.lock = threading.RLock()
        self.state = ReviewState(project)
        self.queue = ReadingQueue(lambda: self.proposer.scores)
        about = self.settings.title, self.settings.criteria
        topics = {
            stage: Topic(stage, about[0], self.settings.query, about[1], category=STAGE_NAMES[stage])
            for stage in project.topics
        }
        self.cards = Cards(RoundDocuments(project), topics)
        self.refresh()
        self.proposer = Proposer(
            project.features(), self.settings.learner, self._judged, query=self.settings.query, seed=self.settings.seed,
            prepare=self._fetch_ahead,
        )  # fmt: skip
        self._titles: list[str] | None = None
        self._searched: pl.Series | None = None

    def close(self) -> None:
        self.proposer.close()
        self.journal.close()

    def _judged(self) -> tuple[Rows, Labels]:
        """What the learner learns from, in the order of reading: units that somebody was sure of."""
        with self.lock:
            grades = self.state.grades[STAGES[0]]
            rows = np.array(self.state.first_read, np.int64)
            rows = rows[grades[rows] >= 0]
            return rows, np.asarray(grades[rows] > 0)

    def _fetch_ahead(self) -> None:
        """Read the documents that come next from the disk, so that nobody waits for it."""
        with self.lock:
            rows = self.queue.coming(self.state, AHEAD)
        for row in rows:
            self.cards.document(self.project.units[row][0])

    @property
    def judging(self) -> JudgingState:
        return self.state.judging

    def take(self, event: Event) -> None:
        self.state.add(event)
        if event.kind == "switch":
            self.queue.release_all()
        row = self.project.row_of.get(event.document)
        if row is not None:
            self.queue.release(event.topic, row)

    def take_all(self, events: Iterable[Event]) -> None:
        self.state = ReviewState.of(self.project, events)

    def check_topic(self, person: Person, topic: str) -> None:
        if topic not in self.project.topics:
            raise Refused(404, f"This review has no stage {topic!r}.")

    def check_document(self, person: Person, topic: str, document: str) -> None:
        self.check_topic(person, topic)
        row = self.project.row_of.get(document)
        if row is None or self.project.units[row][0] != document:
            raise Refused(404, "This document is not in the review.")

    def check_open(self, topic: str) -> None:
        if self.state.stopped is not None:
            raise Refused(
                409, "The review was stopped. To go on with it, choose Go on with the review, beside the card."
            )

    def turn(self, topic: str, document: str) -> int:
        row = self.project.row_of.get(document)
        return self.project.current_round if row is None else int(self.project.round_of[row])

    def write(self, person: Person, kind: Kind, content: Mapping[str, Any], value: str, target: str = "") -> bool:
        new = super().write(person, kind, content, value, target)
        self.proposer.wake()
        return new

    def next_rows(self, person: Person, stage: str, count: int, have: Iterable[str]) -> list[int]:
        """The next units for a person, besides those that their page has."""
        rows = [self.project.row_of[each] for each in have if each in self.project.row_of]
        return self.queue.next(self.state, person.name, stage, count, rows, expert=person.role == "expert")

    def give_back(self, person: str, stage: str, have: Iterable[str]) -> None:
        """A page was closed: others may get the documents that it had."""
        with self.lock:
            self.queue.give_back(
                person, stage, [self.project.row_of[each] for each in have if each in self.project.row_of]
            )

    def switch(self, person: Person, content: Mapping[str, Any]) -> bool:
        """Go over to random draws, or back to the learner's order; the draws are stored before any is shown."""
        uid, to = check_id(content), text_of(content, "to")
        if to not in ("draws", "learner"):
            raise Refused(400, "to must be draws or learner.")
        with self.lock:
            self.refresh()
            self.check_open(STAGES[0])
            if to == "learner":
                about = (STAGES[0], "", json.dumps({"to": "learner"}), "", self.project.current_round)
                events = [Event(uid, person.name, person.role, "switch", *about)]
            else:
                try:
                    events = switch_events(self.state, uid, person.name, person.role, secrets.randbits(63))
                except InputError as error:
                    raise Refused(409, f"Not possible: {error.problem}.") from None
            new = self.journal.append_all(events)
            self.refresh()
        return new > 0

    def stop(self, person: Person, content: Mapping[str, Any], *, resume: bool = False) -> bool:
        """Store that the review is enough, or goes on after all."""
        kind: Kind = "resume" if resume else "stop"
        with self.lock:
            self.refresh()
            before = self.state.stopped
            if not resume and before is not None and before.uid != content.get("id"):
                raise Refused(409, f"The review was stopped by {before.person} already.")
            words = "" if resume else self.state.round_certificate(self.project.current_round).certificate.words
            number = self.project.current_round
            event = Event(check_id(content), person.name, person.role, kind, STAGES[0], "", words, "", number)
            new = self.journal.append(event)
            self.refresh()
        return new

    def find(self, words: str, most: int = 10) -> list[dict[str, Any]]:
        """Units whose id or title has all these words."""
        import polars as pl

        if self._searched is None:
            named = zip(self.titles(), self.project.units, strict=True)
            self._searched = pl.Series([f"{title} {unit[0]}" for title, unit in named]).str.to_lowercase()
        asked = words.lower().split()
        if not asked:
            return []
        found = np.ones(len(self._searched), np.bool_)
        for word in asked:
            found &= self._searched.str.contains(word, literal=True).to_numpy()
        rows = np.flatnonzero(found)[:most].tolist()
        exact = self.project.row_of.get(words.strip())
        rows = [exact, *(row for row in rows if row != exact)] if exact is not None else rows
        return [{"document": self.project.units[row][0], "read": bool(self.state.is_read[row])} for row in rows[:most]]

    def titles(self) -> list[str]:
        """The title of each unit, empty where it has none."""
        if self._titles is None:
            self._titles = [
                title
                for number, collection in enumerate(self.project.collections(), start=1)
                for title in self._titles_of(collection, number)
            ]
        return self._titles

    def _titles_of(self, collection: Collection, number: int) -> list[str]:
        names = [self.project.units[row][0] for row in np.flatnonzero(self.project.round_of == number).tolist()]
        return collection.records["title"].gather(collection.rows(names).tolist()).fill_null("").to_list()

    def unsure(self) -> int:
        return int((self.state.grades[STAGES[0]] == UNSURE).sum())
