"""BM25F: BM25 for documents with fields."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Literal

import numpy as np

from leadline.options import NotNegative, Share
from leadline.retrieval.models.catalogue.bm25 import IDF
from leadline.retrieval.models.registry import Array, Postings, model, once_a_term


@model("bm25f", by_field=True)
def bm25f(
    postings: Postings,
    k1: NotNegative = 1.2,
    b: Share | Mapping[str, Share] = 0.75,
    length: Literal["field", "text"] = "field",
    df: Literal["any", "largest"] = "any",
) -> Array:
    """BM25 of a document with fields: words are counted with the weight of their field before they saturate.

    Formula: idf · t / (t + k1), t = Σ over fields of weight · tf / (1 − b + b · length / average length), all three the
    field's own; idf = ln(1 + (N − df + ½) / (df + ½)), df the documents that have the term in any field. `b` is one
    number, or one for each field. `length=text` takes the weighted length of all fields together, which is Robertson,
    Zaragoza and Taylor's first form (CIKM 2004); with `df=largest`, the largest df of any field, it is Lucene's.

    Paper: Zaragoza, Craswell, Taylor, Saria and Robertson, Microsoft Cambridge at TREC 13, 2004.

    A term once in the title (weight 2) and once in the body, both of average length, in 1 of 4 documents: t = 3,
    1.203973 · 3 / 4.2.

    >>> from leadline.retrieval.models.registry import InField
    >>> once = np.ones(1)
    >>> fields = {"title": InField(2.0, once, 5 * once, once, 5.0), "body": InField(1.0, once, 50 * once, once, 50.0)}
    >>> bm25f(Postings(3 * once, 60 * once, once, 3 * once, 4, 240.0, fields)).round(6)
    array([0.859981])
    """
    total = np.zeros(len(postings.tf))
    for name, field in postings.fields.items():
        field_b = b.get(name, 0.75) if isinstance(b, Mapping) else b
        text = field if length == "field" else postings
        total += field.weight * field.tf / (1 - field_b + field_b * text.length / text.average_length)
    frequency = postings.df if df == "any" else reduce(np.maximum, (field.df for field in postings.fields.values()))
    idf = once_a_term(lambda df: IDF["lucene"](postings.documents, df), frequency)
    return idf * total / (total + k1)
