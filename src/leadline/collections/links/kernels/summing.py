"""One round of PageRank, and the sums over the links of pages that HITS is made of.

The links into a block of pages are added up by ascending source: values are read from one end of memory to the other,
which a processor foresees, and what is added to at random places is only the totals of the block, which fit into its
second cache. A page's links are added in the order of their sources, from 0, so that the plain twins give the same
bits.
"""

from __future__ import annotations

from leadline.collections.links.kernels.arguments import LinkBlocks, Rows, Surfers
from leadline.text.kernels.arguments import Floats, Int64s, kernel
from leadline.text.kernels.primitives import inline


@kernel
def block_links(out_of: Rows, ends: Int64s, blocks: LinkBlocks) -> int:
    """Fill blocks with the links of pages. `ends` is where each block begins, and is moved to where it ends."""
    for source in range(blocks.pages):
        for entry in range(out_of.offsets[source], out_of.offsets[source + 1]):
            target = out_of.columns[entry]
            block = target // blocks.size
            at = ends[block]
            ends[block] = at + 1
            blocks.sources[at] = source
            blocks.targets[at] = target - block * blocks.size
            if out_of.weighted:
                blocks.weights[at] = out_of.weights[entry]
    return 0


@inline
def _add_block(blocks: LinkBlocks, block: int, values: Floats, totals: Floats) -> None:
    begin = block * blocks.size
    for page in range(begin, min(begin + blocks.size, blocks.pages)):
        totals[page] = 0.0
    sources, targets, weights = blocks.sources, blocks.targets, blocks.weights
    if blocks.weighted:
        for at in range(blocks.starts[block], blocks.starts[block + 1]):
            totals[begin + targets[at]] += values[sources[at]] * weights[at]
    else:
        for at in range(blocks.starts[block], blocks.starts[block + 1]):
            totals[begin + targets[at]] += values[sources[at]]


@inline
def _surf_block(into: LinkBlocks, state: Surfers, block: int) -> None:
    _add_block(into, block, state.passed_on, state.passing)
    damping, jumping = state.settings[0], state.settings[1]
    moved, lost = 0.0, 0.0
    for page in range(block * into.size, min((block + 1) * into.size, into.pages)):
        rank = state.jumps[page] * jumping + damping * state.passing[page]
        moved += abs(rank - state.ranks[page])
        share = state.shares[page]
        if share == 0.0:
            lost += rank
        state.ranks[page] = rank
        state.passing[page] = rank * share
    state.sums[2 * block] = moved
    state.sums[2 * block + 1] = lost


@kernel
def surf(into: LinkBlocks, state: Surfers, block: int, step: int) -> int:
    """One round of PageRank for every step-th block from `block` on."""
    while block * into.size < into.pages:
        _surf_block(into, state, block)
        block += step
    return 0


@kernel
def add_links(blocks: LinkBlocks, values: Floats, totals: Floats, block: int, step: int) -> int:
    """The sum of the values of the pages that link to each page, times the weights, in every step-th block."""
    while block * blocks.size < blocks.pages:
        _add_block(blocks, block, values, totals)
        block += step
    return 0
