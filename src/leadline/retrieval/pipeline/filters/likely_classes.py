"""Keep only documents in the classes that the first results have most often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from leadline.options import Count, Share
from leadline.retrieval.pipeline.combining import with_gain
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.context_data import ClassLevel
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("likely_classes")
class LikelyClasses(Step):
    """Find only documents with one of the `n` commonest classes of the first results, or boost them.

    A topic in words has no class of its own: the classes of the first `documents` results stand for it. A document
    without any class, such as an article, is always kept. With `how="boost"` the formula is (1 − weight) · first +
    weight · (1 for a document with such a class). BiTeM filtered by IPC in runs of the technical survey at TREC-CHEM
    2009.
    """

    n: Count = 3
    documents: Count = 50
    level: ClassLevel = "subclass"
    how: Literal["filter", "boost"] = "filter"
    weight: Share = 0.2

    def __call__(self, context: SearchContext, request: Request) -> Request:
        first = request.ranking
        if first is None or not len(first):
            return request
        at = context.classes.at(self.level)
        rows = first.rows[: self.documents]
        codes = np.concatenate([at.codes[at.offsets[row] : at.offsets[row + 1]] for row in rows.tolist()])
        if not len(codes):
            return request.with_note("without any class among the first results")
        counts = np.bincount(codes, minlength=len(at.numbers))
        likely = np.argsort(-counts, kind="stable")[: self.n]
        before = np.concatenate([[0], np.cumsum(np.isin(at.codes, likely[counts[likely] > 0]))])
        has_likely = before[at.offsets[1:]] > before[at.offsets[:-1]]
        if self.how == "filter":
            return request.only(has_likely | (np.diff(at.offsets) == 0))
        return with_gain(
            context, request, self.name, first.rows, has_likely[first.rows].astype(np.float64), self.weight
        )
