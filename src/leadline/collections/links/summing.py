"""Links laid out for fast sums, in blocks of pages that threads share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import numpy as np

from leadline.collections.links.kernels.arguments import LinkBlocks, Rows, Surfers
from leadline.text.engine import compiled_job
from leadline.text.memory import NEW_ARRAYS, NewArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.text.compiled import Kernel

    Floats = NDArray[np.float64]

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
        starts=blocks.starts[first : last + 1] - begin, sources=blocks.sources[begin:end],
        targets=blocks.targets[begin:end], weights=blocks.weights[begin:end], pages=pages,
    )  # fmt: skip


def _blocked_plain(out_of: Rows, blocks: LinkBlocks) -> None:
    order = np.argsort(out_of.columns // blocks.size, kind="stable")
    blocks.sources[:] = np.repeat(np.arange(blocks.pages), np.diff(out_of.offsets))[order]
    blocks.targets[:] = (out_of.columns % blocks.size)[order]
    if out_of.weighted:
        blocks.weights[:] = out_of.weights[order]


@compiled_job("leadline.collections.links.kernels.summing.block_links", plain=_blocked_plain)
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
    begins = np.arange(len(blocks.starts) - 1) * blocks.size
    given = values[blocks.sources]
    targets = np.repeat(begins, np.diff(blocks.starts)) + blocks.targets
    sums = np.bincount(targets, given * blocks.weights if blocks.weighted else given, blocks.pages)
    return sums.astype(np.float64, copy=False)


def _added_plain(blocks: LinkBlocks, values: Floats, totals: Floats, each: Each) -> None:
    totals[:] = plain_sums(blocks, values)


@compiled_job("leadline.collections.links.kernels.summing.add_links", plain=_added_plain)
def add_links(kernel: Kernel, blocks: LinkBlocks, values: Floats, totals: Floats, each: Each) -> None:
    """The sum of the values of the pages that link to each, into `totals`."""
    each(lambda first, step: kernel(blocks, values, totals, first, step))
