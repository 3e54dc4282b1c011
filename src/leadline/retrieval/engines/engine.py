"""What a kind of search service must offer; its secrets, its time limits, and how long it took.

A kind is a class with its options as fields, in a file of the folder `kinds`; an installed package may add more under
the entry point `leadline.engines`. Each thread asks through a connection of its own.
"""

from __future__ import annotations

import math
import os
import queue
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar, dataclass_transform, get_type_hints

import numpy as np

from leadline.errors import InputError, in_sentence
from leadline.options import checked
from leadline.records.result import Table
from leadline.records.runs import run_names
from leadline.register import Register
from leadline.text.checksums import parsed_object, stored_bytes

LARGEST_ANSWER = 64 << 20  # bytes of an answer to one query


@dataclass(frozen=True)
class EngineHits:
    """The documents that a service found, best first."""

    ids: Sequence[str]
    scores: Sequence[float] | None = None  # None: the service gives only an order
    total: int | None = None  # how many documents match, where the service says so
    requests: int = 1  # that it took


class AskingFailedError(Exception):
    """Why a query could not be answered. Some failures pass: a busy server, a connection that broke."""

    def __init__(
        self, reason: str, *, passes: bool = False, wait: float = 0.0, requests: int = 1, again: int = 0
    ) -> None:
        super().__init__(reason)
        self.passes = passes
        self.requests, self.again = requests, again  # that were sent, and tries after the first
        self.wait = wait  # seconds that the service asks for


class Connection(Protocol):
    """One thread's way to the service."""

    def ask(self, query: str, k: int) -> EngineHits:
        """The k best documents; AskingFailedError where there is no answer."""

    def close(self) -> None: ...


class SearchEngine:
    """A search service. Options are the fields of its class."""

    kind: ClassVar[str]
    packages: ClassVar[tuple[str, ...]] = ()  # that it needs
    extra: ClassVar[str] = ""  # of leadline, which installs them
    runs_code: ClassVar[bool] = False  # whether the file names a program to run
    one_at_a_time: ClassVar[bool] = False  # whether queries never run beside each other, whatever the limits say

    def __post_init__(self) -> None:
        """Check every option against its type."""
        hints = get_type_hints(type(self), include_extras=True)
        for option in fields(self):  # type: ignore[arg-type]
            if hints[option.name] is Any:  # which the kind checks itself
                continue
            try:
                value = checked(option.name, getattr(self, option.name), hints[option.name])
            except ValueError as error:
                raise InputError(self.kind, str(error)) from None
            object.__setattr__(self, option.name, value)

    def connect(self, seconds: float) -> Connection:
        """A connection on which a query takes so many seconds at most."""
        raise NotImplementedError

    def usual_at_once(self) -> int:
        """How many queries are asked at the same time where the file does not say."""
        return 1 if self.one_at_a_time else 4

    def needed_packages(self) -> tuple[str, ...]:
        """The packages that this engine needs with its options."""
        return self.packages

    def secret_texts(self) -> tuple[str, ...]:
        """The options in which `${NAME}` is replaced by an environment variable."""
        return ()

    def note(self) -> str:
        """What of the options may be a mistake, in a line."""
        return ""

    def place(self) -> str:
        """Where the service is, as a note names it."""
        return self.kind

    def described(self) -> dict[str, Any]:
        """The options for the record beside a run; secrets stay where they are."""
        return {option.name: getattr(self, option.name) for option in fields(self)}  # type: ignore[arg-type]


ENGINES = Register[type[SearchEngine]]("kind", "leadline.retrieval.engines.kinds", entry_points="leadline.engines")
EngineType = TypeVar("EngineType", bound=type[SearchEngine])


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def engine(kind: str) -> Callable[[EngineType], EngineType]:
    """Register a class as a kind of search service, and make it a frozen dataclass."""

    def enter(engine_type: EngineType) -> EngineType:
        dataclass(frozen=True)(engine_type)
        engine_type.kind = kind
        ENGINES.add(kind, engine_type, home=engine_type.__module__)
        return engine_type

    return enter


def hits_of(found: Any) -> EngineHits:
    """An answer from what a program returned: ids, pairs of id and score, or a mapping from ids to scores.

    >>> hits_of(["EP1", "EP2"]), hits_of([("EP1", 2), ("EP2", 1.5)]).scores
    (EngineHits(ids=['EP1', 'EP2'], scores=None, total=None, requests=1), [2.0, 1.5])
    """
    if not isinstance(found, Iterable) or isinstance(found, (str, bytes)):
        raise AskingFailedError(f"returned {found!r:.60}, not a list of ids, or of pairs of an id and a score")
    pairs: list[Any] = list(found.items()) if isinstance(found, dict) else list(found)
    if not pairs or all(isinstance(each, str) for each in pairs):
        return EngineHits(pairs)
    try:
        return EngineHits([str(name) for name, _ in pairs], [float(score) for _, score in pairs])
    except (TypeError, ValueError, OverflowError):
        raise AskingFailedError("the answer is not a list of ids, or of pairs of an id and a score") from None


# Secrets from the environment: `${NAME}` in a text of an engine file. They are never printed or stored.


_SECRET = re.compile(r"\$\{(\w+)\}")
SHORTEST = 6  # letters of a secret that are recognised where a message was cut


def with_environment(text: str) -> str:
    """The text with environment variables in their places; InputError where one is not set."""
    for name in _SECRET.findall(text):
        if name not in os.environ:
            raise InputError("environment", f"the variable {name} is not set; ${{{name}}} stands for its value")
    return _SECRET.sub(lambda found: os.environ[found[1]], text)


def variables_in(texts: Iterable[str]) -> list[str]:
    """The names of the environment variables that texts of an engine file use.

    >>> variables_in(["Bearer ${TOKEN}", "json"])
    ['TOKEN']
    """
    return list(dict.fromkeys(name for text in texts for name in _SECRET.findall(text)))


def without_secrets(message: str, texts: Iterable[str]) -> str:
    """A message in which the values of the environment variables of these texts are replaced by their names.

    A service may repeat in an error what it was sent. Messages are cut, so the beginning of a value counts as well.
    """
    for name in variables_in(texts):
        value = os.environ.get(name, "").strip()
        for length in range(len(value), min(len(value), SHORTEST) - 1, -1):
            if length and value[:length] in message:
                message = message.replace(value[:length], f"${{{name}}}")
                break
    return message


# Somebody else's code, called in a thread of its own, and given up where it takes too long.


class TimedCaller:
    """A thread that calls functions, always the same, since code may keep a connection for each thread.

    Python cannot end a thread: one that does not come back stays, and does not keep the process from ending.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._calls: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        self._ends: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True).start()

    def call(self, function: Callable[[], Any]) -> Any:
        """What the function returns or raises; AskingFailedError where it does neither in time."""
        self._calls.put(function)
        try:
            found, error = self._ends.get(timeout=self.seconds)
        except queue.Empty:
            raise AskingFailedError(f"no answer within {self.seconds:g} s: the call was given up") from None
        if error is not None:
            raise error
        return found

    def hits(self, function: Callable[[], EngineHits]) -> EngineHits:
        """What somebody else's function finds; AskingFailedError whatever it raises."""
        try:
            found: EngineHits = self.call(function)
            return found
        except AskingFailedError:
            raise
        except (Exception, SystemExit) as error:
            raise AskingFailedError(" ".join(f"{type(error).__name__}: {error}".split())[:300]) from error

    def close(self) -> None:
        self._calls.put(None)

    def _work(self) -> None:
        while (function := self._calls.get()) is not None:
            try:
                self._ends.put((function(), None))
            except BaseException as error:  # it is raised where the function was asked for
                self._ends.put((None, error))


# How long a service took: percentiles, throughput and cost, for the record beside a run.


@dataclass(frozen=True)
class QueryTiming:
    """What a query took and cost: seconds, queries that were answered in a second, and the cost in any currency."""

    median: float
    p99: float | None = None
    per_second: float | None = None
    cost: float | None = None
    at_once: int | None = None  # queries that were asked at the same time; None: it was not recorded


def timing(
    seconds: Sequence[float],
    *,
    cost: float | None = None,
    wall: float = 0.0,
    asked: int = 0,
    at_once: int | None = None,
    requests: int = 0,
) -> dict[str, Any]:
    """Percentiles of the seconds that queries took; throughput where all were asked in one go.

    `cost` is that of a request; a query may take several, and some may fail.

    >>> timing([0.1, 0.2, 0.4], wall=0.5, asked=3)["median"], timing([])
    (0.2, {})
    """
    if not len(seconds):
        return {}
    values = np.asarray(seconds, np.float64)
    found: dict[str, Any] = {"queries": len(values)}
    for name, share in {"median": 50, "p90": 90, "p99": 99}.items():
        found[name] = round(float(np.percentile(values, share, method="inverted_cdf")), 6)
    found["longest"] = round(float(values.max()), 6)
    if at_once is not None:
        found["at_once"] = at_once
    if asked == len(values) and wall > 0:
        found["queries a second"] = round(asked / wall, 3)
    if cost is not None:
        found["cost"] = round(cost * requests, 6)
        found["cost a query"] = round(cost * requests / len(values), 9)
    return found


def in_words(found: QueryTiming | None) -> str:
    """The timing in one line.

    >>> in_words(QueryTiming(0.2, 0.4, 5.0, 0.002))
    'a query took 0.2 s (median), 0.4 s (99th percentile), 5 a second, and cost 0.002'
    >>> in_words(QueryTiming(0.2, at_once=4))
    'a query took 0.2 s (median), with 4 asked at the same time'
    """
    if found is None:
        return ""
    late = "" if found.p99 is None else f", {found.p99:.3g} s (99th percentile)"
    rate = "" if found.per_second is None else f", {rate_in_words(found.per_second)} a second"
    cost = "" if found.cost is None else f", and cost {found.cost:g}"
    beside = f", with {found.at_once} asked at the same time" if (found.at_once or 1) > 1 else ""
    return f"a query took {found.median:.3g} s (median){late}{rate}{cost}{beside}"


def rate_in_words(per_second: float) -> str:
    """How many queries were answered in a second.

    >>> rate_in_words(1234.56), rate_in_words(0.0521)
    ('1,235', '0.0521')
    """
    return f"{per_second:,.0f}" if per_second >= 100 else f"{per_second:.3g}"


def timing_of(recorded: object) -> QueryTiming | None:
    """The timing in a manifest, which anyone may have written; None where it has no time.

    >>> timing_of({"median": 0.2, "p99": 0.4, "queries a second": 9, "cost a query": 0})
    QueryTiming(median=0.2, p99=0.4, per_second=9.0, cost=0.0, at_once=None)
    >>> timing_of({"median": 0.2, "p99": "late", "cost a query": -1}), timing_of({"median": "soon"}), timing_of(None)
    (QueryTiming(median=0.2, p99=None, per_second=None, cost=None, at_once=None), None, None)
    """
    known = recorded if isinstance(recorded, Mapping) else {}
    median, p99, per_second = (_number(known.get(name)) or None for name in ("median", "p99", "queries a second"))
    if median is None:
        return None
    at_once = int(_number(known.get("at_once")) or 0) or None
    return QueryTiming(median, p99, per_second, _number(known.get("cost a query")), at_once)


def _number(value: object) -> float | None:
    """A number that a time or a cost can be."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value < math.inf:
        return None
    return float(value)


def recorded_timings(runs: Sequence[str]) -> dict[str, QueryTiming]:
    """What a query took and cost, by the name of the run, of files with a record beside them.

    A record that cannot be read is passed over: it is not needed to score the run.
    """
    found = {}
    for name, path in zip(run_names(runs), runs, strict=True):
        record = manifest_of(path)
        try:
            recorded = timing_of(parsed_object(stored_bytes(record), str(record), "").get("timing"))
        except (OSError, InputError):
            continue
        if recorded is not None:
            found[name] = recorded
    return found


def is_comparable(timings: Iterable[QueryTiming]) -> bool:
    """Whether times were measured with the same number of queries at the same time: beside others a query waits."""
    numbers = {each.at_once for each in timings}
    return len(numbers) < 2 or numbers == {1, None}


def asked_at_once(timings: Mapping[str, QueryTiming]) -> str:
    """How many queries were asked at the same time, in a sentence; empty where it was one.

    >>> asked_at_once({"a": QueryTiming(0.2, at_once=4), "b": QueryTiming(0.1, at_once=1), "c": QueryTiming(0.1)})
    'Times are not comparable: a with 4 queries at the same time, b with 1, c with an unknown number.'
    >>> asked_at_once({"a": QueryTiming(0.2, at_once=4)}), asked_at_once({"a": QueryTiming(0.2, at_once=1)})
    ('Times were measured with 4 queries at the same time.', '')
    """
    names: dict[int, list[str]] = {}
    for name, each in timings.items():
        names.setdefault(each.at_once or 0, []).append(name)
    most = max(names, default=0)
    if is_comparable(timings.values()):
        return f"Times were measured with {most} queries at the same time." if most > 1 else ""
    said = [f"{_few_names(names[many])} with {many or 'an unknown number'}" for many in sorted(names, reverse=True)]
    return f"Times are not comparable: {said[0]} queries at the same time, {', '.join(said[1:])}."


def _few_names(names: Sequence[str], most: int = 4) -> str:
    """Names in a sentence.

    >>> _few_names("abc"), _few_names("abcdef")
    ('a, b and c', 'a, b, c and 3 others')
    """
    shown = [*names[: most - 1], f"{len(names) - most + 1} others"] if len(names) > most else list(names)
    return in_sentence(shown)


def timings_table(timings: Mapping[str, QueryTiming]) -> Table:
    """What a query took and cost, a line for each run; columns of which no run has a value are left out.

    >>> print(timings_table({"a": QueryTiming(0.25, 0.5), "b": QueryTiming(0.01, 0.02, cost=0.002)}).render("tsv"))
    run	median_seconds	p99_seconds	cost
    a	0.25	0.5
    b	0.01	0.02	0.002
    """
    written: dict[str, list[str]] = {
        "median_seconds": [f"{each.median:.3g}" for each in timings.values()],
        "p99_seconds": ["" if each.p99 is None else f"{each.p99:.3g}" for each in timings.values()],
        "per_second": ["" if each.per_second is None else rate_in_words(each.per_second) for each in timings.values()],
        "cost": ["" if each.cost is None else f"{each.cost:g}" for each in timings.values()],
    }
    if any((each.at_once or 1) > 1 for each in timings.values()):
        written["at_once"] = ["" if each.at_once is None else str(each.at_once) for each in timings.values()]
    columns = {"run": list(timings), **{name: cells for name, cells in written.items() if any(cells)}}
    return Table(list(columns), list(zip(*columns.values(), strict=True)))


def manifest_of(run: str) -> Path:
    """The file beside a run that says how it was made."""
    return Path(f"{run}.manifest.json")
