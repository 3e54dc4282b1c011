"""Repeatable random numbers: generators by name, and hashes of keys. Also helpers for runs of consecutive items."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray

Integers = NDArray[np.int64]
Array = NDArray[np.float64]


def generator(seed: int, *path: str | int) -> np.random.Generator:
    """A random generator for one purpose and block, so that no part of the office depends on another's draws.

    >>> int(generator(1, "texts", 7).integers(1000)) == int(generator(1, "texts", 7).integers(1000))
    True
    """
    key = tuple(crc32(step.encode()) if isinstance(step, str) else step for step in path)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


def hashed(*keys: ArrayLike) -> NDArray[np.uint64]:
    """A well-mixed 64-bit number for each combination of keys (Steele, Lea and Flood's SplitMix, chained).

    It gives random properties to millions of pairs, such as an applicant's name for a concept, without storing them.
    """
    with np.errstate(over="ignore"):
        state: NDArray[np.uint64] = np.full((), 0x9E3779B97F4A7C15, np.uint64)
        for key in keys:
            state = state ^ np.asarray(key).astype(np.uint64)
            state = state + np.uint64(0x9E3779B97F4A7C15)
            state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            state = state ^ (state >> np.uint64(31))
    return np.asarray(state)


def hashed_uniform(*keys: ArrayLike) -> Array:
    """A uniform number from [0, 1) for each combination of keys.

    >>> bool((hashed_uniform(1, np.arange(1000)) < 0.5).mean().round(1) == 0.5)
    True
    """
    return (hashed(*keys) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def zipf(count: int, exponent: float = 1.0) -> Array:
    """Probabilities proportional to rank ** -exponent."""
    weights = np.arange(1, count + 1) ** -exponent
    return np.asarray(weights / weights.sum())


def draw(rng: np.random.Generator, probabilities: Array, size: Any) -> Integers:
    """Random indices with these probabilities; faster than `rng.choice`."""
    cumulative = np.cumsum(probabilities)
    found = np.searchsorted(cumulative, rng.random(size) * cumulative[-1], side="right")
    return np.minimum(found, len(probabilities) - 1)


def draw_distinct(rng: np.random.Generator, probabilities: Array, rows: int, count: int) -> Integers:
    """For each row `count` different indices, drawn without replacement with these probabilities (Gumbel's trick).

    >>> draw_distinct(generator(1), zipf(9), 1000, 3).shape
    (1000, 3)
    """
    keys = np.log(probabilities) + rng.gumbel(size=(rows, len(probabilities)))
    return np.argsort(-keys, axis=1)[:, :count]


def places_within(counts: NDArray[Any]) -> Integers:
    """0, 1, ... within each of consecutive runs of these lengths.

    >>> places_within(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    counts = np.asarray(counts, np.int64)
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


def offsets(counts: NDArray[Any]) -> Integers:
    """The start of each of consecutive runs with these lengths, and the end of the last."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
