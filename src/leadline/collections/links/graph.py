"""A graph of pages and links as compact arrays, and links laid out for fast sums in blocks of pages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from leadline.collections.links.kernel_arguments import Edges, LinkBlocks, Rows, Surfers
from leadline.errors import InputError, nearest
from leadline.records.result import Result, Table, counted
from leadline.text.engine import compiled_job
from leadline.text.memory import NEW_ARRAYS, NewArrays, cuts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.text.engine import Kernel

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int32]

# Links laid out for fast sums, in blocks of pages that threads share.


THREADED = 500_000  # links from which two threads pay
ADDING_BYTES = 2  # of text that take as long to read as a link to add
BLOCKING_BYTES = 8  # the same, for a link to lay out
# Pages of a block. Totals of more do not fit into the second cache; below, a block has few links and its own costs.
SMALLEST_BLOCK, LARGEST_BLOCK, BLOCKS = 4096, 65536, 32
Each = Callable[[Callable[[int, int], object]], object]  # calls a function with a first block and a step


class LinkWorkers(Protocol):
    """Others who hold parts of the links and sum over them; what they return is called as the jobs here are."""

    def surfing(self, into: LinkBlocks, state: Surfers) -> Callable[[LinkBlocks, Surfers, Each], None]:
        """What does the work of `pagerank.surf`."""

    def adding(self, *layouts: LinkBlocks) -> Callable[[LinkBlocks, Floats, Floats, Each], None]:
        """What does the work of `add_links`, for any of these."""


def block_size(pages: int) -> int:
    """The pages of a block: so many that a graph has up to 32 blocks, within the limits.

    >>> [block_size(pages) for pages in (1, 100_000, 1_000_000, 10**8)]
    [4096, 4096, 32768, 65536]
    """
    size = 1 << max(-(-pages // BLOCKS) - 1, 0).bit_length()
    return min(max(size, SMALLEST_BLOCK), LARGEST_BLOCK)


def blocked(into: Rows, out_of: Rows, arrays: NewArrays = NEW_ARRAYS) -> LinkBlocks:
    """The links of a graph in blocks of the pages they lead to; `into` and `out_of` hold the same links."""
    pages, links = len(into.offsets) - 1, len(into.columns)
    size = block_size(pages)
    starts = into.offsets[np.minimum(np.arange(-(-pages // size) + 1) * size, pages)]
    sources, targets = arrays.take("sources", links, np.int32), arrays.take("targets", links, np.uint16)
    weights = arrays.take("weights", links if into.weighted else 0, np.float64)
    blocks = LinkBlocks(starts, sources, targets, weights, into.weighted, pages, size)
    _fill_blocks.choose(BLOCKING_BYTES * links)(out_of, blocks)
    return blocks


def some_blocks(blocks: LinkBlocks, first: int, last: int) -> LinkBlocks:
    """The blocks from `first` up to `last` alone: their pages are numbered anew, the pages of `sources` are not."""
    begin, end = int(blocks.starts[first]), int(blocks.starts[last])
    pages = min(last * blocks.size, blocks.pages) - first * blocks.size
    return blocks._replace(
        starts=blocks.starts[first : last + 1] - begin,
        sources=blocks.sources[begin:end],
        targets=blocks.targets[begin:end],
        weights=blocks.weights[begin:end],
        pages=pages,
    )


def _blocked_plain(out_of: Rows, blocks: LinkBlocks) -> None:
    cursors = blocks.starts[:-1].copy()
    for begin in range(0, len(out_of.columns), PLAIN_AT_ONCE):
        some = slice(begin, begin + PLAIN_AT_ONCE)
        targets = out_of.columns[some]
        order, places = _dealt(targets // blocks.size, cursors)
        blocks.sources[places] = rows_of(out_of.offsets, some)[order]
        blocks.targets[places] = (targets % blocks.size)[order]
        if out_of.weighted:
            blocks.weights[places] = out_of.weights[some][order]


def rows_of(offsets: NDArray[np.int64], some: slice) -> Ints:
    """The row of each of some columns of rows that begin at the offsets."""
    last = min(some.stop, int(offsets[-1]))
    first, end = np.searchsorted(offsets, (some.start, last - 1), "right") - 1
    ends = np.clip(offsets[first : end + 2], some.start, last)
    return np.repeat(np.arange(first, end + 1, dtype=np.int32), np.diff(ends))


def _dealt(kinds: NDArray[np.integer[Any]], cursors: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """An order by kind, and the place of each in it: from the cursor of its kind on, which moves on."""
    order, counts = np.argsort(kinds, kind="stable"), np.bincount(kinds, minlength=len(cursors))
    places = np.repeat(cursors - (np.cumsum(counts) - counts), counts) + np.arange(len(kinds))
    cursors += counts
    return order, places


@compiled_job("leadline.collections.links.kernels.block_links", plain=_blocked_plain)
def _fill_blocks(kernel: Kernel, out_of: Rows, blocks: LinkBlocks) -> None:
    kernel(out_of, blocks.starts.copy(), blocks)


@contextmanager
def threads_for(links: int) -> Iterator[Each]:
    """What calls a function for all blocks: on several threads where there are links enough."""
    workers = min(os.cpu_count() or 1, BLOCKS)
    if links < THREADED or workers == 1:
        yield lambda function: function(0, 1)
        return
    with ThreadPoolExecutor(workers - 1) as pool:

        def each(function: Callable[[int, int], object]) -> None:
            others = [pool.submit(function, first, workers) for first in range(1, workers)]
            function(0, workers)
            for other in others:
                other.result()

        yield each


def plain_sums(blocks: LinkBlocks, values: Floats) -> Floats:
    """The sum of the values of the pages that link to each. bincount adds one after the other, as the kernel does."""
    sums = np.zeros(blocks.pages)
    for block, (first, last) in enumerate(pairwise(blocks.starts.tolist())):
        into = sums[block * blocks.size : (block + 1) * blocks.size]
        before = np.arange(len(into))
        for begin in range(first, last, PLAIN_AT_ONCE):
            some = slice(begin, min(begin + PLAIN_AT_ONCE, last))
            given = values[blocks.sources[some]]
            if blocks.weighted:
                given *= blocks.weights[some]
            targets = np.concatenate([before, blocks.targets[some]])
            into[:] = np.bincount(targets, np.concatenate([into, given]), len(into))
    return sums


def _added_plain(blocks: LinkBlocks, values: Floats, totals: Floats, each: Each) -> None:
    totals[:] = plain_sums(blocks, values)


@compiled_job("leadline.collections.links.kernels.add_links", plain=_added_plain)
def add_links(kernel: Kernel, blocks: LinkBlocks, values: Floats, totals: Floats, each: Each) -> None:
    """The sum of the values of the pages that link to each, into `totals`."""
    each(lambda first, step: kernel(blocks, values, totals, first, step))


SelfLinks = Literal["count", "drop"]
LARGEST = 2**31 - 1  # pages or links; places are 32 bits
EDGE_BYTES = 16  # of text that take as long to read as an edge to sort
PLAIN_AT_ONCE = 1 << 20  # links in memory at a time without machine code
AT_ONCE = 1 << 24  # links that are moved or counted together
NO_WEIGHTS = np.empty(0, np.float64)


@dataclass(frozen=True, repr=False)
class LinkGraph(Result):
    """Pages and the links between them.

    Several links between the same two pages are one link; its weight is the sum of theirs where links have weights.
    A link from a page to itself counts like any other.

    >>> graph = LinkGraph.of_arrays(np.array([0, 0, 2, 2]), np.array([1, 2, 1, 1]), ["a", "b", "c"])
    >>> graph
    <LinkGraph 3 pages, 3 links>
    >>> graph.in_links("b"), graph.out_links("a"), graph.in_degrees.tolist()
    (['a', 'c'], ['b', 'c'], [0, 2, 1])
    """

    pages: Sequence[str]
    offsets: NDArray[np.int64]
    sources: Ints
    weights: Floats = field(default_factory=lambda: NO_WEIGHTS)  # empty where every link weighs 1
    anchors: Sequence[tuple[int, str]] = ()  # the text of a link, with the page it leads to
    notes: tuple[str, ...] = ()
    arrays: NewArrays = NEW_ARRAYS  # where arrays of the length of the links are made

    @classmethod
    def of_arrays(
        cls,
        sources: NDArray[np.integer[Any]],
        targets: NDArray[np.integer[Any]],
        pages: Sequence[str],
        weights: Floats | None = None,
        *,
        self_links: SelfLinks = "count",
        anchors: Sequence[tuple[int, str]] = (),
        notes: tuple[str, ...] = (),
        arrays: NewArrays = NEW_ARRAYS,
    ) -> LinkGraph:
        """A graph of links between pages given by their places in `pages`. Ends that `arrays` made are overwritten."""
        if max(len(pages), len(sources)) > LARGEST:
            raise InputError("links", f"a graph has at most {LARGEST:,} pages and links")
        made: Any = np.array if arrays is NEW_ARRAYS else np.asarray
        given = NO_WEIGHTS if weights is None else made(weights, np.float64)
        edges = Edges(made(sources, np.int32), made(targets, np.int32), given)
        if self_links == "drop":
            apart = edges.sources != edges.targets
            edges = Edges(*(part[apart] if len(part) else part for part in edges))
        with np.errstate(over="ignore"):
            total = given.sum()
        if not np.isfinite(total):
            raise InputError("links", "the weights are too large, or not numbers: their sum is not finite")
        rows = merge_edges.choose(EDGE_BYTES * len(sources))(edges, len(pages), arrays)
        return cls(pages, rows.offsets, rows.columns, rows.weights, anchors, notes, arrays)

    def __len__(self) -> int:
        return len(self.pages)

    @property
    def links(self) -> int:
        """The number of links, several between the same two pages counted once."""
        return len(self.sources)

    @property
    def is_weighted(self) -> bool:
        return len(self.weights) > 0

    @cached_property
    def into(self) -> Rows:
        """For each page the pages that link to it."""
        return Rows(self.offsets, self.sources, self.weights, int(self.is_weighted))

    @cached_property
    def into_blocks(self) -> LinkBlocks:
        """The links into pages, laid out for sums over them."""
        return blocked(self.into, self.out_of, self.arrays)

    @cached_property
    def out_of_blocks(self) -> LinkBlocks:
        """The links out of pages, laid out for sums over them."""
        return blocked(self.out_of, self.into, self.arrays)

    @cached_property
    def out_of(self) -> Rows:
        """For each page the pages it links to."""
        turned = Edges(*(self.arrays.take("turned", len(part), part.dtype) for part in self._ends))
        for begin in range(0, self.links, AT_ONCE):
            some = slice(begin, begin + AT_ONCE)
            turned.sources[some], turned.targets[some] = self._targets_of(some), self.sources[some]
            turned.weights[some] = self.weights[some]
        return merge_edges.choose(EDGE_BYTES * self.links)(turned, len(self), self.arrays)

    @property
    def _ends(self) -> tuple[Ints, Ints, Floats]:
        return self.sources, self.sources, self.weights

    def _targets_of(self, some: slice) -> Ints:
        """The page that each of some links leads to."""
        return rows_of(self.offsets, some)

    def ends(self, at_once: int = AT_ONCE) -> Iterator[tuple[Ints, Ints]]:
        """The sources and targets of all links, some at a time."""
        for begin in range(0, self.links, at_once):
            some = slice(begin, begin + at_once)
            yield self.sources[some], self._targets_of(some)

    @cached_property
    def targets(self) -> Ints:
        """The page each link leads to, in the order of `sources`."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.in_degrees)

    @cached_property
    def in_degrees(self) -> NDArray[np.int64]:
        """How many pages link to each page."""
        return np.diff(self.offsets)

    @cached_property
    def out_degrees(self) -> NDArray[np.int64]:
        """To how many pages each page links."""
        counts = np.zeros(len(self), np.int64)
        for begin in range(0, self.links, AT_ONCE):
            counts += np.bincount(self.sources[begin : begin + AT_ONCE], minlength=len(self))
        return counts

    @cached_property
    def out_weights(self) -> Floats:
        """The weight of all links of each page."""
        if not self.is_weighted:
            return self.out_degrees.astype(np.float64)
        sums = np.zeros(len(self))
        for begin in range(0, self.links, AT_ONCE):  # one link after the other, as in one sum over all
            np.add.at(sums, self.sources[begin : begin + AT_ONCE], self.weights[begin : begin + AT_ONCE])
        return sums

    @cached_property
    def place_of(self) -> dict[str, int]:
        return {page: place for place, page in enumerate(self.pages)}

    def place(self, page: str, where: str = "page") -> int:
        """The place of a page; an unknown page is an error."""
        place = self.place_of.get(page)
        if place is None:
            raise InputError(where, f"{page!r} is not a page of the graph{nearest(page, self.place_of)}")
        return place

    def in_links(self, page: str) -> list[str]:
        """The pages that link to a page."""
        return self._page_names(self.into, page)

    def out_links(self, page: str) -> list[str]:
        """The pages that a page links to."""
        return self._page_names(self.out_of, page)

    def anchor_texts(self, page: str) -> list[str]:
        """The texts of the links to a page, as often as they were found."""
        place = self.place(page)
        return [text for target, text in self.anchors if target == place and text]

    def _page_names(self, rows: Rows, page: str) -> list[str]:
        place = self.place(page)
        return [self.pages[other] for other in rows.columns[rows.offsets[place] : rows.offsets[place + 1]].tolist()]

    def part(self, kept: NDArray[np.bool_]) -> LinkGraph:
        """The graph of some pages and the links between them."""
        number = np.cumsum(kept) - 1
        both = kept[self.sources] & kept[self.targets]
        pages = [self.pages[place] for place in np.flatnonzero(kept).tolist()]
        weights = self.weights[both] if self.is_weighted else None
        anchors = [(int(number[target]), text) for target, text in self.anchors if kept[target]]
        return LinkGraph.of_arrays(
            number[self.sources[both]], number[self.targets[both]], pages, weights, anchors=anchors, notes=self.notes
        )

    def with_notes(self, *notes: str) -> LinkGraph:
        """The same graph with notes that are shown beside results."""
        return replace(self, notes=(*self.notes, *notes))

    def _finding(self) -> str:
        return f"{counted(len(self), 'page')}, {counted(self.links, 'link')}"

    def _shown_table(self) -> Table:
        order = np.argsort(-self.in_degrees, kind="stable")[:20]
        return Table(
            ["page", "in_links", "out_links"],
            [[self.pages[p], int(self.in_degrees[p]), int(self.out_degrees[p])] for p in order.tolist()],
        )


def _merged_plain(edges: Edges, pages: int, arrays: NewArrays = NEW_ARRAYS) -> Rows:
    """In ranges of targets, which the edges are put into first."""
    count, weighted = len(edges.sources), len(edges.weights) > 0
    degrees = np.zeros(pages, np.int64)
    for begin in range(0, count, PLAIN_AT_ONCE):
        degrees += np.bincount(edges.targets[begin : begin + PLAIN_AT_ONCE], minlength=pages)
    ranges = list(cuts(degrees, PLAIN_AT_ONCE))
    firsts = np.array([first for first, _ in ranges], np.int64)
    apart, cursors = edges, (np.cumsum(degrees) - degrees)[firsts]
    if len(ranges) > 1:
        apart = Edges(*(arrays.take("spare", len(part), part.dtype) for part in edges))
        for begin in range(0, count, PLAIN_AT_ONCE):
            some = slice(begin, begin + PLAIN_AT_ONCE)
            order, places = _dealt(np.searchsorted(firsts, edges.targets[some], "right") - 1, cursors)
            for part, there in zip(edges, apart, strict=True):
                if len(part):
                    there[places] = part[some][order]
    columns, weights = arrays.take("columns", count, np.int32), arrays.take("weights", len(edges.weights), np.float64)
    found, begin, merged = np.zeros(pages + 1, np.int64), 0, 0
    for first, last in ranges:
        end = begin + int(degrees[first:last].sum())
        keys = (apart.targets[begin:end] - np.int64(first)) * pages + apart.sources[begin:end]
        if weighted:
            unique, where = np.unique(keys, return_inverse=True)
            # bincount adds in the order of the edges, as the kernel does.
            weights[merged : merged + len(unique)] = np.bincount(where, apart.weights[begin:end], len(unique))
        else:
            keys.sort()  # which takes a tenth of the time of np.unique
            unique = keys[np.flatnonzero(np.diff(keys, prepend=-1))]
        columns[merged : merged + len(unique)] = unique % pages
        found[first + 1 : last + 1] = np.bincount(unique // pages, minlength=last - first)
        begin, merged = end, merged + len(unique)
    return _cut(Rows(np.cumsum(found), columns, weights, int(weighted)), merged, arrays)


def _cut(rows: Rows, merged: int, arrays: NewArrays) -> Rows:
    """Rows of so many columns, of which there was room for more."""
    columns, weights = rows.columns[:merged], rows.weights[:merged]
    if arrays is NEW_ARRAYS:
        columns, weights = columns.copy(), weights.copy()  # so that the memory of merged links is freed
    return rows._replace(columns=columns, weights=weights)


@compiled_job("leadline.collections.links.kernels.merge_edges", plain=_merged_plain)
def merge_edges(kernel: Kernel, edges: Edges, pages: int, arrays: NewArrays = NEW_ARRAYS) -> Rows:
    """The sources of each target, ascending and each once, with the sum of the weights. The edges are overwritten."""
    count, weighted = len(edges.sources), int(len(edges.weights) > 0)
    spare = Edges(*(arrays.take("spare", len(part), part.dtype) for part in edges))
    columns, weights = arrays.take("columns", count, np.int32), arrays.take("weights", len(edges.weights), np.float64)
    rows = Rows(np.empty(pages + 1, np.int64), columns, weights, weighted)
    return _cut(rows, kernel(edges, spare, count, rows, pages, np.empty(pages + 1, np.int64)), arrays)
