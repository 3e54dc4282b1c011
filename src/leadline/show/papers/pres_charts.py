"""The charts of the 48 runs of CLEF-IP 2009: the runs sorted by PRES, and their places under the three scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from leadline.measures.hits import Array, Integers
from leadline.show.charts.labels import beside, narrow
from leadline.show.charts.style import BUOY, GREY, OKABE_ITO, altair, measure_colours
from leadline.show.figures.encodings import haloed
from leadline.show.figures.figure import HEIGHT, WIDTH, Figure, rows_data, with_rows
from leadline.trust.order import places as places_of
from leadline.trust.tau import tau_a

MEASURES = ("MAP", "PRES", "recall")
SHAPES = ("square", "circle", "triangle-up")
MOVED = 3  # runs whose lines are coloured
TICKS = (1, 12, 24, 36, 48)


def sorted_chart(runs: Sequence[str], means: Array, source: str) -> Figure:
    """MAP, PRES and recall of every run, the runs sorted by PRES; `means` has a column for each."""
    order = np.argsort(-means[:, 1], kind="stable")
    rows = [
        {"run": runs[r], "place": place, "measure": name, "mean": float(means[r, m])}
        for place, r in enumerate(order.tolist(), start=1)
        for m, name in enumerate(MEASURES)
    ]
    alt = altair()
    names, last = list(MEASURES), len(runs)
    x = alt.X("place:Q", title="place of the run by PRES", scale=alt.Scale(domain=[1, last], nice=False),
              axis=alt.Axis(grid=False, tickMinStep=1, tickCount=8))  # fmt: skip
    y = alt.Y("mean:Q", title="mean over topics", scale=alt.Scale(domain=[0, 0.7]), axis=alt.Axis(tickCount=7))
    colour = alt.Color("measure:N", legend=None, scale=alt.Scale(domain=names, range=measure_colours(names)))
    shape = alt.Shape("measure:N", legend=None, scale=alt.Scale(domain=names, range=list(SHAPES)))
    base = alt.Chart(rows_data()).encode(x=x, y=y, color=colour)
    dots = base.mark_point(filled=True, size=36, opacity=0.9)
    dots = dots.encode(shape=shape, tooltip=["run:N", "measure:N", "mean:Q", "place:Q"])
    words = [{"x": 2, "y": float(means[order[:6], m].max()), "text": name} for m, name in enumerate(MEASURES)]
    labels = haloed(words, align="left", dy=-14, fontWeight="bold")
    chart = alt.layer(base.mark_line(strokeWidth=1, opacity=0.5), dots, labels).add_params(narrow())
    with_map, with_recall = (float(tau_a(means[:, 1], means[:, m])) for m in (0, 2))
    return Figure(
        "pres-2010-sorted",
        f"PRES orders the {last} runs like recall (τ {with_recall:.2f}) rather than like MAP (τ {with_map:.2f})",
        "Where a mark jumps away from its line, that score would order the runs differently.",
        with_rows(chart.properties(width=WIDTH, height=HEIGHT), rows), rows, f"{source}; figure 5 there",
    )  # fmt: skip


def places_chart(runs: Sequence[str], means: Array, source: str) -> Figure:
    """The place of every run under MAP, PRES and recall, with lines between."""
    places = places_of(means.T).T
    moved = np.argsort(-np.abs(places[:, 0] - places[:, 2]), kind="stable")[:MOVED].tolist()
    rows = [
        {"run": runs[r], "measure": name, "place": int(places[r, m]), "moved": r in moved}
        for r in range(len(runs))
        for m, name in enumerate(MEASURES)
    ]
    far = moved[0]
    by_map, by_pres, by_recall = places[far].tolist()
    title = f"{runs[far]} is {by_map} of {len(runs)} by MAP, {by_pres} by PRES and {by_recall} by recall"
    reading = f"Coloured are the {MOVED} runs that MAP and recall place furthest apart; PRES puts them in between."
    chart = _lines(runs, places, moved, rows)
    return Figure("pres-2010-places", title, reading, chart, rows, f"{source}; figure 6 there")


def _lines(runs: Sequence[str], places: Integers, moved: Sequence[int], rows: Sequence[dict[str, Any]]) -> Any:
    alt = altair()
    top = len(runs) + 1  # heights count from the last place up, as the labels beside the chart need
    colours = dict(zip((runs[r] for r in moved), (BUOY, OKABE_ITO[0], OKABE_ITO[2]), strict=True))
    x = alt.X("measure:N", sort=list(MEASURES), title=None, scale=alt.Scale(padding=0),
              axis=alt.Axis(orient="top", labelAngle=0, domain=False, ticks=False))  # fmt: skip
    axis = alt.Axis(values=[top - place for place in TICKS], labelExpr=f"{top} - datum.value", grid=False, domain=False)
    heights = alt.Scale(domain=[0, top], nice=False)
    y = alt.Y("height:Q", title="place (1 is the best)", scale=heights, axis=axis)
    base = alt.Chart(rows_data()).transform_calculate(height=f"{top} - datum.place")
    base = base.encode(x=x, y=y, detail="run:N", tooltip=["run:N", "measure:N", "place:Q"])
    grey = base.transform_filter("!datum.moved").mark_line(strokeWidth=1, opacity=0.45, color=GREY)
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    bright = base.transform_filter("datum.moved").mark_line(strokeWidth=2.5)
    bright = bright.encode(color=alt.Color("run:N", legend=None, scale=scale))
    labels = {runs[r]: (float(top - places[r, 2]), runs[r]) for r in moved}
    chart = alt.layer(grey, bright, beside(labels, colours, (0.0, float(top)), HEIGHT)).add_params(narrow())
    return with_rows(chart.properties(width=WIDTH, height=HEIGHT), rows)


def rnorm_chart(ranks: Sequence[int], sizes: Sequence[int], values: Sequence[float]) -> Figure:
    """Recall against the share of the collection read: the best case, a list, and the worst case, for each size."""
    n = len(ranks)
    rows = [
        {"collection": f"{size} documents", "case": case, "read": place / size, "recall": found / n}
        for size in sizes
        for case, at in (
            ("best", list(range(1, n + 1))), ("the list", list(ranks)), ("worst", list(range(size - n + 1, size + 1))),
        )
        for place, found in ((0, 0), *zip(at, range(1, n + 1), strict=True), (size, n))
    ]  # fmt: skip
    alt = altair()
    cases = ["best", "the list", "worst"]
    x = alt.X("read:Q", title="share of the collection read", axis=alt.Axis(format="%", tickCount=5))
    y = alt.Y("recall:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5))
    colour = alt.Color("case:N", title=None, scale=alt.Scale(domain=cases, range=[OKABE_ITO[2], BUOY, GREY]))
    colour = colour.legend(orient="top")
    dash = alt.StrokeDash("collection:N", title=None, sort=[f"{size} documents" for size in sizes])
    dash = dash.legend(orient="top")
    chart = alt.Chart(rows_data()).mark_line(interpolate="step-after", strokeWidth=2).encode(
        x=x, y=y, color=colour, strokeDash=dash, tooltip=["collection:N", "case:N", "read:Q", "recall:Q"]
    )  # fmt: skip
    said = " and ".join(f"{value:.3f} among {size} documents" for value, size in zip(values, sizes, strict=True))
    return Figure(
        "pres-2010-rnorm", f"The same list has Rnorm {said}",
        "Rnorm is the area between the worst case and the list, as a share of that between the worst and the best.",
        with_rows(chart.properties(width=WIDTH, height=HEIGHT).add_params(narrow()), rows), rows,
        "Magdy and Jones, SIGIR 2010, figures 1 and 2",
    )  # fmt: skip
