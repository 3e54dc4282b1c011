"""How much of what is relevant is found, within how many documents."""

from __future__ import annotations

from leadline.measures.hits import Array, Hits, ratio
from leadline.measures.registry import measure


@measure("R", at="effort", aliases=("Recall",))
def recall(hits: Hits, effort: int | None = None, rel: int = 1) -> Array:
    """Share of the relevant documents that a searcher finds who reads `effort` documents, or the whole list.

    Formula: R@N = m / n, with n relevant documents, m of them among the first N.

    Paper: Kent, Berry, Luehrs and Perry, American Documentation 1955.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> recall(Hits.of(ranks=[1, 7], relevant=4), effort=100)
    array([0.5])
    """
    return ratio(hits.found(rel, effort), hits.n_relevant(rel))
