"""The query of a topic in words: title, description and narrative, each with its weight."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.errors import InputError
from leadline.retrieval.pipeline.options import Weight
from leadline.retrieval.pipeline.pipeline import Step, step
from leadline.retrieval.pipeline.query.patent_fields import summed
from leadline.retrieval.pipeline.request import Query, Request

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

_PARTS = ("title", "description", "narrative", "category")


@step("survey")
class Survey(Step):
    """The words of a technical-survey topic; a word of a part with weight 2 counts as two.

    DUTIR and Purdue combined title and narrative with separate weights at TREC-CHEM 2009.
    """

    title: Weight = 1.0
    description: Weight = 0.0
    narrative: Weight = 1.0
    category: Weight = 0.0

    def __call__(self, context: SearchContext, request: Request) -> Request:
        weighted = {part: getattr(self, part) for part in _PARTS if getattr(self, part)}
        texts = {part: getattr(request.topic, part) for part in weighted}
        if not any(texts.values()):
            raise InputError(f"topic {request.topic.id}", f"has no {' and no '.join(weighted) or 'part with a weight'}")
        analysed = {part: context.index.analysis.terms(text) for part, text in texts.items()}
        words = ({term: weighted[part]} for part, terms in analysed.items() for term in terms)
        return replace(request, queries=(Query(summed(words)),))
