"""Shingles: the runs of w tokens of a text; and how much two texts resemble or contain each other by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.duplicates.kernels.hashing import SHINGLE_BASE, SHORT_MARK, TOKEN_BASE
from leadline.collections.duplicates.tokens import PLAIN_COST, By, mixed, polynomials, token_hashes, tokens
from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job

if TYPE_CHECKING:
    from numpy.typing import NDArray

Shingles = frozenset[tuple[str, ...]]


def shingles(text: str, width: int = 4, by: By = "words") -> Shingles:
    """The set of a text's shingles. One with fewer tokens than `width` has a single shingle of all of them.

    >>> sorted(shingles("Internet, scaled data storage and analysis"))[0]
    ('data', 'storage', 'and', 'analysis')
    >>> shingles("Not found."), shingles("...")
    (frozenset({('not', 'found')}), frozenset())
    """
    found = tokens(text, by)
    if len(found) < width:
        return frozenset({tuple(found)} if found else ())
    return frozenset(zip(*(found[start:] for start in range(width)), strict=False))


def resemblance(first: Shingles, second: Shingles) -> float:
    """The share of all shingles of two texts that both have: |A ∩ B| / |A ∪ B|; 0 for two texts without any.

    >>> resemblance(shingles("a b c d e"), shingles("a b c d f"))
    0.3333333333333333
    """
    together = len(first | second)
    return len(first & second) / together if together else 0.0


def containment(first: Shingles, second: Shingles) -> float:
    """The share of the first text's shingles that the second has: |A ∩ B| / |A|; 0 for a text without any."""
    return len(first & second) / len(first) if first else 0.0


@dataclass(frozen=True)
class ShingleHashes:
    """The shingles of several texts as 64-bit hashes, repeated ones included."""

    hashes: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    tokens: NDArray[np.int64]  # how many each text has
    fingerprints: NDArray[np.uint64]  # the same for texts with the same shingles in the same order

    @classmethod
    def of(cls, texts: Sequence[str], width: int, by: By) -> ShingleHashes:
        hashes, offsets = token_hashes(texts, by)
        found, places, prints = _shingled.choose(PLAIN_COST * 8 * len(hashes))(hashes, offsets, width)
        return cls(found, places, np.diff(offsets), prints)

    def __len__(self) -> int:
        return len(self.tokens)

    def sets(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The shingles of each text, ascending and each once, one text behind the other, and how many each has."""
        ordered = self.hashes.copy()
        ends = self.offsets.tolist()
        for begin, end in pairwise(ends):
            ordered[begin:end].sort()
        first = np.ones(len(ordered), np.bool_)
        np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
        begins = self.offsets[:-1]
        first[begins[begins < len(ordered)]] = True
        return ordered[first], np.diff(np.append(0, np.cumsum(first))[self.offsets])


_Shingled = tuple["NDArray[np.uint64]", "NDArray[np.int64]", "NDArray[np.uint64]"]


def _shingled_plain(hashes: NDArray[np.uint64], offsets: NDArray[np.int64], width: int) -> _Shingled:
    counts = np.diff(offsets)
    places = np.zeros(len(offsets), np.int64)
    np.cumsum(np.where(counts < width, np.minimum(counts, 1), counts - width + 1), out=places[1:])
    total, sizes = int(places[-1]), np.diff(places)
    begins = np.repeat(offsets[:-1] - places[:-1], sizes) + np.arange(total)  # the first token of each shingle
    length = np.repeat(np.minimum(counts, width), sizes)  # its tokens
    values = np.zeros(total, np.uint64)
    for k in range(width):
        here = k < length
        values[here] = values[here] * SHINGLE_BASE + hashes[begins[here] + k]
    short = length < width
    values[short] += SHORT_MARK * length[short].astype(np.uint64)
    found = mixed(values)
    return found, places, mixed(polynomials(found, TOKEN_BASE, places[:-1], places[1:]))


@compiled_job("leadline.collections.duplicates.kernels.hashing.hash_shingles", plain=_shingled_plain)
def _shingled(kernel: Kernel, hashes: NDArray[np.uint64], offsets: NDArray[np.int64], width: int) -> _Shingled:
    texts = len(offsets) - 1
    found, places = np.empty(len(hashes) + 1, np.uint64), np.empty(texts + 1, np.int64)
    prints = np.empty(texts, np.uint64)
    count = kernel(np.ascontiguousarray(hashes), texts, offsets, width, found, places, prints)
    return found[:count], places, prints
