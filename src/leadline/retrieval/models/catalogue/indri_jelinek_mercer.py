"""Query likelihood with Jelinek-Mercer smoothing, as Indri has it."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from leadline.options import Bounds
from leadline.retrieval.models.registry import Array, Postings, model


@model("indri-jelinek-mercer")
def indri_jelinek_mercer(postings: Postings, background: Annotated[float, Bounds(0, 1, above=True)] = 0.4) -> Array:
    """The likelihood of the whole query in the document's language, mixed with that of the collection.

    Formula: Σ over the query of ln((1 − λ) · tf / length + λ · p) − ln(λ · p), which is 0 for terms that the document
    lacks; λ is the share of the background, p = cf / T the term's share of all T words. What is left out is the same
    for all documents. `jelinek-mercer` is Lucene's form, with p = (cf + 1) / (T + 1).

    Paper: Zhai and Lafferty, A Study of Smoothing Methods for Language Models, SIGIR 2001.

    A term that is 1 in 10 of all words, 3 times in a document of 10, λ = ½: ln(1 + 0.3 / 0.1) = ln 4.

    >>> indri_jelinek_mercer(Postings.of(tf=3, length=10, cf=10, documents=9, tokens=100), background=0.5).round(6)
    array([1.386294])
    """
    p = postings
    return np.log1p((1 - background) * (p.tf / p.length) / (background * p.cf / p.tokens))
