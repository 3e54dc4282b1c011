"""Anchor texts as evidence: pages that other pages call by the words of the query gain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadline.options import Share
from leadline.retrieval.pipeline.combining import with_gain
from leadline.retrieval.pipeline.context import Request, summed
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("anchor_text")
class AnchorText(Step):
    """Pages gain by the words of links to them, whether they have these words themselves or not.

    Formula: (1 − weight) · first + weight · gain / largest gain; the gain is Σ ln(1 + N / n) · l / (l + 1) over the
    words of the query, with l links to the page that have the word, and n of N pages with such links. Links marked
    nofollow and links of a page to itself do not count. Only a crawl has anchor texts.
    """

    weight: Share = 0.2

    def __call__(self, context: SearchContext, request: Request) -> Request:
        first = request.ranking
        if first is None or not len(first):
            return request
        if not context.anchors.counts:
            return request.with_note("without anchor texts, which only a crawl has")
        rows, gains = context.anchors.scores(summed(query.terms for query in request.queries))
        visible = context.visible(request)[rows]
        rows, gains = rows[visible], gains[visible]
        if not len(rows):
            return request
        return with_gain(context, request, self.name, rows, gains / gains.max(), self.weight)
