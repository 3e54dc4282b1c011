"""The judging of one pool while people are at it: the pool, its journal, and where judging stands."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

from leadline.judge.assessors.journal import Event, JudgingJournal, Role
from leadline.judge.assessors.judging_state import JudgingState
from leadline.judge.assessors.people import People, Person
from leadline.judge.assessors.work_list import View, in_view, is_open_to, left_to_judge, shuffled
from leadline.judge.pools.pool import Pool
from leadline.records.topics.topic import Topic
from leadline.show.serve.journal_desk import JournalDesk, Refused
from leadline.show.serve.judging.cards import Cards

REASONS = ("same substance", "same process", "same use", "general background", "other field", "too short to tell")
INSTRUCTIONS = (
    "2: highly relevant, it answers the topic or takes away a claim. 1: relevant, it bears on the topic. "
    "0: not relevant. ?: unsure."
)


@dataclass
class JudgingDesk(JournalDesk):
    """What the pages ask and tell."""

    pool: Pool
    journal: JudgingJournal
    people: People
    cards: Cards
    instructions: str = INSTRUCTIONS
    reasons: tuple[str, ...] = REASONS
    state: JudgingState = field(default_factory=JudgingState)

    def __post_init__(self) -> None:
        self.lock = threading.RLock()  # of the state; the journal has its own
        self._documents: dict[str, list[str]] = {topic: [] for topic in self.pool.topics}
        for topic, document in self.pool.to_judge().select("topic", "document").iter_rows():
            self._documents[topic].append(document)
        self._members = {topic: frozenset(documents) for topic, documents in self._documents.items()}
        self._orders: dict[tuple[str, str], list[str]] = {}
        self.refresh()

    @property
    def judging(self) -> JudgingState:
        return self.state

    def take(self, event: Event) -> None:
        self.state.add(event)

    def take_all(self, events: Iterable[Event]) -> None:
        self.state = JudgingState.of(events)

    def check_open(self, topic: str) -> None:
        if topic in self.state.closed:
            raise Refused(409, "This topic is closed.")

    def turn(self, topic: str, document: str) -> int:
        return self.state.rounds.get(topic, 1)

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
