"""How much of the known relevant documents is found, for how much reading?"""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.measures.hits import Array
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    BUOY,
    GREY,
    HEIGHT,
    INK,
    WIDTH,
    Figure,
    beside,
    count,
    narrow,
    percent,
    rounded,
    rows_data,
    short,
    tips,
    with_rows,
)
from leadline.show.report.drawing import (
    CHOSEN,
    MINUTES,
    WHO,
    curves,
    effort_x,
    efforts_of,
    first_effort,
    highlighted_lines,
    recall_after_each,
    report_figure,
    spread_over,
    system_colour,
    system_dash,
)
from leadline.show.report.evidence import Evidence

NAME = "recall_effort"
PERFECT, RANDOM = "perfect", "random order"
SOURCE = (
    "Recall and PRES (Magdy and Jones, SIGIR 2010), means over topics; the interval is Student's, 95 %, over topics. "
    "Perfect: all relevant documents first. Random: the leader's own lists shuffled."
)


@report_figure(NAME, section=WHO, label="recall against effort", place=10)
def figure(evidence: Evidence) -> Figure:
    """Recall against effort, with the lines of a perfect and a random order, and an effort that can be dragged."""
    grid = efforts_of(evidence)
    recall, pres = curves(evidence, "R"), curves(evidence, "PRES")
    rows = _rows(evidence, grid, recall.mean_values(), recall.half_widths(), pres.mean_values())
    chart = with_rows(_chart(evidence, grid, rows, recall.mean_values()), rows)
    more = {"steps": {"effort": grid}, "drag": "effort", "readout": list(evidence.named)}
    return Figure(NAME, _title(evidence), _reading(evidence), chart, rows, SOURCE, more)


def _rows(evidence: Evidence, grid: list[int], recall: Array, widths: Array, pres: Array) -> list[dict[str, Any]]:
    """A row for each system and effort, best system first, then the perfect and the random line."""
    rows: list[dict[str, Any]] = []
    for run in evidence.order:
        r = evidence.place(run)
        rows += [
            {
                "kind": "named" if run in evidence.named else "other",
                "run": run,
                "effort": effort,
                "recall": rounded(recall[r, e]),
                "low": rounded(max(recall[r, e] - widths[r, e], 0)),
                "high": rounded(min(recall[r, e] + widths[r, e], 1)),
                "PRES": rounded(pres[r, e]),
            }
            for e, effort in enumerate(grid)
        ]
    rows += [
        {"kind": "guide", "run": PERFECT, "effort": n, "recall": rounded(perfect_recall(evidence, n))} for n in grid
    ]
    return rows + [
        {"kind": "guide", "run": RANDOM, "effort": n, "recall": rounded(random_recall(evidence, n))} for n in grid
    ]


def perfect_recall(evidence: Evidence, effort: int) -> float:
    """The mean recall when all relevant documents come first."""
    known = evidence.relevant[evidence.answerable]
    return float(np.minimum(effort / known, 1).mean())


def random_recall(evidence: Evidence, effort: int) -> float:
    """The mean recall when the leader's documents come in random order."""
    topics = evidence.answerable
    first = evidence.place(evidence.leader) * len(evidence.topics)
    found = evidence.hits.found(evidence.level)[first + topics]
    listed = np.maximum(evidence.hits.retrieved[first + topics], 1)
    return float((found / evidence.relevant[topics] * np.minimum(effort / listed, 1)).mean())


def _chart(evidence: Evidence, grid: list[int], rows: list[dict[str, Any]], recall: Array) -> Any:
    depth = grid[-1]
    named = list(evidence.named)
    effort = alt.param(
        name="effort", value=first_effort(evidence), bind=alt.binding_range(min=1, max=depth, step=1, name="effort")
    )
    minutes = alt.param(name="minutes", value=MINUTES, bind=alt.binding(input="number", name="minutes a document"))
    choice = alt.binding_select(options=["", *evidence.order], name="highlight")
    chosen = [alt.param(name="chosen", value=[], bind=choice), alt.param(name="shades", value=[])]
    x = effort_x("effort:Q", depth)
    y = alt.Y(
        "recall:Q",
        title="recall: share of the known relevant documents found",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%", tickCount=5),
    )
    tip = tips("run:N", "effort:Q", "recall:Q", "low:Q", "high:Q", "PRES:Q")
    every = alt.Chart.of(rows_data()).encode(x=x, y=y)
    # The coloured lines have data of their own: fewer rows to filter while the reader drags the line.
    few = alt.Chart.of(alt.values([row for row in rows if row["kind"] != "other"])).encode(x=x, y=y)
    systems, guides = few.transform_filter("datum.kind == 'named'"), few.transform_filter("datum.kind == 'guide'")
    known = every.transform_filter("datum.kind != 'guide'")
    picked = known.transform_filter(CHOSEN)
    at_effort = {"filled": True, "size": 60, "color": BUOY, "opacity": 1}
    layers = [
        every.transform_filter("datum.kind == 'other'")
        .mark_line(strokeWidth=1, opacity=0.28, color=GREY, invalid="show")
        .encode(detail=alt.Detail("run:N"), tooltip=tip),
        systems.transform_filter(alt.one_of("run", named[:2]))
        .mark_area(opacity=0.14)
        .encode(y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), color=system_colour(evidence)),
        guides.mark_line(strokeWidth=1.5, color=INK, strokeDash=[2, 3], opacity=0.7).encode(detail=alt.Detail("run:N")),
        systems.mark_line(strokeWidth=2.5).encode(
            color=system_colour(evidence), strokeDash=system_dash(evidence), tooltip=tip
        ),
        highlighted_lines(known.encode(tooltip=tip), "effort", spread_over(grid)),
        *(part.transform_filter("datum.effort == effort").mark_point(**at_effort) for part in (systems, picked)),
        _effort_line(alt),
    ]
    guided = {f" {PERFECT}": perfect_recall, f" {RANDOM}": random_recall}  # no name of a run starts with a space
    ends = {name: (recalled(evidence, depth), name.strip()) for name, recalled in guided.items()} | {
        run: (float(recall[evidence.place(run), -1]), f"{short(run)}  {percent(recall[evidence.place(run), -1])}")
        for run in named
    }
    colours = {run: evidence.colour(run) for run in named} | dict.fromkeys(guided, GREY)
    layers.append(beside(ends, colours, (0, 1), HEIGHT, corner="bottom right"))
    chart = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)
    return chart.add_params(effort, minutes, *chosen, narrow())


def _effort_line(alt: Any) -> Any:
    """The line that the reader drags, with the effort as text at its foot, where curves are rare."""
    line = alt.Chart.of(alt.values([{"foot": 0}])).transform_calculate(at="effort", text="'read ' + effort")
    rule = line.mark_rule(color=BUOY, strokeWidth=2).encode(x=alt.X("at:Q"))
    late = "scale('x', effort) > 0.75 * range('x')[1]"
    place = {"align": alt.expr(f"{late} ? 'right' : 'left'"), "dx": alt.expr(f"{late} ? -6 : 6"), "dy": -8}
    text = line.mark_text(**place, color=BUOY, fontWeight="bold")
    return rule + text.encode(x=alt.X("at:Q"), y=alt.Y("foot:Q"), text=alt.Text("text:N"))


def _title(evidence: Evidence) -> str:
    """Who finds half of the known relevant documents, and how soon."""
    after = {run: recall_after_each(evidence, run) for run in evidence.named[:2]}
    leader = after[evidence.leader]
    if not len(leader) or leader[-1] < 0.5:
        share = leader[-1] if len(leader) else 0
        return f"{evidence.leader} finds {percent(share)} of what is known within {count(len(leader), 'document')}"
    parts = [f"{evidence.leader} finds half of what is known within {count(_reached(leader, 0.5), 'document')}"]
    if evidence.challenger is not None:
        other = after[evidence.challenger]
        when = (
            f"within {count(_reached(other, 0.5))}" if other[-1] >= 0.5 else f"never (it stops at {percent(other[-1])})"
        )
        parts.append(f"{evidence.challenger} {when}")
    return ", ".join(parts)


def _reached(recall: Array, share: float) -> int:
    """The number of documents after which the share is found.

    >>> _reached(np.array([0.2, 0.5, 0.9]), 0.5)
    2
    """
    return int(np.argmax(recall >= share - 1e-12)) + 1


def _reading(evidence: Evidence) -> str:
    """The leader's recall at two efforts, and what is drawn in grey."""
    after = recall_after_each(evidence, evidence.leader)
    said = [
        f"reading {count(n, 'document')} finds {percent(after[n - 1])} "
        f"(perfect: {percent(perfect_recall(evidence, n))})"
        for n in dict.fromkeys((max(1, len(after) // 10), len(after)))
        if n <= len(after)
    ]
    text = f"With {evidence.leader}, {' and '.join(said)}; drag the orange line to see what another effort would give."
    others = len(evidence.runs) - len(evidence.named)
    return text + (
        f" Grey: the {others} other systems; point at one, or highlight it, to see its name." if others else ""
    )
