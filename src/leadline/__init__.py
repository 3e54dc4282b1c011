"""Leadline measures how deep a search system lets a professional reach, and whether the answer can be believed.

What `__all__` lists is public, with what the submodules `measures`, `models`, `steps`, `readers` and `figures` list in
theirs. Everything else is private and may change at any time.

>>> import leadline as ll
>>> ll.evaluate({"1": {"d1": 1}}, {"1": {"d1": 2.0}}, ["PRES@100"])["PRES@100"]
{'run': 1.0}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leadline.errors import InputError, LeadlineError, LeadlineWarning, MeasureError, MismatchError, UsageError
from leadline.version import __version__

if TYPE_CHECKING:
    from leadline import figures, measures, models, readers, steps
    from leadline.collections.crawl.crawl_folder import crawl
    from leadline.collections.documents.collection import Collection
    from leadline.collections.documents.document import Document
    from leadline.collections.duplicates.find import Duplicates, duplicates
    from leadline.collections.links.graph import LinkGraph
    from leadline.collections.links.reading import read_links
    from leadline.collections.links.statistics import crawl_overlap, link_statistics, sample_bias, sample_pages
    from leadline.judge.citations import from_citations
    from leadline.judge.review.labels import read_labels
    from leadline.judge.review.simulation import simulate_review
    from leadline.judge.review.stopping import Certificate
    from leadline.measures.definition import Measure, parse_measure
    from leadline.measures.evaluate import evaluate, read_scores
    from leadline.measures.explain import explain_topic
    from leadline.measures.subtopics import ideal_run
    from leadline.records.qrels import Qrels, read_qrels
    from leadline.records.runs import Run, read_run
    from leadline.records.scores import Scores
    from leadline.records.topics import Topic, Topics
    from leadline.retrieval.dense.near_duplicates import vector_duplicates
    from leadline.retrieval.engines.asking import run_engine
    from leadline.retrieval.index.index import Index
    from leadline.retrieval.models.searcher import Searcher
    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.retrieval.public import (
        build_collection,
        build_index,
        hits,
        indegree,
        make_run,
        measure_strategy,
        pagerank,
        prior_art,
        pyterrier_retriever,
        run_strategy,
        search,
        systems,
        translate_strategy,
    )
    from leadline.show.check import check
    from leadline.show.directory import directory
    from leadline.show.findability import findability
    from leadline.show.lab.client import LabClient, connect
    from leadline.show.public import published_scores, report, tune
    from leadline.trust.public import (
        agreement,
        compare,
        correlation,
        effort_to_recall,
        incomplete,
        left_out,
        overlap,
        plan,
        power,
        retrievability,
        slices,
        spectrogram,
        verdict,
    )
    from leadline.trust.study import Study, open_study

__all__ = [
    "Certificate",
    "Collection",
    "Document",
    "Duplicates",
    "Index",
    "InputError",
    "LabClient",
    "LeadlineError",
    "LeadlineWarning",
    "LinkGraph",
    "Measure",
    "MeasureError",
    "MismatchError",
    "Qrels",
    "Run",
    "Scores",
    "SearchContext",
    "Searcher",
    "Study",
    "Topic",
    "Topics",
    "UsageError",
    "__version__",
    "agreement",
    "build_collection",
    "build_index",
    "check",
    "compare",
    "connect",
    "correlation",
    "crawl",
    "crawl_overlap",
    "directory",
    "duplicates",
    "effort_to_recall",
    "evaluate",
    "explain_topic",
    "figures",
    "findability",
    "from_citations",
    "hits",
    "ideal_run",
    "incomplete",
    "indegree",
    "left_out",
    "link_statistics",
    "make_run",
    "measure_strategy",
    "measures",
    "models",
    "open_study",
    "overlap",
    "pagerank",
    "parse_measure",
    "plan",
    "power",
    "prior_art",
    "published_scores",
    "pyterrier_retriever",
    "read_labels",
    "read_links",
    "read_qrels",
    "read_run",
    "read_scores",
    "readers",
    "report",
    "retrievability",
    "run_engine",
    "run_strategy",
    "sample_bias",
    "sample_pages",
    "search",
    "simulate_review",
    "slices",
    "spectrogram",
    "steps",
    "systems",
    "translate_strategy",
    "tune",
    "vector_duplicates",
    "verdict",
]

# The module of each name, imported when the name is first used, so that a program pays only for what it uses.
_HOMES = {
    "leadline.retrieval.public": (
        "build_collection",
        "build_index",
        "hits",
        "indegree",
        "make_run",
        "measure_strategy",
        "pagerank",
        "prior_art",
        "pyterrier_retriever",
        "run_strategy",
        "search",
        "systems",
        "translate_strategy",
    ),
    "leadline.retrieval.dense.near_duplicates": ("vector_duplicates",),
    "leadline.retrieval.engines.asking": ("run_engine",),
    "leadline.show.check": ("check",),
    "leadline.show.directory": ("directory",),
    "leadline.show.findability": ("findability",),
    "leadline.show.lab.client": ("LabClient", "connect"),
    "leadline.show.public": ("published_scores", "report", "tune"),
    "leadline.trust.public": (
        "agreement",
        "compare",
        "correlation",
        "effort_to_recall",
        "incomplete",
        "left_out",
        "overlap",
        "plan",
        "power",
        "retrievability",
        "slices",
        "spectrogram",
        "verdict",
    ),
    "leadline.collections.crawl.crawl_folder": ("crawl",),
    "leadline.collections.documents.document": ("Document",),
    "leadline.judge.review.labels": ("read_labels",),
    "leadline.collections.documents.collection": ("Collection",),
    "leadline.collections.links.graph": ("LinkGraph",),
    "leadline.collections.links.reading": ("read_links",),
    "leadline.collections.links.statistics": ("crawl_overlap", "link_statistics", "sample_bias", "sample_pages"),
    "leadline.collections.duplicates.find": ("Duplicates", "duplicates"),
    "leadline.judge.citations": ("from_citations",),
    "leadline.judge.review.stopping": ("Certificate",),
    "leadline.judge.review.simulation": ("simulate_review",),
    "leadline.measures.evaluate": ("evaluate", "read_scores"),
    "leadline.measures.explain": ("explain_topic",),
    "leadline.measures.subtopics": ("ideal_run",),
    "leadline.measures.definition": ("Measure", "parse_measure"),
    "leadline.records.qrels": ("Qrels", "read_qrels"),
    "leadline.records.runs": ("Run", "read_run"),
    "leadline.records.scores": ("Scores",),
    "leadline.records.topics": ("Topic", "Topics"),
    "leadline.retrieval.index.index": ("Index",),
    "leadline.retrieval.models.searcher": ("Searcher",),
    "leadline.retrieval.pipeline.context": ("SearchContext",),
    "leadline.trust.study": ("Study", "open_study"),
}
_SUBMODULES = ("figures", "measures", "models", "readers", "steps")


def __getattr__(name: str) -> Any:
    import importlib

    if name in _SUBMODULES:
        return importlib.import_module(f"leadline.{name}")
    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(home), name)
    raise AttributeError(f"module 'leadline' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
