"""Corrections for many tests at once: of 100 pairs that do not differ, about 5 look significant at 5 %."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from leadline.errors import checked_choice
from leadline.measures.hits import Array


def holm(p: Array) -> Array:
    """Holm's correction: limits the chance of one or more false positives among all pairs; finds more than Bonferroni.

    Holm, Scandinavian Journal of Statistics 1979.

    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p, kind="stable")
    grown = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return _placed(grown, order)


def bonferroni(p: Array) -> Array:
    """Bonferroni's correction: limits the chance of one or more false positives; p times the number of pairs.

    >>> bonferroni(np.array([0.01, 0.04, 0.5]))
    array([0.03, 0.12, 1.  ])
    """
    return np.minimum(p * len(p), 1.0)


def benjamini_hochberg(p: Array) -> Array:
    """Benjamini and Hochberg's correction: limits the expected share of false positives; finds more than the others.

    Benjamini and Hochberg, Journal of the Royal Statistical Society B 1995.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.04, 0.04])
    """
    order = np.argsort(p, kind="stable")
    grown = p[order] * (len(p) / np.arange(1, len(p) + 1))
    return _placed(np.minimum.accumulate(grown[::-1])[::-1], order)


def uncorrected(p: Array) -> Array:
    """p without correction: right for a single pair chosen in advance."""
    return p


def _placed(in_order: Array, order: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Array:
    """Sorted values, at most 1, back in their original order."""
    out = np.empty(len(order))
    out[order] = np.minimum(in_order, 1.0)
    return out


CORRECTIONS: dict[str, Callable[[Array], Array]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
    "none": uncorrected,
}


def corrected(p: Array, correction: str = "holm") -> Array:
    """p corrected for the number of pairs; `correction` is a key of CORRECTIONS."""
    return CORRECTIONS[checked_choice("correction", correction, tuple(CORRECTIONS))](p)
