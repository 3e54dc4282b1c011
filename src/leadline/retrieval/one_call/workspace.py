"""The arrays that a thread searches with."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.retrieval.mapped.kernel_arguments import PER_BLOCK
from leadline.retrieval.models.kernel_arguments import BINS
from leadline.retrieval.one_call import kernel_arguments as at
from leadline.text.engine import prepared

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Workspace:
    """The arrays that a thread searches with, and what they have room for."""

    def __init__(self, documents: int, numbers: int, text: int) -> None:
        self.documents, self.numbers, self.text_size = documents, numbers, text
        room = (-(-(documents + 1) // at.PER_FLAG) + 1) * at.PER_FLAG
        self.totals, self.frequencies = np.full(room, -0.0), np.zeros(room)
        self.flags = np.zeros(room // at.PER_FLAG + 1, np.uint8)
        self.said = np.zeros(at.SAID_SIZE, np.int64)
        # The same, of which one number is read in a tenth of the time.
        self.told = memoryview(self.said)  # type: ignore[arg-type]
        multipliers, self.found_numbers = np.empty(numbers), np.empty(numbers, np.int64)
        self.rows, self.scores = np.empty(room, np.int32), np.empty(room)
        self.list_bits, self.list_before = np.empty(room // 64 + 1, np.uint64), np.empty(room // 64 + 1, np.int32)
        content = np.empty(text, np.uint8)
        self.text = memoryview(content)  # type: ignore[arg-type]
        self.multipliers = memoryview(multipliers)  # type: ignore[arg-type]
        arrays: dict[int, NDArray[Any]] = {
            at.TEXT: content,
            at.MULTIPLIERS: multipliers,
            at.NUMBERS: self.found_numbers,
            at.TOTALS_OF: self.totals,
            at.FLAGS: self.flags,
            at.UNPACKED: np.empty(PER_BLOCK, np.int32),
            at.COUNTED: np.empty(PER_BLOCK, np.int32),
            at.WEIGHED: np.empty(PER_BLOCK),
            at.BEST_KEYS: np.empty(at.FEW + 1, np.int64),
            at.BEST_ROWS: np.empty(at.FEW + 1, np.int32),
            at.FOUND_ROWS: self.rows,
            at.FOUND_SCORES: self.scores,
            at.CANDIDATE_ROWS: np.empty(room, np.int32),
            at.CANDIDATE_KEYS: np.empty(room, np.int64),
            at.SPARE_ROWS: np.empty(room, np.int32),
            at.SPARE_KEYS: np.empty(room, np.uint64),
            at.HISTOGRAM: np.empty(BINS, np.int32),
            at.FREQUENCIES: self.frequencies,
            at.TOUCHED: np.empty(room, np.int32),
            at.SAID: self.said,
            at.BY_BOUND: np.empty(numbers, np.int64),
            at.BOUNDS: np.empty(numbers),
            at.RESTS: np.empty(numbers + 1),
            at.TERM_FACTORS: np.empty(numbers),
            at.SIZES: np.empty(numbers, np.int64),
            at.KEPT: np.empty(numbers, np.int64),
            at.READ_AT: np.empty(numbers, np.int64),
            at.READ_ROWS: np.empty(at.MOST_READ, np.int32),
            at.READ_WEIGHTS: np.empty(at.MOST_READ),
            at.BITS: np.zeros(-(-room // 64) + 1, np.uint64),
        }
        self._held = arrays
        addresses = np.zeros(at.WORK, np.int64)
        for place, array in arrays.items():
            addresses[place] = array.ctypes.data
        self.addresses = prepared(at.Work(addresses))

    def clear(self) -> None:
        """Forget what a query left that was given up."""
        self.totals[:], self.frequencies[:], self.flags[:] = -0.0, 0.0, 0


_memory = threading.local()


def workspace(documents: int, numbers: int, text: int) -> Workspace:
    """The arrays of this thread, which are used again."""
    known: Workspace | None = getattr(_memory, "known", None)
    if known is None or known.documents < documents or known.numbers < numbers or known.text_size < text:
        if known is not None:
            documents, numbers, text = (
                max(known.documents, documents),
                max(known.numbers, numbers),
                max(known.text_size, text),
            )
        known = _memory.known = Workspace(documents, max(256, 2 * numbers), max(4096, 2 * text))
    return known
