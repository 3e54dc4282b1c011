"""What the kernels of the link graph take; see `text/kernel_arguments.py`."""

from __future__ import annotations

from typing import NamedTuple

from leadline.text.kernel_arguments import Floats, Int32s, Int64s, UInt16s


class Edges(NamedTuple):
    """Edges in any order; `weights` is not read where every edge weighs 1."""

    sources: Int32s
    targets: Int32s
    weights: Floats


class Rows(NamedTuple):
    """Row r holds columns[offsets[r]:offsets[r + 1]], ascending; `weights` is not read where every entry weighs 1."""

    offsets: Int64s
    columns: Int32s
    weights: Floats
    weighted: int  # 0 or 1


class LinkBlocks(NamedTuple):
    """Links by blocks of the pages they lead to, and in each block by the pages they come from, ascending.

    The links of block b are those from starts[b] to starts[b + 1]. They lead to the `size` pages from b · size on, and
    `targets` counts from there.
    """

    starts: Int64s
    sources: Int32s
    targets: UInt16s
    weights: Floats  # not read where every link weighs 1
    weighted: int  # 0 or 1
    pages: int
    size: int  # pages of a block, a power of 2


class Surfers(NamedTuple):
    """The state of PageRank between two rounds, one entry per page unless noted."""

    ranks: Floats
    passed_on: Floats  # of the last round: what a page gives for each unit of weight of its links
    passing: Floats  # the same, of this round
    shares: Floats  # 1 / weight of a page's links; 0 for a page without links
    jumps: Floats  # where surfers go who follow no link; sums to 1
    settings: Floats  # damping, and the share of all surfers who jump in this round
    sums: Floats  # for each block: how far ranks moved, and the ranks of pages without links
