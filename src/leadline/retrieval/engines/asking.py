"""Ask a service about every topic: several at a time, not too often, again after failures that may pass."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from leadline.errors import InputError, visible
from leadline.retrieval.engines.engine import AskingFailedError, Connection, EngineHits, SearchEngine
from leadline.retrieval.engines.engine_file import EngineFile, Limits
from leadline.retrieval.engines.environment import without_secrets
from leadline.retrieval.engines.queries import EngineQuery
from leadline.retrieval.pipeline.answering import Answers, Progress
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.journal import Journal, TopicResult

HIDDEN_MORE = 100  # documents asked for beyond k where the topic's own family and later documents are left out
LONGEST_WAIT = 60.0  # seconds between two tries


@dataclass
class EngineAnswers:
    """What came of asking: answers by topic, why others failed, and how long all of it took."""

    answers: Answers
    failed: dict[str, str] = field(default_factory=dict)  # the reason, by topic
    seconds: float = 0.0  # of this process, for `asked` topics
    asked: int = 0


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

    def __init__(self, engine: SearchEngine, limits: Limits) -> None:
        self.engine, self.limits = engine, limits
        self.pace = _Pace(limits.per_second)
        self.stopped = threading.Event()
        self._of_thread = threading.local()
        self._all: list[Connection] = []

    def ask(self, query: str, k: int) -> tuple[EngineHits, float]:
        """The answer, and the seconds that it took without waiting and failed tries."""
        for number in range(self.limits.retries + 1):
            self.pace.wait()
            try:
                connection = self._connection()
                start = time.perf_counter()
                answer = connection.ask(query, k)
                return answer, time.perf_counter() - start
            except AskingFailedError as failure:
                self._drop()
                if not failure.passes or number == self.limits.retries or self.stopped.is_set():
                    tries = f" ({number + 1} tries)" if number else ""
                    reason = visible(without_secrets(str(failure), self.engine.secret_texts()))
                    raise AskingFailedError(f"{reason}{tries}") from failure
                pause = max(failure.wait, 0.25 * 2**number * random.uniform(0.5, 1.5))
                self.stopped.wait(min(pause, LONGEST_WAIT))
        raise AssertionError("the last try returns or raises")

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
) -> EngineAnswers:
    """Ask about every topic. Finished topics are kept in the journal; topics that failed are not answered.

    With an index, what a search for a patent must not see (its own family, later documents) is left out of answers,
    and documents that the index does not have are reported.
    """
    if k < 1:
        raise InputError("k", f"must be at least 1, got {k}")
    results: dict[str, TopicResult] = {}
    if journal is not None:
        results |= {query.topic: done for query in queries if (done := journal.get(query.topic)) is not None}
    waiting = [query for query in queries if query.topic not in results]
    outcome = EngineAnswers(Answers({}, {}), asked=len(waiting))
    start = time.monotonic()
    for query, answer, seconds, failure in _answers(service, waiting, k, context):
        if progress is not None:
            progress(len(results) + len(outcome.failed), len(queries), query.topic)
        if failure:
            outcome.failed[query.topic] = failure
            continue
        result = _result(query, answer, k, seconds, context)
        if journal is not None:
            journal.add(query.topic, result)
        results[query.topic] = result
    outcome.seconds = time.monotonic() - start
    outcome.failed = {query.topic: outcome.failed[query.topic] for query in queries if query.topic in outcome.failed}
    for query in queries:
        if query.topic in results:
            outcome.answers.add(query.topic, results[query.topic])
    return outcome


def _answers(
    service: EngineFile, queries: Sequence[EngineQuery], k: int, context: SearchContext | None
) -> Iterator[tuple[EngineQuery, EngineHits, float, str]]:
    """Each query with its answer and its time, or why it failed, as they come.

    Where nothing but failures came, asking stops: the service is not there, and the others would fail as well.
    """
    asker, limits = _Asker(service.engine, service.limits), service.limits
    at_once = service.at_once
    enough, failures, successes = 3 * at_once, 0, 0
    rest, running = iter(queries), dict[Future[tuple[EngineHits, float]], EngineQuery]()
    pool = ThreadPoolExecutor(at_once)
    try:
        while True:
            while len(running) < at_once and (query := next(rest, None)) is not None:
                wanted = k + HIDDEN_MORE * (query.request is not None and query.request.is_patent)
                running[pool.submit(asker.ask, query.text, min(wanted, limits.most_documents or wanted))] = query
            if not running:
                return
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                query = running.pop(done)
                try:
                    answer, seconds = done.result()
                    successes += 1
                    yield query, answer, seconds, ""
                except AskingFailedError as failure:
                    failures += 1
                    yield query, EngineHits([]), 0.0, str(failure)
            if not successes and failures >= enough:
                reason = f"not asked: the first {failures} topics failed"
                for query in [*running.values(), *rest]:
                    yield query, EngineHits([]), 0.0, reason
                return
    finally:
        asker.stopped.set()
        pool.shutdown(wait=True, cancel_futures=True)
        asker.close()


def _result(
    query: EngineQuery, answer: EngineHits, k: int, seconds: float, context: SearchContext | None
) -> TopicResult:
    """The run's lines for a topic: each document once, in the service's order, with scores that keep it."""
    notes = list(query.notes)
    names = [visible("_".join(name.split())) for name in answer.ids]  # a run's columns are separated by blanks
    if changed := [new for old, new in zip(answer.ids, names, strict=True) if new != old.strip()]:
        notes.append(f"with ids that have blanks or control characters, which were replaced: {changed[0][:60]}")
    scores = dict(zip(reversed(names), reversed(answer.scores or [0.0] * len(names)), strict=True))
    kept = list(dict.fromkeys(names))
    if len(kept) < len(names):
        notes.append("with documents that the service named twice: the first place counts")
    if context is not None:
        kept, more = _allowed(query, kept, context)
        notes += more
    ids = kept[:k]
    values = [scores[name] for name in ids]
    if answer.scores is None or not np.isfinite(values).all() or any(a < b for a, b in pairwise(values)):
        if answer.scores is not None:
            notes.append("whose scores do not follow the order of the answer: the order counts")
        values = [float(len(ids) - place) for place in range(len(ids))]
    if not ids:
        notes.append("for which nothing was found")
    return TopicResult(ids, values, notes, seconds)


def _allowed(query: EngineQuery, ids: list[str], context: SearchContext) -> tuple[list[str], list[str]]:
    """The documents that a topic may find, and notes: unknown ones stay, for the service did find them."""
    rows = context.row_of
    unknown = [name for name in ids if name not in rows]
    notes = []
    if unknown:
        what = "only documents" if len(unknown) == len(ids) else "documents"
        notes.append(f"whose answers have {what} that the index does not have, such as {unknown[0][:60]}")
    if query.request is None or not query.request.is_patent:
        return ids, notes
    visible = context.visible(query.request)
    return [name for name in ids if name not in rows or visible[rows[name]]], notes
