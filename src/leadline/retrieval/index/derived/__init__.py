"""Fields that are made of a document's other fields: what an index can hold besides the words themselves.

Each is a file here with a function of the same name, which makes the terms of texts. The index keeps them as those of
any field; a query gets its terms by the same function, through `terms`.

    phrases     noun phrases, each one term: "acet acid"
    entities    registry numbers, formulas, names of chemicals, codes of things
    sentences   the words again, each counted once a sentence

>>> from leadline.retrieval.index.analysis import Analysis
>>> terms("phrases", ["A fuel injection valve is opened."], Analysis())
['fuel inject', 'inject valv', 'fuel inject valv']
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from functools import cache

from leadline.errors import checked_choice
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.occurrences import Occurrences

Deriving = Callable[[Sequence[str], Analysis], Occurrences]

DERIVED: tuple[str, ...] = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))  # found, not listed


@cache
def deriving(name: str) -> Deriving:
    """The function that makes a field of texts."""
    checked_choice("derived field", name, DERIVED)
    function: Deriving = getattr(importlib.import_module(f"{__name__}.{name}"), name)
    return function


def terms(name: str, texts: Sequence[str], analysis: Analysis) -> list[str]:
    """The terms of one document in a derived field, made of the texts of its other fields."""
    return deriving(name)(["\n".join(texts)], analysis).of_text(0)


def parted(fields: Sequence[str]) -> tuple[list[str], list[str]]:
    """The documents' own fields among some, and those that are made of them.

    >>> parted(["title", "phrases", "claims"])
    (['title', 'claims'], ['phrases'])
    """
    return [name for name in fields if name not in DERIVED], [name for name in fields if name in DERIVED]
