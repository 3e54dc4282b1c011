"""The systems of the demo and of the study: the eight of TREC-CHEM 2009, and a grid of simpler ones."""

from __future__ import annotations

from typing import Any

from leadline.retrieval.pipeline.grid_plan import Planned, plan
from leadline.retrieval.pipeline.pipeline_files import system

EIGHT = ("bitem", "cmu", "dutir", "iowa", "msoe", "purdue", "scai", "york")
COLUMNS = ("query", "model", "after")

QUERIES: dict[str, Any] = {
    "whole": "text",
    "claims": {"step": "text", "fields": ["claims"]},
    "abstract": {"step": "text", "fields": ["title", "abstract"]},
    "terms": {"step": "best_terms", "n": 30},
}
MODELS: dict[str, Any] = {
    "bm25": {"step": "search", "model": "bm25"},
    "dirichlet": {"step": "search", "model": "dirichlet(mu=2000)"},
    "tfidf": {"step": "search", "model": "tfidf"},
    "dph": {"step": "search", "model": "dph"},
}
AFTER: dict[str, Any] = {
    "plain": [],
    "cited": "citations",
    "classes": "class_agreement",
    "rm3": ["rm3", {"again": "model"}],
}
CHOICES = {"query": QUERIES, "model": MODELS, "after": AFTER}

SMALL: list[dict[str, Any]] = [
    {"query": ["whole", "claims", "abstract"], "model": ["bm25", "tfidf"]},
    {"query": "whole", "model": "bm25", "after": ["cited", "classes"]},
]
LARGE: list[dict[str, Any]] = [
    {"query": "all", "model": "all"},
    {"query": "all", "model": "bm25", "after": ["cited", "classes", "rm3"]},
    {"query": "whole", "model": ["tfidf", "dirichlet"], "after": "cited"},
]


def planned(runs: list[dict[str, Any]]) -> list[Planned]:
    """The eight named systems and the systems of the grid.

    >>> [len(planned(runs)) for runs in (SMALL, LARGE)]
    [16, 38]
    """
    named = [Planned(name, dict.fromkeys(COLUMNS, name), system(name)) for name in EIGHT]
    return [*named, *plan({"choices": CHOICES, "runs": runs}, "demo")]
