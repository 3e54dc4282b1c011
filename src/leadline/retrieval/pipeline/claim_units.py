"""The claims of documents as units that can be scored by themselves: each with the claims it refers to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.models.postings import Postings
from leadline.retrieval.models.registry import MODELS
from leadline.retrieval.models.searcher import parse_model
from leadline.retrieval.pipeline.unnested_claims import unnested

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.collections.documents.document import Document
    from leadline.retrieval.index.index import Index

    Frequencies = Callable[[Sequence[str], Iterable[str]], NDArray[np.int64]]


class ClaimUnits:
    """The unnested claims of the documents of an index. Those of a document are read once and kept."""

    def __init__(
        self, index: Index, read: Callable[[Sequence[int]], list[Document]], document_frequencies: Frequencies
    ) -> None:
        self._index, self._read, self._document_frequencies = index, read, document_frequencies
        self._claims: dict[int, list[Counter[str]]] = {}  # by the row of the document

    def of_rows(self, rows: Sequence[int]) -> list[list[Counter[str]]]:
        """For each document the terms of each of its claims, with the claims it refers to."""
        new = [row for row in rows if row not in self._claims]
        terms = self._index.analysis.terms
        for row, document in zip(new, self._read(new), strict=True):
            self._claims[row] = [Counter(terms(text)) for text in unnested(document.claims)]
        return [self._claims[row] for row in rows]

    def best_scores(
        self, rows: Sequence[int], queries: Sequence[Mapping[str, float]], model: str
    ) -> NDArray[np.float64]:
        """For each document the score of its best claim for any of the queries; 0 for one without claims.

        The statistics of a term are those of the field of claims; the units are the claims of these documents.
        """
        units = self.of_rows(rows)
        claims = [claim for of_document in units for claim in of_document]
        terms = list(dict.fromkeys(term for query in queries for term in query))
        if not claims or not terms:
            return np.zeros(len(rows))
        weights = self._weights(claims, terms, model)
        asked = np.array([[query.get(term, 0.0) for term in terms] for query in queries])
        best = (weights @ asked.T).max(axis=1)
        # The best of the claims of each document: where each one's claims begin, for those that have any.
        counts = np.array([len(of_document) for of_document in units])
        scores = np.zeros(len(rows))
        starts = np.cumsum(counts) - counts
        scores[counts > 0] = np.maximum.reduceat(best, starts[counts > 0])
        return scores

    def _weights(self, claims: Sequence[Counter[str]], terms: Sequence[str], model: str) -> NDArray[np.float64]:
        """The weight of each term in each claim by a model, claim × term."""
        name, parameters = parse_model(model)
        known = MODELS.named(name)
        place = {term: number for number, term in enumerate(terms)}
        found = [(c, place[term], tf) for c, claim in enumerate(claims) for term, tf in claim.items() if term in place]
        weights = np.zeros((len(claims), len(terms)))
        if not found:
            return weights
        claim, term, tf = np.array(found, np.int64).T
        lengths = np.array([sum(claim.values()) for claim in claims], np.float64)
        df = self._document_frequencies(terms, ("claims",)).astype(np.float64)
        documents, tokens = len(self._index), float(lengths.sum()) / len(claims) * len(self._index)
        postings = Postings(
            tf.astype(np.float64), lengths[claim], np.maximum(df, 1)[term], np.maximum(df, 1)[term], documents, tokens
        )
        weights[claim, term] = known.function(postings, **known.checked_parameters(parameters))
        return weights
