"""The charts of results: missing judgements and retrievability, registered in `trust/study.py`."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

from leadline.show import vega_lite as alt
from leadline.show.charts import (
    DASHES,
    OKABE_ITO,
    PAPER,
    beside,
    decimal_column,
    measure_colours,
    narrow,
    styled,
    tips,
)
from leadline.trust.incomplete import Incomplete
from leadline.trust.retrievability import Retrievability
from leadline.trust.study import plot

WIDTH, HEIGHT = 540, 340  # in pixels
WORDS = 0.4  # of the width: the words of a guide on a narrow screen
GUIDES = {0.9: "as good as the same", 0.8: "noticeably another"}


@plot("incomplete")
def incomplete_chart(study: Incomplete) -> Any:
    """The chart with its finding as title."""
    title = alt.title(textwrap.wrap(study.finding(), 90), subtitle=caption(study))
    return styled(plain(study).properties(width=WIDTH, height=HEIGHT, title=title)).in_altair()


def caption(study: Incomplete) -> str:
    """What the lines are."""
    samples = study.tau.shape[1]
    return f"{study.runs} runs, {samples} samples per share; thick line: their mean, thin line: the lowest"


def plain(study: Incomplete) -> alt.Chart:
    """The chart without title: lines coloured by measure and dashed by effort, labelled where they start."""
    lines = rows(study)
    floor = min(0.7, math.floor(10 * min(row["lowest"] for row in lines) + 1e-9) / 10)
    fewest = float(min(study.known))
    first = {row["measure"]: row["mean"] for row in lines if row["known"] == round(fewest, 4)}
    shown = decimal_column(list(first.values()), 2)
    labels = {name: (mean, f"{name}  {text}") for (name, mean), text in zip(first.items(), shown, strict=True)}
    colours, dashes = styles(study.measures)
    colour = alt.Color("measure:N", legend=None, scale=alt.Scale(domain=list(study.measures), range=colours))
    dash = alt.StrokeDash("measure:N", legend=None, scale=alt.Scale(domain=list(study.measures), range=dashes))
    heights = alt.Scale(domain=[floor, 1], nice=False)
    likeness = "likeness to the full ranking (Kendall's τ" + (")" if floor == 0 else f", from {floor:.1f})")
    # The labels of the lines are on the left.
    axis = alt.Axis(orient="right", format=".1f", tickCount=5, tickMinStep=0.1, domain=False)
    x = alt.X(
        "known:Q",
        title="share of the relevant documents that is known",
        scale=alt.Scale(domain=[fewest, 1], nice=False),
        axis=alt.Axis(
            format="%", values=[*study.known.round(4).tolist(), 1.0], tickCount=len(study.keep) + 1, grid=False
        ),
    )
    base = alt.Chart.of(alt.values(lines)).encode(
        x=x,
        color=colour,
        strokeDash=dash,
        tooltip=tips("measure:N", "keep:Q", "known:Q", "mean:Q", "lowest:Q", "low:Q", "high:Q"),
    )
    mean = base.mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=40)).encode(
        y=alt.Y("mean:Q", title=likeness, scale=heights, axis=axis)
    )
    lowest = base.mark_line(strokeWidth=1, opacity=0.8).encode(y=alt.Y("lowest:Q", scale=heights))
    guides = alt.Chart.of(alt.values([{"y": at, "text": text} for at, text in GUIDES.items()]))
    rule = guides.mark_rule(strokeDash=[2, 4], opacity=0.6).encode(y=alt.Y("y:Q", scale=heights))
    named = []
    for at, text in GUIDES.items():
        side, dy = free_place(lines, at, (1 - floor) / HEIGHT)
        words = alt.Chart.of(alt.values([{"at": at, "said": text}])).encode(
            x=alt.XValue("width" if side == "right" else 0), y=alt.Y("at:Q", scale=heights), text=alt.Text("said:N")
        )
        place = {"align": side, "dx": -4 if side == "right" else 4, "dy": dy, "fontSize": 12}
        named += [words.mark_text(**place, stroke=PAPER, strokeWidth=4), words.mark_text(**place)]
    of = dict(zip(study.measures, colours, strict=True))
    starts = beside(labels, of, (floor, 1.0), HEIGHT, side="left", corner="bottom right")
    return alt.layer(rule, lowest, mean, *named, starts).add_params(narrow())


def free_place(lines: Sequence[dict[str, Any]], at: float, pixel: float) -> tuple[str, int]:
    """Where the words of a guide are farthest from all lines: at the left or right, above or below the guide.

    `pixel` is the height of a pixel on the axis; the second number is the distance from the guide in pixels.

    >>> free_place([{"measure": "AP", "known": k, "mean": k, "lowest": k} for k in (0.2, 0.6, 1.0)], 0.9, 0.002)
    ('left', -9)
    """
    known = np.array([row["known"] for row in lines])
    curves = []
    for measure in dict.fromkeys(row["measure"] for row in lines):
        own = [row for row in lines if row["measure"] == measure]
        curves += [([row["known"] for row in own], [row[name] for row in own]) for name in ("mean", "lowest")]

    def distance(side: str, dy: int) -> float:
        start, end = (0.0, WORDS) if side == "left" else (1 - WORDS, 1.0)
        x = known.min() + np.linspace(start, end, 9) * (known.max() - known.min())
        return min(float(np.abs(np.interp(x, *curve) - (at - dy * pixel)).min()) for curve in curves)

    return max((("left", -9), ("left", 10), ("right", -9), ("right", 10)), key=lambda place: distance(*place))


def rows(study: Incomplete) -> list[dict[str, Any]]:
    """The rows of the chart: for each measure and share the mean and lowest tau, and the middle 95 % of the samples.

    With all judgements tau is 1. A share whose samples give no ranking is left out.
    """
    low, high = study.interval
    columns = {"mean": study.mean, "lowest": study.lowest, "low": low, "high": high}
    found = []
    for m, measure in enumerate(study.measures):
        for k in np.argsort(study.keep).tolist():
            row = {name: round(float(column[k, m]), 4) for name, column in columns.items()}
            if study.keep[k] < 1 and not math.isnan(row["mean"]):
                found.append(
                    {"measure": measure, "keep": study.keep[k], "known": round(float(study.known[k]), 4), **row}
                )
        found.append({"measure": measure, "keep": 1.0, "known": 1.0, **dict.fromkeys(columns, 1.0)})
    return found


def styles(measures: Sequence[str]) -> tuple[list[str], list[list[int]]]:
    """The colour of each measure, and a dash for each of its efforts.

    >>> styles(["AP@100", "AP@1000", "R@100"])
    (['#8c5a1e', '#8c5a1e', '#4d7c2a'], [[1, 0], [6, 3], [1, 0]])
    """
    families: dict[str, list[str]] = {}
    for name in measures:
        families.setdefault(name.partition("@")[0], []).append(name)
    dashes = [DASHES[families[name.partition("@")[0]].index(name) % len(DASHES)] for name in measures]
    return measure_colours(measures), dashes


# The chart of retrievability: a Lorenz curve for each run.


SIDE = 380  # in pixels


@plot("retrievability")
def retrievability_chart(found: Retrievability) -> Any:
    """The share of all retrievability that the documents hold, those found least first; even would be the diagonal."""
    shares, curve = found.lorenz()
    shown = decimal_column(found.gini.tolist(), 2)
    names = [f"{run}  G = {gini}" for run, gini in zip(found.runs, shown, strict=True)]
    rows = [
        {"run": name, "documents": round(float(share), 4), "retrievability": round(float(value), 4)}
        for name, values in zip(names, curve, strict=True)
        for share, value in zip(shares, values, strict=True)
    ]
    colours = [OKABE_ITO[place % len(OKABE_ITO)] for place in range(len(names))]
    x = alt.X("documents:Q", title="share of the documents, those found least first", axis=alt.Axis(format="%"))
    y = alt.Y("retrievability:Q", title="share of all retrievability", axis=alt.Axis(format="%"))
    lines = (
        alt.Chart.of(alt.values(rows))
        .mark_line(strokeWidth=2)
        .encode(
            x=x,
            y=y,
            color=alt.Color("run:N", title=None, sort=names, scale=alt.Scale(domain=names, range=colours)),
            tooltip=tips("run:N", "documents:Q", "retrievability:Q"),
        )
    )
    ends = [{"documents": 0, "retrievability": 0}, {"documents": 1, "retrievability": 1}]
    even = alt.Chart.of(alt.values(ends)).mark_line(strokeDash=[2, 4], strokeWidth=1, opacity=0.6).encode(x=x, y=y)
    subtitle = f"within {found.cutoff} ranks; dotted: every document is found as easily"
    title = alt.title(textwrap.wrap(found.finding(), 90), subtitle=subtitle)
    return styled((even + lines).properties(width=SIDE, height=SIDE, title=title)).in_altair()
