"""The figure of a Recovery: for each measure, how similar its ranking by citations is to its true ranking."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from leadline.show.charts.labels import narrow
from leadline.show.charts.style import BUOY, DEPTH, altair
from leadline.show.figures.figure import WIDTH, Figure, rows_data, with_rows
from leadline.show.figures.formatting import both, count, rounded
from leadline.trust.recovery import Recovery

NAME = "citations_truth"
SOURCE = "Simulated offices, in which every relevant document is known; intervals over offices by Student's t (95 %)"
# Lines at conventional values of τ: from 0.9 up rankings count as the same, below 0.8 as different.
GUIDES = ((0.9, "the same", "left", 4), (0.8, "another", "right", -4))
COLOURS, SHAPES = (DEPTH[4], BUOY, DEPTH[2], DEPTH[1]), ("circle", "diamond", "square", "triangle-up")
ROW = 30  # pixels of a measure


def recovery_figure(found: Recovery, shown: Sequence[str] | None = None) -> Figure:
    """Kendall's tau between the true ranking and others; `shown` defaults to the first and last kind of judgements."""
    names = list(dict.fromkeys((found.judged[0], found.judged[-1])) if shown is None else shown)
    rows = [
        {name: rounded(value) if isinstance(value, float) else value for name, value in row.items()}
        | {"shown": without_options(row["measure"])}
        for row in found.rows()
        if row["judged"] in names
    ]
    return Figure(NAME, title(found), reading(found), _chart(names, rows), rows, SOURCE)


def without_options(measure: str) -> str:
    """The name of a measure without its options.

    >>> without_options("CT(theta=given)@20")
    'CT@20'
    """
    head, _, tail = measure.partition("(")
    return head + tail.partition(")")[2] if tail else measure


def title(found: Recovery) -> str:
    """Which measures keep the true order best and worst by the first kind of judgements."""
    mean = found.interval(found.tau)[0][0]
    best, worst = int(mean.argmax()), int(mean.argmin())
    return (
        f"{without_options(found.measures[best])} from citations recovers the true order of systems best "
        f"(τ {mean[best]:.2f}), {without_options(found.measures[worst])} least (τ {mean[worst]:.2f})"
    )


def reading(found: Recovery) -> str:
    """Which measures reach 0.9, usually taken for the same ranking, and what the study consists of."""
    mean = found.interval(found.tau)[0][0]
    firm = [without_options(name) for name, tau in zip(found.measures, mean, strict=True) if round(tau, 2) >= 0.9]
    said = f"{both(firm)} reach{'es' if len(firm) == 1 else ''} 0.9" if firm else "No measure reaches 0.9"
    offices = count(found.collections, "simulated office")
    drawn = "dots are means, lines their 95 % intervals" if found.collections > 1 else "dots are that office's τ"
    return f"{said} by {found.judged[0]}. {len(found.runs)} systems in {offices}; {drawn}."


def _chart(names: Sequence[str], rows: Sequence[dict[str, Any]]) -> Any:
    alt = altair()
    order = list(dict.fromkeys(row["shown"] for row in rows))
    lowest = min(row["low"] if row["low"] is not None else row["tau"] for row in rows)
    floor = max(-1.0, min(0.7, math.floor(10 * lowest) / 10))
    across = alt.Scale(domain=[floor, 1], nice=False, clamp=True)
    x = alt.X(
        "tau:Q", title=f"likeness to the true order (τ, from {floor:.1f})", scale=across,
        axis=alt.Axis(format=".1f", tickCount=4, tickMinStep=0.1),
    )  # fmt: skip
    bare = alt.Axis(ticks=False, domain=False)
    y = alt.Y("shown:N", sort=order, title=None, scale=alt.Scale(paddingOuter=0.7), axis=bare)
    offset = alt.YOffset("judged:N", sort=list(names), scale=alt.Scale(paddingOuter=0.3))
    legend = alt.Legend(title=None, orient="top", direction="horizontal", labelLimit=300)
    colours = alt.Scale(domain=list(names), range=[*COLOURS[: len(names)]])
    shapes = alt.Scale(domain=list(names), range=[*SHAPES[: len(names)]])
    colour = alt.Color("judged:N", scale=colours, legend=legend)
    shape = alt.Shape("judged:N", scale=shapes, legend=legend)
    base = alt.Chart(rows_data()).encode(y=y, yOffset=offset, color=colour)
    tip = ["judged:N", "measure:N", "tau:Q", "low:Q", "high:Q", "tau_ap:Q"]
    lines = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=1.8, opacity=0.7, clip=True)
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(x=x, shape=shape, tooltip=tip)
    guides = [_guide(across, *guide) for guide in GUIDES]
    spans = lines.encode(x=alt.X("low:Q", scale=across), x2="high:Q")
    chart = alt.layer(*guides, spans, dots)
    return with_rows(chart.add_params(narrow()).properties(width=WIDTH, height=ROW * len(order)), rows)


def _guide(across: Any, at: float, text: str, align: str, aside: int) -> Any:
    """A line at a value of tau, with its meaning above the first measure."""
    alt = altair()
    base = alt.Chart(alt.Data(values=[{"x": at, "text": text}])).encode(x=alt.X("x:Q", scale=across))
    words = base.encode(y=alt.value(2), text="text:N").mark_text(align=align, dx=aside, baseline="top", fontSize=12)
    return base.mark_rule(strokeDash=[2, 4], opacity=0.6) + words
