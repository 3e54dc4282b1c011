"""Combine the results of several pipelines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import InputError
from leadline.options import Count, Weight
from leadline.records.runs import Run
from leadline.records.ties import tie_order
from leadline.retrieval.models.ranking import Ranking
from leadline.retrieval.pipeline.combining import Combining, Normalising, combined
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("fuse")
class Fuse(Step):
    """Combine the results of several pipelines, each of which starts from the same request.

    `how` is linear (with `weights`), combsum, combmnz or rrf. The scores of each list are first normalised with
    `normalise="minmax"` or `"z"`, or one of these for each list; a document that is not in a list gets the score of its
    last document. A pipeline may be a single step, such as a run from a file.
    """

    of: tuple[Step, ...] = ()
    how: Combining = "rrf"
    weights: tuple[float, ...] = ()
    normalise: Normalising | tuple[Normalising, ...] = "minmax"
    constant: Weight = 60.0
    depth: Count = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.of:
            raise InputError("fuse: of", "name the pipelines to combine")
        if self.weights and len(self.weights) != len(self.of):
            raise InputError("fuse: weights", f"must be {len(self.of)}, one per pipeline, got {len(self.weights)}")
        if not isinstance(self.normalise, str) and len(self.normalise) != len(self.of):
            raise InputError("fuse: normalise", f"must be {len(self.of)}, one per pipeline, got {len(self.normalise)}")

    @property
    def wants_patent(self) -> bool:
        return any(pipeline.wants_patent for pipeline in self.of)

    def __call__(self, context: SearchContext, request: Request) -> Request:
        lists, notes = rankings_of(self.name, self.of, context, request)
        rows, scores = combined(lists, self.how, self.weights, self.normalise, self.constant)
        return replace(request, ranking=context.ranking(rows, scores, self.depth), notes=notes)


def rankings_of(
    name: str, pipelines: Sequence[Step], context: SearchContext, request: Request
) -> tuple[list[Ranking], tuple[str, ...]]:
    """The results of each pipeline for the same request, and the notes of all, each once."""
    done = [pipeline(context, request) for pipeline in pipelines]
    lists = [one.ranking for one in done if one.ranking is not None]
    if len(lists) < len(done):
        raise InputError(f"{name}: of", "a pipeline finds no documents: end each with a search")
    return lists, tuple(dict.fromkeys(note for one in done for note in one.notes))


def merged(
    runs: Sequence[Run],
    how: Combining = "rrf",
    weights: Sequence[float] = (),
    normalise: Normalising = "minmax",
    *,
    constant: float = 60.0,
    k: int = 1000,
    name: str = "merged",
) -> Run:
    """Merge runs of any indexes and systems. For each topic, the runs that have it are combined.

    >>> a, b = Run.of({"7": {"d1": 2.0, "d2": 1.0}}), Run.of({"7": {"d2": 5.0, "d3": 4.0}})
    >>> [document for document, _ in merged([a, b]).ranking("7")]
    ['d2', 'd1', 'd3']
    """
    if weights and len(weights) != len(runs):
        raise InputError("weights", f"must be {len(runs)}, one per run, got {len(weights)}")
    found: dict[str, dict[str, float]] = {}
    for topic in dict.fromkeys(topic for run in runs for topic in run.topics):
        answering = [number for number, run in enumerate(runs) if topic in run.topics]
        rankings = [runs[number].ranking(topic) for number in answering]
        code = {document: place for place, document in enumerate(dict.fromkeys(_documents(rankings)))}
        lists = [
            Ranking(
                np.array([code[document] for document, _ in ranking], np.int32),
                np.array([score for _, score in ranking], np.float64),
            )
            for ranking in rankings
        ]
        their_weights = [weights[number] for number in answering] if weights else ()
        rows, scores = combined(lists, how, their_weights, normalise, constant)
        names = list(code)
        best = tie_order(scores, np.array([names[row].encode() for row in rows]))[:k]
        found[topic] = {names[rows[place]]: float(scores[place]) for place in best}
    return Run.of(found, name)


def _documents(rankings: Iterable[list[tuple[str, float]]]) -> Iterable[str]:
    return (document for ranking in rankings for document, _ in ranking)
