"""Leadline measures how deep a search system lets a professional reach, and whether the answer can be believed.

>>> import leadline as ll
>>> ll.evaluate({"1": {"d1": 1}}, {"1": {"d1": 2.0}}, ["PRES@100"]).means()
array([[1.]])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leadline.errors import InputError, LeadlineError, MeasureError, MismatchError

if TYPE_CHECKING:
    from leadline import compare, published
    from leadline.compare.agreement import agreement
    from leadline.compare.correlation import correlation
    from leadline.compare.face import incomplete, power, verdicts
    from leadline.compare.slices import slices
    from leadline.compare.spectrogram import spectrogram
    from leadline.compare.study import open_study
    from leadline.documents.store import Collection
    from leadline.index.index import Index
    from leadline.measures.evaluate import evaluate
    from leadline.measures.explain import explain_topic
    from leadline.measures.ideal import ideal_run
    from leadline.measures.notation import parse_measure
    from leadline.qrels.from_citations import from_citations
    from leadline.qrels.qrels import Qrels
    from leadline.qrels.read import read_qrels
    from leadline.retrieve.laboratory import Laboratory
    from leadline.retrieve.scoring import Searcher
    from leadline.runs.read import read_run
    from leadline.runs.run import Run
    from leadline.scores.read import read_scores
    from leadline.scores.scores import Scores
    from leadline.topics.topic import Topics

__version__ = "0.1.0"
__all__ = [
    "Collection",
    "Index",
    "InputError",
    "Laboratory",
    "LeadlineError",
    "MeasureError",
    "MismatchError",
    "Qrels",
    "Run",
    "Scores",
    "Searcher",
    "Topics",
    "agreement",
    "compare",
    "correlation",
    "evaluate",
    "explain_topic",
    "from_citations",
    "ideal_run",
    "incomplete",
    "open_study",
    "parse_measure",
    "power",
    "published",
    "read_qrels",
    "read_run",
    "read_scores",
    "slices",
    "spectrogram",
    "verdicts",
]

# Imported when first asked for, so that a command pays only for what it uses.
_HOMES = {
    "agreement": "leadline.compare.agreement",
    "correlation": "leadline.compare.correlation",
    "incomplete": "leadline.compare.face",
    "power": "leadline.compare.face",
    "verdicts": "leadline.compare.face",
    "slices": "leadline.compare.slices",
    "spectrogram": "leadline.compare.spectrogram",
    "open_study": "leadline.compare.study",
    "read_scores": "leadline.scores.read",
    "evaluate": "leadline.measures.evaluate",
    "explain_topic": "leadline.measures.explain",
    "ideal_run": "leadline.measures.ideal",
    "parse_measure": "leadline.measures.notation",
    "Collection": "leadline.documents.store",
    "Index": "leadline.index.index",
    "Laboratory": "leadline.retrieve.laboratory",
    "Qrels": "leadline.qrels.qrels",
    "Searcher": "leadline.retrieve.scoring",
    "Topics": "leadline.topics.topic",
    "from_citations": "leadline.qrels.from_citations",
    "read_qrels": "leadline.qrels.read",
    "read_run": "leadline.runs.read",
    "Run": "leadline.runs.run",
    "Scores": "leadline.scores.scores",
}


def __getattr__(name: str) -> Any:
    import importlib

    if name in ("compare", "published"):
        return importlib.import_module(f"leadline.{name}")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'leadline' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
