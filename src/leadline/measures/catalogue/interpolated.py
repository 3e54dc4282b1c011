"""Interpolated precision: the best precision at a level of recall or above, and its mean over levels."""

from __future__ import annotations

import numpy as np

from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits, Integers
from leadline.options import Share


@measure("iprec", at="recall", aliases=("iprec_at_recall",))
def interpolated_precision(hits: Hits, recall: Share, rel: int = 1) -> Array:
    """The highest precision at any rank where at least a share `recall` of the relevant documents is found.

    Formula: max of i / r_i over i >= k, with k = recall * n rounded half up, at least 1; 0 if fewer than k are found.

    Paper: Salton and McGill, Introduction to Modern Information Retrieval, 1983; the rounding is trec_eval 10's
    (earlier versions took floor(recall * n + 0.9)).

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> interpolated_precision(Hits.of(ranks=[2, 3, 9], relevant=4), recall=0.25).round(3)
    array([0.667])
    """
    return _best_from(hits, share_of_relevant(hits, recall, rel), rel)


@measure("11pt_avg")
def eleven_point_average(hits: Hits, rel: int = 1) -> Array:
    """Interpolated precision averaged over recall 0, 0.1 and so on to 1: the area under that curve.

    Formula: mean of iprec@0, iprec@0.1, ..., iprec@1.

    Paper: Salton and McGill, Introduction to Modern Information Retrieval, 1983.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> eleven_point_average(Hits.of(ranks=[1, 2], relevant=4)).round(3)
    array([0.636])
    """
    curve = np.zeros(hits.rows)
    for tenths in range(10, -1, -1):
        curve += _best_from(hits, share_of_relevant(hits, tenths / 10, rel), rel)
    return curve / 11


def share_of_relevant(hits: Hits, recall: Share, rel: int) -> Integers:
    """Return a share of the relevant documents of each row's topic as a number, rounded half up."""
    exact = recall * hits.n_relevant(rel)
    whole = np.floor(exact)
    return (whole + (exact - whole >= 0.5)).astype(np.int64)


def _best_from(hits: Hits, least: Integers, rel: int) -> Array:
    """The highest precision at any rank with at least `least` relevant documents found."""
    relevant = hits.relevant(rel)
    found = hits.running(relevant)
    counted = relevant & (found >= least[hits.row])
    best = np.zeros(hits.rows)
    np.maximum.at(best, hits.row[counted], found[counted] / hits.rank[counted])
    return best
