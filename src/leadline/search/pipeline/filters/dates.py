"""Which rule says what came too late for a topic."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.search.pipeline.pipeline import Step, step
from leadline.search.pipeline.request import Request, Rule

if TYPE_CHECKING:
    from leadline.search.pipeline.laboratory import Laboratory


@step("dates")
class Dates(Step):
    """Documents that came too late are not found, by a rule of `visibility.py`; without this step it is publication.

    Before a search it says what the search may see; behind one it takes away what was found. So a step between two of
    them may learn from documents that the result must not hold: `Dates("none") >> Search() >> … >> Dates()`.
    """

    by: Rule = "publication"

    def __call__(self, lab: Laboratory, request: Request) -> Request:
        changed = replace(request, dates=self.by)
        return changed if changed.ranking is None else changed.sifted(lab.visible(changed))
