"""A hypergeometric test of the last documents, as if they had been drawn at random."""

from __future__ import annotations

import numpy as np

from leadline.judge.review.learner import Labels
from leadline.judge.review.stopping import Review, Stop, rule, stopped_at

LOOKS = 100  # in a review: at every document it would take hours to try


def buscar_p(read: Labels, documents: int, target: float) -> float:
    """The p-value of the hypothesis that the target is not reached, from the labels read so far.

    Formula: the least, over s, of HyperCDF(x; N − t + s, ⌊r/τ + 1 − (r − x)⌋, s): x of the last s documents are
    relevant, r of all t.

    After 4 relevant and 40 others of 60, two more may be missing at 80 %: both in the last 16 with 16 · 15 / (56 · 55).

    >>> round(buscar_p(np.array([True] * 4 + [False] * 40), 60, 0.8), 4)
    0.0779
    """
    from scipy.stats import hypergeom

    count = len(read)
    found = int(read.sum())
    if not count:
        return 1.0
    # With x fixed, the probability falls with s: it is least where the next document back is relevant, or none is left.
    last = np.append(np.flatnonzero(read[::-1]), count)
    last, hits = last[last > 0], np.arange(found + 1)[last > 0]
    population = documents - count + last
    missing = np.floor(found / target + 1 - (found - hits)).astype(np.int64)
    possible = missing <= population
    values = hypergeom.cdf(hits[possible], population[possible], missing[possible], last[possible])
    return float(values.min()) if len(values) else 0.0


@rule("buscar", "rule of thumb")
def buscar(review: Review) -> Stop:
    """Stop when the last documents would be unlikely, had they been drawn at random and the target not been reached.

    They were not drawn at random, and the test is made again and again: it misses the target more often than it says.

    Paper: Callaghan and Müller-Hansen, Statistical stopping criteria for automated screening, 2020.
    """
    total = len(review)
    for read in np.unique(np.linspace(1, total, LOOKS).round().astype(int)).tolist():
        if buscar_p(review.labels[:read], total, review.target) < review.alpha:
            return stopped_at(review, read)
    return stopped_at(review, total)
