"""An estimate of the passages of each relevant document that bear on each claim, where nobody has judged them.

These are not judgements: see `retrieval/answers/passages.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.documents.document import Document
from leadline.retrieval.answers.passages import BEARING, HeldTerms, Passages, bears, claim_terms, rarity
from leadline.retrieval.index.analysis import Analysis

if TYPE_CHECKING:
    import polars as pl


def estimated_passages(
    claims: pl.DataFrame, pairs: pl.DataFrame, documents: Iterable[Document], share: float = BEARING
) -> pl.DataFrame:
    """The number of passages of each relevant document that bear on each claim of its topic, where it is not 0.

    `claims` has the columns topic, claim and text; `pairs` topic and document; `documents` has each document once.
    Terms are weighted by their rarity among the passages of all these documents.
    """
    import polars as pl

    analysis = Analysis()
    terms = claim_terms(claims["text"].to_list(), analysis)
    unique = dict.fromkeys(term for claim in terms for term in claim)
    vocabulary = {term: number for number, term in enumerate(unique)}
    held: dict[str, HeldTerms] = {}
    frequencies, total = np.zeros(len(vocabulary), np.int64), 0
    for document in documents:
        terms_held = held[document.id] = Passages([document], analysis).held(vocabulary)
        frequencies += np.bincount(terms_held.term, minlength=len(vocabulary))
        total += terms_held.passages
    weights = rarity(frequencies, total)
    by_topic: dict[str, list[tuple[str, np.ndarray]]] = {}
    for topic, name, claim in zip(claims["topic"], claims["claim"], terms, strict=True):
        by_topic.setdefault(topic, []).append((name, np.array([vocabulary[term] for term in claim], np.int64)))
    rows: list[tuple[str, str, str, int]] = []
    for topic, name in pairs.select("topic", "document").unique(maintain_order=True).iter_rows():
        if topic in by_topic and name in held:
            weighted = [(numbers, weights[numbers]) for _, numbers in by_topic[topic]]
            counts = bears(held[name].shares(weighted, len(vocabulary)), share).sum(axis=0).tolist()
            rows += [(topic, claim, name, count) for (claim, _), count in zip(by_topic[topic], counts, strict=True)]
    schema = {"topic": pl.String, "claim": pl.String, "document": pl.String, "passages": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row").filter(pl.col("passages") > 0)
