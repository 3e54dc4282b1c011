"""TF-IDF."""

from __future__ import annotations

import numpy as np

from leadline.retrieval.models.registry import Array, Postings, model


@model("tfidf")
def tf_idf(postings: Postings) -> Array:
    """Rare words, often used, in a short document: the plain idea, in the form Lucene made common.

    Formula: √tf · (1 + ln((N + 1) / (df + 1))) / √length.

    Paper: Salton, Wong and Yang, A vector space model for automatic indexing, CACM 1975; Spärck Jones 1972 for the idf.

    A term 4 times in a document of 16, in 1 of 3 documents: 2 · (1 + ln 2) / 4 = 0.846574.

    >>> tf_idf(Postings.of(tf=4, length=16, df=1, documents=3, tokens=48)).round(6)
    array([0.846574])
    """
    p = postings
    return np.sqrt(p.tf) * (1 + np.log((p.documents + 1) / (p.df + 1))) / np.sqrt(p.length)
