"""Average precision: precision at each relevant document, averaged over all relevant documents."""

from __future__ import annotations

from leadline.measures.definition import measure
from leadline.measures.estimated import estimated_average_precision
from leadline.measures.hits import Array, Hits, ratio


@measure(
    "AP", at="effort", aliases=("MAP",), relevant_alone=True, sums_alone=True, estimated=estimated_average_precision
)
def average_precision(hits: Hits, effort: int | None = None, rel: int = 1) -> Array:
    """Precision at the rank of each relevant document, averaged over all of them; those not found count 0.

    Formula: AP@N = (1/n) sum of i / r_i over the relevant documents found, r_i the rank of the i-th.

    Paper: Buckley and Voorhees, Retrieval system evaluation, in TREC: Experiment and Evaluation in Information
    Retrieval, MIT Press 2005.

    Range: 0 to 1; with an effort N < n, at most N / n.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> average_precision(Hits.of(ranks=[1, 4], relevant=4))
    array([0.375])
    """
    return ratio(hits.sum_of_precisions(rel, effort), hits.n_relevant(rel))


@measure("GMAP", at="effort", aliases=("gm_map",), aggregate="geometric", relevant_alone=True)
def geometric_average_precision(hits: Hits, effort: int | None = None, rel: int = 1) -> Array:
    """Average precision with a geometric mean over topics, so that the worst topics count most.

    Formula: AP for each topic; the mean is exp of the mean of log max(AP, 0.00001).

    Paper: Robertson, On GMAP: and other transformations, CIKM 2006.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> geometric_average_precision(Hits.of(ranks=[1, 4], relevant=4))
    array([0.375])
    """
    return average_precision(hits, effort, rel)


@measure("set_map", aliases=("SetAP",))
def set_average_precision(hits: Hits, rel: int = 1) -> Array:
    """Average precision of an unordered list: recall times precision of all retrieved documents.

    Formula: m² / (retrieved * n).

    Paper: Buckley, trec_eval (`set_map`, formerly exact_unranked_avg_prec).

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: only retrieved documents count, so a short list can be precise.

    >>> set_average_precision(Hits.of(ranks=[1, 4], relevant=4))
    array([0.25])
    """
    found = hits.found(rel)
    return ratio(found * found, hits.retrieved * hits.n_relevant(rel))
