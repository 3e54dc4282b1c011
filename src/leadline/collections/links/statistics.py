"""What a crawl or a graph holds, how two crawls overlap, and walks over a graph that sample its pages."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from leadline.collections.choices import WALK_METHODS, WALK_STEPS, WalkMethod
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.families import first_of, unite
from leadline.collections.links.graph import LinkGraph
from leadline.collections.links.reading import LINKS, PAGES, LinkSource, crawl_table, opened, read_links
from leadline.errors import InputError, checked_choice
from leadline.options import Bounds
from leadline.records.result import Result, Table, counted
from leadline.text.spread import MemoryLike

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from leadline.collections.links.kernel_arguments import Rows

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

    start: page from which depth is counted (default: the crawl's seeds)

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


# Walks over a graph: how far pages are, and near-uniform samples of pages by random walks.
#
# A surfer who follows random links, either way, ends on a page with a chance proportional to the number of its links.
# Two corrections make the chance the same for every page that can be reached: `metropolis` refuses some steps towards
# pages with more links (Metropolis and Hastings), `reweighted` draws among the ends of walks with a chance of 1 /
# links. Henzinger, Heydon, Mitzenmacher and Najork, On Near-Uniform URL Sampling, WWW 2000.


STAYING = 0.1  # chance to stay, without which a walk between two sides would be on one of them at any time
SPARE = 4  # walks for each page of a reweighted sample
BINS = 10  # groups of pages by their number of links, for the distance from uniform
DRAWS = 200  # uniform samples that say what distance chance alone makes


def neighbours(graph: LinkGraph) -> Rows:
    """For each page the pages that it links to or that link to it, without itself."""
    ends = np.concatenate([graph.sources, graph.targets]), np.concatenate([graph.targets, graph.sources])
    return LinkGraph.of_arrays(*ends, graph.pages, self_links="drop").into


def distances(rows: Rows, starts: Sequence[int]) -> NDArray[np.int64]:
    """The least number of links from any of the starts to each page; -1 for one that cannot be reached."""
    found = np.full(len(rows.offsets) - 1, -1, np.int64)
    border = np.unique(np.asarray(starts, np.int64))
    depth = 0
    while len(border):
        found[border] = depth
        sizes = rows.offsets[border + 1] - rows.offsets[border]
        before = np.cumsum(sizes) - sizes
        entries = np.repeat(rows.offsets[border] - before, sizes) + np.arange(int(sizes.sum()))
        border = np.unique(rows.columns[entries])
        border = border[found[border] < 0].astype(np.int64)
        depth += 1
    return found


@dataclass(frozen=True, repr=False)
class PageSample(Result):
    """Pages drawn from a graph by random walks; a page may be drawn more than once."""

    graph: LinkGraph
    places: NDArray[np.int64]
    method: WalkMethod
    reached: int  # pages that walks can reach
    notes: tuple[str, ...] = ()

    @property
    def pages(self) -> list[str]:
        return [self.graph.pages[place] for place in self.places.tolist()]

    def table(self) -> Table:
        """The pages in the order in which they were drawn, with the number of their links."""
        rows = [
            [name, int(self.graph.in_degrees[p]), int(self.graph.out_degrees[p])]
            for name, p in zip(self.pages, self.places.tolist(), strict=True)
        ]
        return Table(["page", "in_links", "out_links"], rows)

    def _finding(self) -> str:
        return f"{counted(len(self.places), 'page')} of {len(self.graph):,}, drawn by {self.method}"

    def _shown_table(self) -> Table:
        return self.table()


def sample_pages(
    source: LinkSource,
    count: Annotated[int, Bounds(1, 10_000_000)],
    *,
    method: WalkMethod = "metropolis",
    steps: Annotated[int, Bounds(1, 1_000_000)] = WALK_STEPS,
    start: str | None = None,
    rng: np.random.Generator | int = 1,
) -> PageSample:
    """Draw pages by random walks that follow links either way; each walk draws one page at its end.

    count: pages to draw
    method: how pages are drawn
    steps: steps of each walk
    start: page on which walks begin (default: the one with most links)

    `walk` is without correction, `uniform`
    draws from the list of all pages, which a walk does not have.
    """
    checked_choice("method", method, WALK_METHODS)
    graph = read_links(source)
    if not len(graph):
        raise InputError("graph", "has no pages")
    for name, value in (("count", count), ("steps", steps)):
        if value < 1:
            raise InputError(name, f"must be at least 1, got {value}")
    random = np.random.default_rng(rng)
    rows = neighbours(graph)
    degrees = np.diff(rows.offsets)
    first = int(degrees.argmax()) if start is None else graph.place(start, "start")
    reached = int((distances(rows, [first]) >= 0).sum())
    if method == "uniform":
        return PageSample(graph, random.integers(0, len(graph), count), method, reached)
    walkers = count * SPARE if method == "reweighted" else count
    ends = _walk_ends(rows, degrees, np.full(walkers, first), steps, method == "metropolis", random)
    if method == "reweighted":
        chances = 1 / np.maximum(degrees[ends], 1)
        ends = random.choice(ends, count, p=chances / chances.sum())
    note = f"walks reach {reached:,} of {len(graph):,} pages: others cannot be drawn"
    return PageSample(graph, ends, method, reached, (note,) if reached < len(graph) else ())


def _walk_ends(
    rows: Rows, degrees: NDArray[np.int64], at: NDArray[np.int64], steps: int, refuse: bool, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Where walks are after a number of steps, all of them at once."""
    for _ in range(steps):
        chances = rng.random((3, len(at)))
        links = degrees[at]
        entry = rows.offsets[at] + np.minimum((chances[0] * links).astype(np.int64), links - 1)
        goes = (chances[1] >= STAYING) & (links > 0)
        target = rows.columns[np.where(goes, entry, 0)].astype(np.int64) if len(rows.columns) else at
        if refuse:
            goes &= chances[2] * degrees[target] < links
        at = np.where(goes, target, at)
    return at


@dataclass(frozen=True, repr=False)
class SampleBias(Result):
    """How far samples of each method are from uniform, on a graph whose pages are all known."""

    rows: Sequence[tuple[str, float, float, float, float]]
    count: int
    notes: tuple[str, ...] = ()

    def table(self) -> Table:
        columns = ["method", "mean_links", "true_mean_links", "distance", "distance_by_chance"]
        return Table(columns, [list(row) for row in self.rows])

    def _finding(self) -> str:
        far = ", ".join(f"{row[0]} {row[3]:.3f}" for row in self.rows)
        return f"distance from uniform of {counted(self.count, 'page')}: {far}"

    def _shown_table(self) -> Table:
        return self.table()


def sample_bias(
    source: LinkSource,
    count: int,
    *,
    steps: int = WALK_STEPS,
    start: str | None = None,
    rng: np.random.Generator | int = 1,
) -> SampleBias:
    """Compare samples of every method with the truth: the mean number of links, and the distance from uniform.

    Pages are put into ten groups of the same size by their number of links. The distance is half the sum of the
    differences between the shares of groups in the sample and in all pages: 0 is uniform, 1 as far from it as can be.
    `distance_by_chance` is the mean distance of samples of the same size that are uniform.
    """
    graph = read_links(source)
    random = np.random.default_rng(rng)
    degrees = np.diff(neighbours(graph).offsets)
    # Pages with the same number of links are in the same group wherever groups of the same size allow it.
    order = np.argsort(degrees, kind="stable")
    group = np.empty(len(graph), np.int64)
    group[order] = np.arange(len(graph)) * BINS // max(len(graph), 1)
    truth = np.bincount(group, minlength=BINS) / len(graph)

    def distance(places: NDArray[np.int64]) -> float:
        return float(np.abs(np.bincount(group[places], minlength=BINS) / len(places) - truth).sum() / 2)

    chance = float(np.mean([distance(random.integers(0, len(graph), count)) for _ in range(DRAWS)]))
    rows, notes = [], dict[str, None]()
    for method in WALK_METHODS:
        sample = sample_pages(graph, count, method=method, steps=steps, start=start, rng=random)
        notes.update(dict.fromkeys(sample.notes))
        rows.append(
            (method, float(degrees[sample.places].mean()), float(degrees.mean()), distance(sample.places), chance)
        )
    return SampleBias(rows, count, tuple(notes))
