"""The compiled half of the link graph: edges merged, and the sums of PageRank and HITS."""

from __future__ import annotations

from leadline.collections.links.kernel_arguments import Edges, LinkBlocks, Rows, Surfers
from leadline.text.kernel_arguments import Floats, Int32s, Int64s, kernel
from leadline.text.kernels import inline


@inline
def _scatter(edges: Edges, keys: Int32s, into: Edges, count: int, weighted: int, starts: Int64s, pages: int) -> None:
    """Sort by the keys, keeping the order of equals: count, add up, place."""
    # starts[p] becomes where the edges of key p begin, and moves on with every edge that is placed.
    for page in range(pages + 1):
        starts[page] = 0
    for place in range(count):
        starts[keys[place] + 1] += 1
    for page in range(1, pages + 1):
        starts[page] += starts[page - 1]
    for place in range(count):
        at = starts[keys[place]]
        starts[keys[place]] = at + 1
        into.sources[at] = edges.sources[place]
        into.targets[at] = edges.targets[place]
        if weighted:
            into.weights[at] = edges.weights[place]


@kernel
def merge_edges(edges: Edges, spare: Edges, count: int, rows: Rows, pages: int, starts: Int64s) -> int:
    """Fill `rows`, one for each target, with its sources; return their number. `edges` and `spare` are overwritten.

    Several edges between the same pages become one, whose weight is their sum.
    """
    # The second sort keeps the order of equals: edges are ordered by target, and those of a target by source.
    _scatter(edges, edges.sources, spare, count, rows.weighted, starts, pages)
    _scatter(spare, spare.targets, edges, count, rows.weighted, starts, pages)
    for page in range(pages + 1):
        rows.offsets[page] = 0
    merged = 0
    for place in range(count):
        source, target = edges.sources[place], edges.targets[place]
        if place > 0 and source == edges.sources[place - 1] and target == edges.targets[place - 1]:
            if rows.weighted:
                rows.weights[merged - 1] += edges.weights[place]
            continue
        rows.columns[merged] = source
        if rows.weighted:
            rows.weights[merged] = edges.weights[place]
        rows.offsets[target + 1] += 1
        merged += 1
    # From counts to where each row begins.
    for page in range(1, pages + 1):
        rows.offsets[page] += rows.offsets[page - 1]
    return merged


# One round of PageRank, and the sums over the links of pages that HITS is made of.
#
# The links into a block of pages are added up by ascending source: values are read from one end of memory to the other,
# which a processor foresees, and what is added to at random places is only the totals of the block, which fit into its
# second cache. A page's links are added in the order of their sources, from 0, so that the plain twins give the same
# bits.


@kernel
def block_links(out_of: Rows, ends: Int64s, blocks: LinkBlocks) -> int:
    """Fill blocks with the links of pages. `ends` is where each block begins, and is moved to where it ends."""
    for source in range(blocks.pages):
        for entry in range(out_of.offsets[source], out_of.offsets[source + 1]):
            # Sources ascend, so those of each block do too. A target is kept as its place in the block.
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
    # The totals of the block begin at 0 and are added in the order of sources: see above.
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
        # The new rank is what jumps and links bring. The rank of a page without links out (share 0) is lost, and added
        # up; what a page passes on to each of its links is kept for the next round.
        rank = state.jumps[page] * jumping + damping * state.passing[page]
        moved += abs(rank - state.ranks[page])
        share = state.shares[page]
        if share == 0.0:
            lost += rank
        state.ranks[page] = rank
        state.passing[page] = rank * share
    # Sums of blocks are kept apart and added up in one order, so that threads do not change the result.
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
