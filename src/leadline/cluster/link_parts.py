"""PageRank and HITS on a cluster: every actor holds the links into some blocks of pages, and sums over them.

The sums of a block are added in the order of one machine, since the blocks are the same; the sums over blocks are added
by the caller. A round sends what every page passes on to all, and gets back what each actor's pages have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from leadline.cluster.work import Cluster, Crew
from leadline.collections.links.graph import ADDING_BYTES, Each, add_links, some_blocks
from leadline.collections.links.kernel_arguments import LinkBlocks, Surfers
from leadline.collections.links.page_scores import TOLERANCE, surf

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Progress = Callable[[int, int, str], None]
ROUNDS = 100  # of which machine code is expected to be worth loading


class LinkPart:
    """Some blocks of pages with the links into them, in each layout; and what PageRank needs of these pages."""

    def __init__(self, layouts: Sequence[LinkBlocks], shares: Floats | None, jumps: Floats | None) -> None:
        self.layouts, self.shares, self.jumps = layouts, shares, jumps

    def surf(self, passed_on: Floats, ranks: Floats, settings: Floats) -> tuple[Floats, Floats, Floats]:
        """One round of PageRank: the ranks of these pages, what they pass on, and the sums of the blocks."""
        into = self.layouts[0]
        assert self.shares is not None
        assert self.jumps is not None
        sums = np.zeros(2 * (len(into.starts) - 1))
        state = Surfers(ranks.copy(), passed_on, np.zeros(into.pages), self.shares, self.jumps, settings, sums)
        surf.choose(ADDING_BYTES * (len(into.sources) + into.pages) * ROUNDS)(into, state, _all_blocks)
        return state.ranks, state.passing, sums

    def add(self, layout: int, values: Floats) -> Floats:
        """The sum of the values of the pages that link to each of these pages."""
        blocks = self.layouts[layout]
        totals = np.empty(blocks.pages)
        add_links.choose(ADDING_BYTES * len(blocks.sources) * ROUNDS)(blocks, values, totals, _all_blocks)
        return totals


def _all_blocks(function: Callable[[int, int], object]) -> None:
    function(0, 1)


class LinksOnCluster:
    """Parts of a graph's links on a cluster; the functions for PageRank and HITS take it as `workers`."""

    def __init__(self, cluster: Cluster, progress: Progress | None = None, rounds: int | None = None) -> None:
        """`progress` is told of every round; of HITS the total is known where `rounds` are asked for."""
        self.cluster, self.progress, self.rounds = cluster, progress, rounds
        self.done = 0

    def surfing(self, into: LinkBlocks, state: Surfers) -> Callable[[LinkBlocks, Surfers, Each], None]:
        """What computes a round of PageRank."""
        bounds, pages = self._bounds(into)
        both = zip(bounds, pages, strict=True)
        given = [((some_blocks(into, *each),), state.shares[at], state.jumps[at]) for each, at in both]
        crew = Crew(self.cluster, LinkPart, given)

        def surf_round(_into: LinkBlocks, now: Surfers, _each: Each) -> None:
            shared = self.cluster.held(now.passed_on)
            parts = crew.ask("surf", [(shared, now.ranks[at], now.settings) for at in pages])
            for (first, last), at, (ranks, passing, sums) in zip(bounds, pages, parts, strict=True):
                now.ranks[at], now.passing[at], now.sums[2 * first : 2 * last] = ranks, passing, sums
            self._report(rounds_left(float(now.sums[0::2].sum()), float(now.settings[0])))

        return surf_round

    def adding(self, *layouts: LinkBlocks) -> Callable[[LinkBlocks, Floats, Floats, Each], None]:
        """What sums over the links of one of these layouts."""
        bounds, pages = self._bounds(layouts[0])
        given = [(tuple(some_blocks(layout, *each) for layout in layouts), None, None) for each in bounds]
        crew = Crew(self.cluster, LinkPart, given)

        def add(blocks: LinkBlocks, values: Floats, totals: Floats, _each: Each) -> None:
            number = next(place for place, layout in enumerate(layouts) if layout is blocks)
            shared = self.cluster.held(values)
            for at, part in zip(pages, crew.ask("add", [(number, shared)] * len(pages)), strict=True):
                totals[at] = part
            if number == 0:  # authorities, then hubs: one round
                self._report(None if self.rounds is None else self.rounds - self.done - 1)

        return add

    def _report(self, left: int | None) -> None:
        """Tell that a round is done, and how many are left; None: it is not known."""
        self.done += 1
        if self.progress is not None:
            done, total = (0, 1) if left is None else (self.done, self.done + max(left, 0))
            self.progress(done, total, f"round {self.done}")

    def _bounds(self, blocks: LinkBlocks) -> tuple[list[tuple[int, int]], list[slice]]:
        """The blocks of each actor, about as many links for each, and the pages of these blocks."""
        count = len(blocks.starts) - 1
        parts = min(self.cluster.processors, count)
        wanted = np.linspace(0, float(blocks.starts[-1]), parts + 1)[1:-1]
        inner = np.searchsorted(blocks.starts, wanted).tolist()
        edges = sorted({0, count, *(place for place in inner if 0 < place < count)})
        bounds = list(pairwise(edges))
        pages = [slice(first * blocks.size, min(last * blocks.size, blocks.pages)) for first, last in bounds]
        return bounds, pages


def rounds_left(moved: float, damping: float) -> int:
    """The most rounds of PageRank that are left when the last one has moved so much: each moves less by `damping`.

    >>> rounds_left(1.0, 0.85), rounds_left(1e-12, 0.85)
    (153, 0)
    """
    limit = TOLERANCE * (1 - damping)
    if damping == 0 or moved * damping <= limit:
        return 0
    return math.ceil(math.log(limit / (moved * damping)) / math.log(damping))
