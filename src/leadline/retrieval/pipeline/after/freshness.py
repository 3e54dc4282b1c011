"""Age as evidence: newer results gain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

from leadline.options import Bounds, Share
from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.pipeline.combining import with_gain
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("freshness")
class Freshness(Step):
    """Newer results gain: a document that is `half_life` days older than another gains half as much.

    Formula: (1 − weight) · first + weight · 2^(−age / half_life), with the age in days before the topic's day, or
    before the newest document of the index where the topic has no day. A document without a date gains nothing.
    """

    weight: Share = 0.1
    half_life: Annotated[float, Bounds(1)] = 365.0

    def __call__(self, context: SearchContext, request: Request) -> Request:
        first = request.ranking
        if first is None or not len(first):
            return request
        public = context.dates.public
        dated = public != MISSING
        if not dated.any():
            return request.with_note("without any date in the index: nothing is fresher than anything else")
        today = request.day if request.is_dated else int(public[dated].max())
        days = public[first.rows]
        age = np.maximum(today - days.astype(np.float64), 0.0)
        gains = np.where(days == MISSING, 0.0, 2.0 ** (-age / self.half_life))
        return with_gain(context, request, self.name, first.rows, gains, self.weight)
