"""The best terms of each field of a patent as its query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from leadline.errors import checked_choice
from leadline.options import Count, Names
from leadline.retrieval.pipeline.context import PATENT_FIELDS, Into, Request, queries_of, term_counts
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

Weighing = Literal["frequency", "tfidf", "once"]
WEIGHED: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "frequency": lambda tf, tfidf: tf,
    "tfidf": lambda tf, tfidf: tfidf,
    "once": lambda tf, tfidf: np.ones(len(tf)),
}


@step("best_terms")
class BestTerms(Step):
    """The n terms of each field with the largest TF-IDF.

    Formula: tf · ln(N / df), tf and df within the field; where the index lacks the field, df is the largest of all
    others. Terms in fewer than `fewest` documents are left out: with 2, those that only the topic has.

    `n` is one number, or one for each field; of a field that is not named there, all terms are taken. At TREC-CHEM 2009
    Purdue took 30 of each field and all words of the title, DUTIR took 60.
    """

    needs_patent: ClassVar[bool] = True
    n: Count | Mapping[str, Count] = 30
    fields: Names = PATENT_FIELDS
    weights: Mapping[str, float] = field(default_factory=dict)
    weighing: Weighing = "frequency"
    fewest: Count = 2
    into: Into = "all"
    of: Names = ()  # the patent's fields of which derived ones are made (default: all)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.of:
            checked_choice("best_terms: of", name, PATENT_FIELDS)

    def __call__(self, context: SearchContext, request: Request) -> Request:
        document = context.document(request)
        parts = {
            name: self._best(context, dict(term_counts(context, document, name, self.of)), name) for name in self.fields
        }
        return replace(request, queries=queries_of(parts, self.into))

    def _best(self, context: SearchContext, counted: Mapping[str, int], name: str) -> dict[str, float]:
        terms = np.array(sorted(counted), object)
        tf = np.array([counted[term] for term in terms], np.float64)
        within = [name] if name in context.index.fields else context.fields
        df = context.document_frequencies(list(terms), within)
        tfidf = tf * np.log(len(context.index) / np.maximum(df, 1))
        n = self.n if isinstance(self.n, int) else self.n.get(name, len(terms))
        order = np.argsort(-tfidf, kind="stable")
        best = order[df[order] >= self.fewest][:n]
        weights = self.weights.get(name, 1.0) * WEIGHED[self.weighing](tf, tfidf)
        return dict(zip(terms[best].tolist(), weights[best].tolist(), strict=True))
