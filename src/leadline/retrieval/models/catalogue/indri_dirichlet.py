"""Query likelihood with Dirichlet smoothing, as Indri has it."""

from __future__ import annotations

import numpy as np

from leadline.options import Positive
from leadline.retrieval.models.registry import Array, Postings, model


def _lacking(length: Array, mu: float) -> Array:
    return np.log(mu / (length + mu))


@model("indri-dirichlet", lacking=_lacking)
def indri_dirichlet(postings: Postings, mu: Positive = 2500.0) -> Array:
    """The likelihood of the whole query in the document's language, smoothed more in short documents.

    Formula: Σ over the query of ln((tf + mu · p) / (length + mu)) − ln p = Σ over the terms that the document has of
    ln(1 + tf / (mu · p)), plus ln(mu / (length + mu)) for every term of the query; p = cf / T is the term's share of
    all T words. −ln p, the same for all documents, is left out. `dirichlet` is Lucene's form, in which the terms that a
    document lacks do not count, and no term counts below 0.

    Paper: Zhai and Lafferty, A Study of Smoothing Methods for Language Models, SIGIR 2001.

    A term that is 1 in 10 of all words, 3 times in a document, mu = 10: ln(1 + 3 / 1) = ln 4.

    >>> indri_dirichlet(Postings.of(tf=3, length=10, cf=10, documents=9, tokens=100), mu=10).round(6)
    array([1.386294])

    In a document of 10 words each term of the query then adds ln(10 / 20) = −ln 2.

    >>> _lacking(np.array([10.0]), mu=10).round(6)
    array([-0.693147])
    """
    p = postings
    return np.log1p(p.tf / (mu * p.cf / p.tokens))
