"""The claims of documents as units that can be scored by themselves: each with the claims it refers to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from leadline.retrieval.models.postings import Postings
from leadline.retrieval.models.registry import MODELS
from leadline.retrieval.models.searcher import parse_model
from leadline.retrieval.pipeline.unnested_claims import with_parents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.collections.documents.document import Document
    from leadline.retrieval.index.index import Index

    Frequencies = Callable[[Sequence[str], Iterable[str]], NDArray[np.int64]]


class DocumentClaims(NamedTuple):
    """The unnested claims of a document: the number of terms of each, and for each term of each claim its frequency."""

    lengths: NDArray[np.int64]
    claim: NDArray[np.int32]  # the place of the claim in the document
    term: NDArray[np.int32]  # a number in the vocabulary
    tf: NDArray[np.int32]


class ClaimUnits:
    """The unnested claims of the documents of an index. Those of a document are read once and kept."""

    def __init__(
        self, index: Index, read: Callable[[Sequence[int]], list[Document]], document_frequencies: Frequencies
    ) -> None:
        self._index, self._read, self._document_frequencies = index, read, document_frequencies
        self._claims: dict[int, DocumentClaims] = {}  # by the row of the document
        self._vocabulary: dict[str, int] = {}

    def best_scores(
        self, rows: Sequence[int], queries: Sequence[Mapping[str, float]], model: str
    ) -> NDArray[np.float64]:
        """For each document the score of its best claim for any of the queries; 0 for one without claims.

        The statistics of a term are those of the field of claims.
        """
        documents = self._of_rows(rows)
        counts = np.array([len(each.lengths) for each in documents])
        terms = list(dict.fromkeys(term for query in queries for term in query))
        if not counts.sum() or not terms:
            return np.zeros(len(rows))
        asked = np.array([[query.get(term, 0.0) for term in terms] for query in queries])
        best = (self._weights(documents, counts, terms, model) @ asked.T).max(axis=1)
        # The best of the claims of each document: where each one's claims begin, for those that have any.
        scores = np.zeros(len(rows))
        starts = np.cumsum(counts) - counts
        scores[counts > 0] = np.maximum.reduceat(best, starts[counts > 0])
        return scores

    def _of_rows(self, rows: Sequence[int]) -> list[DocumentClaims]:
        new = [row for row in rows if row not in self._claims]
        for row, document in zip(new, self._read(new), strict=True):
            self._claims[row] = self._counted(document)
        return [self._claims[row] for row in rows]

    def _counted(self, document: Document) -> DocumentClaims:
        """The terms of each claim and of the claims it refers to. Every claim is cut into terms once."""
        own = {claim: Counter(self._index.analysis.terms(claim.text)) for claim in document.claims}
        units = [sum((own[claim] for claim in together), Counter()) for together in with_parents(document.claims)]
        found = [
            (place, self._vocabulary.setdefault(term, len(self._vocabulary)), tf)
            for place, unit in enumerate(units)
            for term, tf in unit.items()
        ]
        claim, term, tf = np.array(found, np.int32).reshape(-1, 3).T
        return DocumentClaims(np.array([unit.total() for unit in units], np.int64), claim, term, tf)

    def _weights(
        self, documents: Sequence[DocumentClaims], counts: NDArray[np.int64], terms: Sequence[str], model: str
    ) -> NDArray[np.float64]:
        """The weight of each term in each claim of all documents by a model, claim × term."""
        place = np.full(len(self._vocabulary) + 1, -1, np.int64)
        place[[self._vocabulary.get(term, -1) for term in terms]] = np.arange(len(terms))
        place[-1] = -1  # of terms that no claim has
        first = np.repeat(np.cumsum(counts) - counts, [len(each.claim) for each in documents])
        claim = first + np.concatenate([each.claim for each in documents])
        term = place[np.concatenate([each.term for each in documents])]
        tf = np.concatenate([each.tf for each in documents])
        lengths = np.concatenate([each.lengths for each in documents]).astype(np.float64)
        known = term >= 0
        claim, term = claim[known], term[known]
        df = np.maximum(self._document_frequencies(terms, ("claims",)), 1).astype(np.float64)[term]
        size = len(self._index)
        postings = Postings(tf[known].astype(np.float64), lengths[claim], df, df, size, float(lengths.mean()) * size)
        name, parameters = parse_model(model)
        formula = MODELS.named(name)
        weights = np.zeros((len(lengths), len(terms)))
        weights[claim, term] = formula.function(postings, **formula.checked_parameters(parameters))
        return weights
