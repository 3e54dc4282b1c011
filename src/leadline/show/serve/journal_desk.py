"""What a desk does with a journal while people are at work: judging and reviewing share it.

What people do is appended to the journal first; the state then follows from the journal, event by event, so that no
request reads all of it again. What another process adds to the journal is noticed as well.
"""

from __future__ import annotations

import itertools
import math
import statistics
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from fastapi import HTTPException

from leadline.errors import InputError
from leadline.judge.assessors.journal import Event, JudgingJournal, Kind, check_event
from leadline.judge.assessors.judging_state import JudgingState
from leadline.judge.assessors.people import People, Person

LONGEST_SECONDS = 86_400.0
GRADES = ("2", "1", "0", "-2")
_RECENT = 20  # marks that the pace is of
_OF_A_DOCUMENT = frozenset({"mark", "skip", "note", "passage", "undo"})


class Refused(HTTPException):
    """What a person may not do, with the status of the answer."""


class JournalDesk(ABC):
    """Stores what people do, and keeps the state up to date."""

    journal: JudgingJournal
    people: People
    lock: threading.RLock  # of the state; the journal has its own
    _seq: int = 0
    _latest: str = ""

    @property
    @abstractmethod
    def judging(self) -> JudgingState:
        """Who marked what."""

    @abstractmethod
    def take(self, event: Event) -> None:
        """Bring the state up to date with one more event."""

    @abstractmethod
    def take_all(self, events: Iterable[Event]) -> None:
        """Make the state anew."""

    @abstractmethod
    def check_topic(self, person: Person, topic: str) -> None:
        """Refuse a topic that is not the person's."""

    @abstractmethod
    def check_document(self, person: Person, topic: str, document: str) -> None:
        """Refuse a document that is not to be judged by the person."""

    @abstractmethod
    def check_open(self, topic: str) -> None:
        """Refuse a topic on which nobody may judge any more."""

    @abstractmethod
    def turn(self, topic: str, document: str) -> int:
        """The round in which a document is judged."""

    @property
    def seq(self) -> int:
        """The place of the last event that the state has."""
        return self._seq

    def refresh(self) -> None:
        """Take over what was appended to the journal, here or by another process."""
        with self.lock:
            new = self.journal.events_after(self._seq)
            for seq, event in new:
                if event.at < self._latest:  # of another machine, and from before: the order of time counts
                    self.take_all(self.journal.events())
                    self._seq, self._latest = new[-1][0], max(self._latest, *(each.at for _, each in new))
                    return
                self.take(event)
                self._seq, self._latest = seq, event.at

    def pace(self, person: str, topic: str) -> float:
        """The median seconds of a person's last marks on a topic; NaN where there are none."""
        done = (event for event in reversed(self.judging.undoable(person, topic)) if event.kind == "mark")
        seconds = [event.seconds for event in itertools.islice(done, _RECENT) if event.seconds > 0]
        return statistics.median(seconds) if seconds else math.nan

    def write(self, person: Person, kind: Kind, content: Mapping[str, Any], value: str, target: str = "") -> bool:
        """Store what a person did; False if it was stored before. On the disk when this returns.

        Raises Refused where it may not be done, InputError where the journal cannot be written.
        """
        topic, document = text_of(content, "topic"), text_of(content, "document", needed=kind in _OF_A_DOCUMENT)
        uid = text_of(content, "id")
        said = (person.name, kind, topic, document, value)
        with self.lock:
            if self.is_stored(uid, said):
                return False
            if kind in _OF_A_DOCUMENT:
                self.check_document(person, topic, document)
                self.check_open(topic)
            current = self.turn(topic, document)
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
            self.is_stored(uid, said)
        return new

    def is_stored(self, uid: str, said: tuple[str, ...]) -> bool:
        """Whether an event is stored; Refused where its id is that of another."""
        known = self.judging.event(uid)
        if known is not None and (known.person, known.kind, known.topic, known.document, known.value) != said:
            raise Refused(409, "This id was used for something else.")
        return known is not None

    def undo(self, person: Person, content: Mapping[str, Any]) -> tuple[bool, Event | None]:
        """Undo an event of a person, the last one of the topic if none is named; whether it is new, and what it was."""
        topic, target = text_of(content, "topic"), content.get("target")
        with self.lock:
            self.check_topic(person, topic)
            known = self.judging.event(text_of(content, "id"))
            if known is not None:
                target = known.target
            elif target is None:
                standing = self.judging.undoable(person.name, topic)
                if not standing:
                    raise Refused(404, "There is nothing to undo.")
                target = standing[-1].uid
            done = self.judging.event(target) if isinstance(target, str) else None
            if done is None or done.person != person.name or done.topic != topic or not done.document:
                raise Refused(404, "There is nothing of yours to undo under that id.")
        about = {**content, "topic": done.topic, "document": done.document}
        return self.write(person, "undo", about, "", done.uid), done


def check_id(content: Mapping[str, Any]) -> str:
    """The id that a page gave to what it sends."""
    uid = text_of(content, "id")
    if not 8 <= len(uid) <= 64:
        raise Refused(400, "id must have 8 to 64 characters.")
    return uid


def text_of(content: Mapping[str, Any], name: str, *, needed: bool = True) -> str:
    """A text of what a page sent; Refused where it is missing or something else."""
    value = content.get(name, "")
    if not isinstance(value, str) or (needed and not value):
        raise Refused(400, f"{name} must be a text.")
    return value


def optional_text(content: Mapping[str, Any], name: str) -> str:
    """A text that may be missing or null."""
    value = content.get(name) or ""
    if not isinstance(value, str):
        raise Refused(400, f"{name} must be a text.")
    return value


def _seconds(value: Any) -> float:
    """How long something took, as far as that can be believed."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0.0
    if isinstance(value, float) and not math.isfinite(value):  # an int may be too large for a float
        return 0.0
    return float(min(max(value, 0.0), LONGEST_SECONDS))
