"""How many pairs of systems can each measure tell apart? The sorted levels of all pairs, as Sakai draws them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from leadline.errors import MismatchError
from leadline.measures.hits import Array
from leadline.records.scores import FEWEST_TOPICS
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    DASHES,
    HEIGHT,
    INK,
    WIDTH,
    Figure,
    beside,
    both,
    count,
    decimal_column,
    measure_colours,
    narrow,
    needs,
    percent,
    rows_data,
    tips,
    with_rows,
)
from leadline.show.report.drawing import BELIEVED, report_figure
from leadline.show.report.evidence import Evidence
from leadline.trust.measure_comparison import Power, power

NAME = "power"
SOURCE = "Sakai, SIGIR 2006: discriminative power by the paired bootstrap, without correction"
FEWEST_RUNS = 3
TOP = 0.2  # the largest level shown
BEYOND = 30  # points of a curve above that: more would make the page larger without a visible difference


@report_figure(NAME, section=BELIEVED, label="what a measure tells apart", place=40, estimated=True)
def figure(
    evidence: Evidence, measures: Sequence[str] | None = None, *, draws: int = 10_000, alpha: float = 0.05
) -> Figure:
    """The share of pairs that each measure tells apart, at any level. Default: the measures of `evidence.trio`."""
    lack = partial(needs, NAME, "How many pairs of systems can a measure tell apart?", source=SOURCE)
    if len(evidence.runs) < FEWEST_RUNS or len(evidence.answerable) < FEWEST_TOPICS:
        return lack(f"Needs {FEWEST_RUNS} runs and {FEWEST_TOPICS} topics or more, to test many pairs of runs.")
    names = evidence.trio if measures is None else tuple(measures)
    try:
        found = power(evidence.scores(names), names, alpha=alpha, draws=draws, seed=evidence.seed)
    except MismatchError as error:
        return lack(f"Nothing to compare: {error}.")
    rows = [
        {"measure": name, "pairs": round(part, 5), "level": round(level, 5)}
        for name in found.measures
        for part, level in curve(found.curve(name))
    ]
    return Figure(NAME, title(found), reading(found), _chart(found, rows), rows, SOURCE)


def curve(levels: Array, beyond: int = BEYOND) -> list[tuple[float, float]]:
    """Points (share of pairs with at most this level, level), for every level shown and a few of the others.

    >>> curve(np.array([0.5, 0.02, 0.04, 0.3]))
    [(0.0, 0.02), (0.25, 0.02), (0.5, 0.04), (0.75, 0.3), (1.0, 0.5)]
    >>> curve(np.array([0.0, 0.0, 0.4, 0.0]))
    [(0.0, 0.0), (0.75, 0.0), (1.0, 0.4)]
    """
    ascending = np.sort(levels)
    distinct = np.unique(ascending)
    shares = np.searchsorted(ascending, distinct, "right") / len(levels)
    places = np.arange(len(distinct))
    drawn = places[distinct <= TOP]
    rest = places[distinct > TOP]
    few = rest[np.unique(np.linspace(0, len(rest) - 1, min(beyond, len(rest))).round().astype(np.int64))]
    wanted = [*drawn.tolist(), *few.tolist()]
    return [(0.0, float(distinct[0])), *((float(shares[at]), float(distinct[at])) for at in wanted)]


def title(found: Power) -> str:
    """Which measure tells the most pairs apart, and which the fewest."""
    shares = found.power
    best, worst = int(shares.argmax()), int(shares.argmin())
    if shares[best] == shares[worst]:
        return f"{both(found.measures)} tell the same share of pairs apart: {percent(float(shares[best]))}"
    return (
        f"{found.measures[best]} tells {percent(float(shares[best]))} of the pairs of systems apart, "
        f"{found.measures[worst]} {percent(float(shares[worst]))}"
    )


def reading(found: Power) -> str:
    """How many pairs that is of, and how large a difference each measure needs."""
    pairs = len(found.found[0].levels)
    differences = decimal_column([one.difference_needed for one in found.found])
    needed = [f"{difference} in {name}" for name, difference in zip(found.measures, differences, strict=True)]
    return (
        f"Of {count(pairs, 'pair')}; where a curve crosses {found.alpha:g}, the axis below shows the share told apart "
        f"(bootstrap, uncorrected). A difference of {both(needed)} was always enough."
    )


def _chart(found: Power, rows: Sequence[dict[str, Any]]) -> Any:
    names = list(found.measures)
    colours = measure_colours(names)
    dashes = [DASHES[place % len(DASHES)] for place in range(len(names))]
    heights = alt.Scale(domain=[0, TOP], nice=False)
    y = alt.Y("level:Q", title="level of significance (p) of a pair", scale=heights, axis=alt.Axis(tickCount=5))
    x = alt.X(
        "pairs:Q",
        title="share of the pairs, the clearest first",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%", grid=False, tickCount=5),
    )
    colour = alt.Color("measure:N", legend=None, scale=alt.Scale(domain=names, range=colours))
    dash = alt.StrokeDash("measure:N", legend=None, scale=alt.Scale(domain=names, range=dashes))
    lines = (
        alt.Chart.of(rows_data())
        .mark_line(strokeWidth=2.5, clip=True, interpolate="step-before")
        .encode(x=x, y=y, color=colour, strokeDash=dash, tooltip=tips("measure:N", "pairs:Q", "level:Q"))
    )
    line = alt.Chart.of(alt.values([{"level": found.alpha, "text": f"p = {found.alpha:g}"}]))
    rule = line.mark_rule(strokeDash=[2, 4], color=INK, opacity=0.6).encode(y=alt.Y("level:Q", scale=heights))
    named = line.mark_text(align="left", dx=4, dy=-8).encode(
        x=alt.XValue(0), y=alt.Y("level:Q"), text=alt.Text("text:N")
    )
    crossings: list[dict[str, Any]] = [
        {"measure": name, "pairs": float(part), "level": found.alpha}
        for name, part in zip(names, found.power, strict=True)
    ]
    dots = alt.Chart.of(alt.values(crossings)).mark_point(filled=True, size=70, opacity=1)
    dots = dots.encode(x=alt.X("pairs:Q"), y=alt.Y("level:Q", scale=heights), color=colour)
    labels = {  # all at the line, those that tell more apart above
        row["measure"]: (found.alpha + 1e-6 * row["pairs"], f"{row['measure']}  {percent(row['pairs'])}")
        for row in crossings
    }
    ends = beside(labels, dict(zip(names, colours, strict=True)), (0.0, TOP), HEIGHT, corner="top left")
    chart = alt.layer(rule, named, lines, dots, ends).add_params(narrow())
    return with_rows(chart.properties(width=WIDTH, height=HEIGHT), rows)
