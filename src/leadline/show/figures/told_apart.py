"""Who cannot be told apart from the first? The scores with their intervals, and the verdict on each system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leadline.show import vega_lite as alt
from leadline.show.charts import (
    GREY,
    WIDTH,
    Figure,
    count,
    narrow,
    needs,
    rounded,
    rows_data,
    tips,
    with_rows,
)
from leadline.show.report.drawing import BOLD, CHOSEN, WHO, chosen_params, numbered, report_figure
from leadline.show.report.evidence import Evidence
from leadline.trust.pairs import Standing
from leadline.trust.verdict import placed

NAME = "told_apart"
MOST = 14  # systems shown
ROW = 24  # pixels
SOURCE = (
    "Means over topics with 95\u202f% intervals by Student's t. The verdict is that of a paired test, corrected for "
    "all pairs of systems, so it can be firm where intervals overlap."
)


@report_figure(NAME, section=WHO, label="who cannot be told apart", place=15, estimated=True)
def figure(evidence: Evidence) -> Figure:
    """The first systems by the deciding measure, and the baseline, each with the verdict against the first."""
    found = evidence.standing
    if not found.verdicts:
        few = "Needs two runs and two topics with a value for every run."
        return needs(NAME, "Who cannot be told apart", evidence.no_verdict if evidence.comparable else few, SOURCE)
    shown = _systems_to_show(evidence)
    rows = []
    for run in evidence.order:
        r = evidence.place(run)
        verdict = placed(found.words.get(run))
        rows.append(
            {
                "place": evidence.order.index(run) + 1,
                "run": run,
                "shown": run in shown,
                "mean": rounded(float(found.pairs.means[r])),
                "low": rounded(float(found.pairs.low_means[r])),
                "high": rounded(float(found.pairs.high_means[r])),
                "verdict": verdict,
                "note": verdict + (" (baseline)" if run == evidence.baseline else ""),
            }
        )
    chart = _chart(evidence, len(shown), intervals=any(row["low"] is not None for row in rows))
    return Figure(NAME, found.ladder_title(), reading(evidence, found, shown), with_rows(chart, rows), rows, SOURCE)


def _systems_to_show(evidence: Evidence) -> tuple[str, ...]:
    """The first systems, and the baseline wherever it is."""
    first = evidence.order[:MOST]
    return (*first, evidence.baseline) if evidence.baseline and evidence.baseline not in first else first


def reading(evidence: Evidence, found: Standing, shown: Sequence[str]) -> str:
    """The nearest rival, and what is not shown."""
    nearest = found.verdicts[0]
    text = (
        f"Nearest is {nearest.other}, {nearest.word}: {nearest.criterion}; {found.leader} is ahead of it on "
        f"{nearest.wins} of {count(nearest.topics, 'topic')} and behind on {nearest.losses}."
    )
    left = len(evidence.runs) - len(shown)
    return text + (
        f" {count(left, 'system')} further down {'is' if left == 1 else 'are'} shown only if highlighted."
        if left
        else ""
    )


def _chart(evidence: Evidence, shown: int, *, intervals: bool) -> Any:
    axis = alt.Axis(
        labelExpr=numbered(evidence, evidence.order),
        labelFontWeight=BOLD,
        ticks=False,
        domain=False,
        labelLimit=220,
        labelOverlap=False,
    )
    y = alt.Y("run:N", sort=list(evidence.order), title=None, axis=axis)
    x = alt.X(
        "mean:Q",
        title=evidence.measure.text,
        scale=alt.Scale(zero=False, nice=True),
        axis=alt.Axis(tickCount=5, grid=True, labelOverlap="greedy", labelSeparation=6),
    )
    domain = list(evidence.named)
    colours = [evidence.colour(run) for run in domain]
    colour = alt.condition(
        alt.one_of("run", domain),
        alt.Color("run:N", legend=None, scale=alt.Scale(domain=domain, range=colours)),
        alt.value(GREY),
    )
    base = (
        alt.Chart.of(rows_data())
        .transform_filter(f"datum.shown || {CHOSEN}")
        .encode(y=y, tooltip=tips("run:N", "mean:Q", "low:Q", "high:Q", "verdict:N"))
    )
    bars = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2)
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(x=x, color=colour)
    words = base.mark_text(align="left", fontSize=12, dx=6).encode(x=alt.XValue("width"), text=alt.Text("note:N"))
    layers = [*([bars.encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), color=colour)] if intervals else []), dots, words]
    chart = alt.layer(*layers).add_params(narrow(), *chosen_params())
    return chart.properties(width=WIDTH, height=ROW * shown)
