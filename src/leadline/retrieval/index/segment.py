"""A segment: some of the documents of an index, in one file, with the postings of each field.

Documents are numbered from 0 within their segment, in the order in which they came. For each field there are

    terms, term_offsets   the dictionary, sorted
    starts                where each term's postings begin
    totals                how often each term occurs
    documents             the documents of each term, ascending
    frequencies           and how often it occurs in each
    positions             and at which words, where the index has positions
    lengths               the number of terms of each document

and for the whole segment the documents' ids and columns: days and families as numbers, offices and classes as the codes
of a dictionary.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.retrieval.index import arrays
from leadline.retrieval.index.terms import Terms
from leadline.text.days import UNKNOWN_DAY

if TYPE_CHECKING:
    from numpy.typing import NDArray

MISSING = np.int32(UNKNOWN_DAY)
NUMBERS = {
    "priority": np.int32, "application": np.int32, "publication": np.int32, "known": np.int32, "family": np.int64,
}  # fmt: skip  # days are counted from 1970-01-01
CODES = ("office", "classes")


@dataclass(frozen=True)
class Field:
    """The postings of one field of a segment."""

    terms: Terms
    starts: NDArray[np.int64]
    totals: NDArray[np.int64]
    documents: NDArray[np.int32]
    frequencies: NDArray[np.int32]
    lengths: NDArray[np.int32]
    positions: NDArray[np.int32]  # empty where the index has none

    @cached_property
    def position_starts(self) -> NDArray[np.int64]:
        """Where each posting's positions begin."""
        starts = np.zeros(len(self.frequencies) + 1, np.int64)
        np.cumsum(self.frequencies, out=starts[1:])
        return starts


@dataclass(frozen=True)
class CodedColumn:
    """A column of words: the codes of document d are codes[offsets[d]:offsets[d + 1]], numbers of sorted words."""

    terms: Terms
    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]

    def having(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which documents have one of the chosen words."""
        hits = np.zeros(len(self.codes) + 1, np.int64)
        np.cumsum(chosen[self.codes], out=hits[1:])
        return hits[self.offsets[1:]] > hits[self.offsets[:-1]]


class Segment:
    """One file of an index."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._arrays = arrays.read(path)
        self.ids = Terms(self._arrays["ids"], self._arrays["id_offsets"])  # in the order of the documents, not sorted

    def __len__(self) -> int:
        return len(self.ids)

    def field(self, name: str) -> Field:
        get = self._arrays
        return Field(
            Terms(get[f"{name}/terms"], get[f"{name}/term_offsets"]), get[f"{name}/starts"], get[f"{name}/totals"],
            get[f"{name}/documents"], get[f"{name}/frequencies"], get[f"{name}/lengths"], get[f"{name}/positions"],
        )  # fmt: skip

    def numbers(self, column: str) -> NDArray[Any]:
        return self._arrays[f"columns/{column}"]

    def coded(self, column: str) -> CodedColumn:
        get, name = self._arrays, f"columns/{column}"
        return CodedColumn(
            Terms(get[f"{name}/terms"], get[f"{name}/term_offsets"]), get[f"{name}/offsets"], get[f"{name}/codes"]
        )


def write_segment(path: Path, content: dict[str, NDArray[Any]]) -> None:
    """Write arrays that are in memory as a segment."""
    into = arrays.create(path, {name: (array.dtype, len(array)) for name, array in content.items()})
    for name, array in content.items():
        into[name][:] = array
