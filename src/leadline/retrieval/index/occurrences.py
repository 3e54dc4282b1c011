"""The terms of many texts as numbers, from which a segment is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.analysis import Analysis, Words, spans
from leadline.retrieval.index.spellings import spelling_keys
from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job
from leadline.text.kernels.arguments import FieldSlices, HashTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SEED = np.uint64(0x1EAD11)
_SLOTS = 1 << 18  # of the first hash table, which fits in the processor's cache


@dataclass(frozen=True)
class Occurrences:
    """The terms of texts in their order: those of text t are terms[codes[offsets[t]:offsets[t + 1]]].

    Two codes may mean the same term, as those of acid and acids do; words that are left out have an empty term.
    """

    terms: Sequence[bytes]
    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]
    words: Sequence[bytes] = ()  # the word of each code, where terms are stems of words
    spans: WordSpans | None = None  # where these are the words of a text
    spellings: Sequence[bytes] = ()  # other spellings of the words, as keys of a dictionary

    def of_text(self, number: int) -> list[str]:
        """The terms of one text."""
        codes = self.codes[self.offsets[number] : self.offsets[number + 1]].tolist()
        return [term.decode() for code in codes if (term := self.terms[code])]


@dataclass(frozen=True)
class WordSpans:
    """The words of joined texts: the code, the start and the length of each."""

    content: NDArray[np.uint8]
    words: list[bytes]  # by code, each once
    codes: NDArray[np.int32]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int32]
    offsets: NDArray[np.int64]  # the number of each text's first word

    @classmethod
    def of(cls, content: NDArray[np.uint8], text_offsets: NDArray[np.int64], words: Words) -> WordSpans:
        starts, lengths, offsets = spans(content, text_offsets, words)
        codes, first = _numbered.choose(int(lengths.sum()))(content, starts, lengths)
        whole = content.tobytes()
        unique = [
            whole[start : start + length]
            for start, length in zip(starts[first].tolist(), lengths[first].tolist(), strict=True)
        ]
        return cls(content, unique, codes, starts, lengths, offsets)

    def text_ends(self) -> NDArray[np.int64]:
        """The last word of each text that is followed by a word of another text."""
        firsts = self.offsets[1:-1]
        return firsts[(firsts > 0) & (firsts < len(self.codes))] - 1

    def terms(self, analysis: Analysis, languages: Sequence[str] = ()) -> Occurrences:
        """The terms of the words; those of a text in another language are reduced by the rules of that language."""
        others = {name: analysis.for_language(name) for name in dict.fromkeys(languages)}
        analyses = list(dict.fromkeys([analysis, *others.values()]))
        if len(analyses) == 1:
            terms = analysis.reduced(self.words)
            words = () if analysis.stemming == "none" else self.words
            return Occurrences(terms, self.codes, self.offsets, words, self, spelling_keys(self.words, terms, analysis))
        # A code for each word and language.
        number = np.array([analyses.index(others[name]) for name in languages], np.int64)
        codes = self.codes + np.repeat(number, np.diff(self.offsets)) * len(self.words)
        used, codes = np.unique(codes, return_inverse=True)
        all_terms: list[bytes] = []
        all_words: list[bytes] = []
        spellings: list[bytes] = []
        for place, each in enumerate(analyses):
            own = used[used // max(len(self.words), 1) == place] % max(len(self.words), 1)
            written = [self.words[code] for code in own.tolist()]
            reduced = each.reduced(written)
            all_words += written
            all_terms += reduced
            spellings += spelling_keys(written, reduced, each)
        return Occurrences(all_terms, codes.astype(np.int32), self.offsets, all_words, self, spellings)


def _numbered_plain(
    content: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The code of every word, and for each code the first word that has it."""
    whole = content.tobytes()
    code_of: dict[bytes, int] = {}
    first: list[int] = []
    codes: list[int] = []
    for place, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        code = code_of.setdefault(whole[start : start + length], len(code_of))
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
        count = kernel(FieldSlices(content, starts, lengths), len(starts), _SEED, table, first, codes)
        if count >= 0:
            return codes, first[:count]
        size *= 4  # the table was full
