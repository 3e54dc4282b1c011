"""Fields derived from the texts of a document's other fields.

Each is a file in this folder with a function of the same name, which returns the terms of texts. The index stores them
like those of any field; `terms` gives those of a query.

    phrases     noun phrases, each one term: "acet acid"
    biology     names of enzymes, proteins, antibodies, organisms and genes
    entities    registry numbers, formulas, names of chemicals, codes such as IL-6
    sentences   words, each counted once per sentence

>>> from leadline.retrieval.index.analysis import Analysis
>>> terms("phrases", ["A fuel injection valve is opened."], Analysis())
['fuel inject', 'inject valv', 'fuel inject valv']
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import cache

from leadline.errors import checked_choice
from leadline.retrieval.choices import DERIVED
from leadline.retrieval.index.analysis import Analysis, Occurrences

FieldFunction = Callable[[Sequence[str], Analysis], Occurrences]


@cache
def field_function(name: str) -> FieldFunction:
    """The function that derives a field from texts."""
    checked_choice("derived field", name, DERIVED)
    function: FieldFunction = getattr(importlib.import_module(f"{__name__}.{name}"), name)
    return function


def terms(name: str, texts: Sequence[str], analysis: Analysis) -> list[str]:
    """The terms of one document in a derived field, from the texts of its other fields."""
    return field_function(name)(["\n".join(texts)], analysis).of_text(0)


def split_fields(fields: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split fields into those of the documents and derived ones.

    >>> split_fields(["title", "phrases", "claims"])
    (['title', 'claims'], ['phrases'])
    """
    return [name for name in fields if name not in DERIVED], [name for name in fields if name in DERIVED]
