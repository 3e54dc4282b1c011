"""The language model with Dirichlet smoothing, as Lucene has it."""

from __future__ import annotations

import numpy as np

from leadline.options import Positive
from leadline.retrieval.models.registry import Array, Postings, model


@model("dirichlet")
def dirichlet(postings: Postings, mu: Positive | None = None) -> Array:
    """How likely the document's language is to say the query, long documents trusted more than short ones.

    Formula: ln(1 + tf / (mu · p)) + ln(mu / (length + mu)), at least 0; p = (cf + 1) / (T + 1) is the term's share of
    all T words. Only the query's terms that a document has count, so the part of its length is cut off where it would
    take away more than the term gives. Without `mu` it is the mean length of the documents: Lucene's 2000 is far too
    large for titles and abstracts.

    Paper: Zhai and Lafferty, A Study of Smoothing Methods for Language Models, SIGIR 2001.

    A term that is 1 in 10 of all words, 3 times in a document of 10, mu = 10: ln(1 + 3 / 1) + ln(10 / 20) = ln 2.

    >>> dirichlet(Postings.of(tf=3, length=10, cf=9, documents=9, tokens=99), mu=10).round(6)
    array([0.693147])
    """
    p = postings
    mu = p.average_length if mu is None else mu
    share = (p.cf + 1) / (p.tokens + 1)
    return np.maximum(0.0, np.log1p(p.tf / (mu * share)) + np.log(mu / (p.length + mu)))
