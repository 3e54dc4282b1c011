"""Ask a service about every topic: several at a time, not too often, again after failures that may pass."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from leadline.errors import InputError, visible
from leadline.records.scores.result import counted
from leadline.retrieval.engines.engine import AskingFailedError, Connection, EngineHits, SearchEngine
from leadline.retrieval.engines.engine_file import EngineFile, Limits
from leadline.retrieval.engines.environment import without_secrets
from leadline.retrieval.engines.queries import EngineQuery
from leadline.retrieval.pipeline.answering import Answers, Progress
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.journal import Journal, TopicResult

HIDDEN = "own family or too late"  # why documents are left out
HIDDEN_MORE = 100  # documents asked for beyond k where the topic's own family and later documents are left out
LONGEST_WAIT = 60.0  # seconds between two tries
TOLD_WAIT = 10.0  # seconds of a pause, above which somebody is told


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
            if self.say is not None and pause > TOLD_WAIT and now >= self._told_until:
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
