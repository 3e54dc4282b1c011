"""The judging of a pool and the reading of a review while people are at it, and the cards they are shown."""

from __future__ import annotations

import importlib.util
import os
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

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
from leadline.judge.review.review_state import HELD, Proposer, ReadingQueue, ReviewState
from leadline.records.topics import Topic, Topics
from leadline.retrieval.choices import COMMON
from leadline.retrieval.pipeline.synonyms.chemistry import chemicals
from leadline.retrieval.pipeline.synonyms.thesaurus import TextWords
from leadline.show.serve.app import JournalDesk, Refused, check_id, text_of
from leadline.text.source import read_text

if TYPE_CHECKING:
    import polars as pl

    PathLike = str | os.PathLike[str]

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
    return JudgingDesk(drawn, opened, People(people), Cards(collection, known), said, listed)


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


# What a page shows of a topic and of a document: texts as they are, and the words to highlight.


KEPT = 200  # documents in memory
LARGEST_CLAIMS = 300_000  # characters that come with the card; more only on request
Field = Literal["claims", "description"]


class DocumentSource(Protocol):
    """What cards take documents from."""

    def document(self, name: str) -> Document:
        """A document by its id; InputError where there is none."""
        ...


class Cards:
    """The topics and documents of a pool as pages show them. Threads may share it."""

    def __init__(self, collection: DocumentSource, topics: Mapping[str, Topic]) -> None:
        self._collection, self._topics = collection, topics
        self._documents: OrderedDict[str, Document | None] = OrderedDict()
        self._shown_topics: dict[str, dict[str, Any]] = {}
        self._highlights: dict[str, list[Highlight]] = {}
        self._lock = threading.Lock()

    def topic(self, name: str) -> Topic:
        return self._topics.get(name, Topic(name))

    def document(self, name: str) -> Document | None:
        """A document; None where the collection lacks it."""
        with self._lock:
            if name in self._documents:
                self._documents.move_to_end(name)
                return self._documents[name]
        try:
            found = self._collection.document(name)
        except InputError:
            found = None
        with self._lock:
            self._documents[name] = found
            while len(self._documents) > KEPT:
                self._documents.popitem(last=False)
        return found

    def shown_topic(self, name: str) -> dict[str, Any]:
        """What a page shows of a topic: in words, or the patent whose prior art is sought."""
        with self._lock:
            if name in self._shown_topics:
                return self._shown_topics[name]
        topic = self.topic(name)
        patent = self.document(topic.patent)
        claims = [{"name": each.name, "text": _clean(each.text)} for each in topic.subtopics]
        if not claims and patent is not None:
            claims = [{"name": str(each.number), "text": _clean(each.text)} for each in patent.claims]
        title = topic.title or (patent.title if patent else "")
        shown: dict[str, Any] = {
            "id": visible(name),
            "title": _clean(title),
            "category": _clean(topic.category),
            "description": _clean(topic.description),
            "narrative": _clean(topic.narrative),
            "patent": visible(patent.id) if patent else "",
            "abstract": _clean(patent.abstract) if patent else "",
            "claims": claims,
        }
        with self._lock:
            self._shown_topics[name] = shown
        return shown

    def highlights(self, name: str) -> list[Highlight]:
        """The words and names of a topic that are highlighted in documents."""
        with self._lock:
            if name in self._highlights:
                return self._highlights[name]
        topic = self.topic(name)
        found = _highlights_of(topic, self.document(topic.patent))
        with self._lock:
            self._highlights[name] = found
        return found

    def card(self, name: str) -> dict[str, Any]:
        """What a page shows of a document; the description only by its length."""
        document = self.document(name)
        if document is None:
            return {
                "document": name,
                "shown": visible(name),
                "missing": True,
                "title": "",
                "abstract": "",
                "claims": [],
                "claim_count": 0,
                "description_length": 0,
                "about": [],
            }
        length = sum(len(claim.text) for claim in document.claims)
        is_patent = bool(document.office or document.claims)
        people = document.applicants if is_patent else document.inventors  # of an article, its authors
        about = [
            " ".join(filter(None, (document.office, document.kind if is_patent else ""))),
            document.publication,
            ", ".join(people[:3]),
            ", ".join((document.ipc or document.cpc)[:4]),
        ]
        return {
            "document": name,
            "shown": visible(name),
            "missing": False,
            "title": _clean(document.title),
            "abstract": _clean(document.abstract),
            "about": [_clean(each) for each in about if each],
            "claims": self.text(name, "claims") if length <= LARGEST_CLAIMS else None,
            "claim_count": len(document.claims),
            "description_length": len(document.description),
        }

    def text(self, name: str, field: Field) -> list[dict[str, str]]:
        """The claims or the description of a document, in paragraphs."""
        document = self.document(name)
        if document is None:
            return []
        if field == "claims":
            return [{"name": str(claim.number), "text": _clean(claim.text)} for claim in document.claims]
        paragraphs = (each.strip() for each in document.description.split("\n"))
        return [{"name": "", "text": part} for each in paragraphs if each for part in _parts(_clean(each))]


def _highlights_of(topic: Topic, patent: Document | None) -> list[Highlight]:
    texts = [topic.title, topic.description, topic.narrative]
    if patent is not None:
        texts += [patent.title, *(claim.text for claim in patent.claims if claim.independent)]
    return highlights(" ".join(texts))


def _parts(text: str, longest: int = 4000) -> list[str]:
    """A paragraph in parts that a browser lays out at once, cut at blanks.

    >>> _parts("one two three", 8)
    ['one two', 'three']
    """
    parts = []
    while len(text) > longest:
        at = text.rfind(" ", 0, longest) + 1 or longest
        parts.append(text[:at].rstrip())
        text = text[at:]
    return [*parts, text]


def _clean(text: str) -> str:
    """A text in which control codes are visible, and line ends stay."""
    return visible(text, "\t\n")


# Which words of a document a page highlights: those of the topic, and other names of the substances it names.


MOST_WORDS, MOST_NAMES, MOST_SYNONYMS = 40, 60, 6
_SHORTEST = 3  # letters of a word
# Words of every claim say nothing of what is sought.
_OF_CLAIMS = """
said wherein whereof thereof therein comprising comprises comprise consisting consists method process according claim
claims which first second least one more having from being further cas
"""
_TOO_COMMON = frozenset(_OF_CLAIMS.split()) | {word.decode() for word in COMMON["en"]}


class Highlight(NamedTuple):
    """A word or a name to highlight, and why."""

    text: str
    kind: Literal["word", "name", "synonym"]


def highlights(text: str) -> list[Highlight]:
    """The words of a topic's text, most frequent first, and the substances it names with their other names.

    >>> [each.text for each in highlights("Coating of the steel with zinc; the coating dries")]
    ['coating', 'steel', 'zinc', 'dries']
    """
    counts = Counter(word for word in TextWords.of(text).texts if _is_telling(word))
    found = [Highlight(word, "word") for word, _ in counts.most_common(MOST_WORDS)]
    return [*found, *_names(text)]


def _is_telling(word: str) -> bool:
    return len(word) >= _SHORTEST and not word.isdigit() and word not in _TOO_COMMON


def _names(text: str) -> list[Highlight]:
    """The names of substances in a text, each with its shortest synonyms; none without the package chemicals."""
    if not text.strip() or importlib.util.find_spec("chemicals") is None:
        return []
    found: dict[str, Highlight] = {}
    for match in chemicals().matches(TextWords.of(text)):
        if len(found) >= MOST_NAMES:
            break
        found.setdefault(match.name.lower(), Highlight(match.name, "name"))
        for other in sorted(match.synonyms, key=len)[:MOST_SYNONYMS]:
            found.setdefault(other.lower(), Highlight(other, "synonym"))
    return list(found.values())


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

    def __init__(self, project: ReviewProject) -> None:
        self.project, self.settings = project, project.settings
        self.journal, self.people = project.journal(), People(project.folder / PEOPLE)
        self.lock = threading.RLock()
        self.state = ReviewState(project)
        self.queue = ReadingQueue(lambda: self.proposer.scores)
        about = self.settings.title, self.settings.criteria
        topics = {
            stage: Topic(stage, about[0], self.settings.query, about[1], category=STAGE_NAMES[stage])
            for stage in (*project.topics, AUDIT)
        }
        self.cards = Cards(RoundDocuments(project), topics)
        self._kept: dict[tuple[str, str], float] = {}  # when the desk of a person and stage was stored
        self.refresh()
        self._take_up_desks()
        self.features = project.features()
        self.proposer = Proposer(
            self.features,
            self.settings.learner,
            self._judged,
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
        row = self.project.row_of.get(event.document)
        if row is not None:
            self.queue.release(event.topic, row)

    def take_all(self, events: Iterable[Event]) -> None:
        self.state = ReviewState.of(self.project, events)

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
