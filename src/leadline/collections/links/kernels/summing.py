"""One round of PageRank, and the sums over the links of pages that HITS is made of.

Eight rows of about the same length are added up side by side: there is no branch to predict at the end of each row, and
eight values are on their way from memory at once. A row's entries are added in their order, from 0, so that the plain
twins give the same bits.
"""

from __future__ import annotations

from leadline.collections.links.kernels.arguments import BLOCKS, LANES, Rows, SlicedRows, Surfers
from leadline.text.kernels.arguments import Floats, Int32s, Int64s, kernel
from leadline.text.kernels.primitives import inline


@kernel
def slice_rows(rows: Rows, order: Int32s, pages: int, numbers: Int32s, filler: int, slices: SlicedRows) -> int:
    """Fill slices with rows in the given order; `numbers` are the new numbers of columns."""
    for place in range(-(-pages // LANES) * LANES):
        group, lane = place // LANES, place % LANES
        at, end = slices.starts[group] + lane, slices.starts[group + 1]
        if place < pages:
            row = order[place]
            for entry in range(rows.offsets[row], rows.offsets[row + 1]):
                slices.columns[at] = numbers[rows.columns[entry]]
                if rows.weighted:
                    slices.weights[at] = rows.weights[entry]
                at += LANES
        while at < end:
            slices.columns[at] = filler
            if rows.weighted:
                slices.weights[at] = 0.0
            at += LANES
    return 0


@inline
def _add_slice(slices: SlicedRows, number: int, values: Floats, totals: Floats) -> None:
    a = b = c = d = e = f = g = h = 0.0
    columns, weights = slices.columns, slices.weights
    at, end = slices.starts[number], slices.starts[number + 1]
    if slices.weighted:
        while at < end:
            a += values[columns[at]] * weights[at]
            b += values[columns[at + 1]] * weights[at + 1]
            c += values[columns[at + 2]] * weights[at + 2]
            d += values[columns[at + 3]] * weights[at + 3]
            e += values[columns[at + 4]] * weights[at + 4]
            f += values[columns[at + 5]] * weights[at + 5]
            g += values[columns[at + 6]] * weights[at + 6]
            h += values[columns[at + 7]] * weights[at + 7]
            at += LANES
    else:
        while at < end:
            a += values[columns[at]]
            b += values[columns[at + 1]]
            c += values[columns[at + 2]]
            d += values[columns[at + 3]]
            e += values[columns[at + 4]]
            f += values[columns[at + 5]]
            g += values[columns[at + 6]]
            h += values[columns[at + 7]]
            at += LANES
    row = number * LANES
    totals[row], totals[row + 1], totals[row + 2], totals[row + 3] = a, b, c, d
    totals[row + 4], totals[row + 5], totals[row + 6], totals[row + 7] = e, f, g, h


@inline
def _surf_block(into: SlicedRows, state: Surfers, first: int, last: int, block: int) -> None:
    damping, jumping = state.settings[0], state.settings[1]
    moved, lost = 0.0, 0.0
    for number in range(first, last):
        _add_slice(into, number, state.passed_on, state.passing)
        for page in range(number * LANES, number * LANES + LANES):
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
def surf(into: SlicedRows, state: Surfers, borders: Int64s, block: int, step: int) -> int:
    """One round of PageRank for every step-th block of slices from `block` on."""
    while block < BLOCKS:
        _surf_block(into, state, borders[block], borders[block + 1], block)
        block += step
    return 0


@kernel
def add_slices(slices: SlicedRows, values: Floats, totals: Floats, borders: Int64s, block: int, step: int) -> int:
    """The sum of the values of each row's columns, times their weights, in every step-th block from `block` on."""
    while block < BLOCKS:
        for number in range(borders[block], borders[block + 1]):
            _add_slice(slices, number, values, totals)
        block += step
    return 0
