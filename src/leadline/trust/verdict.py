"""The verdict on two runs in words that a buyer of search software understands, and the letters of many.

Firm: significant after correction, and again in 95 % of the samples with half the judgements. Fragile: significant, but
not shown to be that stable. Undecided: not significant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from leadline.measures.definition import parse_measure
from leadline.measures.hits import Array, Integers, Mask
from leadline.measures.join import estimated_from
from leadline.records.result import Result, Table, counted, decimals, whole_percent
from leadline.trust.paired_tests import NUMBERS_AT_ONCE
from leadline.trust.randomisation import is_below
from leadline.trust.study import Study, dropped_topics
from leadline.trust.topics_needed import HALF, STABLE

Word = Literal["firm", "fragile", "undecided"]

WORDS: tuple[Word, ...] = ("undecided", "fragile", "firm")  # the order in which they are listed: doubt first
MARKS: dict[Word, str] = {"firm": "●", "fragile": "◐", "undecided": "◌"}
EQUAL = 1e-12  # a smaller difference is rounding
TOP = 20  # first documents among which the unjudged ones are counted


@dataclass(frozen=True, repr=False)
class Verdict(Result):
    """The verdict on one run against another that does not have the better mean."""

    leader: str  # of the two
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
    topics_needed: int | None  # where it is undecided: for a probability of 80 %; None if above MANY_TOPICS
    reasons: tuple[str, ...]

    def _finding(self) -> str:
        return f"{self.leader} against {self.other}: {self.word} ({self.criterion})"

    def __str__(self) -> str:
        return " ".join([f"{self._finding()}.", *self.reasons])


def placed(word: Word | None) -> str:
    """The word on the row of a run, from the verdict on the first run against it: who is behind is not praised.

    >>> placed(None), placed("firm"), placed("undecided")
    ('first', '↓ behind, firm', '◌ undecided')
    """
    if word is None:
        return "first"
    return f"{MARKS[word]} {word}" if word == "undecided" else f"↓ behind, {word}"


def definitions(alpha: float, pairs: int) -> str:
    """What the three words mean, where so many pairs are compared."""
    family = (
        f"Each system is compared with the first; p is corrected for all {counted(pairs, 'pair')} of systems, since "
        "nobody knew before which would be first."
        if pairs > 1
        else ""
    )
    return (
        f"Firm: significant{' after correction' * (pairs > 1)} (p below {alpha:g}), and again in "
        f"{whole_percent(STABLE)} of the samples with half the judgements. Fragile: significant, but not shown to be "
        f"that stable. Undecided: not significant. {family}"
    ).strip()


def criterion(word: Word, corrected: float, pairs: int, stays: float, samples: int, alpha: float) -> str:
    """The criterion that decided the word: the one that failed, or the last one passed.

    >>> criterion("fragile", 0.001, 120, 0.83, 100, 0.05)
    'with half the judgements significant in 83 of 100 samples, 95 needed'
    >>> criterion("undecided", 0.57, 120, 0.0, 100, 0.05)
    'p = 0.57 after correction for 120 pairs, below 0.05 needed'
    """
    if word == "undecided":
        among = f" after correction for {counted(pairs, 'pair')}" * (pairs > 1)
        return f"p = {corrected:.2g}{among}, below {alpha:g} needed"
    if math.isnan(stays):
        return "significant, but without the judgements its stability cannot be tried"
    held = f"with half the judgements significant in {round(stays * samples)} of {samples} samples"
    return held if word == "firm" else f"{held}, {math.ceil(STABLE * samples)} needed"


def reasons(verdict: Verdict, pairs: int, samples: int, alpha: float, power: float) -> tuple[str, ...]:
    """The numbers behind a verdict, one sentence each."""
    topics, known = verdict.topics, math.isfinite(verdict.high - verdict.low)
    places = decimals([verdict.difference])
    span = f"with 95 % confidence between {verdict.low:.{places}f} and {verdict.high:.{places}f}"
    span = span if known else "and so few topics give no interval"
    said = [
        f"The difference is {verdict.difference:.{places}f}, {span}; {verdict.leader} is ahead on {verdict.wins} of"
        f" {topics} topics and behind on {verdict.losses}.",
        _chance(verdict.p, verdict.p_corrected, pairs, alpha),
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
        said.append(_more_topics(verdict.topics_needed, topics, pairs, power))
    return tuple(said)


def _chance(p: float, corrected: float, pairs: int, alpha: float) -> str:
    """Whether the difference may be chance, with p before and after correction.

    >>> _chance(0.03, 0.09, 3, 0.05)
    'It may be chance: p = 0.03, 0.09 after correction for 3 pairs, not below 0.05.'
    """
    chance, where = ("It is hardly chance", "below") if corrected < alpha else ("It may be chance", "not below")
    among = f", {corrected:.2g} after correction for {counted(pairs, 'pair')}" * (pairs > 1)
    return f"{chance}: p = {p:.2g}{among}, {where} {alpha:g}."


def _more_topics(needed: int | None, topics: int, pairs: int, power: float) -> str:
    """How many more topics would decide; `needed` is for as many pairs as there are.

    >>> _more_topics(8, 6, 1, 0.8)
    'About 2 more topics would be needed for a decision (8 in all, for a probability of 80 %).'
    >>> _more_topics(25, 30, 1, 0.8)
    'So many topics decide a difference like this with a probability of 80 % or more; this time they did not.'
    """
    if needed is None:
        return "The difference is so small compared with its spread that 100 000 topics would not decide it."
    among = f" among {counted(pairs, 'pair')}" * (pairs > 1)
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


def short_table(verdicts: Sequence[Verdict], samples: int) -> Table:
    """A table for people: the lead over each other run with its interval."""
    rows = [
        [
            each.other,
            f"{MARKS[each.word]} {each.word}",
            each.difference,
            each.p_corrected,
            whole_percent(each.significant_in) if samples else "",
            each.topics_needed or "–",
        ]
        for each in verdicts
    ]
    spans = {r: (each.low, each.high) for r, each in enumerate(verdicts) if math.isfinite(each.high - each.low)}
    places = decimals(each.difference for each in verdicts)
    asides = {(r, 2): f"[{low:.{places}f}, {high:.{places}f}]" for r, (low, high) in spans.items()}
    columns = ["against", "verdict", "lead", "p_corrected", "stays_with_half", "topics_needed"]
    kept = [place for place, name in enumerate(columns) if samples or name != "stays_with_half"]
    return Table([columns[c] for c in kept], [[row[c] for c in kept] for row in rows], asides=asides)


# The columns of the table for programs, and where a verdict has them.
COLUMNS = {
    "run_a": "leader", "run_b": "other", "verdict": "word", "criterion": "criterion", "difference": "difference",
    "low": "low", "high": "high", "p": "p", "p_corrected": "p_corrected", "wins": "wins", "losses": "losses",
    "rests_on": "rests_on", "significant_in": "significant_in", "turned_in": "turned_in",
    "topics_needed": "topics_needed",
}  # fmt: skip


def table(verdicts: Sequence[Verdict]) -> Table:
    """A table for programs, with all numbers."""
    return Table(list(COLUMNS), [[getattr(each, name) for name in COLUMNS.values()] for each in verdicts])


# With half the judgements, again and again: does a lead stay significant?


class Support(NamedTuple):
    """For each pair, the share of samples in which the lead stays significant, and in which it turns; and notes."""

    stays: Array
    turns: Array
    notes: tuple[str, ...]


def support(
    study: Study,
    measure: str,
    ahead: Integers,
    behind: Integers,
    *,
    direction: float,
    limit: float,
    samples: int,
    seed: int | np.random.Generator,
    progress: Callable[[int, int], None] | None = None,
) -> Support:
    """Whether runs `ahead` stay significantly ahead of runs `behind` when only half the judgements are known.

    In a sample p must be below the same `limit` as with all judgements. So what is said of a pair does not depend on
    which other pairs are tried, and the samples are the same for all pairs.
    """
    place = [wanted.text for wanted in study.measures].index(measure)
    rng = np.random.default_rng(seed)
    stays, turns = np.zeros(len(ahead)), np.zeros(len(ahead))
    realised, topics_lost = np.empty(samples), np.empty(samples)
    at_once = max(1, NUMBERS_AT_ONCE // max(1, len(ahead) * len(study.topics)))  # samples that are tested together
    leads: list[Array] = []
    for done in range(samples):
        values, realised[done], topics_lost[done] = study.sample(HALF, rng)
        values = values[:, :, place] * direction
        # A topic without a value for every run says nothing, as one without a difference.
        known = np.isfinite(values).all(axis=0)
        leads.append(np.where(known, values[ahead] - values[behind], 0.0))
        if len(leads) == at_once or done == samples - 1:
            total = np.sum(leads, axis=2)
            below = is_below(np.concatenate(leads), limit).reshape(total.shape)
            stays += ((total > 0) & below).sum(axis=0)
            turns += (total < 0).sum(axis=0)
            leads.clear()
        if progress is not None:
            progress(done + 1, samples)
    notes = dropped_topics(study, [HALF], realised[None], topics_lost[None])
    return Support(stays / samples, turns / samples, tuple(notes))


def doubt_of(study: Study, leader: int) -> tuple[float, str]:
    """The share of the leader's first documents that are unjudged, and what that makes uncertain, as a sentence.

    Where measures are estimated, unjudged documents count as the model and the draws say, and the share is NaN.
    """
    if study.qrels.kind == "drawn":
        measure = study.measures[0].text
        return math.nan, f"{measure} is {estimated_from(study.qrels)}, drawn with known probabilities."
    unjudged = share_unjudged(study, leader)
    return unjudged, doubt(unjudged, only_relevant=not (study.qrels.grades < study.measures[0].level).any())


def share_unjudged(study: Study, run: int) -> float:
    """The share of a run's first documents that are unjudged."""
    topics = len(study.topics)
    values = parse_measure(f"judged@{TOP}").raw(study.hits)[run * topics : (run + 1) * topics]
    answered = study.hits.retrieved[run * topics : (run + 1) * topics] > 0
    return float(1 - values[answered].mean()) if answered.any() else np.nan


def lead_rests_on(differences: Array) -> int:
    """How many of the leader's best topics must be left out for its lead to be gone.

    >>> lead_rests_on(np.array([0.5, 0.1, -0.2, -0.1]))
    1
    """
    left = differences.sum() - np.cumsum(np.sort(differences)[::-1])
    return int(np.argmax(left <= 1e-12)) + 1


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
