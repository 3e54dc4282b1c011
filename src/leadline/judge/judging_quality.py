"""What judging is worth: how far people agree beyond chance, and how many relevant documents were not found.

Marks are numbers; NaN where a person did not judge. Intervals are by the bootstrap over documents.

    >>> marks = np.array([[0, 0, 1, 1, 2, 0], [0, 1, 1, 1, 2, 0]], float)
    >>> round(cohen_kappa(*marks), 3), round(cohen_kappa(*marks, weights="linear"), 3)
    (0.739, 0.786)
    >>> round(krippendorff_alpha(marks), 3)
    0.756
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError, checked_choice
from leadline.records.qrels import Qrels
from leadline.records.result import Table

Array = NDArray[np.float64]
Weights = Literal["none", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]


def cohen_kappa(first: Array, second: Array, *, weights: Weights = "none") -> float:
    """Cohen's kappa of two people's marks on the documents both judged; weighted by the distance of the marks if asked.

    Cohen, Educational and Psychological Measurement 1960, and Psychological Bulletin 1968. NaN where both always gave
    the same single mark, or judged nothing in common.
    """
    checked_choice("weights", weights, ("none", "linear", "quadratic"))
    both = np.isfinite(first) & np.isfinite(second)
    values = np.unique(np.concatenate([first[both], second[both]]))
    if len(values) < 2:
        return math.nan
    a, b = np.searchsorted(values, first[both]), np.searchsorted(values, second[both])
    observed = np.zeros((len(values), len(values)))
    np.add.at(observed, (a, b), 1 / both.sum())
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0))
    apart = np.abs(np.arange(len(values))[:, None] - np.arange(len(values))[None, :])
    penalty = {"none": (apart > 0).astype(np.float64), "linear": apart, "quadratic": apart**2}[weights]
    chance = float((penalty * expected).sum())
    return float(1 - (penalty * observed).sum() / chance) if chance else math.nan


def fleiss_kappa(marks: Array) -> float:
    """Fleiss' kappa of any number of people (rows) on the documents (columns) that all of them judged.

    Fleiss, Psychological Bulletin 1971: (P − Pₑ) / (1 − Pₑ), where P is the share of the pairs of people who agree on a
    document, and Pₑ what it would be if each mark were drawn from all marks. NaN where all marks are the same, or no
    document was judged by all: alpha takes documents that some did not judge.

    >>> round(fleiss_kappa(np.array([[1, 1, 0, 0], [1, 1, 0, 1], [1, 0, 0, 0]])), 3)  # P = 2/3, Pₑ = 1/2
    0.333
    """
    complete = marks[:, np.isfinite(marks).all(axis=0)]
    people, documents = complete.shape
    values = np.unique(complete)
    if len(values) < 2 or people < 2:
        return math.nan
    counts = np.stack([(complete == value).sum(axis=0) for value in values])
    agreed = float((counts * (counts - 1)).sum()) / (documents * people * (people - 1))
    chance = float(((counts.sum(axis=1) / complete.size) ** 2).sum())
    return (agreed - chance) / (1 - chance)


def krippendorff_alpha(marks: Array, *, level: Level = "nominal") -> float:
    """Krippendorff's alpha of any number of people (rows) on documents (columns); NaN for a missing mark.

    Krippendorff, Content Analysis, 2004. NaN where there is no variation, or no document that two people judged.
    """
    checked_choice("level", level, ("nominal", "ordinal", "interval"))
    values = np.unique(marks[np.isfinite(marks)])
    if len(values) < 2:
        return math.nan
    counts = np.stack([(marks == value).sum(axis=0) for value in values], axis=1).astype(np.float64)
    counts = counts[counts.sum(axis=1) > 1]  # a document that one person judged says nothing of agreement
    if not len(counts):
        return math.nan
    judged = counts.sum(axis=1)
    # Coincidences: the pairs of marks within documents, each document weighted by 1 / (its marks - 1).
    weighted = counts / (judged - 1)[:, None]
    coincidences = counts.T @ weighted - np.diag(weighted.sum(axis=0))
    totals = coincidences.sum(axis=0)
    distance = _distances(values, totals, level)
    expected = float((np.outer(totals, totals) * distance).sum() / (totals.sum() - 1))
    return float(1 - (coincidences * distance).sum() / expected) if expected else math.nan


def _distances(values: Array, totals: Array, level: Level) -> Array:
    """The squared distance of every two marks."""
    if level == "nominal":
        return 1.0 - np.eye(len(values))
    if level == "interval":
        return np.asarray((values[:, None] - values[None, :]) ** 2)
    # Ordinal: how many marks lie between two values, each end counted half.
    middle = np.cumsum(totals) - totals / 2
    return np.asarray((middle[:, None] - middle[None, :]) ** 2)


def bootstrap_interval(
    statistic: Callable[[Array], float], marks: Array, *, samples: int = 1000, seed: int = 1
) -> tuple[float, float]:
    """The 95 % interval of a statistic of marks (people × documents), by drawing documents again."""
    if samples < 1:
        raise InputError("samples", f"must be at least 1, got {samples}")
    rng = np.random.default_rng(seed)
    documents = marks.shape[1]
    values = [statistic(marks[:, rng.integers(0, documents, documents)]) for _ in range(samples)] if documents else []
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return math.nan, math.nan
    low, high = np.percentile(known, [2.5, 97.5]).tolist()
    return low, high


# How many relevant documents of a pool were not found? Estimates from a stratified sample, by topic.
#
# Horvitz and Thompson: a stratum with r relevant among n judged of its N documents has about N r / n. The variance is
# that of a sample without replacement; the interval is Student's, and never says fewer than were found. A stratum with
# nothing judged yet adds nothing to the estimate, and all of its documents to the upper end.


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
    from scipy.special import stdtrit  # kappa, which every page of judging may show, needs no SciPy

    if pool.kind == "drawn":
        return _missing_of_draws(pool, level)
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


def _missing_of_draws(pool: Qrels, level: int) -> list[MissingEstimate]:
    """The same of a pool drawn in rounds: what a model expects, corrected by what was drawn and judged."""
    assert pool.probabilities is not None
    assert pool.expected is not None
    chance, made = pool.probabilities, pool.grades >= 0
    error = np.where(made, (pool.grades >= level) - pool.expected, 0.0)
    columns = pool.expected + error / chance, (1 - chance) * (error / chance) ** 2, made, pool.grades >= level
    topics = len(pool.topics)
    sums = [np.bincount(pool.topic_of_document, weights=column, minlength=topics) for column in columns]
    found = []
    for topic, size, total, variance, judged, hits in zip(
        pool.topics, np.diff(pool.offsets).tolist(), *(each.tolist() for each in sums), strict=True
    ):
        width = 1.96 * math.sqrt(variance)
        estimate = max(total, hits) if judged else math.nan
        low, high = max(hits, total - width), min(max(total, hits) + width, hits + size - judged)
        found.append(MissingEstimate(topic, size, int(judged), int(hits), estimate, low, max(low, high)))
    return found


def missing_table(estimates: list[MissingEstimate]) -> Table:
    """The estimates as a table: one row for each topic."""
    columns = ["topic", "pooled", "judged", "found", "relevant", "low", "high", "recall"]
    rows = [
        [each.topic, each.pooled, each.judged, each.found, each.relevant, each.low, each.high, each.recall]
        for each in estimates
    ]
    return Table(columns, rows)
