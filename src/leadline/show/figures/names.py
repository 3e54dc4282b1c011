"""Names on an axis that has little room: shorter ones, or in several rows, on a narrow screen.

All of these want a chart with the parameter `narrow` (`charts/labels.py`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from leadline.show.charts.style import altair
from leadline.show.figures.evidence import Evidence
from leadline.show.figures.marks import short

FEW_LETTERS = 13  # of a name on a narrow screen
ROWS = 3  # in which names along the top stand there
HIGH = 14  # pixels of a row
BLANK = "\u200b"  # browsers take no room for a line that is empty, and Vega trims blanks


def numbered(evidence: Evidence, shown: Sequence[str]) -> str:
    """The expression that labels an axis of runs by their place in the report and their name.

    >>> evidence = Evidence.of({"1": {"a": 1}}, {"lucene": {"1": {"a": 1}}})
    >>> numbered(evidence, ["lucene"])
    '(narrow ? ["1 lucene"] : ["1  lucene"])[indexof(["lucene"], datum.value)]'
    """
    places = {run: place for place, run in enumerate(evidence.order, start=1)}
    wide = [f"{places[run]}  {short(run)}" for run in shown]
    tight = [f"{places[run]} {short(run, FEW_LETTERS)}" for run in shown]
    return f"(narrow ? {json.dumps(tight)} : {json.dumps(wide)})[indexof({json.dumps(list(shown))}, datum.value)]"


def staggered(names: Sequence[str], ticks: Sequence[float], rows: int = 1) -> str:
    """The expression that labels columns along the top, each in the row above the one before it, round and round.

    `rows` are those of a wide screen; a narrow one has three.

    >>> print(staggered(["AP", "RR"], [0, 1]).replace(BLANK, "_"))
    (narrow ? [["_", "_", "AP"], ["_", "RR", "_"]] : [["AP"], ["RR"]])[indexof([0, 1], datum.value)]
    """
    places = json.dumps(list(ticks))
    return f"(narrow ? {_in_rows(names, ROWS)} : {_in_rows(names, rows)})[indexof({places}, datum.value)]"


def _in_rows(names: Sequence[str], rows: int) -> str:
    lines = [[name if row == rows - 1 - at % rows else BLANK for row in range(rows)] for at, name in enumerate(names)]
    return json.dumps(lines, ensure_ascii=False)


def above(rows: int = 1) -> Any:
    """The room that `staggered` labels take above the plot."""
    return altair().ExprRef(f"narrow ? {4 + (ROWS - 1) * HIGH} : {4 + (rows - 1) * HIGH}")
