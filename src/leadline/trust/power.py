"""Discriminative power: how many pairs of systems can a measure tell apart, and how large a difference is needed?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.measures.hits import Array, Integers
from leadline.records.scores.result import Result, counted, whole_percent
from leadline.records.scores.scores import Scores
from leadline.records.scores.table import Table
from leadline.trust.aligned import aligned
from leadline.trust.bootstrap import ceiling, random_counts, resampled
from leadline.trust.paired import Moments, checked_alpha, checked_draws
from leadline.trust.tukey import random_ranges, tukey


@dataclass(frozen=True)
class Discrimination:
    """The level (p) of every pair of systems under one measure, and the difference needed for significance."""

    levels: Array
    difference_needed: float


def bootstrap_discrimination(matrix: Array, counts: Integers, alpha: float = 0.05) -> Discrimination:
    """Discrimination by the paired bootstrap (Sakai, SIGIR 2006); for `counts` see `bootstrap`.

    The difference needed: for each pair, the mean difference in the sample whose studentised mean is the
    ⌈alpha · draws⌉-th largest; the largest of these over all pairs.
    """
    moments = Moments.of(matrix)
    levels, needed = np.empty(len(moments.mean)), np.empty(len(moments.mean))
    for part in resampled(matrix, moments, counts):
        levels[part.pairs] = part.levels
        needed[part.pairs] = part.difference_at(alpha)
    return Discrimination(levels, float(needed.max()))


def tukey_discrimination(matrix: Array, ranges: Array, alpha: float = 0.05) -> Discrimination:
    """Discrimination by randomised Tukey HSD (Carterette, TOIS 2012); for `ranges` see `tukey`.

    The difference needed is the ⌈alpha · draws⌉-th largest range.
    """
    place = len(ranges) - max(1, ceiling(alpha * len(ranges)))
    return Discrimination(tukey(matrix, ranges).p, float(np.sort(ranges)[place]))


METHODS: dict[str, Callable[[Array, float, int, np.random.Generator], Discrimination]] = {
    "bootstrap": lambda matrix, alpha, draws, rng: bootstrap_discrimination(
        matrix, random_counts(matrix.shape[1], draws, rng), alpha
    ),
    "tukey": lambda matrix, alpha, draws, rng: tukey_discrimination(matrix, random_ranges(matrix, draws, rng), alpha),
}


@dataclass(frozen=True, repr=False)
class Power(Result):
    """The discriminative power of measures on the same systems."""

    test: str
    alpha: float
    measures: tuple[str, ...]
    found: tuple[Discrimination, ...]  # of each measure
    notes: tuple[str, ...] = ()

    @property
    def significant(self) -> Integers:
        """How many pairs each measure tells apart."""
        return np.array([int((one.levels < self.alpha).sum()) for one in self.found])

    @property
    def power(self) -> Array:
        """The share of pairs each measure tells apart."""
        return self.significant / np.array([len(one.levels) for one in self.found])

    def curve(self, measure: str) -> Array:
        """The levels of all pairs, largest first: the lower the curve, the more pairs the measure tells apart."""
        if measure not in self.measures:
            raise InputError("power", f"no measure {measure!r} among {', '.join(self.measures)}")
        return np.sort(self.found[self.measures.index(measure)].levels)[::-1]

    def table(self) -> Table:
        """A row for each measure, in the given order; the most powerful is marked."""
        share = self.power
        rows = [
            [measure, self.test, self.alpha, len(one.levels), int(count), float(part), one.difference_needed]
            for measure, one, count, part in zip(self.measures, self.found, self.significant, share, strict=True)
        ]
        best = {(row, 5) for row in range(len(rows)) if len(rows) > 1 and share[row] == share.max()}
        columns = ["measure", "test", "alpha", "pairs", "significant", "power", "difference_needed"]
        return Table(columns, rows, best=best)

    def _finding(self) -> str:
        most = int(np.argmax(self.power))
        pairs = f"{whole_percent(self.power[most])} of {counted(len(self.found[most].levels), 'pair')}"
        among = f", the most of {len(self.measures)} measures" if len(self.measures) > 1 else ""
        return f"{self.measures[most]} tells {pairs} apart{among} ({self.test} test at {self.alpha:g})"

    def _shown_table(self) -> Table:
        return self.table()


def power(
    scores: Scores,
    measures: Sequence[str] | None = None,
    *,
    test: str = "bootstrap",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int | np.random.Generator = 1,
) -> Power:
    """How well each measure tells the systems apart: the share of pairs whose level is below alpha.

    `test` is bootstrap or tukey; `measures` defaults to all measures of the scores.

    >>> values = np.array([[0.1, 0.2, 0.4, 0.3, 0.2], [0.2, 0.4, 0.5, 0.4, 0.2], [0.8, 0.9, 0.9, 0.7, 0.8]])
    >>> scores = Scores(("x", "y", "z"), ("1", "2", "3", "4", "5"), ("AP",), values[:, :, None])
    >>> print(power(scores, ["AP"], test="tukey").table().render("table"))
    measure   test    alpha   pairs   significant   power   difference_needed
    ─────────────────────────────────────────────────────────────────────────
    AP        tukey   0.050       3             2   0.667               0.440
    """
    checked_choice("test", test, tuple(METHODS))
    checked_draws(draws)
    checked_alpha(alpha)
    names = tuple(scores.measures if measures is None else measures)
    # Every measure gets the same draws: its power does not depend on which others are asked for beside it.
    root = int(np.random.default_rng(seed).integers(2**62))
    found, notes = [], list[str]()
    for measure in names:
        matrix, _, said = aligned(scores, measure)
        found.append(METHODS[test](matrix, alpha, draws, np.random.default_rng(root)))
        notes += said
    return Power(test, alpha, names, tuple(found), tuple(notes))
