"""Results from an existing run, of another system or of manual queries."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import InputError
from leadline.records.runs import Run, read_run
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("run")
class FromRun(Step):
    """The topic's documents in a run file in TREC's format, without those that are hidden from the topic."""

    file: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.file:
            raise InputError("run: file", "name the file of a run")

    def __call__(self, context: SearchContext, request: Request) -> Request:
        run = _read(self.file)
        topic = request.topic.id
        listed = run.ranking(topic) if topic in run.topics else []
        rows = context.rows([document for document, _ in listed])
        inside = rows >= 0
        scores = np.array([score for _, score in listed], np.float64)
        request = replace(request, ranking=context.ranking(rows[inside], scores[inside])).filtered(
            context.visible(request)
        )
        if not listed:
            return request.with_note(f"not in the run {run.name}")
        return (
            request if inside.all() else request.with_note(f"with documents in the run {run.name} that the index lacks")
        )


@lru_cache(maxsize=16)
def _read(file: str) -> Run:
    return read_run(file)
