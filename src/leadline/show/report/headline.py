"""The first screen in words: is there a winner, what does it find and miss, against what we use today, how sure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leadline.measures.hits import Array
from leadline.measures.intervals import inside, interval
from leadline.retrieval.engines.timing import in_words as timing_in_words
from leadline.show.figures.effort import MINUTES, recall_after_each
from leadline.show.figures.evidence import Evidence
from leadline.show.figures.formatting import count, decimal, hours, in_words, percent
from leadline.trust.verdict import MARKS, WORDS, Verdicts, Word, outcome

CHIPS: dict[Word, str] = {word: f"{MARKS[word]} {word}" for word in WORDS}
USUAL = 100  # documents that one reads for a topic in an afternoon


@dataclass(frozen=True)
class Headline:
    """The first screen: the outcome, the leader with its score, what reading gives, and how sure all that is."""

    outcome: str  # "No firm winner: 10 systems cannot be told apart."
    first_by: str  # "First by PRES@1000 (recall weighted by how early it comes):"
    leader: str
    score: str
    interval: str
    standing: tuple[tuple[Word, str], ...]  # undecided: against 9
    effort: str  # "Reading 100 documents (3.3 hours) finds 41 % and misses 59 %."
    baseline: str
    sure: tuple[str, ...]  # the definitions of the words, what makes the scores uncertain, and what a query took
    reasons: tuple[str, ...] = ()
    documents: tuple[int, ...] = ()  # whose reading times the texts name, in order: for a page that changes them


def headline(evidence: Evidence) -> Headline:
    """What the first screen says, also when there is nothing to compare with."""
    found, measure = evidence.verdict, in_words(evidence.measure)
    (effort, read), (baseline, saved) = _effort(evidence), _baseline(evidence)
    if found is None:
        place = evidence.place(evidence.leader)
        mean, width = float(evidence.means[place]), float(evidence.main.half_widths()[place, 0])
        why = (
            "There is only one run: give two or more to compare them."
            if len(evidence.runs) == 1
            else "Two or more topics with a value for every run are needed to compare runs."
        )
        span = _written(interval(evidence.measure, mean, width))
        return Headline(
            "", f"{measure}:", evidence.leader, decimal(mean), span, (), effort, baseline, (why, *_took(evidence)),
            (), (*read, *saved),
        )  # fmt: skip
    span = inside(evidence.measure, np.array([found.low, found.high])).tolist()
    first = f"Level by {measure}:" if found.level else f"First by {measure}:"
    level = f" and {found.level[0] if len(found.level) == 1 else count(len(found.level), 'other')}" * bool(found.level)
    return Headline(
        f"{outcome(found)}.", first, f"{found.leader}{level}", decimal(found.mean), _written(span),
        _standing(found), effort, baseline, tuple(filter(None, (found.definitions(), found.doubt, *_took(evidence)))),
        tuple(found.closest_reasons()), (*read, *saved),
    )  # fmt: skip


def _took(evidence: Evidence) -> tuple[str, ...]:
    """What a query of the leader took and cost, where a record says so."""
    told = timing_in_words(evidence.timings.get(evidence.leader))
    return (f"With {evidence.leader}, {told}.",) if told else ()


def _standing(found: Verdicts) -> tuple[tuple[Word, str], ...]:
    if len(found.verdicts) == 1:
        return ((found.verdicts[0].word, f"against {found.verdicts[0].other}"),)
    return tuple((word, f"against {found.count(word)}") for word in WORDS if found.count(word))


def _effort(evidence: Evidence) -> tuple[str, tuple[int, ...]]:
    """What a searcher finds and misses who reads what one reads in an afternoon, and one who reads all of it.

    With the numbers of documents whose reading times are in the text.
    """
    after = recall_after_each(evidence, evidence.leader)
    if not len(after):
        return "", ()
    much = min(evidence.effort, len(after))
    some = min(USUAL, much)
    found = f"finds {percent(after[some - 1])} of what is known and misses {percent(1 - after[some - 1])}"
    more = f"; reading {count(much)} finds {percent(after[much - 1])}" if much > some else ""
    return f"Reading {count(some, 'document')} ({hours(some * MINUTES)}) {found}{more}.", (some,)


def _baseline(evidence: Evidence) -> tuple[str, tuple[int, ...]]:
    """What the leader gains over the present system: in documents found, and in hours for finding as many.

    With the numbers of documents whose reading times are in the text.
    """
    if not evidence.baseline:
        return "", ()
    if evidence.baseline == evidence.leader:
        return f"It is the present system (baseline) itself: none of the others comes before {evidence.baseline}.", ()
    ours, theirs = (recall_after_each(evidence, run) for run in (evidence.leader, evidence.baseline))
    if not len(ours):
        return "", ()
    much = min(USUAL, evidence.effort, len(ours))
    share, gain = float(theirs[much - 1]), float(ours[much - 1] - theirs[much - 1])
    text = f"The present system (baseline), {evidence.baseline}, finds {percent(share)} in {count(much)}"
    needed = _reached(ours, share)
    documents: tuple[int, ...] = ()
    if gain > 0 and needed < much:
        saved = hours((much - needed) * MINUTES)
        documents = (much - needed,)
        text += f"; the first finds as much in {count(needed, 'document')}, which saves {saved} a topic"
    verdicts = evidence.verdict.verdicts if evidence.verdict else ()
    words = [f" The lead over it is {each.word}." for each in verdicts if each.other == evidence.baseline]
    return f"{text}.{''.join(words)}", documents


def _reached(after: Array, share: float) -> int:
    """How many documents must be read until recall is at least a share."""
    return int(np.argmax(after >= share - 1e-12)) + 1


def _written(span: Sequence[float]) -> str:
    low, high = span
    return "" if math.isnan(low) else f"[{decimal(low)}, {decimal(high)}]"
