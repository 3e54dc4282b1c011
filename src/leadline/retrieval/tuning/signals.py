"""What a tuned system is made of: signals, each a pipeline that scores documents in its own way.

The first signal is a search by words. Signals that boost results (classes, citations) start from its results and are
taken as they are, from 0 to 1; the scores of the others are brought from 0 to 1 in each list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.dense.stored_vectors import stored_vectors
from leadline.retrieval.pipeline.combining import Normalising
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.forest import Forest
from leadline.retrieval.pipeline.pipeline import Pipeline, Step, pipeline_of
from leadline.retrieval.pipeline.steps import (
    RM3,
    BestTerms,
    Citations,
    ClassAgreement,
    Cut,
    Dense,
    FamilyMembers,
    Fuse,
    Search,
    Survey,
    Text,
    Trees,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEPTH = 1000  # results of a signal
VECTORS = "vectors"  # the signal of the index's vectors
LANGUAGE_MODEL = Search("jelinek-mercer(background=0.85)")
TITLED = Search("bm25", title=2.0)


@dataclass(frozen=True)
class LearnedCombination:
    """How signals are combined: their weights, and trees whose values are added to the weighted sum."""

    weights: tuple[float, ...]
    forest: Forest | None = None
    gains: tuple[float, ...] = ()  # each signal's share of what the trees gained

    def scores(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """The score of each candidate, by candidates × signals."""
        scores = features @ np.array(self.weights)
        return scores if self.forest is None else scores + self.forest.values(features)

    @property
    def shares(self) -> list[float]:
        """The weights, normalised to sum 1."""
        return [weight / (sum(self.weights) or 1.0) for weight in self.weights]


@dataclass(frozen=True)
class Signals:
    """The first search, and signals that start from its results, by name."""

    first: Step
    others: Mapping[str, Step]
    after: Step | None  # what is done with the combined results

    @property
    def names(self) -> list[str]:
        return list(self.others)

    @property
    def normalising(self) -> list[Normalising]:
        return ["none" if isinstance(step, (ClassAgreement, Citations)) else "minmax" for step in self.others.values()]

    def system(self, learned: LearnedCombination) -> Pipeline:
        """The pipeline that combines the signals as learned; those that do not count are left out."""
        forest = learned.forest
        asked = set(forest.features) if forest else set()
        kept = [place for place, weight in enumerate(learned.weights) if weight or place in asked]
        steps, kinds = list(self.others.values()), self.normalising
        of, normalise = tuple(steps[place] for place in kept), tuple(kinds[place] for place in kept)
        weights = tuple(learned.weights[place] for place in kept)
        combining: Step = Fuse(of, "linear", weights, normalise, depth=DEPTH)
        if forest is not None:
            renumbered = replace(forest, features=tuple(kept.index(feature) for feature in forest.features))
            combining = Trees(
                of, weights, normalise, **{field.name: getattr(renumbered, field.name) for field in fields(Forest)},
                checksum=renumbered.checksum, depth=DEPTH,
            )  # fmt: skip
        combined = self.first >> combining
        return pipeline_of(combined if self.after is None else combined >> self.after)


def signals_for(context: SearchContext, *, patents: bool) -> Signals:
    """The signals that an index has for topics that are patents, or for topics in words."""
    first = Text(counting="log") >> LANGUAGE_MODEL if patents else Survey() >> TITLED
    others: dict[str, Step] = {"words": Cut(DEPTH)}
    if patents:
        others |= {"bm25": Text() >> Search("bm25"), "best terms": BestTerms() >> Search("bm25")}
        if "phrases" in context.index.fields:
            others["noun phrases"] = BestTerms(200, ("phrases",), into="same") >> LANGUAGE_MODEL
        if len(context.classes.codes):
            others |= {"classes": ClassAgreement("subclass", 1.0), "groups": ClassAgreement("group", 1.0)}
    else:
        others["bm25"] = Survey() >> Search("bm25")
        others["feedback"] = RM3(10, 30, 0.7, chances="equal") >> TITLED
    if stored_vectors(context) is not None:
        others[VECTORS] = Dense()
    if context.has_collection and len(context.citations.targets):
        others["citations"] = Citations(10, 1.0, credit="rank", cap=2.0)
    families = bool((context.family >= 0).any())
    return Signals(first, others, FamilyMembers() if families else None)
