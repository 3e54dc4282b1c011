"""PRES: recall that counts how early it comes, for a given effort."""

from __future__ import annotations

import numpy as np

from leadline.measures.definition import measure
from leadline.measures.estimated import estimated_pres
from leadline.measures.hits import Array, Hits, ratio


@measure("PRES", at="effort", relevant_alone=True, sums_alone=True, estimated=estimated_pres)
def pres(hits: Hits, effort: int = 1000, rel: int = 1) -> Array:
    """Recall weighted by how early it comes, for a searcher who reads `effort` documents.

    Formula: PRES@N = 1 - (mean rank - (n + 1)/2) / N over all n relevant documents; the n - m not found within N
    count as if at ranks N + m + 1 to N + n.

    Paper: Magdy and Jones, PRES: a score metric for evaluating recall-oriented information retrieval applications,
    SIGIR 2010.

    Range: n R²/N to R, where R is recall at the same effort; 1 when all relevant documents come first.

    Unjudged: not relevant.

    Short list: no effect; missing documents count as found just after the effort.

    >>> pres(Hits.of(ranks=[1, 98, 99, 100], relevant=4), effort=100)
    array([0.28])
    """
    n = hits.n_relevant(rel)
    found = hits.found(rel, effort)
    # The ranks of the documents not found: (N + m + 1) + ... + (N + n).
    late = (n - found) * effort + (n * (n + 1) - found * (found + 1)) / 2
    mean_rank = ratio(hits.sum_of_ranks(rel, effort) + late, n)
    return np.where(n > 0, 1 - (mean_rank - (n + 1) / 2) / effort, 0.0)


@measure("PRES_est", at="effort", relevant_alone=True)
def pres_est(hits: Hits, effort: int = 1000, rel: int = 1) -> Array:
    """PRES as a share of what the effort allows: 1 is possible even with more relevant documents than effort.

    Formula: PRES_est@N = PRES@N / min(1, N / n).

    Paper: Magdy and Jones, PRES: a score metric for evaluating recall-oriented information retrieval applications,
    SIGIR 2010, equation 5.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: no effect; missing documents count as found just after the effort.

    >>> pres_est(Hits.of(ranks=[1, 2], relevant=4), effort=2)
    array([1.])
    """
    n = np.maximum(hits.n_relevant(rel), 1)
    return pres(hits, effort, rel) / np.minimum(1, effort / n)
