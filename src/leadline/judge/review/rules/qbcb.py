"""A sample drawn beforehand, whose relevant documents must be met again."""

from __future__ import annotations

import numpy as np

from leadline.judge.review.stopping import Review, Stop, rule


def least_positives(target: float, alpha: float) -> int:
    """The fewest relevant documents in the sample with which anything can be said: all of them must be met again.

    >>> [least_positives(target, 0.05) for target in (0.8, 0.9, 0.95)]
    [14, 29, 59]
    """
    return int(np.ceil(np.log(alpha) / np.log(target)))


def needed(positives: int, target: float, alpha: float) -> int:
    """How many of the sample's relevant documents must be met: the smallest J with BinCDF(J − 1; r, τ) ≥ 1 − α."""
    from scipy.stats import binom

    numbers = np.arange(1, positives + 1)
    enough = binom.cdf(numbers - 1, positives, target) >= 1 - alpha
    return int(numbers[np.argmax(enough)]) if enough.any() else positives + 1


@rule("qbcb", "guarantee at one look")
def qbcb(review: Review) -> Stop:
    """Draw a random sample first, and stop when the learner's order has reached enough of its relevant documents.

    The sample goes on until it has the fewest relevant documents that allow a statement. What it costs is counted.

    Paper: Lewis, Yang and Frieder, Certifying one-phase technology-assisted reviews, 2021.
    """
    labels, total = review.labels, len(review)
    positives = least_positives(review.target, review.alpha)
    sample = review.random.permutation(total)
    hits = np.flatnonzero(labels[sample])
    size = int(hits[positives - 1]) + 1 if len(hits) >= positives else total
    sampled = np.zeros(total, np.bool_)
    sampled[sample[:size]] = True
    met = np.flatnonzero(labels & sampled)
    wanted = needed(len(met), review.target, review.alpha)
    until = int(met[wanted - 1]) + 1 if wanted <= len(met) else total
    read = sampled.copy()
    read[:until] = True
    return Stop(int(read.sum()), int(labels[read].sum()))
