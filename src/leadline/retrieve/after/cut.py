"""Only the first k."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.retrieve.options import Count
from leadline.retrieve.pipeline import Step, step
from leadline.retrieve.ranking import Ranking
from leadline.retrieve.request import Request

if TYPE_CHECKING:
    from leadline.retrieve.laboratory import Laboratory


@step("cut")
class Cut(Step):
    """Keep the first k results."""

    k: Count = 1000

    def __call__(self, lab: Laboratory, request: Request) -> Request:
        if request.ranking is None:
            return request
        return replace(request, ranking=Ranking(request.ranking.rows[: self.k], request.ranking.scores[: self.k]))
