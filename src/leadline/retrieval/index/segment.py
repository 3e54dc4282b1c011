"""A segment: some of the documents of an index, in one file, with the postings of each field.

Documents are numbered from 0 within their segment, in the order in which they were added. For each field there are

    terms, term_offsets   the dictionary, sorted
    starts                where each term's postings begin
    totals                how often each term occurs
    documents             the documents of each term, ascending
    frequencies           and how often it occurs in each
    positions             and at which words, where the index has positions
    lengths               the number of terms of each document
    forms, form_offsets   the words as they are written, by term (`forms.py`)
    form_terms            the term of each form
    form_codes            the form of every occurrence, packed
    spellings, …           parts and other spellings of words (`spellings.py`)
    breaks, break_starts  where the sentences and paragraphs of each document begin (`text_breaks.py`), with positions

and for the whole segment the documents' ids and columns: days, families and checksums of texts as numbers; offices,
classes, names and numbers as the codes of a dictionary.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.index import arrays
from leadline.retrieval.index.array_table import damaged
from leadline.retrieval.index.checked_array import CheckedArray, ValueBounds
from leadline.retrieval.index.forms import Forms
from leadline.retrieval.index.terms import Terms, are_offsets, offsets_of
from leadline.text.days import UNKNOWN_DAY

if TYPE_CHECKING:
    from numpy.typing import NDArray

MISSING = np.int32(UNKNOWN_DAY)
NUMBERS = {
    "priority": np.int32, "application": np.int32, "publication": np.int32, "known": np.int32, "family": np.int64,
    "content": np.int64,
}  # fmt: skip  # days are counted from 1970-01-01; `content` is a checksum of the document's texts
# `number` is a publication's number without its kind, `cites` are those of the publications that a document cites.
CODES = ("office", "classes", "ipc", "cpc", "kind", "language", "applicant", "inventor", "number", "cites")
_MOST = 1 << 40  # occurrences of a term: the sum over all terms does not overflow


@dataclass(frozen=True)
class Field:
    """The postings of one field of a segment. Each part of them is checked when it is first read."""

    terms: Terms
    starts: NDArray[np.int64]
    totals: NDArray[np.int64]
    documents: CheckedArray
    frequencies: CheckedArray
    lengths: NDArray[np.int32]
    positions: CheckedArray  # empty where the index has none
    forms: Forms
    form_codes: CheckedArray
    spellings: Terms
    breaks: NDArray[np.int32]
    break_starts: NDArray[np.int64]

    @cached_property
    def position_starts(self) -> NDArray[np.int64]:
        """Where each term's positions begin."""
        return offsets_of(self.totals)


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
    """One file of an index. Every array is checked when it is read, in full or in parts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = arrays.read(path)
        self._size = self.file.size("id_offsets") - 1
        self._fields: dict[str, Field] = {}
        self._columns: dict[str, CodedColumn] = {}
        if self._size < 0:
            raise self._damaged("ids")

    def __len__(self) -> int:
        return self._size

    @cached_property
    def ids(self) -> Terms:
        """The ids of the documents, in row order, not sorted."""
        return self._terms("ids", "id_offsets", "ids")

    def field(self, name: str) -> Field:
        if name not in self._fields:
            self._fields[name] = self._field(name)
        return self._fields[name]

    def numbers(self, column: str) -> NDArray[Any]:
        values = self.file.whole(f"columns/{column}", NUMBERS[column])
        if len(values) != len(self):
            raise self._damaged(f"column {column}")
        return values

    def coded(self, column: str) -> CodedColumn:
        if column not in self._columns:
            name, what = f"columns/{column}", f"column {column}"
            terms = self._terms(f"{name}/terms", f"{name}/term_offsets", what)
            offsets = self.file.whole(f"{name}/offsets", np.int64)
            codes = self.file.whole(f"{name}/codes", np.int32, ValueBounds(0, len(terms) - 1))
            if len(offsets) != len(self) + 1 or not are_offsets(offsets, len(codes)):
                raise self._damaged(what)
            self._columns[column] = CodedColumn(terms, offsets, codes)
        return self._columns[column]

    def _field(self, name: str) -> Field:
        file, of = self.file, f'of "{name}"'
        terms = self._terms(f"{name}/terms", f"{name}/term_offsets", f"terms {of}")
        starts = file.whole(f"{name}/starts", np.int64, what=f"starts of postings {of}")
        totals = file.whole(f"{name}/totals", np.int64, ValueBounds(0, _MOST), f"counts of terms {of}")
        lengths = file.whole(f"{name}/lengths", np.int32, ValueBounds(0), f"lengths {of}")
        words = int(totals.sum())
        documents = file.checked(f"{name}/documents", np.int32, ValueBounds(0, len(self) - 1), f"postings {of}")
        frequencies = file.checked(f"{name}/frequencies", np.int32, ValueBounds(1, total=words), f"frequencies {of}")
        positions = file.checked(f"{name}/positions", np.int32, ValueBounds(0), f"positions {of}")
        postings = len(documents)
        if not (
            len(starts) == len(terms) + 1 and are_offsets(starts, postings) and len(frequencies) == postings
            and len(totals) == len(terms) and len(lengths) == len(self) and len(positions) in (0, words)
        ):  # fmt: skip
            raise self._damaged(f"postings {of}")
        forms = self._forms(name, totals)
        codes = file.checked(f"{name}/form_codes", np.uint8, what=f"forms of words {of}")
        spellings = self._terms(f"{name}/spellings", f"{name}/spelling_offsets", f"spellings {of}")
        breaks = file.whole(f"{name}/breaks", np.int32, ValueBounds(0), f"sentences {of}")
        break_starts = file.whole(f"{name}/break_starts", np.int64, what=f"sentences {of}")
        if (
            len(codes) != forms.begins[-1]
            or len(break_starts) != len(self) + 1
            or not are_offsets(break_starts, len(breaks))
        ):
            raise self._damaged(f"forms and sentences {of}")
        return Field(
            terms,
            starts,
            totals,
            documents,
            frequencies,
            lengths,
            positions,
            forms,
            codes,
            spellings,
            breaks,
            break_starts,
        )

    def _forms(self, name: str, totals: NDArray[np.int64]) -> Forms:
        what = f'forms of words of "{name}"'
        keys = self._terms(f"{name}/forms", f"{name}/form_offsets", what)
        owners = self.file.whole(f"{name}/form_terms", np.int32, ValueBounds(0, len(totals) - 1), what)
        forms = Forms(keys, owners, totals)
        marks = np.diff(np.searchsorted(np.flatnonzero(keys.buffer == 0), keys.offsets))  # in each key
        if len(owners) != len(keys) or (np.diff(owners) < 0).any() or (marks != 1).any():
            raise self._damaged(what)
        return forms

    def _terms(self, terms: str, offsets: str, what: str) -> Terms:
        found = Terms(self.file.whole(terms, np.uint8, what=what), self.file.whole(offsets, np.int64, what=what))
        if not found.is_sound():
            raise self._damaged(what)
        return found

    def _damaged(self, what: str) -> InputError:
        return damaged(str(self.path), f"its arrays do not fit together ({what})")
