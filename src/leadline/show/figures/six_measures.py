"""Is the first system first in everything? Six measures of each system side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from leadline.measures.definition import interval
from leadline.measures.hits import Array
from leadline.records.scores import Scores
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    GREY,
    INK,
    PAPER,
    WIDTH,
    Figure,
    both,
    count,
    decimal,
    decimal_column,
    narrow,
    ordinal,
    rounded,
    tips,
    with_rows,
)
from leadline.show.report.drawing import (
    LIST_ROW,
    LIST_ROW_NARROW,
    WHERE,
    chosen_params,
    list_params,
    list_y,
    listed,
    names_of_list,
    report_figure,
    room_above,
    staggered,
)
from leadline.show.report.evidence import Evidence
from leadline.trust.rankings import places, sign

NAME = "six_measures"
SOURCE = "Means over topics with 95 % intervals by Student's t; each column from 0 to its own largest value"
MOST = 16  # systems shown
MORE = {"narrow_row": LIST_ROW_NARROW}  # for the page
GAP = 0.16  # of a column, left between two


def six(evidence: Evidence) -> tuple[str, ...]:
    """The default measures: those of `evidence.trio`, and three of the first page of results."""
    option = "" if evidence.level == 1 else f"(rel={evidence.level})"
    last = f"P{option}@30" if evidence.estimated else f"RR{option}"  # the rank of one document cannot be estimated
    return (*evidence.trio, "nDCG@10", f"P{option}@10", last)


@report_figure(NAME, section=WHERE, label="six measures side by side", place=30, estimated=True)
def figure(evidence: Evidence, measures: Sequence[str] | None = None) -> Figure:
    """A row for each system, best first by the deciding measure; a column for each measure, with intervals."""
    names = six(evidence) if measures is None else tuple(measures)
    scores = evidence.scores(names)
    means, widths = scores.mean_values(), scores.half_widths()
    shown = choice(evidence, scores)
    written = [decimal_column(column) for column in means.T.tolist()]
    rows = [
        {
            "place": place,
            "run": run,
            "measure": name,
            "column": m,
            "mean": rounded(means[r, m]),
            "low": rounded(low),
            "high": rounded(high),
            "written": written[m][r],
            "best": r == scores.leader_index(m),
        }
        for run in shown
        for place, r in [(evidence.order.index(run) + 1, evidence.place(run))]
        for m, name in enumerate(names)
        for low, high in [interval(name, means[r, m], widths[r, m])]
    ]
    chart = _chart(evidence, scores, shown, rows)
    return Figure(NAME, title(evidence, scores), reading(evidence, scores, shown), chart, rows, SOURCE, MORE)


def choice(evidence: Evidence, scores: Scores) -> tuple[str, ...]:
    """The systems to show: the first by the deciding measure, and those that lead under another."""
    winners = {scores.runs[scores.leader_index(m)] for m in range(len(scores.measures))}
    return tuple(run for place, run in enumerate(evidence.order) if place < MOST or run in winners)


def title(evidence: Evidence, scores: Scores) -> str:
    """In how many measures the leader has the best mean, and who has it in the others."""
    names = scores.measures
    if len(evidence.runs) == 1:
        means = scores.mean_values()[0]
        said = [f"{name} {decimal(value)}" for name, value in zip(names, means, strict=True)]
        return f"{evidence.leader}: {both(said)}"
    winners = [scores.runs[scores.leader_index(m)] for m in range(len(names))]
    won = sum(winner == evidence.leader for winner in winners)
    if won == len(names):
        return f"{evidence.leader} is first in all {len(names)} measures"
    others: dict[str, list[str]] = {}
    for name, winner in zip(names, winners, strict=True):
        if winner != evidence.leader:
            others.setdefault(winner, []).append(name)
    rest = both([f"{winner} in {both(led)}" for winner, led in others.items()])
    return f"{evidence.leader} is first in {won} of {len(names)} measures, {rest}"


def reading(evidence: Evidence, scores: Scores, shown: Sequence[str]) -> str:
    """The leader's worst place, and what is not shown."""
    values = scores.mean_values() * np.array([sign(better) for better in scores.better])
    behind = places(values.T)[:, evidence.place(evidence.leader)]
    worst = int(behind.argmax())
    text = "The line is the 95 % interval over topics"
    if len(evidence.runs) > 1 and behind[worst] > 1:
        text = f"{evidence.leader} comes {ordinal(int(behind[worst]))} under {scores.measures[worst]}. {text}"
    left = len(evidence.runs) - len(shown)
    if left:
        text += (
            f"; shown are the first {MOST} by {evidence.measure.text} and who is first under another, not {count(left)}"
        )
    return f"{text}; the best of all systems is ringed."


def _largest(rows: Sequence[dict[str, Any]], columns: int) -> Array:
    """The end of each column: the largest mean or end of an interval that is shown."""
    ends = np.full(columns, 1e-9)
    for row in rows:
        ends[row["column"]] = max(ends[row["column"]], row["mean"] or 0, row["high"] or 0)
    return ends


def _chart(evidence: Evidence, scores: Scores, shown: Sequence[str], rows: Sequence[dict[str, Any]]) -> Any:
    """All columns on one axis, so that the page can set the width."""
    columns = len(scores.measures)
    decides = scores.measures.index(evidence.measure.text) if evidence.measure.text in scores.measures else 0
    ends = (_largest(rows, columns) / (1 - GAP)).tolist()
    inside = "ends[datum.column]"
    base = (
        listed()
        .transform_filter("isValid(datum.mean)")
        .transform_calculate(
            at=f"datum.column + max(datum.mean, 0) / {inside}",
            start=f"datum.column + max(isValid(datum.low) ? datum.low : datum.mean, 0) / {inside}",
            end=f"datum.column + max(isValid(datum.high) ? datum.high : datum.mean, 0) / {inside}",
        )
    )
    names = alt.Axis(
        values=list(range(columns)),
        tickCount=columns,
        orient="top",
        labelAlign="left",
        labelOverlap=False,
        labelExpr=staggered(scores.measures, list(range(columns)), 2),
        labelPadding=room_above(2),
        ticks=False,
        domain=False,
        grid=True,
    )
    x = alt.X("at:Q", title=None, axis=names, scale=alt.Scale(domain=[0, columns], nice=False))
    y = list_y("middle:Q", len(shown))
    tip = tips("run:N", "measure:N", "mean:Q", "low:Q", "high:Q")
    colour = alt.Color("run:N", legend=None, scale=_colours(evidence, shown))
    line = base.mark_rule(strokeWidth=2, opacity=0.45).encode(x=alt.X("start:Q"), x2=alt.X2("end:Q"), y=y, color=colour)
    dots = base.mark_point(filled=True, size=55, opacity=1).encode(x=x, y=y, color=colour, tooltip=tip)
    best = base.transform_filter("datum.best")
    ring = best.mark_point(size=130, stroke=INK, strokeWidth=1.5, opacity=1).encode(x=x, y=y)
    # The number is on the side of the dot that has room.
    numbers = [
        best.transform_filter(f"!narrow && {where}")
        .mark_text(align=align, dx=dx, fontWeight="bold", **rim)
        .encode(x=x, y=y, text=alt.Text("written:N"))
        for where, align, dx in (("datum.at % 1 < 0.5", "left", 11), ("datum.at % 1 >= 0.5", "right", -11))
        for rim in ({"stroke": PAPER, "strokeWidth": 4}, {})
    ]
    # On a narrow screen, the score by the first column that decides stands at the end of the name's line.
    beside_name = base.transform_filter(f"narrow && datum.column == {decides}").transform_calculate(line="datum.top")
    beside_name = beside_name.mark_text(align="right", baseline="bottom", dy=-3, fontWeight="bold").encode(
        x=alt.XValue("width"), y=alt.Y("line:Q"), text=alt.Text("written:N")
    )
    chart = alt.layer(line, dots, ring, *numbers, names_of_list(len(shown)), beside_name)
    chart = chart.add_params(
        narrow(), *chosen_params(), *list_params(evidence, shown), alt.param(name="ends", value=ends)
    )
    return with_rows(chart.properties(width=WIDTH, height=LIST_ROW * len(shown)), rows)


def _colours(evidence: Evidence, shown: Sequence[str]) -> Any:
    colours = [evidence.colour(run) if run in evidence.named else GREY for run in shown]
    return alt.Scale(domain=list(shown), range=colours if len(shown) > 1 else [INK])
