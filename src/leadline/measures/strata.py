"""Judgements of a sample: the stratum of each document of the pool, and how many documents a judged one stands for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.hits import Array, Hits, Integers, ratio

# NIST's sample_eval adds these to counts near the top of a list, where few or no documents are judged.
# (trec_eval's infAP adds 2e-5 instead of 3e-5.)
RELEVANT_ADDED, JUDGED_ADDED = 1e-5, 3e-5


@dataclass(frozen=True)
class Strata:
    """The strata of a pool; arrays with a place for each document of the pool, judged or not."""

    stratum: Integers  # from 0 in each topic
    strata: int  # the most that a topic has
    weight: Array  # documents of the stratum for each judged one; 0 where none is judged


def strata_of(hits: Hits) -> Strata:
    """The strata of the judgements, or an error that says they have none."""
    if hits.qrels is None or hits.qrels.strata is None:
        raise MeasureError(
            "this measure needs judgements by stratum (topic 0 document stratum grade), and these have none"
        )
    topic, label = hits.judged.topic, hits.qrels.strata.astype(np.int64)
    spread = np.ptp(label) + 1 if len(label) else 1
    groups, group = np.unique(topic * spread + label - label.min(initial=0), return_inverse=True)
    first_of_topic = np.searchsorted(groups, np.arange(len(hits.judged.offsets) - 1) * spread)
    size = np.bincount(group, minlength=len(groups))
    judged = np.bincount(group[hits.judged.grades >= 0], minlength=len(groups))
    stratum = group - first_of_topic[topic]
    return Strata(stratum, int(stratum.max(initial=-1)) + 1, ratio(size, judged)[group])


def estimated_relevant(hits: Hits, sample: Strata, rel: int = 1) -> Array:
    """For each row, how many documents of the whole pool are relevant, judged or not."""
    stands_for = np.where(hits.judged.grades >= rel, sample.weight, 0.0)
    estimate = np.bincount(hits.judged.topic, weights=stands_for, minlength=len(hits.judged.offsets) - 1)
    return np.asarray(estimate, np.float64)[hits.topic]


def estimated_found(hits: Hits, sample: Strata, rel: int = 1) -> Array:
    """For each row, how many of the documents it holds are relevant, judged or not."""
    total = np.zeros(hits.rows)
    for stratum in range(sample.strata):
        inside = sample.stratum[hits.document] == stratum
        pooled, judged = hits.count(inside), hits.count(inside & (hits.grade >= 0))
        relevant = hits.count(inside & hits.relevant(rel))
        total += pooled * (relevant + RELEVANT_ADDED) / (judged + JUDGED_ADDED)
    return total


def estimated_above(hits: Hits, sample: Strata, rel: int = 1) -> Array:
    """For each hit, how many of the documents above it are relevant, judged or not."""
    total = np.zeros(len(hits.rank))
    for stratum in range(sample.strata):
        inside = sample.stratum[hits.document] == stratum
        pooled, judged, relevant = (
            hits.running(mask) - mask for mask in (inside, inside & (hits.grade >= 0), inside & hits.relevant(rel))
        )
        total += pooled * (relevant + RELEVANT_ADDED) / (judged + JUDGED_ADDED)
    return total
