"""What everybody judged, derived from the events of a journal: the last mark of each person on each document.

>>> about = {"person": "anna", "role": "assessor", "topic": "7", "document": "d1"}
>>> events = [Event("a" * 8, kind="mark", value="1", **about), Event("b" * 8, kind="mark", value="2", **about)]
>>> JudgingState.of(events).marks["anna", "7", "d1"].grade
2
>>> undone = [*events, Event("c" * 8, kind="undo", target="b" * 8, **about)]
>>> JudgingState.of(undone).marks["anna", "7", "d1"].grade
1
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from leadline.judge.assessors.journal import Event
from leadline.judge.assessors.merging import UNJUDGED, UNSURE, merged
from leadline.records.scores.table import Table

Key = tuple[str, str]  # topic, document
Place = tuple[str, str, str]  # person, topic, document; only the topic for what the organiser does with it
NOT_AGREED = "not agreed"  # the target of a send_back: only documents that are unsure or marked differently


@dataclass(frozen=True)
class Mark:
    """A person's mark on a document."""

    grade: int
    reason: str
    uid: str
    at: str
    round: int
    seconds: float


@dataclass(frozen=True)
class MarkedPassage:
    """A passage that a person marked for a claim."""

    person: str
    topic: str
    document: str
    claim: str
    text: str


@dataclass
class JudgingState:
    """Where judging stands."""

    marks: dict[tuple[str, str, str], Mark] = field(default_factory=dict)  # person, topic, document
    roles: dict[str, str] = field(default_factory=dict)  # of persons that did anything
    skipped: dict[tuple[str, str, str], int] = field(default_factory=dict)  # how often, since the last mark
    notes: dict[tuple[str, str, str], str] = field(default_factory=dict)
    passages: dict[str, MarkedPassage] = field(default_factory=dict)  # by uid
    assigned: dict[str, list[str]] = field(default_factory=dict)  # topic: persons
    rounds: dict[str, int] = field(default_factory=dict)  # topic: how often it was judged
    instructions: dict[str, str] = field(default_factory=dict)  # topic: what was said when it was sent back
    again: dict[str, set[str]] = field(default_factory=dict)  # topic: documents to judge again, since it was sent back
    closed: set[str] = field(default_factory=set)  # topics closed by the organiser
    _events: dict[str, Event] = field(default_factory=dict, repr=False)  # by uid
    _logs: dict[Key, list[Event]] = field(default_factory=dict, repr=False)  # by person and topic
    _histories: dict[Place, list[Event]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, events: Iterable[Event]) -> JudgingState:
        """The state after these events, in their order. What was undone counts as not done, in any depth."""
        state = cls()
        for event in events:
            state.add(event)
        return state

    def add(self, event: Event) -> None:
        """Take one more event into account."""
        place = self._place(event)
        self._events[event.uid] = event
        history = self._histories.setdefault(place, [])
        history.append(event)
        if event.document:
            self._logs.setdefault((event.person, event.topic), []).append(event)
        if event.kind != "undo":
            self._apply(event)
            return
        self._forget(place)  # an undo concerns one document of one person, or one topic
        for each in _standing(history):
            self._apply(each)

    def event(self, uid: str) -> Event | None:
        """The event with this id."""
        return self._events.get(uid)

    def undoable(self, person: str, topic: str) -> list[Event]:
        """What a person did on a topic and has not undone, in the order of time."""
        return _standing(self._logs.get((person, topic), []))

    def _place(self, event: Event) -> Place:
        """Whose document an event concerns, or which topic; an undo concerns what it undoes."""
        seen = {event.uid}
        while event.kind == "undo" and event.target in self._events and event.target not in seen:
            event = self._events[event.target]
            seen.add(event.uid)
        return (event.person if event.document else "", event.topic, event.document)

    def _forget(self, place: Place) -> None:
        person, topic, document = place
        for known in (self.marks, self.skipped, self.notes):
            known.pop(place, None)
        about = (person, topic, document)
        gone = [uid for uid, each in self.passages.items() if (each.person, each.topic, each.document) == about]
        for uid in gone:
            del self.passages[uid]
        if not document:
            for by_topic in (self.assigned, self.rounds, self.instructions, self.again):
                by_topic.pop(topic, None)
            self.closed.discard(topic)

    def _apply(self, event: Event) -> None:
        key = event.person, event.topic, event.document
        self.roles[event.person] = event.role
        if event.kind == "mark":
            self.marks[key] = Mark(int(event.value), event.target, event.uid, event.at, event.round, event.seconds)
            self.skipped.pop(key, None)
        elif event.kind == "skip":
            self.skipped[key] = self.skipped.get(key, 0) + 1
        elif event.kind == "note":
            self.notes[key] = event.value
        elif event.kind == "passage":
            self.passages[event.uid] = MarkedPassage(
                event.person, event.topic, event.document, event.target, event.value
            )
        elif event.kind == "assign":
            people = self.assigned.setdefault(event.topic, [])
            if event.value not in people:
                people.append(event.value)
        elif event.kind == "unassign":
            people = self.assigned.get(event.topic, [])
            if event.value in people:
                people.remove(event.value)
        elif event.kind == "send_back":
            self.rounds[event.topic] = self.rounds.get(event.topic, 1) + 1
            self.again[event.topic] = self._sent_back(event.topic, event.target)
            self.instructions[event.topic] = event.value
            self.closed.discard(event.topic)
        elif event.kind == "close":
            self.closed.add(event.topic)
        elif event.kind == "reopen":
            self.closed.discard(event.topic)

    def _sent_back(self, topic: str, which: str) -> set[str]:
        """The documents that a topic sent back has again: all that are marked, or those not agreed on."""
        marks: dict[str, list[int]] = {}
        for (person, on, document), mark in self.marks.items():
            if on == topic and self.roles[person] == "assessor":
                marks.setdefault(document, []).append(mark.grade)
        if which != NOT_AGREED:
            return set(marks)
        return {document for document, grades in marks.items() if len(set(grades)) > 1 or UNSURE in grades}

    def people(self, role: str) -> list[str]:
        """Who judged in a role."""
        return sorted(person for person, known in self.roles.items() if known == role)

    def grades_of(self, person: str) -> dict[Key, int]:
        """One person's marks."""
        return {(topic, document): mark.grade for (who, topic, document), mark in self.marks.items() if who == person}

    def merged(self) -> dict[Key, int]:
        """The marks of all assessors, merged by the larger in the order -1 < -2 < 0 < 1 < 2."""
        grades: dict[Key, int] = {}
        for (person, topic, document), mark in self.marks.items():
            if self.roles[person] == "assessor":
                key = topic, document
                grades[key] = merged(grades.get(key, UNJUDGED), mark.grade)
        return grades

    def merged_of(self, topic: str) -> dict[str, int]:
        """The merged grades of one topic's documents."""
        grades: dict[str, int] = {}
        for (person, on, document), mark in self.marks.items():
            if on == topic and self.roles[person] == "assessor":
                grades[document] = merged(grades.get(document, UNJUDGED), mark.grade)
        return grades

    def passage_table(self) -> Table:
        """The passages that people marked for claims, as `leadline qrels claims --passages` reads them."""
        rows = [
            [each.topic, each.claim, each.document, " ".join(each.text.split()), each.person]
            for each in self.passages.values()
        ]
        return Table(["topic", "claim", "document", "passage", "person"], rows)

    def final(self) -> tuple[dict[Key, int], set[Key]]:
        """The grades that count, and which of them no expert saw: there the merged grade stands."""
        grades = self.merged()
        unseen = set(grades)
        for (person, topic, document), mark in self.marks.items():
            if self.roles[person] == "expert":
                grades[topic, document] = mark.grade
                unseen.discard((topic, document))
        return grades, unseen


def _standing(history: list[Event]) -> list[Event]:
    """The events of one place that were not undone, without the undoing; an undo may itself be undone."""
    undone = set[str]()
    for event in reversed(history):
        if event.kind == "undo" and event.uid not in undone:
            undone.add(event.target)
    return [event for event in history if event.kind != "undo" and event.uid not in undone]
