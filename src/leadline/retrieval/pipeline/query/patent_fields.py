"""The terms of a patent, by field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal

from leadline.collections.documents.document import Document
from leadline.errors import checked_choice
from leadline.retrieval.index import derived
from leadline.retrieval.pipeline.request import Query

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

PATENT_FIELDS = ("title", "abstract", "claims", "description")
Into = Literal["all", "same"]  # whether a field's terms are searched for in all fields of documents, or in that field


def text_of(document: Document, field: str) -> str:
    """The text of a field of a patent."""
    if field == "claims":
        return "\n".join(claim.text for claim in document.claims)
    return str(getattr(document, field))


def term_counts(context: SearchContext, document: Document, field: str) -> Counter[str]:
    """The frequency of each term in a field of a patent, which may be a derived field of the index."""
    own, derived_fields = derived.split_fields(context.index.fields)
    checked_choice("field", field, (*PATENT_FIELDS, *derived_fields))
    if field in PATENT_FIELDS:
        return Counter(context.index.analysis.terms(text_of(document, field)))
    texts = [text_of(document, name) for name in own if name in PATENT_FIELDS]
    return Counter(derived.terms(field, texts, context.index.analysis))


def queries_of(parts: Mapping[str, Mapping[str, float]], into: Into) -> tuple[Query, ...]:
    """The terms of several fields as one query, or as one for each field."""
    if into == "same":
        return tuple(Query(terms, {field: 1.0}, field) for field, terms in parts.items() if terms)
    return (Query(summed(parts.values())),)


def summed(vectors: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The sum of weighted terms.

    >>> summed([{"acid": 1.0}, {"acid": 2.0, "base": 0.5}])
    {'acid': 3.0, 'base': 0.5}
    """
    total: dict[str, float] = {}
    for terms in vectors:
        for term, weight in terms.items():
            total[term] = total.get(term, 0.0) + weight
    return total
