"""Search the index for the queries of a topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.options import Count, Fields, Weight
from leadline.retrieval.models.ranking import EMPTY_RANKING, Ranking
from leadline.retrieval.models.registry import MODELS
from leadline.retrieval.models.searcher import Combine, parse_model
from leadline.retrieval.pipeline.context import Query, Request, summed
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.retrieval.pipeline.context import SearchContext


@step("search")
class Search(Step):
    """The best documents of the topic's queries, by a model with its parameters: `bm25(k1=0.9, b=0.4)`.

    `fields` are the document fields with their weights (default: all that are not derived); with `combine="text"` they
    are one text, with `combine="scores"` each is searched separately. If a query has fields, those are searched.
    Without `fields`, a word of a title counts as `title` words, if the index has titles.

    With several queries a document's score is the sum of its scores, each times the query's weight, or with
    `several="best"` the best of them. Both are exact for the `depth` documents that are kept.
    """

    model: str = "bm25"
    fields: Fields = None
    combine: Combine = "text"
    depth: Count = 1000
    several: Literal["sum", "best"] = "sum"
    title: Weight = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        name, parameters = parse_model(self.model)
        MODELS.named(name).checked_parameters(parameters)

    def __call__(self, context: SearchContext, request: Request) -> Request:
        queries = [query for query in request.queries if query.terms]
        if not queries:
            return replace(request, ranking=EMPTY_RANKING).with_note("without any term to search for")
        mask = context.visible(request)
        scopes = [self._scope(query) for query in queries]
        if self.several == "best":
            scores, found = self._best(context, request, queries, scopes, mask)
        elif all(scope == scopes[0] for scope in scopes):
            ranking = self._search(context, request, _together(queries), scopes[0], self.depth, mask)
            return replace(request, ranking=ranking)
        else:
            scores, found = self._sum(context, request, queries, scopes, mask)
        rows = np.flatnonzero(found)
        return replace(request, ranking=context.ranking(rows, scores[rows], self.depth))

    def _scope(self, query: Query) -> tuple[Fields, Combine]:
        """The fields that a query searches, and how they are combined."""
        return (self.fields, self.combine) if query.fields is None else (query.fields, "text")

    def _search(
        self,
        context: SearchContext,
        request: Request,
        terms: Mapping[str, float],
        scope: tuple[Fields, Combine],
        k: int,
        mask: Any,
    ) -> Ranking:
        name, parameters = parse_model(self.model)
        named = request.boolean.fields if request.boolean is not None and scope[0] is None else scope[0]
        fields, combine = context.nonempty_fields(named), scope[1]
        if scope[0] is None and "title" in fields:
            fields["title"] = self.title
        if not fields:
            return EMPTY_RANKING
        # A Boolean query has terms of its own, as for a phrase, which only its searcher knows.
        searcher = context.searcher if request.boolean is None else request.boolean.language.searcher
        return searcher.search(terms, name, k, fields=fields, combine=combine, mask=mask, **parameters)

    def _best(
        self, context: SearchContext, request: Request, queries: Sequence[Query], scopes: Sequence[Any], mask: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Each document's best score, and whether it has one. The first `depth` are among the first of some query."""
        scores, found = np.full(len(context.index), -np.inf), np.zeros(len(context.index), np.bool_)
        for query, scope in zip(queries, scopes, strict=True):
            ranking = self._search(context, request, query.terms, scope, self.depth, mask)
            scores[ranking.rows] = np.maximum(scores[ranking.rows], query.weight * ranking.scores)
            found[ranking.rows] = True
        return scores, found

    def _sum(
        self, context: SearchContext, request: Request, queries: Sequence[Query], scopes: Sequence[Any], mask: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Each document's sum of scores over queries with different scopes, and whether it has one."""
        scores, found = np.zeros(len(context.index)), np.zeros(len(context.index), np.bool_)
        for scope in _distinct(scopes):
            same = [query for query, its_scope in zip(queries, scopes, strict=True) if its_scope == scope]
            ranking = self._search(context, request, _together(same), scope, len(context.index), mask)
            scores[ranking.rows] += ranking.scores
            found[ranking.rows] = True
        return scores, found


def _distinct(scopes: Sequence[Any]) -> list[Any]:
    return [scope for place, scope in enumerate(scopes) if scope not in scopes[:place]]


def _together(queries: Sequence[Query]) -> Mapping[str, float]:
    """Queries with the same scope as one: scores are sums over terms, so the sum of queries gives the sum of scores."""
    if len(queries) == 1 and queries[0].weight == 1:
        return queries[0].terms
    return summed({term: query.weight * weight for term, weight in query.terms.items()} for query in queries)
