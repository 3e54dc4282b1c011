"""The words of a text, with hashes of all word sequences, so that names of several words are found in any spelling.

Names are compared by their letters and digits, in lower case and without a plural's s: water-in-oil, "water in oil" and
WATER/IN/OIL are one name, and so are N,N-dimethylformamide and "N,N dimethyl formamide".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from leadline.retrieval.index.analysis import spans
from leadline.retrieval.index.characters import joined

if TYPE_CHECKING:
    from numpy.typing import NDArray

# One or two of these characters may separate two words of one name.
_BETWEEN = np.zeros(256, np.bool_)
_BETWEEN[list(b" -,/'()[]{}\t")] = True
_POINT = ord(".")  # a single one may separate words too: U.S.A
_OTHERS = re.compile(rb"[^a-z0-9]+")
# Parameters of the polynomial hash: a random value per byte, times a power of the base, modulo 2 to the 64th.
_BASE = np.uint64(0x9E3779B97F4A7C15)
_INVERSE = np.uint64(pow(0x9E3779B97F4A7C15, -1, 1 << 64))
_MIXED = np.random.default_rng(0x1EAD).integers(1 << 63, size=256, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


@dataclass(frozen=True)
class TextWords:
    """The words of a text: word w is content[starts[w]:starts[w] + lengths[w]]."""

    content: NDArray[np.uint8]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, text: str) -> TextWords:
        content, offsets = joined([text])
        starts, lengths, _ = spans(content, offsets, "plain")
        return cls(content, starts, lengths.astype(np.int64))

    def __len__(self) -> int:
        return len(self.starts)

    def written(self, first: int, last: int) -> str:
        """The text from one word to another, in lower case."""
        return bytes(self.content[self.starts[first] : self.starts[last] + self.lengths[last]]).decode()

    @cached_property
    def texts(self) -> list[str]:
        """Each word, in lower case."""
        return [self.written(word, word) for word in range(len(self))]

    @cached_property
    def close(self) -> NDArray[np.bool_]:
        """Whether each word (except the last) may be in one name with the next."""
        ends = self.starts[:-1] + self.lengths[:-1]
        gaps = self.starts[1:] - ends
        first, second = self.content[ends], self.content[ends + 1]
        single = (gaps == 1) & (_BETWEEN[first] | (first == _POINT))
        return (gaps == 0) | single | ((gaps == 2) & _BETWEEN[first] & _BETWEEN[second])

    @cached_property
    def _letters(self) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]]:
        """The offset of each word in the text without gaps; prefix sums of the bytes' hash values; inverse powers.

        The hash of any span is the difference of two prefix sums, divided by the power at its start, so spans of
        several words cost no more than single words.
        """
        begins = np.concatenate([[0], np.cumsum(self.lengths)])
        within = np.arange(begins[-1]) - np.repeat(begins[:-1], self.lengths) + np.repeat(self.starts, self.lengths)
        values = _MIXED[self.content[within]] * _powers(_BASE, len(within))
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(values, dtype=np.uint64)])
        return begins, sums, _powers(_INVERSE, len(values) + 1)

    def hashes(self, words: int, cut: int = 0) -> NDArray[np.uint64]:
        """The hash of each span of `words` words, without its last `cut` bytes; one for each first word."""
        begins, sums, inverse = self._letters
        firsts = begins[: max(len(self) - words + 1, 0)]
        return (sums[begins[words:] - cut] - sums[firsts]) * inverse[firsts]


def _powers(base: np.uint64, count: int) -> NDArray[np.uint64]:
    """1, base, base², …, modulo 2 to the 64th."""
    steps = np.full(count, base, np.uint64)
    steps[:1] = 1
    return np.cumprod(steps, dtype=np.uint64)


def letters_only(name: str) -> bytes:
    """The key by which names are compared: letters and digits in lower case, without a plural's s.

    >>> [letters_only(name) for name in ("Water-in-Oil emulsions", "W/O/O", "glass", "N,N-Dimethyl formamide")]
    [b'waterinoilemulsion', b'woo', b'glass', b'nndimethylformamide']
    """
    # A faster way for ASCII: the chemicals have a million names, nearly all of them ASCII.
    is_ascii = name.isascii()
    letters = _OTHERS.sub(b"", name.lower().encode()) if is_ascii else "".join(TextWords.of(name).texts).encode()
    return letters[:-1] if _is_plural(letters) else letters


def _is_plural(letters: bytes) -> bool:
    return len(letters) > 4 and letters.endswith(b"s") and not letters.endswith((b"ss", b"us", b"is"))


def hashed(names: Sequence[bytes]) -> NDArray[np.uint64]:
    """The hashes of names made by `letters_only`, equal to those of `TextWords.hashes`."""
    lengths = np.array([len(name) for name in names], np.int64)
    content = np.frombuffer(b"".join(names), np.uint8)
    starts = np.cumsum(lengths) - lengths
    places = np.arange(len(content)) - np.repeat(starts, lengths)
    powers = _powers(_BASE, int(lengths.max(initial=0)))
    terms = _MIXED[content] * powers[places]
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])
    return sums[starts + lengths] - sums[starts]
