"""What the kernels of the link graph take; see `text/kernels/arguments.py`."""

from __future__ import annotations

from typing import NamedTuple

from leadline.text.kernels.arguments import Floats, Int32s, Int64s

LANES = 8  # rows that are added up side by side
BLOCKS = 8  # of slices, each with sums of its own, so that no sum depends on the number of threads


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


class SlicedRows(NamedTuple):
    """Rows by descending length, eight side by side: a slice holds the first entry of each, then the second, and so on.

    Slice s holds columns[starts[s]:starts[s + 1]]. Short rows are filled up with a column whose value is always 0.
    """

    starts: Int64s
    columns: Int32s
    weights: Floats
    weighted: int  # 0 or 1


class Surfers(NamedTuple):
    """The state of PageRank between two rounds, one entry per row of the slices unless noted."""

    ranks: Floats
    passed_on: Floats  # of the last round: what a page gives for each unit of weight of its links; one entry more, 0
    passing: Floats  # the same, of this round
    shares: Floats  # 1 / weight of a page's links; 0 for a page without links
    jumps: Floats  # where surfers go who follow no link; sums to 1
    settings: Floats  # damping, and the share of all surfers who jump in this round
    sums: Floats  # for each block: how far ranks moved, and the ranks of pages without links
