"""How many relevant documents of a pool were not found? Estimates from a stratified sample, by topic.

Horvitz and Thompson: a stratum with r relevant among n judged of its N documents has about N r / n. The variance is
that of a sample without replacement; the interval is Student's, and never says fewer than were found. A stratum with
nothing judged yet adds nothing to the estimate, and all of its documents to the upper end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from leadline.records.qrels.qrels import Qrels
from leadline.records.scores.table import Table


@dataclass(frozen=True)
class MissingEstimate:
    """What one topic's pool holds: what was judged, found and estimated."""

    topic: str
    pooled: int
    judged: int
    found: int
    relevant: float  # estimated in the whole pool; NaN where nothing is judged
    low: float  # the 95 % interval of that estimate
    high: float

    @property
    def recall(self) -> float:
        """The share of the pool's relevant documents that was found, by the estimate."""
        return self.found / self.relevant if self.relevant else math.nan


def estimate_missing(pool: Qrels, *, level: int = 1) -> list[MissingEstimate]:
    """Estimate for each topic of a judged pool how many relevant documents its unjudged part has.

    >>> judged = Qrels.from_columns(["7"] * 5, list("abcde"), [1, 1, 0, -1, -1], strata=["1", "2", "2", "2", "2"])
    >>> estimate = estimate_missing(judged)[0]
    >>> estimate.found, estimate.relevant
    (2, 3.0)
    """
    strata = pool.strata if pool.strata is not None else np.ones(len(pool.grades), np.int32)
    found = []
    for t, topic in enumerate(pool.topics):
        inside = pool.topic_of_document == t
        total, variance, freedom, hits, judged, unknown = 0.0, 0.0, 0, 0, 0, 0
        for stratum in np.unique(strata[inside]).tolist():
            grades = pool.grades[inside & (strata == stratum)]
            size, seen = len(grades), grades[grades >= 0]
            relevant, n = int((seen >= level).sum()), len(seen)
            hits, judged = hits + relevant, judged + n
            if not n:
                unknown += size  # none or all of it may be relevant
                continue
            share = relevant / n
            total += size * share
            if n < size:  # a stratum that was judged in full has no error
                likely = (relevant + 1) / (n + 2)  # never 0 or 1: few judged without a hit show little
                spread = likely * (1 - likely)
                variance += size * size * (1 - n / size) * spread / n
                freedom += max(n - 1, 1)
        width = float(stdtrit(freedom, 0.975)) * math.sqrt(variance) if freedom else 0.0
        pooled = int(inside.sum())
        low, high = max(float(hits), total - width), min(total + width + unknown, float(hits + pooled - judged))
        estimate = total if judged else math.nan
        found.append(MissingEstimate(topic, pooled, judged, hits, estimate, low, max(low, high)))
    return found


def missing_table(estimates: list[MissingEstimate]) -> Table:
    """The estimates as a table: one row for each topic."""
    columns = ["topic", "pooled", "judged", "found", "relevant", "low", "high", "recall"]
    rows = [
        [each.topic, each.pooled, each.judged, each.found, each.relevant, each.low, each.high, each.recall]
        for each in estimates
    ]
    return Table(columns, rows)
