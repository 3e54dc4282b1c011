"""HITS as evidence: results that are authorities, or hubs, among the query's own pages gain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from leadline.collections.choices import IN_LINKS, ROOTS
from leadline.collections.links.page_scores import hubs_and_authorities, query_pages
from leadline.options import Bounds, Count, Share
from leadline.retrieval.pipeline.combining import Seen, usable_links, with_gain
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("hits")
class HubsAuthorities(Step):
    """Authorities of the query's own graph gain, whether they were found by their words or not.

    Formula: (1 − weight) · first + weight · authority / largest authority. The graph has the first `roots` results, the
    documents they link to, and for each at most `in_links` documents that link to it. `score="hub"` takes hubs instead.
    Links count as in the step `pagerank`. Kleinberg, Authoritative sources in a hyperlinked environment, SODA 1998.
    """

    weight: Share = 0.2
    roots: Count = ROOTS
    in_links: Annotated[int, Bounds(0)] = IN_LINKS
    score: Literal["authority", "hub"] = "authority"
    seen: Seen = "before"

    def __call__(self, context: SearchContext, request: Request) -> Request:
        first = request.ranking
        if first is None or not len(first):
            return request
        graph = usable_links(context, request, self.seen)
        kept = query_pages(graph, first.rows[: self.roots], self.in_links)
        found = hubs_and_authorities(graph.part(kept))
        scores = found.authorities if self.score == "authority" else found.hubs
        visible = context.visible(request)[kept]
        rows, gains = np.flatnonzero(kept)[visible], scores[visible]
        rows, gains = rows[gains > 0], gains[gains > 0]
        if not len(rows):
            return request
        return with_gain(context, request, self.name, rows, gains / gains.max(), self.weight)
