"""How far people agree beyond chance: Cohen's kappa, weighted kappa and Krippendorff's alpha, with intervals.

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
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError, checked_choice

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
