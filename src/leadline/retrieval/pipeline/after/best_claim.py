"""The claims of documents as units: a result's score is that of its best claim."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.errors import InputError
from leadline.options import Count
from leadline.retrieval.models.registry import MODELS
from leadline.retrieval.models.searcher import parse_model
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("best_claim")
class BestClaim(Step):
    """Score each of the first `documents` results by its best claim for any of the queries; others are dropped.

    A dependent claim is scored with the text of every claim it refers to. The model's statistics of terms are those of
    the field of claims. Iowa's index of claims at TREC-CHEM 2009 had "unnested" claims as its documents.
    """

    documents: Count = 200
    model: str = "tfidf"

    def __post_init__(self) -> None:
        super().__post_init__()
        name, parameters = parse_model(self.model)
        known = MODELS.named(name)
        known.checked_parameters(parameters)
        if known.by_field or known.lacking is not None:
            raise InputError("best_claim: model", f"{name} needs more than the terms of a claim: choose tfidf or bm25")

    def __call__(self, context: SearchContext, request: Request) -> Request:
        first = request.ranking
        queries = [query.terms for query in request.queries if query.terms]
        if first is None or not len(first) or not queries:
            return request
        rows = first.rows[: self.documents]
        if not context.nonempty_fields(("claims",) if "claims" in context.index.fields else ()):
            return request.with_note("for which no document has claims")
        scores = context.claim_units.best_scores(rows.tolist(), queries, self.model)
        return replace(request, ranking=context.ranking(rows, scores))
