"""What does PRES reward? Its value for every recall and lateness, with the topics of a system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from leadline.measures.hits import Array
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    BUOY,
    HEIGHT,
    PAPER,
    WIDTH,
    Figure,
    count,
    decimal,
    depth_scale,
    needs,
    rows_data,
    tips,
    with_rows,
)
from leadline.show.report.drawing import BEHAVE, IN_SLICE, report_figure, slice_param
from leadline.show.report.evidence import Evidence, measure_at

NAME = "pres_surface"
SOURCE = (
    "Magdy and Jones, SIGIR 2010, figure 4a. PRES = recall × (1 − lateness): lateness is how far the mean rank of what "
    "was found is behind the best possible, as a share of the effort"
)
STEPS = 40  # cells along each axis
SIDE = 1.08 / STEPS  # of a cell: cells overlap slightly, otherwise gaps are visible between them


@report_figure(NAME, section=BEHAVE, label="PRES over recall and rank", place=20)
def figure(evidence: Evidence, run: str | None = None) -> Figure:
    """PRES over recall and lateness, with the topics of one run. Default: the leader."""
    if not len(evidence.answerable):
        return needs(NAME, "What does PRES reward?", "Needs a topic with a relevant document.", SOURCE)
    who = evidence.leader if run is None else run
    effort, level = evidence.effort, evidence.level
    scores = evidence.scores([measure_at("PRES", effort, level), measure_at("R", effort, level)])
    values = scores.values[evidence.place(who)][evidence.answerable]
    pres, recall = values[:, 0], values[:, 1]
    rows = [
        {
            "topic": evidence.topics[t],
            "PRES": round(float(p), 4),
            "recall": round(float(r), 4),
            "lateness": round(float(late), 4),
        }
        for t, p, r, late in zip(evidence.answerable.tolist(), pres, recall, lateness(pres, recall), strict=True)
    ]
    return Figure(NAME, title(who, pres, recall), reading(pres, recall, who), _chart(rows, effort), rows, SOURCE)


def lateness(pres: Array, recall: Array) -> Array:
    """How late the relevant documents were found: 0 first of all, towards 1 last of all; 0 if nothing was found.

    >>> lateness(np.array([0.28, 0.5, 0.0]), np.array([1.0, 0.5, 0.0])).round(2)
    array([0.72, 0.  , 0.  ])
    """
    share = np.divide(pres, recall, out=np.ones(len(pres)), where=recall > 0)
    return np.clip(1 - share, 0, 1)


def title(run: str, pres: Array, recall: Array) -> str:
    """Whether the run loses more by missing documents or by listing them late."""
    missed, late = lost(pres, recall)
    if missed + late < 5e-4:
        return f"{run} loses nothing: it finds all, and finds it first"
    causes = ((missed, "by missing documents"), (late, "by finding some late"))
    (most, first), (least, second) = sorted(causes, key=lambda cause: -cause[0])
    return f"{run} loses {decimal(most)} of PRES {first} and {decimal(least)} {second}"


def lost(pres: Array, recall: Array) -> tuple[float, float]:
    """1 minus the mean PRES in two parts: lost by documents not found, and by documents found late.

    >>> missed, late = lost(np.array([0.28, 0.5]), np.array([1.0, 0.5]))
    >>> round(missed, 2), round(late, 2)
    (0.25, 0.36)
    """
    return float((1 - recall).mean()), float((recall - pres).mean())


def reading(pres: Array, recall: Array, run: str) -> str:
    """What the dots show, and how the topics are distributed."""
    late = lateness(pres, recall)[recall > 0]
    few = int((recall < 0.5).sum())
    text = f"Each dot is a topic of {run}: higher is more found, further right is later"
    text += f"; less than half is found on {count(few, 'topic')} of {len(pres)}"
    return f"{text}, and the mean lateness is {decimal(float(late.mean()), 2)}." if len(late) else f"{text}."


def _chart(rows: Sequence[dict[str, Any]], effort: int) -> Any:
    x = alt.X(
        "x:Q",
        title=f"lateness (0: first of all, 1: at rank {count(effort)})",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(tickCount=5, grid=False),
    )
    y = alt.Y(
        "y:Q",
        title="recall",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(format="%", tickCount=5, grid=False),
    )
    legend = alt.Legend(title="PRES", orient="top", direction="horizontal", format=".2f")
    cells = (  # the chart computes PRES in the middle of every cell by its formula
        alt.Chart.of(alt.sequence(0, STEPS**2, as_="cell"))
        .transform_calculate(x=f"(datum.cell % {STEPS}) / {STEPS}", y=f"floor(datum.cell / {STEPS}) / {STEPS}")
        .transform_calculate(x2=f"min(1, datum.x + {SIDE})", y2=f"min(1, datum.y + {SIDE})")
        .transform_calculate(value="(datum.y + datum.y2) / 2 * (1 - (datum.x + datum.x2) / 2)")
        .mark_rect(strokeWidth=0)
        .encode(
            x=x,
            x2=alt.X2("x2:Q"),
            y=y,
            y2=alt.Y2("y2:Q"),
            color=alt.Color("value:Q", scale=depth_scale(0, 1), legend=legend),
        )
    )
    dots = (
        alt.Chart.of(rows_data())
        .transform_filter(IN_SLICE)
        .mark_point(filled=True, size=60, opacity=1, color=BUOY, stroke=PAPER, strokeWidth=1)
        .encode(x=alt.X("lateness:Q"), y=alt.Y("recall:Q"), tooltip=tips("topic:N", "PRES:Q", "recall:Q", "lateness:Q"))
    )
    return with_rows(alt.layer(cells, dots).add_params(slice_param()).properties(width=WIDTH, height=HEIGHT), rows)
