"""The terms of many texts as numbers: what a segment is made of, whether its terms are words or made of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.analysis import Analysis, Words, spans
from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job
from leadline.text.kernels.arguments import FieldSlices, HashTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SEED = np.uint64(0x1EAD11)
_SLOTS = 1 << 18  # of the first hash table tried: it fits in the processor's cache


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
        codes, first = _numbered.choose(int(lengths.sum()))(content, starts, lengths)
        whole = content.tobytes()
        known = [
            whole[start : start + length]
            for start, length in zip(starts[first].tolist(), lengths[first].tolist(), strict=True)
        ]
        return cls(content, known, codes, starts, lengths, offsets)

    def terms(self, analysis: Analysis) -> Occurrences:
        return Occurrences(analysis.reduced(self.words), self.codes, self.offsets)


def _numbered_plain(
    content: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The number of every word, equal words equal, and the place where each was first seen."""
    whole = content.tobytes()
    known: dict[bytes, int] = {}
    first: list[int] = []
    codes: list[int] = []
    for place, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        code = known.setdefault(whole[start : start + length], len(known))
        if code == len(first):
            first.append(place)
        codes.append(code)
    return np.array(codes, np.int32), np.array(first, np.int64)


@compiled_job("leadline.retrieval.index.kernels.inverting.number_words", plain=_numbered_plain)
def _numbered(
    kernel: Kernel, content: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    size = _SLOTS
    codes = np.empty(len(starts), np.int32)
    while True:
        table = HashTable(slots=np.zeros(size, np.int32), mask=size - 1, hashes=np.empty(size, np.uint64))
        first = np.empty(size, np.int64)
        known = kernel(FieldSlices(content, starts, lengths), len(starts), _SEED, table, first, codes)
        if known >= 0:
            return codes, first[:known]
        size *= 4
