"""The language model with Jelinek-Mercer smoothing, as Lucene has it."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from leadline.options import Bounds
from leadline.retrieval.models.registry import Array, Postings, model


@model("jelinek-mercer")
def jelinek_mercer(postings: Postings, background: Annotated[float, Bounds(0, 1, above=True)] = 0.7) -> Array:
    """How likely the document's language, mixed with that of the whole collection, is to say the query.

    Formula: ln(1 + (1 − λ) · (tf / length) / (λ · p)), λ the share of the background: 0.1 suits queries of a few words,
    0.7 long ones; p = (cf + 1) / (T + 1) is the term's share of all T words.

    Paper: Zhai and Lafferty, A Study of Smoothing Methods for Language Models, SIGIR 2001.

    A term that is 1 in 10 of all words, 3 times in a document of 10, λ = ½: ln(1 + 0.3 / 0.1) = ln 4.

    >>> jelinek_mercer(Postings.of(tf=3, length=10, cf=9, documents=9, tokens=99), background=0.5).round(6)
    array([1.386294])
    """
    p = postings
    share = (p.cf + 1) / (p.tokens + 1)
    return np.log1p((1 - background) * (p.tf / p.length) / (background * share))
