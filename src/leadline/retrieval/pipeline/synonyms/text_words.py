"""The words of a text, ready for names of several words to be found in it, however these are written.

A name is compared by its letters and digits alone, in small letters: water-in-oil, "water in oil" and WATER/IN/OIL are
one name, and so are N,N-dimethylformamide and "N,N dimethyl formamide". An s at the end may be missing.
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

# What may stand between two words of one name, alone or before another of these.
_BETWEEN = np.zeros(256, np.bool_)
_BETWEEN[list(b" -,/'()[]{}\t")] = True
_POINT = ord(".")  # which may stand alone: U.S.A
_OTHERS = re.compile(rb"[^a-z0-9]+")
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
        """The text from one word to another, in small letters."""
        return bytes(self.content[self.starts[first] : self.starts[last] + self.lengths[last]]).decode()

    @cached_property
    def texts(self) -> list[str]:
        return [self.written(word, word) for word in range(len(self))]

    @cached_property
    def close(self) -> NDArray[np.bool_]:
        """Whether each word but the last may be in one name with the next."""
        ends = self.starts[:-1] + self.lengths[:-1]
        gaps = self.starts[1:] - ends
        first, second = self.content[ends], self.content[ends + 1]
        single = (gaps == 1) & (_BETWEEN[first] | (first == _POINT))
        return (gaps == 0) | single | ((gaps == 2) & _BETWEEN[first] & _BETWEEN[second])

    @cached_property
    def _letters(self) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64]]:
        """Where each word begins when all stand without gaps; sums of their bytes, each times a power; and the powers.

        The hash of any span is the difference of two sums, divided by the power at its begin: so spans of several words
        cost no more than words.
        """
        begins = np.concatenate([[0], np.cumsum(self.lengths)])
        within = np.arange(begins[-1]) - np.repeat(begins[:-1], self.lengths) + np.repeat(self.starts, self.lengths)
        values = _MIXED[self.content[within]] * _powers(_BASE, len(within))
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(values, dtype=np.uint64)])
        return begins, sums, _powers(_INVERSE, len(values) + 1)

    def hashes(self, words: int, cut: int = 0) -> NDArray[np.uint64]:
        """The hash of every span of so many words, without its last `cut` bytes; one for each first word."""
        begins, sums, inverse = self._letters
        firsts = begins[: max(len(self) - words + 1, 0)]
        return (sums[begins[words:] - cut] - sums[firsts]) * inverse[firsts]


def _powers(base: np.uint64, count: int) -> NDArray[np.uint64]:
    """1, base, base², …, modulo 2 to the 64th."""
    steps = np.full(count, base, np.uint64)
    steps[:1] = 1
    return np.cumprod(steps, dtype=np.uint64)


def letters_only(name: str) -> bytes:
    """A name as it is compared: its letters and digits in small letters, without a plural's s.

    >>> [letters_only(name) for name in ("Water-in-Oil emulsions", "W/O/O", "glass", "N,N-Dimethyl formamide")]
    [b'waterinoilemulsion', b'woo', b'glass', b'nndimethylformamide']
    """
    plain = name.isascii()  # nearly all are, and a million names are letters_only when the chemicals are first read
    letters = _OTHERS.sub(b"", name.lower().encode()) if plain else "".join(TextWords.of(name).texts).encode()
    return letters[:-1] if _is_plural(letters) else letters


def _is_plural(letters: bytes) -> bool:
    return len(letters) > 4 and letters.endswith(b"s") and not letters.endswith((b"ss", b"us", b"is"))


def hashed(names: Sequence[bytes]) -> NDArray[np.uint64]:
    """The hashes of letters_only names, as `TextWords.hashes` has them."""
    lengths = np.array([len(name) for name in names], np.int64)
    content = np.frombuffer(b"".join(names), np.uint8)
    starts = np.cumsum(lengths) - lengths
    places = np.arange(len(content)) - np.repeat(starts, lengths)
    powers = _powers(_BASE, int(lengths.max(initial=0)))
    terms = _MIXED[content] * powers[places]
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])
    return sums[starts + lengths] - sums[starts]
