"""Search the index for the queries of a topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.retrieval.models.ranking import Ranking
from leadline.retrieval.models.registry import MODELS
from leadline.retrieval.models.searcher import Combine, parse_model
from leadline.retrieval.pipeline.options import Count, Fields
from leadline.retrieval.pipeline.pipeline import Step, step
from leadline.retrieval.pipeline.query.patent_fields import summed
from leadline.retrieval.pipeline.request import Query, Request

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.retrieval.pipeline.context import SearchContext

NOTHING = Ranking(np.empty(0, np.int32), np.empty(0))


@step("search")
class Search(Step):
    """The best documents of the topic's queries, by a model with its parameters: `bm25(k1=0.9, b=0.4)`.

    `fields` are the document fields with their weights (default: all of their own fields); with `combine="text"` they
    are one text, with `combine="scores"` each is searched separately. A query with fields of its own searches those.

    Of several queries a document gets the sum of its scores, each times the query's weight, or with `several="best"`
    the best of them. Both are exact for the `depth` documents that are kept.
    """

    model: str = "bm25"
    fields: Fields = None
    combine: Combine = "text"
    depth: Count = 1000
    several: Literal["sum", "best"] = "sum"

    def __post_init__(self) -> None:
        super().__post_init__()
        name, parameters = parse_model(self.model)
        MODELS.named(name).checked_parameters(parameters)

    def __call__(self, context: SearchContext, request: Request) -> Request:
        queries = [query for query in request.queries if query.terms]
        if not queries:
            return replace(request, ranking=NOTHING).with_note("without any term to search for")
        mask = context.visible(request)
        ways = [self._way(query) for query in queries]
        if self.several == "best":
            scores, found = self._best(context, queries, ways, mask)
        elif all(way == ways[0] for way in ways):
            (only,) = self._search(context, [_together(queries)], ways[0], self.depth, mask)
            return replace(request, ranking=only)
        else:
            scores, found = self._sum(context, queries, ways, mask)
        rows = np.flatnonzero(found)
        return replace(request, ranking=context.ranking(rows, scores[rows], self.depth))

    def _way(self, query: Query) -> tuple[Fields, Combine]:
        return (self.fields, self.combine) if query.fields is None else (query.fields, "text")

    def _search(
        self,
        context: SearchContext,
        queries: Sequence[Mapping[str, float]],
        way: tuple[Fields, Combine],
        k: int,
        mask: Any,
    ) -> list[Ranking]:
        name, parameters = parse_model(self.model)
        fields, combine = way
        sought = context.nonempty_fields(fields)
        if not sought:
            return [NOTHING] * len(queries)
        return context.searcher.search_many(queries, name, k, fields=sought, combine=combine, mask=mask, **parameters)

    def _best(
        self, context: SearchContext, queries: Sequence[Query], ways: Sequence[Any], mask: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The best score of each document. The best `depth` of all are each among the best `depth` of one query."""
        scores, found = np.full(len(context.index), -np.inf), np.zeros(len(context.index), np.bool_)
        for query, way in zip(queries, ways, strict=True):
            (one,) = self._search(context, [query.terms], way, self.depth, mask)
            scores[one.rows] = np.maximum(scores[one.rows], query.weight * one.scores)
            found[one.rows] = True
        return scores, found

    def _sum(
        self, context: SearchContext, queries: Sequence[Query], ways: Sequence[Any], mask: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The sum of scores over queries that search different fields; all documents are scored."""
        scores, found = np.zeros(len(context.index)), np.zeros(len(context.index), np.bool_)
        for way in _distinct(ways):
            same = [query for query, its in zip(queries, ways, strict=True) if its == way]
            (one,) = self._search(context, [_together(same)], way, len(context.index), mask)
            scores[one.rows] += one.scores
            found[one.rows] = True
        return scores, found


def _distinct(ways: Sequence[Any]) -> list[Any]:
    return [way for place, way in enumerate(ways) if way not in ways[:place]]


def _together(queries: Sequence[Query]) -> Mapping[str, float]:
    """Queries for the same fields as one query: a score is a sum over terms, so the sum of queries sums the scores."""
    if len(queries) == 1 and queries[0].weight == 1:
        return queries[0].terms
    return summed({term: query.weight * weight for term, weight in query.terms.items()} for query in queries)
