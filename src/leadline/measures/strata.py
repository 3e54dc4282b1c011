"""Judgements sampled by stratum: each pooled document's stratum, and how many documents a judged one represents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.hits import Array, Hits, Integers, ratio

# NIST's sample_eval adds these to the counts, since near the top of a list few or no documents are judged.
# (trec_eval's infAP adds 2e-5 instead of 3e-5.)
RELEVANT_ADDED, JUDGED_ADDED = 1e-5, 3e-5


@dataclass(frozen=True)
class Strata:
    """The strata of a pool; the arrays have an entry for each pooled document, judged or not."""

    stratum: Integers  # from 0 in each topic
    count: int  # the largest number of strata of a topic
    weight: Array  # documents of the stratum divided by its judged ones; 0 if none is judged


def strata_of(hits: Hits) -> Strata:
    """Return the strata of the judgements; none is an error."""
    if hits.qrels is None or hits.qrels.strata is None:
        raise MeasureError(
            "this measure needs judgements by stratum (topic 0 document stratum grade), and these have none"
        )
    # Number the distinct (topic, label) pairs, and count the documents and the judged documents of each.
    topic, label = hits.judged.topic, hits.qrels.strata.astype(np.int64)
    spread = np.ptp(label) + 1 if len(label) else 1
    groups, group = np.unique(topic * spread + label - label.min(initial=0), return_inverse=True)
    first_of_topic = np.searchsorted(groups, np.arange(len(hits.judged.offsets) - 1) * spread)
    size = np.bincount(group, minlength=len(groups))
    judged = np.bincount(group[hits.judged.grades >= 0], minlength=len(groups))
    stratum = group - first_of_topic[topic]
    return Strata(stratum, int(stratum.max(initial=-1)) + 1, ratio(size, judged)[group])


def estimated_relevant(hits: Hits, strata: Strata, rel: int = 1) -> Array:
    """Return for each row the estimated number of relevant documents in the pool: the sum of weights."""
    represented = np.where(hits.judged.grades >= rel, strata.weight, 0.0)
    estimate = np.bincount(hits.judged.topic, weights=represented, minlength=len(hits.judged.offsets) - 1)
    return np.asarray(estimate, np.float64)[hits.topic]


def estimated_found(hits: Hits, strata: Strata, rel: int = 1) -> Array:
    """Return for each row the estimated number of relevant documents in the list.

    Per stratum: pooled documents in the list times the share of relevant ones among the judged ones in the list.
    """
    total = np.zeros(hits.rows)
    for stratum in range(strata.count):
        inside = strata.stratum[hits.document] == stratum
        pooled, judged = hits.count(inside), hits.count(inside & (hits.grade >= 0))
        relevant = hits.count(inside & hits.relevant(rel))
        total += pooled * (relevant + RELEVANT_ADDED) / (judged + JUDGED_ADDED)
    return total


def estimated_above(hits: Hits, strata: Strata, rel: int = 1) -> Array:
    """Return for each hit the estimated number of relevant documents above it, computed as in `estimated_found`."""
    total = np.zeros(len(hits.rank))
    for stratum in range(strata.count):
        inside = strata.stratum[hits.document] == stratum
        pooled, judged, relevant = (
            hits.running(mask) - mask for mask in (inside, inside & (hits.grade >= 0), inside & hits.relevant(rel))
        )
        total += pooled * (relevant + RELEVANT_ADDED) / (judged + JUDGED_ADDED)
    return total
