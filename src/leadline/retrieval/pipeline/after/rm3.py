"""Pseudo relevance feedback: add words of the first results to the query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from leadline.options import Count, Fields, Share
from leadline.retrieval.pipeline.context import Query, Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

Chances = Literal["score", "likelihood", "equal"]
CHANCES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "score": lambda scores: np.maximum(scores, 0.0),
    "likelihood": lambda scores: np.exp(scores - scores.max()),  # for language models, whose scores are logarithms
    "equal": np.ones_like,
}


def with_expansion(request: Request, expansion: Query, weight: float) -> Request:
    """A request whose query is mixed with another, whose weights sum to 1: `weight` is the share of the original."""
    size = sum(abs(query.weight * each) for query in request.queries for each in query.terms.values()) or 1.0
    original = [replace(query, weight=query.weight * weight / size) for query in request.queries]
    return replace(request, queries=(*original, replace(expansion, weight=1 - weight)), ranking=None)


@step("rm3")
class RM3(Step):
    """Mix the query with the likeliest words of the first results; a search must follow.

    Formula: p(w) = Σ over the first documents of p(d) · tf(w, d) / length(d), p(d) proportional to the score; the
    `terms` likeliest and the query, both normalised to sum 1, are mixed: weight · query + (1 − weight) · p. Terms that
    more than a share `most` of all documents have are left out.

    Paper: Lavrenko and Croft, Relevance-Based Language Models, SIGIR 2001; the mixture is Abdul-Jaleel and others',
    UMass at TREC 2004.
    """

    documents: Count = 10
    terms: Count = 30
    weight: Share = 0.5  # of the original query
    fields: Fields = None  # from which words are taken
    most: Share = 1.0
    chances: Chances = "score"

    def __call__(self, context: SearchContext, request: Request) -> Request:
        if request.ranking is None or not len(request.ranking):
            return replace(request, ranking=None)
        rows, scores = request.ranking.rows[: self.documents], request.ranking.scores[: self.documents]
        fields = context.nonempty_fields(self.fields)
        likely = self._likely(context, context.document_terms.mixture(rows, self._chances(scores), fields))
        return with_expansion(request, Query(likely, name="feedback"), self.weight)

    def _chances(self, scores: np.ndarray) -> np.ndarray:
        parts = CHANCES[self.chances](scores)
        return parts / parts.sum() if parts.sum() > 0 else np.full(len(scores), 1 / len(scores))

    def _likely(self, context: SearchContext, model: Mapping[str, float]) -> dict[str, float]:
        """The likeliest terms with their probabilities, normalised to sum 1."""
        words = sorted(model, key=lambda term: (-model[term], term))
        if self.most < 1:
            df = context.document_frequencies(words, context.nonempty_fields(self.fields))
            words = [word for word, count in zip(words, df, strict=True) if count <= self.most * len(context.index)]
        best = words[: self.terms]
        total = sum(model[word] for word in best)
        return {word: model[word] / total for word in best}
