"""Combine the results of several pipelines with regression trees that were learned on judged topics."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from leadline.errors import InputError
from leadline.retrieval.pipeline.after.fuse import rankings_of
from leadline.retrieval.pipeline.combining import Normalising, aligned
from leadline.retrieval.pipeline.forest import Forest
from leadline.retrieval.pipeline.options import Count
from leadline.retrieval.pipeline.pipeline import Step, step
from leadline.retrieval.pipeline.request import Request

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("trees")
class Trees(Step):
    """Combine the results of several pipelines, each of which starts from the same request, with weights and trees.

    The score of a document is the weighted sum of its scores in the lists, as `fuse` has it, and the sum of the trees.
    The trees are those that `leadline tune --learner lambdamart` writes; `checksum` is that of their numbers.

    Paper: Burges, From RankNet to LambdaRank to LambdaMART, Microsoft Research, 2010.
    """

    of: tuple[Step, ...] = ()
    weights: tuple[float, ...] = ()
    normalise: tuple[Normalising, ...] = ()
    roots: tuple[int, ...] = ()
    features: tuple[int, ...] = ()  # the list, from 0, whose score each node asks for
    thresholds: tuple[float, ...] = ()
    left: tuple[int, ...] = ()
    right: tuple[int, ...] = ()
    leaves: tuple[float, ...] = ()
    checksum: str = ""
    depth: Count = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.of:
            raise InputError("trees: of", "name the pipelines to combine")
        for name in ("weights", "normalise"):
            if len(getattr(self, name)) != len(self.of):
                raise InputError(
                    f"trees: {name}", f"must be {len(self.of)}, one per pipeline, got {len(getattr(self, name))}"
                )
        self.forest.check("trees", len(self.of))
        if self.checksum != self.forest.checksum:
            raise InputError(
                "trees", "the checksum does not fit its numbers: write the system again with leadline tune"
            )

    @cached_property
    def forest(self) -> Forest:
        return Forest(self.roots, self.features, self.thresholds, self.left, self.right, self.leaves)

    @property
    def wants_patent(self) -> bool:
        return any(pipeline.wants_patent for pipeline in self.of)

    def __call__(self, context: SearchContext, request: Request) -> Request:
        lists, notes = rankings_of(self.name, self.of, context, request)
        rows, scores, _ = aligned(lists, self.normalise)
        total = scores.T @ self.weights + self.forest.values(scores.T)
        return replace(request, ranking=context.ranking(rows, total, self.depth), notes=notes)
