"""How clean is what a system finds, the more of it is found? Interpolated precision at eleven shares of recall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from leadline.measures.hits import Array
from leadline.records.scores import Scores
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    GREY,
    HEIGHT,
    WIDTH,
    Figure,
    beside,
    both,
    count,
    decimal,
    decimal_column,
    narrow,
    rows_data,
    short,
    tips,
    with_rows,
)
from leadline.show.report.drawing import (
    WHERE,
    chosen_params,
    highlighted_lines,
    report_figure,
    spread_over,
    system_colour,
    system_dash,
    tested_signs,
)
from leadline.show.report.evidence import Evidence

NAME = "precision_recall"
SOURCE = "Interpolated precision at recall 0, 0.1, … 1 as trec_eval computes it, mean over topics"
TENTHS = tuple(tenth / 10 for tenth in range(11))
HALF = 5  # of the tenths: where half is found


@report_figure(NAME, section=WHERE, label="precision and recall", place=20)
def figure(evidence: Evidence) -> Figure:
    """The curve of every run: few in colour, of many the leader and the challenger, the rest in grey."""
    option = "" if evidence.level == 1 else f"(rel={evidence.level})"
    scores = evidence.scores([f"iprec{option}@{tenth:g}" for tenth in TENTHS])
    means = np.nan_to_num(scores.mean_values())
    rows = [
        {"run": run, "recall": tenth, "precision": round(float(means[evidence.place(run), at]), 4)}
        for run in evidence.order
        for at, tenth in enumerate(TENTHS)
    ]
    return Figure(NAME, title(evidence, scores), reading(evidence, means), _chart(evidence, rows), rows, SOURCE)


def title(evidence: Evidence, scores: Scores) -> str:
    """Where the leader or the challenger is significantly more precise; else what is shown."""
    first = evidence.place(evidence.leader)
    if evidence.challenger is None:
        means = scores.mean_values()[first]
        return (
            f"{evidence.leader} is at precision {decimal(means[1])} when a tenth is found, "
            f"and at {decimal(means[HALF])} when half is"
        )
    gaps = scores.values[first] - scores.values[evidence.place(evidence.challenger)]
    signs = tested_signs(list(gaps.T))
    ahead, behind = int((signs > 0).sum()), int((signs < 0).sum())
    if bool(ahead) == bool(behind):
        return "Precision against recall"
    pair = (evidence.leader, evidence.challenger) if ahead else (evidence.challenger, evidence.leader)
    return f"{pair[0]} is more precise than {pair[1]} at {ahead or behind} of {len(TENTHS)} shares of recall"


def reading(evidence: Evidence, means: Array) -> str:
    """The precision when half is found, and what is drawn in grey."""
    pair = [run for run in (evidence.leader, evidence.challenger) if run is not None]
    shown = decimal_column([float(means[evidence.place(run), HALF]) for run in pair])
    parts = [f"{mean} for {run}" for mean, run in zip(shown, pair, strict=True)]
    text = f"When half of what is known is found, precision is {both(parts)}; 1 would be a list without errors."
    others = len(evidence.runs) - len(evidence.named)
    return text + (f" Grey: the {count(others, 'other system')}." if others else "")


def _chart(evidence: Evidence, rows: Sequence[dict[str, Any]]) -> Any:
    axis = alt.Axis(orient="right", format=".1f", tickCount=5, domain=False)  # the labels of the lines are on the left
    base = alt.Chart.of(rows_data()).encode(
        x=alt.X(
            "recall:Q",
            title="recall: share of the relevant documents found",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="%", grid=False, tickCount=5),
        ),
        y=alt.Y("precision:Q", title="interpolated precision", scale=alt.Scale(domain=[0, 1]), axis=axis),
        tooltip=tips("run:N", "recall:Q", "precision:Q"),
    )
    is_named = alt.one_of("run", list(evidence.named))
    others = base.transform_filter(alt.unless(is_named)).mark_line(strokeWidth=1, opacity=0.28, color=GREY)
    named = base.transform_filter(is_named).mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=28))
    starts = {row["run"]: row["precision"] for row in reversed(rows)}  # at recall 0
    ends = decimal_column([starts[run] for run in evidence.named], 2)
    labels = {run: (starts[run], f"{short(run)}  {end}") for run, end in zip(evidence.named, ends, strict=True)}
    colours = {run: evidence.colour(run) for run in evidence.named}
    named_lines = beside(labels, colours, (0.0, 1.0), HEIGHT, side="left")
    chart = alt.layer(
        others.encode(detail=alt.Detail("run:N")),
        named.encode(color=system_colour(evidence), strokeDash=system_dash(evidence)),
        highlighted_lines(base, "recall", spread_over(TENTHS[5:]), rising=False),
        named_lines,
    )
    chart = chart.properties(width=WIDTH, height=HEIGHT).add_params(narrow(), *chosen_params())
    return with_rows(chart, rows)
