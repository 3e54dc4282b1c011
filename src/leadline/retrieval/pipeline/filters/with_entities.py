"""Keep only documents that name an entity of the topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import checked_choice
from leadline.options import Names
from leadline.retrieval.choices import DERIVED
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step
from leadline.retrieval.pipeline.query.entity_weights import ENTITY_FIELDS, entity_terms

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("with_entities")
class WithEntities(Step):
    """Find only documents with a word of at least one entity of the topic; without entities nothing is excluded.

    Entities are those that the derived fields `of` would find in the topic's text. Purdue filtered the documents of
    the technical survey by recognised entities at TREC-CHEM 2009.
    """

    of: Names = ENTITY_FIELDS

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.of:
            checked_choice("with_entities: of", name, DERIVED)

    def __call__(self, context: SearchContext, request: Request) -> Request:
        terms = [term.encode() for term in sorted(entity_terms(context, request, self.of))]
        having = np.zeros(len(context.index), np.bool_)
        for field in context.fields if terms else ():
            having[context.index.lists(field, terms).documents] = True
        # Names that no document has would exclude everything.
        return request.only(having) if having.any() else request
