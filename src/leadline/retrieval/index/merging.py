"""Merge segments: their dictionaries are merged, and every term's lists are concatenated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.retrieval.index import arrays
from leadline.retrieval.index.array_table import damaged
from leadline.retrieval.index.forms import Forms, moved_forms
from leadline.retrieval.index.segment import CODES, NUMBERS, Field, Segment
from leadline.retrieval.index.terms import Terms, offsets_of
from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job
from leadline.text.ids import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray


def merge(segments: Sequence[Segment], fields: Sequence[str], path: Path) -> None:
    """Write the documents of several segments, in their order, as one. The lists are never in memory as a whole."""
    content: dict[str, NDArray[Any]] = {}
    ids = [segment.ids for segment in segments]
    content["ids"], content["id_offsets"] = _one_behind_the_other(ids)
    layout: dict[str, tuple[Any, int]] = {}
    forms: dict[str, _MergedForms] = {}
    dictionaries = {name: _Merged(segments, [segment.field(name).terms for segment in segments]) for name in fields}
    for name, merged in dictionaries.items():
        parts = [segment.field(name) for segment in segments]
        content[f"{name}/terms"], content[f"{name}/term_offsets"] = merged.buffer, merged.offsets
        frequency = merged.summed([np.diff(part.starts) for part in parts])
        content[f"{name}/starts"] = offsets_of(frequency)
        content[f"{name}/totals"] = merged.summed([part.totals for part in parts])
        content[f"{name}/lengths"] = np.concatenate([part.lengths for part in parts])
        for array in ("documents", "frequencies", "positions"):
            layout[f"{name}/{array}"] = (np.int32, sum(len(getattr(part, array)) for part in parts))
        _check_positions(segments, parts, name)
        forms[name] = _MergedForms(segments, parts, merged, content[f"{name}/totals"])
        content |= {f"{name}/{array}": values for array, values in forms[name].arrays().items()}
        layout[f"{name}/form_codes"] = (np.uint8, int(forms[name].forms.begins[-1]))
        spellings = _Merged(segments, [part.spellings for part in parts])
        content[f"{name}/spellings"], content[f"{name}/spelling_offsets"] = spellings.buffer, spellings.offsets
        content[f"{name}/breaks"] = np.concatenate([part.breaks for part in parts])
        content[f"{name}/break_starts"] = offsets_of(np.concatenate([np.diff(part.break_starts) for part in parts]))
    for column in NUMBERS:
        content[f"columns/{column}"] = np.concatenate([segment.numbers(column) for segment in segments])
    for column in CODES:
        content |= {f"columns/{column}/{array}": value for array, value in _coded(segments, column).items()}

    layout |= {name: (array.dtype, len(array)) for name, array in content.items()}
    with arrays.create(path, layout) as into:
        for written, values in content.items():
            into[written][:] = values
        for name, merged in dictionaries.items():
            starts, totals = content[f"{name}/starts"], content[f"{name}/totals"]
            parts = [segment.field(name) for segment in segments]
            merged.move(parts, starts, totals, into, name)
            forms[name].move(parts, merged, into[f"{name}/form_codes"])


def _check_positions(segments: Sequence[Segment], parts: Sequence[Field], name: str) -> None:
    """Raise an error if only some of the segments have positions: the merged lists would not fit together."""
    with_positions = [len(part.positions) > 0 for part in parts]
    if any(with_positions):
        for segment, part, has in zip(segments, parts, with_positions, strict=True):
            if len(part.terms) and not has:
                raise damaged(str(segment.path), f'the positions of "{name}" are missing')


class _Merged:
    """The merged dictionary of several parts, and the new number of each old term."""

    def __init__(self, segments: Sequence[Segment], parts: Sequence[Terms]) -> None:
        joined = Terms(*_one_behind_the_other(parts))
        self.bounds = offsets_of([len(part) for part in parts])
        self.new, origin = _merged.choose(len(joined.buffer))(joined, self.bounds)
        for number, segment in enumerate(segments):
            if (np.diff(self.of_part(number)) <= 0).any():
                raise damaged(str(segment.path), "its terms are not sorted")
        lengths = np.diff(joined.offsets)[origin]
        self.offsets = offsets_of(lengths)
        self.buffer = joined.buffer[ranges(joined.offsets[origin], lengths)]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def of_part(self, part: int) -> NDArray[np.int32]:
        return self.new[self.bounds[part] : self.bounds[part + 1]]

    def summed(self, parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """For each merged term, the sum over the parts of a value of each term."""
        result = np.zeros(len(self), np.int64)
        for part, values in enumerate(parts):
            result[self.of_part(part)] += values  # a part has a term once
        return result

    def move(
        self, parts: Sequence[Field], starts: NDArray[np.int64], totals: NDArray[np.int64], into: Any, name: str
    ) -> None:
        """Append each part's lists to those of the parts before it."""
        cursors = {array: starts[:-1].copy() for array in ("documents", "frequencies")}
        cursors["positions"] = offsets_of(totals)[:-1].copy()
        base = 0
        for part, field in enumerate(parts):
            of_terms = offsets_of(field.totals)
            for array, add, bounds in (
                ("documents", base, field.starts),
                ("frequencies", 0, field.starts),
                ("positions", 0, of_terms),
            ):
                values = getattr(field, array)[:]
                if len(values):
                    move = _moved.choose(values.nbytes)
                    move(self.of_part(part), bounds, values, add, cursors[array], into[f"{name}/{array}"])
            base += len(field.lengths)


class _MergedForms:
    """The merged forms of words, and the number of each old form within its merged term."""

    def __init__(
        self, segments: Sequence[Segment], parts: Sequence[Field], terms: _Merged, totals: NDArray[np.int64]
    ) -> None:
        self.merged = _Merged(segments, [part.forms.keys for part in parts])
        owners = np.zeros(len(self.merged), np.int32)
        for number, part in enumerate(parts):
            owners[self.merged.of_part(number)] = terms.of_part(number)[part.forms.owners]
        self.forms = Forms(Terms(self.merged.buffer, self.merged.offsets), owners, totals)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"forms": self.merged.buffer, "form_offsets": self.merged.offsets, "form_terms": self.forms.owners}

    def move(self, parts: Sequence[Field], terms: _Merged, into: NDArray[np.uint8]) -> None:
        """Append each part's forms of occurrences to those of the parts before it."""
        cursors = self.forms.begins[:-1] * 8
        for number, part in enumerate(parts):
            forms = self.merged.of_part(number)
            renumbered = (forms - self.forms.starts[self.forms.owners[forms]]).astype(np.int32)
            packed = part.form_codes[:]
            move = moved_forms.choose(int(part.totals.sum()))
            move(part.forms, packed, terms.of_part(number), renumbered, self.forms, cursors, into)


def _one_behind_the_other(parts: Sequence[Terms]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    sizes = [int(part.offsets[-1]) for part in parts]
    before = np.concatenate([[0], np.cumsum(sizes)])
    offsets = [part.offsets[:-1] + start for part, start in zip(parts, before[:-1], strict=True)]
    return np.concatenate([part.buffer for part in parts]), np.concatenate([*offsets, before[-1:]]).astype(np.int64)


def _coded(segments: Sequence[Segment], column: str) -> dict[str, NDArray[Any]]:
    parts = [segment.coded(column) for segment in segments]
    merged = _Merged(segments, [part.terms for part in parts])
    counts = np.concatenate([np.diff(part.offsets) for part in parts])
    return {
        "terms": merged.buffer,
        "term_offsets": merged.offsets,
        "offsets": offsets_of(counts),
        "codes": np.concatenate([merged.of_part(number)[part.codes] for number, part in enumerate(parts)]),
    }


def _merged_plain(terms: Terms, bounds: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    names = list(terms)
    first = dict(zip(reversed(names), range(len(names) - 1, -1, -1), strict=True))
    number = {name: new for new, name in enumerate(sorted(first))}
    new = np.array([number[name] for name in names], np.int32)
    return new, np.array([first[name] for name in number], np.int64)


@compiled_job("leadline.retrieval.index.kernels.merging.merge_terms", plain=_merged_plain)
def _merged(kernel: Kernel, terms: Terms, bounds: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Each term's number when all dictionaries are one, and the first old number of each merged term.

    Dictionary p has the terms bounds[p]:bounds[p + 1].
    """
    new, origin = np.empty(len(terms), np.int32), np.empty(len(terms), np.int64)
    parts = len(bounds) - 1
    count = kernel(terms.arrays(), parts, bounds, np.empty(parts, np.int64), new, origin)
    return new, origin[:count]


def _moved_plain(
    new: NDArray[np.int32], starts: NDArray[np.int64], values: NDArray[np.int32], add: int,
    cursors: NDArray[np.int64], into: NDArray[np.int32],
) -> None:  # fmt: skip
    lengths = np.diff(starts)
    into[ranges(cursors[new], lengths)] = values[starts[0] : starts[-1]] + np.int32(add)
    cursors[new] += lengths


@compiled_job("leadline.retrieval.index.kernels.merging.move_lists", plain=_moved_plain)
def _moved(
    kernel: Kernel, new: NDArray[np.int32], starts: NDArray[np.int64], values: NDArray[np.int32], add: int,
    cursors: NDArray[np.int64], into: NDArray[np.int32],
) -> None:  # fmt: skip
    """Copy each term's list to where the cursor of its new number is, adding `add` to each value."""
    kernel(len(new), new, starts, values, add, cursors, into)
