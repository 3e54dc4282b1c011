"""The systems that the page of prior art offers: those that an index can run by itself."""

from __future__ import annotations

import functools
from typing import Any

from leadline.retrieval.answers.prior_art_search import DEFAULT_SYSTEM
from leadline.retrieval.pipeline.pipeline_files import settings, system
from leadline.retrieval.pipeline.system_list import list_systems
from leadline.retrieval.pipeline.variant import PATENTS

_WITH_MODEL = frozenset({"cross_encoder", "dense", "hybrid", "learned_sparse"})


@functools.cache
def prior_art_systems() -> tuple[str, ...]:
    """The names of the systems for patents, the default first.

    A system that loads a model of language is left to jobs: a page has to answer within seconds.
    """
    named = [one.name for one in list_systems().items if PATENTS in one.tasks and ":" not in one.name]
    others = [name for name in named if name != DEFAULT_SYSTEM and not _loads_model(settings(system(name)))]
    return DEFAULT_SYSTEM, *others


def _loads_model(steps: Any) -> bool:
    """Whether a pipeline loads a model, from its settings.

    >>> _loads_model([{"step": "search"}, {"step": "dense"}]), _loads_model([{"step": "search", "model": "bm25"}])
    (True, False)
    """
    if isinstance(steps, (list, tuple)):
        return any(map(_loads_model, steps))
    if not isinstance(steps, dict):
        return False
    if steps.get("step") == "where" and steps.get("vectors") == "stored":  # only where the index has the vectors
        return _loads_model(steps.get("otherwise"))
    return steps.get("step") in _WITH_MODEL or any(map(_loads_model, steps.values()))
