"""The claims of a patent as its queries, each with the claims it refers to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from leadline.collections.documents.document import Claim
from leadline.options import Weight
from leadline.retrieval.pipeline.context import Query, Request, summed
from leadline.retrieval.pipeline.context_data import unnested
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

ClaimWording = Literal["unnested", "alone"]
Which = Literal["all", "independent", "first"]


@step("claims")
class Claims(Step):
    """A query for each claim, or one for all.

    `wording="unnested"` adds to a dependent claim the text of every claim it refers to, directly or not, as in Iowa's
    runs at TREC-CHEM 2009.
    """

    needs_patent: ClassVar[bool] = True
    wording: ClaimWording = "unnested"
    which: Which = "all"
    each: Literal["apart", "together"] = "apart"
    dependent: Weight = 1.0  # the weight of a dependent claim; an independent one has 1

    def __call__(self, context: SearchContext, request: Request) -> Request:
        queries = claim_queries(context, context.document(request).claims, self.wording, self.which, self.dependent)
        if not queries:
            request = request.with_note("without claims")
        if self.each == "together" and queries:
            weighted = ({term: query.weight * count for term, count in query.terms.items()} for query in queries)
            queries = [Query(summed(weighted), name="claims")]
        return replace(request, queries=tuple(queries))


def claim_queries(
    context: SearchContext, claims: Sequence[Claim], wording: ClaimWording, which: Which = "all", dependent: float = 1.0
) -> list[Query]:
    """A query for each claim that has a term."""
    texts = unnested(claims) if wording == "unnested" else [claim.text for claim in claims]
    chosen = [
        (claim, text)
        for place, (claim, text) in enumerate(zip(claims, texts, strict=True))
        if which == "all" or (claim.independent if which == "independent" else place == 0)
    ]
    queries = [
        Query(
            Counter(context.index.analysis.terms(text)),
            name=f"claim {claim.number}",
            weight=1.0 if claim.independent else dependent,
        )
        for claim, text in chosen
    ]
    return [query for query in queries if query.terms and query.weight]
