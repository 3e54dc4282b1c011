"""Inferred average precision, for a pool of which only a random part was judged."""

from __future__ import annotations

import numpy as np

from leadline.measures.hits import Array, Hits, ratio
from leadline.measures.measure import measure

_EPSILON = 0.00001


@measure("infAP")
def inferred_average_precision(hits: Hits, rel: int = 1) -> Array:
    """Average precision where the documents of the pool that were not judged are as good as those that were.

    Formula: (1/n) sum over the relevant documents found, at rank k, of
    1/k + ((k - 1)/k) * (d/(k - 1)) * (r + e)/(j + 2e), with d documents of the pool above it, j of them judged and r
    relevant; e = 0.00001.

    Paper: Yilmaz and Aslam, Estimating average precision with incomplete and imperfect judgments, CIKM 2006; e as in
    trec_eval.

    Range: 0 to 1.

    Unjudged: of grade -1, in the pool but not judged, estimated; without a row in the judgements, not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> inferred_average_precision(Hits.of(ranks=[1, 2, 4], grades=[1, -1, 1], missed=[0])).round(3)
    array([0.875])
    """
    met, places = hits.met(rel), np.flatnonzero(hits.relevant(rel))
    before = met.rank - 1.0
    pooled = places - hits.offsets[met.row]
    judged = hits.running(hits.grade >= 0, places) - 1
    better = np.arange(len(places)) - met.offsets[met.row]
    density = (better + _EPSILON) / (judged + 2 * _EPSILON)
    expected = 1.0 / (before + 1.0) + (before / (before + 1.0)) * ratio(pooled, before) * density
    return ratio(met.total(expected), hits.n_relevant(rel))
