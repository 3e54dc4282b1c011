"""Leadline measures how deep a search system lets a professional reach, and whether the answer can be believed.

>>> import leadline as ll
>>> ll.evaluate({"1": {"d1": 1}}, {"1": {"d1": 2.0}}, ["PRES@100"]).means()
array([[1.]])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leadline.errors import InputError, LeadlineError, MeasureError, MismatchError
from leadline.version import __version__

if TYPE_CHECKING:
    from leadline.collections.documents.store import Collection
    from leadline.judge.citations.from_citations import from_citations
    from leadline.measures.evaluate import evaluate
    from leadline.measures.explain import explain_topic
    from leadline.measures.ideal import ideal_run
    from leadline.measures.notation import parse_measure
    from leadline.records.qrels.qrels import Qrels
    from leadline.records.qrels.read_qrels import read_qrels
    from leadline.records.runs.read_runs import read_run
    from leadline.records.runs.run import Run
    from leadline.records.scores.read_scores import read_scores
    from leadline.records.scores.scores import Scores
    from leadline.records.topics.topic import Topics
    from leadline.search.index.index import Index
    from leadline.search.models.searcher import Searcher
    from leadline.search.pipeline.context import SearchContext
    from leadline.show.papers import published
    from leadline.trust.agreement import agreement
    from leadline.trust.correlation import correlation
    from leadline.trust.face import compare, incomplete, power, verdicts
    from leadline.trust.slices import slices
    from leadline.trust.spectrogram import spectrogram
    from leadline.trust.study import open_study

__all__ = [
    "Collection",
    "Index",
    "InputError",
    "LeadlineError",
    "MeasureError",
    "MismatchError",
    "Qrels",
    "Run",
    "Scores",
    "SearchContext",
    "Searcher",
    "Topics",
    "__version__",
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
    "compare": "leadline.trust.face",
    "agreement": "leadline.trust.agreement",
    "correlation": "leadline.trust.correlation",
    "incomplete": "leadline.trust.face",
    "power": "leadline.trust.face",
    "verdicts": "leadline.trust.face",
    "slices": "leadline.trust.slices",
    "spectrogram": "leadline.trust.spectrogram",
    "open_study": "leadline.trust.study",
    "read_scores": "leadline.records.scores.read_scores",
    "evaluate": "leadline.measures.evaluate",
    "explain_topic": "leadline.measures.explain",
    "ideal_run": "leadline.measures.ideal",
    "parse_measure": "leadline.measures.notation",
    "Collection": "leadline.collections.documents.store",
    "Index": "leadline.search.index.index",
    "SearchContext": "leadline.search.pipeline.context",
    "Qrels": "leadline.records.qrels.qrels",
    "Searcher": "leadline.search.models.searcher",
    "Topics": "leadline.records.topics.topic",
    "from_citations": "leadline.judge.citations.from_citations",
    "read_qrels": "leadline.records.qrels.read_qrels",
    "read_run": "leadline.records.runs.read_runs",
    "Run": "leadline.records.runs.run",
    "Scores": "leadline.records.scores.scores",
}


def __getattr__(name: str) -> Any:
    import importlib

    if name == "published":
        return importlib.import_module("leadline.show.papers.published")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'leadline' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
