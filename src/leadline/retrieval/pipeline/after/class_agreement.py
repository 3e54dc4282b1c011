"""Classes as evidence: results that share the topic's classes gain."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from leadline.options import Share
from leadline.retrieval.pipeline.combining import with_gain
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.context_data import AgreementMeasure, ClassLevel
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("class_agreement")
class ClassAgreement(Step):
    """Rerank results by the agreement of their classes with the topic's, at a level of the classification.

    Formula: (1 − weight) · first + weight · agreement, both from 0 to 1. Agreement is the share of the topic's classes
    that the document has; with `jaccard` the share of the classes of either that both have; with `any` whether they
    share one; with `main` whether their main classes are the same. Purdue reranked by the similarity of IPC classes at
    TREC-CHEM 2009.
    """

    needs_patent: ClassVar[bool] = True
    level: ClassLevel = "subclass"
    weight: Share = 0.2
    by: AgreementMeasure = "share"

    def __call__(self, context: SearchContext, request: Request) -> Request:
        first, symbols = request.ranking, context.class_symbols(request)
        if not symbols:
            request = request.with_note("without any class")
        if first is None or not len(first):
            return request
        agreement = context.classes.agreement(symbols, self.level, self.by, first.rows)
        return with_gain(context, request, self.name, first.rows, agreement, self.weight)
