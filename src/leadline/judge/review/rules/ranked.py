"""A certificate that trusts the order of the learner a little."""

from __future__ import annotations

import math

import numpy as np

from leadline.judge.review.stopping import LARGEST_MEAN, ROUNDING, SHAPE, Review, Stop, most_missing, rule, switch_point


@rule("ranked", "guarantee if the order is no worse than chance")
def ranked(review: Review) -> Stop:
    """Go on in the learner's order after the switch, and test every number that may be missing as if it were chance.

    If the order is no worse than chance, the next document is relevant with at least the probability of a random one.
    The test bets that it is not: what it wins on a number K is a supermartingale if K is true, and K is rejected when
    it exceeds 1/α. Bets follow the prior of the certificate, and none is made on a relevant document.
    """
    labels, switch = review.labels, switch_point(review.labels)
    found, unread = int(labels[:switch].sum()), len(labels) - switch
    if not unread:
        return Stop(switch, found)
    mean = min(max(0.5, most_missing(found, review.target) / 2) / unread, LARGEST_MEAN)
    a, b = SHAPE, SHAPE * (1 - mean) / mean
    numbers = np.arange(unread + 1)
    won = np.zeros(unread + 1)  # in logarithms
    limit, hits, last = unread, 0, int(labels[switch:].sum())
    for drawn, relevant in enumerate(labels[switch:].tolist()):
        chance = np.clip((numbers - hits) / (unread - drawn), 0.0, 1.0)
        bet = np.minimum((a + hits) / (a + b + drawn), chance)
        with np.errstate(divide="ignore", invalid="ignore"):
            won += np.log(bet / chance) if relevant else np.log((1 - bet) / (1 - chance))
        won[np.isnan(won)] = math.inf  # this number cannot be
        hits += relevant
        possible = np.flatnonzero(won[: limit + 1] < -math.log(review.alpha))
        limit = max(int(possible[-1]) if len(possible) else hits, hits)
        numbers, won = numbers[: max(limit, last) + 1], won[: max(limit, last) + 1]  # larger ones are never looked at
        if (found + hits) / max(found + limit, 1) >= review.target - ROUNDING:
            return Stop(switch + drawn + 1, found + hits)
    return Stop(len(labels), found + hits)
