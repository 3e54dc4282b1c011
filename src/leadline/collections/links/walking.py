"""Walks over a graph: how far pages are, and near-uniform samples of pages by random walks.

A surfer who follows random links, either way, ends on a page with a chance proportional to the number of its links. Two
corrections make the chance the same for every page that can be reached: `metropolis` refuses some steps towards pages
with more links (Metropolis and Hastings), `reweighted` draws among the ends of walks with a chance of 1 / links.
Henzinger, Heydon, Mitzenmacher and Najork, On Near-Uniform URL Sampling, WWW 2000.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from leadline.collections.links.graph import LinkGraph
from leadline.collections.links.reading import LinkSource, read_links
from leadline.errors import InputError, checked_choice
from leadline.records.scores.result import Result, counted
from leadline.records.scores.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.collections.links.kernels.arguments import Rows

Method = Literal["metropolis", "reweighted", "walk", "uniform"]
METHODS: tuple[Method, ...] = ("metropolis", "reweighted", "walk", "uniform")
STEPS = 200
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
    method: Method
    reached: int  # pages that walks can reach
    notes: tuple[str, ...] = ()

    @property
    def pages(self) -> list[str]:
        return [self.graph.pages[place] for place in self.places.tolist()]

    def table(self) -> Table:
        """The pages in the order in which they were drawn, with the number of their links."""
        rows = [[name, int(self.graph.in_degrees[p]), int(self.graph.out_degrees[p])]
                for name, p in zip(self.pages, self.places.tolist(), strict=True)]  # fmt: skip
        return Table(["page", "in_links", "out_links"], rows)

    def _finding(self) -> str:
        return f"{counted(len(self.places), 'page')} of {len(self.graph):,}, drawn by {self.method}"

    def _shown_table(self) -> Table:
        return self.table()


def sample_pages(
    source: LinkSource,
    count: int,
    *,
    method: Method = "metropolis",
    steps: int = STEPS,
    start: str | None = None,
    rng: np.random.Generator | int = 1,
) -> PageSample:
    """Draw pages by random walks that follow links either way; each walk draws one page after `steps` steps.

    Walks begin on the page `start`, by default on the page with most links. `walk` is without correction, `uniform`
    draws from the list of all pages, which a walk does not have.
    """
    checked_choice("method", method, METHODS)
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
    ends = _walked(rows, degrees, np.full(walkers, first), steps, method == "metropolis", random)
    if method == "reweighted":
        chances = 1 / np.maximum(degrees[ends], 1)
        ends = random.choice(ends, count, p=chances / chances.sum())
    note = f"walks reach {reached:,} of {len(graph):,} pages: others cannot be drawn"
    return PageSample(graph, ends, method, reached, (note,) if reached < len(graph) else ())


def _walked(
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
    steps: int = STEPS,
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
    for method in METHODS:
        sample = sample_pages(graph, count, method=method, steps=steps, start=start, rng=random)
        notes.update(dict.fromkeys(sample.notes))
        rows.append(
            (method, float(degrees[sample.places].mean()), float(degrees.mean()), distance(sample.places), chance)
        )
    return SampleBias(rows, count, tuple(notes))
