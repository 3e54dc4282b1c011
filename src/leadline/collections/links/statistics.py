"""What a crawl or a graph holds: orphans, coverage, freshness, hosts and depths; and how two crawls overlap."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from leadline.collections.documents.components import first_of, unite
from leadline.collections.documents.store import Collection
from leadline.collections.links.graph import LinkGraph
from leadline.collections.links.reading import LINKS, PAGES, LinkSource, crawl_table, opened, read_links
from leadline.collections.links.walking import distances
from leadline.records.scores.result import Result, counted
from leadline.records.scores.table import Table
from leadline.text.memory_budget import MemoryLike

if TYPE_CHECKING:
    import polars as pl

AT_ONCE = 1 << 20  # links that are looked at together
HOSTS = 10  # with most pages, listed by name
AGES = (30, 365)  # days within which a page was changed
Z = 1.959963984540054  # of a 95 % interval


class Fact(NamedTuple):
    """One line of statistics."""

    about: str
    what: str
    value: float | int | None


@dataclass(frozen=True, repr=False)
class LinkStatistics(Result):
    """Facts about a graph or a crawl."""

    facts: Sequence[Fact]
    notes: tuple[str, ...] = ()

    def __getitem__(self, key: tuple[str, str]) -> float | int | None:
        """The value of a fact by its two names: statistics["pages", "all"]."""
        return {(fact.about, fact.what): fact.value for fact in self.facts}[key]

    def table(self) -> Table:
        return Table(["about", "what", "value"], [list(fact) for fact in self.facts])

    def _finding(self) -> str:
        return "; ".join(f"{fact.about} {fact.what}: {fact.value}" for fact in self.facts[:4])

    def _shown_table(self) -> Table:
        return self.table()


def link_statistics(source: LinkSource, *, start: str | None = None, memory: MemoryLike = None) -> LinkStatistics:
    """The pages, links, orphans, hosts and depths of a graph; of a crawl also its coverage and freshness.

    An orphan is a page to which no other page links. Depth is the least number of links from a seed of the crawl, or
    from the page `start`. Coverage is the share of pages that were fetched among those the crawl knows of. Freshness is
    the age of pages when they were fetched, by what their servers say of the last change. `memory`, such as "2GB", is
    the most that is held for an edge list, as in `read_links`.
    """
    opened_source = opened(source)
    graph = read_links(opened_source, memory=memory)
    facts = [*_graph_facts(graph), *_host_facts(graph)]
    pages = _crawled_pages(opened_source, graph) if isinstance(opened_source, Collection) else None
    if start is not None:
        depths = distances(graph.out_of, [graph.place(start, "start")])
        facts += _depth_facts(depths)
    elif pages is not None:
        facts += _depth_facts(pages["depth"].to_numpy().astype(np.int64))
    if isinstance(opened_source, Collection) and (links := crawl_table(opened_source, LINKS)) is not None:
        known = set(graph.pages) | set(links["target"].to_list())
        facts += [Fact("coverage", "pages known", len(known)), Fact("coverage", "fetched", len(graph) / len(known))]
    if pages is not None:
        facts += _freshness_facts(pages["fetched"].to_list(), pages["published"].to_list())
    return LinkStatistics(facts, graph.notes)


def _crawled_pages(collection: Collection, graph: LinkGraph) -> pl.DataFrame | None:
    """The rows of a crawl's pages that were fetched; None where the collection is not a crawl."""
    pages = crawl_table(collection, PAGES)
    return None if pages is None else pages.filter(pages["address"].is_in(list(graph.pages)))


def _graph_facts(graph: LinkGraph) -> list[Fact]:
    pages = np.arange(len(graph), dtype=np.uint32)
    linked, above, to_itself = np.zeros(len(graph), np.bool_), pages.copy(), 0
    for sources, targets in graph.ends(AT_ONCE):
        apart = sources != targets
        linked[targets[apart]] = True
        to_itself += len(apart) - int(np.count_nonzero(apart))
        unite(above, sources.astype(np.uint32), targets.astype(np.uint32))
    orphans = int((~linked).sum())
    return [
        Fact("pages", "all", len(graph)),
        Fact("pages", "orphans", orphans),
        Fact("pages", "share of orphans", orphans / len(graph) if len(graph) else None),
        Fact("pages", "without links", int((graph.out_degrees == 0).sum())),
        Fact("pages", "in the largest component", int(np.bincount(first_of(above, pages)).max(initial=0))),
        Fact("links", "all", graph.links),
        Fact("links", "to itself", to_itself),
        Fact("links", "a page", graph.links / len(graph) if len(graph) else None),
        Fact("links", "most to a page", int(graph.in_degrees.max(initial=0))),
    ]


def _host_facts(graph: LinkGraph) -> list[Fact]:
    hosts = Counter(host for page in graph.pages if (host := _host(page)))
    if not hosts:
        return []
    most = sorted(hosts.items(), key=lambda each: (-each[1], each[0]))[:HOSTS]
    return [Fact("hosts", "all", len(hosts)), *(Fact("pages of a host", host, count) for host, count in most)]


def _host(page: str) -> str:
    try:
        return urlsplit(page).netloc if "://" in page else ""
    except ValueError:
        return ""


def _depth_facts(depths: Any) -> list[Fact]:
    found = Counter(depths.tolist())
    unknown = found.pop(-1, 0)
    facts = [Fact("pages of a depth", str(depth), found[depth]) for depth in sorted(found)]
    return [*facts, *([Fact("pages of a depth", "not reached", unknown)] if unknown else [])]


def _day(written: str | None) -> int | None:
    """The day of a date or time in ISO 8601, counted from 1970; None where there is none."""
    try:
        return int(np.datetime64((written or "")[:10], "D").astype(np.int64)) if written else None
    except ValueError:
        return None


def _freshness_facts(fetched: Sequence[str | None], modified: Sequence[str | None]) -> list[Fact]:
    days = [(_day(now), _day(last)) for now, last in zip(fetched, modified, strict=True)]
    ages = [max(now - last, 0) for now, last in days if now is not None and last is not None]
    facts = [Fact("freshness", "pages with a date of change", len(ages))]
    if ages:
        facts.append(Fact("freshness", "median age in days", float(np.median(ages))))
        facts += [
            Fact("freshness", f"changed within {days} days", sum(age <= days for age in ages) / len(ages))
            for days in AGES
        ]
    return facts


# Two crawls


@dataclass(frozen=True, repr=False)
class Overlap(Result):
    """The pages of two crawls, and the size of what they were drawn from, estimated from how many they share.

    Formula: Chapman's estimate (n + 1)(m + 1) / (b + 1) − 1 from n and m pages with b in both, and its 95 % interval,
    in which the logarithm of the number of pages that neither has is taken as normal. Chapman 1951; Burnham 1987.

    >>> Overlap(200, 150, 60)
    <Overlap 60 of 200 and 150 pages in both; about 497 pages in all (431 to 593)>
    """

    first: int
    second: int
    both: int
    notes: tuple[str, ...] = ()

    @property
    def union(self) -> int:
        return self.first + self.second - self.both

    @property
    def size(self) -> float:
        """The estimated number of pages of the whole."""
        return (self.first + 1) * (self.second + 1) / (self.both + 1) - 1

    @property
    def interval(self) -> tuple[float, float]:
        """Within which the size is, with 95 % confidence."""
        n, m, b = self.first, self.second, self.both
        variance = (n + 1) * (m + 1) * (n - b) * (m - b) / ((b + 1) ** 2 * (b + 2))
        unseen = self.size - self.union
        if unseen <= 0 or variance == 0:
            return float(self.union), float(self.union)
        factor = math.exp(Z * math.sqrt(math.log(1 + variance / unseen**2)))
        return self.union + unseen / factor, self.union + unseen * factor

    def table(self) -> Table:
        low, high = self.interval
        rows: list[list[Any]] = [
            ["pages of the first", self.first],
            ["pages of the second", self.second],
            ["in both", self.both],
            ["in either", self.union],
            ["share of the second in the first", self.both / self.second if self.second else None],
            ["share of the first in the second", self.both / self.first if self.first else None],
            ["estimated size", self.size],
            ["low", low],
            ["high", high],
            ["estimated coverage of the first", min(1.0, self.first / self.size) if self.size else None],
            ["estimated coverage of the second", min(1.0, self.second / self.size) if self.size else None],
        ]
        return Table(["what", "value"], rows)

    def _finding(self) -> str:
        low, high = self.interval
        return (
            f"{self.both:,} of {self.first:,} and {self.second:,} pages in both; about {self.size:,.0f} pages in all "
            f"({low:,.0f} to {high:,.0f})"
        )

    def _shown_table(self) -> Table:
        return self.table()


def crawl_overlap(first: LinkSource, second: LinkSource) -> Overlap:
    """How the pages of two crawls overlap, and the size of the web they were drawn from."""
    pages = [set(read_links(source).pages) for source in (first, second)]
    both = len(pages[0] & pages[1])
    notes = ["the estimate takes the crawls as independent: if both prefer the same pages, the whole is larger"]
    if not both:
        notes.append(f"no page is in both: {counted(len(pages[0]) + len(pages[1]), 'page')} is all that can be said")
    return Overlap(len(pages[0]), len(pages[1]), both, tuple(notes))
