"""Run a pipeline for each topic, and collect the results."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, get_args

import numpy as np

from leadline.collections.documents.document import Document
from leadline.collections.documents.numbers import is_patent_number
from leadline.errors import InputError, checked_choice
from leadline.records.runs.run import Run
from leadline.records.topics.topic import Topic
from leadline.retrieval.pipeline.date_limited import date_limited
from leadline.retrieval.pipeline.journal import Journal, TopicResult
from leadline.retrieval.pipeline.request import Request

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

TopicsInput = Iterable[Topic | Document | str]
Progress = Callable[[int, int, str], None]
Narratives = Literal["dates", "words"]  # whether a text limits the dates of documents, or is only words


class System(Protocol):
    """A pipeline or a single step."""

    @property
    def wants_patent(self) -> bool: ...
    @property
    def last(self) -> str: ...
    def __call__(self, context: SearchContext, request: Request) -> Request: ...


@dataclass(frozen=True)
class Answers:
    """The documents found for each topic, and notes about topics."""

    found: dict[str, tuple[Sequence[str], Sequence[float]]]
    topics_by_note: dict[str, list[str]]
    seconds: dict[str, float] = field(default_factory=dict)  # that topics took

    def add(self, topic: str, found: TopicResult) -> None:
        self.found[topic] = found.documents, found.scores
        if found.seconds is not None:
            self.seconds[topic] = found.seconds
        for note in dict.fromkeys(found.notes):
            self.topics_by_note.setdefault(note, []).append(topic)

    def run(self, name: str = "run") -> Run:
        topics = [topic for topic, (documents, _) in self.found.items() for _ in documents]
        documents = [document for documents, _ in self.found.values() for document in documents]
        scores = np.array([score for _, scores in self.found.values() for score in scores], np.float64)
        if not documents:
            why = "".join(f"; {note}" for note in self.notes[:1])
            raise InputError(name, f"nothing was found for any topic{why}")
        return Run.from_columns(topics, documents, scores, name)

    @property
    def notes(self) -> list[str]:
        counted = {
            note: f"{len(topics):,} topic{'s' * (len(topics) != 1)}" for note, topics in self.topics_by_note.items()
        }
        return [f"{counted[note]} {note}: {_some(topics)}" for note, topics in self.topics_by_note.items()]


def answer_topics(
    system: System,
    context: SearchContext,
    topics: TopicsInput,
    k: int,
    progress: Progress | None,
    journal: Journal | None,
    narratives: Narratives = "dates",
) -> Answers:
    """The k best documents of every topic. Where a text asks for dates, "published after 1997", they limit the search.

    With `narratives="words"` a text is only words.
    """
    checked_choice("narratives", narratives, get_args(Narratives))
    if k < 1:
        raise InputError("k", f"must be at least 1, got {k}")
    requests = context.requests(topics)
    _check(system, requests, context)
    answers = Answers({}, {})
    missing = [request for request in requests if journal is None or journal.get(request.topic.id) is None]
    found = (context.elsewhere or answered)(system, context, missing, k, narratives)
    for done, request in enumerate(requests):
        name = request.topic.id
        if progress is not None:
            progress(done, len(requests), name)
        result = journal.get(name) if journal is not None else None
        if result is None:
            result = next(found)
            if journal is not None:
                journal.add(name, result)
        answers.add(name, result)
    return answers


def answered(
    system: System, context: SearchContext, requests: Iterable[Request], k: int, narratives: Narratives
) -> Iterator[TopicResult]:
    """What is found for each request."""
    for request in requests:
        yield _answer(system, context, date_limited(context, request) if narratives == "dates" else request, k)


def _answer(system: System, context: SearchContext, request: Request, k: int) -> TopicResult:
    start = time.perf_counter()
    done = system(context, request)
    if done.ranking is None:
        raise InputError("pipeline", f"ends with {system.last}, which finds no documents: add a search step")
    rows, scores = done.ranking.rows[:k], done.ranking.scores[:k]
    notes = done.notes if len(rows) else (*done.notes, "for which nothing was found")
    return TopicResult(context.names(rows), scores.tolist(), notes, time.perf_counter() - start)


def _check(system: System, requests: Sequence[Request], context: SearchContext) -> None:
    """Raise InputError for duplicate topics, and for patents that are not in the collection, before any search."""
    seen: set[str] = set()
    for request in requests:
        if request.topic.id in seen:
            raise InputError("topics", f"topic {request.topic.id} is listed twice")
        seen.add(request.topic.id)
    texts = [request.topic for request in requests if not request.is_patent]
    # A search by the title of a patent would find its own family and later documents.
    refuse_absent([topic for topic in texts if system.wants_patent or names_patent(topic)], len(requests), context)


def refuse_absent(absent: Sequence[Topic], topics: int, context: SearchContext) -> None:
    """Raise InputError where some of so many topics should be patents of the collection and are not."""
    if not absent:
        return
    names = [topic.patent for topic in absent]
    where, problem = f"topic {names[0]}", f"is not a patent of {context.location}"
    if len(names) > 1:
        where = "topics"
        problem = f"{len(names):,} of {topics:,} are not patents of {context.location}: {_some(names)}"
    # The words of a topic can be searched for where nothing but the system asks for a patent.
    if any((topic.title or topic.narrative) and not names_patent(topic) for topic in absent):
        problem += '; for topics in words use "survey" in place of "text", "claims" and other steps that read a patent'
    raise InputError(where, problem)


def names_patent(topic: Topic) -> bool:
    """Whether a topic's name looks like the number of a patent.

    >>> names_patent(Topic("EP-0049154-B2")), names_patent(Topic("PA-7", document="EP1")), names_patent(Topic("TS-7"))
    (True, True, False)
    """
    return bool(topic.document) or is_patent_number(topic.id)


def _some(names: Sequence[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (" …" if len(names) > most else "")
