"""BM25, in its three common variants."""

from __future__ import annotations

from typing import Literal

import numpy as np

from leadline.options import NotNegative, Share
from leadline.retrieval.models.registry import Array, Postings, Saturation, model, once_a_term

BM25Variant = Literal["lucene", "robertson", "atire"]
IDF = {
    "lucene": lambda n, df: np.log1p((n - df + 0.5) / (df + 0.5)),
    "robertson": lambda n, df: np.maximum(0.0, np.log((n - df + 0.5) / (df + 0.5))),
    "atire": lambda n, df: np.log(n / df),
}
FACTOR = {"lucene": 0.0, "robertson": 0.0, "atire": 1.0}  # 1 where k1 + 1 multiplies, which does not change the order


def bm25_factor(documents: int, df: Array, k1: float, b: float, variant: BM25Variant) -> Array:
    """The idf of terms, times k1 + 1 in the variant that has it."""
    return IDF[variant](documents, df) * (1 + FACTOR[variant] * k1)


def bm25_norm(length: Array, average_length: float, k1: float, b: float, variant: BM25Variant) -> Array:
    """The number of occurrences that weighs half as much as any number of them, for documents of these lengths."""
    return k1 * (1 - b + b * length / average_length)


@model("bm25", saturation=Saturation(bm25_factor, bm25_norm))
def bm25(postings: Postings, k1: NotNegative = 1.2, b: Share = 0.75, variant: BM25Variant = "lucene") -> Array:
    """Rare words, often used in a short document; a word's tenth occurrence adds less than its first.

    Formula: idf · tf / (tf + k1 · (1 − b + b · length / average length)), idf = ln(1 + (N − df + ½) / (df + ½)).
    `variant=robertson` has the idf without 1 +, at least 0; `variant=atire` has idf = ln(N / df) and a factor k1 + 1.

    Paper: Robertson, Walker, Jones, Hancock-Beaulieu and Gatford, Okapi at TREC-3, 1994. The variants: Kamphuis,
    de Vries, Boytsov and Lin, Which BM25 do you mean?, ECIR 2020.

    A term twice in a document of average length, in 1 of 4 documents: ln(1 + 3.5 / 1.5) · 2 / 3.2 = 1.203973 · 0.625.

    >>> bm25(Postings.of(tf=2, length=10, df=1, documents=4, tokens=40)).round(6)
    array([0.752483])
    """
    p = postings
    factor = once_a_term(lambda df: bm25_factor(p.documents, df, k1, b, variant), p.df)
    return factor * p.tf / (p.tf + bm25_norm(p.length, p.average_length, k1, b, variant))
