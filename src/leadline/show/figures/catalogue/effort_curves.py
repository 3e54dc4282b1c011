"""Does the answer depend on how much is read? PRES, average precision and recall against effort."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.measures.hits import Array
from leadline.show.charts.labels import beside, narrow
from leadline.show.charts.style import BUOY, GREY, altair
from leadline.show.figures.effort import LOG_FROM, curves, effort_x, efforts_of, minutes_param
from leadline.show.figures.encodings import haloed, system_colour, system_dash
from leadline.show.figures.evidence import Evidence
from leadline.show.figures.figure import Figure, needs, rows_data, with_rows
from leadline.show.figures.formatting import both, count, rounded, sentence, short
from leadline.show.figures.registry import WHO, report_figure

NAME = "effort_curves"
MEASURES = ("PRES", "AP", "R")
TITLES = {"PRES": "PRES", "AP": "average precision", "R": "recall"}
WIDTH, HEIGHT = 300, 300
SHOWN = 40  # only the best are drawn if there are more systems; the others are in recall against effort
SOURCE = (
    "Magdy and Jones, SIGIR 2010: each measure for a searcher who stops after so many documents; means over topics."
)


@report_figure(NAME, section=WHO, label="measures against effort", place=40)
def figure(evidence: Evidence) -> Figure:
    """Three measures at every effort, with the efforts at which leader and challenger swap places."""
    if evidence.challenger is None:
        return needs(NAME, "Measures against effort", "Two or more runs are needed to see who leads at which effort.")
    grid = efforts_of(evidence)
    means = {name: curves(evidence, name).means() for name in MEASURES}
    shown = evidence.order[:SHOWN]
    rows = [
        {"run": run, "measure": name, "effort": effort, "mean": rounded(means[name][evidence.place(run), e])}
        for name in MEASURES
        for run in shown
        for e, effort in enumerate(grid)
    ]
    two = evidence.place(evidence.leader), evidence.place(evidence.challenger)
    crossed = {name: crossings(means[name][two[0]], means[name][two[1]], grid) for name in MEASURES}
    chart = with_rows(_chart(evidence, grid, means, crossed), rows)
    return Figure(NAME, *_words(evidence, means, crossed), chart, rows, SOURCE, {"wide": True})


def crossings(first: Array, second: Array, grid: list[int]) -> list[tuple[int, int]]:
    """Where one curve crosses the other: the effort, and 1 if the first curve leads before it, −1 if the second does.

    The effort is the first at which the other curve leads. Curves that only touch do not cross.

    >>> crossings(np.array([0.1, 0.5, 0.9]), np.array([0.2, 0.4, 0.5]), [1, 10, 100])
    [(10, -1)]
    """
    lead = 0
    found = []
    for effort, gap in zip(grid, (first - second).tolist(), strict=True):
        now = int(np.sign(gap)) if abs(gap) > 1e-12 else 0
        if now and lead and now != lead:
            found.append((effort, lead))
        lead = now or lead
    return found


def _chart(evidence: Evidence, grid: list[int], means: dict[str, Array], crossed: dict[str, Any]) -> Any:
    """A small chart for each measure, with the same colours for the systems."""
    alt = altair()
    parts = [_part(evidence, name, grid, means[name], crossed[name]) for name in MEASURES]
    return alt.concat(*parts, columns=3, spacing=28).add_params(minutes_param(), narrow())


def _part(evidence: Evidence, name: str, grid: list[int], means: Array, crossed: list[tuple[int, int]]) -> Any:
    alt = altair()
    named, depth = list(evidence.named), grid[-1]
    top = float(min(1.0, max(0.1, np.ceil(np.nanmax(means) * 10) / 10)))
    y = alt.Y("mean:Q", title=f"{TITLES[name]}, mean over topics", scale=alt.Scale(domain=[0, top]))
    y = y.axis(tickCount=5, format=".1f")
    base = alt.Chart(rows_data()).transform_filter(alt.FieldEqualPredicate(name, "measure"))
    base = base.encode(x=effort_x("effort:Q", depth, title="documents read"), y=y)
    is_named = alt.FieldOneOfPredicate("run", named)
    tip = ["run:N", "effort:Q", "mean:Q"]
    layers = [
        base.transform_filter(~is_named)
        .mark_line(strokeWidth=1, opacity=0.3, color=GREY)
        .encode(detail="run:N", tooltip=tip),
        base.transform_filter(is_named)
        .mark_line(strokeWidth=2.5)
        .encode(color=system_colour(evidence), strokeDash=system_dash(evidence), tooltip=tip),
    ]
    if len(crossed) == 1:  # several would clutter the chart; the text above names them
        layers += _crossing(evidence, *crossed[0], top, depth)
    lift = 0.06 * top  # the names are in the plot, above the ends of their lines
    ends = {run: (float(means[evidence.place(run), -1]) + lift, short(run, 18)) for run in named}
    layers.append(beside(ends, {run: evidence.colour(run) for run in named}, (0, top), HEIGHT))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _crossing(evidence: Evidence, effort: int, lead: int, top: float, depth: int) -> list[Any]:
    """A line where leader and challenger swap places, with text that says who leads below it."""
    alt = altair()
    assert evidence.challenger is not None
    who = short(evidence.leader if lead > 0 else evidence.challenger, 18)
    late = effort > np.sqrt(depth) if depth > LOG_FROM else effort > depth / 2
    # Curves rise to the right and end at their names: the text goes where neither is.
    rows = [{"x": effort, "y": top * (0.72 if late else 0.55), "text": f"{who} leads below {count(effort)}"}]
    rule = alt.Chart(alt.Data(values=rows)).mark_rule(color=BUOY, strokeDash=[4, 3], strokeWidth=1.5).encode(x="x:Q")
    return [rule, haloed(rows, align="right" if late else "left", dx=-5 if late else 5, color=BUOY)]


def _words(evidence: Evidence, means: dict[str, Array], crossed: dict[str, list[tuple[int, int]]]) -> tuple[str, str]:
    """Title and reading: who leads at which efforts, in the order of the charts, and whether that may be chance."""
    names = evidence.leader, evidence.challenger or ""
    two = [evidence.place(name) for name in names]
    ahead = {name: names[int(np.nansum(means[name][two[0]] - means[name][two[1]]) < 0)] for name in MEASURES}
    by_words: dict[str, list[str]] = {}
    for name in MEASURES:
        by_words.setdefault(_who_leads(names, crossed[name], ahead[name]), []).append(TITLES[name])
    said = [f"by {both(titles)} {words}" for words, titles in by_words.items()]
    first = next((name for name in MEASURES if crossed[name]), None)
    if first is not None:
        effort, lead = crossed[first][-1]
        below, above = names if lead > 0 else names[::-1]
        title = f"By {TITLES[first]} {above} leads {below} from {count(effort, 'document')} on"
    elif len(set(ahead.values())) == 1:
        title = f"{ahead['PRES']} leads {names[1 if ahead['PRES'] == names[0] else 0]} however much is read"
    else:
        title = f"{names[0]} or {names[1]}: the measure matters, how much is read does not"
    text = sentence("; ".join(said))
    if evidence.verdict is not None and evidence.verdict.verdicts[0].word == "undecided":
        text += " The difference between the two is undecided, so all this may be chance."
    left_out = len(evidence.runs) - SHOWN
    return title, text + (f" The {left_out} systems below the best {SHOWN} are left out." if left_out > 0 else "")


def _who_leads(names: tuple[str, str], crossed: list[tuple[int, int]], ahead: str) -> str:
    """Who leads in each range of efforts.

    >>> _who_leads(("A", "B"), [(180, 1)], "A")
    'A leads below 180 documents, B from there on'
    >>> _who_leads(("A", "B"), [(3, -1), (500, 1)], "A")
    'B leads below 3 documents, A up to 500, B from there on'
    """
    if not crossed:
        return f"{ahead} leads at every effort"
    leads = [names[0] if lead > 0 else names[1] for _, lead in crossed]
    last = names[1] if crossed[-1][1] > 0 else names[0]
    parts = [f"{leads[0]} leads below {count(crossed[0][0], 'document')}"]
    parts += [f"{who} up to {count(effort)}" for who, (effort, _) in zip(leads[1:], crossed[1:], strict=True)]
    if len(crossed) > 3:
        return (
            f"the two change places {len(crossed)} times, and {last} leads from {count(crossed[-1][0], 'document')} on"
        )
    return f"{', '.join(parts)}, {last} from there on"
