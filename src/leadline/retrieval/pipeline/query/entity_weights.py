"""Raise the weights of a query's terms that name entities, and lower the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.errors import checked_choice
from leadline.options import Names, Weight
from leadline.retrieval.choices import DERIVED
from leadline.retrieval.index import derived
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

ENTITY_FIELDS = ("entities", "biology")


@step("entity_weights")
class EntityWeights(Step):
    """Multiply the weights of terms of the topic's entities by `raised`, and those of other terms by `lowered`.

    Entities are those that the derived fields `of` would find in the topic's text; the index need not have these
    fields. Purdue used recognised entities to change the weights of terms at TREC-CHEM 2009.
    """

    raised: Weight = 1.5
    lowered: Weight = 1.0
    of: Names = ENTITY_FIELDS

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.of:
            checked_choice("entity_weights: of", name, DERIVED)

    def __call__(self, context: SearchContext, request: Request) -> Request:
        entities = entity_terms(context, request, self.of)
        if not entities:
            return request
        return replace(
            request,
            queries=tuple(
                replace(
                    query,
                    terms={
                        term: weight * (self.raised if term in entities else self.lowered)
                        for term, weight in query.terms.items()
                    },
                )
                for query in request.queries
            ),
        )


def entity_terms(context: SearchContext, request: Request, fields: Sequence[str]) -> set[str]:
    """The words with a letter, as terms of the index, of the entities that derived fields find in the topic's text.

    A registry number is cut into numbers, which name nothing by themselves.
    """
    from leadline.retrieval.pipeline.synonyms.expand import topic_text

    text, analysis = topic_text(context, request), context.index.analysis
    entities = {entity for field in fields for entity in derived.terms(field, [text], analysis)}
    words = {word for entity in entities for word in (*entity.split(" "), *analysis.terms(entity))}
    return {word for word in words if len(word) > 1 and any(map(str.isalpha, word))}
