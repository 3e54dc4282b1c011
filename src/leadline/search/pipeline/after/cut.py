"""Only the first k."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.search.models.ranking import Ranking
from leadline.search.pipeline.options import Count
from leadline.search.pipeline.pipeline import Step, step
from leadline.search.pipeline.request import Request

if TYPE_CHECKING:
    from leadline.search.pipeline.context import SearchContext


@step("cut")
class Cut(Step):
    """Keep the first k results."""

    k: Count = 1000

    def __call__(self, context: SearchContext, request: Request) -> Request:
        if request.ranking is None:
            return request
        return replace(request, ranking=Ranking(request.ranking.rows[: self.k], request.ranking.scores[: self.k]))
