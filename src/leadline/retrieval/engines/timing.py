"""How long a service took: percentiles, throughput and cost, for the record beside a run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from leadline.errors import InputError
from leadline.records.runs.read_runs import run_names
from leadline.records.scores.table import Table
from leadline.text.checksums import parsed_object
from leadline.text.stored import stored_bytes


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
    said = [f"{_listed(names[many])} with {many or 'an unknown number'}" for many in sorted(names, reverse=True)]
    return f"Times are not comparable: {said[0]} queries at the same time, {', '.join(said[1:])}."


def _listed(names: Sequence[str], most: int = 4) -> str:
    """Names in a sentence.

    >>> _listed("abc"), _listed("abcdef")
    ('a, b and c', 'a, b, c and 3 others')
    """
    shown = [*names[: most - 1], f"{len(names) - most + 1} others"] if len(names) > most else list(names)
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


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
