"""Several lists read side by side; what only one of them found says how much all may have missed."""

from __future__ import annotations

import math

import numpy as np

from leadline.judge.review.stopping import ROUNDING, SEEDS, Review, Stop, rule

LOOKS = 100
LISTS = 2
LEAST_READ = 100  # documents, before which nothing is estimated
LEAST_FOUND = 10  # relevant documents: with fewer, the first that several lists find would end the review


def missed(once: int, twice: int, lists: int = LISTS) -> float:
    """How many were missed, if so many were captured once and so many twice by a number of lists: Chao's lower bound.

    Formula: (m − 1)/m · f₁² / (2 f₂), with m lists; where f₂ is 0, (m − 1)/m · f₁ (f₁ − 1) / 2. With the number found,
    it is the estimate of Lincoln and Petersen if there are two lists that found equally many.

    >>> 4 + 6 + missed(4, 6), 8 * 8 / 6
    (10.66..., 10.66...)
    """
    factor = (lists - 1) / lists
    return factor * (once**2 / (2 * twice) if twice else once * (once - 1) / 2)


def most_missed(once: int, twice: int, found: int, lists: int, alpha: float = 0.05) -> float:
    """The upper limit of how many were missed, from the two-sided interval of Chao's estimate.

    Formula: the logarithm of the number missed, T, is taken as normal: T · exp(z √ln(1 + v/T²)). With k = (m − 1)/m
    and q = f₁/f₂, v = f₂ (k q²/2 + k² q³ + k² q⁴/4); where f₂ is 0, v = T + k² f₁ (2 f₁ − 1)²/4 − k² f₁⁴/(4 (n + T)).

    >>> round(most_missed(4, 6, 10, 2), 2)
    6.23
    """
    from scipy.stats import norm

    estimate, k = missed(once, twice, lists), (lists - 1) / lists
    if estimate <= 0:
        return 0.0
    if twice:
        q = once / twice
        variance = twice * (k * q**2 / 2 + k**2 * q**3 + k**2 * q**4 / 4)
    else:
        variance = estimate + k**2 * once * (2 * once - 1) ** 2 / 4 - k**2 * once**4 / (4 * (found + estimate))
    deviation = math.sqrt(math.log(1 + max(variance, 0.0) / estimate**2))
    return estimate * math.exp(float(norm.ppf(1 - alpha / 2)) * deviation)


@rule("chao", "rule of thumb")
def chao(review: Review) -> Stop:
    """Read several lists side by side, and stop when the upper limit of Chao's estimate says that it is enough.

    The lists are the orders of several learners and one at random. Relevant documents are counted by how many lists
    had them read; those that a review begins with are not. Learners miss the same documents, so the estimate is too
    low, and the limit is looked at again and again. Where there are no other orders, everything is read.

    Papers: Chao, Estimating the population size for capture-recapture data with unequal catchability, 1987; Bron, van
    der Heijden, Feelders and Siebes, Using Chao's estimator as a stopping criterion for technology-assisted review,
    2024 (conservative), whose learners are other ones.
    """
    total = len(review)
    if review.others is None:
        return Stop(total, int(review.labels.sum()))
    places = [np.arange(total)]
    for order in (*review.others(), review.random.permutation(total)):
        place = np.empty(total, np.int64)
        place[order] = np.arange(total)
        places.append(place)
    counts = review.labels.copy()
    counts[:SEEDS] = False
    for depth in np.unique(np.linspace(1, total, LOOKS).round().astype(int)).tolist():
        captures = np.sum([place < depth for place in places], axis=0)
        read, found = int((captures > 0).sum()), int((counts & (captures > 0)).sum())
        if read < min(LEAST_READ, total) or found < LEAST_FOUND:
            continue
        once, twice = (int((counts & (captures == times)).sum()) for times in (1, 2))
        most = found + most_missed(once, twice, found, len(places), review.alpha)
        if found >= review.target * most - ROUNDING:
            return Stop(read, int((review.labels & (captures > 0)).sum()))
    return Stop(total, int(review.labels.sum()))
