"""Recall, precision, and how soon the first relevant document comes."""

from __future__ import annotations

import numpy as np

from leadline.measures.definition import measure
from leadline.measures.estimated import estimated_precision, estimated_recall
from leadline.measures.hits import Array, Hits, ratio


@measure("R", at="effort", aliases=("Recall",), relevant_alone=True, sums_alone=True, estimated=estimated_recall)
def recall(hits: Hits, effort: int | None = None, rel: int = 1) -> Array:
    """Share of the relevant documents found in the first `effort` documents, or in the whole list.

    Formula: R@N = m / n, with n relevant documents, m of them among the first N.

    Paper: Kent, Berry, Luehrs and Perry, American Documentation 1955.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> recall(Hits.of(ranks=[1, 7], relevant=4), effort=100)
    array([0.5])
    """
    return ratio(hits.found(rel, effort), hits.n_relevant(rel))


@measure("P", at="effort", aliases=("precision",), relevant_alone=True, sums_alone=True, estimated=estimated_precision)
def precision(hits: Hits, effort: int, rel: int = 1) -> Array:
    """Share of the first `effort` documents that is relevant.

    Formula: P@N = m / N, with m relevant documents among the first N.

    Paper: Kent, Berry, Luehrs and Perry, American Documentation 1955.

    Range: 0 to min(1, n / N), with n relevant documents in all.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> precision(Hits.of(ranks=[1, 3], relevant=4), effort=5)
    array([0.4])
    """
    return hits.found(rel, effort) / effort


@measure("relative_P", at="effort", relevant_alone=True)
def relative_precision(hits: Hits, effort: int, rel: int = 1) -> Array:
    """Precision as a share of the best precision possible at this effort.

    Formula: m / min(N, n): precision while N < n, recall from there on.

    Paper: Buckley, trec_eval, 2008 (`relative_P`).

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> relative_precision(Hits.of(ranks=[1, 3], relevant=4), effort=10)
    array([0.5])
    """
    return ratio(hits.found(rel, effort), np.minimum(hits.n_relevant(rel), effort))


@measure("Rprec", aliases=("R_prec",), relevant_alone=True)
def r_precision(hits: Hits, rel: int = 1) -> Array:
    """Precision at rank n, the number of relevant documents, where precision equals recall.

    Formula: P@n, with n relevant documents in all.

    Paper: Buckley and Voorhees, Retrieval system evaluation, in TREC: Experiment and Evaluation in Information
    Retrieval, MIT Press 2005.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> r_precision(Hits.of(ranks=[1, 3, 5], relevant=4))
    array([0.5])
    """
    n = hits.n_relevant(rel)
    return ratio(_found_within(hits, n, rel), n)


@measure("Rprec_mult", at="multiple")
def r_precision_at_multiple(hits: Hits, multiple: float, rel: int = 1) -> Array:
    """Precision at a multiple of n, the number of relevant documents.

    Formula: P@k with k = floor(multiple * n + 0.9).

    Paper: Buckley, trec_eval, 2008 (`Rprec_mult`).

    Range: 0 to min(1, 1 / multiple).

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> r_precision_at_multiple(Hits.of(ranks=[1, 3, 5], relevant=4), multiple=2.0)
    array([0.375])
    """
    # Not quite a ceiling: a multiple such as 2.05 documents counts as 2, as in trec_eval.
    effort = np.floor(multiple * hits.n_relevant(rel) + 0.9).astype(np.int64)
    return ratio(_found_within(hits, effort, rel), effort)


def _found_within(hits: Hits, effort: np.ndarray[tuple[int], np.dtype[np.int64]], rel: int) -> Array:
    """The number of relevant documents within an effort that differs by row."""
    return hits.total(hits.relevant(rel) & (hits.rank <= effort[hits.row]))


@measure("Success", at="effort")
def success(hits: Hits, effort: int, rel: int = 1) -> Array:
    """Whether there is a relevant document among the first `effort`.

    Formula: 1 if m > 0, else 0.

    Paper: Tomlinson, Early precision measures: implications from the downside of blind feedback, SIGIR 2006.

    Range: 0 or 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> success(Hits.of(ranks=[7], relevant=4), effort=10)
    array([1.])
    """
    return (hits.found(rel, effort) > 0).astype(float)


@measure("RR", at="effort", aliases=("recip_rank", "MRR"))
def reciprocal_rank(hits: Hits, effort: int | None = None, rel: int = 1) -> Array:
    """One over the rank of the first relevant document, for a searcher who needs only one.

    Formula: 1 / r_1; 0 if there is none among the first `effort` documents.

    Paper: Kantor and Voorhees, The TREC-5 confusion track, Information Retrieval 2000.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: 0 if it holds no relevant document.

    >>> reciprocal_rank(Hits.of(ranks=[4, 5], relevant=4))
    array([0.25])
    """
    relevant = hits.relevant(rel)
    if effort is not None:
        relevant &= hits.rank <= effort
    first = relevant & (hits.running(relevant) == 1)
    return hits.total(first / hits.rank)
