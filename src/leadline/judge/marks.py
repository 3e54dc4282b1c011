"""What everybody judged, derived from a journal: marks merged, what is left to judge, and progress.

A mark is 2 (highly relevant), 1 (relevant), 0 (not relevant), -2 (unsure) or -1 (not judged). The merged grade is the
larger in the order -1 < -2 < 0 < 1 < 2.

    >>> merged(-2, 0), merged(-1, -2), merged(1, 2)
    (0, -2, 2)
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from leadline.judge.choices import Role
from leadline.judge.journal import Event
from leadline.records.result import Table

if TYPE_CHECKING:
    from leadline.judge.pools import Pool

ORDER = (-1, -2, 0, 1, 2)  # from the weakest mark to the strongest
UNJUDGED, UNSURE = -1, -2
RELEVANT = (1, 2)

Kind = Literal["agreed", "conflict", "lenient", "one_against_two"]
Neither = Literal["agreed", "lenient"]  # how unsure against not judged counts
Marks = Mapping[tuple[str, str], int]  # by topic and document


def merged(first: int, second: int) -> int:
    """The grade of a document that two assessors marked."""
    return max(first, second, key=ORDER.index)


def disagreement(first: int, second: int, neither: Neither = "agreed") -> Kind:
    """How two marks differ.

    Conflict: relevant against not relevant. Lenient: one unsure or not judged, the other not. One against two: both
    relevant, but not to the same degree. Of unsure against not judged neither says anything of the document: the
    guidelines of a track say in `neither` whether that is agreement, or two different marks and so lenient.

    >>> disagreement(2, 0), disagreement(-2, 1), disagreement(1, 2), disagreement(-1, -2)
    ('conflict', 'lenient', 'one_against_two', 'agreed')
    >>> disagreement(-1, -2, "lenient"), disagreement(-2, -2, "lenient")
    ('lenient', 'agreed')
    """
    unknown = (first in (UNSURE, UNJUDGED), second in (UNSURE, UNJUDGED))
    if any(unknown):
        return "agreed" if all(unknown) and (neither == "agreed" or first == second) else "lenient"
    if first == second:
        return "agreed"
    return "one_against_two" if first in RELEVANT and second in RELEVANT else "conflict"


COUNTED = ("documents", "conflict", "lenient", "one_against_two", "neither")


@dataclass(frozen=True)
class TopicDisagreement:
    """The documents of one topic, counted by how two assessors differ on them."""

    topic: str
    documents: int
    conflict: int
    lenient: int
    one_against_two: int
    neither: int = 0  # unsure against not judged, which `lenient` may or may not count

    @property
    def strict(self) -> int:
        """Conflicts and lenient disagreements together."""
        return self.conflict + self.lenient

    def share(self, number: int) -> float:
        """A count as a share of the topic's documents."""
        return number / self.documents if self.documents else float("nan")


def merge(first: Marks, second: Marks) -> dict[tuple[str, str], int]:
    """The merged grades of everything that either assessor was asked to judge."""
    return {key: merged(first.get(key, UNJUDGED), second.get(key, UNJUDGED)) for key in {**first, **second}}


def disagreements(
    first: Marks, second: Marks, asked: Iterable[tuple[str, str]] = (), neither: Neither = "agreed"
) -> list[TopicDisagreement]:
    """How two assessors differ, topic by topic; the last entry, `all`, is the total.

    `asked` is what both were asked to judge, marked or not (default: what either marked).
    """
    by_topic: dict[str, dict[str, int]] = {}
    for topic, document in dict.fromkeys([*asked, *first, *second]):
        key = topic, document
        pair = first.get(key, UNJUDGED), second.get(key, UNJUDGED)
        kind = disagreement(*pair, neither)
        counts = by_topic.setdefault(topic, dict.fromkeys(COUNTED, 0))
        counts["documents"] += 1
        counts["neither"] += {*pair} == {UNSURE, UNJUDGED}
        if kind != "agreed":
            counts[kind] += 1
    found = [TopicDisagreement(topic, **counts) for topic, counts in by_topic.items()]
    total = {name: sum(getattr(each, name) for each in found) for name in COUNTED}
    return [*found, TopicDisagreement("all", **total)]


def shifts(before: Marks, after: Marks) -> Table:
    """How the expert changed the merged grades: a row for each grade before, a column for each after."""
    counts = {(a, b): 0 for a in ORDER for b in ORDER}
    for key, grade in before.items():
        counts[grade, after.get(key, grade)] += 1
    rows = [[grade, *(counts[grade, other] for other in ORDER)] for grade in ORDER]
    return Table(["merged", *(f"expert {grade}" for grade in ORDER)], rows)


# What everybody judged, derived from the events of a journal: the last mark of each person on each document.


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
    """Where judging stands.

    >>> about = {"person": "anna", "role": "assessor", "topic": "7", "document": "d1"}
    >>> events = [Event("a" * 8, kind="mark", value="1", **about), Event("b" * 8, kind="mark", value="2", **about)]
    >>> JudgingState.of(events).marks["anna", "7", "d1"].grade
    2
    >>> undone = [*events, Event("c" * 8, kind="undo", target="b" * 8, **about)]
    >>> JudgingState.of(undone).marks["anna", "7", "d1"].grade
    1
    """

    marks: dict[tuple[str, str, str], Mark] = field(default_factory=dict)  # person, topic, document
    roles: dict[str, str] = field(default_factory=dict)  # of persons that did anything
    skipped: dict[tuple[str, str, str], int] = field(default_factory=dict)  # how often, since the last mark
    notes: dict[tuple[str, str, str], str] = field(default_factory=dict)
    tags: dict[tuple[str, str, str], str] = field(default_factory=dict)  # divided at semicolons
    passages: dict[str, MarkedPassage] = field(default_factory=dict)  # by uid
    assigned: dict[str, list[str]] = field(default_factory=dict)  # topic: persons
    rounds: dict[str, int] = field(default_factory=dict)  # topic: how often it was judged
    instructions: dict[str, str] = field(default_factory=dict)  # topic: what was said when it was sent back
    again: dict[str, set[str]] = field(default_factory=dict)  # topic: documents to judge again, since it was sent back
    closed: set[str] = field(default_factory=set)  # topics closed by the organiser
    _events: dict[str, Event] = field(default_factory=dict, repr=False)  # by uid
    _logs: dict[Key, list[Event]] = field(default_factory=dict, repr=False)  # by person and topic
    _undos: dict[Key, list[Event]] = field(default_factory=dict, repr=False)  # those among them: few
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
            of = event.person, event.topic
            self._logs.setdefault(of, []).append(event)
            if event.kind == "undo":
                self._undos.setdefault(of, []).append(event)
        if event.kind != "undo":
            self._apply(event)
            return
        self._forget(place)  # an undo concerns one document of one person, or one topic
        for each in reversed(list(_not_undone(history, history))):
            self._apply(each)

    def event(self, uid: str) -> Event | None:
        """The event with this id."""
        return self._events.get(uid)

    def undoable(self, person: str, topic: str) -> Iterator[Event]:
        """What a person did on a topic and has not undone, the last first."""
        of = person, topic
        return _not_undone(self._logs.get(of, []), self._undos.get(of, []))

    def _place(self, event: Event) -> Place:
        """Whose document an event concerns, or which topic; an undo concerns what it undoes."""
        seen = {event.uid}
        while event.kind == "undo" and event.target in self._events and event.target not in seen:
            event = self._events[event.target]
            seen.add(event.uid)
        return (event.person if event.document else "", event.topic, event.document)

    def _forget(self, place: Place) -> None:
        person, topic, document = place
        for known in (self.marks, self.skipped, self.notes, self.tags):
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
        elif event.kind == "tags":
            self.tags[key] = event.value
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


def _not_undone(history: list[Event], undos: list[Event]) -> Iterator[Event]:
    """The events that were not undone, the last first, without the undoing; an undo may itself be undone.

    Undos may come before what they undo, where the journals of machines with different clocks were merged.
    """
    undone = set[str]()
    for event in reversed(undos):
        if event.kind == "undo" and event.uid not in undone:
            undone.add(event.target)
    return (event for event in reversed(history) if event.kind != "undo" and event.uid not in undone)


# What is left for a person to judge, and in which order it is shown.
#
# The order is shuffled for each person, so that nobody can tell rank or stratum from it, and two people do not tire at
# the same documents. It depends only on seed, person, topic and document: it stays when a pool is extended.


View = Literal["all", "relevant", "unsure", "differ"]


def shuffled(documents: Sequence[str], seed: int, person: str, topic: str) -> list[str]:
    """The documents of a topic in one person's order.

    >>> anna, ben = (shuffled(["d1", "d2", "d3", "d4"], 1, name, "7") for name in ("anna", "ben"))
    >>> sorted(anna) == sorted(ben), anna == ben
    (True, False)
    """

    def place(document: str) -> bytes:
        text = f"{seed}\t{person}\t{topic}\t{document}"
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()

    return sorted(documents, key=place)


def is_open_to(state: JudgingState, roles: dict[str, Role], person: str, topic: str) -> bool:
    """Whether a person may judge a topic: it is assigned to them, or to nobody of their role."""
    assigned = [name for name in state.assigned.get(topic, []) if roles.get(name) == roles.get(person)]
    return not assigned or person in assigned


def left_to_judge(state: JudgingState, person: str, topic: str, ordered: Sequence[str]) -> list[str]:
    """What a person has not judged in this round, in the order given; what they skipped comes last."""
    current, again = state.rounds.get(topic, 1), state.again.get(topic, set())
    expert = state.roles.get(person) == "expert"
    left = []
    for document in ordered:
        mark = state.marks.get((person, topic, document))
        if mark is None or (not expert and document in again and mark.round < current):
            left.append(document)
    return sorted(left, key=lambda document: state.skipped.get((person, topic, document), 0))


def in_view(state: JudgingState, topic: str, ordered: Sequence[str], view: View) -> list[str]:
    """The documents an expert asked for: all, those merged as relevant, those unsure or not judged by anybody, or those
    that assessors marked differently.
    """
    if view == "all":
        return list(ordered)
    if view == "differ":
        given: dict[str, list[int]] = {}
        for (person, on, document), mark in state.marks.items():
            if on == topic and state.roles[person] == "assessor":
                given.setdefault(document, []).append(mark.grade)
        return [
            each
            for each in ordered
            if any(disagreement(*two) != "agreed" for two in combinations(given.get(each, ()), 2))
        ]
    grades = state.merged_of(topic)
    wanted = RELEVANT if view == "relevant" else (UNSURE, UNJUDGED)
    return [document for document in ordered if grades.get(document, UNJUDGED) in wanted]


# How far judging has come, by topic and person, what reading still finds, and how each person's marks drift.


QUARTERS = 4


def progress(pool: Pool, state: JudgingState) -> Table:
    """A row for each topic and person: marked, left, unsure, skipped, the share relevant and the pace."""
    wanted: dict[str, set[str]] = {}
    for topic, document in pool.to_judge().select("topic", "document").iter_rows():
        wanted.setdefault(topic, set()).add(document)
    rows: list[list[object]] = []
    for topic, documents in wanted.items():
        people = list(dict.fromkeys([*state.assigned.get(topic, []), *_who(state, topic)]))
        for person in people or ["nobody"]:
            marks = [
                mark
                for (who, on, document), mark in state.marks.items()
                if who == person and on == topic and document in documents
            ]
            unsure = sum(mark.grade < 0 for mark in marks)
            relevant = sum(mark.grade > 0 for mark in marks)
            skips = sum(who == person and on == topic for who, on, _ in state.skipped)
            pace = float(np.median([mark.seconds for mark in marks])) if marks else float("nan")
            status = "closed" if topic in state.closed else f"round {state.rounds.get(topic, 1)}"
            rows.append(
                [
                    topic,
                    person,
                    state.roles.get(person, "assessor" if person != "nobody" else ""),
                    status,
                    len(documents),
                    len(marks),
                    len(documents) - len(marks),
                    unsure,
                    skips,
                    relevant / len(marks) if marks else float("nan"),
                    pace,
                ]
            )
    columns = [
        "topic",
        "person",
        "role",
        "status",
        "to_judge",
        "judged",
        "left",
        "unsure",
        "skipped",
        "share_relevant",
        "median_seconds",
    ]
    return Table(columns, rows)


def _who(state: JudgingState, topic: str) -> list[str]:
    return sorted({person for person, on, _ in state.marks if on == topic})


def drift(state: JudgingState) -> Table:
    """The share of relevant marks and the pace of each person, in four equal parts of their work by time."""
    rows: list[list[object]] = []
    for person in sorted({who for who, _, _ in state.marks}):
        marks = sorted((mark for (who, _, _), mark in state.marks.items() if who == person), key=lambda mark: mark.at)
        for part, chunk in enumerate(np.array_split(np.arange(len(marks)), QUARTERS), start=1):
            chosen = [marks[place] for place in chunk.tolist()]
            if chosen:
                relevant = sum(mark.grade > 0 for mark in chosen) / len(chosen)
                seconds = float(np.median([mark.seconds for mark in chosen]))
                rows.append([person, part, len(chosen), relevant, seconds])
    return Table(["person", "quarter", "judged", "share_relevant", "median_seconds"], rows)


def found_against_read(state: JudgingState, *, level: int = 1) -> Table:
    """How many relevant documents each topic had after each quarter of what was read, in the order of first marks.

    A last quarter that found little says that more reading of this pool's sample finds little.
    """
    first: dict[tuple[str, str], str] = {}
    for (_, topic, document), mark in state.marks.items():
        first[topic, document] = min(first.get((topic, document), mark.at), mark.at)
    grades = state.final()[0]
    by_topic: dict[str, list[tuple[str, str]]] = {}
    for topic, document in sorted(first, key=lambda key: (first[key], key)):
        by_topic.setdefault(topic, []).append((topic, document))
    rows: list[list[object]] = []
    for topic, keys in by_topic.items():
        found = np.cumsum([0, *(grades[key] >= level for key in keys)])
        places = [round(len(keys) * quarter / QUARTERS) for quarter in range(1, QUARTERS + 1)]
        rows.append([topic, len(keys), *(int(found[place]) for place in places), int(found[-1] - found[places[-2]])])
    quarters = [f"found_after_{100 * quarter // QUARTERS}%" for quarter in range(1, QUARTERS + 1)]
    return Table(["topic", "read", *quarters, "in_last_quarter"], rows)
