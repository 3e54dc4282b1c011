"""Family expansion: add all family members of results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from leadline.options import Count, Share
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("family_members")
class FamilyMembers(Step):
    """Add every member of a result's family, with a share of the best score in the family.

    A result that has a higher score keeps it. In judgements derived from citations a cited document's whole family is
    relevant, and members often have no text in the language of the topic.
    """

    documents: Count = 1000  # results whose families are added
    share: Share = 1.0

    def __call__(self, context: SearchContext, request: Request) -> Request:
        first = request.ranking
        if first is None or not len(first):
            return request
        place, members = context.family_members.of_rows(first.rows[: self.documents])
        scores = np.full(len(context.index), -np.inf)
        best = first.scores[: self.documents][place]
        np.maximum.at(scores, members, np.minimum(best, self.share * best))
        scores[first.rows] = np.maximum(scores[first.rows], first.scores)
        rows = np.flatnonzero((scores > -np.inf) & context.visible(request))
        return replace(request, ranking=context.ranking(rows, scores[rows]))
