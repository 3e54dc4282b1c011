"""Rnorm: recall averaged over all ranks of a ranking of the whole collection."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits, ratio
from leadline.options import Bounds


@measure("Rnorm")
def rnorm(hits: Hits, size: Annotated[int, Bounds(1)], rel: int = 1) -> Array:
    """Normalised recall: how near the relevant documents are to the top of a ranking of all `size` documents.

    Formula: Rnorm = 1 - (Σ r - Σ i) / (n (C - n)) over all n relevant documents of a collection of C = `size`, where
    i = 1 … n are the best ranks possible; documents not retrieved are at the end of the collection.

    Paper: Rocchio, Document retrieval systems: optimization and evaluation, Harvard University 1966.

    Range: 0 to 1; 1 when all relevant documents come first, 0 when they come last.

    Unjudged: not relevant.

    Short list: missing documents are at the end of the collection.

    Found at ranks 1 and 3, the other at rank 10: 1 - (14 - 6) / (3 · 7).

    >>> rnorm(Hits.of(ranks=[1, 3], relevant=3), size=10).round(3)
    array([0.619])
    """
    n = hits.n_relevant(rel)
    relevant = hits.relevant(rel)
    missed = n - hits.count(relevant)
    least = int((hits.retrieved + missed).max(initial=0))
    if least > size:
        raise MeasureError(
            f"Rnorm(size={size}): the runs and judgements of one topic have {least} documents; give a larger size"
        )
    # The sum of all ranks; those not retrieved are at size, size - 1, ...
    ranks = hits.total(relevant * hits.rank) + missed * size - missed * (missed - 1) / 2
    return np.where(n > 0, 1 - ratio(ranks - n * (n + 1) / 2, n * (size - n)), 0.0)
