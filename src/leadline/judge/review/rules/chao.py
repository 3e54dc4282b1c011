"""Two learners read side by side; what only one of them found says how much both may have missed."""

from __future__ import annotations

import numpy as np

from leadline.judge.review.certificate import ROUNDING
from leadline.judge.review.rule import SEEDS, Review, Stop, rule

LOOKS = 100
LISTS = 2
LEAST_FOUND = 10  # relevant documents: with fewer, the first that both learners find would end the review


def chao_estimate(once: int, twice: int, lists: int = LISTS) -> float:
    """How many there are, if so many were captured once and so many twice by a number of lists: Chao's lower bound.

    Formula: n + (m − 1)/m · f₁² / (2 f₂), with m lists; where f₂ is 0, n + (m − 1)/m · f₁ (f₁ − 1) / 2. Of two lists
    that found equally many it is the estimate of Lincoln and Petersen.

    >>> chao_estimate(4, 6), 8 * 8 / 6
    (10.66..., 10.66...)
    """
    factor = (lists - 1) / lists
    missed = once**2 / (2 * twice) if twice else once * (once - 1) / 2
    return once + twice + factor * missed


@rule("chao", "rule of thumb")
def chao(review: Review) -> Stop:
    """Read in the orders of two learners side by side, and stop when Chao's estimate says that it is enough.

    Documents that both learners find early are counted twice, others once, and those that a review begins with not at
    all. The two learners see the same words and so miss the same documents: the estimate is too low. Where there is no
    second order, everything is read.

    Papers: Chao, Estimating the population size for capture-recapture data with unequal catchability, 1987; Bron, van
    der Heijden, Feelders and Siebes, Using Chao's estimator as a stopping criterion for technology-assisted review,
    2024, who use more learners, and also the upper limit of the estimate.
    """
    total = len(review)
    if review.second is None:
        return Stop(total, int(review.labels.sum()))
    second = review.second()
    place = np.empty(total, np.int64)
    place[second] = np.arange(total)
    ours = np.arange(total)
    counts = review.labels.copy()
    counts[:SEEDS] = False
    for depth in np.unique(np.linspace(1, total, LOOKS).round().astype(int)).tolist():
        by_first, by_second = ours < depth, place < depth
        either = by_first | by_second
        both, found = int((counts & by_first & by_second).sum()), int((counts & either).sum())
        if found >= LEAST_FOUND and found >= review.target * chao_estimate(found - both, both) - ROUNDING:
            return Stop(int(either.sum()), int((review.labels & either).sum()))
    return Stop(total, int(review.labels.sum()))
