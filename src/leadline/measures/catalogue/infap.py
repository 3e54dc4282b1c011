"""Inferred average precision, for a pool of which only a random sample was judged."""

from __future__ import annotations

import numpy as np

from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits, ratio

_EPSILON = 0.00001


@measure("infAP")
def inferred_average_precision(hits: Hits, rel: int = 1) -> Array:
    """Average precision that takes unjudged documents of the pool to be relevant as often as the judged ones.

    Formula: (1/n) sum over the relevant documents found, at rank k, of
    1/k + ((k - 1)/k) * (d/(k - 1)) * (r + e)/(j + 2e), with d documents of the pool above it, j of them judged and r
    relevant; e = 0.00001.

    Paper: Yilmaz and Aslam, Estimating average precision with incomplete and imperfect judgments, CIKM 2006; e as in
    trec_eval.

    Range: 0 to 1.

    Unjudged: estimated if pooled but not judged (grade -1); not relevant if not in the judgements.

    Short list: as if followed by documents that are not relevant.

    >>> inferred_average_precision(Hits.of(ranks=[1, 2, 4], grades=[1, -1, 1], missed=[0])).round(3)
    array([0.875])
    """
    found, places = hits.only_relevant(rel), np.flatnonzero(hits.relevant(rel))
    # Of the documents above each relevant one: how many there are, are pooled, judged and relevant. The expected
    # precision takes the pooled ones to be relevant as often as the judged ones are.
    before = found.rank - 1.0
    pooled = places - hits.offsets[found.row]
    judged = hits.running(hits.grade >= 0, places) - 1
    better = np.arange(len(places)) - found.offsets[found.row]
    density = (better + _EPSILON) / (judged + 2 * _EPSILON)
    expected = 1.0 / (before + 1.0) + (before / (before + 1.0)) * ratio(pooled, before) * density
    return ratio(found.total(expected), hits.n_relevant(rel))
