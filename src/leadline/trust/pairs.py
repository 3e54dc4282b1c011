"""Compare every pair of systems: difference, effect, interval, wins and p."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from leadline.errors import checked_choice
from leadline.measures.hits import Array, Integers, Mask
from leadline.records.scores.result import Result, counted
from leadline.records.scores.scores import Scores
from leadline.records.scores.table import Table
from leadline.trust.aligned import aligned
from leadline.trust.bootstrap import bootstrap, random_counts
from leadline.trust.corrections import CORRECTIONS, corrected
from leadline.trust.deciding import decide
from leadline.trust.letters import letters
from leadline.trust.order import best_first
from leadline.trust.paired import Moments, TestResult, all_pairs, checked_alpha, checked_draws, half_width, student_t
from leadline.trust.randomisation import randomisation
from leadline.trust.study import Study
from leadline.trust.tukey import randomised_tukey
from leadline.trust.verdict import Verdicts
from leadline.trust.wilcoxon import wilcoxon

Test = Callable[[Array, np.random.Generator, int], TestResult]

TESTS: dict[str, Test] = {
    "randomisation": lambda matrix, rng, draws: randomisation(matrix, rng=rng, draws=draws),
    "t": lambda matrix, rng, draws: student_t(matrix),
    "wilcoxon": lambda matrix, rng, draws: wilcoxon(matrix),
    "bootstrap": lambda matrix, rng, draws: bootstrap(matrix, random_counts(matrix.shape[1], draws, rng)),
    "tukey": lambda matrix, rng, draws: randomised_tukey(matrix, rng=rng, draws=draws),
}
COLUMNS = (
    "measure", "run_a", "run_b", "mean_a", "mean_b", "difference", "effect", "low", "high", "wins", "ties", "losses",
    "p", "p_corrected",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class Pairs(Result):
    """All pairs of runs under one measure; arrays over pairs are in the order of `first` and `second`."""

    measure: str
    test: str
    correction: str
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    better: str  # higher, lower or neither
    means: Array  # of runs
    low_means: Array  # the 95 % interval of each run's own mean
    high_means: Array
    first: Integers  # run a of each pair, as an index into `runs`
    second: Integers
    difference: Array  # mean of a minus mean of b
    effect: Array  # in standard deviations of the differences
    low: Array  # the 95 % interval of the difference
    high: Array
    wins: Integers  # topics on which a does better
    ties: Integers
    losses: Integers
    p: Array
    p_corrected: Array
    notes: tuple[str, ...] = ()
    scores: Scores | None = field(default=None, compare=False)  # what was compared
    alpha: float = 0.05  # the level of significance where a method is given none

    def __len__(self) -> int:
        return len(self.p)

    def verdicts(
        self,
        *,
        study: Study | None = None,
        samples: int = 100,
        alpha: float | None = None,
        seed: int | np.random.Generator = 1,
    ) -> Verdicts:
        """The leader against every other run in words; with a study, also whether half the judgements would do."""
        assert self.scores is not None
        level = self.alpha if alpha is None else alpha
        return decide(self.scores, self.measure, study=study, samples=samples, alpha=level, seed=seed)

    def sentence(self, alpha: float | None = None) -> str:
        """The number of significant differences, as a sentence."""
        found, pairs = int(self.significant(alpha).sum()), len(self)
        how = f"{self.test} test" + ("" if self.correction == "none" else f", {self.correction} correction")
        verb = "differs" if found == 1 else "differ"
        level = self.alpha if alpha is None else alpha
        topics = counted(len(self.topics), "topic")
        return (
            f"{self.measure}: {found} of {counted(pairs, 'pair')} {verb} significantly, p below {level:g} ({how}, "
            f"{topics})"
        )

    def _finding(self) -> str:
        return self.sentence()

    def _shown_table(self) -> Table:
        return self.summary_table()

    def table(self) -> Table:
        """A row for each pair."""
        runs = np.array(self.runs, object)
        columns = [
            runs[self.first], runs[self.second], self.means[self.first], self.means[self.second], self.difference,
            self.effect, self.low, self.high, self.wins, self.ties, self.losses, self.p, self.p_corrected,
        ]  # fmt: skip
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return Table(COLUMNS, [[self.measure, *row] for row in rows], digits=4)

    def significant(self, alpha: float | None = None) -> Mask:
        """Which pairs differ significantly, after correction."""
        return self.p_corrected < (self.alpha if alpha is None else alpha)

    def order(self) -> list[int]:
        """The runs by their means, best first."""
        return best_first(self.means, self.runs, self.better)

    def letters(self, alpha: float | None = None) -> dict[str, str]:
        """The letters of each run, best run first: runs that share a letter do not differ significantly."""
        alike = np.ones((len(self.runs), len(self.runs)), np.bool_)
        alike[self.first, self.second] = alike[self.second, self.first] = ~self.significant(alpha)
        order = self.order()
        return dict(zip([self.runs[run] for run in order], letters(alike[np.ix_(order, order)]), strict=True))

    def summary_table(self, alpha: float | None = None) -> Table:
        """A row for each run, best first: mean, its 95 % interval, significance letters."""
        means, low, high = self.means, self.low_means, self.high_means
        named = self.letters(alpha)
        rows = [
            [self.runs[run], float(means[run]), float(low[run]), float(high[run]), named[self.runs[run]]]
            for run in self.order()
        ]
        best = {(row, 1) for row, values in enumerate(rows) if self.better != "neither" and values[1] == rows[0][1]}
        return Table(["run", "mean", "low", "high", "letters"], rows, best=best)


def compare(
    scores: Scores,
    measure: str,
    *,
    test: str = "randomisation",
    correction: str = "holm",
    alpha: float = 0.05,
    draws: int = 100_000,
    seed: int | np.random.Generator = 1,
) -> Pairs:
    """Compare every pair of runs under one measure, on the topics that all of them have.

    `test` is a key of TESTS, `correction` one of CORRECTIONS. Tukey's test compares all runs at once, so its p values
    need no correction and get none.

    >>> values = np.array([[0.1, 0.2, 0.4, 0.3], [0.2, 0.5, 0.9, 0.4], [0.8, 0.9, 0.9, 0.7]])
    >>> scores = Scores(("x", "y", "z"), ("1", "2", "3", "4"), ("AP",), values[:, :, None])
    >>> pairs = compare(scores, "AP", test="t")
    >>> pairs.difference, pairs.wins, pairs.p_corrected.round(3)
    (array([-0.25 , -0.575, -0.325]), array([0, 0, 0]), array([0.159, 0.014, 0.159]))
    >>> print(pairs.summary_table().render("table"))
    run    mean     low    high   letters
    ─────────────────────────────────────
    z     0.825   0.673   0.977   a
    y     0.500   0.032   0.968   ab
    x     0.250   0.045   0.455   b
    """
    checked_choice("test", test, tuple(TESTS))
    checked_choice("correction", correction, tuple(CORRECTIONS))
    checked_draws(draws)
    checked_alpha(alpha)
    matrix, topics, notes = aligned(scores, measure)
    p = TESTS[test](matrix, np.random.default_rng(seed), draws).p
    done = "none" if test == "tukey" else correction
    p_corrected = corrected(p, done)
    moments = Moments.of(matrix)
    low, high = moments.interval()
    better = scores.better[scores.measures.index(measure)]
    wins, losses = (moments.lower, moments.higher) if better == "lower" else (moments.higher, moments.lower)
    first, second = all_pairs(len(matrix))
    means, width = matrix.mean(axis=1), half_width(matrix)
    return Pairs(
        measure, test, done, scores.runs, topics, better, means, means - width, means + width, first, second,
        moments.mean, moments.effect, low, high, wins, len(topics) - wins - losses, losses, p, p_corrected,
        (*notes, *_limits(test, done, len(p), len(topics), draws, alpha)), scores, alpha,
    )  # fmt: skip


def _limits(test: str, correction: str, pairs: int, topics: int, draws: int, alpha: float) -> list[str]:
    """Notes about corrections not applied, and about tests in which no p could be small enough."""
    if test == "tukey":
        return ["Tukey's test compares all runs at once: its p values already allow for the number of pairs"]
    if test != "randomisation" or correction == "none":
        return []
    all_tried = 2**topics <= draws
    smallest = 2.0 ** (1 - topics) if all_tried else 1 / (draws + 1)
    if smallest * pairs < alpha:
        return []
    needed = math.ceil(round(pairs / alpha, 6))
    few, remedy = (counted(topics, "topic"), "") if all_tried else (f"{draws} draws", f"use {needed} draws or more, ")
    return [
        f"{few} are too few for {counted(pairs, 'pair')}: no difference, however large, could be significant at "
        f"{100 * alpha:g} % after correction; {remedy}compare fewer runs, or use the t test"
    ]


@dataclass(frozen=True, repr=False)
class Triangle(Result):
    """p of every pair of runs by two tests: Student's t below the diagonal, randomisation above; runs best first."""

    measure: str
    runs: tuple[str, ...]
    p: Array
    notes: tuple[str, ...] = ()

    def table(self) -> Table:
        """The square of p values, a row and a column for each run."""
        rows = [[run, *values] for run, values in zip(self.runs, self.p.tolist(), strict=True)]
        return Table(["run", *self.runs], rows)

    def _finding(self) -> str:
        return f"{self.measure}: p of every pair of {len(self.runs)} runs, by t test below and randomisation above"

    def _shown_table(self) -> Table:
        return self.table()


def triangle(scores: Scores, measure: str, *, draws: int = 100_000, seed: int | np.random.Generator = 1) -> Triangle:
    """The p of every pair by the t test and by the randomisation test, uncorrected."""
    matrix, _, notes = aligned(scores, measure)
    order = best_first(matrix.mean(axis=1), scores.runs, scores.better[scores.measures.index(measure)])
    matrix = matrix[order]
    first, second = all_pairs(len(matrix))
    p = np.full((len(order), len(order)), np.nan)
    p[first, second] = randomisation(matrix, rng=np.random.default_rng(seed), draws=draws).p
    p[second, first] = student_t(matrix).p
    return Triangle(measure, tuple(scores.runs[run] for run in order), p, notes)
