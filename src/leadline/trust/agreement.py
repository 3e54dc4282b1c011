"""Do three measures agree on which of two runs is better?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leadline.errors import MismatchError
from leadline.measures.hits import Array, Integers, Mask
from leadline.records.scores.result import Result, counted
from leadline.records.scores.scores import Scores
from leadline.records.scores.table import Table
from leadline.trust.aligned import aligned
from leadline.trust.order import sign
from leadline.trust.paired import Moments, all_pairs
from leadline.trust.wilcoxon import wilcoxon

ALPHA = 0.05


@dataclass(frozen=True, repr=False)
class Agreement(Result):
    """Which run of every pair each of three measures prefers."""

    runs: tuple[str, ...]
    measures: tuple[str, str, str]
    verdicts: Integers  # measure, pair: 1 the first run is better, -1 the second, 0 indistinguishable
    notes: tuple[str, ...] = ()

    def groups(self) -> list[tuple[str, Mask]]:
        """The pairs on which all three measures agree, those on which only two do (by which two), and the rest."""
        a, b, c = self.verdicts
        first, second, third = self.measures
        same_ab, same_ac, same_bc = a == b, a == c, b == c
        return [
            ("all three", same_ab & same_bc),
            (f"{first} and {second}, not {third}", same_ab & ~same_bc),
            (f"{first} and {third}, not {second}", same_ac & ~same_ab),
            (f"{second} and {third}, not {first}", same_bc & ~same_ab),
            ("none", ~same_ab & ~same_ac & ~same_bc),
        ]

    def table(self) -> Table:
        """A row for each group: its number and share of pairs, in how many of them the agreeing measures prefer a run
        (`one_better`) or none (`indistinguishable`), and in how many two measures prefer opposite runs (`opposed`)."""
        count = self.verdicts.shape[1]
        preferred = self._majority()
        opposed = (self.verdicts == 1).any(axis=0) & (self.verdicts == -1).any(axis=0)
        rows = []
        for name, group in self.groups():
            agreed = group & (name != "none")
            rows.append(
                [
                    name,
                    int(group.sum()),
                    float(group.sum() / count),
                    int((agreed & (preferred != 0)).sum()),
                    int((agreed & (preferred == 0)).sum()),
                    int((group & opposed).sum()),
                ]
            )
        return Table(["agree", "pairs", "share", "one_better", "indistinguishable", "opposed"], rows)

    def pairs(self) -> list[tuple[str, str]]:
        """The two runs of every pair, in the order of `verdicts`."""
        first, second = all_pairs(len(self.runs))
        return [(self.runs[a], self.runs[b]) for a, b in zip(first.tolist(), second.tolist(), strict=True)]

    def _majority(self) -> Integers:
        """The verdict of two or three of the measures; the middle one when all three differ."""
        return np.asarray(np.sort(self.verdicts, axis=0)[1])

    def _finding(self) -> str:
        first, second, third = self.measures
        _, agreed = self.groups()[0]
        return f"{first}, {second} and {third} agree on {int(agreed.sum())} of {counted(len(agreed), 'pair')} of runs"

    def _shown_table(self) -> Table:
        return self.table()


def agreement(scores: Scores, measures: Sequence[str] | None = None) -> Agreement:
    """Count the pairs of runs on which three measures agree, as Magdy and Jones (SIGIR 2010) draw them.

    Under each measure a run is better when Wilcoxon's test is significant at 5 %, two-sided and without correction, in
    favour of the run with the larger sum of ranks. Otherwise the two are indistinguishable, which also counts as a
    verdict.

    >>> rng = np.random.default_rng(1)
    >>> base = rng.random((1, 20, 1))
    >>> lead = np.array([[0.3, 0.3, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.3]])[:, None, :]  # a by two, c by the third
    >>> noise = rng.normal(0, 0.01, (3, 20, 3))
    >>> topics = tuple(map(str, range(20)))
    >>> scores = Scores(("a", "b", "c"), topics, ("AP", "PRES", "R"), base + lead + noise)
    >>> print(agreement(scores).table().render("tsv"))
    agree pairs share one_better indistinguishable opposed
    all three 0 0 0 0 0
    AP and PRES, not R 3 1 2 1 1
    AP and R, not PRES 0 0 0 0 0
    PRES and R, not AP 0 0 0 0 0
    none 0 0 0 0 0
    """
    names = tuple(dict.fromkeys(scores.measures if measures is None else measures))
    if len(names) != 3:
        raise MismatchError(f"agreement needs exactly three measures, got {len(names)}: {', '.join(names)}")
    verdicts, notes = [], list[str]()
    for name in names:
        matrix, _, said = aligned(scores, name)
        notes += said
        verdicts.append(preferences(sign(scores.better[scores.measures.index(name)]) * matrix))
    return Agreement(scores.runs, (names[0], names[1], names[2]), np.stack(verdicts), tuple(notes))


def preferences(matrix: Array, alpha: float = ALPHA) -> Integers:
    """For every pair of systems: 1 when the first is better by Wilcoxon's test, -1 when the second is, else 0."""
    # The sum of the ranks of n differences that favours neither system is n(n+1)/4.
    tested, moments = wilcoxon(matrix), Moments.of(matrix)
    differing = (moments.higher + moments.lower).astype(np.float64)
    surplus = tested.statistic - differing * (differing + 1) / 4
    return np.where(tested.p < alpha, np.sign(surplus), 0.0).astype(np.int64)
