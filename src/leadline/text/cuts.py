"""Cut a sequence of things into batches that do not weigh more than a limit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def cuts(weights: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Where each batch starts and ends: as many as weigh at most `most` together, or one that weighs more.

    >>> list(cuts(np.array([3, 3, 3, 9, 1]), 6))
    [(0, 2), (2, 3), (3, 4), (4, 5)]
    """
    ends = np.cumsum(weights, dtype=np.int64)
    start = before = 0
    while start < len(ends):
        end = max(start + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield start, end
        start, before = end, int(ends[end - 1])
