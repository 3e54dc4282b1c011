"""Leadline measures how deep a search system lets a professional reach, and whether the answer can be believed.

>>> import leadline as ll
>>> ll.evaluate({"1": {"d1": 1}}, {"1": {"d1": 2.0}}, ["PRES@100"]).means()
array([[1.]])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leadline.errors import InputError, LeadlineError, MeasureError, MismatchError

if TYPE_CHECKING:
    from leadline import published
    from leadline.measures.evaluate import evaluate
    from leadline.measures.explain import explain_topic
    from leadline.measures.ideal import ideal_run
    from leadline.measures.notation import parse_measure
    from leadline.qrels.qrels import Qrels
    from leadline.qrels.read import read_qrels
    from leadline.runs.read import read_run
    from leadline.runs.run import Run
    from leadline.scores.scores import Scores

__version__ = "0.1.0"
__all__ = [
    "InputError",
    "LeadlineError",
    "MeasureError",
    "MismatchError",
    "Qrels",
    "Run",
    "Scores",
    "evaluate",
    "explain_topic",
    "ideal_run",
    "parse_measure",
    "published",
    "read_qrels",
    "read_run",
]

# Imported when first asked for, so that a command pays only for what it uses.
_HOMES = {
    "evaluate": "leadline.measures.evaluate",
    "explain_topic": "leadline.measures.explain",
    "ideal_run": "leadline.measures.ideal",
    "parse_measure": "leadline.measures.notation",
    "Qrels": "leadline.qrels.qrels",
    "read_qrels": "leadline.qrels.read",
    "read_run": "leadline.runs.read",
    "Run": "leadline.runs.run",
    "Scores": "leadline.scores.scores",
}


def __getattr__(name: str) -> Any:
    import importlib

    if name == "published":
        return importlib.import_module("leadline.published")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'leadline' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
