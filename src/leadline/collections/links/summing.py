"""Rows laid out for fast sums, and the blocks of them that threads share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.links.kernels.arguments import BLOCKS, LANES, Rows, SlicedRows
from leadline.text.engine import compiled_job

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.text.compiled import Kernel

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int32]

THREADED = 500_000  # links from which two threads pay
ADDING_BYTES = 2  # of text that take as long to read as an entry to add
SLICING_BYTES = 8  # the same, for an entry to lay out
Each = Callable[[Callable[[int, int], object]], object]  # calls a function with a first block and a step


def longest_first(rows: Rows) -> tuple[Ints, Ints]:
    """The rows by descending length, and the place of each row in that order."""
    lengths = np.minimum(np.diff(rows.offsets), 65535)  # NumPy sorts 16 bits by counting
    order = np.argsort((65535 - lengths).astype(np.uint16), kind="stable").astype(np.int32)
    places = np.empty_like(order)
    places[order] = np.arange(len(order), dtype=np.int32)
    return order, places


def padded_size(pages: int) -> int:
    """The number of rows of all slices."""
    return -(-pages // LANES) * LANES


def _sliced_plain(rows: Rows, order: Ints, numbers: Ints, slices: SlicedRows, filler: int) -> None:
    lengths = np.diff(rows.offsets)[order]
    place = np.repeat(np.arange(len(order)), lengths)
    nth = np.arange(len(place)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    entry = rows.offsets[order][place] + nth
    at = slices.starts[place // LANES] + place % LANES + LANES * nth
    slices.columns[:] = filler
    slices.columns[at] = numbers[rows.columns[entry]]
    if rows.weighted:
        slices.weights[:] = 0.0
        slices.weights[at] = rows.weights[entry]


@compiled_job("leadline.collections.links.kernels.summing.slice_rows", plain=_sliced_plain)
def _fill_slices(kernel: Kernel, rows: Rows, order: Ints, numbers: Ints, slices: SlicedRows, filler: int) -> None:
    kernel(rows, order, len(order), numbers, filler, slices)


def sliced(rows: Rows, order: Ints, numbers: Ints) -> SlicedRows:
    """Rows as slices, in the given order. `numbers` are the new numbers of columns."""
    lengths = np.zeros(padded_size(len(order)), np.int64)
    lengths[: len(order)] = np.diff(rows.offsets)[order]
    starts = np.concatenate([[0], np.cumsum(lengths.reshape(-1, LANES).max(1, initial=0) * LANES)])
    size = int(starts[-1])
    slices = SlicedRows(starts, np.empty(size, np.int32), np.empty(size if rows.weighted else 0), rows.weighted)
    _fill_slices.choose(SLICING_BYTES * len(rows.columns))(rows, order, numbers, slices, padded_size(len(numbers)))
    return slices


def block_borders(slices: SlicedRows) -> NDArray[np.int64]:
    """Slices divided into blocks of about as much work each; a border is the first slice of a block."""
    work = slices.starts + 2 * LANES * np.arange(len(slices.starts))  # a row costs about as much as two entries
    return np.searchsorted(work, np.linspace(0, work[-1], BLOCKS + 1)).astype(np.int64)


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


def lane_rows(slices: SlicedRows) -> NDArray[np.int64]:
    """The row of each entry of the slices."""
    sizes = np.diff(slices.starts)
    number = np.repeat(np.arange(len(sizes)), sizes)
    return number * LANES + (np.arange(len(number)) - slices.starts[number]) % LANES


def plain_sums(slices: SlicedRows, values: Floats) -> Floats:
    """The sum of each row. bincount adds one entry after the other, as the kernel does."""
    given = values[slices.columns]
    rows = (len(slices.starts) - 1) * LANES
    sums = np.bincount(lane_rows(slices), given * slices.weights if slices.weighted else given, rows)
    return sums.astype(np.float64, copy=False)


def _added_plain(slices: SlicedRows, values: Floats, totals: Floats, borders: NDArray[np.int64], each: Each) -> None:
    totals[: (len(slices.starts) - 1) * LANES] = plain_sums(slices, values)


@compiled_job("leadline.collections.links.kernels.summing.add_slices", plain=_added_plain)
def add_slices(
    kernel: Kernel, slices: SlicedRows, values: Floats, totals: Floats, borders: NDArray[np.int64], each: Each
) -> None:
    """The sum of each row of the slices, into `totals`."""
    each(lambda first, step: kernel(slices, values, totals, borders, first, step))
