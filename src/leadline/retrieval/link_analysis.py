"""The public functions of link analysis: PageRank, HITS, on the query's own graph too, and in-degree."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.links.graph import SelfLinks
from leadline.collections.links.hits import IN_LINKS, ROOTS, query_pages
from leadline.collections.links.page_scores import Form, PageScores, hits_of, in_degrees_of, pagerank_of
from leadline.collections.links.pagerank import DAMPING
from leadline.collections.links.reading import Kept, LinkSource, Nofollow, read_links
from leadline.collections.links.summing import LinkWorkers
from leadline.errors import InputError
from leadline.records.scores.result import counted

if TYPE_CHECKING:
    from leadline.collections.links.graph import LinkGraph
    from leadline.retrieval.pipeline.context import SearchContext


def pagerank(
    source: LinkSource,
    *,
    damping: float = DAMPING,
    personal: Mapping[str, float] | str | None = None,
    form: Form = "sum",
    self_links: SelfLinks = "count",
    nofollow: Nofollow = "drop",
    pages: Kept = "fetched",
) -> PageScores:
    """The PageRank of every page, to 1e-10: the share of time of a surfer who follows links and now and then jumps.

    Formula: (1 − d) / N + d · Σ PR(q) / C(q) over the pages q that link to the page; ranks sum to 1, and pages without
    links share their rank with all. `form="paper"` has 1 − d in place of (1 − d) / N: the same ranks times N.
    `personal` is a page, or pages with weights, to which the surfer jumps in place of any page.

    Brin and Page, The Anatomy of a Large-Scale Hypertextual Web Search Engine, WWW 1998.

    >>> ranks = pagerank([("a", "b"), ("a", "c"), ("b", "c"), ("c", "a")])
    >>> {page: round(ranks[page], 4) for page in "abc"}
    {'a': 0.3878, 'b': 0.2148, 'c': 0.3974}
    """
    graph = read_links(source, self_links=self_links, nofollow=nofollow, pages=pages)
    return pagerank_of(graph, damping=damping, personal=personal, form=form)


def hits(
    source: LinkSource,
    *,
    query: str | None = None,
    index: str | os.PathLike[str] | SearchContext | None = None,
    roots: int = ROOTS,
    in_links: int = IN_LINKS,
    rounds: int | None = None,
    self_links: SelfLinks = "count",
    nofollow: Nofollow = "drop",
    pages: Kept = "fetched",
    workers: LinkWorkers | None = None,
) -> PageScores:
    """The authority and the hub score of every page, each summing to 1.

    With a query and an index, the graph is the query's own: the `roots` best pages for the query, the pages they link
    to, and for each of them at most `in_links` pages that link to it. `rounds` are computed, by default as many as
    bring scores within 1e-10 of their limit. `workers` sum over the links in place of this process.

    Kleinberg, Authoritative sources in a hyperlinked environment, SODA 1998.

    >>> hits([("a", "c"), ("b", "c"), ("b", "d")])["c"]["authority"].__round__(3)
    0.618
    """
    if (query is None) != (index is None):
        raise InputError("index" if index is None else "query", "the query's own graph needs both a query and an index")
    if rounds is not None and rounds < 1:
        raise InputError("rounds", f"must be at least 1, got {rounds}")
    graph = read_links(source, self_links=self_links, nofollow=nofollow, pages=pages)
    if query is not None and index is not None:
        graph = _graph_of_query(graph, query, index, roots, in_links)
    return hits_of(graph, rounds=rounds, workers=workers)


def indegree(
    source: LinkSource, *, self_links: SelfLinks = "count", nofollow: Nofollow = "drop", pages: Kept = "fetched"
) -> PageScores:
    """How many pages link to each page; several links from one page count once.

    >>> indegree([("a", "b"), ("a", "b"), ("c", "b")])["b"]
    2.0
    """
    return in_degrees_of(read_links(source, self_links=self_links, nofollow=nofollow, pages=pages))


def _graph_of_query(
    graph: LinkGraph, query: str, index: str | os.PathLike[str] | SearchContext, roots: int, in_links: int
) -> LinkGraph:
    from leadline.retrieval.answers.word_search import search_words
    from leadline.retrieval.pipeline.context import SearchContext

    if roots < 1 or in_links < 0:
        name, value, least = ("roots", roots, 1) if roots < 1 else ("in_links", in_links, 0)
        raise InputError(name, f"must be at least {least}, got {value}")
    context = index if isinstance(index, SearchContext) else SearchContext.open(index)
    found = search_words(context, query, roots)
    places = [graph.place_of[hit.name] for hit in found.hits if hit.name in graph.place_of]
    if not places:
        problem = "finds no page" if not found.hits else "finds no page of this graph: is the index of the same pages?"
        raise InputError("query", f"{query!r} {problem}")
    own = graph.part(query_pages(graph, np.array(places), in_links))
    note = f"the query's own graph: {counted(len(places), 'page')} found, {len(own):,} with their neighbours"
    return own.with_notes(note)
