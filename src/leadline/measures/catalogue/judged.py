"""The share of documents read that was judged: where it is low, scores mean little."""

from __future__ import annotations

import numpy as np

from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits, ratio


@measure("judged", at="effort", better="neither")
def judged(hits: Hits, effort: int | None = None) -> Array:
    """Share of the documents read, the first `effort` or the whole list, that was judged.

    Formula: documents of grade 0 and up among the first N, over min(N, retrieved).

    Paper: MacAvaney, Macdonald and Ounis, Streamlining evaluation with ir-measures, ECIR 2022.

    Range: 0 to 1.

    Unjudged: measured here.

    Short list: only retrieved documents count.

    >>> judged(Hits.of(ranks=[1, 2, 7], grades=[1, 0, 0]), effort=5)
    array([0.4])
    """
    graded = hits.grade >= 0
    if effort is None:
        return ratio(hits.count(graded), hits.retrieved)
    return ratio(hits.count(graded & (hits.rank <= effort)), np.minimum(hits.retrieved, effort))


@measure("unjudged", at="effort", aliases=("unj",), better="neither")
def unjudged(hits: Hits, effort: int) -> Array:
    """Share of the first `effort` ranks that hold an unjudged document.

    Formula: retrieved documents without a grade of 0 or more among the first N, over N.

    Paper: Soboroff, trec_eval 10 (`unj`).

    Range: 0 to 1.

    Unjudged: measured here.

    Short list: missing documents do not count, so judged and unjudged need not sum to 1.

    >>> unjudged(Hits.of(ranks=[1, 2, 7], grades=[1, 0, 0]), effort=5)
    array([0.6])
    """
    read = np.minimum(hits.retrieved, effort)
    return (read - hits.count((hits.grade >= 0) & (hits.rank <= effort))) / effort
