"""Compare every pair of systems, and say where each stands: the one object behind every page that says who is better.

A `Standing` holds the means with their intervals, every pair, the letters, and the verdict on the first system against
each other one, all by one test with one correction: for all pairs. The first system is the one that happened to have
the best mean. Were the correction for the comparisons with it alone, then of twenty equal systems one would be called
better in every fifth experiment; and letters, which are about all pairs, would say something else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from leadline.errors import MeasureError, checked_choice
from leadline.measures.definition import bounds, inside
from leadline.measures.hits import Array, Integers, Mask
from leadline.options import SAMPLES
from leadline.records.result import Result, Table, counted, decimals, number
from leadline.records.scores import FEWEST_TOPICS, Scores
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
    holm_limit,
    pair_places,
    random_counts,
    randomised_tukey,
    student_t,
)
from leadline.trust.randomisation import counts_every_flip, pair_intervals, randomisation, settled, wilcoxon
from leadline.trust.rankings import aligned, best_first, sign
from leadline.trust.study import Study, checked_samples
from leadline.trust.topics_needed import POWER, STABLE, topics_needed
from leadline.trust.verdict import (
    EQUAL,
    WORDS,
    Support,
    Verdict,
    Word,
    criterion,
    definitions,
    doubt_of,
    lead_rests_on,
    letters,
    reasons,
    short_table,
    support,
    table,
)

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
    wins: Integers  # topics on which a does better
    ties: Integers
    losses: Integers
    p: Array
    p_corrected: Array
    notes: tuple[str, ...] = ()
    scores: Scores | None = field(default=None, compare=False)  # what was compared
    alpha: float = 0.05  # the level of significance where a method is given none
    no_verdict: str = ""  # why no run is called better than another
    spans: tuple[Array, Array] | None = None  # the intervals of tests other than flips, whose are found when asked for

    def __len__(self) -> int:
        return len(self.p)

    def verdicts(
        self,
        *,
        study: Study | None = None,
        samples: int = SAMPLES,
        alpha: float | None = None,
        seed: int | np.random.Generator = 1,
    ) -> Standing:
        """Where the runs stand, in words; with a study, also whether half the judgements would do."""
        assert self.scores is not None
        level = self.alpha if alpha is None else alpha
        return decide(self.scores, self.measure, study=study, samples=samples, alpha=level, seed=seed)

    def sentence(self, alpha: float | None = None) -> str:
        """The number of significant differences, as a sentence; or why nothing is compared."""
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

    @property
    def low(self) -> Array:
        """The lower end of the 95 % interval of each difference."""
        return self._intervals[0]

    @property
    def high(self) -> Array:
        """The upper end of the 95 % interval of each difference."""
        return self._intervals[1]

    @cached_property
    def _intervals(self) -> tuple[Array, Array]:
        return self.intervals(np.arange(len(self)))

    def intervals(self, pairs: Integers) -> tuple[Array, Array]:
        """Both ends of the 95 % intervals of some pairs, by their places; of 10 000 pairs they take half a second."""
        if self.spans is not None:
            return self.spans[0][pairs], self.spans[1][pairs]
        assert self.scores is not None
        matrix = aligned(self.scores, self.measure).matrix
        low, high = pair_intervals(matrix, pairs, self.p[pairs])
        lowest, highest = bounds(self.measure)
        most = highest - lowest  # that two values can differ
        return np.clip(low, -most, most), np.clip(high, -most, most)

    @cached_property
    def limit(self) -> float:
        """The p, not corrected, below which a pair differs significantly by Holm's correction."""
        return holm_limit(self.p_corrected, self.alpha)

    def between(self, one: int, others: Integers) -> Integers:
        """The places of the pairs of a run and others, from the places of the runs."""
        return pair_places(np.minimum(one, others), np.maximum(one, others), len(self.runs))

    def not_worse(self, run: int) -> Mask:
        """The runs that do not differ significantly from one, itself among them."""
        alike = np.zeros(len(self.runs), np.bool_)
        alike[run] = True
        here = (self.first == run) | (self.second == run)
        alike[(self.first + self.second - run)[here]] = ~self.significant()[here]
        return alike

    def order(self) -> list[int]:
        """The runs by their means, best first."""
        return best_first(self.means, self.runs, self.better)

    def letters(self, alpha: float | None = None) -> dict[str, str]:
        """The letters of each run, best run first: runs that share a letter do not differ significantly.

        Empty where no run is put before another.
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

    >>> values = np.array([[0.1, 0.2, 0.4, 0.3, 0.2], [0.2, 0.5, 0.9, 0.4, 0.3], [0.8, 0.9, 0.9, 0.7, 0.8]])
    >>> scores = Scores(("x", "y", "z"), tuple("12345"), ("AP",), values[:, :, None])
    >>> pairs = compare(scores, "AP", test="t")
    >>> pairs.difference.round(3), pairs.wins, pairs.p_corrected.round(3)
    (array([-0.22, -0.58, -0.36]), array([0, 0, 0]), array([0.051, 0.002, 0.05 ]))
    >>> print(pairs.summary_table().render("table"))
    run    mean     low    high   letters
    ─────────────────────────────────────
    z     0.820   0.716   0.924   a
    y     0.460   0.125   0.795   b
    x     0.240   0.098   0.382   b
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
    spans = None
    if test != "randomisation":
        lowest, highest = bounds(measure)
        most = highest - lowest  # that two values can differ
        low, high = moments.interval() if tested.interval is None else tested.interval
        spans = np.clip(low, -most, most), np.clip(high, -most, most)
    better = scores.better[scores.measures.index(measure)]
    wins, losses = (moments.lower, moments.higher) if better == "lower" else (moments.higher, moments.lower)
    means, width = matrix.mean(axis=1), half_width(matrix)
    if matrix.shape[1] < FEWEST_TOPICS:
        width = np.full_like(means, np.nan)
    return Pairs(
        measure,
        test,
        done,
        scores.runs,
        topics,
        better,
        means,
        inside(measure, means - width),
        inside(measure, means + width),
        first,
        second,
        moments.mean,
        moments.effect,
        wins,
        len(topics) - wins - losses,
        losses,
        p,
        p_corrected,
        (*notes, *ways, *_limits(test, done, len(p), len(topics), draws, alpha)),
        scores,
        alpha,
        why_no_verdict(scores, measure),
        spans,
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


# Where every run stands: the pairs, and the verdict on the first run against each other one.


@dataclass(frozen=True, repr=False)
class Standing(Result):
    """Everything that is said about which run is better by one measure. Make one with `stand` or `decide`."""

    pairs: Pairs = field(compare=False)  # by flips of signs, corrected for all pairs; none where `no_verdict` says why
    verdicts: tuple[Verdict, ...]  # the first run against every other, closest first; none where `no_verdict` says why
    samples: int = 0  # with half the judgements; 0 where there were no judgements to leave out
    unjudged: float = math.nan  # share of the leader's first documents that are unjudged; NaN when unknown
    doubt: str = ""  # what unjudged documents make uncertain, as a sentence
    notes: tuple[str, ...] = ()

    @property
    def no_verdict(self) -> str:
        """Why no run is called better than another; empty where one may be."""
        return self.pairs.no_verdict

    @property
    def measure(self) -> str:
        """The measure that decides."""
        return self.pairs.measure

    @property
    def alpha(self) -> float:
        """The level of significance."""
        return self.pairs.alpha

    @cached_property
    def leader(self) -> str:
        """The run with the best mean; of several, the first by name."""
        return self.pairs.runs[self.pairs.order()[0]]

    @property
    def mean(self) -> float:
        """The leader's mean."""
        return float(self.pairs.means[self._place])

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval of the leader's mean."""
        return float(self.pairs.low_means[self._place])

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval of the leader's mean."""
        return float(self.pairs.high_means[self._place])

    @property
    def _place(self) -> int:
        return self.pairs.runs.index(self.leader)

    def written_mean(self, run: str) -> tuple[str, str]:
        """The mean of a run and its interval ("" if there is none), with the digits that tell it from the next run."""
        at, means = self.pairs.runs.index(run), self.pairs.means
        others = np.abs(means - means[at])
        others[others < EQUAL] = np.inf
        nearest = [float(means[others.argmin()])] if np.isfinite(others).any() else []
        places = decimals([float(means[at]), *nearest])
        low, high = float(self.pairs.low_means[at]), float(self.pairs.high_means[at])
        interval = "" if math.isnan(low) else f"[{low:.{places}f}, {high:.{places}f}]"
        return f"{means[at]:.{places}f}", interval

    @cached_property
    def letters(self) -> dict[str, str]:
        """The letters of each run, best run first: runs that share one cannot be told apart."""
        return self.pairs.letters()

    @cached_property
    def words(self) -> Mapping[str, Word]:
        """The word for the leader against each other run, by its name."""
        return {each.other: each.word for each in self.verdicts}

    def against(self, run: str) -> Verdict | None:
        """The verdict on the leader against a run; None for the leader itself."""
        return next((each for each in self.verdicts if each.other == run), None)

    @property
    def nearest(self) -> Verdict | None:
        """The verdict on the leader against its nearest rival."""
        return self.verdicts[0] if self.verdicts else None

    def count(self, word: Word) -> int:
        """The number of runs against which the verdict is this word."""
        return sum(verdict.word == word for verdict in self.verdicts)

    @property
    def level(self) -> tuple[str, ...]:
        """The runs with exactly the leader's mean."""
        return tuple(verdict.other for verdict in self.verdicts if abs(verdict.difference) < EQUAL)

    @property
    def winner(self) -> str | None:
        """The leader if it is firmly better than every other run, else None."""
        return self.leader if self.verdicts and self.count("firm") == len(self.verdicts) else None

    def outcome(self) -> str:
        """Whether there is a winner, in a few words: the first thing that is said. Empty without a verdict.

        It claims no more than the tests support: without a firm lead over every other run there is no firm winner.
        """
        if not self.verdicts:
            return ""
        others, undecided = len(self.verdicts), self.count("undecided")
        only = self.verdicts[0].other if others == 1 else ""
        if undecided:
            who = f"{self.leader} and {only}" if only else f"{undecided + 1} systems"
            return f"No firm winner: {who} cannot be told apart"
        if self.winner is None:
            return f"No firm winner: the lead of {self.leader} is fragile"
        return f"{self.leader} is firmly {f'better than {only}' if only else 'best'}"

    def finding(self) -> str:
        """The outcome with the leader's score, as one sentence; or why there is no verdict."""
        if not self.verdicts:
            return self.no_verdict
        score = " ".join(filter(None, self.written_mean(self.leader)))
        if self.level:
            who = self.level[0] if len(self.level) == 1 else f"{len(self.level)} others"
            return f"{self.outcome()}; {self.leader} and {who} are level at {self.measure} {score}."
        if len(self.verdicts) == 1:
            lead = abs(self.verdicts[0].difference)
            return f"{self.outcome()}; by {self.measure} {self.leader} has {score}, a difference of {number(lead)}."
        return f"{self.outcome()}; the first by {self.measure} is {self.leader} with {score} ({self.counts()})."

    def counts(self) -> str:
        """Against how many runs each word holds."""
        return ", ".join(f"{word} against {self.count(word)}" for word in WORDS if self.count(word))

    def ladder_title(self) -> str:
        """The outcome over a drawing of all runs: which of them the tests do not tell from the first."""
        undecided = [each.other for each in self.verdicts if each.word == "undecided"]
        if len(undecided) > 2:
            return f"{counted(len(undecided), 'system')} cannot be told from {self.leader}"
        if undecided:
            return f"{' and '.join(undecided)} cannot be told from {self.leader}"
        over = self.verdicts[0].other if len(self.verdicts) == 1 else "every other system"
        if self.winner is not None:
            return f"{self.leader} is firmly ahead of {over}"
        fragile = [each.other for each in self.verdicts if each.word == "fragile"]
        over = over if len(fragile) == len(self.verdicts) else " and ".join(fragile)
        over = over if len(fragile) <= 2 or len(fragile) == len(self.verdicts) else counted(len(fragile), "system")
        return f"The lead of {self.leader} over {over} is fragile"

    def headline(self) -> str:
        """All verdicts in a few sentences: who wins if anyone does, the nearest rival, what the words mean."""
        if not self.verdicts:
            return self.no_verdict
        nearest = self.verdicts[0]
        said = [self.finding()]
        if len(self.verdicts) == 1:
            said.append(f"{nearest.word.capitalize()}: {nearest.criterion}.")
        elif not self.level:
            said.append(f"Nearest rival: {nearest.other}, {nearest.word}: {nearest.criterion}.")
        said.append(self.doubt)
        return " ".join(filter(None, said))

    def definitions(self) -> str:
        """What firm, fragile and undecided mean, in one sentence each."""
        return definitions(self.alpha, len(self.pairs))

    def closest_reasons(self, most: int = 3) -> list[str]:
        """The reasons for the verdicts on the closest runs, as paragraphs."""
        return [
            f"{each.leader} against {each.other}: {each.word} ({each.criterion}). {' '.join(each.reasons)}"
            for each in self.verdicts[:most]
        ]

    def about(self, pair: Verdict) -> str:
        """The verdict on any two of the runs, as a sentence."""
        one, other = (float(self.pairs.means[self.pairs.runs.index(run)]) for run in (pair.leader, pair.other))
        who = f"{pair.leader} and {pair.other}"
        said = {
            "undecided": f"{who} cannot be told apart",
            "fragile": f"{pair.leader} is ahead of {pair.other}, and the lead is fragile",
            "firm": f"{pair.leader} is firmly better than {pair.other}",
        }[pair.word]
        places = decimals([one, other])
        both = f"{one:.{places}f} and {other:.{places}f}"
        means = f"by {self.measure} they have {both}, a difference of {number(abs(pair.difference))}"
        return f"{said}; {means}."

    def verdict_on(
        self, one: str, other: str, study: Study, seed: int = 1, progress: Callable[[int, int], None] | None = None
    ) -> Verdict:
        """The verdict on any two of the runs: that of the leader is there, the others are tried in the same samples."""
        if self.leader in (one, other) and (known := self.against(other if one == self.leader else one)) is not None:
            return known
        places = sorted(map(self.pairs.runs.index, (one, other)), key=self.pairs.order().index)
        ahead, behind = (np.array([place]) for place in places)
        direction = sign(self.pairs.better)
        how: Support = support(
            study,
            self.measure,
            ahead,
            behind,
            direction=direction,
            limit=self.pairs.limit,
            samples=self.samples,
            seed=seed,
            progress=progress,
        )
        assert self.pairs.scores is not None
        matrix = aligned(self.pairs.scores, self.measure).matrix * direction
        return _verdicts(self.pairs, matrix, places[0], behind, how.stays, how.turns, self.samples)[0]

    def short_table(self) -> Table:
        """A table for people: the lead over each other run with its interval, closest first."""
        return short_table(self.verdicts, self.samples)

    def table(self) -> Table:
        """A table for programs, with all numbers."""
        return table(self.verdicts)

    def _finding(self) -> str:
        return f"{self.measure}: {self.outcome()}" if self.verdicts else self.no_verdict

    def _shown_table(self) -> Table | None:
        return self.short_table() if self.verdicts else None

    def __str__(self) -> str:
        if not self.verdicts:
            return self.no_verdict
        return "\n\n".join(
            [self.headline(), self.short_table().render("table"), self.definitions(), *self.closest_reasons()]
        )


def decide(
    scores: Scores,
    measure: str,
    *,
    study: Study | None = None,
    samples: int = SAMPLES,
    alpha: float = 0.05,
    seed: int | np.random.Generator = 1,
    complete: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Standing:
    """Compare every pair of runs by randomisation tests with Holm's correction, and the first with each in words.

    An error for a measure of effort alone, by which a run of one document would win, and where nothing can be compared.
    `study` holds the judgements to leave out; without it, nothing is firm. `complete` says that every relevant document
    is in the judgements.
    """
    if study is not None:
        checked_samples(samples)
    if why := why_no_verdict(scores, measure):
        raise MeasureError(why)
    pairs = compare(scores, measure, alpha=alpha)
    direction = sign(pairs.better)
    matrix, _, notes = aligned(scores, measure)
    matrix = matrix * direction
    leader, *others = pairs.order()
    behind = np.array(others)
    stays = turns = np.full(len(behind), np.nan)
    unjudged, doubts = math.nan, ""
    if study is None:
        notes = (*notes, "without the judgements, stability cannot be tried, so no lead is called firm")
    else:
        ahead = np.full_like(behind, leader)
        stays, turns, lost = support(
            study,
            measure,
            ahead,
            behind,
            direction=direction,
            limit=pairs.limit,
            samples=samples,
            seed=seed,
            progress=progress,
        )
        notes = (*notes, *lost)
        if not complete:
            unjudged, doubts = doubt_of(study, leader)
    tried = samples if study is not None else 0
    against = _verdicts(pairs, matrix, leader, behind, stays, turns, tried)
    against.sort(key=lambda each: (each.difference, scores.runs.index(each.other)))
    return Standing(pairs, tuple(against), tried, unjudged, doubts, notes)


def stand(
    scores: Scores,
    measure: str,
    *,
    study: Study | None = None,
    samples: int = SAMPLES,
    seed: int = 1,
    complete: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Standing:
    """The same, also where no run can be called better: then the means, and why."""
    if why := why_not_compared(scores, measure):
        return Standing(_means_alone(scores, measure, why), ())
    return decide(scores, measure, study=study, samples=samples, seed=seed, complete=complete, progress=progress)


def why_not_compared(scores: Scores, measure: str) -> str:
    """Why no run is called better than another, as a sentence; empty where one may be."""
    if len(scores.runs) < 2:
        return "There is only one run: give two or more to compare them."
    if why := why_no_verdict(scores, measure):
        return f"{why}."
    shared = int(np.isfinite(scores.of(measure)).all(axis=0).sum())
    return "" if shared > 1 else "Two or more topics with a value for every run are needed to compare runs."


def _means_alone(scores: Scores, measure: str, why: str) -> Pairs:
    """The means of runs that are not compared."""
    place = scores.measures.index(measure)
    means, width = scores.order_means()[:, place], scores.half_widths()[:, place]
    none, nothing = np.empty(0), np.empty(0, np.int64)
    return Pairs(
        measure,
        "randomisation",
        "holm",
        scores.runs,
        tuple(np.array(scores.topics, object)[np.isfinite(scores.of(measure)).all(axis=0)].tolist()),
        scores.better[place],
        means,
        inside(measure, means - width),
        inside(measure, means + width),
        nothing,
        nothing,
        none,
        none,
        nothing,
        nothing,
        nothing,
        none,
        none,
        scores=scores,
        no_verdict=why,
        spans=(none, none),
    )


def _verdicts(
    pairs: Pairs, matrix: Array, ahead: int, behind: Integers, stays: Array, turns: Array, samples: int
) -> list[Verdict]:
    """The verdicts on a run against others behind it, with their reasons; in `matrix` larger values are better."""
    places = pairs.between(ahead, behind)
    low, high = pairs.intervals(places)
    numbers = (pairs.p[places], pairs.p_corrected[places], low, high, stays, turns)
    columns = zip(behind.tolist(), *(column.tolist() for column in numbers), strict=True)
    found = []
    for other, p, p_corrected, least, most, stay, turn in columns:
        differences = matrix[ahead] - matrix[other]
        turned = (ahead > other) ^ (pairs.better == "lower")
        # Only what was shown counts: without judgements to leave out, a significant lead is fragile.
        word: Word = "undecided" if not p_corrected < pairs.alpha else "firm" if stay >= STABLE else "fragile"
        unexplained = Verdict(
            pairs.runs[ahead],
            pairs.runs[other],
            word,
            criterion(word, p_corrected, len(pairs), stay, samples, pairs.alpha),
            float(differences.mean()),
            -most if turned else least,
            -least if turned else most,
            p,
            p_corrected,
            len(differences),
            int((differences > EQUAL).sum()),
            int((differences < -EQUAL).sum()),
            lead_rests_on(differences),
            stay,
            turn,
            topics_needed(differences, pairs.limit) if word == "undecided" else None,
            (),
        )
        found.append(replace(unexplained, reasons=reasons(unexplained, len(pairs), samples, pairs.alpha, POWER)))
    return found
