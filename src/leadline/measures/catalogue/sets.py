"""Precision, recall and their harmonic mean, of all retrieved documents or of an effort; and utility."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from leadline.measures.catalogue.average_precision import average_precision
from leadline.measures.catalogue.precision import precision, recall
from leadline.measures.definition import Effort, measure
from leadline.measures.hits import Array, Hits, ratio
from leadline.options import Bounds

Weight = Annotated[float, Bounds(0)]  # of recall beside precision


@measure("set_P", aliases=("SetP",))
def set_precision(hits: Hits, rel: int = 1) -> Array:
    """Share of all retrieved documents that is relevant.

    Formula: m / retrieved.

    Paper: Kent, Berry, Luehrs and Perry, American Documentation 1955.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: only retrieved documents count, so a short list can be precise.

    >>> set_precision(Hits.of(ranks=[1, 4], relevant=4))
    array([0.5])
    """
    return ratio(hits.found(rel), hits.retrieved)


@measure("set_relative_P", aliases=("SetRelP",))
def set_relative_precision(hits: Hits, rel: int = 1) -> Array:
    """Precision of all retrieved documents, as a share of the best possible for that many.

    Formula: m / min(retrieved, n).

    Paper: Buckley, trec_eval (`set_relative_P`, formerly exact_relative_prec).

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: only retrieved documents count, so a short list can be precise.

    >>> set_relative_precision(Hits.of(ranks=[1, 2], relevant=4, retrieved=3)).round(3)
    array([0.667])
    """
    return ratio(hits.found(rel), np.minimum(hits.retrieved, hits.n_relevant(rel)))


@measure("set_recall", aliases=("SetR",))
def set_recall(hits: Hits, rel: int = 1) -> Array:
    """Share of the relevant documents that is retrieved.

    Formula: m / n.

    Paper: Kent, Berry, Luehrs and Perry, American Documentation 1955.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: missing documents are not found.

    >>> set_recall(Hits.of(ranks=[1, 4], relevant=4))
    array([0.5])
    """
    return recall(hits, None, rel)


@measure("set_F", aliases=("SetF",))
def set_f(hits: Hits, beta: Weight = 1.0, rel: int = 1) -> Array:
    """Harmonic mean of precision and recall of all retrieved documents, weighted as in trec_eval and ir_measures.

    Formula: (1 + b) P R / (b P + R). The `beta` of these two packages is the square of van Rijsbergen's: to weight
    recall twice as much, give 4. F(beta)@N uses his.

    Paper: van Rijsbergen, Information Retrieval, 1979; Buckley, trec_eval (`set_F`).

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: only retrieved documents count, so a short list can be precise.

    >>> set_f(Hits.of(ranks=[1, 2], relevant=4, retrieved=8)).round(3)
    array([0.333])
    """
    return _harmonic(set_precision(hits, rel), set_recall(hits, rel), beta)


@measure("F", at="effort")
def f_measure(hits: Hits, effort: int, beta: Weight = 1.0, rel: int = 1) -> Array:
    """Harmonic mean of precision and recall of the first `effort` documents; recall counts `beta` times as much.

    Formula: (1 + b²) P@N R@N / (b² P@N + R@N).

    Paper: van Rijsbergen, Information Retrieval, 1979.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> f_measure(Hits.of(ranks=[1], relevant=4), effort=100).round(4)
    array([0.0192])
    """
    return _harmonic(precision(hits, effort, rel), recall(hits, effort, rel), beta * beta)


@measure("Fprime", at="effort")
def f_prime(hits: Hits, effort: int | None = None, beta: Weight = 1.0, rel: int = 1) -> Array:
    """Harmonic mean of average precision and recall; recall counts `beta` times as much.

    Formula: (1 + b²) AP@N R@N / (b² AP@N + R@N).

    Paper: Magdy and Jones, PRES: a score metric for evaluating recall-oriented information retrieval applications,
    SIGIR 2010, equation 1.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> f_prime(Hits.of(ranks=[1, 98, 99, 100], relevant=4), effort=100).round(3)
    array([0.429])
    """
    return _harmonic(average_precision(hits, effort, rel), recall(hits, effort, rel), beta * beta)


def _harmonic(precise: Array, complete: Array, weight: float) -> Array:
    return ratio((weight + 1.0) * precise * complete, weight * precise + complete)


def _effort_of_utility(options: Mapping[str, Any]) -> Effort | None:
    """Reading costs where a document that is not relevant is worth less listed than not listed."""
    return "priced" if options["wrong"] < options["spared"] else None


@measure("utility", effort=_effort_of_utility)
def utility(
    hits: Hits,
    found: float = 1.0,
    wrong: float = -1.0,
    missed: float = 0.0,
    spared: float = 0.0,
    size: int = 0,
    rel: int = 1,
) -> Array:
    """The gain of a searcher who reads all retrieved documents, with a value for each kind of document.

    Formula: found * relevant retrieved + wrong * others retrieved + missed * relevant not retrieved + spared * others
    not retrieved; `size` is the number of documents in the collection, needed only for the last.

    Paper: Lewis, The TREC-4 filtering track, TREC 1995.

    Range: any number.

    Unjudged: not relevant.

    Short list: documents not retrieved cost nothing.

    >>> utility(Hits.of(ranks=[1, 4], relevant=4, retrieved=10))
    array([-6.])
    """
    n, m = hits.n_relevant(rel), hits.found(rel)
    return found * m + wrong * (hits.retrieved - m) + missed * (n - m) + spared * (size + m - hits.retrieved - n)
