"""The query of a topic in words: title, description and narrative, each with its weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.errors import InputError, checked_choice
from leadline.options import Names, Weight
from leadline.retrieval.index import derived
from leadline.retrieval.pipeline.context import Query, Request, summed
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

_PARTS = ("title", "description", "narrative", "category")


@step("survey")
class Survey(Step):
    """The words of a technical-survey topic; a word of a part with weight 2 counts as two.

    With `fields`, derived fields of the index such as phrases or entities, the query is the terms that these fields
    would have of the topic's text, each searched in its field. DUTIR and Purdue combined title and narrative with
    separate weights at TREC-CHEM 2009; SCAI searched with noun phrases, or with entities.
    """

    title: Weight = 1.0
    description: Weight = 0.0
    narrative: Weight = 1.0
    category: Weight = 0.0
    fields: Names = ()

    def __call__(self, context: SearchContext, request: Request) -> Request:
        weighted = {part: getattr(self, part) for part in _PARTS if getattr(self, part)}
        texts = {part: getattr(request.topic, part) for part in weighted}
        if not any(texts.values()) and request.boolean is None:
            raise InputError(f"topic {request.topic.id}", f"has no {' and no '.join(weighted) or 'part with a weight'}")
        if not self.fields:
            asked = {} if request.boolean is None else {request.boolean.part: request.boolean.answer.terms}
            terms_of = {part: context.index.analysis.terms(text) for part, text in texts.items() if part not in asked}
            terms = _query(terms_of, weighted).terms
            for part, of_query in asked.items():
                scaled = {term: weighted.get(part, 0.0) * weight for term, weight in of_query.items()}
                terms = summed([terms, {term: weight for term, weight in scaled.items() if weight}])
            return replace(request, queries=(Query(terms),))
        names = [checked_choice("survey: fields", name, context.index.derived) for name in self.fields]
        found = [(name, {part: _derived(context, name, text) for part, text in texts.items()}) for name in names]
        queries = [replace(_query(terms_of, weighted), fields={name: 1.0}, name=name) for name, terms_of in found]
        return replace(request, queries=tuple(query for query in queries if query.terms))


def _query(terms_of: Mapping[str, Sequence[str]], weighted: Mapping[str, float]) -> Query:
    """The terms of all parts of a topic, each with the weight of its part."""
    return Query(summed({term: weighted[part]} for part, terms in terms_of.items() for term in terms))


def _derived(context: SearchContext, field: str, text: str) -> list[str]:
    return derived.terms(field, [text], context.index.analysis)
