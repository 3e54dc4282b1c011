"""Measures, and how to add one: a function of Hits with the decorator `measure`.

>>> from leadline import measures
>>> measures.parse("PRES@100").text, "PRES" in measures.names()
('PRES@100', True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leadline.measures.definition import Measure, measure
    from leadline.measures.definition import parse_measure as parse
    from leadline.measures.hits import Array, Hits, ratio
    from leadline.measures.other_programs import offer as offer_to_ir_measures

__all__ = ["Array", "Hits", "Measure", "measure", "names", "offer_to_ir_measures", "parse", "ratio"]

# Imported when first used: an evaluation imports only the modules it needs.
_HOMES = {
    "Array": ("leadline.measures.hits", "Array"),
    "Hits": ("leadline.measures.hits", "Hits"),
    "ratio": ("leadline.measures.hits", "ratio"),
    "Measure": ("leadline.measures.definition", "Measure"),
    "measure": ("leadline.measures.definition", "measure"),
    "parse": ("leadline.measures.definition", "parse_measure"),
    "offer_to_ir_measures": ("leadline.measures.other_programs", "offer"),
}


def names() -> list[str]:
    """The name of every measure."""
    from leadline.measures.definition import MEASURES

    return list(MEASURES)


def __getattr__(name: str) -> Any:
    import importlib

    if name not in _HOMES:
        raise AttributeError(f"module 'leadline.measures' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(importlib.import_module(module), attribute)
