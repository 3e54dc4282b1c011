"""The steps of pipelines: `Text() >> Search("bm25") >> Citations() >> OneAFamily()`; see docs/pipelines.md.

A step of your own is a class with the decorator `step`, and synonyms of your own for the step `expand` are a function
with the decorator `synonym_source`. `system("bitem")` is a named system; `systems()` names all.

>>> from leadline.steps import OneAFamily, Search, Text
>>> len((Text() >> Search("bm25(k1=0.9)") >> OneAFamily()).steps)
3
"""

from __future__ import annotations

from typing import Any

from leadline.retrieval.pipeline import steps as _steps
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.named_systems import read_pipeline, system, systems
from leadline.retrieval.pipeline.pipeline import STEPS, step
from leadline.retrieval.pipeline.steps import *  # noqa: F403
from leadline.retrieval.pipeline.synonyms.thesaurus import Thesaurus, synonym_source

__all__ = ["Request", "Thesaurus", "names", "read_pipeline", "step", "synonym_source", "system", "systems"]
__all__ += _steps.__all__


def names() -> list[str]:
    """The name of every step in files of pipelines."""
    return list(STEPS)


def __getattr__(name: str) -> Any:
    """A step that another package or this program added, by the name of its class."""
    for kind in STEPS.values():
        if kind.__name__ == name:
            return kind
    raise AttributeError(f"module 'leadline.steps' has no attribute {name!r}")
