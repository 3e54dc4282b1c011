"""Keep the best result of each family."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("one_a_family")
class OneAFamily(Step):
    """Keep only the first result of each family: the others are publications of the same invention."""

    def __call__(self, context: SearchContext, request: Request) -> Request:
        if request.ranking is None:
            return request
        return replace(request, ranking=context.one_a_family(request.ranking))
