"""Segments as one: dictionaries are merged, and every term's lists laid one behind the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.search.index import arrays
from leadline.search.index.machine import KERNELS
from leadline.search.index.segment import CODES, NUMBERS, Field, Segment
from leadline.search.index.terms import Terms

if TYPE_CHECKING:
    from numpy.typing import NDArray


def merge(segments: Sequence[Segment], fields: Sequence[str], path: Path) -> None:
    """Write the documents of several segments, in their order, as one. The lists never are in memory as a whole."""
    content: dict[str, NDArray[Any]] = {}
    ids = [segment.ids for segment in segments]
    content["ids"], content["id_offsets"] = _one_behind_the_other(ids)
    layout: dict[str, tuple[Any, int]] = {}
    dictionaries = {name: _Merged([segment.field(name).terms for segment in segments]) for name in fields}
    for name, merged in dictionaries.items():
        parts = [segment.field(name) for segment in segments]
        content[f"{name}/terms"], content[f"{name}/term_offsets"] = merged.buffer, merged.offsets
        frequency = merged.summed([np.diff(part.starts) for part in parts])
        content[f"{name}/starts"] = np.concatenate([[0], np.cumsum(frequency)]).astype(np.int64)
        content[f"{name}/totals"] = merged.summed([part.totals for part in parts])
        content[f"{name}/lengths"] = np.concatenate([part.lengths for part in parts])
        for array in ("documents", "frequencies", "positions"):
            layout[f"{name}/{array}"] = (np.int32, sum(len(getattr(part, array)) for part in parts))
    for column in NUMBERS:
        content[f"columns/{column}"] = np.concatenate([segment.numbers(column) for segment in segments])
    for column in CODES:
        content |= {f"columns/{column}/{array}": value for array, value in _coded(segments, column).items()}

    into = arrays.create(path, layout | {name: (array.dtype, len(array)) for name, array in content.items()})
    for written, values in content.items():
        into[written][:] = values
    for name, merged in dictionaries.items():
        starts, totals = content[f"{name}/starts"], content[f"{name}/totals"]
        merged.move([segment.field(name) for segment in segments], starts, totals, into, name)


class _Merged:
    """The merged dictionary of several, and the new number of each old term."""

    def __init__(self, parts: Sequence[Terms]) -> None:
        buffer, offsets = _one_behind_the_other(parts)
        self.bounds = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
        count = int(self.bounds[-1])
        new, origin = np.empty(count, np.int32), np.empty(count, np.int64)
        heads = np.empty(len(parts), np.int64)
        merged = KERNELS.kernel("merge_terms")(buffer, offsets, len(parts), self.bounds, heads, new, origin)
        self.new, origin = new, origin[:merged]
        lengths = np.diff(offsets)[origin]
        self.offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        self.buffer = buffer[ranges(offsets[origin], lengths)]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def of_part(self, part: int) -> NDArray[np.int32]:
        return self.new[self.bounds[part] : self.bounds[part + 1]]

    def summed(self, parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """For each merged term the sum over the parts of a number that each has for its terms."""
        result = np.zeros(len(self), np.int64)
        for part, values in enumerate(parts):
            result[self.of_part(part)] += values  # a part has a term once
        return result

    def move(
        self, parts: Sequence[Field], starts: NDArray[np.int64], totals: NDArray[np.int64], into: Any, name: str
    ) -> None:
        """Lay the lists of every part behind those of the parts before it."""
        move = KERNELS.kernel("move_lists")
        cursors = {array: starts[:-1].copy() for array in ("documents", "frequencies")}
        cursors["positions"] = np.concatenate([[0], np.cumsum(totals)[:-1]]).astype(np.int64)[: len(totals)]
        base = 0
        for part, field in enumerate(parts):
            of_terms = np.concatenate([[0], np.cumsum(field.totals)]).astype(np.int64)
            for array, add, bounds in (
                ("documents", base, field.starts),
                ("frequencies", 0, field.starts),
                ("positions", 0, of_terms),
            ):
                values = getattr(field, array)
                if len(values):
                    target = into[f"{name}/{array}"]
                    move(len(field.terms), self.of_part(part), bounds, values, add, cursors[array], target)
            base += len(field.lengths)


def _one_behind_the_other(parts: Sequence[Terms]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    sizes = [int(part.offsets[-1]) for part in parts]
    before = np.concatenate([[0], np.cumsum(sizes)])
    offsets = [part.offsets[:-1] + start for part, start in zip(parts, before[:-1], strict=True)]
    return np.concatenate([part.buffer for part in parts]), np.concatenate([*offsets, before[-1:]]).astype(np.int64)


def _coded(segments: Sequence[Segment], column: str) -> dict[str, NDArray[Any]]:
    parts = [segment.coded(column) for segment in segments]
    merged = _Merged([part.terms for part in parts])
    counts = np.concatenate([np.diff(part.offsets) for part in parts])
    return {
        "terms": merged.buffer,
        "term_offsets": merged.offsets,
        "offsets": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        "codes": np.concatenate([merged.of_part(number)[part.codes] for number, part in enumerate(parts)]),
    }


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers from each start on, as many as its length says, one range behind the other.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(lengths)
    return np.repeat(starts - (ends - lengths), lengths) + np.arange(int(ends[-1]) if len(ends) else 0)
