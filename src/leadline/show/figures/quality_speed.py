"""What does a better system cost in time? The mean score of each system against the time it takes for a query."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from leadline.retrieval.engines.engine import asked_at_once, is_comparable
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    GREY,
    HEIGHT,
    WIDTH,
    Figure,
    beside,
    both,
    count,
    decimal_column,
    in_time,
    narrow,
    needs,
    rounded,
    rows_data,
    short,
    with_rows,
)
from leadline.show.report.drawing import WHO, report_figure, system_colour
from leadline.show.report.evidence import Evidence
from leadline.trust.rankings import sign

NAME = "quality_speed"
TITLE = "Quality against speed"
SOURCE = "Times are the medians in the records beside the runs; compare only those measured on one machine."
MOST_LABELLED = 12


@report_figure(NAME, section=WHO, label="quality against speed", place=50, estimated=True)
def figure(evidence: Evidence) -> Figure:
    """The mean score against the median time of a query, and the systems that no other beats in both."""
    means = evidence.main.mean_values()[:, 0]
    known = [run for run in evidence.order if run in evidence.timings and math.isfinite(means[evidence.place(run)])]
    if len(known) < 2:
        lack = "Times of two or more runs are needed: leadline run writes them into RUN.manifest.json."
        return needs(NAME, TITLE, lack)
    better = sign(evidence.main.better[0])
    points = [(evidence.timings[run].median, better * float(means[evidence.place(run)])) for run in known]
    best = unbeaten(points) if is_comparable(evidence.timings[run] for run in known) else set()
    rows: list[dict[str, Any]] = [
        {
            "run": run,
            "seconds": evidence.timings[run].median,
            "p99": evidence.timings[run].p99,
            "per_second": evidence.timings[run].per_second,
            "cost": evidence.timings[run].cost,
            "at_once": evidence.timings[run].at_once,
            "mean": rounded(float(means[evidence.place(run)])),
            "unbeaten": place in best,
        }
        for place, run in enumerate(known)
    ]
    front = sorted((row for row in rows if row["unbeaten"]), key=lambda row: row["seconds"])
    return Figure(
        NAME, _title(front, rows), _reading(evidence, front, rows), _chart(evidence, rows, front), rows, SOURCE
    )


def unbeaten(points: Sequence[tuple[float, float]]) -> set[int]:
    """The places of the points, of a time and a score, that no other beats: faster and as good, or better and as fast.

    >>> sorted(unbeaten([(1.0, 0.3), (2.0, 0.5), (3.0, 0.4), (1.0, 0.2)]))
    [0, 1]
    """
    found: set[int] = set()
    best, at = -math.inf, math.inf
    for place in sorted(range(len(points)), key=lambda place: (points[place][0], -points[place][1])):
        seconds, score = points[place]
        if score > best or (score == best and seconds == at):
            found.add(place)
            best, at = score, seconds
    return found


def _title(front: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> str:
    if not front:
        return f"Mean and time of {count(len(rows), 'system')}, whose times are not comparable"
    if len(front) == 1:
        return f"{front[0]['run']} has the best mean, and no system is faster"
    return f"{len(front)} of {count(len(rows), 'system')} are beaten by no other in both mean and time"


def _reading(evidence: Evidence, front: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> str:
    named = (front or rows)[:MOST_LABELLED]
    means = decimal_column([row["mean"] for row in named])
    said = [f"{row['run']} {mean} in {in_time(row['seconds'])}" for row, mean in zip(named, means, strict=True)]
    text = f"{evidence.measure.text} and the median time of a query: {both(said)}."
    unknown = len(evidence.runs) - len(rows)
    left_out = f" {count(unknown, 'run')} without a recorded time {'is' if unknown == 1 else 'are'} left out."
    costs = [f"{row['run']} {row['cost']:g}" for row in rows if row["cost"] is not None][:MOST_LABELLED]
    cost = f" What a query costs: {both(costs)}." if costs else ""
    beside = asked_at_once({row["run"]: evidence.timings[row["run"]] for row in rows})
    return text + cost + f" {beside}" * bool(beside) + left_out * bool(unknown)


def ticks(first: float, last: float) -> list[float]:
    """Round times between two times.

    >>> ticks(0.04, 0.3), ticks(0.06, 0.11)
    ([0.05, 0.1, 0.2], [0.06, 0.07, 0.08, 0.09, 0.1])
    """
    steps: list[float] = []
    for parts in ((1, 2, 5), range(1, 10)):
        steps = [float(f"{part}e{power}") for power in range(-7, 6) for part in parts]
        steps = [step for step in steps if first <= step <= last]
        if len(steps) >= 3:
            break
    return steps


def _chart(evidence: Evidence, rows: list[dict[str, Any]], front: list[dict[str, Any]]) -> Any:
    values = [row["mean"] for row in rows]
    margin = 0.08 * ((max(values) - min(values)) or 0.1)
    low, high = min(values) - margin, max(values) + margin
    if min(values) >= 0:
        low = max(0.0, low)
    times = [row["seconds"] for row in rows]
    first, last = min(times) / 1.3, max(times) * 1.3
    shown = "datum.value < 1 ? format(datum.value * 1000, '~g') + ' ms' : format(datum.value, '~g') + ' s'"
    x = alt.X(
        "seconds:Q",
        title="time of a query, median",
        scale=alt.Scale(type="log", domain=[first, last], nice=False),
        axis=alt.Axis(labelExpr=shown, grid=False, values=ticks(first, last)),
    )
    y = alt.Y("mean:Q", title=f"{evidence.measure.text}, mean over topics", scale=alt.Scale(domain=[low, high]))
    more = [f"{name}:Q" for name in ("per_second", "cost", "at_once") if any(row[name] is not None for row in rows)]
    base = alt.Chart.of(rows_data()).encode(x=x, y=y, tooltip=["run:N", "mean:Q", "seconds:Q", "p99:Q", *more])
    named = alt.one_of("run", list(evidence.named))
    dot = {"filled": True, "size": 70, "opacity": 1}
    told = rows if len(rows) <= len(evidence.named) else front[-MOST_LABELLED:] or rows[:MOST_LABELLED]
    labels = {row["run"]: (row["mean"], short(row["run"], 18)) for row in told}
    layers = [
        base.transform_filter("datum.unbeaten").mark_line(interpolate="step-after", strokeWidth=1.5, color=GREY),
        base.transform_filter(alt.unless(named)).mark_point(**dot, color=GREY),
        base.transform_filter(named).mark_point(**dot).encode(color=system_colour(evidence)),
        beside(labels, {run: evidence.colour(run) for run in labels}, (low, high), HEIGHT),
    ]
    chart = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)
    return with_rows(chart.add_params(narrow()), rows)
