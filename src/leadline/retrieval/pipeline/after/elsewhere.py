"""Run a pipeline in another index of the same documents, or of some of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.errors import InputError
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("elsewhere")
class Elsewhere(Step):
    """Search another index, with its own fields and analysis, and keep the results that are in this one too.

    Fused with a search of this index, it merges two indexes, as Iowa did with one of claims and one of everything else.
    """

    index: str = ""
    then: Step | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.index or self.then is None:
            raise InputError("elsewhere", "name an index, and with `then` the pipeline to run in it")

    @property
    def wants_patent(self) -> bool:
        return self.then is not None and self.then.wants_patent

    def __call__(self, context: SearchContext, request: Request) -> Request:
        assert self.then is not None
        there = context.other_index(self.index)
        topic = context.document(request) if request.is_patent and self.wants_patent else request.topic
        asked = there.request(topic)
        done = self.then(there, replace(asked, topic=request.topic, dates=request.dates))
        if done.ranking is None:
            raise InputError("elsewhere: then", "finds no documents: end it with a search")
        rows = context.rows(there.names(done.ranking.rows))
        inside = rows >= 0
        ranking = context.ranking(rows[inside], done.ranking.scores[inside])
        return replace(request, ranking=ranking, notes=(*request.notes, *done.notes)).filtered(context.visible(request))
