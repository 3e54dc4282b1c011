"""The number of links as evidence: results that many documents link to gain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leadline.options import Share
from leadline.retrieval.pipeline.combining import Scale, Seen, scaled, usable_links, with_gain
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("indegree")
class InDegree(Step):
    """Results are ordered again by the number of documents that link to them.

    Formula: (1 − weight) · first + weight · prior, both from 0 to 1; the prior is ln(1 + links), brought to 0 for the
    lowest of the results and 1 for the highest; `scale` takes the rank or the number instead. Links count as in the
    step `pagerank`.
    """

    weight: Share = 0.2
    scale: Scale = "log"
    seen: Seen = "before"

    def __call__(self, context: SearchContext, request: Request) -> Request:
        first = request.ranking
        if first is None or not len(first):
            return request
        links = 1.0 + usable_links(context, request, self.seen).in_degrees[first.rows].astype(np.float64)
        return with_gain(context, request, self.name, first.rows, scaled(links, self.scale), self.weight)
