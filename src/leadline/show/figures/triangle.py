"""How likely is each difference by chance? Two tests of every pair, one on each side of the diagonal."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from leadline.show import vega_lite as alt
from leadline.show.charts import (
    DEPTH,
    Figure,
    drawable,
    narrow,
    needs,
    rows_data,
    short,
    tips,
    with_rows,
)
from leadline.show.report.drawing import BELIEVED, BOLD, chosen_params, numbered, report_figure
from leadline.show.report.evidence import Evidence
from leadline.trust.triangle import Triangle
from leadline.trust.triangle import triangle as both_tests

NAME = "triangle"
MOST = 30  # runs shown
FIT_NARROW = 5  # up to this many runs, also on a narrow screen
WRITTEN = 10  # up to this many runs, each cell shows its p
LEVELS = (0.001, 0.01, 0.05, 0.1)
NAMES = ("p < 0.001", "p < 0.01", "p < 0.05", "p < 0.1", "p ≥ 0.1")
COLOURS = (DEPTH[5], DEPTH[4], DEPTH[3], DEPTH[1], DEPTH[0])
ALPHA = 0.05
SOURCE = "Student's t test below the diagonal, Fisher's randomisation test above it; two-sided, without correction."


@report_figure(NAME, section=BELIEVED, label="p of every pair", place=10, estimated=True)
def figure(evidence: Evidence) -> Figure:
    """The p of every pair of systems by the t test and the randomisation test, the systems best first."""
    scores = evidence.main
    if not evidence.comparable:
        return needs(NAME, "How likely is each difference by chance?", "Two runs and two topics are needed.", SOURCE)
    kept = [evidence.place(run) for run in evidence.order[:MOST]]
    found = both_tests(scores.select_runs(kept), scores.measures[0], seed=evidence.seed)
    rows = [
        {
            "row": a,
            "column": b,
            "test": "randomisation" if j > i else "t",
            "p": float(f"{found.p[i, j]:.3g}"),
            "level": NAMES[int(np.searchsorted(LEVELS, found.p[i, j], side="right"))],
            "written": "<0.001" if found.p[i, j] < 0.001 else f"{found.p[i, j]:.2g}",
        }
        for i, a in enumerate(found.runs)
        for j, b in enumerate(found.runs)
        if i != j
    ]
    return Figure(
        NAME, *_words(evidence, found), with_rows(_chart(evidence, found), rows), rows, SOURCE, {"square": True}
    )


def _chart(evidence: Evidence, found: Triangle) -> Any:
    """A square of cells in five steps of p, darkest for the smallest p."""
    runs = list(found.runs)
    few = len(runs) <= WRITTEN
    side = 46 if few else 16
    plain = {"ticks": False, "domain": False, "labelFontWeight": BOLD, "title": None}
    y = alt.Y("row:N", sort=runs, axis=alt.Axis(**plain, labelExpr=numbered(evidence, runs), labelLimit=200))
    # Columns have the numbers of the rows: names above them would have to be turned.
    number = f"indexof({json.dumps(drawable(list(runs)))}, datum.value) + 1"
    x = alt.X("column:N", sort=runs)
    x = x.axis(**plain, orient="top", labelAngle=0, labelExpr=number, labelOverlap="greedy")
    colour = alt.Color("level:N", scale=alt.Scale(domain=list(NAMES), range=list(COLOURS)))
    colour = colour.legend(title=None, orient="bottom", direction="horizontal", columns=3, symbolType="square")
    base = alt.Chart.of(rows_data()).encode(x=x, y=y)
    cells = base.mark_rect().encode(color=colour, tooltip=tips("row:N", "column:N", "test:N", "p:Q"))
    layers = [cells]
    if few:
        # Text is light on dark cells and dark on light ones: the two ends of the depth scale, in both themes.
        shade = alt.condition("datum.p < 0.05", alt.value(DEPTH[0]), alt.value(DEPTH[5]))
        there = alt.expr(f"narrow && {len(runs)} > {FIT_NARROW} ? 0 : 1")
        layers.append(base.mark_text(opacity=there).encode(text=alt.Text("written:N"), color=shade))
    size = side * len(runs)
    return alt.layer(*layers).add_params(narrow(), *chosen_params()).properties(width=size, height=size)


def _words(evidence: Evidence, found: Triangle) -> tuple[str, str]:
    """Title and reading: how many pairs differ, and whether the two tests agree."""
    above = np.triu_indices(len(found.runs), 1)
    randomised, student = found.p[above], found.p.T[above]
    pairs = len(randomised)
    both, either = (randomised < ALPHA) & (student < ALPHA), (randomised < ALPHA) | (student < ALPHA)
    noun = "pair" if pairs == 1 else "pairs"
    title = f"{int(both.sum())} of {pairs} {noun} of systems differ by {found.measure}, by both tests at 5\u202f%"
    split = int((either & ~both).sum())
    text = (
        "The two tests agree on every pair."
        if split == 0
        else f"The two tests disagree on {split} of the {pairs} {noun}."
    )
    text += " Above the diagonal: the randomisation test; below: the t test; best first."
    text += " No correction is made here for the number of pairs; the verdict makes one."
    nearest = found.p[0, 1]
    text += f" {short(found.runs[0], 40)} against {short(found.runs[1], 40)}: p = {nearest:.2g}"
    text += f" (below {ALPHA:g} counts as different)."
    if len(found.runs) < len(evidence.runs):
        text += f" Shown are the best {len(found.runs)} of {len(evidence.runs)} systems."
    return title, text
