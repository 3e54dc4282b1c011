"""Verdicts in words that a buyer of search software understands, and deciding them by tests.

Firm: significant after correction, and again in 95 % of the samples with half the judgements. Fragile: significant, but
not shown to be that stable. Undecided: not significant.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.definition import bounds, interval, parse_measure
from leadline.measures.hits import Array, Integers
from leadline.records.result import Result, Table, decimals, number, whole_percent
from leadline.records.scores import Scores
from leadline.trust.no_verdict import why_no_verdict
from leadline.trust.paired_tests import checked_alpha, half_width
from leadline.trust.planning import HALF, POWER, STABLE, topics_needed
from leadline.trust.randomisation import flip_test
from leadline.trust.rankings import aligned, best_first, sign
from leadline.trust.study import Study, checked_samples, dropped_topics

Word = Literal["firm", "fragile", "undecided"]

WORDS: tuple[Word, ...] = ("undecided", "fragile", "firm")  # the order in which they are listed: doubt first
MARKS: dict[Word, str] = {"firm": "●", "fragile": "◐", "undecided": "◌"}
EQUAL = 1e-12  # a smaller difference is rounding
TOP = 20  # first documents among which the unjudged ones are counted


@dataclass(frozen=True, repr=False)
class Verdict(Result):
    """The verdict on the leader against one other run."""

    leader: str
    other: str
    word: Word
    criterion: str  # the criterion that decided the word
    difference: float
    low: float  # the 95 % interval of the difference
    high: float
    p: float
    p_corrected: float
    topics: int
    wins: int  # topics on which the leader is ahead
    losses: int
    rests_on: int  # the number of topics that must be left out for the lead to be gone
    significant_in: float  # share of the samples with half the judgements in which the lead stays significant
    turned_in: float  # share of these samples in which the other run leads
    topics_needed: int | None  # in all, to be significant with a probability of 80 %; None if above MANY_TOPICS
    reasons: tuple[str, ...]

    def _finding(self) -> str:
        return f"{self.leader} against {self.other}: {self.word} ({self.criterion})"

    def __str__(self) -> str:
        return " ".join([f"{self._finding()}.", *self.reasons])


@dataclass(frozen=True, repr=False)
class Verdicts(Result):
    """The leader against every other run, closest first."""

    measure: str
    leader: str
    mean: float
    low: float
    high: float
    verdicts: tuple[Verdict, ...]
    samples: int
    unjudged: float  # share of the leader's first documents that are unjudged; NaN when unknown
    doubt: str = ""  # what unjudged documents make uncertain, as a sentence
    alpha: float = 0.05
    notes: tuple[str, ...] = ()

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
        return self.leader if self.count("firm") == len(self.verdicts) else None

    def headline(self) -> str:
        """All verdicts in a few sentences: who wins if anyone does, the nearest rival, what the words mean."""
        nearest = self.verdicts[0]
        said = [finding(self)]
        if len(self.verdicts) == 1:
            said.append(f"{nearest.word.capitalize()}: {nearest.criterion}.")
        elif not self.level:
            said.append(f"Nearest rival: {nearest.other}, {nearest.word}: {nearest.criterion}.")
        said.append(self.doubt)
        return " ".join(filter(None, said))

    def definitions(self) -> str:
        """What firm, fragile and undecided mean, in one sentence each."""
        return definitions(self.alpha)

    def closest_reasons(self, most: int = 3) -> list[str]:
        """The reasons for the verdicts on the closest runs, as paragraphs."""
        return [
            f"{each.leader} against {each.other}: {each.word} ({each.criterion}). {' '.join(each.reasons)}"
            for each in self.verdicts[:most]
        ]

    def short_table(self) -> Table:
        """A table for people: the lead over each other run with its interval, closest first."""
        rows = [
            [
                verdict.other,
                f"{MARKS[verdict.word]} {verdict.word}",
                verdict.difference,
                verdict.p_corrected,
                whole_percent(verdict.significant_in) if self.samples else "",
                verdict.topics_needed or "–",
            ]
            for verdict in self.verdicts
        ]
        places = decimals(verdict.difference for verdict in self.verdicts)
        asides = {
            (r, 2): f"[{verdict.low:.{places}f}, {verdict.high:.{places}f}]" for r, verdict in enumerate(self.verdicts)
        }
        columns = ["against", "verdict", "lead", "p_corrected", "stays_with_half", "topics_needed"]
        kept = [place for place, name in enumerate(columns) if self.samples or name != "stays_with_half"]
        return Table([columns[c] for c in kept], [[row[c] for c in kept] for row in rows], asides=asides)

    def table(self) -> Table:
        """A table for programs, with all numbers."""
        columns = [
            "run_a", "run_b", "verdict", "criterion", "difference", "low", "high", "p", "p_corrected", "wins", "losses",
            "rests_on", "significant_in", "turned_in", "topics_needed",
        ]  # fmt: skip
        rows = [
            [
                each.leader,
                each.other,
                each.word,
                each.criterion,
                each.difference,
                each.low,
                each.high,
                each.p,
                each.p_corrected,
                each.wins,
                each.losses,
                each.rests_on,
                each.significant_in,
                each.turned_in,
                each.topics_needed,
            ]
            for each in self.verdicts
        ]
        return Table(columns, rows)

    def _finding(self) -> str:
        return f"{self.measure}: {outcome(self)}"

    def _shown_table(self) -> Table:
        return self.short_table()

    def __str__(self) -> str:
        return "\n\n".join(
            [self.headline(), self.short_table().render("table"), self.definitions(), *self.closest_reasons()]
        )


def definitions(alpha: float = 0.05) -> str:
    """What the three words mean."""
    return (
        f"Firm: significant after correction (p below {alpha:g}), and again in {whole_percent(STABLE)} of the samples "
        "with half the judgements. Fragile: significant, but not shown to be that stable. Undecided: not significant. "
        "Each system is compared with the first."
    )


def outcome(found: Verdicts) -> str:
    """Whether there is a winner, in a few words: the first thing that is said.

    It claims no more than the tests support: without a firm lead over every other run there is no firm winner.
    """
    others, undecided = len(found.verdicts), found.count("undecided")
    only = found.verdicts[0].other if others == 1 else ""
    if undecided:
        who = f"{found.leader} and {only}" if only else f"{undecided + 1} systems"
        return f"No firm winner: {who} cannot be told apart"
    if found.winner is None:
        return f"No firm winner: the lead of {found.leader} is fragile"
    return f"{found.leader} is firmly {f'better than {only}' if only else 'best'}"


def finding(found: Verdicts) -> str:
    """The outcome with the leader's score, as one sentence."""
    places = decimals([found.mean, *(found.mean - each.difference for each in found.verdicts)])
    score = f"{found.mean:.{places}f}"
    score += "" if math.isnan(found.low) else f" [{found.low:.{places}f}, {found.high:.{places}f}]"
    if found.level:
        who = found.level[0] if len(found.level) == 1 else f"{len(found.level)} others"
        return f"{outcome(found)}; {found.leader} and {who} are level at {found.measure} {score}."
    if len(found.verdicts) == 1:
        lead = abs(found.verdicts[0].difference)
        return f"{outcome(found)}; by {found.measure} {found.leader} has {score}, a difference of {number(lead)}."
    return f"{outcome(found)}; the first by {found.measure} is {found.leader} with {score} ({standing(found)})."


def standing(found: Verdicts) -> str:
    """Against how many runs each word holds."""
    return ", ".join(f"{word} against {found.count(word)}" for word in WORDS if found.count(word))


def criterion(word: Word, corrected: float, comparisons: int, stays: float, samples: int, alpha: float) -> str:
    """The criterion that decided the word: the one that failed, or the last one passed.

    >>> criterion("fragile", 0.001, 142, 0.83, 100, 0.05)
    'with half the judgements significant in 83 of 100 samples, 95 needed'
    >>> criterion("undecided", 0.57, 142, 0.0, 100, 0.05)
    'p = 0.57 after correction for 142 comparisons, below 0.05 needed'
    """
    if word == "undecided":
        among = f" after correction for {comparisons} comparisons" if comparisons > 1 else ""
        return f"p = {corrected:.2g}{among}, below {alpha:g} needed"
    if math.isnan(stays):
        return "significant, but without the judgements its stability cannot be tried"
    held = f"with half the judgements significant in {round(stays * samples)} of {samples} samples"
    return held if word == "firm" else f"{held}, {math.ceil(STABLE * samples)} needed"


def reasons(verdict: Verdict, comparisons: int, samples: int, alpha: float, power: float) -> tuple[str, ...]:
    """The numbers behind a verdict, one sentence each."""
    topics, places = verdict.topics, decimals([verdict.difference])
    said = [
        f"The difference is {verdict.difference:.{places}f}, with 95 % confidence between {verdict.low:.{places}f} and"
        f" {verdict.high:.{places}f}; {verdict.leader} is ahead on {verdict.wins} of {topics} topics and behind on"
        f" {verdict.losses}.",
        _chance(verdict.p, verdict.p_corrected, comparisons, alpha),
    ]
    if verdict.word != "undecided":
        without = "it" if verdict.rests_on == 1 else "them"
        said.append(f"The lead rests on {verdict.rests_on} of {topics} topics: without {without} it is gone.")
    if not math.isnan(verdict.significant_in):
        said.append(
            f"With half the judgements it is significant in {round(verdict.significant_in * samples)} of {samples}"
            f" samples, and the order turns in {round(verdict.turned_in * samples)}."
        )
    if verdict.word == "undecided":
        said.append(_more_topics(verdict.topics_needed, topics, comparisons, power))
    return tuple(said)


def _chance(p: float, corrected: float, comparisons: int, alpha: float) -> str:
    """Whether the difference may be chance, with p before and after correction.

    >>> _chance(0.03, 0.09, 3, 0.05)
    'It may be chance: p = 0.03, 0.09 after correction for 3 comparisons, not below 0.05.'
    """
    chance, where = ("It is hardly chance", "below") if corrected < alpha else ("It may be chance", "not below")
    among = f", {corrected:.2g} after correction for {comparisons} comparisons" if comparisons > 1 else ""
    return f"{chance}: p = {p:.2g}{among}, {where} {alpha:g}."


def _more_topics(needed: int | None, topics: int, comparisons: int, power: float) -> str:
    """How many more topics would decide; `needed` is for as many comparisons as there are.

    >>> _more_topics(8, 6, 1, 0.8)
    'About 2 more topics would be needed for a decision (8 in all, for a probability of 80 %).'
    >>> _more_topics(25, 30, 1, 0.8)
    'So many topics decide a difference like this with a probability of 80 % or more; this time they did not.'
    """
    if needed is None:
        return "The difference is so small compared with its spread that 100 000 topics would not decide it."
    among = f" among {comparisons} comparisons" if comparisons > 1 else ""
    if needed > topics:
        more = needed - topics
        return (
            f"About {more} more topic{'s' * (more != 1)} would be needed for a decision ({needed} in all"
            f"{among}, for a probability of {whole_percent(power)})."
        )
    return (
        f"So many topics decide a difference like this{among} with a probability of {whole_percent(power)} or more; "
        "this time they did not."
    )


def doubt(unjudged: float, *, only_relevant: bool) -> str:
    """What unjudged documents make uncertain, as a sentence.

    `only_relevant`: the judgements list no document that is not relevant, as citations do.
    """
    if only_relevant:
        return "The judgements list only relevant documents: every other document counts as not relevant."
    if math.isnan(unjudged):
        return ""
    if unjudged == 0:
        return f"All of the leader's first {TOP} documents were judged."
    share = whole_percent(unjudged) if unjudged >= 0.01 else "Less than 1 %"
    return f"{share} of the leader's first {TOP} documents were never judged: its score may be too low."


# Decide whether the leader is better than each other run, by tests on all judgements and on half of them.


def decide(
    scores: Scores,
    measure: str,
    *,
    study: Study | None = None,
    samples: int = 100,
    alpha: float = 0.05,
    seed: int | np.random.Generator = 1,
    complete: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Verdicts:
    """Compare the run with the best mean with every other, by randomisation tests with Holm's correction.

    An error for a measure of effort alone, by which a run of one document would win.

    `study` holds the judgements to leave out; without it, nothing is firm. The question is only whether the leader
    leads, so the correction is for as many comparisons as there are other runs; `compare` tests every pair and
    corrects for all of them. `complete` says that every relevant document is in the judgements.
    """
    if study is not None:
        checked_samples(samples)
    checked_alpha(alpha)
    if why := why_no_verdict(scores, measure):
        raise MeasureError(why)
    rng = np.random.default_rng(seed)
    matrix, _, notes = aligned(scores, measure)
    direction = sign(scores.better[scores.measures.index(measure)])
    matrix = matrix * direction
    leader = best_first(matrix.mean(axis=1), scores.runs)[0]
    others = np.flatnonzero(np.arange(len(matrix)) != leader)
    differences = matrix[leader] - matrix[others]
    p, corrected, _ = flip_test(differences, alpha)
    stays = turns = np.full(len(others), np.nan)
    unjudged, doubts = math.nan, ""
    if study is None:
        notes = (*notes, "without the judgements, stability cannot be tried, so no lead is called firm")
    else:
        stays, turns, lost = _with_half(study, measure, direction, leader, others, samples, alpha, rng, progress)
        notes = (*notes, *lost)
        if not complete:
            unjudged = _unjudged(study, leader)
            doubts = doubt(unjudged, only_relevant=not (study.qrels.grades < study.measures[0].level).any())
    lowest, highest = bounds(measure)
    against = tuple(
        _verdict(
            scores.runs[leader],
            scores.runs[others[i]],
            differences[i],
            highest - lowest,
            float(p[i]),
            float(corrected[i]),
            len(others),
            float(stays[i]),
            float(turns[i]),
            samples,
            alpha,
        )
        for i in np.lexsort((others, differences.mean(axis=1)))
    )
    mean, width = float(matrix[leader].mean()) * direction, float(half_width(matrix[leader]))
    return Verdicts(
        measure,
        scores.runs[leader],
        mean,
        *interval(measure, mean, width),
        against,
        0 if study is None else samples,
        unjudged,
        doubts,
        alpha,
        notes,
    )


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
) -> tuple[Array, Array, list[str]]:
    """The shares of the samples in which the lead over each other run stays significant, and in which it turns.

    The last is a note on the topics that dropped out of samples, where any did.
    """
    place = [wanted.text for wanted in study.measures].index(measure)
    stays, turns = np.zeros(len(others)), np.zeros(len(others))
    realised, topics_lost = np.empty(samples), np.empty(samples)
    for done in range(samples):
        values, realised[done], topics_lost[done] = study.sample(HALF, rng)
        values = values[:, :, place] * direction
        values = values[:, np.isfinite(values).all(axis=0)]
        if values.shape[1]:  # a sample in which no topic is left shows nothing
            differences = values[leader] - values[others]
            ahead = differences.mean(axis=1) > 0
            stays += ahead & (flip_test(differences, alpha).corrected < alpha)
            turns += differences.mean(axis=1) < 0
        if progress is not None:
            progress(done + 1, samples)
    return stays / samples, turns / samples, dropped_topics(study, [HALF], realised[None], topics_lost[None])


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


def _verdict(
    leader: str,
    other: str,
    differences: Array,
    most: float,
    p: float,
    corrected: float,
    comparisons: int,
    stays: float,
    turns: float,
    samples: int,
    alpha: float,
) -> Verdict:
    """The verdict and its reasons, from the differences by topic, at most `most`, and the results of the tests."""
    mean, width = float(differences.mean()), float(half_width(differences))
    low, high = max(mean - width, -most), min(mean + width, most)  # NaN for one topic
    # Only what was shown counts: without judgements to leave out, a significant lead is fragile.
    word: Word = "undecided" if not corrected < alpha else "firm" if stays >= STABLE else "fragile"
    unexplained = Verdict(
        leader,
        other,
        word,
        criterion(word, corrected, comparisons, stays, samples, alpha),
        mean,
        low,
        high,
        p,
        corrected,
        len(differences),
        int((differences > EQUAL).sum()),
        int((differences < -EQUAL).sum()),
        lead_rests_on(differences),
        stays,
        turns,
        topics_needed(differences, alpha, comparisons=comparisons),
        (),
    )
    return replace(unexplained, reasons=reasons(unexplained, comparisons, samples, alpha, POWER))
