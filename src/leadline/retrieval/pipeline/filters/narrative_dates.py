"""Keep only documents of the dates that a topic's text asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, date_limited, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("narrative_dates")
class NarrativeDates(Step):
    """Find only documents published when the narrative (or title, or description) asks for: "published after 1997".

    Every run does this by default; the step is for a run with any date, or for a part of a pipeline. Topics that are
    patents are left as they are. A document without a date of publication is excluded where there is such a limit. The
    words of the limit stay in the query.
    """

    def __call__(self, context: SearchContext, request: Request) -> Request:
        return date_limited(context, request)
