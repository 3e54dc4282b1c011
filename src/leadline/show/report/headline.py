"""The verdict in words, for the top of the page."""

from __future__ import annotations

import math
from dataclasses import dataclass

from leadline.show.figures.effort import recall_after_each
from leadline.show.figures.evidence import Evidence
from leadline.show.figures.formatting import count, percent
from leadline.trust.verdict import TOP, Verdicts, Word

WORDS: tuple[Word, ...] = ("firm", "significant", "fragile", "undecided")
CHIPS: dict[Word, str] = {
    "firm": "● FIRM",
    "significant": "● SIGNIFICANT",
    "fragile": "◐ FRAGILE",
    "undecided": "◌ undecided",
}


@dataclass(frozen=True)
class Headline:
    """Who leads, with which score, how sure that is, and two or three more sentences."""

    leader: str
    leads: str  # "leads with PRES@1000"
    score: str
    interval: str
    standing: tuple[tuple[Word, str], ...]  # firm: against 131
    sentences: tuple[str, ...]
    reasons: tuple[str, ...] = ()


def headline(evidence: Evidence) -> Headline:
    """The verdict, or what can be said when there is nothing to compare with."""
    found = evidence.verdict
    if found is None:
        mean = float(evidence.means[evidence.place(evidence.leader)])
        width = float(evidence.main.half_widths()[evidence.place(evidence.leader), 0])
        why = (
            "There is only one run: give two or more to compare them."
            if len(evidence.runs) == 1
            else "Two or more topics with a relevant document are needed to compare runs."
        )
        reaches = f"reaches {evidence.measure.text}"
        return Headline(
            evidence.leader, reaches, score(mean), _interval(mean - width, mean + width), (), (*_effort(evidence), why)
        )
    level = _equal_to_leader(evidence)
    return Headline(
        found.leader,
        f"and {level} are level at {found.measure}" if level else f"leads with {found.measure}",
        score(found.mean),
        _interval(found.low, found.high),
        _standing(found),
        (*_effort(evidence), *_doubts(found, samples=0 if level else found.samples)),
        () if level else tuple(found.closest_reasons()),
    )


def _equal_to_leader(evidence: Evidence) -> str:
    """The run, or the number of runs, with exactly the leader's score; empty if the leader is ahead of all."""
    best = float(evidence.means[evidence.place(evidence.leader)])
    others = [run for run in evidence.runs if run != evidence.leader]
    level = [run for run in others if float(evidence.means[evidence.place(run)]) == best]
    return level[0] if len(level) == 1 else f"{len(level)} others" if level else ""


def _standing(found: Verdicts) -> tuple[tuple[Word, str], ...]:
    if len(found.verdicts) == 1:
        return ((found.verdicts[0].word, f"against {found.verdicts[0].other}"),)
    return tuple((word, f"against {found.count(word)}") for word in WORDS if found.count(word))


def _effort(evidence: Evidence) -> tuple[str, ...]:
    """The leader's recall for a searcher who reads a tenth of the effort, and for one who reads all of it."""
    after = recall_after_each(evidence, evidence.leader)
    if not len(after):
        return ()
    much = min(evidence.effort, len(after))
    little = max(1, much // 10)
    text = f"Reading {count(little, 'document')} finds {percent(after[little - 1])} of what is known"
    more = f"; reading {count(much)} finds {percent(after[much - 1])}" if much > little else ""
    return (f"{text}{more}.",)


def _doubts(found: Verdicts, samples: int) -> list[str]:
    said = []
    if samples:
        held = round(samples * (1 - max(verdict.turned_in for verdict in found.verdicts)))
        said.append(f"With half the judgements it leads its closest rival in {held} of {samples} samples.")
    if not math.isnan(found.unjudged):
        share = f"{percent(found.unjudged)} of its first {TOP} documents were never judged."
        said.append(share if found.unjudged > 0 else f"All of its first {TOP} documents were judged.")
    return said


def _interval(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"[{score(low)}, {score(high)}]"


def score(value: float) -> str:
    """A score with three decimals and without the leading zero, for narrow columns.

    >>> score(0.8123), score(-0.05), score(1), score(float("nan"))
    ('.812', '−.050', '1.000', '–')
    """
    if math.isnan(value):
        return "–"
    text = f"{abs(value):.3f}"
    text = text[1:] if text.startswith("0.") else text
    return f"−{text}" if value < 0 and float(text) else text
