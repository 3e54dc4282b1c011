"""The documents that have all of several terms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.index import Index
from leadline.retrieval.index.packing import NOT_IN_ORDER, PackedArray
from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BYTES_A_POSTING = 2  # NumPy intersects a posting in the time in which plain Python reads so many bytes of text
_PER_BLOCK = 128


def rows_with_all(index: Index, field: str, terms: Sequence[bytes]) -> NDArray[np.int64]:
    """The rows of the documents that have all terms in a field, ascending. The terms must be those of segments."""
    found = []
    for segment, base in zip(index.segments, index.bases.tolist(), strict=False):
        part = segment.field(index.field(field))
        numbers = part.terms.find(terms)
        if (numbers >= 0).all():
            starts, stops = part.starts[numbers], part.starts[numbers + 1]
            order = np.argsort(stops - starts, kind="stable")  # the shortest list first
            found.append(base + intersected(part.documents, starts[order], stops[order]))
    return np.concatenate([np.empty(0, np.int64), *found])


def intersected(documents: PackedArray, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int32]:
    """The documents that are in all lists, the shortest of which is first."""
    if type(documents) is not PackedArray:  # lists that are not as they are stored
        return _intersected_plain(documents, starts, stops)
    return _intersected.choose(_BYTES_A_POSTING * int((stops - starts).sum()))(documents, starts, stops)


def _intersected_plain(
    documents: PackedArray, starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> NDArray[np.int32]:
    lists = [documents.ranges(starts[n : n + 1], stops[n : n + 1]) for n in range(len(starts))]
    if any((each[1:] <= each[:-1]).any() for each in lists):
        raise documents.damaged(NOT_IN_ORDER)
    return reduce(lambda one, other: np.intersect1d(one, other, assume_unique=True), lists)


@compiled_job("leadline.retrieval.index.kernels.intersecting.intersect_lists", plain=_intersected_plain)
def _intersected(
    kernel: Kernel, documents: PackedArray, starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> NDArray[np.int32]:
    into = np.empty(int(stops[0] - starts[0]), np.int32)
    blocks = documents.checked_blocks(starts, stops)
    count = kernel(blocks, starts, stops, len(starts), np.empty(_PER_BLOCK, np.int32), into)
    if count < 0:
        raise documents.damaged(NOT_IN_ORDER)
    return into[:count]
