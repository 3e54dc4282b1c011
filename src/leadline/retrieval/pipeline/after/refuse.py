"""Refuse a kind of topic that a pipeline has no answer for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadline.errors import InputError
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("refuse")
class Refuse(Step):
    """Stop with an error that names the topic and the reason: `Either(patent=Refuse("is a patent"), text=…)`."""

    reason: str = "has no pipeline"

    def __call__(self, context: SearchContext, request: Request) -> Request:
        raise InputError(f"topic {request.topic.id}", self.reason)
