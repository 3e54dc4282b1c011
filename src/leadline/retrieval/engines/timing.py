"""How long a service took: percentiles, throughput and cost, for the record beside a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


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
