"""Exclude documents that are too late for a topic."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.collections.documents.families import DateRule
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("dates")
class Dates(Step):
    """Exclude documents that are too late, by a rule of `documents/families.py` (default: publication).

    Before a search it limits the documents that are searched; after one it removes results. A step between two of them
    may use documents that the result must not have: `Dates("none") >> Search() >> … >> Dates()`.
    """

    by: DateRule = "publication"

    def __call__(self, context: SearchContext, request: Request) -> Request:
        changed = replace(request, dates=self.by)
        return changed if changed.ranking is None else changed.filtered(context.visible(changed))
