"""One pipeline for topics that are patents, another for those that are texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadline.errors import InputError
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("either")
class Either(Step):
    """Run one pipeline for topics that are patents, another for texts, so that a system handles both tasks."""

    patent: Step | None = None
    text: Step | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.patent is None or self.text is None:
            raise InputError("either", "name both pipelines, `patent` and `text`")

    def __call__(self, context: SearchContext, request: Request) -> Request:
        chosen = self.patent if request.is_patent else self.text
        assert chosen is not None
        return chosen(context, request)
