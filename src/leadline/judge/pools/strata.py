"""Strata of a pool: ranges of ranks, and the share of each that is judged.

>>> parse_strata("10:1,30:0.3,100:0.1")
(Stratum(last=10, rate=1.0), Stratum(last=30, rate=0.3), Stratum(last=100, rate=0.1))
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError

DEFAULT_STRATA = "10:1,30:0.3,100:0.1"  # those of TREC-CHEM 2009


@dataclass(frozen=True)
class Stratum:
    """The ranks up to `last` that no earlier stratum has; `rate` is the share of its documents that is judged."""

    last: int
    rate: float


def parse_strata(text: str) -> tuple[Stratum, ...]:
    """Strata from text such as `10:1,30:0.3,100:0.1`: last rank and rate, ranks ascending."""
    strata = []
    for part in text.split(","):
        last, _, rate = part.partition(":")
        try:
            strata.append(Stratum(int(last), float(rate or 1)))
        except ValueError:
            raise InputError("strata", f"{part!r} is not LAST_RANK:RATE, such as 30:0.3") from None
    return checked_strata(strata)


def checked_strata(strata: Sequence[Stratum]) -> tuple[Stratum, ...]:
    """The strata, if their ranks ascend and their rates are above 0 and at most 1."""
    lasts = [0, *(stratum.last for stratum in strata)]
    if not strata:
        raise InputError("strata", "give at least one, such as 10:1")
    if any(later <= earlier for earlier, later in itertools.pairwise(lasts)):
        raise InputError("strata", f"ranks must ascend from 1, got {', '.join(map(str, lasts[1:]))}")
    for stratum in strata:
        if not 0 < stratum.rate <= 1:
            raise InputError("strata", f"a rate must be above 0 and at most 1, got {stratum.rate:g}")
    return tuple(strata)


def sample_sizes(sizes: Sequence[int], strata: Sequence[Stratum]) -> list[int]:
    """How many documents of each stratum are judged: its rate, rounded half up, and at least 1 of any.

    >>> sample_sizes([10, 45, 5, 0], parse_strata("10:1,30:0.3,100:0.1,200:0.1"))
    [10, 14, 1, 0]
    """
    return [
        min(size, max(1, math.floor(stratum.rate * size + 0.5 + 1e-9))) if size else 0
        for size, stratum in zip(sizes, strata, strict=True)
    ]


def sizes_within_budget(sizes: Sequence[int], strata: Sequence[Stratum], budget: int) -> list[int]:
    """Sample sizes that add up to about `budget` documents, in the proportions of the strata's rates.

    All rates are multiplied by one factor; a rate that reaches 1 stays there, and the others get what is left. Every
    stratum with documents keeps at least 1, so that nothing of the pool is out of reach.

    >>> sizes_within_budget([60, 120, 400], parse_strata("10:1,30:0.3,100:0.1"), 195)
    [60, 64, 71]
    >>> sum(sizes_within_budget([60, 120, 400], parse_strata("10:1,30:0.3,100:0.1"), 30))
    30
    """
    room = np.array(sizes, np.float64)
    rates = np.array([stratum.rate for stratum in strata])
    wanted = np.minimum(room, 1.0)  # at least one of each
    if budget >= room.sum():
        return [int(size) for size in sizes]
    low, high = 0.0, float(1 / rates.min())
    for _ in range(60):  # the factor, by bisection: the sum of the sizes grows with it
        factor = (low + high) / 2
        total = np.maximum(wanted, np.minimum(room, factor * rates * room)).sum()
        low, high = (factor, high) if total < budget else (low, factor)
    exact = np.maximum(wanted, np.minimum(room, high * rates * room))
    return _rounded_to(exact, room, budget)


def _rounded_to(exact: NDArray[np.float64], room: NDArray[np.float64], total: int) -> list[int]:
    """Whole numbers near the exact ones that add up to the total: the largest remainders are rounded up."""
    whole = np.floor(exact + 1e-9)
    order = np.argsort(whole - exact, kind="stable")
    for place in order[: max(0, round(float(total - whole.sum())))].tolist():
        whole[place] = min(whole[place] + 1, room[place])
    return [int(size) for size in whole]
