"""Measures, and how to add one: a function of Hits with the decorator `measure`.

>>> from leadline import measures
>>> measures.parse("PRES@100").text, "PRES" in measures.names()
('PRES@100', True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# Imported now: the import of the module `measure` would later replace the function of that name here.
from leadline.measures.hits import Array, Hits, ratio
from leadline.measures.measure import Measure, measure

if TYPE_CHECKING:
    from leadline.measures.for_ir_measures import offer as offer_to_ir_measures
    from leadline.measures.notation import parse_measure as parse

__all__ = ["Array", "Hits", "Measure", "measure", "names", "offer_to_ir_measures", "parse", "ratio"]

# Imported when first used: an evaluation imports only the modules it needs.
_HOMES = {
    "parse": ("leadline.measures.notation", "parse_measure"),
    "offer_to_ir_measures": ("leadline.measures.for_ir_measures", "offer"),
}


def names() -> list[str]:
    """The name of every measure."""
    from leadline.measures.measure import MEASURES

    return list(MEASURES)


def __getattr__(name: str) -> Any:
    import importlib

    if name not in _HOMES:
        raise AttributeError(f"module 'leadline.measures' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(importlib.import_module(module), attribute)
