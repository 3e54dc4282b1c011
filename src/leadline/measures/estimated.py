"""Measures estimated from few judgements, drawn with known probabilities: AP, nDCG, P, PRES and R, with their errors.

The judgements are of kind `drawn`: every document that some run found, its grade if it was drawn and judged, the
probability p with which it was drawn, and the probability m of its relevance that a model expected. A document that was
judged counts m + (y − m) / p, y its relevance, any other m (the regression estimator of survey sampling): on average
right whatever the model says, and the more exact the better the model is.

>>> from leadline.records.qrels import Qrels
>>> qrels = Qrels.from_columns(["7"] * 3, list("abc"), [1, 0, -1], probabilities=[1, 1, 0.5], expected=[0.8, 0.2, 0.5])
>>> from leadline.measures.evaluate import evaluate
>>> evaluate(qrels, {"x": {"7": {"a": 3, "c": 2, "b": 1}}}, "R P@2").values.tolist()
[[[1.0, 0.75]]]
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from leadline.measures.gains import discounts, gains_of
from leadline.measures.hits import Array, Hits, Integers

SHRUNK = 10  # judged relevant documents of all topics that a topic's share of a higher grade is mixed with
LEAST_LEFT = 0.3  # of the divisor, where a document is left out
LEAST, MOST = 0.5, 2.0  # the estimated number of relevant documents, as a multiple of what the model counts


class EstimatedValues(NamedTuple):
    """The estimate of each row, and the variance that it has because few documents were drawn."""

    values: Array
    variance: Array


# What judged documents count, by the level from which on a grade is relevant.


class Counted(NamedTuple):
    """The documents by one level of relevance."""

    expected: Array  # m
    counts: Array  # m, for judged documents m + (y − m) / p
    error: Array  # y − m of judged documents, else 0
    relevant: Array  # of each topic: the estimated number of relevant documents


def counted(hits: Hits, level: int) -> Counted:
    """What each document counts at a level of relevance. Computed once for each level."""
    known = hits.judged.remembered
    if ("counted", level) not in known:
        known["counted", level] = _counted(hits, level)
    found: Counted = known["counted", level]
    return found


def _counted(hits: Hits, level: int) -> Counted:
    qrels, judged = hits.qrels, hits.judged
    assert qrels is not None
    assert qrels.expected is not None
    assert qrels.probabilities is not None
    made = judged.grades >= 0
    relevant = judged.grades >= level
    expected = qrels.expected
    if level > 1:
        # The model knows relevance alone: of a topic's relevant documents, the share of this level, mixed with all's.
        any_level = judged.grades >= 1
        share = relevant.sum() / max(any_level.sum(), 1)
        of_topic = (judged.count(relevant) + SHRUNK * share) / (judged.count(any_level) + SHRUNK)
        expected = expected * of_topic[judged.topic]
    error = np.where(made, relevant - expected, 0.0)
    counts = expected + error / qrels.probabilities
    topics = len(judged.offsets) - 1
    total = np.bincount(judged.topic, weights=counts, minlength=topics)
    plain = np.bincount(judged.topic, weights=np.where(made, relevant, expected), minlength=topics)
    plain = np.maximum(plain, 1.0)
    if level > 1:
        return Counted(expected, counts, error, np.clip(total, 0.0, counted(hits, level - 1).relevant))
    return Counted(expected, counts, error, np.clip(total, LEAST * plain, MOST * plain))


# A measure as sums over the documents found: Σ count · (alone + paired · what is counted above it), over a divisor.


class Parts(NamedTuple):
    """What a measure makes of the documents found, and what it divides by."""

    read: Hits  # within the cutoff
    counts: Array  # of each document: its gain
    alone: Array  # of each hit
    paired: Array | None  # of each hit; None where documents do not count together
    divisor: Array  # of each topic
    weight: Array  # of each document: what its own error changes the divisor
    variances: tuple[Array, Array, Array]  # each adds of the gain's; of gain's and divisor's together; of the divisor's


class Binary(NamedTuple):
    """The hits within a cutoff, the documents by a level of relevance, and what Parts needs of their errors."""

    read: Hits
    known: Counted
    weight: Array
    variances: tuple[Array, Array, Array]


def _binary(hits: Hits, level: int, cutoff: int | None) -> Binary:
    read = hits if cutoff is None else hits.where(hits.rank <= cutoff)
    known = counted(hits, level)
    own = _adds(hits, known.error, known.error)
    return Binary(read, known, _weight(hits, known.error), (own, own, own))


def _adds(hits: Hits, one: Array, other: Array) -> Array:
    """What each judged document adds to a variance or covariance: (1 − p) / p² times the two errors."""
    chance = _chances(hits)
    return np.asarray((1 - chance) / chance**2 * one * other)


def _weight(hits: Hits, error: Array) -> Array:
    return np.asarray(error / _chances(hits))


def _chances(hits: Hits) -> Array:
    assert hits.qrels is not None
    assert hits.qrels.probabilities is not None
    return hits.qrels.probabilities


def estimated_average_precision(hits: Hits, effort: int | None = None, rel: int = 1) -> EstimatedValues:
    read, known, weight, errors = _binary(hits, rel, effort)
    each = 1 / read.rank
    return _estimate(Parts(read, known.counts, each, each, known.relevant, weight, errors), hits)


def estimated_recall(hits: Hits, effort: int | None = None, rel: int = 1) -> EstimatedValues:
    read, known, weight, errors = _binary(hits, rel, effort)
    return _estimate(Parts(read, known.counts, np.ones(len(read.rank)), None, known.relevant, weight, errors), hits)


def estimated_precision(hits: Hits, effort: int, rel: int = 1) -> EstimatedValues:
    read, known, _, (own, _, _) = _binary(hits, rel, effort)
    nothing = np.zeros(len(own))  # the divisor is known
    topics = len(hits.judged.offsets) - 1
    fixed = np.full(topics, float(effort))
    return _estimate(
        Parts(read, known.counts, np.ones(len(read.rank)), None, fixed, nothing, (own, nothing, nothing)), hits
    )


def estimated_pres(hits: Hits, effort: int = 1000, rel: int = 1) -> EstimatedValues:
    # PRES = Σ (N + 1 − r + relevant documents above) / (N n) over the relevant documents found.
    read, known, weight, errors = _binary(hits, rel, effort)
    alone, paired = (effort + 1 - read.rank) / effort, np.full(len(read.rank), 1 / effort)
    return _estimate(Parts(read, known.counts, alone, paired, known.relevant, weight, errors), hits)


def estimated_ndcg(
    hits: Hits,
    effort: int | None = None,
    gain: Any = "linear",
    discount: Any = "log2",
    base: float = 2.0,
    gains: dict[int, float] | None = None,
) -> EstimatedValues:
    read = hits if effort is None else hits.where(hits.rank <= effort)
    grades: Integers = np.arange(1, max(1, int(hits.judged.grades.max(initial=1))) + 1)
    steps = np.diff(gains_of(grades, gain, gains), prepend=0.0)  # what each level adds to the gain of those below it
    deepest = int(hits.judged.count(hits.judged.grades > -9).max(initial=1)) + 2
    worth = 1 / discounts(np.arange(1, deepest + 1), discount, base)
    if effort is not None:
        worth[effort:] = 0
    summed = np.concatenate([[0.0], np.cumsum(worth)])
    counts, ideal = np.zeros(len(hits.judged.grades)), np.zeros(len(hits.judged.offsets) - 1)
    gained, lost = np.zeros(len(counts)), np.zeros(len(counts))
    for level, step in zip(grades.tolist(), steps.tolist(), strict=True):
        known = counted(hits, level)
        counts += step * known.counts
        # The ideal of the estimated number of documents of this level and above, between whole numbers in proportion.
        places = np.arange(len(summed))
        ideal += step * np.interp(known.relevant, places, summed)
        at_end = worth[np.clip(np.ceil(known.relevant).astype(int) - 1, 0, len(worth) - 1)]
        gained += step * known.error
        lost += step * known.error * at_end[hits.judged.topic]
    errors = _adds(hits, gained, gained), _adds(hits, gained, lost), _adds(hits, lost, lost)
    alone = 1 / discounts(read.rank, discount, base)
    return _estimate(Parts(read, counts, alone, None, ideal, _weight(hits, lost), errors), hits)


def _estimate(parts: Parts, hits: Hits) -> EstimatedValues:
    """The estimate, with Beale's correction for the ratio, and its variance."""
    read = parts.read
    gained, both, lost = parts.variances
    divisor = parts.divisor[hits.topic]
    count = parts.counts[read.document]
    change = parts.alone.astype(float)
    if parts.paired is not None:
        change = change + parts.paired * (_down_to(read, count) - count)
    value = _over(read.total(count * change), divisor)
    if parts.paired is not None:  # what a document adds to those below it
        adds = parts.paired * count
        change = change + read.total(adds)[read.row] - _down_to(read, adds)

    # u, the derivative by a document's relevance: (change · gain's error − value · divisor's error) / divisor.
    lost_in_all = _of_topics(hits, lost)
    at = read.document
    together = read.total(change * both[at])
    bias = _over(together - value * lost_in_all, divisor**2)
    corrected = value + bias / (1.0 + _over(lost_in_all, divisor**2))

    # V = Σ k u² e² as if each document were left out, of the divisor too: without that the intervals of recall, where
    # one document of a small probability can be a third of all relevant ones, covered .85 instead of .95.
    left = np.maximum(1 - _over(parts.weight, parts.divisor[hits.judged.topic]), LEAST_LEFT)
    gained, both, lost = (each / left**2 for each in (gained, both, lost))
    lost_in_all = _of_topics(hits, lost)
    squares = read.total(change**2 * gained[at]) - 2 * value * read.total(change * both[at])
    squares = squares + value**2 * lost_in_all
    return EstimatedValues(corrected, np.maximum(_over(squares, divisor**2), 0.0))


def _of_topics(hits: Hits, of_documents: Array) -> Array:
    """For each row the sum over the documents of its topic."""
    topics = len(hits.judged.offsets) - 1
    found = np.bincount(hits.judged.topic, weights=of_documents, minlength=topics)
    return np.asarray(found[hits.topic], np.float64)


def _over(above: Array, below: Array) -> Array:
    return np.divide(above, below, out=np.zeros(len(above)), where=below > 0)


def _down_to(hits: Hits, values: Array) -> Array:
    """The sum of the values of each row down to each hit."""
    total = np.cumsum(values)
    before = np.concatenate([[0.0], total])[hits.offsets[:-1]]
    return np.asarray(total - before[hits.row])
