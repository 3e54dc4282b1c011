"""The terms of many texts as numbers: what a segment is made of, whether its terms are words or made of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.search.index.analysis import Analysis, Words, spans
from leadline.search.index.machine import KERNELS

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SEED = np.uint64(0x1EAD11)
_SLOTS = 1 << 18  # a table for this many words at first: it stays in the processor's cache
_SMALL = 4096  # words that plain Python has numbered before the kernels are loaded


@dataclass(frozen=True)
class Occurrences:
    """The terms of texts in their order: those of text t are terms[codes[offsets[t]:offsets[t + 1]]].

    Two codes may stand for one term, as acid and acids do; an empty term is one that is left out.
    """

    terms: Sequence[bytes]
    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def of_text(self, number: int) -> list[str]:
        """The terms of one text."""
        codes = self.codes[self.offsets[number] : self.offsets[number + 1]].tolist()
        return [term.decode() for code in codes if (term := self.terms[code])]


@dataclass(frozen=True)
class Found:
    """The words of texts that stand one behind the other: which each is, where it starts, and how long it is."""

    content: NDArray[np.uint8]
    words: list[bytes]  # each once
    codes: NDArray[np.int32]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int32]
    offsets: NDArray[np.int64]  # where each text's words begin

    @classmethod
    def of(cls, content: NDArray[np.uint8], text_offsets: NDArray[np.int64], words: Words) -> Found:
        starts, lengths, offsets = spans(content, text_offsets, words)
        codes, first = _numbered(content, starts, lengths)
        whole = content.tobytes()
        known = [
            whole[start : start + length]
            for start, length in zip(starts[first].tolist(), lengths[first].tolist(), strict=True)
        ]
        return cls(content, known, codes, starts, lengths, offsets)

    def terms(self, analysis: Analysis) -> Occurrences:
        return Occurrences(analysis.reduced(self.words), self.codes, self.offsets)


def _numbered(
    content: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The number of every word, equal words equal, and the place where each was first seen."""
    if len(starts) < _SMALL and not KERNELS.is_loaded():
        return _numbered_plain(content.tobytes(), starts, lengths)
    size = _SLOTS
    while True:
        slots, first, hashes = np.zeros(size, np.int32), np.empty(size, np.int64), np.empty(size, np.uint64)
        codes = np.empty(len(starts), np.int32)
        known = KERNELS.kernel("number_words")(
            content, len(starts), starts, lengths, _SEED, slots, size - 1, first, hashes, codes
        )
        if known >= 0:
            return codes, first[:known]
        size *= 4


def _numbered_plain(
    content: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    known: dict[bytes, int] = {}
    first: list[int] = []
    codes: list[int] = []
    for place, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        code = known.setdefault(content[start : start + length], len(known))
        if code == len(first):
            first.append(place)
        codes.append(code)
    return np.array(codes, np.int32), np.array(first, np.int64)
