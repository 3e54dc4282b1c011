"""Compare every pair of systems: difference, effect, interval, wins and p; and significance letters."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from leadline.errors import checked_choice
from leadline.measures.hits import Array, Integers, Mask
from leadline.records.result import Result, Table, counted
from leadline.records.scores import Scores
from leadline.trust.analysis_of_variance import Anova, anova_t, tukey_hsd
from leadline.trust.no_verdict import why_no_verdict
from leadline.trust.paired_tests import (
    CORRECTIONS,
    Moments,
    TestResult,
    all_pairs,
    bootstrap,
    checked_alpha,
    checked_draws,
    corrected,
    difference_blocks,
    half_width,
    random_counts,
    randomised_tukey,
    student_t,
)
from leadline.trust.randomisation import counts_every_flip, randomisation, settled, wilcoxon
from leadline.trust.rankings import aligned, best_first
from leadline.trust.study import Study
from leadline.trust.verdict import Verdicts, decide

Test = Callable[[Array, np.random.Generator, int | None], TestResult]
DRAWS = 100_000  # of tests that have no other way, where no number is given

TESTS: dict[str, Test] = {
    "randomisation": lambda matrix, rng, draws: randomisation(matrix, rng=rng, draws=draws),
    "t": lambda matrix, rng, draws: student_t(matrix),
    "wilcoxon": lambda matrix, rng, draws: wilcoxon(matrix),
    "bootstrap": lambda matrix, rng, draws: bootstrap(matrix, random_counts(matrix.shape[1], draws or DRAWS, rng)),
    "tukey": lambda matrix, rng, draws: randomised_tukey(matrix, rng=rng, draws=draws or DRAWS),
    "anova": lambda matrix, rng, draws: anova_t(matrix),
    "tukey-hsd": lambda matrix, rng, draws: tukey_hsd(matrix),
}
ALL_AT_ONCE = ("tukey", "tukey-hsd")  # their p allows for the number of pairs
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
    no_verdict: str = ""  # why no run is called better than another, for a measure of effort alone

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
        """The number of significant differences, as a sentence; for a measure of effort alone, why there is none."""
        if self.no_verdict:
            return self.no_verdict
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
            runs[self.first],
            runs[self.second],
            self.means[self.first],
            self.means[self.second],
            self.difference,
            self.effect,
            self.low,
            self.high,
            self.wins,
            self.ties,
            self.losses,
            self.p,
            self.p_corrected,
        ]
        rows = zip(*(column.tolist() for column in columns), strict=True)
        compared = (("mean_a", "mean_b"), ("difference", "low", "high"))
        return Table(COLUMNS, [[self.measure, *row] for row in rows], alike=compared)

    def significant(self, alpha: float | None = None) -> Mask:
        """Which pairs differ significantly, after correction."""
        return self.p_corrected < (self.alpha if alpha is None else alpha)

    def order(self) -> list[int]:
        """The runs by their means, best first."""
        return best_first(self.means, self.runs, self.better)

    def letters(self, alpha: float | None = None) -> dict[str, str]:
        """The letters of each run, best run first: runs that share a letter do not differ significantly.

        Empty for a measure of effort alone, which puts no run before another.
        """
        if self.no_verdict:
            return dict.fromkeys((self.runs[run] for run in self.order()), "")
        alike = np.ones((len(self.runs), len(self.runs)), np.bool_)
        alike[self.first, self.second] = alike[self.second, self.first] = ~self.significant(alpha)
        order = self.order()
        return dict(zip([self.runs[run] for run in order], letters(alike[np.ix_(order, order)]), strict=True))

    def summary_table(self, alpha: float | None = None) -> Table:
        """A row for each run, best first: mean, its 95 % interval, significance letters where runs are compared."""
        means, low, high = self.means, self.low_means, self.high_means
        named = self.letters(alpha)
        rows = [
            [self.runs[run], float(means[run]), float(low[run]), float(high[run]), named[self.runs[run]]]
            for run in self.order()
        ]
        columns = ["run", "mean", "low", "high", "letters"]
        if self.no_verdict:
            return Table(columns[:-1], [row[:-1] for row in rows], alike=[columns[1:-1]])
        best = {(row, 1) for row, values in enumerate(rows) if self.better != "neither" and values[1] == rows[0][1]}
        return Table(columns, rows, best=best, alike=[columns[1:-1]])


def compare(
    scores: Scores,
    measure: str,
    *,
    test: str = "randomisation",
    correction: str = "holm",
    alpha: float = 0.05,
    draws: int | None = None,
    seed: int | np.random.Generator = 1,
) -> Pairs:
    """Compare every pair of runs under one measure, on the topics that all of them have.

    `test` is a key of TESTS, `correction` one of CORRECTIONS. Tukey's tests compare all runs at once, so their p values
    need no correction and get none. The randomisation test draws flips only if a number of draws is given; p near
    `alpha` after correction is then as drawn, else it is settled by counting (see `sign_flips`).

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
    if draws is not None:
        checked_draws(draws)
    checked_alpha(alpha)
    matrix, topics, notes = aligned(scores, measure)
    tested = TESTS[test](matrix, np.random.default_rng(seed), draws)
    p, done = tested.p, "none" if test in ALL_AT_ONCE else correction
    first, second = all_pairs(len(matrix))
    ways = [f"{measure}: {Anova.of(matrix).sentence()}"] if test in ("anova", "tukey-hsd") else []
    if test == "randomisation" and draws is None:
        rows = partial(_differences, matrix)
        p, p_corrected, checked = settled(p, partial(corrected, correction=done), alpha, rows)
        ways = _ways(matrix, checked)
    else:
        p_corrected = corrected(p, done)
    moments = Moments.of(matrix)
    low, high = moments.interval() if tested.interval is None else tested.interval
    better = scores.better[scores.measures.index(measure)]
    wins, losses = (moments.lower, moments.higher) if better == "lower" else (moments.higher, moments.lower)
    means, width = matrix.mean(axis=1), half_width(matrix)
    return Pairs(
        measure,
        test,
        done,
        scores.runs,
        topics,
        better,
        means,
        means - width,
        means + width,
        first,
        second,
        moments.mean,
        moments.effect,
        low,
        high,
        wins,
        len(topics) - wins - losses,
        losses,
        p,
        p_corrected,
        (*notes, *ways, *_limits(test, done, len(p), len(topics), draws, alpha)),
        scores,
        alpha,
        why_no_verdict(scores, measure),
    )


def _differences(matrix: Array, pairs: Integers) -> Array:
    """The differences by topic of some pairs."""
    first, second = all_pairs(len(matrix))
    return matrix[first[pairs]] - matrix[second[pairs]]


def _ways(matrix: Array, checked: Mask) -> list[str]:
    """A note on how p was found: by counting every flip, or from the saddlepoint of their distribution."""
    every = np.concatenate([counts_every_flip(differences) for _, differences in difference_blocks(matrix)])
    exact, pairs = int(every.sum()), len(every)
    if exact == pairs:
        return ["p by every flip of signs"]
    near = f", {int(checked.sum()):,} of them near the limit and checked" * bool(checked.any())
    some = f"every flip of signs for {counted(exact, 'pair')}, by " * bool(exact)
    return [f"p by {some}the saddlepoint of all flips of signs for {counted(pairs - exact, 'pair')}{near}"]


def _limits(test: str, correction: str, pairs: int, topics: int, draws: int | None, alpha: float) -> list[str]:
    """Notes about corrections not applied, and about tests in which no p could be small enough."""
    if test in ALL_AT_ONCE:
        return ["Tukey's test compares all runs at once: its p values already allow for the number of pairs"]
    if test != "randomisation" or correction == "none":
        return []
    drawn = draws is not None and 2**topics > draws
    said = [f"p by {draws:,} random flips of signs"] if drawn else []
    smallest = 1 / (draws + 1) if draws is not None and drawn else 2.0 ** (1 - topics)
    if smallest * pairs < alpha:
        return said
    needed = math.ceil(round(pairs / alpha, 6))
    few, remedy = (
        (f"{draws} draws", f"use {needed} draws or more or none, ") if drawn else (counted(topics, "topic"), "")
    )
    return [
        *said,
        f"{few} are too few for {counted(pairs, 'pair')}: no difference, however large, could be significant at "
        f"{100 * alpha:g} % after correction; {remedy}compare fewer runs, or use the t test",
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
        return Table(["run", *self.runs], rows, levels=self.runs)

    def _finding(self) -> str:
        return f"{self.measure}: p of every pair of {len(self.runs)} runs, by t test below and randomisation above"

    def _shown_table(self) -> Table:
        return self.table()


def triangle(
    scores: Scores, measure: str, *, draws: int | None = None, seed: int | np.random.Generator = 1
) -> Triangle:
    """The p of every pair by the t test and by the randomisation test, uncorrected."""
    matrix, _, notes = aligned(scores, measure)
    order = best_first(matrix.mean(axis=1), scores.runs, scores.better[scores.measures.index(measure)])
    matrix = matrix[order]
    first, second = all_pairs(len(matrix))
    p = np.full((len(order), len(order)), np.nan)
    p[first, second] = randomisation(matrix, rng=np.random.default_rng(seed), draws=draws).p
    p[second, first] = student_t(matrix).p
    return Triangle(measure, tuple(scores.runs[run] for run in order), p, notes)


# Significance letters: two systems that share a letter do not differ significantly; all others do.


def letters(alike: Mask) -> list[str]:
    """The letters of every system, best first; `alike[i, j]` says that systems i and j do not differ.

    A letter stands for a group in which no two systems differ. Starting with the first system, each group begins with
    a pair that shares no letter yet and grows as large as possible, until every pair that does not differ shares a
    letter (Gramm et al., Algorithms for compact letter displays, 2007). The older insert-and-absorb method lists every
    maximal group, which takes thousands of letters for a hundred systems.

    >>> letters(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], bool))
    ['a', 'ab', 'b']
    """
    groups = _groups(alike)
    separator = "" if len(groups) <= 26 else " "  # so that the letter ab differs from the letters a and b
    names = [letter(g) for g in range(len(groups))]
    return [
        separator.join(name for name, group in zip(names, groups, strict=True) if group[system])
        for system in range(len(alike))
    ]


def letter(place: int) -> str:
    """The letter with an index from 0: a to z, then aa, ab, … zz, aaa, and so on.

    >>> [letter(place) for place in (0, 25, 26, 27, 701, 702)]
    ['a', 'z', 'aa', 'ab', 'zz', 'aaa']
    """
    text = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def _groups(alike: Mask) -> list[Mask]:
    """Groups of systems that do not differ, which together cover every pair that does not differ."""
    shared = np.zeros_like(alike)  # pairs that have a letter in common; on the diagonal, systems that have any
    groups = []
    for system in range(len(alike)):
        while (alike[system] & ~shared[system]).any():
            group = np.zeros(len(alike), np.bool_)
            group[system] = True
            could_join = alike[system] & ~group
            while could_join.any():
                new = could_join & ~shared[system]
                joins = int(np.argmax(new if new.any() else could_join))
                group[joins] = True
                could_join &= alike[joins] & ~group
            shared |= np.outer(group, group)
            groups.append(group)
    return groups
