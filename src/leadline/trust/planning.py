"""The plan of a study: topics, judgements and runs for a difference that matters, from a pilot or before any data.

A plan adds to the topics needed the power of other numbers of topics, the judgements and the runs. Without a pilot,
differences are drawn as they were measured on real runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from leadline.errors import InputError, MeasureError
from leadline.measures.definition import MeasureLike, parse_measure
from leadline.measures.hits import Array
from leadline.records.result import Result, Table, counted, whole_percent
from leadline.records.scores import Scores
from leadline.trust.no_verdict import why_never, why_no_verdict
from leadline.trust.paired_tests import all_pairs, checked_alpha, difference_blocks
from leadline.trust.rankings import aligned, best_first, sign
from leadline.trust.study import Study, checked_samples
from leadline.trust.topics_needed import (
    DRAWS,
    HALF,
    MANY_TOPICS,
    POWER,
    Pilot,
    fewest_topics,
    simulated_power,
    topics_needed,
)

PARTS = (0.5, 0.75, 1.0, 1.5)  # of the topics needed, whose power is shown
OTHER_RUNS = (2, 5, 10, 20, 50, 100)  # for which the topics needed are shown
MOST_SHOWN = 6  # pairs in the table for people

# Standard deviations of the differences by topic of two runs: the pair at a quarter, the half and three quarters of all
# pairs that differ. Measured by `benchmarks/spreads.py` on real runs: all 143 of TREC-COVID's first round (30 topics
# judged in a pool, many relevant documents), and 24 of CLEF-IP 2011 (239 patents as topics, citations as judgements,
# few of them for each; lists of 100 documents, so that nothing is known of R@1000).
COLLECTIONS = {
    "a pooled collection": "143 runs of TREC-COVID, round 1: 30 topics, many relevant documents each",
    "patents and citations": "24 runs of CLEF-IP 2011: 239 topics, few relevant documents each",
}
TYPICAL: dict[str, tuple[tuple[float, float, float] | None, ...]] = {
    "AP": ((0.103, 0.126, 0.147), (0.162, 0.208, 0.233)),
    "PRES@100": ((0.113, 0.138, 0.163), (0.317, 0.351, 0.387)),
    "PRES@1000": ((0.150, 0.180, 0.213), None),
    "R@10": ((0.046, 0.055, 0.063), (0.306, 0.335, 0.357)),
    "R@100": ((0.131, 0.161, 0.188), (0.411, 0.463, 0.509)),
    "R@1000": ((0.165, 0.196, 0.230), None),
    "nDCG": ((0.145, 0.169, 0.195), (0.202, 0.242, 0.271)),
    "nDCG@10": ((0.231, 0.259, 0.286), (0.209, 0.254, 0.277)),
    "nDCG@100": ((0.142, 0.166, 0.191), (0.202, 0.242, 0.271)),
    "P@10": ((0.244, 0.273, 0.303), (0.084, 0.095, 0.104)),
    "Rprec": ((0.110, 0.128, 0.147), (0.167, 0.212, 0.244)),
    "bpref": ((0.142, 0.163, 0.185), (0.411, 0.463, 0.509)),
    "RR": ((0.391, 0.440, 0.487), (0.282, 0.347, 0.382)),
}  # fmt: skip
# The upper half of the quantiles of these differences less their mean, in standard deviations: long tails.
SHAPE = (
    0.027, 0.080, 0.135, 0.191, 0.246, 0.300, 0.355, 0.417, 0.479, 0.543, 0.613, 0.685, 0.766, 0.861, 0.975, 1.110,
    1.291, 1.533, 1.881, 2.559,
)  # fmt: skip


class Point(NamedTuple):
    """A study of so many topics: how often it decides."""

    topics: int
    power: float
    error: float  # of the power, since it is simulated
    firm: float  # how often the lead is firm too; NaN without judgements


@dataclass(frozen=True)
class PlannedPair:
    """What is planned for one pair of runs, or for one like it."""

    name: str
    difference: float
    spread: float  # the standard deviation of the differences by topic
    topics: int | None  # for significance; None where more than MANY_TOPICS would be needed
    firm_topics: int | None  # for a firm verdict; the same without judgements
    points: tuple[Point, ...]

    @property
    def needed(self) -> int | None:
        """For a firm verdict where it can be planned for, else for significance."""
        return self.topics if self.firm_topics is None else self.firm_topics


@dataclass(frozen=True, repr=False)
class Plan(Result):
    """How many topics, judgements and runs a study needs, the hardest pair last."""

    measure: str
    pairs: tuple[PlannedPair, ...]
    comparisons: int
    power: float
    alpha: float
    pilot_topics: int  # 0 without a pilot
    judged: float  # documents judged for each topic of the pilot; NaN where unknown
    only_relevant: bool  # whether the judgements list no other documents
    tries_half: bool  # whether the verdict is tried with half the judgements
    given: bool  # whether the difference was given, else it is the pilot's
    by_runs: tuple[tuple[int, int | None], ...]  # topics the hardest pair needs among so many runs
    notes: tuple[str, ...] = ()

    @property
    def hardest(self) -> PlannedPair:
        """The pair that needs most topics."""
        return self.pairs[-1]

    def headline(self) -> str:
        """What is needed, in a few sentences."""
        return " ".join(filter(None, (*self._needed(), self._now(), self._judgements(), self._runs())))

    def _needed(self) -> list[str]:
        chance = f"with a probability of {whole_percent(self.power)}"
        among = f" among {counted(self.comparisons, 'comparison')}" if self.comparisons > 1 else ""
        said = []
        if self.given:
            kinds = "; ".join(f"{_topics(pair.topics)} for {pair.name}" for pair in self.pairs)
            said.append(
                f"To find a difference of {self.hardest.difference:.3g} in {self.measure}{among} {chance}: {kinds}."
            )
        else:
            first, last = self.pairs[0], self.hardest
            said.append(
                f"{last.name}, {_written(last.difference)} in {self.measure}: {_topics(last.topics)} would decide"
                f"{among} {chance}."
            )
            if len(self.pairs) > 1:
                said.append(f"The easiest, {first.name}, {_written(first.difference)}: {_topics(first.topics)}.")
        if self.tries_half:
            last = self.hardest
            said.append(
                f"For a firm verdict, significant again with half the judgements: {_topics(last.firm_topics)}"
                + (f" for {last.name}." if len(self.pairs) > 1 else ".")
            )
        if self.hardest.topics is None:
            said.append("This question cannot be decided by more topics.")
        return said

    def _now(self) -> str:
        """What as many topics as the pilot has can decide."""
        if not self.pilot_topics:
            return ""
        fewest = fewest_topics(self.alpha / self.comparisons)
        if self.pilot_topics < fewest:
            return f"With the {self.pilot_topics} topics of the pilot nothing can be decided: {fewest} at the least."
        found = next((p.power for p in self.hardest.points if p.topics == self.pilot_topics), math.nan)
        if math.isnan(found):
            return ""
        return (
            f"A new study of as many topics as the pilot has, {self.pilot_topics}, decides in {whole_percent(found)}."
        )

    def _judgements(self) -> str:
        topics = self.hardest.firm_topics
        if math.isnan(self.judged) or topics is None:
            return ""
        number = topics * self.judged
        number = round(number, 2 - math.floor(math.log10(number)))
        each = f"{self.judged:.0f} a topic, as the pilot has"
        if self.only_relevant:
            return (
                f"That is about {counted(round(number), 'relevant document')} ({each}); how many others "
                "were looked at for them, the judgements do not say."
            )
        return f"That is about {counted(round(number), 'judgement')} ({each} for the pools of its runs)."

    def _runs(self) -> str:
        said = [f"{runs} runs {_number(topics)}" for runs, topics in self.by_runs]
        of = f" for {self.hardest.name}" if len(self.pairs) > 1 else ""
        return f"Topics by the number of runs{of}: {', '.join(said)}." if said else ""

    def _finding(self) -> str:
        return self._needed()[0].removesuffix(".")

    def _shown_table(self) -> Table:
        return self.short_table()

    def __str__(self) -> str:
        return f"{self.headline()}\n\n{self.short_table().render('table')}"

    def short_table(self) -> Table:
        """A table for people: topics and power of the pairs that need most."""
        shown = [(pair, point) for pair in self.pairs[::-1][:MOST_SHOWN] for point in pair.points]
        columns = {
            "pair": [pair.name for pair, _ in shown] if len(self.pairs) > 1 else None,
            "topics": [point.topics for _, point in shown],
            "judgements": None if math.isnan(self.judged) else [round(p.topics * self.judged) for _, p in shown],
            "power": [point.power for _, point in shown],
            "firm": [point.firm for _, point in shown] if self.tries_half else None,
        }
        kept = {name: values for name, values in columns.items() if values is not None}
        place = list(kept).index("power")
        asides = {(row, place): f"±{point.error:.3f}" for row, (_, point) in enumerate(shown)}
        return Table(list(kept), list(zip(*kept.values(), strict=True)), asides=asides)

    def table(self) -> Table:
        """A table for programs: a row for each number of topics simulated, then one for each number of runs."""
        columns = [
            "measure", "pair", "difference", "spread", "runs", "topics", "judgements", "power", "error", "firm",
            "topics_needed", "topics_needed_firm",
        ]  # fmt: skip
        rows: list[list[object]] = []
        for pair in self.pairs[::-1]:
            known = [self.measure, pair.name, pair.difference, pair.spread]
            rows += [
                [
                    *[*known, _runs_with(self.comparisons), p.topics, p.topics * self.judged],
                    *[p.power, p.error, p.firm, pair.topics, pair.firm_topics],
                ]
                for p in pair.points
            ]
        last, nan = self.hardest, math.nan
        known = [self.measure, last.name, last.difference, last.spread]
        for runs, topics in self.by_runs:
            judgements = nan if topics is None else topics * self.judged
            needed = (None, topics) if self.tries_half else (topics, None)
            rows.append([*known, runs, topics, judgements, nan, nan, nan, *needed])
        return Table(columns, rows)


def _written(difference: float) -> str:
    return f"a difference of {difference:.2g}"


def _number(topics: int | None) -> str:
    return f"more than {MANY_TOPICS:,}" if topics is None else f"{topics:,}"


def _topics(topics: int | None) -> str:
    return f"not even {MANY_TOPICS:,} topics" if topics is None else f"{topics:,} topics"


class _Wanted(NamedTuple):
    """What is asked of a study."""

    comparisons: int
    alpha: float
    power: float
    samples: int
    seed: int


class _Pair(NamedTuple):
    """A pair of runs to plan for: its differences by topic, and those by samples of half the judgements."""

    name: str
    differences: Array
    halves: Array | None

    def moved(self, difference: float, with_half: float = 1.0) -> _Pair:
        """The same spread around another mean, of which half the judgements leave this share."""
        moved = self.differences + (difference - self.differences.mean())
        if self.halves is None:
            return self._replace(differences=moved)
        halves = self.halves + (difference * with_half - np.nanmean(self.halves))
        return self._replace(differences=moved, halves=halves)

    def needs(self, wanted: _Wanted, comparisons: int, *, firm: bool) -> int | None:
        """The topics needed among so many comparisons."""
        return topics_needed(
            self.differences,
            wanted.alpha,
            wanted.power,
            comparisons=comparisons,
            halves=self.halves if firm else None,
            samples=wanted.samples,
            seed=wanted.seed,
        )


def plan_from_pilot(
    scores: Scores,
    measure: str,
    *,
    study: Study | None = None,
    difference: float | None = None,
    power: float = POWER,
    alpha: float = 0.05,
    comparisons: int | None = None,
    runs: int | None = None,
    samples: int = 100,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Plan:
    """Plan a study like a pilot: the leader's lead over each other run, or a given difference between two of its runs.

    With a difference, the differences by topic of two runs are moved so that this is their mean: of all pairs that
    differ, those whose spread is in the middle, and larger than that of nine in ten.
    """
    checked_samples(samples)
    if why := why_no_verdict(scores, measure):
        raise MeasureError(why)
    matrix, topics, notes = aligned(scores, measure)
    matrix = matrix * sign(scores.better[scores.measures.index(measure)])
    compared = _comparisons(comparisons, runs, pairs_of(len(matrix)))
    wanted = _Wanted(compared, *_levels(alpha, power), samples, seed)
    halves = None if study is None else _with_half(study, scores, measure, topics, samples, seed, progress)
    if difference is None:
        leader = best_first(matrix.mean(axis=1), scores.runs)[0]
        chosen = [
            (leader, other, f"{scores.runs[leader]} against {scores.runs[other]}")
            for other in range(len(matrix))
            if other != leader
        ]
    else:
        chosen = _middle_and_wide(matrix)
    pairs = [
        _Pair(name, matrix[one] - matrix[other], None if halves is None else halves[:, one] - halves[:, other])
        for one, other, name in chosen
    ]
    if difference is not None:
        with_half = 1.0 if halves is None else _share(float(np.nanmean(halves)), float(matrix.mean()))
        pairs = [pair.moved(_checked_difference(difference), with_half) for pair in pairs]
    judged, only_relevant = math.nan, False
    if study is None:
        notes = (*notes, "without the judgements, neither their number nor the rule of half of them can be planned for")
    else:
        judged = len(study.qrels.grades) / max(len(study.topics), 1)
        only_relevant = not (study.qrels.grades < study.measures[0].level).any()
    return _plan(measure, pairs, wanted, len(topics), judged, only_relevant, difference is not None, notes)


def plan_before_data(
    measure: MeasureLike,
    *,
    difference: float,
    power: float = POWER,
    alpha: float = 0.05,
    comparisons: int | None = None,
    runs: int | None = None,
    seed: int = 1,
) -> Plan:
    """Plan a study before there is any data, by how far two runs differ from topic to topic in two collections.

    >>> plan = plan_before_data("map", difference=0.1)
    >>> plan.pairs[1].name, plan.pairs[1].topics
    ('a pooled collection, usual runs', 14)
    """
    asked = parse_measure(measure)
    if why := why_never(asked.text):
        raise MeasureError(why)
    alike = (asked.definition.name, asked.options)
    known = next(
        (name for name in TYPICAL if (parse_measure(name).definition.name, parse_measure(name).options) == alike), ""
    )
    if not known:
        problem = "how far runs differ under it is not known; give a pilot, or one of"
        raise InputError(asked.text, f"{problem} {', '.join(TYPICAL)}")
    wanted = _Wanted(_comparisons(comparisons, runs, 1), *_levels(alpha, power), 1, seed)
    shape = np.array([*(-each for each in SHAPE[::-1]), *SHAPE])
    pairs = [
        _Pair(f"{where}, {like}", shape / shape.std(ddof=1) * spread, None).moved(_checked_difference(difference))
        for where, quartiles in zip(COLLECTIONS, TYPICAL[known], strict=True)
        if quartiles is not None
        for like, spread in zip(("similar runs", "usual runs", "different runs"), quartiles, strict=True)
    ]
    notes = tuple(f"{where}: as {origin}" for where, origin in COLLECTIONS.items())
    notes = (*notes, "a pilot of your own, of ten topics or more, tells more than this table")
    return _plan(asked.text, pairs, wanted, 0, math.nan, False, True, notes)


def _plan(
    measure: str,
    pairs: Sequence[_Pair],
    wanted: _Wanted,
    pilot_topics: int,
    judged: float,
    only_relevant: bool,
    given: bool,
    notes: tuple[str, ...],
) -> Plan:
    """The plan for these pairs."""
    needed = [
        (
            pair.needs(wanted, wanted.comparisons, firm=False),
            None if pair.halves is None else pair.needs(wanted, wanted.comparisons, firm=True),
        )
        for pair in pairs
    ]
    tries_half = pairs[0].halves is not None

    def hardness(place: int) -> tuple[float, float]:
        most = needed[place][tries_half]
        return (math.inf if most is None else most), -abs(float(pairs[place].differences.mean()))

    order = sorted(range(len(pairs)), key=hardness)
    planned = []
    for place, which in enumerate(order):
        pair, (topics, firm_topics) = pairs[which], needed[which]
        shown = place >= len(order) - MOST_SHOWN
        numbers = _numbers(firm_topics if tries_half else topics, pilot_topics, PARTS if shown else (1.0,))
        planned.append(
            PlannedPair(
                pair.name,
                float(pair.differences.mean()),
                float(pair.differences.std(ddof=1)),
                topics,
                firm_topics,
                tuple(_point(pair, number, wanted) for number in numbers),
            )
        )
    hardest = pairs[order[-1]]
    by_runs = []
    if planned[-1].needed is not None:
        by_runs = [(runs, hardest.needs(wanted, pairs_of(runs), firm=tries_half)) for runs in OTHER_RUNS]
    return Plan(
        measure,
        tuple(planned),
        wanted.comparisons,
        wanted.power,
        wanted.alpha,
        pilot_topics,
        judged,
        only_relevant,
        tries_half,
        given,
        tuple(by_runs),
        notes,
    )


def _numbers(needed: int | None, pilot_topics: int, parts: Sequence[float]) -> list[int]:
    """The numbers of topics whose power is shown: about as many as are needed, and as the pilot has."""
    some = [100, 1000, 10_000, MANY_TOPICS] if needed is None else [math.ceil(part * needed) for part in parts]
    return sorted({each for each in (*some, pilot_topics) if 0 < each <= MANY_TOPICS})


def _point(pair: _Pair, topics: int, wanted: _Wanted) -> Point:
    pilot = Pilot.of(pair.differences, pair.halves)
    if pilot is None:
        return Point(topics, 0.0, 0.0, math.nan if pair.halves is None else 0.0)
    level = wanted.alpha / wanted.comparisons
    found = simulated_power(pilot, topics, level, samples=wanted.samples, seed=wanted.seed)
    return Point(topics, found.significant, math.sqrt(found.significant * (1 - found.significant) / DRAWS), found.firm)


def _middle_and_wide(matrix: Array) -> list[tuple[int, int, str]]:
    """Of all pairs of runs that differ, the one whose spread is in the middle, and the one wider than nine in ten."""
    first, second = all_pairs(len(matrix))
    spread = np.concatenate([block.std(axis=1, ddof=1) for _, block in difference_blocks(matrix)])
    order = np.flatnonzero(spread > 0)[np.argsort(spread[spread > 0], kind="stable")]
    if not len(order):
        raise InputError("runs", "all have the same scores, so that nothing is known of how far they differ")
    names = {"half of the pairs of runs": 0.5, "nine of ten pairs": 0.9}
    places = {name: order[math.ceil(share * len(order)) - 1] for name, share in names.items()}
    if len(order) == 1:
        places = {"these two runs": order[0]}
    return [(int(first[place]), int(second[place]), name) for name, place in places.items()]


def _with_half(
    study: Study,
    scores: Scores,
    measure: str,
    topics: Sequence[str],
    samples: int,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> Array:
    """The scores with random halves of the judgements, samples × runs × topics; larger is better."""
    rng = np.random.default_rng(seed)
    place = [each.text for each in study.measures].index(measure)
    direction = sign(scores.better[scores.measures.index(measure)])
    kept = [study.topics.index(topic) for topic in topics]
    found = np.empty((samples, len(study.runs), len(topics)))
    for done in range(samples):
        found[done] = study.sample(HALF, rng).values[:, kept, place] * direction
        if progress is not None:
            progress(done + 1, samples)
    return found


def _share(of_half: float, of_all: float) -> float:
    """The share of a score that half the judgements leave; 1 where the scores have no common sign."""
    return of_half / of_all if of_half * of_all > 0 else 1.0


def _levels(alpha: float, power: float) -> tuple[float, float]:
    if isinstance(power, bool) or not isinstance(power, (int, float)) or not 0 < power < 1:
        raise InputError("power", f"must be between 0 and 1, got {power!r}; 0.8 is usual")
    return checked_alpha(alpha), power


def pairs_of(runs: int) -> int:
    """How many pairs so many runs have: a verdict is corrected for all of them.

    >>> pairs_of(2), pairs_of(10), pairs_of(143)
    (1, 45, 10153)
    """
    return runs * (runs - 1) // 2


def _runs_with(pairs: int) -> int:
    """The fewest runs with so many pairs.

    >>> _runs_with(1), _runs_with(45), _runs_with(46)
    (2, 10, 11)
    """
    return math.ceil((1 + math.sqrt(1 + 8 * pairs)) / 2)


def _comparisons(comparisons: int | None, runs: int | None, default: int) -> int:
    """The number of comparisons: given, or the pairs of the runs."""
    if comparisons is not None and runs is not None:
        raise InputError("comparisons", "follow from the number of runs: give one of the two")
    if runs is not None and runs < 2:
        raise InputError("runs", f"must be at least 2, got {runs}")
    if comparisons is not None and comparisons < 1:
        raise InputError("comparisons", f"must be at least 1, got {comparisons}")
    return pairs_of(runs) if runs is not None else comparisons or default


def _checked_difference(difference: float) -> float:
    if not (math.isfinite(difference) and difference > 0):
        raise InputError("difference", f"must be above 0, got {difference!r}")
    return difference
