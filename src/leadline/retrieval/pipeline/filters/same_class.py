"""Keep only documents that share a class with the topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.context_data import ClassLevel
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("same_class")
class SameClass(Step):
    """Find only documents with one of the topic's classes at a level, or with the same main class.

    For a topic without classes nothing is excluded. Iowa's second run at TREC-CHEM 2009 kept documents with the topic's
    primary class.
    """

    needs_patent: ClassVar[bool] = True
    level: ClassLevel = "subclass"
    by: Literal["any", "main"] = "any"

    def __call__(self, context: SearchContext, request: Request) -> Request:
        symbols = context.class_symbols(request)
        if not symbols:
            return request.with_note("without any class")
        return request.only(context.classes.agreement(symbols, self.level, self.by) > 0)
