"""trec_eval's four experimental gain measures: averages of nDCG, and gain discounted by what should have come first."""

from __future__ import annotations

import numpy as np

from leadline.measures.catalogue.dcg import ndcg
from leadline.measures.definition import measure
from leadline.measures.gains import Ideal, discounts, gains_of, running_sums
from leadline.measures.hits import Array, Hits, Integers, ratio


@measure("ndcg_rel")
def ndcg_at_relevant(hits: Hits, gains: dict[int, float] | None = None) -> Array:
    """nDCG at the rank of each document with a gain, averaged over all of them.

    Formula: (1/n) sum of nDCG@r_i over the n documents with a gain; those not retrieved count nDCG of the whole list.

    Paper: Buckley, trec_eval, 2008 (`ndcg_rel`).

    Range: 0 to 1.

    Unjudged: no gain.

    Short list: as if followed by documents without gain.

    >>> ndcg_at_relevant(Hits.of(ranks=[1, 3], grades=[2, 4])).round(4)
    array([0.6301])
    """
    ideal = Ideal.of(hits, table=gains)
    best = ideal.gain / discounts(ideal.place)
    gain = gains_of(hits.grade, table=gains)
    worth = gain / discounts(hits.rank)
    # nDCG at the rank of each hit, and of the whole list.
    here = ratio(running_sums(worth, hits.offsets), ideal.upto(best, hits.topic[hits.row], hits.rank))
    n = ideal.length[hits.topic]
    whole = ratio(hits.total(worth), ideal.upto(best, hits.topic, n))
    lacking = n - hits.count(gain > 0)
    return ratio(hits.total(np.where(gain > 0, here, 0.0)) + lacking * whole, n)


@measure("Rndcg")
def ndcg_at_levels(hits: Hits, gains: dict[int, float] | None = None, rel: int = 1) -> Array:
    """nDCG averaged over the ranks at which the ideal list passes to a lower gain.

    Formula: mean of nDCG@c_1, ..., nDCG@c_L, where c_k is the number of documents with one of the k highest gains above
    0, and of nDCG of the whole list if it has more than c_L + 1 documents.

    Paper: Buckley, trec_eval, 2008 (`Rndcg`).

    Range: 0 to 1.

    Unjudged: no gain.

    Short list: as if followed by documents without gain.

    >>> ndcg_at_levels(Hits.of(ranks=[1, 3], grades=[2, 4])).round(2)
    array([0.44])
    """
    ideal = Ideal.of(hits, table=gains)
    best = ideal.gain / discounts(ideal.place)
    worth = gains_of(hits.grade, table=gains) / discounts(hits.rank)
    total = np.zeros(hits.rows)
    points = np.zeros(hits.rows, np.int64)
    # nDCG at the end of each level of gain, summed over the levels that a topic has.
    for ends in _level_ends(ideal):
        effort = ends[hits.topic]
        reached = hits.total(np.where(hits.rank <= effort[hits.row], worth, 0.0))
        total += ratio(reached, ideal.upto(best, hits.topic, effort))
        points += effort > 0
    goes_on = hits.retrieved > ideal.length[hits.topic] + 1
    total += np.where(goes_on, ndcg(hits, gains=gains), 0.0)
    return np.where(hits.n_relevant(rel) > 0, ratio(total, points + goes_on), 0.0)


def _level_ends(ideal: Ideal) -> list[Integers]:
    """For each level of gain, highest first, the place of its last document in each topic; 0 if there is none."""
    last = np.r_[(ideal.gain[1:] != ideal.gain[:-1]) | (ideal.topic[1:] != ideal.topic[:-1]), True][: len(ideal.gain)]
    topic, place = ideal.topic[last], ideal.place[last]
    level = np.arange(len(topic)) - np.searchsorted(topic, topic)
    ends = np.zeros((int(level.max(initial=-1)) + 1, len(ideal.length)), np.int64)
    ends[level, topic] = place
    return list(ends)


@measure("G")
def normalised_gain(hits: Hits, gains: dict[int, float] | None = None) -> Array:
    """Gain discounted by how far the list is behind the ideal list, not by the rank.

    Formula: sum of gain / log2(2 + C - A) over the list, divided by the sum of all gains; A is the gain up to and
    including the document, C that of the ideal list, where each document counts at least 1.

    Paper: Buckley, trec_eval, 2008 (`G`).

    Range: 0 to 1.

    Unjudged: no gain.

    Short list: as if followed by documents without gain.

    >>> normalised_gain(Hits.of(ranks=[1, 3], grades=[2, 4])).round(4)
    array([0.5873])
    """
    ideal = Ideal.of(hits, table=gains)
    gain = gains_of(hits.grade, table=gains)
    topic = hits.topic[hits.row]
    # The gain of the ideal list down to the rank of each hit, minus that of the list itself.
    beyond = np.maximum(hits.rank - ideal.length[topic], 0)
    possible = ideal.upto(np.maximum(ideal.gain, 1.0), topic, hits.rank) + beyond
    behind = possible - running_sums(gain, hits.offsets)
    best = np.bincount(ideal.topic, weights=ideal.gain, minlength=len(ideal.length))
    return ratio(hits.total(gain / np.log2(2 + behind)), best[hits.topic])


@measure("binG")
def binary_gain(hits: Hits, rel: int = 1) -> Array:
    """Relevant documents, each discounted by the irrelevant documents above it.

    Formula: (1/n) sum of 1 / log2(2 + r_i - i) over the relevant documents found.

    Paper: Buckley, trec_eval, 2008 (`binG`).

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> binary_gain(Hits.of(ranks=[1, 4], relevant=2))
    array([0.75])
    """
    relevant = hits.relevant(rel)
    wrong_above = hits.rank - hits.running(relevant)
    return ratio(hits.total(relevant / np.log2(2.0 + wrong_above)), hits.n_relevant(rel))
