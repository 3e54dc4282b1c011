"""Effort at equal recall: who reads less until a share of the relevant documents is found, paired over topics.

A run that never gets there counts as worse than any that does, on every topic; leaving such topics out would reward it.
So nothing is averaged: efforts are summed up by their median, and tested by the ranks of their ratios.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from leadline.errors import InputError, MismatchError
from leadline.measures.definition import parse_measures
from leadline.measures.hits import Array, Integers
from leadline.records.result import Result, Table, counted
from leadline.trust.paired_tests import all_pairs, checked_alpha, holm_limit, pair_places
from leadline.trust.randomisation import MOST_EXACT, SignedRanks, flip_test, is_below
from leadline.trust.rankings import best_first
from leadline.trust.study import Study, checked_samples, dropped_topics
from leadline.trust.topics_needed import HALF, STABLE
from leadline.trust.verdict import MARKS, WORDS, Word, criterion

RECALL = (0.5, 0.8, 0.9, 0.95)
NEVER = math.inf  # the effort of a run that does not get there
MOST_RATIOS = 1000  # beyond this many topics the means of two are those of so many order statistics
FEWEST = 6  # topics for an interval: of fewer no two order statistics hold a median with 95 %
COLUMNS = (
    "recall", "run_a", "run_b", "median_a", "median_b", "never_a", "never_b", "less", "ties", "more", "ratio", "low",
    "high", "p", "p_corrected", "verdict", "needs_less", "criterion", "significant_in",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class EffortPair(Result):
    """The first run for a recall against one other."""

    recall: float
    first: str
    other: str
    medians: tuple[
        float, float
    ]  # documents read, of the first and the other; infinite where most topics never get there
    never: tuple[int, int]  # topics on which each never gets there
    topics: int
    less: int  # topics on which the first reads less
    more: int  # topics on which it reads more
    ratio: float  # of the first's effort to the other's, the middle of all means of two topics' ratios
    low: float  # its 95 % interval
    high: float
    p: float
    p_corrected: float
    word: Word
    criterion: str  # the criterion that decided the word
    needs_less: str  # the run that the ranks favour; empty if neither
    significant_in: float  # share of the samples with half the judgements in which that stays significant

    @property
    def ties(self) -> int:
        """Topics on which both read as much, or neither gets there."""
        return self.topics - self.less - self.more

    @property
    def is_led(self) -> bool:
        """Whether the test finds that the first reads less."""
        return self.word != "undecided" and self.needs_less == self.first

    @property
    def is_turned(self) -> bool:
        """Whether the test finds that the other reads less, which its comparisons with all others do not bear out."""
        return self.word != "undecided" and self.needs_less == self.other

    def in_numbers(self) -> str:
        """What both read, and on how many topics which of them reads less."""
        one, two = map(written, self.medians)
        unit = "" if "never" in (one, two) else " documents"
        said = f"{one} against {two}{unit} (median), less on {self.less} of {counted(self.topics, 'topic')}"
        said += f" and more on {self.more}" * bool(self.more)
        never = [
            f"{run} never gets there on {count}"
            for run, count in zip((self.first, self.other), self.never, strict=True)
            if count
        ]
        return "; ".join([said, *never])

    def _finding(self) -> str:
        share, numbers = percent(self.recall), self.in_numbers()
        if self.word == "undecided":
            who = f"{self.first} and {self.other} cannot be told apart by the effort for {share} recall"
            return f"{who}: {numbers} ({self.criterion})"
        who = f"{self.first} against {self.other}, which needs less:" if self.is_turned else self.first
        return f"{who} reaches {share} recall at {numbers} ({self.word}: {self.criterion})"


@dataclass(frozen=True, repr=False)
class EffortToRecall(Result):
    """The effort of every run for every recall, and who needs less."""

    recall: tuple[float, ...]
    runs: tuple[str, ...]
    topics: tuple[str, ...]  # those with a relevant document
    effort: Array  # run × topic × recall: documents read, infinite where a run never gets there
    favour: Array  # run × recall: how far the ranks of its comparisons with all others favour it, from −1 to 1
    pairs: tuple[EffortPair, ...]  # the first against each other, by recall, closest first
    samples: int
    alpha: float = 0.05
    notes: tuple[str, ...] = ()

    @property
    def medians(self) -> Array:
        """The median effort over topics, run × recall; infinite for a run that never gets there on most topics."""
        return np.median(self.effort, axis=1)

    @property
    def never(self) -> Integers:
        """The number of topics on which a run never gets there, run × recall."""
        return np.isinf(self.effort).sum(axis=1)

    def of(self, recall: float) -> tuple[EffortPair, ...]:
        """The pairs of one recall, closest first."""
        return tuple(pair for pair in self.pairs if pair.recall == recall)

    def order(self, recall: float) -> list[int]:
        """The runs by their effort for a recall, as the ranks of all comparisons favour them, least first."""
        return _order(self.favour[:, self.recall.index(recall)], self.runs)

    def winner(self, recall: float) -> str | None:
        """The run that firmly needs less than every other, else None."""
        pairs = self.of(recall)
        return pairs[0].first if all(pair.is_led and pair.word == "firm" for pair in pairs) else None

    def sentence(self, recall: float) -> str:
        """Who needs less for a recall, as far as the tests tell."""
        pairs, share = self.of(recall), percent(recall)
        place = self.recall.index(recall)
        if not np.isfinite(self.effort[:, :, place]).any():
            return f"No run reaches {share} recall on any of {counted(len(self.topics), 'topic')}."
        nearest = pairs[0]
        if len(pairs) == 1:
            return f"{nearest._finding()}."
        first, best = nearest.first, nearest.medians[0]
        alike = sum(pair.word == "undecided" for pair in pairs)
        if self.winner(recall):
            said = f"{first} firmly needs the least for {share} recall"
        elif alike:
            said = f"No firm winner for {share} recall: {alike + 1} runs cannot be told apart; the first is {first}"
        elif all(pair.is_led for pair in pairs):
            said = f"No firm winner for {share} recall: the lead of {first} is fragile"
        else:
            said = f"No firm winner for {share} recall: not every run that differs from the first, {first}, needs more"
        words = [f"{word} against {count}" for word in WORDS if (count := sum(pair.word == word for pair in pairs))]
        read = f"{written(best)}{' documents' * math.isfinite(best)} (median)"
        return f"{said}: {', '.join([read, *words])}. Nearest is {nearest.other}: {nearest.in_numbers()}."

    def headline(self) -> str:
        """A sentence for each recall."""
        return "\n".join(self.sentence(recall) for recall in self.recall)

    def definitions(self) -> str:
        """How it was tested, and what the words mean."""
        level, pairs = f"{self.alpha:g}", len(self.runs) * (len(self.runs) - 1) // 2
        among = f" after correction for {pairs:,} pairs" * (pairs > 1)
        tried = f", and again in {percent(STABLE)} of the samples with half the judgements" * bool(self.samples)
        return (
            f"Firm: significant{among} (p below {level}){tried}. "
            "Fragile: significant, but not shown to be that stable. Undecided: not significant. Tested by flips of "
            "signs on the ranks of the ratios of effort; never getting there is worse than any effort, and where "
            "neither run gets there they are level."
        )

    def summary_table(self) -> Table:
        """A row for each run: its median effort for each recall with a 95 % interval, and where it never gets there."""
        order = _order(self.favour.mean(axis=1), self.runs)
        columns = range(1, len(self.recall) + 1)
        medians, least = self.medians[order], self.medians.min(axis=0)
        cells = [["never" if math.isinf(value) else value for value in row] for row in medians.tolist()]
        rows = [[self.runs[run], *row, int(self.never[run, -1])] for run, row in zip(order, cells, strict=True)]
        asides = {
            (row, column): f"[{written(low)}, {written(high)}]"
            for row, run in enumerate(order)
            for column in columns
            for low, high in [median_interval(self.effort[run, :, column - 1])]
            if math.isfinite(low)
        }
        best = {
            (row, column)
            for row in range(len(rows))
            for column in columns
            if medians[row, column - 1] == least[column - 1] < NEVER
        }
        shares = [percent(recall) for recall in self.recall]
        return Table(["run", *shares, f"never {shares[-1]}"], rows, best=best, digits=1, asides=asides)

    def short_table(self) -> Table:
        """A table for people: who is compared, on how many topics the first reads less, and the verdict."""
        columns = ["recall", "first", "against", "verdict", "less", "ties", "more", "ratio", "p_corrected"]
        rows = [
            [
                percent(pair.recall),
                pair.first,
                pair.other,
                f"{MARKS[pair.word]} {pair.word}" + f", {pair.needs_less} needs less" * pair.is_turned,
                pair.less,
                pair.ties,
                pair.more,
                pair.ratio,
                pair.p_corrected,
            ]
            for pair in self.pairs
        ]
        asides = {
            (row, 7): f"[{_bound(pair.low)}, {_bound(pair.high)}]"
            for row, pair in enumerate(self.pairs)
            if not math.isnan(pair.low)
        }
        return Table(columns, rows, digits=2, asides=asides)

    def table(self) -> Table:
        """A table for programs: a row for each recall and each run against the first; nothing for never."""
        rows = [
            [
                pair.recall,
                pair.first,
                pair.other,
                *map(_finite, pair.medians),
                *pair.never,
                pair.less,
                pair.ties,
                pair.more,
                *map(_finite, (pair.ratio, pair.low, pair.high)),
                pair.p,
                pair.p_corrected,
                pair.word,
                pair.needs_less,
                pair.criterion,
                _finite(pair.significant_in),
            ]
            for pair in self.pairs
        ]
        return Table(COLUMNS, rows)

    def _finding(self) -> str:
        return self.sentence(self.recall[-1])

    def _shown_table(self) -> Table:
        return self.summary_table()

    def __str__(self) -> str:
        return "\n\n".join(
            [self.headline(), *(table.render("table") for table in (self.summary_table(), self.short_table()))]
        )


def effort_to_recall(
    study: Study,
    recall: Sequence[float] = RECALL,
    *,
    samples: int = 100,
    alpha: float = 0.05,
    seed: int | np.random.Generator = 1,
    progress: Callable[[int, int], None] | None = None,
) -> EffortToRecall:
    """For each recall the effort of every run on every topic, and the first run against each other.

    The first is the run that its comparisons with all others favour most. The test is that of a verdict, flips of
    signs, on ranks (see `signed_ranks`), with Holm's correction over all pairs of runs; a lead is firm if it is
    significant, and again in 95 % of the samples with half the judgements. With no samples nothing is firm.
    """
    levels = tuple(dict.fromkeys(sorted(float(share) / 100 if share > 1 else float(share) for share in recall)))
    if not levels or not all(0 < share <= 1 for share in levels):
        raise InputError("recall", f"must be shares above 0 and at most 1, got {', '.join(map(str, recall)) or 'none'}")
    if samples:
        checked_samples(samples)
    checked_alpha(alpha)
    if len(study.runs) < 2:
        raise MismatchError(f"{counted(len(study.runs), 'run')}; a comparison needs two or more")
    study = replace(study, measures=tuple(parse_measures([f"effort@{share!r}" for share in levels], rel=study.level)))
    answerable = np.bincount(
        study.qrels.topic_of_document[study.qrels.grades >= study.level], minlength=len(study.topics)
    )
    topics = np.flatnonzero(answerable)
    if len(topics) < 2:
        raise MismatchError(f"{counted(len(topics), 'topic')} with a relevant document; a comparison needs two or more")
    effort = np.nan_to_num(study.values(), nan=NEVER)[:, topics]
    favoured = np.stack([favour(effort[:, :, place]) for place in range(len(levels))], axis=1)
    # A row for each recall and run that is compared with the first of that recall.
    rows = [
        (place, leader, other)
        for place in range(len(levels))
        for leader, *others in [_order(favoured[:, place], study.runs)]
        for other in others
    ]
    where, first, other = (np.array(column) for column in zip(*rows, strict=True))

    def ranked(values: Array) -> Array:
        return signed_ranks(values[first, :, where], values[other, :, where])

    # Each recall is a question of its own, whatever else is asked. All pairs are one family, as in a standing: nobody
    # knew before which run would be first.
    one, two = all_pairs(len(study.runs))
    p, corrected, limits = np.empty(len(rows)), np.empty(len(rows)), []
    for place in range(len(levels)):
        here = where == place
        every = flip_test(signed_ranks(effort[one, :, place], effort[two, :, place]), alpha)
        lower, upper = np.minimum(first, other)[here], np.maximum(first, other)[here]
        pair = pair_places(lower, upper, len(study.runs))
        p[here], corrected[here] = every.p[pair], every.corrected[pair]
        limits.append(holm_limit(every.corrected, alpha))
    direction = np.sign(ranked(effort).sum(axis=1))
    stays = np.full(len(rows), np.nan)
    notes = list(study.notes)
    left_out = len(study.topics) - len(topics)
    if left_out:
        notes.append(f"{counted(left_out, 'topic')} without a relevant document, left out")
    if samples:
        rng = np.random.default_rng(seed)
        held, realised, lost = np.zeros(len(rows)), np.empty(samples), np.empty(samples)
        for done in range(samples):
            values, realised[done], lost[done] = study.sample(HALF, rng)
            again = ranked(np.nan_to_num(values, nan=NEVER))
            below = np.concatenate([is_below(again[where == place], limit) for place, limit in enumerate(limits)])
            held += (np.sign(again.sum(axis=1)) == direction) & below
            if progress is not None:
                progress(done + 1, samples)
        stays = held / samples
        notes += dropped_topics(study, [HALF], realised[None], lost[None])
    found = [
        _pair(
            levels[where[i]],
            (study.runs[first[i]], study.runs[other[i]]),
            (effort[first[i], :, where[i]], effort[other[i], :, where[i]]),
            direction[i],
            float(p[i]),
            float(corrected[i]),
            len(one),
            float(stays[i]),
            samples,
            alpha,
        )
        for i in range(len(rows))
    ]
    names = tuple(study.topics[t] for t in topics)
    return EffortToRecall(levels, study.runs, names, effort, favoured, tuple(found), samples, alpha, tuple(notes))


def signed_ranks(ours: Array, theirs: Array) -> Array:
    """The ranks of the ratios of two efforts, rows × topics; above 0 where ours is less, 0 where they are equal.

    Ranks need no number for a run that never gets there: its ratio to any effort is the largest. Ratios and not
    differences, since effort spans decades: half of ten documents counts as half of a thousand does. Equal efforts
    have the lowest ranks, which count for neither (Pratt, JASA 1959): without them, to read one document more on a
    topic where both were equal could raise all other ranks, and help.

    >>> signed_ranks(np.array([[10.0, 30.0, 5.0, np.inf, np.inf]]), np.array([[20.0, 20.0, 5.0, np.inf, 9.0]]))
    array([[ 4., -3.,  0.,  0., -5.]])
    """
    # A quotient is rounded correctly, so that equal ratios of whole numbers are equal, as 6/4 and 3/2.
    level = ours == theirs
    size = np.divide(np.maximum(ours, theirs), np.minimum(ours, theirs), out=np.ones(ours.shape), where=~level)
    ranks = SignedRanks.of(np.where(level, 0.0, np.where(ours < theirs, size, -size))).signed
    return ranks + np.sign(ranks) * level.sum(axis=1, keepdims=True)


def ratio_interval(ours: Array, theirs: Array, level: float = 0.05) -> tuple[float, float, float]:
    """The ratio of two efforts by topic with its 95 % interval: the ratios that the signed ranks do not exclude.

    Hodges and Lehmann, Estimates of location based on rank tests, 1963: the median of the geometric means of every two
    topics' ratios, and the two of these means that the test's smallest sums point at. Agrees with the test of
    `signed_ranks` up to ties. Topics on which neither run gets there say nothing; where only ours does the ratio is 0,
    where only theirs does it is infinite.

    >>> ratio_interval(np.array([1.0, 2, 3, 4, 5, 6]), np.array([2.0, 4, 6, 8, 10, np.inf]))
    (0.5, 0.0, 0.5)
    >>> ratio_interval(np.array([1.0, 2.0]), np.array([2.0, 1.0]))
    (1.0, nan, nan)
    """
    told = np.isfinite(ours) | np.isfinite(theirs)
    topics = int(told.sum())
    if not topics:
        return math.nan, math.nan, math.nan
    outside = _share_outside(topics, level)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.sort(ours[told] / theirs[told])
        if topics > MOST_RATIOS:  # a sorted sample has the same places
            ratios = ratios[np.linspace(0, topics - 1, MOST_RATIOS).round().astype(int)]
        i, j = np.triu_indices(len(ratios))
        means = np.sqrt(ratios[i] * ratios[j])
    # The mean of an infinite ratio and a 0 lies nowhere: half of these count as below and half as above all others.
    nowhere = np.flatnonzero(np.isnan(means))
    means[nowhere[::2]], means[nowhere[1::2]] = 0.0, np.inf
    means.sort()
    last = len(means) - 1
    ratio = float(means[[last // 2, last - last // 2]].mean())
    if math.isnan(outside):
        return ratio, math.nan, math.nan
    cut = round(outside * (last + 1))
    return ratio, float(means[cut]), float(means[last - cut])


def median_interval(effort: Array, level: float = 0.05) -> tuple[float, float]:
    """The 95 % interval of a median: two order statistics, by the sign test; so never getting there needs no number.

    >>> median_interval(np.array([3.0, 1, 4, 1, 5, 9, 2, 6, np.inf, np.inf]))
    (1.0, inf)
    """
    from scipy.special import bdtr

    n = len(effort)
    if n < FEWEST:
        return math.nan, math.nan
    cut = int(np.searchsorted(bdtr(np.arange(n), n, 0.5), level / 2, side="right")) - 1
    in_order = np.sort(effort)
    return float(in_order[cut]), float(in_order[n - 1 - cut])


@cache
def _share_outside(topics: int, level: float) -> float:
    """The share of the sums of signed ranks at each end that are significant; NaN where none is.

    The largest significant sum of 20 ranks is 52, as in Wilcoxon's table, of the sums 0 to 210.

    >>> _share_outside(6, 0.05), _share_outside(5, 0.05), _share_outside(20, 0.05) == 52 / 210
    (0.0, nan, True)
    """
    largest = topics * (topics + 1) // 2
    if topics > MOST_EXACT:
        from scipy.special import ndtri

        return max(0.5 + float(ndtri(level / 2)) * math.sqrt(largest * (2 * topics + 1) / 12) / largest, 0.0)
    # subsets[w] is the share of the subsets of the ranks 1 … topics that sum to w.
    subsets = np.zeros(largest + 1)
    subsets[0] = 1.0
    for rank in range(1, topics + 1):
        subsets[rank:] += subsets[: len(subsets) - rank].copy()
        subsets /= 2
    significant = int(np.searchsorted(np.cumsum(subsets), level / 2, side="right"))
    return (significant - 1) / largest if significant else math.nan


def favour(effort: Array) -> Array:
    """How far the ranks favour each run over the others, from −1 to 1; `effort` is run × topic.

    The sum of its signed ranks against each other run, as a share of the largest such sum, in the mean over the others.

    >>> favour(np.array([[5.0, np.inf, 2.0], [9.0, np.inf, 8.0], [np.inf, np.inf, np.inf]]))
    array([ 0.83333333,  0.        , -0.83333333])
    """
    runs, topics = effort.shape
    sums = [signed_ranks(np.broadcast_to(ours, effort.shape), effort).sum() for ours in effort]
    return np.array(sums) / (max(runs - 1, 1) * topics * (topics + 1) / 2)


def _order(favoured: Array, runs: Sequence[str]) -> list[int]:
    """The runs that the ranks favour most first; equal ones by name."""
    return best_first(favoured.round(12), runs)


def _pair(
    recall: float,
    runs: tuple[str, str],
    efforts: tuple[Array, Array],
    direction: float,
    p: float,
    corrected: float,
    comparisons: int,
    stays: float,
    samples: int,
    alpha: float,
) -> EffortPair:
    ours, theirs = efforts
    word: Word = "undecided" if not corrected < alpha else "firm" if stays >= STABLE else "fragile"
    return EffortPair(
        recall,
        *runs,
        (float(np.median(ours)), float(np.median(theirs))),
        (int(np.isinf(ours).sum()), int(np.isinf(theirs).sum())),
        len(ours),
        int((ours < theirs).sum()),
        int((ours > theirs).sum()),
        *ratio_interval(ours, theirs),
        p,
        corrected,
        word,
        criterion(word, corrected, comparisons, stays, samples, alpha),
        {1.0: runs[0], -1.0: runs[1]}.get(float(direction), ""),
        stays,
    )


def percent(share: float) -> str:
    """A share in per cent, without digits that say nothing.

    >>> percent(0.9), percent(0.995)
    ('90 %', '99.5 %')
    """
    return f"{round(100 * share, 6):g} %"


def written(effort: float) -> str:
    """A number of documents; a median may lie between two.

    >>> written(1310.5), written(math.inf)
    ('1,310.5', 'never')
    """
    return "never" if math.isinf(effort) else f"{effort:,.1f}".removesuffix(".0")


def _bound(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.2f}"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
