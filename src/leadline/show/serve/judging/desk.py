"""The judging of one pool while people are at it: the pool, its journal, and where judging stands.

What people do is appended to the journal first; the state then follows from the journal, event by event, so that no
request reads all of it again. What another process adds to the journal is noticed as well.
"""

from __future__ import annotations

import itertools
import math
import statistics
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fastapi import HTTPException

from leadline.errors import InputError
from leadline.judge.assessors.journal import Event, JudgingJournal, Kind, Role, check_event
from leadline.judge.assessors.judging_state import JudgingState
from leadline.judge.assessors.people import People, Person
from leadline.judge.assessors.work_list import View, in_view, is_open_to, left_to_judge, shuffled
from leadline.judge.pools.pool import Pool
from leadline.records.topics.topic import Topic
from leadline.show.serve.judging.cards import Cards

LONGEST_SECONDS = 86_400.0
REASONS = ("same substance", "same process", "same use", "general background", "other field", "too short to tell")
INSTRUCTIONS = (
    "2: highly relevant, it answers the topic or takes away a claim. 1: relevant, it bears on the topic. "
    "0: not relevant. ?: unsure."
)
_RECENT = 20  # marks that the pace is of
GRADES = ("2", "1", "0", "-2")


class Refused(HTTPException):
    """What a person may not do, with the status of the answer."""


@dataclass
class JudgingDesk:
    """What the pages ask and tell."""

    pool: Pool
    journal: JudgingJournal
    people: People
    cards: Cards
    instructions: str = INSTRUCTIONS
    reasons: tuple[str, ...] = REASONS
    state: JudgingState = field(default_factory=JudgingState)
    _seq: int = 0
    _latest: str = ""

    def __post_init__(self) -> None:
        self.lock = threading.RLock()  # of the state; the journal has its own
        self._documents: dict[str, list[str]] = {topic: [] for topic in self.pool.topics}
        for topic, document in self.pool.to_judge().select("topic", "document").iter_rows():
            self._documents[topic].append(document)
        self._members = {topic: frozenset(documents) for topic, documents in self._documents.items()}
        self._orders: dict[tuple[str, str], list[str]] = {}
        self.refresh()

    def refresh(self) -> None:
        """Take over what was appended to the journal, here or by another process."""
        with self.lock:
            new = self.journal.events_after(self._seq)
            for seq, event in new:
                if event.at < self._latest:  # of another machine, and from before: the order of time counts
                    self.state = JudgingState.of(self.journal.events())
                    self._seq, self._latest = new[-1][0], max(self._latest, *(each.at for _, each in new))
                    return
                self.state.add(event)
                self._seq, self._latest = seq, event.at

    def documents(self, topic: str) -> list[str]:
        """What is to be judged of a topic, in the order of the pool."""
        if topic not in self._documents:
            raise Refused(404, "There is no such topic in this pool.")
        return self._documents[topic]

    def topic(self, topic: str) -> Topic:
        return self.cards.topic(topic)

    def ordered(self, person: str, topic: str) -> list[str]:
        """A topic's documents in one person's order."""
        key = person, topic
        if key not in self._orders:
            self._orders[key] = shuffled(self.documents(topic), self.pool.seed, person, topic)
        return self._orders[key]

    def roles(self) -> dict[str, Role]:
        return {person.name: person.role for person in self.people}

    def topics_of(self, person: Person) -> list[str]:
        """The topics that a person may see."""
        if person.role == "organiser":
            return list(self._documents)
        roles = self.roles()
        return [topic for topic in self._documents if is_open_to(self.state, roles, person.name, topic)]

    def judges_of(self, topic: str) -> list[str]:
        """Who is assigned to a topic or has judged it: assessors first."""
        marked = {who for who, on, _ in self.state.marks if on == topic}
        roles = self.roles() | self.state.roles
        names = list(dict.fromkeys([*self.state.assigned.get(topic, []), *sorted(marked)]))
        return sorted(names, key=lambda name: roles.get(name) == "expert")

    def check_topic(self, person: Person, topic: str) -> None:
        """Refuse a topic that is not in the pool, or that is assigned to others."""
        self.documents(topic)
        if person.role != "organiser" and not is_open_to(self.state, self.roles(), person.name, topic):
            raise Refused(403, "This topic is assigned to others.")

    def check_document(self, person: Person, topic: str, document: str) -> None:
        """Refuse a document that is not to be judged, or of a topic that is not the person's."""
        self.check_topic(person, topic)
        if document not in self._members[topic]:
            raise Refused(404, "This document is not to be judged for this topic.")

    def asked(self, person: Person, topic: str, view: View = "all") -> list[str]:
        """The documents of a topic that a person goes through."""
        ordered = self.ordered(person.name, topic)
        return in_view(self.state, topic, ordered, view) if person.role != "assessor" else ordered

    def left(self, person: Person, topic: str, view: View = "all") -> list[str]:
        """What a person still has to judge of a topic."""
        return left_to_judge(self.state, person.name, topic, self.asked(person, topic, view))

    def left_of(self, name: str, topic: str) -> list[str]:
        """What somebody still has to judge of a whole topic."""
        return left_to_judge(self.state, name, topic, self.documents(topic))

    def pace(self, person: str, topic: str) -> float:
        """The median seconds of a person's last marks on a topic; NaN where there are none."""
        done = (event for event in reversed(self.state.undoable(person, topic)) if event.kind == "mark")
        seconds = [event.seconds for event in itertools.islice(done, _RECENT) if event.seconds > 0]
        return statistics.median(seconds) if seconds else math.nan

    def write(self, person: Person, kind: Kind, content: Mapping[str, Any], value: str, target: str = "") -> bool:
        """Store what a person did; False if it was stored before. On the disk when this returns.

        Raises Refused where it may not be done, InputError where the journal cannot be written.
        """
        topic, document = _text(content, "topic"), _text(content, "document", needed=kind in _OF_A_DOCUMENT)
        uid = _text(content, "id")
        said = (person.name, kind, topic, document, value)
        with self.lock:
            if self._is_stored(uid, said):
                return False
            if kind in _OF_A_DOCUMENT:
                self.check_document(person, topic, document)
                if topic in self.state.closed:
                    raise Refused(409, "This topic is closed.")
            current = self.state.rounds.get(topic, 1)
        seen = content.get("round")
        turn = min(seen, current) if type(seen) is int and seen > 0 else current
        event = Event(
            uid, person.name, person.role, kind, topic, document, value, target, turn, _seconds(content.get("seconds"))
        )
        try:
            check_event(event)
        except InputError as error:
            raise Refused(400, f"Not possible: {error.problem}.") from None
        new = self.journal.append(event)
        self.refresh()
        if not new:  # the same id came twice at once
            self._is_stored(uid, said)
        return new

    def _is_stored(self, uid: str, said: tuple[str, ...]) -> bool:
        """Whether an event is stored; Refused where its id is that of another."""
        known = self.state.event(uid)
        if known is not None and (known.person, known.kind, known.topic, known.document, known.value) != said:
            raise Refused(409, "This id was used for something else.")
        return known is not None

    def undo(self, person: Person, content: Mapping[str, Any]) -> tuple[bool, Event | None]:
        """Undo an event of a person, the last one of the topic if none is named; whether it is new, and what it was."""
        topic, target = _text(content, "topic"), content.get("target")
        with self.lock:
            self.check_topic(person, topic)
            known = self.state.event(_text(content, "id"))
            if known is not None:
                target = known.target
            elif target is None:
                standing = self.state.undoable(person.name, topic)
                if not standing:
                    raise Refused(404, "There is nothing to undo.")
                target = standing[-1].uid
            done = self.state.event(target) if isinstance(target, str) else None
            if done is None or done.person != person.name or done.topic != topic or not done.document:
                raise Refused(404, "There is nothing of yours to undo under that id.")
        about = {**content, "topic": done.topic, "document": done.document}
        return self.write(person, "undo", about, "", done.uid), done


def check_id(content: Mapping[str, Any]) -> str:
    """The id that a page gave to what it sends."""
    uid = _text(content, "id")
    if not 8 <= len(uid) <= 64:
        raise Refused(400, "id must have 8 to 64 characters.")
    return uid


_OF_A_DOCUMENT = frozenset({"mark", "skip", "note", "passage", "undo"})


def _text(content: Mapping[str, Any], name: str, *, needed: bool = True) -> str:
    value = content.get(name, "")
    if not isinstance(value, str) or (needed and not value):
        raise Refused(400, f"{name} must be a text.")
    return value


def _seconds(value: Any) -> float:
    """How long something took, as far as that can be believed."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0.0
    if isinstance(value, float) and not math.isfinite(value):  # an int may be too large for a float
        return 0.0
    return float(min(max(value, 0.0), LONGEST_SECONDS))
