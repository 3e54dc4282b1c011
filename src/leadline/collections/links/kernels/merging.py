"""Edges sorted by target, then source, and merged."""

from __future__ import annotations

from leadline.collections.links.kernels.arguments import Edges, Rows
from leadline.text.kernels.arguments import Int32s, Int64s, kernel
from leadline.text.kernels.primitives import inline


@inline
def _scatter(edges: Edges, keys: Int32s, into: Edges, count: int, weighted: int, starts: Int64s, pages: int) -> None:
    """Sort by the keys, keeping the order of equals: count, add up, place."""
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
    for page in range(1, pages + 1):
        rows.offsets[page] += rows.offsets[page - 1]
    return merged
