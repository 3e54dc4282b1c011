"""Steps, pipelines made of them, and running one for each topic, with a journal of finished topics.

A step is a small frozen dataclass: its fields are its options, and calling it with a search context and a request
returns the next request. The decorator `step` registers it under the name that pipeline files use.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from io import FileIO
from pathlib import Path
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Protocol,
    TypeVar,
    dataclass_transform,
    get_args,
    get_type_hints,
)

import numpy as np

from leadline.collections.documents.document import Document
from leadline.collections.documents.numbers import is_patent_number
from leadline.errors import InputError, LeadlineWarning, checked_choice, nearest, system_reason, visible
from leadline.options import checked_option, name_and_options, typed_options
from leadline.records.result import counted
from leadline.records.runs import Run
from leadline.records.topics import Topic, date_limits
from leadline.register import Register
from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.language.kinds_of_text import reading_of, refuse_strategy
from leadline.retrieval.language.language import Language
from leadline.retrieval.language.reading import understand
from leadline.retrieval.language.tree import ranking_words
from leadline.retrieval.pipeline.context import BooleanTopic, Request
from leadline.text.checksums import open_stored
from leadline.text.files import is_trusted, reported, this_process, try_lock

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

# Run a pipeline for each topic, and collect the results.


TopicsInput = Iterable[Topic | Document | str]
Progress = Callable[[int, int, str], None]
Narratives = Literal["dates", "words"]  # whether a text limits the dates of documents, or is only words


AS_QUERY = "in Boolean form, run as queries and not as words"
PERHAPS = "perhaps in Boolean form, run as words"


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
    def about_queries(self) -> list[str]:
        """The notes on topics that are Boolean queries, or may be."""
        only = {note: topics for note, topics in self.topics_by_note.items() if note in (AS_QUERY, PERHAPS)}
        return Answers({}, only).notes

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
        limited = date_limited(context, request) if narratives == "dates" else request
        yield _answer(system, context, boolean_topic(context, limited, k), k)


def boolean_topic(context: SearchContext, request: Request, k: int) -> Request:
    """The request, limited to what its text asks for if that is a Boolean query; a note says how it was read.

    What is found is what `leadline search` finds with the same text. Every step of the system sees the words that the
    query asks for, without operators, fields and excluded words; a search by words ranks by the terms of the query.
    """
    if request.is_patent:
        return request
    part = "title" if request.topic.title.strip() else "narrative"
    text = getattr(request.topic, part)
    try:
        refuse_strategy(text, in_session=False)
        reading = reading_of(text, context.index.fields)
        if reading == "words":
            return request
        if reading == "unsure":
            return request.with_note(PERHAPS)
        language = Language(context.index, None, context.searching)
        answer = language.search(text, k=k, mask=context.visible(request))
    except InputError as error:
        return request.with_note(f"run as words, since the text {error.problem}")
    if answer.is_empty:
        return request.with_note(PERHAPS)
    tree = understand(text, context.index.fields).tree
    words = "" if tree is None else " ".join(ranking_words(tree))
    is_title = part == "title"
    topic = replace(request.topic, title=words) if is_title else replace(request.topic, narrative=words)
    limited = replace(request, topic=topic, boolean=BooleanTopic(part, answer, language)).only(answer.matching)
    for note in (AS_QUERY, *(f"in whose query {note}" for note in answer.notes)):
        limited = limited.with_note(note)
    return limited


def _answer(system: System, context: SearchContext, request: Request, k: int) -> TopicResult:
    start = time.perf_counter()
    boolean = request.boolean
    if boolean is not None and not boolean.is_ranked:
        done = replace(request, ranking=boolean.by_date)
    else:
        done = system(context, request)
    ranking = done.ranking
    if ranking is None:
        raise InputError("pipeline", f"ends with {system.last}, which finds no documents: add a search step")
    if boolean is not None:
        ranking = boolean.completed(ranking, k)
    rows, scores = ranking.rows[:k], ranking.scores[:k]
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


# The finished topics of a long run, on disk, so that an interrupted run continues after the last finished topic.


HOLDER = "written by"


class TopicResult(NamedTuple):
    """What was found for a topic."""

    documents: Sequence[str]
    scores: Sequence[float]
    notes: Sequence[str]
    seconds: float | None = None  # that it took
    requests: int | None = None  # that were sent for it, to another service


class Journal:
    """A file beside the run, `RUN.unfinished`, with a line for each finished topic and its checksum.

    Its first line has a digest of what the run depends on; the journal of another run is replaced. Each process that
    writes it adds a line with its name.
    """

    def __init__(self, path: Path, made_of: Any) -> None:
        self.path = path
        self.key = hashlib.sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()
        self._of_others = 0  # finished topics of another run, or of this one with other settings
        self._done = self._read()
        self._file: FileIO | None = None

    def _read(self) -> dict[str, TopicResult]:
        """The finished topics; a line that is incomplete or damaged is ignored, and its topic is made again."""
        done: dict[str, TopicResult] = {}
        try:
            with open(self.path, "rb", opener=open_stored) as file:
                about, content = os.fstat(file.fileno()), file.read()
        except FileNotFoundError:
            return done
        except OSError as error:
            raise InputError(str(self.path), f"cannot be read: {system_reason(error)}") from None
        opening, *lines = content.split(b"\n")
        if content and not re.fullmatch(rb'\["[0-9a-f]{64}"\]', opening):
            raise InputError(str(self.path), "is not an unfinished run: move it, or name another file for the run")
        if not is_trusted(about.st_uid):
            raise InputError(str(self.path), "was put there by another user: name another file for the run")
        if opening == self._opening.rstrip():
            done.update(filter(None, map(_parsed, lines)))
        else:
            self._of_others = sum(_parsed(line) is not None for line in lines)
        return done

    @property
    def notes(self) -> list[str]:
        """What becomes of the topics that were finished before."""
        if self._of_others:
            topics = counted(self._of_others, "finished topic")
            return [
                f"settings changed: {topics} of {self.path.name} {'is' if self._of_others == 1 else 'are'} not used"
            ]
        return [f"continues after {counted(len(self), 'finished topic')}"] if len(self) else []

    def __len__(self) -> int:
        return len(self._done)

    def get(self, topic: str) -> TopicResult | None:
        return self._done.get(topic)

    def add(self, topic: str, found: TopicResult) -> None:
        if self._file is None:
            self._file = self._open_locked()
        entry = [topic, list(found.documents), list(found.scores), list(found.notes), found.seconds]
        if found.requests is not None:
            entry.append(found.requests)
        self._write(self._file, json.dumps([*entry, _checksum(entry)]))

    def _write(self, file: FileIO, line: str) -> None:
        """Append a line; where only a part of it could be written, the system says why when it gets the rest."""
        encoded = f"{line}\n".encode()
        with reported(self.path, len(encoded)):
            rest = memoryview(encoded)
            while rest:
                rest = rest[file.write(rest) :]

    @property
    def _opening(self) -> bytes:
        return (json.dumps([self.key]) + "\n").encode()

    def _open_locked(self) -> FileIO:
        """The file to append to, locked until this process closes it."""
        with reported(self.path):
            file = FileIO(self.path, "a+", opener=open_stored)
            if not try_lock(file):
                file.seek(0)
                content = file.read()
                file.close()
                if content.startswith(self._opening):
                    problem = f"{_holder(content)} is making this run; wait, or name another file"
                    raise InputError(str(self.path), problem)
                self.path.unlink()  # the journal of another run, whose process keeps its open file
                file = FileIO(self.path, "x", opener=open_stored)
                try_lock(file)
            if not self._done:
                file.truncate(0)
                self._write(file, json.dumps([self.key]))
        # After a line break, because the last line may be incomplete.
        self._write(file, "\n" * bool(self._done) + json.dumps({HOLDER: this_process()}))
        return file

    def finish(self) -> None:
        """Close and delete the journal, after the run is written."""
        if self._file is not None:
            self._file.close()
        self.path.unlink(missing_ok=True)


def _checksum(entry: list[Any]) -> str:
    return f"{zlib.crc32(json.dumps(entry).encode()):08x}"


def _parsed(line: bytes) -> tuple[str, TopicResult] | None:
    """A finished topic; None for a line that is incomplete, damaged or about something else."""
    with contextlib.suppress(ValueError, TypeError, RecursionError):
        *entry, checksum = json.loads(line)
        topic, documents, scores, notes, seconds, *requests = entry
        if checksum == _checksum(entry) and isinstance(topic, str) and len(documents) == len(scores):
            return topic, TopicResult(documents, scores, notes, seconds, *requests)
    return None


def _holder(content: bytes) -> str:
    """The name of the process that wrote the journal last."""
    for line in reversed(content.split(b"\n")):
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            return visible(str(json.loads(line)[HOLDER])[:200])
    return "another process"


@dataclass(frozen=True)
class Step:
    """One step of a pipeline."""

    name: ClassVar[str] = ""
    needs_patent: ClassVar[bool] = False  # whether its topic must be a patent

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self), include_extras=True)
        for option in fields(self):
            value, hint = getattr(self, option.name), hints[option.name]
            if hint in (tuple[Step, ...], Step | None):
                value = _with_pipelines(value, hint, f"{self.name}: {option.name}")
            else:
                value = checked_option(self.name, option.name, value, hint)
            object.__setattr__(self, option.name, value)

    def __call__(self, context: SearchContext, request: Request) -> Request:
        raise NotImplementedError

    def __rshift__(self, other: Step) -> Pipeline:
        return Pipeline((*_parts(self), *_parts(other)))

    @property
    def wants_patent(self) -> bool:
        """Whether this step, or any step within it, needs a patent as topic."""
        return self.needs_patent

    @property
    def last(self) -> str:
        """The name of the last step."""
        return self.name

    def run(
        self,
        context: SearchContext,
        topics: TopicsInput,
        k: int = 1000,
        *,
        name: str = "run",
        progress: Progress | None = None,
        narratives: Narratives = "dates",
    ) -> Run:
        """The k best documents of every topic: topics are patents of the collection, other patents, or texts.

        A text that asks for dates, "published after 1997", limits the search, unless `narratives` is "words". One that
        is a Boolean query, `title:film AND NOT metal`, finds what matches it; a warning counts these.
        """
        answers = self.answer(context, topics, k, progress=progress, narratives=narratives)
        for note in answers.about_queries:
            warnings.warn(f"{name}: {note}", LeadlineWarning, stacklevel=2)
        return answers.run(name)

    def answer(
        self,
        context: SearchContext,
        topics: TopicsInput,
        k: int = 1000,
        *,
        progress: Progress | None = None,
        journal: Journal | None = None,
        narratives: Narratives = "dates",
    ) -> Answers:
        """Like `run`, with notes about topics. A journal keeps finished topics, so that a stopped run can continue."""
        return answer_topics(self, context, topics, k, progress, journal, narratives)


def _parts(one: Step) -> tuple[Step, ...]:
    return one.steps if isinstance(one, Pipeline) else (one,)


@dataclass(frozen=True)
class Pipeline(Step):
    """Steps that run in order; itself a step."""

    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        if not self.steps:
            raise InputError("pipeline", "has no steps")

    def __call__(self, context: SearchContext, request: Request) -> Request:
        for each in self.steps:
            request = each(context, request)
        return request

    @property
    def wants_patent(self) -> bool:
        return any(each.wants_patent for each in self.steps)

    @property
    def last(self) -> str:
        return self.steps[-1].last


# The register

StepType = TypeVar("StepType", bound=type[Step])
STEPS = Register[type[Step]](
    "step",
    "leadline.retrieval.pipeline.query",
    "leadline.retrieval.pipeline.filters",
    "leadline.retrieval.pipeline.after",
    "leadline.retrieval.pipeline.synonyms",
    "leadline.retrieval.dense",
    entry_points="leadline.steps",
)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def step(name: str) -> Callable[[StepType], StepType]:
    """Register a class as a step, and make it a frozen dataclass."""

    def enter(step_type: StepType) -> StepType:
        dataclass(frozen=True)(step_type)
        step_type.name = name
        STEPS.add(name, step_type, home=step_type.__module__)
        return step_type

    return enter


# Pipelines as files describe them

NO_PARTS: Mapping[str, Any] = MappingProxyType({})


def pipeline_of(
    written: Any, where: str = "pipeline", parts: Mapping[str, Any] = NO_PARTS, inside: tuple[str, ...] = ()
) -> Pipeline:
    """A pipeline from a step, or from a list of steps as files describe them; `inside` names the enclosing parts.

    >>> pipeline_of(["text", {"step": "search", "model": "bm25(k1=0.9)"}, "cut(k=10)"]).steps[2].k
    10
    """
    if isinstance(written, Step):
        return written if isinstance(written, Pipeline) else Pipeline((written,))
    if isinstance(written, str) and written in parts:
        if written in inside:
            raise InputError(where, f"the part {written!r} contains itself")
        return pipeline_of(parts[written], where, parts, (*inside, written))
    if not isinstance(written, (list, tuple)):
        return Pipeline((_step_of(written, where, parts, inside),))
    if not written:
        raise InputError(where, "has no steps")
    made = [pipeline_of(each, where, parts, inside) for each in written]
    return Pipeline(tuple(each for pipeline in made for each in pipeline.steps))


def _step_of(written: Any, where: str, parts: Mapping[str, Any], inside: tuple[str, ...]) -> Step:
    options = _call_of(written) if isinstance(written, str) else written
    if not isinstance(options, Mapping) or not isinstance(options.get("step"), str):
        raise InputError(where, f'{written!r} is not a step: write its name, or {{step = "search", …}}')
    step_type = STEPS.named(options["step"])
    hints = get_type_hints(step_type)
    names = [option.name for option in fields(step_type)]
    values = {}
    for name, value in options.items():
        if name == "step":
            continue
        if name not in names:
            problem = f"has no option {name!r}{nearest(name, names)} (it has: {', '.join(names) or 'none'})"
            raise InputError(step_type.name, problem)
        values[name] = _with_pipelines(value, hints[name], where, parts, inside)
    return step_type(**values)


def _call_of(written: str) -> dict[str, Any]:
    """A step written as `cut(k=10)`; options that are pipelines can only stand in a table."""
    name, given = name_and_options(written, "step", "cut(k=10)")
    if not given:
        return {"step": name}
    step_type = STEPS.named(name)
    hints = get_type_hints(step_type, include_extras=True)
    known = {option.name: hints[option.name] for option in fields(step_type)}
    for option in given:
        if known.get(option) in (tuple[Step, ...], Step | None):
            raise InputError(name, f'{option} takes steps: write {{step = "{name}", {option} = […]}}')
    return {"step": name} | typed_options(name, given, known)


def _with_pipelines(
    value: Any, hint: Any, where: str, parts: Mapping[str, Any] = NO_PARTS, inside: tuple[str, ...] = ()
) -> Any:
    """The value of an option, converted to pipelines if the option takes them, else unchanged."""
    if hint == tuple[Step, ...]:
        listed = value if isinstance(value, (list, tuple)) else [value]
        return tuple(pipeline_of(each, where, parts, inside) for each in listed)
    return pipeline_of(value, where, parts, inside) if hint == Step | None and value is not None else value


def date_limited(context: SearchContext, request: Request) -> Request:
    """The request, limited if the topic's text asks for it; a note says so. A topic that is a patent is unchanged."""
    if request.is_patent:
        return request
    topic = request.topic
    limits = next(filter(None, map(date_limits, (topic.narrative, topic.description, topic.title))), None)
    if limits is None:
        return request
    published = context.index.column("publication")
    allowed = published != MISSING
    if limits.first is not None:
        allowed &= published >= limits.first
    if limits.last is not None:
        allowed &= published <= limits.last
    excluded = np.count_nonzero(~allowed)
    note = f'limited to "{limits.words}", which excludes {excluded:,} of {len(allowed):,} documents'
    return request.only(allowed).with_note(note)
