"""The order of systems by their values: best first, and the place of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leadline.measures.hits import Array, Integers, Mask


def sign(better: str) -> float:
    """The factor that makes larger values better: -1 for a measure whose lower values are better, else 1."""
    return -1.0 if better == "lower" else 1.0


def best_first(means: Array, runs: Sequence[str], better: str = "higher") -> list[int]:
    """The indices of the runs by their means, best first; equal means by name, NaN last.

    >>> best_first(np.array([0.2, np.nan, 0.9, 0.9]), ["x", "a", "z", "y"])
    [3, 2, 0, 1]
    """
    keys = np.nan_to_num(-sign(better) * means, nan=np.inf)
    return sorted(range(len(runs)), key=lambda run: (keys[run], runs[run]))


def above(values: Array) -> Mask:
    """For each system (row), which systems (columns) have a strictly larger value."""
    return np.asarray(values[..., None, :] > values[..., :, None])


def places(values: Array) -> Integers:
    """The place of each system, 1 for the largest value; equal values share the better place.

    >>> places(np.array([0.2, 0.5, 0.2]))
    array([2, 1, 2])
    """
    return np.asarray(above(values).sum(axis=-1) + 1, np.int64)
