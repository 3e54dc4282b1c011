"""An estimate of how many passages of each relevant document bear on each claim, where nobody has judged them.

What it gives must not be taken for judgements: see `retrieval/answers/passages.py`.
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
    """How many passages of each relevant document bear on each claim of its topic.

    `claims` has the columns topic, claim and text; `pairs` topic and document; `documents` gives each document once.
    Terms are weighted by their rarity among the passages of all these documents.
    """
    import polars as pl

    analysis = Analysis()
    terms = claim_terms(claims["text"].to_list(), analysis)
    vocabulary = {term: number for number, term in enumerate(dict.fromkeys(term for own in terms for term in own))}
    held: dict[str, HeldTerms] = {}
    holders, total = np.zeros(len(vocabulary), np.int64), 0
    for document in documents:
        found = held[document.id] = Passages([document], analysis).held(vocabulary)
        holders += np.bincount(found.term, minlength=len(vocabulary))
        total += found.passages
    weights = rarity(holders, total)
    by_topic: dict[str, list[tuple[str, np.ndarray]]] = {}
    for topic, claim, own in zip(claims["topic"], claims["claim"], terms, strict=True):
        by_topic.setdefault(topic, []).append((claim, np.array([vocabulary[term] for term in own], np.int64)))
    rows: list[tuple[str, str, str, int]] = []
    for topic, name in pairs.select("topic", "document").unique(maintain_order=True).iter_rows():
        if topic in by_topic and name in held:
            sought = [(own, weights[own]) for _, own in by_topic[topic]]
            counts = bears(held[name].shares(sought, len(vocabulary)), share).sum(axis=0).tolist()
            rows += [(topic, claim, name, count) for (claim, _), count in zip(by_topic[topic], counts, strict=True)]
    schema = {"topic": pl.String, "claim": pl.String, "document": pl.String, "passages": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row").filter(pl.col("passages") > 0)
