"""Drop very frequent and very rare terms from the query."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.options import Count, Share
from leadline.retrieval.pipeline.context import Query, Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("drop_terms")
class DropTerms(Step):
    """Drop terms that more than a share `most` of all documents have, or fewer than `fewest` documents.

    Document frequencies are those in the field, of those the query searches, where they are largest.
    """

    most: Share = 0.1
    fewest: Count = 1

    def __call__(self, context: SearchContext, request: Request) -> Request:
        return replace(request, queries=tuple(self._filtered(context, query) for query in request.queries))

    def _filtered(self, context: SearchContext, query: Query) -> Query:
        df = context.document_frequencies(list(query.terms), query.fields or context.fields)
        is_kept = (df <= self.most * len(context.index)) & (df >= self.fewest)
        terms = {term: weight for (term, weight), kept in zip(query.terms.items(), is_kept, strict=True) if kept}
        return replace(query, terms=terms)
