"""Measures by which no run is called better: those that count effort and not what is found for it."""

from __future__ import annotations

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.definition import Effort, parse_measure
from leadline.records.result import counted
from leadline.records.scores import Scores

INSTEAD = "ask for recall at an effort, such as R@100 or PRES@100"


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
    if _effort_of(measure) is None:
        return ""
    found = np.isfinite(scores.of(measure))
    failed = int((found.any(axis=0) & ~found.all(axis=0)).sum())
    if not failed:
        return ""
    it = "it" if failed == 1 else "them"
    topics = counted(failed, "topic")
    return (
        f"{measure} gives no verdict: on {topics} some runs never find enough, and to leave {it} out would reward "
        f"them; {INSTEAD}, or effort for a recall that all runs reach"
    )


def why_never(measure: str) -> str:
    """Why a measure gives no verdict whatever the runs, known before any is read; empty for one that may.

    >>> why_never("PRES@100"), why_never("last_rel")[:29]
    ('', 'last_rel gives no verdict: it')
    """
    if _effort_of(measure) != "alone":
        return ""
    return f"{measure} gives no verdict: it counts effort, so that a run of one document can win; {INSTEAD}"


def _effort_of(measure: str) -> Effort | None:
    """What a measure says of itself; nothing for one that is not ours, as a table of scores may have."""
    try:
        return parse_measure(measure).definition.effort
    except MeasureError:
        return None
