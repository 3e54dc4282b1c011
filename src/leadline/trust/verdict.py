"""Is the leader really better? The answer in words that a buyer of search software understands.

Firm: significant after correction, and still significant in 95 % of the samples with half the judgements. Fragile:
significant, but not that stable. Undecided: not significant. Significant: as firm or fragile, but without judgements to
leave out, so that the two cannot be told apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from leadline.measures.hits import Array, Integers
from leadline.measures.notation import parse_measure
from leadline.records.scores.scores import Scores
from leadline.records.scores.table import Table
from leadline.trust.aligned import aligned
from leadline.trust.corrections import holm
from leadline.trust.order import sign
from leadline.trust.paired import half_width
from leadline.trust.randomisation import flip_test
from leadline.trust.study import Study

Word = Literal["firm", "fragile", "undecided", "significant"]

MARKS: dict[Word, str] = {"firm": "●", "significant": "●", "fragile": "◐", "undecided": "○"}
HALF, STABLE = 0.5, 0.95  # the share of judgements kept, and of samples that must agree
FULL_DRAWS, SAMPLE_DRAWS = 100_000, 10_000
POWER = 0.8  # the probability of a decision that `topics_needed` asks for
TOP = 20  # first documents among which the unjudged ones are counted
MANY_TOPICS = 100_000  # if more topics than this are needed, the number is not reported


@dataclass(frozen=True)
class Verdict:
    """The verdict on the leader against one other run."""

    leader: str
    other: str
    word: Word
    difference: float
    low: float  # the 95 % interval of the difference
    high: float
    p: float
    p_corrected: float
    topics: int
    rests_on: int  # the number of topics that must be left out for the lead to be gone
    significant_in: float  # share of the samples with half the judgements in which the lead stays significant
    turned_in: float  # share of these samples in which the other run leads
    topics_needed: int | None  # in all, for a decision with a probability of 80 %; None if above MANY_TOPICS
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Verdicts:
    """The leader against every other run, closest first."""

    measure: str
    leader: str
    mean: float
    low: float
    high: float
    verdicts: tuple[Verdict, ...]
    samples: int
    unjudged: float  # share of the leader's first documents that are unjudged; NaN when unknown
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        scores: Scores,
        measure: str,
        *,
        study: Study | None = None,
        samples: int = 100,
        alpha: float = 0.05,
        seed: int | np.random.Generator = 1,
        progress: Callable[[int, int], None] | None = None,
    ) -> Verdicts:
        """Compare the run with the best mean with every other, by randomisation tests with Holm's correction.

        `study` holds the judgements to leave out; without it, firm and fragile leads are not told apart. The question
        is only whether the leader leads, so the correction is for as many comparisons as there are other runs;
        `compare` tests every pair and corrects for all of them.
        """
        rng = np.random.default_rng(seed)
        matrix, _, notes = aligned(scores, measure)
        direction = sign(scores.better[scores.measures.index(measure)])
        matrix = matrix * direction
        leader = int(matrix.mean(axis=1).argmax())
        others = np.flatnonzero(np.arange(len(matrix)) != leader)
        differences = matrix[leader] - matrix[others]
        p = flip_test(differences, rng, FULL_DRAWS)
        corrected = holm(p)
        stays = turns = np.full(len(others), np.nan)
        unjudged = math.nan
        if study is None:
            notes = (*notes, "without the judgements, firm and fragile leads cannot be told apart")
        else:
            stays, turns = _with_half(study, measure, direction, leader, others, samples, alpha, rng, progress)
            unjudged = _unjudged(study, leader)
        against = tuple(
            _verdict(
                scores.runs[leader], scores.runs[others[i]], differences[i], float(p[i]), float(corrected[i]),
                len(others), float(stays[i]), float(turns[i]), samples, alpha,
            )
            for i in np.lexsort((others, differences.mean(axis=1)))
        )  # fmt: skip
        mean, width = float(matrix[leader].mean()) * direction, float(half_width(matrix[leader]))
        return cls(
            measure, scores.runs[leader], mean, mean - width, mean + width, against,
            0 if study is None else samples, unjudged, notes,
        )  # fmt: skip

    def count(self, word: Word) -> int:
        """The number of runs against which the verdict is this word."""
        return sum(verdict.word == word for verdict in self.verdicts)

    def headline(self) -> str:
        """All verdicts in two or three sentences."""
        words: tuple[Word, ...] = ("firm", "significant", "fragile", "undecided")
        if len(self.verdicts) == 1:
            only = self.verdicts[0]
            standing = f"{only.word} against {only.other}"
        else:
            standing = ", ".join(f"{word} against {self.count(word)}" for word in words if self.count(word))
        text = f"{self.leader} leads with {self.measure} {self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]: {standing}."
        if self.samples:
            held = round(self.samples * (1 - max(verdict.turned_in for verdict in self.verdicts)))
            text += f" With half the judgements it leads its closest rival in {held} of {self.samples} samples."
        if not math.isnan(self.unjudged):
            share = "None" if self.unjudged == 0 else f"{self.unjudged:.0%}"
            text += f" {share} of its first {TOP} documents were left unjudged."
        return text

    def closest_reasons(self, most: int = 3) -> list[str]:
        """The reasons for the verdicts on the closest runs, as paragraphs."""
        return [
            f"{verdict.leader} against {verdict.other}: {verdict.word}. {' '.join(verdict.reasons)}"
            for verdict in self.verdicts[:most]
        ]

    def short_table(self) -> Table:
        """A table for people: the lead over each other run with its interval, closest first."""
        rows = [
            [
                verdict.other, f"{MARKS[verdict.word]} {verdict.word}", verdict.difference, verdict.p_corrected,
                f"{verdict.significant_in:.0%}" if self.samples else "", verdict.topics_needed or "–",
            ]
            for verdict in self.verdicts
        ]  # fmt: skip
        asides = {(r, 2): f"[{verdict.low:.3f}, {verdict.high:.3f}]" for r, verdict in enumerate(self.verdicts)}
        columns = ["against", "verdict", "lead", "p_corrected", "stays_with_half", "topics_needed"]
        kept = [place for place, name in enumerate(columns) if self.samples or name != "stays_with_half"]
        return Table([columns[c] for c in kept], [[row[c] for c in kept] for row in rows], asides=asides)

    def table(self) -> Table:
        """A table for programs, with all numbers."""
        columns = [
            "run_a", "run_b", "verdict", "difference", "low", "high", "p", "p_corrected", "rests_on", "significant_in",
            "turned_in", "topics_needed",
        ]  # fmt: skip
        rows = [
            [
                verdict.leader, verdict.other, verdict.word, verdict.difference, verdict.low, verdict.high, verdict.p,
                verdict.p_corrected, verdict.rests_on, verdict.significant_in, verdict.turned_in, verdict.topics_needed,
            ]
            for verdict in self.verdicts
        ]  # fmt: skip
        return Table(columns, rows)

    def __str__(self) -> str:
        return "\n\n".join([self.headline(), self.short_table().render("table"), *self.closest_reasons()])


def _with_half(
    study: Study,
    measure: str,
    direction: float,
    leader: int,
    others: Integers,
    samples: int,
    alpha: float,
    rng: np.random.Generator,
    progress: Callable[[int, int], None] | None,
) -> tuple[Array, Array]:
    """The shares of the samples in which the lead over each other run stays significant, and in which it turns."""
    place = [wanted.text for wanted in study.measures].index(measure)
    stays, turns = np.zeros(len(others)), np.zeros(len(others))
    for done in range(samples):
        values = study.thinned(HALF, rng)[:, :, place] * direction
        values = values[:, np.isfinite(values).all(axis=0)]
        differences = values[leader] - values[others]
        ahead = differences.mean(axis=1) > 0
        stays += ahead & (holm(flip_test(differences, rng, SAMPLE_DRAWS)) < alpha)
        turns += differences.mean(axis=1) < 0
        if progress is not None:
            progress(done + 1, samples)
    return stays / samples, turns / samples


def _unjudged(study: Study, leader: int) -> float:
    """The share of the leader's first documents that are unjudged."""
    topics = len(study.topics)
    values = parse_measure(f"judged@{TOP}").raw(study.hits)[leader * topics : (leader + 1) * topics]
    answered = study.hits.retrieved[leader * topics : (leader + 1) * topics] > 0
    return float(1 - values[answered].mean()) if answered.any() else np.nan


def lead_rests_on(differences: Array) -> int:
    """How many of the leader's best topics must be left out for its lead to be gone.

    >>> lead_rests_on(np.array([0.5, 0.1, -0.2, -0.1]))
    1
    """
    left = differences.sum() - np.cumsum(np.sort(differences)[::-1])
    return int(np.argmax(left <= 1e-12)) + 1


def topics_needed(differences: Array, alpha: float = 0.05, power: float = POWER) -> int | None:
    """How many topics a paired t test needs to find this mean difference with this standard deviation.

    The n that solves n = ((t_alpha + t_power) sd / mean)², by iteration from the normal distribution's solution (Cohen,
    Statistical Power Analysis for the Behavioral Sciences, 1988). None if it is above MANY_TOPICS.

    >>> topics_needed(np.array([0.1, -0.1, 0.2, 0.0, 0.1, -0.05, 0.15, 0.05]))
    28
    """
    from scipy.special import ndtri, stdtrit

    with np.errstate(over="ignore", invalid="ignore"):
        mean, deviation = abs(float(differences.mean())), float(differences.std(ddof=1))
    if not math.isfinite(mean) or not math.isfinite(deviation):
        return None
    if deviation == 0:
        return 2 if mean > 0 else None
    if mean / deviation < (ndtri(1 - alpha / 2) + ndtri(power)) / np.sqrt(MANY_TOPICS):
        return None
    n = ((ndtri(1 - alpha / 2) + ndtri(power)) * deviation / mean) ** 2
    for _ in range(50):
        freedom = max(n - 1, 1.0)
        n = ((stdtrit(freedom, 1 - alpha / 2) + stdtrit(freedom, power)) * deviation / mean) ** 2
    return max(2, int(np.ceil(n)))


def _verdict(
    leader: str,
    other: str,
    differences: Array,
    p: float,
    corrected: float,
    comparisons: int,
    stays: float,
    turns: float,
    samples: int,
    alpha: float,
) -> Verdict:
    """The verdict and its reasons, from the differences by topic and the results of the tests."""
    topics = len(differences)
    mean, width = float(differences.mean()), float(half_width(differences))
    word: Word = "undecided"
    if corrected < alpha:
        word = "significant" if np.isnan(stays) else "firm" if stays >= STABLE else "fragile"
    rests_on, needed = lead_rests_on(differences), topics_needed(differences, alpha)
    wins, losses = int((differences > 1e-12).sum()), int((differences < -1e-12).sum())
    reasons = [
        f"The lead is {mean:.3f}, with 95 % confidence between {mean - width:.3f} and {mean + width:.3f};"
        f" {leader} is ahead on {wins} of {topics} topics and behind on {losses}.",
        _chance(p, corrected, comparisons, alpha),
        f"The lead rests on {rests_on} of {topics} topics: without {'it' if rests_on == 1 else 'them'} it is gone.",
    ]
    if not np.isnan(stays):
        reasons.append(
            f"With half the judgements it stays significant in {round(stays * samples)} of {samples} samples,"
            f" and the order turns in {round(turns * samples)}."
        )
    if word == "undecided":
        if needed is None:
            reasons.append(
                "The difference is so small compared with its spread that 100 000 topics would not decide it."
            )
        elif needed > topics:
            reasons.append(
                f"About {needed - topics} more topics would be needed for a decision"
                f" ({needed} in all, for a probability of {POWER:.0%})."
            )
        else:
            reasons.append("For this pair alone there are enough topics; for this many comparisons there are not.")
    return Verdict(
        leader, other, word, mean, mean - width, mean + width, p, corrected, topics, rests_on, stays, turns, needed,
        tuple(reasons),
    )  # fmt: skip


def _chance(p: float, corrected: float, comparisons: int, alpha: float) -> str:
    """Whether the lead may be chance, with p before and after correction."""
    finding = "It is hardly chance" if corrected < alpha else "It may be chance"
    among = f", {corrected:.2g} after correction for {comparisons} comparisons" if comparisons > 1 else ""
    return f"{finding}: p = {p:.2g}{among}."
