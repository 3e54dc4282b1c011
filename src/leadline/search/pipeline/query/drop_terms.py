"""Terms that say too little, or nothing, left out of the query."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.search.pipeline.options import Count, Share
from leadline.search.pipeline.pipeline import Step, step
from leadline.search.pipeline.request import Query, Request

if TYPE_CHECKING:
    from leadline.search.pipeline.laboratory import Laboratory


@step("drop_terms")
class DropTerms(Step):
    """Leave out terms that more than a share `most` of all documents have, or fewer than `fewest` documents.

    Counted is the field, of those in which the query is sought, where the term is commonest.
    """

    most: Share = 0.1
    fewest: Count = 1

    def __call__(self, lab: Laboratory, request: Request) -> Request:
        return replace(request, queries=tuple(self._thinned(lab, query) for query in request.queries))

    def _thinned(self, lab: Laboratory, query: Query) -> Query:
        df = lab.document_frequencies(list(query.terms), query.fields or lab.fields)
        kept = (df <= self.most * len(lab.index)) & (df >= self.fewest)
        terms = {term: weight for (term, weight), good in zip(query.terms.items(), kept, strict=True) if good}
        return replace(query, terms=terms)
