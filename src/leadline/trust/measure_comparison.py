"""Compare measures: do they agree, do they rank alike, and how many pairs can each tell apart?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from leadline.errors import InputError, MismatchError, checked_choice
from leadline.measures.hits import Array, Integers, Mask
from leadline.measures.join import listed
from leadline.records.result import Result, Table, counted, number, whole_percent
from leadline.records.scores import Scores
from leadline.trust.no_verdict import notes_on_effort
from leadline.trust.paired_tests import (
    Moments,
    Resampled,
    all_pairs,
    ceiling,
    checked_alpha,
    checked_draws,
    random_counts,
    random_ranges,
    tukey,
    without_rounding_errors,
)
from leadline.trust.randomisation import wilcoxon
from leadline.trust.rankings import aligned, has_ties, places, sign, tau_a, tau_ap, tau_ap_b, tau_b

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
    verdicts, notes = [], notes_on_effort(names)
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


# Do two measures put the systems in the same order?


Tau = Literal["a", "b", "ap"]
TAUS: tuple[Tau, ...] = get_args(Tau)


@dataclass(frozen=True, repr=False)
class Correlation(Result):
    """How alike every two measures rank the systems."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    means: Array  # run, measure
    places: Integers  # run, measure: the rank, 1 for the best; runs with equal means share the better rank
    tau: Array  # measure, measure: Kendall's tau_b, or what `tau` asked for
    tau_ap: Array  # the row is the truth, the column the estimate; tau_AP,b where runs tie under either
    tau_ap_b: Array  # symmetric, with or without ties
    notes: tuple[str, ...] = ()

    def table(self) -> Table:
        """A row for every two measures; for `tau_ap` the first is the truth."""
        rows = [
            [a, b, float(self.tau[i, j]), float(self.tau_ap[i, j])]
            for i, a in enumerate(self.measures)
            for j, b in enumerate(self.measures)
            if i < j
        ]
        return Table(["measure_a", "measure_b", "tau", "tau_ap"], rows)

    def ranks(self) -> Table:
        """The rank of every run under every measure, in the order of the first measure (for a bump chart)."""
        order = sorted(range(len(self.runs)), key=lambda r: (*self.places[r].tolist(), self.runs[r]))
        return Table(["run", *self.measures], [[self.runs[r], *self.places[r].tolist()] for r in order])

    def _finding(self) -> str:
        pairs = [(i, j) for j in range(len(self.measures)) for i in range(j) if not np.isnan(self.tau[i, j])]
        size = f"{len(self.measures)} measures on {len(self.runs)} runs"
        if not pairs:
            return size
        least, most = (choose(pairs, key=lambda pair: self.tau[pair]) for choose in (min, max))
        taus = [float(self.tau[pair]) for pair in pairs]
        ends = [
            f"{number(self.tau[pair], taus, 2)} ({self.measures[pair[0]]}, {self.measures[pair[1]]})"
            for pair in (least, most)
        ]
        return f"{size}: τ {ends[0]}" if least == most else f"{size}: τ from {ends[0]} to {ends[1]}"

    def _shown_table(self) -> Table:
        return self.table()


def correlation(scores: Scores, measures: Sequence[str] | None = None, *, tau: Tau = "b") -> Correlation:
    """Rank the runs by their means under each measure, and compare the rankings of every two measures.

    `tau` is the coefficient in the column `tau`: "a" is tau_a, "b" is tau_b, which corrects for ties, "ap" is tau_AP.
    Means that agree to 12 digits count as equal: further digits depend on the order of summation.

    >>> values = np.array([[[0.5, 0.9]], [[0.4, 0.7]], [[0.3, 0.8]], [[0.2, 0.1]]])
    >>> found = correlation(Scores(("a", "b", "c", "d"), ("all",), ("AP", "R"), values))
    >>> print(found.table().render("tsv"))
    measure_a measure_b tau tau_ap
    AP R 0.66666666666666663 0.66666666666666674
    >>> print(found.ranks().render("tsv"))
    run AP R
    a 1 1
    b 2 3
    c 3 2
    d 4 4
    """
    checked_choice("tau", tau, TAUS)
    names = tuple(dict.fromkeys(scores.measures if measures is None else measures))
    if len(names) < 2:
        raise MismatchError(f"{len(names)} measure ({', '.join(names)}); a correlation needs two or more")
    for name in names:
        scores.of(name)  # an error for an unknown measure
    columns = [scores.measures.index(name) for name in names]
    means = scores.mean_values()[:, columns]
    ranked = np.flatnonzero(~np.isnan(means).any(axis=1))
    notes = [*notes_on_effort(names), *_notes(scores, names, columns, means)]
    if len(ranked) < 2:
        raise MismatchError(f"{len(ranked)} of {len(scores.runs)} runs with a mean under every measure; two are needed")
    signs = np.array([sign(scores.better[column]) for column in columns])
    goodness = np.stack(
        [without_rounding_errors(column, float(np.abs(column).max())) for column in (means[ranked] * signs).T]
    )
    ties = has_ties(goodness)
    allowing = tau_ap_b(goodness[:, None], goodness[None])
    directed = allowing.copy()
    plain = np.flatnonzero(~ties)
    directed[np.ix_(plain, plain)] = tau_ap(goodness[plain, None], goodness[None, plain])
    same = [name for name, column in zip(names, goodness, strict=True) if column.min() == column.max()]
    if same:
        notes.append(f"all runs have the same mean under {listed(same, 6)}, so it has no order to compare")
    if ties.any():
        tied = [name for name, there in zip(names, ties.tolist(), strict=True) if there]
        notes.append(
            f"some runs have the same mean under {listed(tied, 6)}: tau_ap is tau_AP,b there, which allows ties"
        )
    return Correlation(
        tuple(scores.runs[r] for r in ranked),
        names,
        means[ranked],
        places(goodness).T,
        directed if tau == "ap" else {"a": tau_a, "b": tau_b}[tau](goodness[:, None], goodness[None]),
        directed,
        allowing,
        tuple(notes),
    )


def _notes(scores: Scores, names: Sequence[str], columns: Sequence[int], means: Array) -> Iterator[str]:
    """Notes about runs left out, and about means over fewer topics than the others."""
    missing = np.isnan(means)
    if missing.any():
        runs = [scores.runs[r] for r in np.flatnonzero(missing.any(axis=1)).tolist()]
        under = [names[m] for m in np.flatnonzero(missing.any(axis=0)).tolist()]
        yield f"left out, because they have no mean under {listed(under, 4)}: {listed(runs)}"
    for name, column, mean in zip(names, columns, means.T, strict=True):
        counts = (~np.isnan(scores.values[:, :, column])).sum(axis=1)[~np.isnan(mean)]
        if len(counts) and counts.min() < counts.max():
            fewer = int((counts < counts.max()).sum())
            yield (
                f"{name}: the mean of {counted(fewer, 'run')} is over fewer topics than the others"
                f" (as few as {counts.min()} of {counts.max()})"
            )
        if scores.better[column] == "neither":
            yield f"{name} is neither better when high nor when low; runs are ranked by it from high to low"


# Discriminative power: how many pairs of systems can a measure tell apart, and how large a difference is needed?


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
    sampled = Resampled.of(matrix, counts)
    levels, largest = sampled.levels()
    return Discrimination(levels, sampled.difference_needed(alpha, largest))


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
    measure   test     alpha   pairs   significant   power   difference_needed
    ──────────────────────────────────────────────────────────────────────────
    AP        tukey   0.0500       3             2   0.667               0.440
    """
    checked_choice("test", test, tuple(METHODS))
    checked_draws(draws)
    checked_alpha(alpha)
    names = tuple(scores.measures if measures is None else measures)
    # Every measure gets the same draws: its power does not depend on which others are asked for beside it.
    root = int(np.random.default_rng(seed).integers(2**62))
    found, notes = [], notes_on_effort(names)
    for measure in names:
        matrix, _, said = aligned(scores, measure)
        found.append(METHODS[test](matrix, alpha, draws, np.random.default_rng(root)))
        notes += said
    return Power(test, alpha, names, tuple(found), tuple(notes))
