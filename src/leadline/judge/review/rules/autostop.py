"""Sampling that prefers the top of the order, and an estimate of how many relevant documents there are."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from leadline.judge.review.stopping import ROUNDING, SEEDS, Review, Stop, rule

Floats = NDArray[np.float64]


def draw_shares(documents: int) -> Floats:
    """The probability of each rank to be drawn: 1 + 1/i + 1/(i + 1) + … + 1/N, scaled to sum to 1."""
    below = np.cumsum((1 / np.arange(1, documents + 1))[::-1])[::-1]
    return np.asarray((1 + below) / (1 + below).sum())


def estimated_relevant(shares: Floats, draws: int) -> tuple[float, float]:
    """Horvitz and Thompson's estimate of the number of relevant documents, and of its variance.

    `shares` are the probabilities of the relevant documents that came among so many draws with replacement.

    Formula: Σ 1/π, with π = 1 − (1 − p)ⁿ; the variance is Σ (1/π² − 1/π) + Σ over pairs (1/(π π') − 1/π''), with
    π'' = π + π' − (1 − (1 − p − p')ⁿ).
    """
    drawn = 1 - (1 - shares) ** draws
    both = drawn[:, None] + drawn[None, :] - (1 - np.maximum(1 - shares[:, None] - shares[None, :], 0) ** draws)
    pairs = 1 / np.outer(drawn, drawn) - 1 / np.maximum(both, np.finfo(float).tiny)
    np.fill_diagonal(pairs, 1 / drawn**2 - 1 / drawn)
    return float((1 / drawn).sum()), float(pairs.sum())


@rule("autostop", "rule of thumb")
def autostop(review: Review) -> Stop:
    """Draw documents with more weight on the top of the order, and stop when the estimate and its error say so.

    The target must be reached of the estimate plus its standard deviation. The order is the learner's last one instead
    of a new one for each batch, and what a review begins with is left out of the estimate.

    Paper: Li and Kanoulas, When to stop reviewing in technology-assisted reviews, 2020 (AutoStop, conservative).
    """
    known = review.labels[:SEEDS]
    labels = review.labels[SEEDS:]
    shares = draw_shares(len(labels))
    sampled = np.zeros(len(labels), np.bool_)
    draws, batch = 0, 1
    while not sampled.all() and draws < 1000 * len(labels):
        sampled[review.random.choice(len(labels), batch, p=shares)] = True
        draws += batch
        batch += -(-batch // 10)
        found = labels & sampled
        if found.any():
            estimate, variance = estimated_relevant(shares[found], draws)
            if found.sum() >= review.target * (estimate + math.sqrt(max(variance, 0.0))) - ROUNDING:
                break
    return Stop(len(known) + int(sampled.sum()), int(known.sum()) + int((labels & sampled).sum()))
