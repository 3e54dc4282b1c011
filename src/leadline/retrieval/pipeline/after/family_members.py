"""Family expansion: add all family members of results."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from leadline.options import Count, Share
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.retrieval.pipeline.context import SearchContext

    Floats = NDArray[np.float64]


@step("family_members")
class FamilyMembers(Step):
    """Add every member of a result's family, with a share of the best score in the family.

    A result that has a higher score keeps it. In judgements derived from citations a cited document's whole family is
    relevant, and members often have no text in the language of the topic. Members of a family with the same score stay
    in the order of the scores that they had before, apart by the smallest difference that a number can have.
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
        own = np.full(len(context.index), -np.inf)
        own[first.rows] = first.scores
        rows = np.flatnonzero((scores > -np.inf) & context.visible(request))
        told_apart = apart(scores[rows], own[rows], context.family_or_self[rows])
        return replace(request, ranking=context.ranking(rows, told_apart))


def apart(scores: Floats, before: Floats, families: NDArray[np.integer]) -> Floats:
    """Scores of which equal ones of a family are told apart by others, each by one unit in the last place.

    >>> found = apart(np.array([2.0, 2.0, 1.0, 2.0]), np.array([0.5, 2.0, 1.0, 0.5]), np.array([7, 7, 7, 7]))
    >>> found - np.array([2.0, 2.0, 1.0, 2.0])
    array([-4.4408921e-16,  0.0000000e+00,  0.0000000e+00, -4.4408921e-16])
    """
    order = np.lexsort((before, scores, families))[::-1]
    score, other, family = scores[order], before[order], families[order]
    new = np.ones(len(order), np.bool_)  # a score that the family has not had so far
    new[1:] = (score[1:] != score[:-1]) | (family[1:] != family[:-1])
    steps = np.cumsum(~new & np.append(False, other[1:] != other[:-1]))
    steps -= np.maximum.accumulate(np.where(new, steps, 0))  # counted from the first with this score
    found = np.empty_like(scores)
    found[order] = score - steps * np.spacing(np.abs(score))
    return found
