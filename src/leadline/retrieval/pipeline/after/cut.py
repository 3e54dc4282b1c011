"""Keep only the first k results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.options import Count
from leadline.retrieval.models.ranking import Ranking
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("cut")
class Cut(Step):
    """Keep the first k results."""

    k: Count = 1000

    def __call__(self, context: SearchContext, request: Request) -> Request:
        if request.ranking is None:
            return request
        return replace(request, ranking=Ranking(request.ranking.rows[: self.k], request.ranking.scores[: self.k]))
