"""The text of a patent as its query: all of it, or chosen fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from leadline.options import Names
from leadline.retrieval.pipeline.context import PATENT_FIELDS, Into, Request, queries_of, term_counts
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

Counting = Literal["frequency", "log", "once"]
COUNTED: dict[str, Callable[[int], float]] = {
    "frequency": float,
    "log": lambda count: 1 + math.log(count),
    "once": lambda _: 1.0,
}


@step("text")
class Text(Step):
    """Every word of the patent, or of some of its fields, is a term of the query.

    The weight of a term is its count in the patent, transformed by `counting`, times the weight of its field.
    CMU found at TREC-CHEM 2009 that the whole patent is a better query than title and claims.
    """

    needs_patent: ClassVar[bool] = True
    fields: Names = PATENT_FIELDS
    weights: Mapping[str, float] = field(default_factory=dict)  # of fields (default: 1)
    counting: Counting = "frequency"
    into: Into = "all"

    def __call__(self, context: SearchContext, request: Request) -> Request:
        document, transformed = context.document(request), COUNTED[self.counting]
        parts = {
            name: {
                term: self.weights.get(name, 1.0) * transformed(count)
                for term, count in term_counts(context, document, name).items()
            }
            for name in self.fields
        }
        return replace(request, queries=queries_of(parts, self.into))
