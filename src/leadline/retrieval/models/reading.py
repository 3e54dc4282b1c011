"""Read lists of postings from the segments of an index as the search needs them: places in blocks of documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from leadline.retrieval.index.index import Index
from leadline.retrieval.index.packing import NOT_ADDING_UP, NOT_IN_ORDER, Frequencies, PackedArray
from leadline.retrieval.models.kernels.arguments import BLOCK, MOST_COUNT, AskedLists, ReadLists, WeightLists
from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job
from leadline.text.ids import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Weighed = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]

BYTES_A_POSTING = 4  # NumPy reads or weighs a posting in the time in which plain Python reads so many bytes of text
PER_BLOCK = 128  # integers that are packed together
PROBLEMS = {1: NOT_IN_ORDER, 2: NOT_ADDING_UP}  # by what the kernel returns


class SegmentPostings(NamedTuple):
    """The stored lists of some terms in a segment: those of term t are starts[t]:stops[t]."""

    documents: PackedArray
    frequencies: PackedArray
    base: int  # the row of the segment's first document
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    occurrences: NDArray[np.int64]


def stored_postings(index: Index, field: str, terms: Sequence[str]) -> list[SegmentPostings] | None:
    """The lists of terms in each segment; None where a list is not as it is stored."""
    encoded = [term.encode() for term in terms]
    if not index.are_stored(encoded):
        return None
    found = []
    for segment, base in zip(index.segments, index.bases.tolist(), strict=False):
        part = segment.field(index.field(field))
        if type(part.documents) is not PackedArray or type(part.frequencies) is not Frequencies:
            return None
        numbers = part.terms.find(encoded)
        if len(numbers) and int(numbers.min()) >= 0:
            starts, stops, occurrences = part.starts[numbers], part.starts[numbers + 1], part.totals[numbers]
        else:
            there = numbers >= 0
            starts, stops, occurrences = np.zeros((3, len(numbers)), np.int64)
            starts[there], stops[there] = part.starts[numbers[there]], part.starts[numbers[there] + 1]
            occurrences[there] = part.totals[numbers[there]]
        found.append(SegmentPostings(part.documents, part.frequencies, base, starts, stops, occurrences))
    return found


def directory_of(documents: NDArray[np.integer[Any]], offsets: NDArray[np.int64], blocks: int) -> NDArray[np.int64]:
    """For each list the first of its postings in each block of documents, and its end.

    >>> directory_of(np.array([1, 4095, 4096, 5]), np.array([0, 3, 4]), 2).tolist()
    [[0, 2, 3], [3, 4, 4]]
    """
    lists = len(offsets) - 1
    in_block = np.repeat(np.arange(lists) * blocks, np.diff(offsets)) + documents // BLOCK
    directory = np.empty((lists, blocks + 1), np.int64)
    directory[:, 0] = offsets[:-1]
    sizes = np.bincount(in_block, minlength=lists * blocks).reshape(-1, blocks)
    directory[:, 1:] = offsets[:-1, None] + np.cumsum(sizes, axis=1)
    return directory


def read_lists(
    segments: Sequence[SegmentPostings], offsets: NDArray[np.int64], places: NDArray[np.uint16],
    counts: NDArray[np.uint16], directory: NDArray[np.int64],
) -> NDArray[np.int64]:  # fmt: skip
    """Read lists into `places` and `counts`, from their offsets on; returns the highest frequency of each list."""
    size = int(BYTES_A_POSTING * (offsets[-1] - offsets[0]))
    return _read.choose(size)(segments, offsets, places, counts, directory)


def _read_plain(
    segments: Sequence[SegmentPostings], offsets: NDArray[np.int64], places: NDArray[np.uint16],
    counts: NDArray[np.uint16], directory: NDArray[np.int64],
) -> NDArray[np.int64]:  # fmt: skip
    lists = len(offsets) - 1
    sizes = np.array([each.stops - each.starts for each in segments])
    first = offsets[:-1] + np.cumsum(sizes, axis=0) - sizes  # of each list's postings in a segment
    documents = np.empty(int(offsets[-1] - offsets[0]), np.int64)
    most = np.zeros(lists, np.int64)
    for each, size, start in zip(segments, sizes, first, strict=True):
        found = each.documents.ranges(each.starts, each.stops).astype(np.int64)
        list_of = np.repeat(np.arange(lists), size)
        if ((found[1:] <= found[:-1]) & (list_of[1:] == list_of[:-1])).any():
            raise each.documents.damaged(NOT_IN_ORDER)
        frequencies = each.frequencies.ranges(each.starts, each.stops)
        into = ranges(start, size)
        documents[into - offsets[0]] = found + each.base
        counts[into] = np.minimum(frequencies, MOST_COUNT)
        np.maximum.at(most, list_of, frequencies)
    places[offsets[0] : offsets[-1]] = documents % BLOCK
    directory[:] = directory_of(documents, offsets - offsets[0], directory.shape[1] - 1) + offsets[0]
    return most


@compiled_job("leadline.retrieval.models.kernels.reading.read_lists", plain=_read_plain)
def _read(
    kernel: Kernel, segments: Sequence[SegmentPostings], offsets: NDArray[np.int64], places: NDArray[np.uint16],
    counts: NDArray[np.uint16], directory: NDArray[np.int64],
) -> NDArray[np.int64]:  # fmt: skip
    lists, entries = directory.shape
    cursors, most, scratch = offsets[:-1].copy(), np.zeros(lists, np.int64), np.empty((2, PER_BLOCK), np.int32)
    directory[:, 0] = cursors
    reached = np.zeros(lists, np.int64)
    for number, each in enumerate(segments):
        wrong = kernel(
            each.documents.checked_blocks(each.starts, each.stops),
            each.frequencies.checked_blocks(each.starts, each.stops),
            AskedLists(lists, each.base, each.starts, each.stops, each.occurrences),
            ReadLists(cursors, reached, most, places, counts, directory, entries, number == len(segments) - 1),
            scratch[0], scratch[1],
        )  # fmt: skip
        if wrong:
            raise (each.documents if wrong == 1 else each.frequencies).damaged(PROBLEMS[wrong])
    return most


class ReadPostings(Protocol):
    """Lists that were read: `Weights`, which imports this module."""

    sizes: NDArray[np.int64]
    blocks: int

    def arrays(self) -> WeightLists: ...

    def postings(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...


def weighed_lists(weights: ReadPostings, numbers: NDArray[np.int64]) -> Weighed:
    """The weights of lists, one behind the other, and the lowest and highest of each."""
    return _weighed.choose(BYTES_A_POSTING * int(weights.sizes[numbers].sum()))(weights, numbers)


def _weighed_plain(weights: ReadPostings, numbers: NDArray[np.int64]) -> Weighed:
    found = [weights.postings(number)[1] for number in numbers.tolist()]
    bounds = np.array([(each.min(), each.max()) for each in found])
    return np.concatenate(found), bounds[:, 0].copy(), bounds[:, 1].copy()


@compiled_job("leadline.retrieval.models.kernels.reading.weigh_lists", plain=_weighed_plain)
def _weighed(kernel: Kernel, weights: ReadPostings, numbers: NDArray[np.int64]) -> Weighed:
    values = np.empty(int(weights.sizes[numbers].sum()))
    lowest, highest = np.empty(len(numbers)), np.empty(len(numbers))
    kernel(weights.arrays(), weights.blocks, numbers, len(numbers), values, lowest, highest)
    return values, lowest, highest
