"""How easily a known page is found: by clicks along links from the front page, and by its rank in a search for it."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.collections.documents.collection import Collection
from leadline.collections.links.reading import PAGES, LinkSource, Nofollow, crawl_table, opened, read_links
from leadline.collections.links.statistics import Fact, LinkStatistics, distances
from leadline.errors import InputError
from leadline.options import Count
from leadline.records.inputs import Path, QrelsLike
from leadline.records.result import Table, counted
from leadline.retrieval.choices import DEFAULT_SYSTEM

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.collections.links.graph import LinkGraph
    from leadline.records.topics import Topics
    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.retrieval.pipeline.pipeline import Progress, Step
    from leadline.retrieval.public import IndexLike

FEWEST_TITLES = 5  # of which more than half can have the name of a site
MOST_CLICKS = 6  # up to which the share of pages within so many clicks is listed


class KnownItem(NamedTuple):
    """A page that somebody knows of and searches for."""

    topic: str
    page: str
    query: str


class FoundPage(NamedTuple):
    """How a page is found; None where it is not."""

    page: str
    in_links: int
    clicks: int | None
    rank: int | None = None
    found: str = ""  # both, links, search or neither: within the limits
    query: str = ""


@dataclass(frozen=True, repr=False)
class Findability(LinkStatistics):
    """Facts about how pages are found, and a row for each page, hardest to find first."""

    pages: Sequence[FoundPage] = ()
    searched: bool = False

    def page_table(self, k: int | None = None) -> Table:
        """A row for each page, or for the k that are hardest to find. With a search: for each page searched for."""
        columns = FoundPage._fields if self.searched else FoundPage._fields[:3]
        return Table(list(columns), [list(page[: len(columns)]) for page in self.pages[:k]])

    def _finding(self) -> str:
        shown = ("reached", "MRR", "neither")
        return "; ".join(f"{fact.about}, {fact.what}: {fact.value:.3g}" for fact in self.facts if fact.what in shown)


def findability(
    source: LinkSource,
    *,
    front: str | Sequence[str] | None = None,
    clicks: Count = 3,
    nofollow: Nofollow = "count",
    index: IndexLike | None = None,
    system: str | Step | None = None,
    sample: Count = 1000,
    topics: Path | Topics | None = None,
    qrels: QrelsLike | None = None,
    rank: Count = 10,
    depth: Count = 100,
    rng: np.random.Generator | int = 1,
    progress: Progress | None = None,
) -> Findability:
    """How easily a known page is found: by clicks from the front page, and by its rank in a search for it.

    source: folder of a crawl or of a collection with citations, or an edge list
    front: page from which clicks are counted; may be repeated (default: the crawl's seeds)
    clicks: clicks within which a page counts as found by links
    nofollow: links of a crawl that are marked nofollow, on which people click too
    index: index of the pages, in which each is searched for by its title
    system: system that ranks (default: best, with what the index has)
    sample: pages to search for, drawn at random where there are more
    topics: search for these known items and not by titles; needs `qrels`
    qrels: which page each of `topics` asks for: those with a grade of 1 or more
    rank: rank to which a page counts as found by search
    depth: results to look through for a page

    A page is hard to find if neither clicks nor a search reach it within their limits. Titles are searched for as
    words, without punctuation and without what most of them begin or end with: the name of the site.

    >>> found = findability([("home", "a"), ("a", "b"), ("c", "home")], front="home")
    >>> found["by links", "reached"], found["by links", "mean clicks"], found.pages[0].page
    (2, 1.5, 'c')
    """
    _check_arguments(index, topics, qrels, system, rank, depth)
    place = opened(source)
    graph = read_links(place, nofollow=nofollow)
    if not len(graph):
        raise InputError("graph", "has no pages")
    starts = _front_pages(place, graph, front)
    away = distances(graph.out_of, starts)
    clicked = dict(zip(graph.pages, (None if each < 0 else each for each in away.tolist()), strict=True))
    linked = dict(zip(graph.pages, graph.in_degrees.tolist(), strict=True))
    facts = _click_facts(away, len(starts))
    if index is None:
        unsearched = [FoundPage(page, linked[page], clicked[page]) for page in graph.pages]
        return Findability(facts, graph.notes, sorted(unsearched, key=_hardest))
    from leadline.retrieval.public import open_context

    context = open_context(index)
    if topics is not None and qrels is not None:
        asked, items, notes = _given_items(topics, qrels)
    else:
        asked, items, notes = _titled_items(context, graph, sample, rng)
    ranks, means, said = _ranks(context, asked, items, system or DEFAULT_SYSTEM, (rank, depth), progress)
    notes += said
    pages = []
    for item, at in zip(items, ranks, strict=True):
        steps = clicked.get(item.page)
        ways = (steps is not None and steps <= clicks, at is not None and at <= rank)
        found = {(True, True): "both", (True, False): "links", (False, True): "search", (False, False): "neither"}[ways]
        pages.append(FoundPage(item.page, linked.get(item.page, 0), steps, at, found, item.query))
    if unlinked := len({item.page for item in items} - clicked.keys()):
        notes.append(f"{counted(unlinked, 'page')} searched for {'are' if unlinked > 1 else 'is'} not in the graph")
    missing = [at is None for at in ranks]
    facts += [
        Fact("by search", "known items", len(items)),
        *(Fact("by search", name, value) for name, value in means.items()),
        Fact("by search", f"not among the first {depth:,}", sum(missing)),
    ]
    by_way = Counter(page.found for page in pages)
    facts += [
        Fact("known items found", "both ways", by_way["both"]),
        Fact("known items found", "by links only", by_way["links"]),
        Fact("known items found", "by search only", by_way["search"]),
        Fact("known items found", "neither", by_way["neither"]),
    ]
    notes.append(
        f"found by links: within {counted(clicks, 'click')}; found by search: among the first {rank:,} results"
    )
    outdated = [context.outdated] if context.outdated else []
    return Findability(facts, (*graph.notes, *outdated, *notes), sorted(pages, key=_hardest), searched=True)


def _check_arguments(index: Any, topics: Any, qrels: Any, system: Any, rank: int, depth: int) -> None:
    given = {"topics": topics, "qrels": qrels, "system": system}
    alone = next((name for name, value in given.items() if value is not None and index is None), None)
    if alone is not None:
        raise InputError(alone, "needs an index in which to search")
    if (topics is None) != (qrels is None):
        name, other = ("topics", "qrels") if qrels is None else ("qrels", "topics")
        raise InputError(name, f"needs {other} as well: qrels say which page each topic asks for")
    if depth < rank:
        raise InputError("depth", f"must be at least the rank {rank:,} to which a page counts as found, got {depth:,}")


def _hardest(page: FoundPage) -> tuple[Any, ...]:
    """A key that puts what is hardest to find first: found in the fewest ways, then by rank, then by clicks."""
    ways = {"neither": 0, "": 0, "links": 1, "search": 1, "both": 2}[page.found]
    return (
        ways,
        -(math.inf if page.rank is None else page.rank),
        -(math.inf if page.clicks is None else page.clicks),
        page.page,
    )


# By links.


def _front_pages(source: LinkSource, graph: LinkGraph, front: str | Sequence[str] | None) -> list[int]:
    """The places of the pages from which clicks are counted."""
    if front is not None:
        named = [front] if isinstance(front, str) else front
        return [graph.place(page, "front") for page in dict.fromkeys(named)]
    table = crawl_table(source, PAGES) if isinstance(source, Collection) else None
    if table is None:
        raise InputError("front", "name the front page from which clicks are counted: only a crawl has seeds")
    seeds = table.filter(table["depth"] == 0)["address"].to_list()
    places = [graph.place_of[page] for page in seeds if page in graph.place_of]
    if not places:
        raise InputError("front", "none of the crawl's seeds was fetched: name the front page")
    return places


def _click_facts(away: NDArray[np.int64], fronts: int) -> list[Fact]:
    """Of all pages but the front pages: how many are reached, and within how many clicks."""
    others = away[away != 0]
    reached = others[others > 0]
    shares = [
        Fact("by links", f"within {counted(limit, 'click')}", float((reached <= limit).sum() / len(others)))
        for limit in range(1, MOST_CLICKS + 1)
        if len(others)
    ]
    return [
        Fact("by links", "front pages", fronts),
        Fact("by links", "other pages", len(others)),
        Fact("by links", "reached", len(reached)),
        Fact("by links", "not reached", len(others) - len(reached)),
        *shares,
        Fact("by links", "mean clicks", float(reached.mean()) if len(reached) else None),
        Fact("by links", "most clicks", int(reached.max()) if len(reached) else None),
    ]


# By search.


def _titled_items(
    context: SearchContext, graph: LinkGraph, sample: int, rng: np.random.Generator | int
) -> tuple[Topics, list[KnownItem], list[str]]:
    """The pages of the graph, each searched for by the words of its title; a sample where there are more."""
    from leadline.records.topics import Topic, Topics

    collection = context.collection
    names = collection.records["id"].to_list()
    rows = np.array([row for row, name in enumerate(names) if name in graph.place_of], np.int64)
    if not len(rows):
        raise InputError("index", f"{context.location} has no page of this graph: is the index of the same pages?")
    words: dict[int, tuple[str, ...]] = {}
    for part in collection.texts(["title"], rows):
        words |= {row: tuple(re.findall(r"\w+", (title or "").lower())) for row, title in part.iter_rows()}
    words, site = without_site_name({row: title for row, title in words.items() if title})
    titles = {row: " ".join(title) for row, title in words.items()}
    notes = []
    if unknown := len(graph) - len(rows):
        notes.append(f"{counted(unknown, 'page')} of the graph not in the index: not searched for")
    if untitled := len(rows) - len(titles):
        notes.append(f"{counted(untitled, 'page')} without a title: not searched for")
    if not titles:
        raise InputError("index", f"no page of {context.location} has a title to search for: give topics and qrels")
    if site:
        notes.append(f"left out of titles, as the name of the site: {site}")
    counts = Counter(titles.values())
    if shared := sum(count for count in counts.values() if count > 1):
        notes.append(f"{shared:,} pages share their title with another: only one of these can be first")
    drawn = sorted(titles)
    if len(drawn) > sample:
        drawn = sorted(np.random.default_rng(rng).choice(drawn, sample, replace=False).tolist())
        seed = f", seed {rng}" if isinstance(rng, int) else ""
        notes.append(f"{sample:,} of {len(titles):,} pages with a title drawn to be searched for{seed}")
    # The ids are no documents', so that a topic is always taken as words.
    items = [KnownItem(f"known item {number}", names[row], titles[row]) for number, row in enumerate(drawn, start=1)]
    return Topics(tuple(Topic(item.topic, title=item.query) for item in items)), items, notes


def without_site_name(titles: Mapping[int, tuple[str, ...]]) -> tuple[dict[int, tuple[str, ...]], str]:
    """Titles without the words that more than half of them begin or end with, and these words.

    >>> pages = {n: (word, "my", "site") for n, word in enumerate(["home", "news", "shop", "jobs", "help"])}
    >>> without_site_name(pages | {5: ("my", "site")})
    ({0: ('home',), 1: ('news',), 2: ('shop',), 3: ('jobs',), 4: ('help',), 5: ('my', 'site')}, 'my site')
    """
    left, names = dict(titles), []
    if len(left) < FEWEST_TITLES:
        return left, ""
    for order in (1, -1):
        turned = {row: title[::order] for row, title in left.items()}
        name: tuple[str, ...] = ()
        while True:
            longer = Counter(title[: len(name) + 1] for title in turned.values() if len(title) > len(name) + 1)
            best, count = longer.most_common(1)[0] if longer else ((), 0)
            if count * 2 <= len(turned):
                break
            name = best
        if name:
            size = len(name)
            cut = {row: title[size:] if title[:size] == name else title for row, title in turned.items()}
            left = {row: (cut[row] or turned[row])[::order] for row in turned}
            names.append(" ".join(name[::order]))
    return left, ", ".join(names)


def _given_items(topics: Path | Topics, qrels: QrelsLike) -> tuple[Topics, list[KnownItem], list[str]]:
    """The pages that topics ask for, by their judgements."""
    from leadline.records.qrels import Qrels, read_qrels
    from leadline.records.topics import Topics

    read = Topics.read(topics) if isinstance(topics, (str, os.PathLike)) else topics
    judged = (read_qrels(qrels) if isinstance(qrels, (str, os.PathLike)) else Qrels.of(qrels)).to_dict()
    wanted = {topic: [page for page, grade in pages.items() if grade > 0] for topic, pages in judged.items()}
    asked = tuple(topic for topic in read if wanted.get(topic.id))
    notes = []
    if without := len(read) - len(asked):
        notes.append(f"{counted(without, 'topic')} without a page in qrels: left out")
    if unknown := len(wanted.keys() - set(read.ids)):
        notes.append(f"{counted(unknown, 'topic')} of qrels not in topics: left out")
    if not asked:
        raise InputError("qrels", "have no page with a grade of 1 or more for any of the topics")
    items = [
        KnownItem(topic.id, page, topic.title or topic.description or topic.id)
        for topic in asked
        for page in wanted[topic.id]
    ]
    return Topics(asked), items, notes


def _ranks(
    context: SearchContext,
    topics: Topics,
    items: Sequence[KnownItem],
    system: str | Step,
    limits: tuple[int, int],
    progress: Progress | None,
) -> tuple[list[int | None], dict[str, float], tuple[str, ...]]:
    """The rank of each item in the results for its topic, None where it is not there; means over topics; notes."""
    from leadline.measures.evaluate import evaluate
    from leadline.retrieval.pipeline.named_systems import system as system_named
    from leadline.retrieval.pipeline.pipeline import pipeline_of

    rank, depth = limits
    pipeline = system_named(system) if isinstance(system, str) else pipeline_of(system)
    answers = pipeline.answer(context, topics, depth, progress=progress, narratives="words")
    run = answers.run("search")
    places = {
        topic: {page: at for at, (page, _) in enumerate(run.ranking(topic), start=1)} for topic in set(run.topics)
    }
    wanted: dict[str, dict[str, int]] = {}
    for item in items:
        wanted.setdefault(item.topic, {})[item.page] = 1
    names = {"MRR": "RR", "share first": "Success@1", f"share among the first {rank:,}": f"Success@{rank}"}
    scores = evaluate(wanted, run, [*dict.fromkeys(names.values())])
    means = {what: scores[measure]["search"] for what, measure in names.items()}
    return [places.get(item.topic, {}).get(item.page) for item in items], means, tuple(answers.notes)
