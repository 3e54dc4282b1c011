"""Sketches: how much two texts resemble each other, estimated from 128 numbers of each.

This is min-hashing in one pass. Every shingle has a random place among k and a random value, and a text's sketch keeps
the smallest value in each place. A place that no shingle reached takes the number of another, looking in a few in an
order that is the same for all texts ("densification"; Shrivastava, 2017); what is still empty is filled by further
rounds, in which every shingle has other places and values ("fast similarity sketching"; Dahlgaard, Knudsen and Thorup,
2017). Two texts have the same number in a place with a probability of their resemblance, so the share of equal places
estimates it, with about the error of k independent draws: sqrt(r (1 - r) / k). A long text needs one step a shingle,
where k permutations need k steps.

Texts that are equal in all r places of one of b bands are compared. Two of resemblance s are missed with a probability
of (1 - s^r)^b; `bands` chooses r and b so that it is at most MISSED at the threshold. Low thresholds need narrow bands,
which texts with nothing but phrases in common share as well: there several bands have to be equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.duplicates.kernels.hashing import EMPTY, OTHERS, SHINGLE_BASE, VALUE_BITS, VALUE_WIDTH
from leadline.collections.duplicates.shingles import ShingleHashes
from leadline.collections.duplicates.tokens import mixed
from leadline.errors import InputError
from leadline.text.compiled import Kernel
from leadline.text.engine import compiled_job

if TYPE_CHECKING:
    from numpy.typing import NDArray

PLACES = 128
MISSED = 1e-6  # the largest accepted probability of missing two texts at the threshold
NARROW = 2  # places of a band that texts which are not alike often share
_MOST_PLACES = 1 << 14


@dataclass(frozen=True)
class Bands:
    """How sketches are cut into bands."""

    count: int
    rows: int  # places of a band
    least: int = 1  # bands in which two texts have to be equal to be compared

    def missed(self, resemblance: float) -> float:
        """The probability that two texts of this resemblance are equal in too few bands.

        >>> round(Bands(32, 4).missed(0.8) * 1e8)
        5
        """
        equal = resemblance**self.rows
        terms = (comb(self.count, k) * equal**k * (1 - equal) ** (self.count - k) for k in range(self.least))
        return float(sum(terms))

    def __str__(self) -> str:
        several = f", {self.least} equal" if self.least > 1 else ""
        return f"{self.count} bands of {self.rows}{several}"


def bands(threshold: float, places: int = PLACES) -> Bands:
    """The fewest bands, each as wide as possible, that miss two texts at the threshold with at most MISSED.

    >>> bands(0.8), bands(0.5)
    (Bands(count=32, rows=4, least=1), Bands(count=64, rows=2, least=2))
    """
    choices = [Bands(places // rows, rows) for rows in range(1, places + 1)]
    good = [each for each in choices if each.missed(threshold) <= MISSED]
    if not good:
        least = next(t / 100 for t in range(1, 101) if choices[0].missed(t / 100) <= MISSED)
        raise InputError("resemblance", f"must be at least {least} with {places} places, got {threshold}: use --exact")
    widest = good[-1]
    if widest.rows > NARROW:
        return widest
    stricter = (Bands(widest.count, widest.rows, least) for least in range(1, widest.count + 1))
    return list(takewhile(lambda each: each.missed(threshold) <= MISSED, stricter))[-1]


def check_places(places: int) -> None:
    """Raise InputError unless a sketch can have this many places."""
    if not 16 <= places <= _MOST_PLACES or places & (places - 1):
        raise InputError("places", f"must be a power of 2 from 16 to {_MOST_PLACES}, got {places}")


def sketches(shingles: ShingleHashes, places: int = PLACES) -> NDArray[np.uint64]:
    """A row of numbers for each text; that of a text without shingles is all EMPTY."""
    check_places(places)
    job = _sketched.choose(20 * len(shingles.hashes) + places * len(shingles))
    return job(shingles.hashes, shingles.offsets, places)


def estimate(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> float:
    """The estimated resemblance of two texts, from their sketches."""
    return float(np.mean((first == second) & (first != EMPTY)))


def band_hashes(found: NDArray[np.uint64], cut: Bands) -> NDArray[np.uint64]:
    """A number for each band (row) of each text (column), the same where all places of the band are equal."""
    texts = len(found)
    powers = np.cumprod(np.full(cut.rows, SHINGLE_BASE, np.uint64), dtype=np.uint64)
    used = found[:, : cut.count * cut.rows].reshape(texts, cut.count, cut.rows)
    return np.ascontiguousarray(mixed((mixed(used) * powers).sum(axis=2, dtype=np.uint64)).T)


@cache
def _factors(places: int) -> NDArray[np.uint64]:
    """The odd number of each round by which hashes are multiplied; 1 in the first."""
    found = np.random.default_rng(1).integers(0, 1 << 63, 2 * places, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    found[0] = 1
    return found


def _shift(places: int) -> int:
    """How far the bits of a product that choose its place are shifted."""
    return 65 - places.bit_length()


@cache
def _others(places: int) -> NDArray[np.int64]:
    """In which places an empty one looks: its own number XOR each of these."""
    return np.random.default_rng(2).permutation(np.arange(1, places, dtype=np.int64))[:OTHERS]


def _sketched_plain(hashes: NDArray[np.uint64], offsets: NDArray[np.int64], places: int) -> NDArray[np.uint64]:
    texts = len(offsets) - 1
    text = np.repeat(np.arange(texts), np.diff(offsets))
    found = np.full((texts, places), EMPTY, np.uint64)
    for turn, factor in enumerate(_factors(places)):
        if not len(text):
            break
        values = hashes * factor
        chosen = (values >> np.uint64(_shift(places))).astype(np.int64)
        place = chosen if turn < places else np.full(len(text), turn - places)
        level = np.uint64(turn) << VALUE_WIDTH
        np.minimum.at(found.reshape(-1), text * places + place, level | (values & VALUE_BITS))
        if turn == 0:
            _take_from_others(found)
        unfinished = (found == EMPTY).any(axis=1)[text]
        hashes, text = hashes[unfinished], text[unfinished]
    return found


def _take_from_others(found: NDArray[np.uint64]) -> None:
    """Fill empty places with the numbers of others that were not."""
    first = found.copy()
    for other in _others(found.shape[1]).tolist():
        taken = first[:, np.arange(found.shape[1]) ^ other]
        found[:] = np.where(found == EMPTY, taken, found)


@compiled_job("leadline.collections.duplicates.kernels.hashing.sketch_texts", plain=_sketched_plain)
def _sketched(
    kernel: Kernel, hashes: NDArray[np.uint64], offsets: NDArray[np.int64], places: int
) -> NDArray[np.uint64]:
    texts = len(offsets) - 1
    found = np.empty((texts, places), np.uint64)
    shift, factors, others = _shift(places), _factors(places), _others(places)
    kernel(np.ascontiguousarray(hashes), texts, offsets, places, shift, factors, others, found)
    return found
