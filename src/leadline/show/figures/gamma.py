"""Breadth or depth? The Cube Test of the two ideal runs and of the systems, against γ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from leadline.measures.hits import Array
from leadline.measures.subtopics import ideal_run
from leadline.records.other_packages import IdealKind, Theta
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    GREY,
    HEIGHT,
    INK,
    WIDTH,
    Figure,
    beside,
    count,
    narrow,
    needs,
    percent,
    rows_data,
    short,
    tips,
    with_rows,
)
from leadline.show.report.drawing import WHERE, haloed, report_figure
from leadline.show.report.evidence import Evidence
from leadline.trust.study import open_study

NAME = "gamma"
SOURCE = "Luo, Wing, Yang and Hearst, CIKM 2013: the Cube Test (CT), a unit of time a document"
GAMMAS = tuple(round(0.05 * step, 2) for step in range(21))
IDEALS: Mapping[IdealKind, str] = {"coverage": "ideal for breadth", "single": "ideal for depth"}
LIDS = {"relevance": "with the lid", "off": "without it"}
SECOND = 1.15  # where the second panel starts on the shared axis
MOST = 30  # systems drawn
STEPS = 4  # documents that fill a subtopic if the grades are only 0 and 1

Curves = Mapping[str, Array]  # line: its value at every gamma


@report_figure(NAME, section=WHERE, label="breadth or depth", place=80)
def figure(evidence: Evidence, *, effort: int = 10, theta: Theta = "decay") -> Figure:
    """CT against gamma, with the lid and without, for the ideal runs and the systems."""
    lack = partial(needs, NAME, "Breadth or depth: how much is more of the same worth?", source=SOURCE)
    if evidence.subtopics is None:
        return lack("Needs judgements by subtopic or claim: topic, subtopic, document, grade.")
    if not len(evidence.answerable):
        return lack("Needs a topic with a relevant document.")
    full = STEPS if evidence.subtopics.largest == 1 else evidence.subtopics.largest
    ideals = {IDEALS[kind]: ideal_run(evidence.qrels, kind, theta) for kind in IDEALS}
    drawn = evidence.order[:MOST]
    panels: dict[str, Curves] = {}
    for lid in LIDS:
        measures = [f"CT(gamma={gamma},theta={theta},lid={lid},max_grade={full})@{effort}" for gamma in GAMMAS]
        best = open_study(evidence.qrels, ideals, measures).scores().mean_values()
        ours = evidence.scores(measures).mean_values()
        panels[lid] = dict(zip(ideals, best, strict=True)) | {run: ours[evidence.place(run)] for run in drawn}
    rows = [
        {"lid": lid, "line": line, "gamma": gamma, "CT": round(float(value), 5)}
        for lid, curves in panels.items()
        for line, values in curves.items()
        for gamma, value in zip(GAMMAS, values, strict=True)
    ]
    said = reading(evidence, panels, len(drawn)) + _steps(evidence)
    return Figure(NAME, title(panels), said, _chart(evidence, panels, rows, effort), rows, SOURCE)


def title(panels: Mapping[str, Curves]) -> str:
    """Which ideal wins with the lid, and which without."""
    lead = {lid: curves[IDEALS["coverage"]] - curves[IDEALS["single"]] for lid, curves in panels.items()}
    return f"With the lid, {who_wins(lead['relevance'])}; without it, {who_wins(lead['off'])}"


def who_wins(lead: Array) -> str:
    """Which of the two ideals wins, given by how much breadth leads at every gamma.

    >>> ones = np.ones(len(GAMMAS))
    >>> who_wins(ones), who_wins(-ones), who_wins(0 * ones)
    ('breadth wins at every γ', 'depth wins at every γ', 'breadth and depth are equal')
    >>> who_wins(np.where(np.array(GAMMAS) > 0.62, -1.0, 1.0))
    'breadth wins up to γ 0.6, depth beyond'
    """
    signs = np.sign(np.round(lead, 9))
    nonzero = signs[signs != 0]
    if not len(nonzero):
        return "breadth and depth are equal"
    first, second = ("breadth", "depth") if nonzero[0] > 0 else ("depth", "breadth")
    if (nonzero == nonzero[0]).all():
        return f"{first} wins at every γ"
    last = GAMMAS[int(np.flatnonzero(signs == nonzero[0]).max())]
    if (np.diff(nonzero) != 0).sum() == 1:
        return f"{first} wins up to γ {last:g}, {second} beyond"
    return f"{first} wins at {int((signs == nonzero[0]).sum())} of {len(GAMMAS)} values of γ, {second} at others"


def reading(evidence: Evidence, panels: Mapping[str, Curves], drawn: int) -> str:
    """How close the best system comes to the ideal, and what is not shown."""
    middle = GAMMAS.index(0.5)
    curves = panels["relevance"]
    best = max(evidence.order[:drawn], key=lambda run: curves[run][middle])
    ideal = max(curves[name][middle] for name in IDEALS.values())
    text = (
        f"At γ 0.5 with the lid, {best} fills the need at {percent(float(curves[best][middle] / ideal))} of the speed "
    )
    text += "of the better ideal"
    left = len(evidence.runs) - drawn
    return f"{text}; {count(left, 'system')} below the first {drawn} left out." if left else f"{text}."


def _steps(evidence: Evidence) -> str:
    assert evidence.subtopics is not None
    if evidence.subtopics.largest > 1:
        return ""
    assumed = f"{STEPS} documents are assumed to fill a subtopic"
    return f" Grades are 0 and 1 here, so {assumed}; otherwise γ would have no effect."


def _chart(evidence: Evidence, panels: Mapping[str, Curves], rows: Sequence[dict[str, Any]], effort: int) -> Any:
    """Two panels side by side on one axis, so that the page can set the width."""
    curves = panels["off"]
    top = 1.15 * max(float(values.max()) for both in panels.values() for values in both.values()) or 1.0
    named = [*IDEALS.values(), *(run for run in evidence.named if run in curves)]
    colours = {line: INK if line in IDEALS.values() else evidence.colour(line) for line in named}
    dashes = [[6, 3] if line == IDEALS["single"] else [1, 0] for line in named]
    ticks = [0, 0.5, 1, SECOND, SECOND + 0.5, SECOND + 1]
    axis = alt.Axis(
        values=ticks,
        tickCount=len(ticks),
        labelExpr=f"format(datum.value < {SECOND} ? datum.value : datum.value - {SECOND}, '.1f')",
        grid=False,
        domain=False,
    )
    base = (
        alt.Chart.of(rows_data())
        .transform_calculate(x=f"datum.gamma + (datum.lid == 'off' ? {SECOND} : 0)")
        .encode(
            x=alt.X(
                "x:Q",
                title="γ: what more of the same is worth",
                axis=axis,
                scale=alt.Scale(domain=[0, SECOND + 1], nice=False),
            ),
            y=alt.Y(
                "CT:Q", title=f"CT@{effort}", scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=5)
            ),
            tooltip=tips("line:N", "gamma:Q", "CT:Q", "lid:N"),
        )
    )
    is_named = alt.one_of("line", named)
    grey = base.transform_filter(alt.unless(is_named)).mark_line(strokeWidth=1, opacity=0.4, color=GREY)
    bright = base.transform_filter(is_named).mark_line(strokeWidth=2.5)
    colour = alt.Color("line:N", legend=None, scale=alt.Scale(domain=named, range=list(colours.values())))
    dash = alt.StrokeDash("line:N", legend=None, scale=alt.Scale(domain=named, range=dashes))
    heads = [{"x": 0, "y": top, "text": LIDS["relevance"]}, {"x": SECOND, "y": top, "text": LIDS["off"]}]
    ideals = [{"x": 0, "y": float(panels["relevance"][line][0]), "text": line} for line in IDEALS.values()]
    labels = {line: (float(curves[line][-1]), short(line)) for line in named}
    apart = alt.Detail(["line:N", "lid:N"])
    chart = alt.layer(
        grey.encode(detail=apart),
        bright.encode(color=colour, strokeDash=dash, detail=apart),
        haloed(heads, align="left", baseline="top", dx=4, dy=2),
        haloed(ideals, align="left", baseline="bottom", dx=4, dy=-15),
        beside(labels, colours, (0.0, top), HEIGHT),
    )
    return with_rows(chart.add_params(narrow()).properties(width=WIDTH, height=HEIGHT), rows)
