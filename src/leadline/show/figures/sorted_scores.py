"""How do recall and average precision change along the order of the systems by PRES?"""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.measures.definition import interval
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    HEIGHT,
    INK,
    WIDTH,
    Figure,
    decimal_column,
    measure_colours,
    narrow,
    needs,
    ordinal,
    rounded,
    rows_data,
    short,
    tips,
    with_rows,
)
from leadline.show.figures.bump import places_of
from leadline.show.report.drawing import BOLD, CHOSEN, WHO, chosen_params, haloed, numbered, report_figure
from leadline.show.report.evidence import Evidence
from leadline.trust.rankings import best_first, tau_b

NAME = "sorted_scores"
NAMED = 30  # up to this many runs, the chart shows their names
SHAPES = ("square", "circle", "triangle-up")
SOURCE = "After Magdy and Jones, SIGIR 2010; means over topics, with intervals by Student's t (95\u202f%)."


@report_figure(NAME, section=WHO, label="all systems by score", place=30, estimated=True)
def figure(evidence: Evidence) -> Figure:
    """Every system's average precision, PRES and recall, the systems sorted by PRES."""
    names = evidence.trio
    scores = evidence.scores(names)
    means, widths = scores.mean_values(), scores.half_widths()
    if np.isnan(means).all():
        return needs(NAME, "Scores sorted by PRES", "A topic with a relevant document is needed.", SOURCE)
    order = best_first(means[:, 1], evidence.runs)
    rows = [
        {
            "run": evidence.runs[r],
            "place": place,
            "measure": name,
            "mean": rounded(means[r, m]),
            "low": rounded(low),
            "high": rounded(high),
        }
        for place, r in enumerate(order, start=1)
        for m, name in enumerate(names)
        for low, high in [interval(name, means[r, m], widths[r, m])]
    ]
    top = float(min(1.0, max(0.1, np.ceil(np.nanmax(means + np.nan_to_num(widths)) * 10) / 10)))
    many = len(order) > NAMED
    chart = _by_place(evidence, rows, top) if many else _by_name(evidence, rows, top)
    return Figure(NAME, *_words(evidence, means, order, many), with_rows(chart, rows), rows, SOURCE, {"wide": True})


def _encodings(evidence: Evidence, *, labelled: bool) -> tuple[Any, Any]:
    """Colour and shape of the measures, with a legend unless the lines are labelled."""
    names = list(evidence.trio)
    legend = None if labelled else alt.Legend(title=None, orient="top", direction="horizontal", symbolOpacity=1)
    return (
        alt.Color("measure:N", scale=alt.Scale(domain=names, range=measure_colours(names)), legend=legend),
        alt.Shape("measure:N", scale=alt.Scale(domain=names, range=list(SHAPES)), legend=legend),
    )


def _by_name(evidence: Evidence, rows: list[dict[str, Any]], top: float) -> Any:
    """A row for each system, best first: three marks, and the interval of each."""
    colour, shape = _encodings(evidence, labelled=False)
    runs = list(dict.fromkeys(str(row["run"]) for row in rows))
    x = alt.X("mean:Q", title="mean over topics", scale=alt.Scale(domain=[0, top]), axis=alt.Axis(tickCount=6))
    label = numbered(evidence, runs)
    axis = alt.Axis(labelLimit=180, ticks=False, domain=False, labelExpr=label, labelFontWeight=BOLD)
    y = alt.Y("run:N", sort=runs, title=None, axis=axis)
    beside = alt.YOffset("measure:N", sort=list(evidence.trio))
    base = alt.Chart.of(rows_data()).encode(y=y, yOffset=beside, color=colour)
    tip = tips("run:N", "measure:N", "mean:Q", "low:Q", "high:Q")
    bars = base.mark_rule(strokeWidth=1.5, opacity=0.6).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"))
    dots = base.mark_point(filled=True, size=60, opacity=1).encode(x=x, shape=shape, tooltip=tip)
    chart = alt.layer(bars, dots).add_params(narrow(), *chosen_params())
    return chart.properties(width=WIDTH, height=max(90, 34 * len(runs)))


def _by_place(evidence: Evidence, rows: list[dict[str, Any]], top: float) -> Any:
    """Many systems along the axis by their place: PRES falls, and the other measures show where they disagree."""
    names = list(evidence.trio)
    colour, shape = _encodings(evidence, labelled=True)
    last = rows[-1]["place"]
    x = alt.X(
        "place:Q",
        title=f"place of the system by {names[1]}",
        scale=alt.Scale(domain=[1, last], nice=False),
        axis=alt.Axis(grid=False, tickMinStep=1, tickCount=8),
    )
    y = alt.Y("mean:Q", title="mean over topics", scale=alt.Scale(domain=[0, top]), axis=alt.Axis(tickCount=6))
    base = alt.Chart.of(rows_data()).encode(x=x, y=y, color=colour)
    dots = base.mark_point(filled=True, size=26, opacity=0.9).encode(
        shape=shape, tooltip=tips("run:N", "place:Q", "measure:N", "mean:Q")
    )
    begin, end = max(1, last // 20), max(2, last // 5)  # where the curves are furthest apart
    heights = {name: [row["mean"] or 0.0 for row in rows if row["measure"] == name][begin:end] for name in names}
    words = [{"x": begin + 1, "y": max(heights[name]), "text": name} for name in names]
    labels = haloed(words, align="left", dy=-14, fontWeight="bold")
    area = base.transform_filter(alt.equals(names[1], "measure")).mark_area(opacity=0.12)
    lines = base.mark_line(strokeWidth=1, opacity=0.5)
    picked = base.transform_filter(CHOSEN).encode(color=alt.ColorValue(INK))
    rule = picked.mark_rule(strokeWidth=1, strokeDash=[2, 2]).encode(y=alt.YValue(0), y2=alt.Y2Value("height"))
    name = picked.transform_filter(alt.equals(names[1], "measure")).mark_text(align="left", dx=5, fontWeight="bold")
    name = name.encode(text=alt.Text("run:N"), y=alt.Y("mean:Q"))
    chart = alt.layer(area, lines, dots, labels, rule, name).add_params(narrow(), *chosen_params())
    return chart.properties(width=WIDTH, height=HEIGHT)


def _words(evidence: Evidence, means: Any, order: list[int], many: bool) -> tuple[str, str]:
    """Title and reading: how similar the orders are, and which system another measure places very differently."""
    ap, pres, recall = evidence.trio
    scale = "The systems are sorted by PRES" + (", which falls as the shaded edge" if many else "")
    if len(order) < 3 or np.isnan(means).any():
        return (
            f"{evidence.leader} under {ap}, {pres} and {recall}",
            f"{scale}; marks show the means, lines their intervals.",
        )
    with_recall, with_ap = (float(tau_b(means[:, 1], means[:, m])) for m in (2, 0))
    if min(with_recall, with_ap) > 1 - 1e-12:
        return f"{ap}, {pres} and {recall} put the systems in the same order", f"{scale}; lines are intervals."
    closer, farther = (recall, ap) if with_recall >= with_ap else (ap, recall)
    more, less = decimal_column([max(with_recall, with_ap), min(with_recall, with_ap)], 2)
    title = f"{pres} orders the systems more like {closer} (τ {more}) than like {farther} (τ {less})"
    places = [places_of(means[:, m], evidence.runs) for m in range(3)]
    other = 0 if farther == ap else 2
    moved = int(np.argmax(np.abs(places[other] - places[1])))
    run = short(evidence.runs[moved], 40)
    return title, (
        f"{scale}; where other marks jump, that measure would order them differently: {run} is "
        f"{ordinal(int(places[1][moved]))} by {pres} and {ordinal(int(places[other][moved]))} by {farther}."
    )
