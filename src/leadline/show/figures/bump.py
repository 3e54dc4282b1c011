"""Who comes where under which measure, and would it matter?"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from leadline.measures.hits import Array, Integers, Mask
from leadline.records.result import counted
from leadline.show import vega_lite as alt
from leadline.show.charts import Figure, narrow, needs, short, tips
from leadline.show.report.drawing import CHOSEN, WHO, chosen_params, highlighted, report_figure, room_above, staggered
from leadline.show.report.evidence import Evidence
from leadline.trust.pairs import why_not_compared
from leadline.trust.rankings import best_first
from leadline.trust.verdict import EQUAL

NAME = "bump"
TOP = 10  # places shown under each measure if there are many runs
FEW = 14  # up to this many runs, all are shown
WIDTH, LINE = 440, 26  # pixels; LINE is the height of a place
SOURCE = (
    "Places by mean over topics. A swap counts as significant when each of the two measures prefers its own run "
    "significantly (randomisation test, Holm's correction over all pairs of systems, 5\u202f%)."
)

State = Literal["steady", "chance", "significant"]


@report_figure(NAME, section=WHO, label="places under three measures", place=20, estimated=True)
def figure(evidence: Evidence) -> Figure:
    """The places of the runs under average precision, PRES and recall; swaps that may be chance are dimmed."""
    names = evidence.trio
    if len(evidence.runs) < 2:
        return needs(NAME, "Places under three measures", "Two or more runs are needed to give places.", SOURCE)
    scores = evidence.scores(names)
    places = np.stack([places_of(column, evidence.runs) for column in scores.mean_values().T])
    shown = _runs_to_show(places)
    prefers = _preferences(evidence, shown)
    states = [_states(places[m : m + 2, shown], prefers[m : m + 2]) for m in range(2)]
    rows = [
        {
            "run": evidence.runs[r],
            "measure": name,
            "place": int(places[m, r]),
            "mean": round(float(scores.mean_values()[r, m]), 4),
        }
        for r in shown.tolist()
        for m, name in enumerate(names)
    ]
    chart = _chart(evidence, places[:, shown], shown, states)
    title, reading = _title(evidence, places, shown, prefers), _reading(evidence, places, shown, prefers)
    return Figure(NAME, title, reading, chart, rows, SOURCE)


def places_of(means: Array, runs: tuple[str, ...]) -> Integers:
    """The place of each run by its mean, from 1; equal means share a place, runs without a mean come last.

    >>> places_of(np.array([0.2, 0.9, 0.9]), ("x", "z", "y"))
    array([3, 1, 1])
    """
    order = best_first(means, runs)
    places = np.empty(len(runs), np.int64)
    for at, r in enumerate(order):
        before = order[at - 1] if at else r
        level = at > 0 and (abs(means[r] - means[before]) <= EQUAL or (np.isnan(means[r]) and np.isnan(means[before])))
        places[r] = places[before] if level else at + 1
    return places


def _runs_to_show(places: Integers) -> Integers:
    """The runs to show, in the order of the second measure: all of a few, or the best of many under any measure."""
    runs = places.shape[1]
    kept = np.arange(runs) if runs <= FEW else np.flatnonzero((places <= TOP).any(axis=0))
    return np.asarray(kept[np.argsort(places[1, kept])], np.int64)


def _preferences(evidence: Evidence, shown: Integers) -> Integers:
    """Measure × run × run: 1 if the first is significantly better, −1 if significantly worse, else 0."""
    found = np.zeros((3, len(evidence.runs), len(evidence.runs)), np.int64)
    for m, name in enumerate(evidence.trio):
        if why_not_compared(evidence.scores(name), name):
            continue
        pairs = evidence.pairs(name)
        signs = np.where(pairs.significant(), np.sign(pairs.difference), 0).astype(np.int64)
        found[m, pairs.first, pairs.second] = signs
        found[m, pairs.second, pairs.first] = -signs
    return found[:, shown][:, :, shown]


def swaps(places: Integers, prefers: Integers) -> tuple[Mask, Mask]:
    """Run × run: pairs that two measures order differently, and those of them that both order significantly."""
    signs = np.sign(places[:, :, None] - places[:, None, :])  # 0 for runs that share a place: no measure orders them
    swapped = np.asarray(signs[0] * signs[1] < 0)
    return swapped, np.asarray(swapped & (prefers[0] * prefers[1] < 0))


def _states(places: Integers, prefers: Integers) -> list[State]:
    """For each run, between two measures: whether it keeps its order, or swaps by chance or significantly."""
    swapped, meant = swaps(places, prefers)
    by_run = zip(map(any, swapped.tolist()), map(any, meant.tolist()), strict=True)
    return ["significant" if firm else "chance" if moved else "steady" for moved, firm in by_run]


def _chart(evidence: Evidence, places: Integers, shown: Integers, states: list[list[State]]) -> Any:
    """A column for each measure. Heights are places among the runs shown; the numbers are places among all runs."""
    names = list(evidence.trio)
    # Runs that share a place have heights of their own, in the order of the middle measure: names do not overlap.
    heights = np.argsort(np.argsort(places, axis=1, kind="stable"), axis=1) + 1
    runs = [evidence.runs[r] for r in shown.tolist()]
    dots: list[dict[str, Any]] = []
    segments: list[dict[str, Any]] = []
    for i, run in enumerate(runs):
        who = {"run": run, "colour": evidence.colour(run)}
        for m, name in enumerate(names):
            at = {"x": m, "y": int(heights[m, i])}
            dots.append({**who, **at, "measure": name, "place": int(places[m, i])})
            if m < 2:
                segments.append({**who, **at, "x2": m + 1, "y2": int(heights[m + 1, i]), "state": states[m][i]})
    labels = [{**dot, "text": f"{dot['place']}  {short(dot['run'])}"} for dot in dots if dot["x"] == 2]
    axis = alt.Axis(
        orient="top",
        values=[0, 1, 2],
        labelExpr=staggered(names, [0, 1, 2]),
        labelFontWeight="bold",
        domain=False,
        ticks=False,
        grid=False,
        labelPadding=room_above(),
        labelOverlap=False,
    )
    x = alt.X("x:Q", title=None, axis=axis, scale=alt.Scale(domain=[-0.35, 2], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[len(runs) + 0.6, 0.4], nice=False))
    colour = alt.Color("colour:N", scale=None)
    lines = alt.Chart.of(alt.values(segments)).encode(x=x, y=y, x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q"), color=colour)
    lines = lines.encode(tooltip=tips("run:N", "state:N"))
    by_chance = alt.equals("chance", "state")
    points = alt.Chart.of(alt.values(dots)).encode(x=x, y=y, tooltip=tips("run:N", "measure:N", "place:Q"))
    names_at_end = (
        alt.Chart.of(alt.values(labels)).encode(x=x, y=y, text=alt.Text("text:N")).mark_text(align="left", dx=9)
    )
    layers = [
        lines.transform_filter(by_chance).mark_rule(strokeDash=[3, 3], opacity=0.4, strokeWidth=1.5),
        lines.transform_filter(alt.unless(by_chance)).mark_rule(strokeWidth=2.5),
        points.mark_point(filled=True, size=70, opacity=1).encode(color=colour),
        points.transform_filter("datum.x == 0").mark_text(align="right", dx=-9).encode(text=alt.Text("place:Q")),
        points.transform_filter("datum.x == 1").mark_text(dy=-11).encode(text=alt.Text("place:Q")),
        names_at_end.transform_filter(f"!({CHOSEN})"),
        highlighted(lines).mark_rule(strokeWidth=4),
        names_at_end.transform_filter(CHOSEN).mark_text(align="left", dx=9, fontWeight="bold"),
    ]
    return alt.layer(*layers).add_params(narrow(), *chosen_params()).properties(width=WIDTH, height=LINE * len(runs))


def _title(evidence: Evidence, places: Integers, shown: Integers, prefers: Integers) -> str:
    """How many swaps of order the tests support."""
    firm = {
        tuple(sorted(pair))
        for m in range(2)
        for pair in np.argwhere(swaps(places[m : m + 2, shown], prefers[m : m + 2])[1]).tolist()
    }
    ap, pres, recall = evidence.trio
    if not firm:
        return f"Places under {ap}, {pres} and {recall}: no swap of order is significant"
    return f"{ap}, {pres} and {recall} put {counted(len(firm), 'pair')} of systems in opposite order, significantly"


def _reading(evidence: Evidence, places: Integers, shown: Integers, prefers: Integers) -> str:
    """How many swaps there are, and how many are significant."""
    said = []
    total = 0
    for m in range(2):
        swapped, meant = swaps(places[m : m + 2, shown], prefers[m : m + 2])
        count, firm = int(swapped.sum()) // 2, int(meant.sum()) // 2
        total += count
        said.append(f"{firm} of {count} from {evidence.trio[m]} to {evidence.trio[m + 1]}")
    if total:
        text = f"Swaps of order that are significant: {'; '.join(said)}; the others, dashed and dim, may be chance."
    else:
        text = "All three measures put these systems in the same order."
    if len(shown) < len(evidence.runs):
        text += f" Shown are the first {TOP} under any measure, {len(shown)} of {len(evidence.runs)} systems;"
        text += " the numbers are places among all."
    return text
