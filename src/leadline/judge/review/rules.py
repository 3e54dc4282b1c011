"""The stopping rules, each a function: what ends a review, what that is worth, and the paper it comes from."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from leadline.judge.review.learners import Labels
from leadline.judge.review.stopping import (
    LARGEST_MEAN,
    ROUNDING,
    SEEDS,
    SHAPE,
    Review,
    Stop,
    first_run,
    lowest_so_far,
    missing_limits,
    most_missing,
    rule,
    stopped_at,
    switch_point,
)


@rule("budget", "rule of thumb")
def budget(review: Review) -> Stop:
    """Stop after half of the documents."""
    return stopped_at(review, (len(review) + 1) // 2)


@rule("in-a-row", "rule of thumb")
def in_a_row(review: Review) -> Stop:
    """Stop when as many documents in a row as 5 % of all, at least 50, are not relevant."""
    return stopped_at(review, first_run(review.labels, max(50, round(0.05 * len(review)))))


LEAST_READ = 100  # documents, before which nothing is estimated
STEEPER = 6.0  # the slope before the bend over the slope behind it; less where little was found


@rule("knee", "rule of thumb")
def knee(review: Review) -> Stop:
    """Stop when the curve of relevant documents found bends: it was six times steeper before than it is behind.

    Where fewer than 150 relevant documents were found before the bend, it must be up to 156 times steeper.

    Paper: Cormack and Grossman, Engineering quality and reliability in technology-assisted review, 2016.
    """
    found = np.concatenate(([0], np.cumsum(review.labels)))
    total = len(review)
    looks = np.unique(np.geomspace(min(LEAST_READ, total), total, 60).round().astype(int))
    for read in looks.tolist():
        line = found[read] * np.arange(read + 1) / read
        bend = int(np.argmax(found[: read + 1] - line))
        if not 0 < bend < read:
            continue
        before, behind = found[bend] / bend, (found[read] - found[bend] + 1) / (read - bend)
        if before / behind >= STEEPER + max(0, 150 - int(found[bend])):
            return stopped_at(review, read)
    return stopped_at(review, total)


# The certificate as a rule: stop as soon as it states the target.


@rule("ppr", "guarantee")
def ppr(review: Review) -> Stop:
    """Draw at random from what is unread after the switch, until the certificate states the target.

    The switch comes when drawing is the cheaper way to the target, as far as what was read can tell.

    Paper: Waudby-Smith and Ramdas, Confidence sequences for sampling without replacement, 2020.
    """
    switch = switch_point(review.labels, review.target)
    found = int(review.labels[:switch].sum())
    drawn_labels = review.random.permutation(review.labels[switch:])
    hits = np.concatenate(([0], np.cumsum(drawn_labels)))
    drawn = np.arange(len(hits))
    limits = missing_limits(found, len(drawn_labels), drawn, hits, target=review.target, alpha=review.alpha)
    missing = lowest_so_far(limits, hits)
    recall = (found + hits) / np.maximum(found + missing, 1)
    last = int(np.argmax((recall >= review.target - ROUNDING) | (drawn == len(drawn_labels))))
    return Stop(switch + last, found + int(hits[last]))


# A sample drawn beforehand, whose relevant documents must be met again.


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


# A certificate that trusts the order of the learner a little.


@rule("ranked", "guarantee if the order is no worse than chance")
def ranked(review: Review) -> Stop:
    """Go on in the learner's order after the switch, and test every number that may be missing as if it were chance.

    If the order is no worse than chance, the next document is relevant with at least the probability of a random one.
    The test bets that it is not: what it wins on a number K is a supermartingale if K is true, and K is rejected when
    it exceeds 1/α. Bets follow the prior of the certificate, and none is made on a relevant document.
    """
    labels, switch = review.labels, switch_point(review.labels, review.target)
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


# A hypergeometric test of the last documents, as if they had been drawn at random.

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


# Several lists read side by side; what only one of them found says how much all may have missed.

LISTS = 2
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


# Sampling that prefers the top of the order, and an estimate of how many relevant documents there are.

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
