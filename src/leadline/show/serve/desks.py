"""The judging of a pool and the reading of a review while people are at it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.errors import InputError, visible
from leadline.judge.choices import AUDIT, JUDGING_ROLES, STAGES, Role
from leadline.judge.journal import LONGEST, Desk, Event, JudgingJournal, Kind, People, Person
from leadline.judge.marks import UNJUDGED, UNSURE, JudgingState, View, in_view, is_open_to, left_to_judge, shuffled
from leadline.judge.pools import Pool
from leadline.judge.review.learners import Labels, Rows
from leadline.judge.review.project import PEOPLE, STARTER, ReviewProject
from leadline.judge.review.review_state import HELD, Proposer, ReadingQueue, ReviewState, settings_event
from leadline.records.result import counted
from leadline.records.topics import Topic, Topics
from leadline.show.serve.app import JournalDesk, Refused, check_id, text_of
from leadline.show.serve.cards import Cards
from leadline.text.source import read_text

if TYPE_CHECKING:
    import polars as pl

    PathLike = str | os.PathLike[str]

REASONS = ("same substance", "same process", "same use", "general background", "other field", "too short to tell")
INSTRUCTIONS = (
    "2: highly relevant, it answers the topic or takes away a claim. 1: relevant, it bears on the topic. "
    "0: not relevant. ?: unsure."
)


class PoolRound(NamedTuple):
    """Where a pool stands that is drawn in rounds."""

    number: int
    end: int  # how many documents of a topic are drawn when it ends
    drawn: int  # documents in all
    left: int  # of them, not judged yet
    further: int | None  # where the next round ends; None after the last


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
    path: str = ""  # of the pool; where it is not known, no round is drawn

    def __post_init__(self) -> None:
        self.lock = threading.RLock()  # of the state; the journal has its own
        self._take_pool()
        self.refresh()

    def _take_pool(self) -> None:
        self._documents: dict[str, list[str]] = {topic: [] for topic in self.pool.topics}
        for topic, document in self.pool.to_judge().select("topic", "document").iter_rows():
            self._documents[topic].append(document)
        self._members = {topic: frozenset(documents) for topic, documents in self._documents.items()}
        self._orders: dict[tuple[str, str], list[str]] = {}

    def round(self) -> PoolRound | None:
        """Where a pool that is drawn in rounds stands; None for any other, which is drawn at once."""
        draws = self.pool.draws
        if draws is None or not self.path:
            return None
        grades = self.state.final()[0]
        wanted = self.pool.to_judge().select("topic", "document").rows()
        left = sum(key not in grades for key in wanted)
        further = draws.ends[draws.rounds] if draws.rounds < len(draws.ends) else None
        return PoolRound(draws.rounds, draws.ends[draws.rounds - 1], len(wanted), left, further)

    def draw_round(self) -> None:
        """Draw the next round of the pool by what was judged, and show it."""
        with self.lock:
            now = self.round()
            if now is None or now.further is None:
                raise Refused(409, "There is no other round: `leadline judge next POOL --to N` draws one.")
            if now.left:
                raise Refused(409, f"{counted(now.left, 'document')} of this round are left to judge.")
            drawn = self.pool.next_round(self.state.final()[0])
            drawn.write_round(self.path)
            self.pool = drawn
            self._take_pool()

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


# Open a pool for judging: the files that the pages need, all checked before the first request.


def open_desk(
    pool: PathLike,
    documents: PathLike,
    journal: PathLike,
    people: PathLike,
    *,
    topics: PathLike | None = None,
    instructions: PathLike | None = None,
    reasons: PathLike | None = None,
) -> JudgingDesk:
    """The judging of a pool, ready to be served; InputError where a file does not fit."""
    drawn = Pool.read(pool)
    names = drawn.to_judge()["document"].unique().to_list()
    if not names:
        raise InputError(os.fspath(pool), "has nothing to judge")
    _check_names(os.fspath(pool), [*drawn.topics, *names])
    collection = Collection.open(documents)
    missing = int((collection.rows(names) < 0).sum())
    if missing == len(names):
        raise InputError(os.fspath(documents), f"has none of the documents of {os.fspath(pool)}")
    known = {topic.id: topic for topic in Topics.read(topics)} if topics is not None else {}
    if known and not set(known) & set(drawn.topics):
        there, here = next(iter(known)), drawn.topics[0]
        raise InputError(os.fspath(topics or ""), f"has no topic of the pool: it has {there}, the pool {here}")
    said = _text(instructions) if instructions is not None else INSTRUCTIONS
    listed = tuple(line.strip() for line in _text(reasons).splitlines() if line.strip()) if reasons else REASONS
    opened = JudgingJournal(journal, create=True)
    path = os.fspath(pool)
    return JudgingDesk(drawn, opened, People(people), Cards(collection, known), said, listed, path=path)


def _check_names(pool: str, names: list[str]) -> None:
    """Refuse ids that no page can send back as they are."""
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise InputError(
                pool, f"has an id that is not UTF-8, {visible(name)}: it cannot be judged in pages"
            ) from None


def _text(path: PathLike) -> str:
    text = read_text(path).bytes().decode("utf-8", "replace").strip()
    if not text or len(text) > LONGEST:
        raise InputError(os.fspath(path), f"must have 1 to {LONGEST:,} characters, has {len(text):,}")
    return visible(text, "\t\n")


# A review while people are at it: the queue, the learner in the background, and where the review stands.


AHEAD = 12  # documents that are kept ready
CRITERIA = "1: keep it, it may be relevant. 0: exclude it. ?: unsure. R: exclude it and say why."
STAGE_NAMES = {STAGES[0]: "Titles and abstracts", STAGES[1]: "Full texts", AUDIT: "Audit"}


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

    def __init__(self, project: ReviewProject, *, late: bool = False) -> None:
        """With `late`, the words of the documents are weighed in the background, beside the first cards."""
        self.project, self.settings = project, project.settings
        self.journal, self.people = project.journal(), People(project.folder / PEOPLE)
        self.lock = threading.RLock()
        self.state = ReviewState(project)
        self.queue = ReadingQueue(lambda: self.state.machines.ordered(self.proposer.scores))
        about = self.settings.title, self.settings.criteria
        topics = {
            stage: Topic(stage, about[0], self.settings.query, about[1], category=STAGE_NAMES[stage])
            for stage in (*project.topics, AUDIT)
        }
        self.cards = Cards(RoundDocuments(project), topics)
        self._kept: dict[tuple[str, str], float] = {}  # when the desk of a person and stage was stored
        self.refresh()
        self._take_up_desks()
        self.proposer = Proposer(
            project.features if late else project.features(),
            self.settings.learner,
            self._judged,
            units=len(project.units),
            query=self.settings.query,
            seed=self.settings.seed,
            prepare=self._fetch_ahead,
        )
        self._titles: list[str] | None = None
        self._searched: pl.Series | None = None

    def close(self) -> None:
        self.proposer.close()
        self.journal.close()

    def is_alone(self, person: Person) -> bool:
        """Whether nobody else can sign in."""
        others = (each for each in self.people if each.name != person.name and each.role in JUDGING_ROLES)
        return all(each.revoked or each.has_expired for each in others)

    def leads(self, person: Person) -> bool:
        """Whether a person decides for all when to draw at random and to stop: organiser, expert, or who is alone."""
        return person.role in ("organiser", "expert") or self.is_alone(person)

    def check_leads(self, person: Person) -> None:
        if not self.leads(person):
            raise Refused(403, "This concerns all who read here: only the organiser or the expert may do it.")

    def reviewers(self) -> list[str]:
        """Who may read and does not lead: together they decide when to stop."""
        return [each.name for each in self.people if each.role == "assessor" and not (each.revoked or each.has_expired)]

    def agreement(self, person: Person) -> dict[str, Any]:
        """Who wants the review to stop, or to go on where it was stopped, and who has not said so."""
        with self.lock:
            names, agreed = self.reviewers(), self.state.agreed
        return {
            "agreed": [name for name in names if name in agreed],
            "waiting": [name for name in names if name not in agreed],
            "mine": person.name in agreed,
        }

    def sees_all(self, person: Person) -> bool:
        """Whether a person may see what follows from everybody's marks.

        While documents are read twice, a reviewer may not: a second opinion must not know the first.
        """
        with self.lock:
            if person.role != "assessor" or not self.state.hides_marks:
                return True
            others = set(self.judging.roles) - {person.name, STARTER}
        return not others and self.is_alone(person)

    def _judged(self) -> tuple[Rows, Labels]:
        """What the learner learns from, in the order of reading: units that somebody was sure of."""
        with self.lock:
            grades = self.state.open_grades()
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
        elif event.kind == "settings":
            self._follow_settings()
        row = self.project.row_of.get(event.document)
        if row is not None:
            self.queue.release(event.topic, row)

    def take_all(self, events: Iterable[Event]) -> None:
        self.state = ReviewState.of(self.project, events)
        self._follow_settings()

    def _follow_settings(self) -> None:
        """Go on with the settings that the journal has."""
        self.settings = self.state.project.settings
        if "proposer" in vars(self):
            self.proposer.use(self.settings.learner)

    def change_settings(self, person: Person, content: Mapping[str, Any]) -> bool:
        """Store another learner or target of the running review."""
        self.check_leads(person)
        changed = {name: content[name] for name in ("learner", "target") if content.get(name) not in (None, "")}
        if not isinstance(changed.get("target", 0.5), float) or not isinstance(changed.get("learner", ""), str):
            raise Refused(400, "learner must be a text, and target a number below 1.")
        with self.lock:
            self.refresh()
            try:
                about = (check_id(content), person.name, person.role, self.project.current_round)
                event = settings_event(*about, changed)
            except InputError as error:
                raise Refused(400, f"Not possible: {error.problem}.") from None
            new = self.journal.append(event)
            self.refresh()
        return new

    def check_topic(self, person: Person, topic: str) -> None:
        if topic == AUDIT and person.role == "expert" and self.project.current_round in self.state.audits:
            return
        if topic not in self.project.topics:
            raise Refused(404, f"This review has no stage {topic!r}.")

    def check_document(self, person: Person, topic: str, document: str) -> None:
        self.check_topic(person, topic)
        row = self.project.row_of.get(document)
        if row is None or self.project.units[row][0] != document:
            raise Refused(404, "This document is not in the review.")

    def check_open(self, topic: str) -> None:
        if self.state.stopped is not None:
            raise Refused(409, "The review was stopped. Whoever leads it can choose Go on with the review.")

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
        chosen = self.queue.next(self.state, person.name, stage, count, rows, expert=person.role == "expert")
        self._keep_desk(person.name, stage, is_changed=bool(chosen))
        return chosen

    def _keep_desk(self, person: str, stage: str, *, is_changed: bool) -> None:
        """Store what a person has before them: a server that is killed must not give it to another afterwards."""
        held, now = self.queue.held_by(person, stage), time.time()
        if is_changed or (held and now > self._kept.get((person, stage), 0.0) + HELD / 2):
            documents = tuple(self.project.units[row][0] for row in held)
            self.journal.keep_desk(Desk(person, stage, documents, now + HELD))
            self._kept[person, stage] = now

    def _take_up_desks(self) -> None:
        """Go on where a server that was stopped left off: what people had before them and have not marked is theirs."""
        for desk in self.journal.desks():
            rows = {
                row
                for each in desk.documents
                if (row := self.project.row_of.get(each)) is not None
                and (desk.person, desk.topic, each) not in self.judging.skipped
                and desk.person not in self.state.marks_of(row, desk.topic)
            }
            self.queue.hold(desk.person, desk.topic, rows, desk.until - time.time())

    def give_back(self, person: str, stage: str, have: Iterable[str]) -> None:
        """A page was closed: others may get the documents that it had."""
        with self.lock:
            self.queue.give_back(
                person, stage, [self.project.row_of[each] for each in have if each in self.project.row_of]
            )
            self._keep_desk(person, stage, is_changed=stage in (*self.project.topics, AUDIT))

    def stop(self, person: Person, content: Mapping[str, Any], *, resume: bool = False) -> bool:
        """Store that the review is enough, or goes on after all."""
        self.check_leads(person)
        with self.lock:
            self.refresh()
            before = self.state.stopped
            if not resume and before is not None and before.uid != content.get("id"):
                raise Refused(409, f"The review was stopped by {before.person} already.")
            new = self.journal.append(self._decision(check_id(content), person, resume=resume))
            self.refresh()
        return new

    def _decision(self, uid: str, person: Person, *, resume: bool) -> Event:
        """The event that stops the review with what is certified then, or lets it go on."""
        kind: Kind = "resume" if resume else "stop"
        number = self.project.current_round
        words = "" if resume else self.state.round_certificate(number).certificate.words
        audit = None if resume else self.state.round_audit(number)
        if audit is not None and audit.phase == "draws":  # both are kept, and never one in the words of the other
            words = f"{words}\n{audit.certificate.words}"
        return Event(uid, person.name, person.role, kind, STAGES[0], "", words, "", number)

    def agree(self, person: Person, content: Mapping[str, Any]) -> bool:
        """Store that a reviewer wants the review to stop or to go on, or no longer does; the last of them decides."""
        uid, to, taken_back = check_id(content), text_of(content, "to"), content.get("agree") is False
        if to not in ("stop", "resume"):
            raise Refused(400, "to must be stop or resume.")
        with self.lock:
            self.refresh()
            before = self.state.agreed.get(person.name), self.state.stopped
            if any(event is not None and event.uid in (uid, f"{uid[:60]}-all") for event in before):
                return False
            if self.judging.event(uid) is not None:
                raise Refused(409, "This id was used for something else.")
            if person.name not in self.reviewers() or self.leads(person) or len(self.reviewers()) < 2:
                raise Refused(403, "Only reviewers agree with each other, two at least; else whoever leads decides.")
            if (to == "resume") != (self.state.stopped is not None):
                said = "was stopped" if self.state.stopped is not None else "goes on"
                raise Refused(409, f"The review {said} already.")
            about = (STAGES[0], "", to, "", self.project.current_round)
            kind: Kind = "disagree" if taken_back else "agree"
            events = [Event(uid, person.name, person.role, kind, *about)]
            if not taken_back and not {*self.reviewers()} - {*self.state.agreed, person.name}:
                events.append(self._decision(f"{uid[:60]}-all", person, resume=to == "resume"))
            new = self.journal.append_all(events)
            self.refresh()
        return new > 0

    def find(self, person: Person, words: str, most: int = 10) -> list[dict[str, Any]]:
        """Units whose id or title has all these words, and whether they were read; by this person, if that is all
        that they may know.
        """
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
        with self.lock:
            all_seen, state = self.sees_all(person), self.state
            read = state.is_read if all_seen else state.own_grades(person.name, STAGES[0]) != UNJUDGED
        return [{"document": self.project.units[row][0], "read": bool(read[row])} for row in rows[:most]]

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
