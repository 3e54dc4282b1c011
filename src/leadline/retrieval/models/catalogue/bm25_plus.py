"""BM25+: BM25 with a lower bound for every word present."""

from __future__ import annotations

import numpy as np

from leadline.options import NotNegative, Share
from leadline.retrieval.models.registry import Array, Postings, model, once_a_term


@model("bm25+")
def bm25_plus(postings: Postings, k1: NotNegative = 1.2, b: Share = 0.75, delta: NotNegative = 1.0) -> Array:
    """BM25 that never lets a long document's word count almost nothing: each word present is worth `delta` more.

    Formula: ln((N + 1) / df) · (delta + tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / average length))).

    Paper: Lv and Zhai, Lower-Bounding Term Frequency Normalization, CIKM 2011.

    A term twice in a document of average length, in 1 of 4 documents: ln 5 · (1 + 2 · 2.2 / 3.2) = 1.609438 · 2.375.

    >>> bm25_plus(Postings.of(tf=2, length=10, df=1, documents=4, tokens=40)).round(6)
    array([3.822415])
    """
    p = postings
    saturation = k1 * (1 - b + b * p.length / p.average_length)
    idf = once_a_term(lambda df: np.log((p.documents + 1) / df), p.df)
    return idf * (delta + p.tf * (k1 + 1) / (p.tf + saturation))
