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
from leadline.judge.assessors.merging import UNJUDGED, merged

Key = tuple[str, str]  # topic, document


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
    closed: set[str] = field(default_factory=set)  # topics closed by the organiser

    @classmethod
    def of(cls, events: Iterable[Event]) -> JudgingState:
        """The state after these events, in their order. What was undone counts as not done, in any depth."""
        listed = list(events)
        undone = set[str]()
        for event in reversed(listed):  # an undo may itself be undone
            if event.kind == "undo" and event.uid not in undone:
                undone.add(event.target)
        state = cls()
        for event in listed:
            if event.uid not in undone and event.kind != "undo":
                state._apply(event)
        return state

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
        elif event.kind == "send_back":
            self.rounds[event.topic] = self.rounds.get(event.topic, 1) + 1
            self.instructions[event.topic] = event.value
            self.closed.discard(event.topic)
        elif event.kind == "close":
            self.closed.add(event.topic)
        elif event.kind == "reopen":
            self.closed.discard(event.topic)

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

    def final(self) -> tuple[dict[Key, int], set[Key]]:
        """The grades that count, and which of them no expert saw: there the merged grade stands."""
        grades = self.merged()
        unseen = set(grades)
        for (person, topic, document), mark in self.marks.items():
            if self.roles[person] == "expert":
                grades[topic, document] = mark.grade
                unseen.discard((topic, document))
        return grades, unseen
