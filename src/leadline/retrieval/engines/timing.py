"""How long a service took: percentiles, throughput and cost, for the record beside a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from leadline.errors import InputError
from leadline.records.runs.read_runs import run_names
from leadline.text.checksums import parsed_object
from leadline.text.stored import stored_bytes


def timing(seconds: Sequence[float], *, cost: float | None = None, wall: float = 0.0, asked: int = 0) -> dict[str, Any]:
    """Percentiles of the seconds that queries took; throughput where all were asked in one go.

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
    if asked == len(values) and wall > 0:
        found["queries a second"] = round(asked / wall, 3)
    if cost is not None:
        found["cost"] = round(cost * len(values), 6)
    return found


def in_words(found: dict[str, Any]) -> str:
    """The timing in one line.

    >>> in_words({"queries": 3, "median": 0.2, "p90": 0.4, "p99": 0.4, "longest": 0.4, "cost": 0.6})
    'a query took 0.2 s (median), 0.4 s (99th percentile); 3 queries cost 0.6'
    """
    if not found:
        return ""
    rate = f", {found['queries a second']:g} a second" if "queries a second" in found else ""
    cost = f"; {found['queries']:,} queries cost {found['cost']:g}" if "cost" in found else ""
    return f"a query took {found['median']:.3g} s (median), {found['p99']:.3g} s (99th percentile){rate}{cost}"


def seconds_of(timing: object) -> tuple[float | None, float | None]:
    """The median and the 99th percentile of the time a query took, of a manifest that anyone may have written.

    >>> seconds_of({"median": 0.2, "p99": 0.4}), seconds_of({"median": "soon"}), seconds_of(None)
    ((0.2, 0.4), (None, None), (None, None))
    """
    known = timing if isinstance(timing, Mapping) else {}
    median, p99 = (
        float(value) if isinstance(value := known.get(name), (int, float)) and 0 < value < math.inf else None
        for name in ("median", "p99")
    )
    return median, p99


def recorded_seconds(runs: Sequence[str]) -> dict[str, tuple[float, float | None]]:
    """Median and 99th percentile of the time a query took, by the name of the run, of files with a record beside them.

    A record that cannot be read is passed over: it is not needed to score the run.
    """
    found = {}
    for name, path in zip(run_names(runs), runs, strict=True):
        record = manifest_of(path)
        try:
            median, p99 = seconds_of(parsed_object(stored_bytes(record), str(record), "").get("timing"))
        except (OSError, InputError):
            continue
        if median is not None:
            found[name] = (median, p99)
    return found


def manifest_of(run: str) -> Path:
    """The file beside a run that says how it was made."""
    return Path(f"{run}.manifest.json")
