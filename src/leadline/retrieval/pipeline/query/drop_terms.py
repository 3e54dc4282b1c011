"""Leave very frequent and very rare terms out of the query."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.retrieval.pipeline.options import Count, Share
from leadline.retrieval.pipeline.pipeline import Step, step
from leadline.retrieval.pipeline.request import Query, Request

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("drop_terms")
class DropTerms(Step):
    """Leave out terms that more than a share `most` of all documents have, or fewer than `fewest` documents.

    A term is counted in the field, of those the query searches, where it is most common.
    """

    most: Share = 0.1
    fewest: Count = 1

    def __call__(self, context: SearchContext, request: Request) -> Request:
        return replace(request, queries=tuple(self._thinned(context, query) for query in request.queries))

    def _thinned(self, context: SearchContext, query: Query) -> Query:
        df = context.document_frequencies(list(query.terms), query.fields or context.fields)
        kept = (df <= self.most * len(context.index)) & (df >= self.fewest)
        terms = {term: weight for (term, weight), good in zip(query.terms.items(), kept, strict=True) if good}
        return replace(query, terms=terms)
