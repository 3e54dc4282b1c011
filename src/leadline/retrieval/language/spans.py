"""Find phrases and words near each other by the positions of an index, whole lists at a time.

A place is one number: the document times 2³² plus the position, so that lists of places are sorted across documents and
a distance never crosses from one document to the next. Positions are only read of documents that have every part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from leadline.retrieval.index.segment import Field
from leadline.text.ids import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

APART = 1 << 32  # more positions than a document has


class Spans(NamedTuple):
    """The first and the last place of each occurrence, in the order of the first."""

    starts: Places
    ends: Places


@dataclass(frozen=True)
class FieldPlaces:
    """The postings of one field of a segment, and the number of its documents."""

    field: Field
    documents: int  # of the segment


@dataclass(frozen=True)
class QueryWord:
    """One word: a term of the index, or all terms with a prefix. For a truncated word `term` is that of the prefix."""

    term: bytes
    prefix: bytes = b""

    def numbers(self, at: FieldPlaces) -> list[range]:
        """The numbers of the matching terms of a field, as ranges."""
        prefixed = at.field.terms.prefixed(self.prefix) if self.prefix else range(0)
        exact = int(at.field.terms.find([self.term])[0]) if self.term else -1
        alone = [range(exact, exact + 1)] if exact >= 0 and exact not in prefixed else []
        return alone + [prefixed] * bool(prefixed)

    def postings(self, at: FieldPlaces) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The documents with the word, ascending, and how often each has it."""
        slices = [slice(at.field.starts[run.start], at.field.starts[run.stop]) for run in self.numbers(at)]
        if not self.prefix and slices:
            return at.field.documents[slices[0]], at.field.frequencies[slices[0]]
        counts = np.zeros(at.documents, np.int64)
        for part in slices:
            weighted = np.bincount(at.field.documents[part], at.field.frequencies[part], at.documents)
            counts += weighted.astype(np.int64)
        found = np.flatnonzero(counts)
        return found.astype(np.int32), counts[found].astype(np.int32)

    def places(self, at: FieldPlaces, among: NDArray[np.bool_]) -> Places:
        """Every place of the word, ascending, in the documents that `among` allows."""
        parts = []
        for run in self.numbers(at):
            part = slice(at.field.starts[run.start], at.field.starts[run.stop])
            documents, lengths = at.field.documents[part], at.field.frequencies[part].astype(np.int64)
            first = at.field.position_starts[run.start] + np.cumsum(lengths) - lengths
            kept = among[documents]
            documents, lengths = documents[kept].astype(np.int64), lengths[kept]
            positions = at.field.positions[ranges(first[kept], lengths)]
            parts.append(np.repeat(documents, lengths) * APART + positions)
        together = np.concatenate(parts) if parts else np.empty(0, np.int64)
        return np.sort(together) if self.prefix else together


@dataclass(frozen=True)
class Phrase:
    """Consecutive words. None is a word that the index leaves out, but that has a position."""

    words: tuple[QueryWord | None, ...]

    @property
    def is_one_term(self) -> bool:
        """Whether it is a single whole word, whose documents are a posting list of the index."""
        return len(self.words) == 1 and not (self.words[0] and self.words[0].prefix)

    def candidates(self, at: FieldPlaces) -> NDArray[np.bool_]:
        """The documents of the segment that have every word."""
        return reduce(np.logical_and, (_mask(unit.postings(at)[0], at) for unit in dict.fromkeys(self.words) if unit))

    def spans(self, at: FieldPlaces, among: NDArray[np.bool_]) -> Spans:
        among = among & self.candidates(at)
        found = {unit: unit.places(at, among) for unit in dict.fromkeys(self.words) if unit is not None}
        placed = [(found[unit], place) for place, unit in enumerate(self.words) if unit is not None]
        placed.sort(key=lambda each: len(each[0]))
        starts = placed[0][0] - placed[0][1]
        for places, place in placed[1:]:
            if not len(starts):
                break
            starts = _in_both(starts + place, places) - place
        return Spans(starts, starts + (len(self.words) - 1))


@dataclass(frozen=True)
class AnyOf:
    """Any one of several parts."""

    parts: tuple[Positional, ...]

    def candidates(self, at: FieldPlaces) -> NDArray[np.bool_]:
        return reduce(np.logical_or, (part.candidates(at) for part in dict.fromkeys(self.parts)))

    def spans(self, at: FieldPlaces, among: NDArray[np.bool_]) -> Spans:
        found = [part.spans(at, among) for part in dict.fromkeys(self.parts)]
        starts, ends = (np.concatenate(each) for each in zip(*found, strict=True))
        order = np.lexsort((ends, starts))
        starts, ends = starts[order], ends[order]
        fresh = np.ones(len(starts), np.bool_)  # two parts may have the same span
        fresh[1:] = (np.diff(starts) != 0) | (np.diff(ends) != 0)
        return Spans(starts[fresh], ends[fresh])


@dataclass(frozen=True)
class NearBy:
    """Parts, each at most `within` words from the one before, on either side, without overlap."""

    parts: tuple[Positional, ...]
    within: tuple[int, ...]

    def candidates(self, at: FieldPlaces) -> NDArray[np.bool_]:
        return reduce(np.logical_and, (part.candidates(at) for part in dict.fromkeys(self.parts)))

    def spans(self, at: FieldPlaces, among: NDArray[np.bool_]) -> Spans:
        """The places of the last part at which such a chain ends."""
        among = among & self.candidates(at)
        known = {part: part.spans(at, among) for part in dict.fromkeys(self.parts)}
        chain = known[self.parts[0]]
        for part, within in zip(self.parts[1:], self.within, strict=True):
            if not len(chain.starts):
                break
            chain = _reached(chain, known[part], within)
        return chain


Positional = Phrase | AnyOf | NearBy


def frequencies(part: Positional, at: FieldPlaces) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The documents of a segment that have a part, ascending, and its number of occurrences in each."""
    if isinstance(part, Phrase) and len(part.words) == 1 and part.words[0] is not None:
        return part.words[0].postings(at)  # one word needs no positions
    starts = part.spans(at, np.ones(at.documents, np.bool_)).starts
    documents, counts = np.unique(starts // APART, return_counts=True)
    return documents.astype(np.int32), counts.astype(np.int32)


def query_words(part: Positional) -> Sequence[QueryWord]:
    if isinstance(part, Phrase):
        return [unit for unit in part.words if unit is not None]
    return [unit for each in part.parts for unit in query_words(each)]


def _mask(documents: NDArray[np.int32], at: FieldPlaces) -> NDArray[np.bool_]:
    mask = np.zeros(at.documents, np.bool_)
    mask[documents] = True
    return mask


def _in_both(few: Places, many: Places) -> Places:
    """The places that are in both ascending lists."""
    if not len(many):
        return many
    found = np.minimum(np.searchsorted(many, few), len(many) - 1)
    return few[many[found] == few]


def _reached(chain: Spans, spans: Spans, within: int) -> Spans:
    """The spans that begin at most `within` after the end of a span of the chain, or end at most so far before one."""
    chain_ends = np.sort(chain.ends)
    after = np.searchsorted(chain_ends, spans.starts - within) < np.searchsorted(chain_ends, spans.starts)
    right = np.searchsorted(chain.starts, spans.ends, "right")
    before = right < np.searchsorted(chain.starts, spans.ends + within, "right")
    reached = after | before
    return Spans(spans.starts[reached], spans.ends[reached])
