"""One hit a family: the best of them stays."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from leadline.search.models.ranking import Ranking
from leadline.search.pipeline.pipeline import Step, step
from leadline.search.pipeline.request import Request

if TYPE_CHECKING:
    from leadline.search.pipeline.laboratory import Laboratory


@step("one_a_family")
class OneAFamily(Step):
    """Of the results in one family only the first stays: the others are the same invention again."""

    def __call__(self, lab: Laboratory, request: Request) -> Request:
        if request.ranking is None:
            return request
        rows, scores = request.ranking.rows, request.ranking.scores
        first = np.sort(np.unique(lab.kin[rows], return_index=True)[1])
        return replace(request, ranking=Ranking(rows[first], scores[first]))
