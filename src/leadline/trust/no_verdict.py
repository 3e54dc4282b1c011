"""Measures by which no run is called better: those that count effort and not what is found for it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.definition import parse_measure
from leadline.records.result import counted
from leadline.records.scores import Scores

INSTEAD = "compare what runs read for the same recall (leadline compare recall, leadline.effort_to_recall)"
_REASONS = {
    "alone": "it counts effort, so that a run of one document can win",
    "priced": "it takes what is read off what is found, so that a run of one document can win",
}


def why_no_verdict(scores: Scores, measure: str) -> str:
    """Why no run is called better by a measure, in a line; empty for a measure that decides.

    A measure of effort until enough is found decides only if every run finds enough on the same topics: leaving out the
    topics on which a run fails would reward it for failing.

    >>> values = np.array([[[3.0], [4.0]], [[1.0], [np.nan]]])
    >>> why_no_verdict(Scores(("x", "y"), ("1", "2"), ("AP",), values), "AP")
    ''
    >>> why_no_verdict(Scores(("x", "y"), ("1", "2"), ("effort@0.8",), values), "effort@0.8")[:58]
    'effort@0.8 gives no verdict: on 1 topic some runs never fi'
    """
    if why := why_never(measure):
        return why
    if not rests_on_finding(measure):
        return ""
    found = np.isfinite(scores.of(measure))
    failed = int((found.any(axis=0) & ~found.all(axis=0)).sum())
    if not failed:
        return ""
    it = "it" if failed == 1 else "them"
    return (
        f"{measure} gives no verdict: on {counted(failed, 'topic')} some runs never find enough, and to leave {it} out "
        f"would reward them; {INSTEAD}"
    )


def why_never(measure: str) -> str:
    """Why a measure gives no verdict whatever the runs, known before any is read; empty for one that may.

    A name that is not in the register, as a table of scores may have, decides as that table says.

    >>> why_never("PRES@100"), why_never("last_rel")[:29], why_never("num_ret")
    ('', 'last_rel gives no verdict: it', 'num_ret gives no verdict: neither more of it nor less is better')
    """
    try:
        known = parse_measure(measure)
    except MeasureError:
        return ""
    if reason := _REASONS.get(known.effort or ""):
        return f"{measure} gives no verdict: {reason}; {INSTEAD}"
    if known.definition.better == "neither":
        return f"{measure} gives no verdict: neither more of it nor less is better"
    return ""


def notes_on_effort(measures: Iterable[str]) -> list[str]:
    """A note for each measure of effort, for results that describe measures or slices and call no run better.

    >>> [note[:29] for note in notes_on_effort(["AP", "last_rel", "num_ret"])]
    ['last_rel gives no verdict: it']
    """
    return [why for measure in measures if INSTEAD in (why := why_never(measure))]


def rests_on_finding(measure: str) -> bool:
    """Whether a measure is undefined for a run that never finds enough, so that it may give no verdict.

    >>> rests_on_finding("effort@0.8"), rests_on_finding("R@100")
    (True, False)
    """
    try:
        return parse_measure(measure).effort == "until found"
    except MeasureError:
        return False
