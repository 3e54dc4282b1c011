"""Ask a service that a file describes about every topic: with which words, how often, and again after failures."""

from __future__ import annotations

import os
import random
import threading
import time
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, fields, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import numpy as np

from leadline.errors import InputError, LeadlineWarning, checked_choice, visible
from leadline.options import Bounds, NotNegative, Positive, checked
from leadline.records.inputs import Path
from leadline.records.result import counted
from leadline.records.topics import Topic
from leadline.retrieval.engines.engine import (
    ENGINES,
    AskingFailedError,
    Connection,
    EngineHits,
    SearchEngine,
    without_secrets,
)
from leadline.retrieval.index.analysis import Analysis, joined, spans
from leadline.retrieval.pipeline.context import PATENT_FIELDS, Request, SearchContext, summed, text_of
from leadline.retrieval.pipeline.pipeline import (
    Answers,
    Journal,
    Pipeline,
    Progress,
    TopicResult,
    names_patent,
    pipeline_of,
    refuse_absent,
)
from leadline.text.source import read_toml

if TYPE_CHECKING:
    from leadline.records.runs import Run
    from leadline.records.topics import Topics

HIDDEN = "own family or too late"  # why documents are left out
HIDDEN_MORE = 100  # documents asked for beyond k where the topic's own family and later documents are left out
LONGEST_WAIT = 60.0  # seconds between two tries
LONG_WAIT = 10.0  # seconds of a pause, above which it is reported


Say = Callable[[str], None]


@dataclass(frozen=True)
class _Answer:
    """What a service said to one query."""

    hits: EngineHits = field(default_factory=lambda: EngineHits([]))
    seconds: float = 0.0  # without pauses and failed tries
    requests: int = 0  # with failed tries
    again: int = 0  # tries after the first
    failure: str = ""
    passes: bool = False
    wanted: int = 0  # documents that were asked for


@dataclass
class EngineAnswers:
    """What came of asking: answers by topic, why others failed, and how long all of it took."""

    answers: Answers
    failed: dict[str, str] = field(default_factory=dict)  # the reason, by topic
    lasting: bool = False  # whether some failed in a way that does not pass
    seconds: float = 0.0  # of this process, for `asked` topics
    asked: int = 0
    requests: int = 0  # sent for all topics, with pages and failed tries
    again: int = 0  # of this process, that were sent again
    left_out: int = 0  # documents that topics must not find
    notes: list[str] = field(default_factory=list)  # about all topics


class _Pace:
    """Lets threads pass at most so often in a second."""

    def __init__(self, per_second: float | None) -> None:
        self._between = 0.0 if per_second is None else 1 / per_second
        self._next = time.monotonic()
        self._lock = threading.Lock()

    def wait(self) -> None:
        if not self._between:
            return
        with self._lock:
            moment = max(self._next, time.monotonic())
            self._next = moment + self._between
        time.sleep(max(0.0, moment - time.monotonic()))


class _Asker:
    """Asks one query with retries, through a connection of the thread's own."""

    def __init__(self, engine: SearchEngine, limits: Limits, say: Say | None) -> None:
        self.engine, self.limits, self.say = engine, limits, say
        self.pace = _Pace(limits.per_second)
        self.stopped = threading.Event()
        self._of_thread = threading.local()
        self._all: list[Connection] = []
        self._told_until = 0.0
        self._telling = threading.Lock()

    def ask(self, query: str, k: int) -> _Answer:
        """The answer, with what it took."""
        requests = 0
        for number in range(self.limits.retries + 1):
            self.pace.wait()
            try:
                connection = self._connection()
                start = time.perf_counter()
                hits = connection.ask(query, k)
                return _Answer(hits, time.perf_counter() - start, requests + hits.requests, number)
            except AskingFailedError as failure:
                self._drop()
                requests += failure.requests
                if not failure.passes or number == self.limits.retries or self.stopped.is_set():
                    tries = f" ({number + 1} tries)" if number else ""
                    reason = visible(without_secrets(str(failure), self.engine.secret_texts()))
                    why, passes = f"{reason}{tries}", failure.passes
                    raise AskingFailedError(why, passes=passes, requests=requests, again=number) from failure
                pause = min(max(failure.wait, 0.25 * 2**number * random.uniform(0.5, 1.5)), LONGEST_WAIT)
                self._tell(pause, str(failure))
                self.stopped.wait(pause)
        raise AssertionError("the last try returns or raises")

    def _tell(self, pause: float, reason: str) -> None:
        """Say that a long pause begins, unless another thread said so of one that lasts."""
        with self._telling:
            now = time.monotonic()
            if self.say is not None and pause > LONG_WAIT and now >= self._told_until:
                self._told_until = now + pause
                self.say(f"waits {pause:.0f} s: {visible(without_secrets(reason, self.engine.secret_texts()))}")

    def _connection(self) -> Connection:
        if getattr(self._of_thread, "connection", None) is None:
            self._of_thread.connection = self.engine.connect(self.limits.seconds)
            self._all.append(self._of_thread.connection)
        found: Connection = self._of_thread.connection
        return found

    def close(self) -> None:
        for connection in self._all:
            connection.close()

    def _drop(self) -> None:
        """Forget a connection on which something failed: the next query gets a new one."""
        self._of_thread.connection = None


def ask_topics(
    service: EngineFile,
    queries: Sequence[EngineQuery],
    k: int,
    *,
    context: SearchContext | None = None,
    journal: Journal | None = None,
    progress: Progress | None = None,
    say: Say | None = None,
) -> EngineAnswers:
    """Ask about every topic. Finished topics are kept in the journal; topics that failed are not answered.

    `say` is told of long pauses while they last.

    With an index, what a search for a patent must not see (its own family, later documents) is left out of answers,
    and documents that the index does not have are reported.
    """
    if k < 1:
        raise InputError("k", f"must be at least 1, got {k}")
    results: dict[str, TopicResult] = {}
    if journal is not None:
        results |= {query.topic: done for query in queries if (done := journal.get(query.topic)) is not None}
    waiting = [query for query in queries if query.topic not in results and not query.problem]
    outcome = EngineAnswers(Answers({}, {}), asked=len(waiting))
    outcome.failed = {query.topic: query.problem for query in queries if query.problem}
    outcome.lasting = bool(outcome.failed)
    given: list[_Answer] = []
    start = time.monotonic()
    for query, answer in _answers(service, waiting, k, say):
        outcome.again += answer.again
        if progress is not None:
            progress(len(results) + len(outcome.failed), len(queries), query.topic)
        if answer.failure:
            outcome.failed[query.topic] = answer.failure
            outcome.lasting |= not answer.passes
            outcome.requests += answer.requests
            continue
        given.append(answer)
        result, left_out = _result(query, answer, k, context)
        outcome.left_out += left_out
        if journal is not None:
            journal.add(query.topic, result)
        results[query.topic] = result
    outcome.seconds = time.monotonic() - start
    outcome.failed = {query.topic: outcome.failed[query.topic] for query in queries if query.topic in outcome.failed}
    for query in queries:
        if query.topic in results:
            outcome.answers.add(query.topic, results[query.topic])
            outcome.requests += results[query.topic].requests or 1
    outcome.notes = [*_unknown(outcome.answers, context), *_too_few(given), *_sent_again(outcome)]
    return outcome


def _answers(
    service: EngineFile, queries: Sequence[EngineQuery], k: int, say: Say | None
) -> Iterator[tuple[EngineQuery, _Answer]]:
    """Each query with its answer, or why it failed, as they come.

    Where nothing but failures came, asking stops: the service is not there, and the others would fail as well.
    """
    asker, limits = _Asker(service.engine, service.limits, say), service.limits
    at_once = service.at_once
    enough, failures, successes = 3 * at_once, 0, 0
    rest, running = iter(queries), dict[Future[_Answer], tuple[EngineQuery, int]]()
    pool = ThreadPoolExecutor(at_once)
    try:
        while True:
            while len(running) < at_once and (query := next(rest, None)) is not None:
                wanted = k + HIDDEN_MORE * (query.request is not None and query.request.is_patent)
                wanted = min(wanted, limits.most_documents or wanted)
                running[pool.submit(asker.ask, query.text, wanted)] = query, wanted
            if not running:
                return
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                query, wanted = running.pop(done)
                try:
                    answer = replace(done.result(), wanted=wanted)
                    successes += 1
                except AskingFailedError as failure:
                    failures += 1
                    answer = _Answer(
                        failure=str(failure), passes=failure.passes, requests=failure.requests, again=failure.again
                    )
                except InputError as error:
                    raise InputError(service.path, f"{error.where}: {error.problem}") from error
                yield query, answer
            if not successes and failures >= enough:
                reason = f"not asked: the first {failures} topics failed"
                for query in [*(query for query, _ in running.values()), *rest]:
                    yield query, _Answer(failure=reason, passes=True)
                return
    finally:
        asker.stopped.set()
        pool.shutdown(wait=True, cancel_futures=True)
        asker.close()


def _result(query: EngineQuery, given: _Answer, k: int, context: SearchContext | None) -> tuple[TopicResult, int]:
    """The run's lines for a topic: each document once, in the service's order, with scores that keep it.

    The number is that of documents which the topic must not find.
    """
    answer, notes = given.hits, list(query.notes)
    names = [visible("_".join(name.split())) for name in answer.ids]  # a run's columns are separated by blanks
    if changed := [new for old, new in zip(answer.ids, names, strict=True) if new != old.strip()]:
        notes.append(f"with ids that have blanks or control characters, which were replaced: {changed[0][:60]}")
    scores = dict(zip(reversed(names), reversed(answer.scores or [0.0] * len(names)), strict=True))
    kept = list(dict.fromkeys(names))
    if len(kept) < len(names):
        notes.append("with documents that the service named twice: the first place counts")
    allowed = kept if context is None else _allowed(query, kept, context)
    ids = allowed[:k]
    values = [scores[name] for name in ids]
    if answer.scores is None or not np.isfinite(values).all() or any(a < b for a, b in pairwise(values)):
        if answer.scores is not None:
            notes.append("whose scores do not follow the order of the answer: the order counts")
        values = [float(len(ids) - place) for place in range(len(ids))]
    if not ids:
        notes.append(f"of which all documents were left out ({HIDDEN})" if kept else "for which nothing was found")
    return TopicResult(ids, values, notes, given.seconds, given.requests), len(kept) - len(allowed)


def _allowed(query: EngineQuery, ids: list[str], context: SearchContext) -> list[str]:
    """The documents that a topic may find: those that the index does not have stay, for the service did find them."""
    if query.request is None or not query.request.is_patent:
        return ids
    rows, seen = context.row_of, context.visible(query.request)
    return [name for name in ids if name not in rows or seen[rows[name]]]


def _unknown(answers: Answers, context: SearchContext | None) -> list[str]:
    """A note about documents that the index does not have."""
    found = [(topic, name) for topic, (ids, _) in answers.found.items() for name in ids]
    unknown = [] if context is None else [each for each in found if each[1] not in context.row_of]
    if not unknown:
        return []
    name = unknown[0][1][:60]
    if len(unknown) == len(found):
        every = f"NOT ONE of the {len(found):,} documents found is in the index"
        return [f"{every}, such as {name}: the service writes ids in another way, or has other documents"]
    topics = counted(len({topic for topic, _ in unknown}), "topic")
    return [f"{len(unknown):,} of {len(found):,} documents found are not in the index, in {topics}, such as {name}"]


def _too_few(given: Sequence[_Answer]) -> list[str]:
    """A note where a service seems to have a limit: several answers are equally long, and none as long as asked."""
    whole = [each for each in given if each.hits.total is None or each.hits.total > len(each.hits.ids)]
    lengths = [len(each.hits.ids) for each in whole]
    most, wanted = max(lengths, default=0), min((each.wanted for each in whole), default=0)
    if not 0 < most < wanted or (lengths.count(most) < 2 and len(given) > 1):
        return []
    fix = "is the number sent as the service wants it? if this is its limit, set most_documents"
    return [f"the service never gave more than {most:,} of {wanted:,} documents asked for: {fix}"]


def _sent_again(outcome: EngineAnswers) -> list[str]:
    if not outcome.again:
        return []
    return [f"{outcome.again:,} of {counted(outcome.requests, 'request')} failed and were sent again"]


# A search service as a file describes it.
#
#     kind = "http"                     # or sql, command, python, pyterrier: the other keys are those of the kind
#     about = "the search of our intranet"
#     url = "http://localhost:9200/patents/_search"
#     body = {query = {match = {text = "{query}"}}, size = "{k}"}
#     hits = "hits.hits"
#     id = "_id"
#     score = "_score"
#
#     [query]                           # what is asked
#     fields = ["title", "description"] # of a topic; of a patent: title, abstract, claims, description
#     most_words = 1024                 # the service's limit: longer queries are cut to so many words
#     each_word = '"{word}"'            # only words are asked, each written so: no sign of a topic is an operator
#     between_words = " OR "            # what stands between them
#
#     [limits]
#     at_once = 4                       # queries at the same time; 1 where times are to be compared
#     per_second = 10                   # queries in a second
#     seconds = 30                      # for an answer
#     retries = 3                       # after failures that may pass
#     most_documents = 10000            # that the service gives for a query
#     cost = 0.002                      # of a request, in any currency
#
# Relative files in it are those of the folder in which the command runs.


Count = Annotated[int, Bounds(1)]
OWN = ("kind", "about", "query", "limits")


@dataclass(frozen=True)
class QuerySettings:
    """What of a topic is asked."""

    fields: tuple[str, ...] = ("title", "description", "narrative")
    patent_fields: tuple[str, ...] = ("title", "abstract", "claims")
    most_words: Count | None = None
    most_characters: Count | None = None
    each_word: str | None = None  # how a word is written; None: the text is sent as it is
    between_words: str | None = None  # what stands between words, by default a blank
    steps: Any = None  # query steps of a pipeline, which choose and weigh the words of a patent

    def pipeline(self, where: str) -> Pipeline | None:
        return None if self.steps is None else pipeline_of(self.steps, where)


@dataclass(frozen=True)
class Limits:
    """How a service is asked."""

    at_once: Annotated[int, Bounds(1, 256)] | None = None  # None: what is usual for the kind
    per_second: Positive | None = None
    seconds: Positive = 30.0
    retries: Annotated[int, Bounds(0, 100)] = 3
    most_documents: Count | None = None
    cost: NotNegative | None = None  # of a request


@dataclass(frozen=True)
class EngineFile:
    """A service with how it is asked."""

    engine: SearchEngine
    about: str = ""
    query: QuerySettings = field(default_factory=QuerySettings)
    limits: Limits = field(default_factory=Limits)
    path: str = "engine"  # of the file

    @property
    def at_once(self) -> int:
        """How many queries are asked at the same time."""
        usual = self.engine.usual_at_once()
        return usual if self.engine.one_at_a_time else self.limits.at_once or usual

    def described(self) -> dict[str, Any]:
        """Everything that the answers depend on, for the record beside a run."""
        asked = {option.name: getattr(self.query, option.name) for option in fields(self.query)}
        return {"kind": self.engine.kind, **self.engine.described(), "query": asked}


def read_engine(path: str, *, run_code: bool = False) -> EngineFile:
    """The service that a TOML file describes. One that names a program to run is refused unless `run_code` is set."""
    written = read_toml(path)
    if not isinstance(written.get("kind"), str):
        raise InputError(path, f'has no `kind`: write kind = "http", or one of {", ".join(ENGINES)}')
    checked_choice(path, written["kind"], list(ENGINES))
    engine_type = ENGINES.named(written["kind"])
    if engine_type.runs_code and not run_code:
        problem = f"names a program to run (kind {engine_type.kind}): add --run-code if you trust the file"
        raise InputError(path, problem)
    names = [option.name for option in fields(engine_type)]  # type: ignore[arg-type]
    for name in written:
        checked_choice(path, name, [*OWN, *names])
    try:
        engine = engine_type(**{name: value for name, value in written.items() if name in names})
    except InputError as error:
        raise InputError(path, f"{error.where}: {error.problem}") from None
    about = written.get("about", "")
    if not isinstance(about, str):
        raise InputError(path, "`about` is not a text")
    query = _settings(path, "query", written.get("query", {}), QuerySettings)
    query.pipeline(path)  # wrong steps are refused before any query
    if query.each_word is not None and "{word}" not in query.each_word:
        raise InputError(path, "query: each_word must have {word}, the place of the word")
    return EngineFile(engine, about, query, _settings(path, "limits", written.get("limits", {}), Limits), path)


Settings = TypeVar("Settings", QuerySettings, Limits)


def _settings(path: str, table: str, written: Any, kind: type[Settings]) -> Settings:
    """The settings of a table, each checked against its type."""
    if not isinstance(written, Mapping):
        raise InputError(path, f"`{table}` is not a table")
    hints = get_type_hints(kind, include_extras=True)
    values = {}
    for name, value in written.items():
        checked_choice(f"{path}: {table}", name, list(hints))
        try:
            values[name] = value if hints[name] is Any else checked(name, value, hints[name])
        except ValueError as error:
            raise InputError(path, f"{table}: {error}") from None
    return kind(**values)


# The words that a service is asked for a topic.


CUT = "whose queries were cut to the service's limit"
LONG = 200  # words of a query, above which a note says so


@dataclass(frozen=True)
class EngineQuery:
    """What is asked for a topic."""

    topic: str
    text: str
    notes: tuple[str, ...] = ()
    request: Request | None = None  # where an index knows more about the topic
    problem: str = ""  # why there is nothing to ask: the topic fails


def queries(
    topics: Iterable[Topic], settings: QuerySettings, where: str, context: SearchContext | None = None
) -> list[EngineQuery]:
    """A query for each topic. Patents need an index with its collection, which has their texts.

    A patent that the index lacks is refused, as our own systems do; where no topic has words, that is an error.
    """
    listed = list(topics)
    requests = [None] * len(listed) if context is None else context.requests(listed)
    if context is not None:
        texts = [request.topic for request in requests if request is not None and not request.is_patent]
        refuse_absent([topic for topic in texts if names_patent(topic)], len(listed), context)
    asked = [_query(topic, request, settings, where, context) for topic, request in zip(listed, requests, strict=True)]
    if asked and all(query.problem for query in asked):
        raise InputError(where, f"topic {asked[0].topic} {asked[0].problem}")
    return asked


def query_notes(topics: Iterable[Topic], asked: Sequence[EngineQuery], settings: QuerySettings) -> list[str]:
    """What a user may not expect of the queries."""
    notes = []
    patents = [query for query in asked if query.request is not None and query.request.is_patent]
    unhelped = [topic for topic, query in zip(topics, asked, strict=True) if not query.request and names_patent(topic)]
    if unhelped:
        used = [name for name in settings.fields if any(field_of(topic, name) for topic in unhelped)]
        notes.append(
            f"asked by {', '.join(used)} only: {counted(len(unhelped), 'topic')} with the number of a patent; own "
            "families and later documents are not left out: name an INDEX before the topics"
        )
    if patents and settings.steps is None and settings.fields != QuerySettings().fields:
        named = ", ".join(settings.patent_fields)
        notes.append(f"patents are asked by patent_fields ({named}); fields are those of topics in words")
    longest = max((len(query.text.split()) for query in asked), default=0)
    if longest > LONG and settings.most_words is None:
        notes.append(f"queries have up to {longest:,} words, which may be slow: most_words of [query] limits them")
    return notes


def field_of(topic: Topic, name: str) -> str:
    """The text of a topic's field or attribute."""
    return getattr(topic, name, "") or topic.attributes.get(name, "")


def _query(
    topic: Topic, request: Request | None, settings: QuerySettings, where: str, context: SearchContext | None
) -> EngineQuery:
    fields = settings.fields
    if request is not None and request.is_patent and context is not None:
        fields = ("the words that its steps choose",) if settings.steps is not None else settings.patent_fields
        text, notes = _patent_text(context, request, settings, where)
    else:
        text, notes = " ".join(" ".join(field_of(topic, name) for name in fields).split()), ()
    if not text:
        fix = ": see [query]"
        if context is None:
            fix = ": name an INDEX before the topics, which has the texts of patents"
        elif request is not None and not request.is_patent:
            fix = f", and is no document of {context.location}"
        return EngineQuery(topic.id, "", notes, request, f"has no text in {', '.join(fields)}{fix}")
    sent, is_cut = limited(text, settings)
    if not sent:
        return EngineQuery(topic.id, "", notes, request, f"has no words: {text[:60]!r}")
    return EngineQuery(topic.id, sent, (*notes, CUT) if is_cut else notes, request)


def _patent_text(
    context: SearchContext, request: Request, settings: QuerySettings, where: str
) -> tuple[str, tuple[str, ...]]:
    """The text of a patent, or the words that query steps choose from it, best first."""
    document = context.document(request)
    pipeline = settings.pipeline(where)
    if pipeline is None:
        return " ".join(" ".join(text_of(document, name) for name in settings.patent_fields).split()), ()
    done = pipeline(context, request)
    weights = summed({term: query.weight * each for term, each in query.terms.items()} for query in done.queries)
    whole = "\n".join(text_of(document, name) for name in PATENT_FIELDS)
    written = _written_words(context.index.analysis, whole)
    return " ".join(written.get(term, term) for term in sorted(weights, key=lambda term: -weights[term])), done.notes


def _written_words(analysis: Analysis, text: str) -> dict[str, str]:
    """For each term its commonest word: another service does not know our stems.

    >>> _written_words(Analysis(), "Films of metal. Films, film.")
    {'film': 'films', 'metal': 'metal'}
    """
    content, offsets = joined([text])
    starts, lengths, _ = spans(content, offsets, analysis.words)  # Korean words as they are: pairs are ours alone
    whole = content.tobytes()
    places = zip(starts.tolist(), lengths.tolist(), strict=True)
    words = [word for word, _ in Counter(whole[start : start + length] for start, length in places).most_common()]
    found: dict[str, str] = {}
    for word, term in zip(words, analysis.reduced(words), strict=True):
        for each in analysis.terms(word.decode()) if not word.isascii() else [term.decode()] if term else []:
            found.setdefault(each, word.decode())
    return found


def limited(text: str, settings: QuerySettings) -> tuple[str, bool]:
    """A query as the service is sent it, within its limits, and whether words were left out: its first words stay.

    >>> limited("a film of metal", QuerySettings(most_words=2)), limited("a film", QuerySettings(most_characters=5))
    (('a film', True), ('a', True))
    >>> limited("film-forming (-OH)", QuerySettings(each_word='"{word}"', between_words=" OR "))[0]
    '"film" OR "forming" OR "OH"'
    >>> limited("Film of films, film", QuerySettings(between_words=" OR "))
    ('Film OR of OR films', False)
    """
    only_words = settings.each_word is not None or settings.between_words is not None
    each, between = settings.each_word or "{word}", settings.between_words or " "
    words = _once(plain_words(text)) if only_words else text.split()
    kept = words[: settings.most_words]
    if settings.most_characters is not None and kept:
        ends = accumulate(len(each.replace("{word}", word)) + len(between) for word in kept)
        fitting = sum(end - len(between) <= settings.most_characters for end in ends)
        room = settings.most_characters - len(each.replace("{word}", ""))
        kept = kept[:fitting] or [kept[0][: max(room, 1)]]
    return between.join(each.replace("{word}", word) for word in kept), kept != words


def _once(words: Sequence[str]) -> list[str]:
    """Each word where it stands first, in whichever case: between operators a repeated word only takes time."""
    first: dict[str, str] = {}
    for word in words:
        first.setdefault(word.casefold(), word)
    return list(first.values())


def plain_words(text: str) -> list[str]:
    """The words of a text, of letters and digits: no sign is left that a service could take for an operator.

    >>> plain_words('"film*" of 2,5-xylenol: -water')
    ['film', 'of', '2', '5', 'xylenol', 'water']
    """
    kinds = ((sign, unicodedata.category(sign)) for sign in text)
    # Signs of format, such as soft hyphens, stand within words.
    return "".join(sign if kind[0] in "LMN" else "" if kind == "Cf" else " " for sign, kind in kinds).split()


# The public function that asks someone else's search service.


def run_engine(
    engine: Path, topics: Path | Topics, k: int = 1000, *, index: Path | None = None, run_code: bool = False
) -> Run:
    """Ask the search service that a TOML file describes (docs/engines.md) about every topic.

    engine: ask the search service that this TOML file describes
    run_code: allow the file of `engine` to name a program or Python code, which is then run

    `index` has the texts of patents, where topics are patents. A topic that gets no answer is an error.
    """
    from leadline.records.topics import Topics
    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.text.source import stem

    name = os.fspath(engine)
    service = read_engine(name, run_code=run_code)
    asked = topics if isinstance(topics, Topics) else Topics.read(topics)
    context = None if index is None else SearchContext.open(index)
    texts = queries(asked, service.query, name, context)
    for note in query_notes(asked, texts, service.query):
        warnings.warn(LeadlineWarning(f"{name}: {note}"), stacklevel=2)
    done = ask_topics(service, texts, k, context=context)
    for topic, reason in done.failed.items():
        raise InputError(name, f"{len(done.failed):,} of {len(asked):,} topics failed: {topic}: {reason}")
    return done.answers.run(stem(name.removesuffix(".toml")))
