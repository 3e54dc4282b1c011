"""statAP: average precision estimated from documents sampled with known probabilities."""

from __future__ import annotations

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.definition import measure
from leadline.measures.gains import running_sums
from leadline.measures.hits import Array, Hits, ratio


@measure("statAP", needs="prels", aliases=("statMAP",))
def stat_ap(hits: Hits, rel: int = 1) -> Array:
    """Average precision, estimated from documents that were sampled for judging with known probabilities.

    Formula: statAP = (1/R) Σ (1/p) · (1 + Σ above 1/p) / r over the relevant documents of the sample that were found;
    p is the probability with which a document was sampled, R = Σ 1/p over all relevant documents of the sample.

    Paper: Pavlu and Aslam, A practical sampling strategy for efficient retrieval evaluation, Northeastern University
    2007; as the script of the Million Query track computes it.

    Range: 0 and up; an estimate, which can exceed 1.

    Unjudged: represented by the sample.

    Short list: as if followed by documents that are not relevant.

    >>> from dataclasses import replace
    >>> from leadline.records.qrels import Qrels
    >>> qrels = replace(Qrels.of({"7": {"a": 1, "b": 0, "c": 1}}), probabilities=np.array([0.5, 0.5, 1.0]))
    >>> hits = replace(Hits.of(ranks=[1, 2, 4], grades=[1, 0, 1]), qrels=qrels)

    R = 2 + 1. At a the precision is 1/1 and counts twice; at c, at rank 4, it is (1 + 2)/4: (2 + 0.75) / 3.

    >>> stat_ap(hits).round(3)
    array([0.917])
    """
    if hits.qrels is None or hits.qrels.probabilities is None:
        raise MeasureError(
            "this measure needs the probability of each judgement (topic document grade method probability), "
            "and these have none"
        )
    # Each relevant judged document represents 1/p documents; R is their sum over the topic.
    represents = np.where(hits.judged.grades >= rel, 1 / hits.qrels.probabilities, 0.0)
    estimate = np.bincount(hits.judged.topic, weights=represents, minlength=len(hits.judged.offsets) - 1)[hits.topic]
    found = hits.where(hits.relevant(rel))
    # The estimated precision at each relevant document found: those represented above it, and itself, over its rank.
    each = represents[found.document]
    above = running_sums(each, found.offsets) - each
    return ratio(found.total(each * (1 + above) / found.rank), estimate)
