"""Query likelihood with two-stage smoothing."""

from __future__ import annotations

import numpy as np

from leadline.options import Positive, Share
from leadline.retrieval.models.registry import Array, Postings, model


def _lacking(length: Array, mu: float, background: float) -> Array:
    return np.log((1 - background) * mu / (length + mu) + background)


@model("two-stage", lacking=_lacking)
def two_stage(postings: Postings, mu: Positive = 2500.0, background: Share = 0.4) -> Array:
    """The likelihood of the whole query, documents smoothed by their length, then the query by its common words.

    Formula: Σ over the query of ln((1 − λ) · (tf + mu · p) / (length + mu) + λ · p) − ln p, λ the share of the
    background, p = cf / T the term's share of all T words. A term that the document lacks adds
    ln((1 − λ) · mu / (length + mu) + λ), and the weight of a term that it has is what it adds above that. With λ = 0
    it is `indri-dirichlet`.

    Paper: Zhai and Lafferty, Two-Stage Language Models for Information Retrieval, SIGIR 2002.

    A term that is 1 in 10 of all words, 3 times in a document of 10, mu = 10, λ = ½: a document with it has
    ½ · 4 / 20 + 0.05 = 0.15, one without it ½ · 1 / 20 + 0.05 = 0.075, so its weight is ln 2.

    >>> postings = Postings.of(tf=3, length=10, cf=10, documents=9, tokens=100)
    >>> two_stage(postings, mu=10, background=0.5).round(6)
    array([0.693147])
    >>> _lacking(np.array([10.0]), mu=10, background=0.5).round(6)  # ln(0.075 / 0.1)
    array([-0.287682])
    """
    p = postings
    share = p.cf / p.tokens
    own, lacking = (1 - background) / (p.length + mu), background * share
    return np.log((own * (p.tf + mu * share) + lacking) / (own * mu * share + lacking))
