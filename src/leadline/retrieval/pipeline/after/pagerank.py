"""PageRank as evidence: results that well-linked documents link to gain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from leadline.collections.choices import DAMPING
from leadline.collections.links.page_scores import page_ranks
from leadline.options import Bounds, Share
from leadline.retrieval.pipeline.combining import Scale, Seen, scaled, usable_links, with_gain
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

Damping = Annotated[float, Bounds(0, 0.9999)]


@step("pagerank")
class PageRank(Step):
    """Results are ordered again by their PageRank, over the links of a crawl or the citations of a collection.

    Formula: (1 − weight) · first + weight · prior, both from 0 to 1; the prior is the logarithm of the rank, brought to
    0 for the lowest of the results and 1 for the highest; `scale` takes its rank or value instead. For a patent, links
    from its own family never count, and with `seen="before"` only those of documents public on its day do.
    """

    weight: Share = 0.2
    damping: Damping = DAMPING
    scale: Scale = "log"
    seen: Seen = "before"

    def __call__(self, context: SearchContext, request: Request) -> Request:
        first = request.ranking
        if first is None or not len(first):
            return request
        if request.is_patent:
            ranks = page_ranks(usable_links(context, request, self.seen), self.damping)[0]
        else:
            if self.damping not in context.page_ranks:
                context.page_ranks[self.damping] = page_ranks(context.links, self.damping)[0]
            ranks = context.page_ranks[self.damping]
        return with_gain(context, request, self.name, first.rows, scaled(ranks[first.rows], self.scale), self.weight)
