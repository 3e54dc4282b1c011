"""Does the answer depend on how much is read? PRES, average precision and recall against effort."""

from __future__ import annotations

from typing import Any

import numpy as np

from leadline.measures.hits import Array
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    BUOY,
    GREY,
    Figure,
    beside,
    both,
    count,
    narrow,
    needs,
    rounded,
    rows_data,
    short,
    tips,
    with_rows,
)
from leadline.show.report.drawing import (
    WHO,
    chosen_params,
    curves,
    effort_x,
    efforts_of,
    first_effort,
    highlighted_lines,
    minutes_param,
    report_figure,
    spread_over,
    system_colour,
    system_dash,
    tested_signs,
)
from leadline.show.report.evidence import Evidence

NAME = "effort_curves"
MEASURES = ("PRES", "AP", "R")
TITLES = {"PRES": "PRES", "AP": "average precision", "R": "recall"}
WIDTH, HEIGHT = 300, 300
SHOWN = 40  # only the best are drawn if there are more systems; the others are in recall against effort
SOURCE = (
    "Magdy and Jones, SIGIR 2010: each measure for a searcher who stops after so many documents; means over topics."
)


@report_figure(NAME, section=WHO, label="measures against effort", place=40, estimated=True)
def figure(evidence: Evidence) -> Figure:
    """Three measures at every effort, with tests of the leader against the challenger."""
    if evidence.challenger is None:
        return needs(NAME, "Measures against effort", "Two or more runs are needed to compare them at every effort.")
    grid = efforts_of(evidence)
    scores = {name: curves(evidence, name) for name in MEASURES}
    means = {name: found.mean_values() for name, found in scores.items()}
    shown = evidence.order
    rows = [
        {"run": run, "measure": name, "effort": effort, "mean": rounded(means[name][evidence.place(run), e])}
        for name in MEASURES
        for run in shown
        for e, effort in enumerate(grid)
    ]
    two = evidence.place(evidence.leader), evidence.place(evidence.challenger)
    crossed = {name: crossings(means[name][two[0]], means[name][two[1]], grid) for name in MEASURES}
    tests = _tests(evidence, grid, {name: found.values for name, found in scores.items()})
    chart = with_rows(_chart(evidence, grid, means), rows)
    return Figure(
        NAME, *_words(evidence, tests, crossed), chart, rows, SOURCE, {"wide": True, "steps": {"effort": grid}}
    )


def crossings(first: Array, second: Array, grid: list[int]) -> list[tuple[int, int]]:
    """Where one curve crosses the other: the effort, and 1 if the first curve is above before it, −1 if below.

    The effort is the first at which the other curve is above. Curves that only touch do not cross.

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


def _chart(evidence: Evidence, grid: list[int], means: dict[str, Array]) -> Any:
    """A small chart for each measure, with the same colours for the systems."""
    parts = [_part(evidence, name, grid, means[name]) for name in MEASURES]
    effort = alt.param(name="effort", value=first_effort(evidence))
    charts = alt.concat(*parts, columns=3, spacing=28)
    return charts.add_params(minutes_param(), narrow(), effort, *chosen_params())


def _part(evidence: Evidence, name: str, grid: list[int], means: Array) -> Any:
    named, depth = list(evidence.named), grid[-1]
    top = float(min(1.0, max(0.1, np.ceil(np.nanmax(means) * 10) / 10)))
    y = alt.Y("mean:Q", title=f"{TITLES[name]}, mean over topics", scale=alt.Scale(domain=[0, top]))
    y = y.axis(tickCount=5, format=".2~f")
    base = alt.Chart.of(rows_data()).transform_filter(alt.equals(name, "measure"))
    base = base.encode(x=effort_x("effort:Q", depth, title="documents read"), y=y)
    is_named = alt.one_of("run", named)
    tip = tips("run:N", "effort:Q", "mean:Q")
    at_effort = alt.Chart.of(alt.values([{}])).transform_calculate(at="effort")
    layers = [
        at_effort.mark_rule(color=BUOY, strokeWidth=1, opacity=0.7).encode(x=alt.X("at:Q")),
        base.transform_filter(alt.unless(is_named))
        .transform_filter(alt.one_of("run", list(evidence.order[:SHOWN])))
        .mark_line(strokeWidth=1, opacity=0.3, color=GREY)
        .encode(detail=alt.Detail("run:N"), tooltip=tip),
        base.transform_filter(is_named)
        .mark_line(strokeWidth=2.5)
        .encode(color=system_colour(evidence), strokeDash=system_dash(evidence), tooltip=tip),
    ]
    lift = 0.06 * top  # the names are in the plot, above the ends of their lines
    ends = {run: (float(means[evidence.place(run), -1]) + lift, short(run, 18)) for run in named}
    layers.append(highlighted_lines(base.encode(tooltip=tip), "effort", spread_over(grid)))
    layers.append(beside(ends, {run: evidence.colour(run) for run in named}, (0, top), HEIGHT))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _tests(evidence: Evidence, grid: list[int], values: dict[str, Array]) -> dict[tuple[str, int], int]:
    """Whether the leader is significantly ahead of (1) or behind (−1) the challenger, by measure and effort."""
    assert evidence.challenger is not None
    first, second = evidence.place(evidence.leader), evidence.place(evidence.challenger)
    tried = [effort for power in range(9) for effort in (10**power, 3 * 10**power) if effort in grid and effort >= 10]
    places = [(name, effort) for name in MEASURES for effort in tried or grid[-1:]]
    differences = [values[name][first, :, grid.index(e)] - values[name][second, :, grid.index(e)] for name, e in places]
    signs = tested_signs(differences).tolist()
    return dict(zip(places, signs, strict=True))


def _words(
    evidence: Evidence, tests: dict[tuple[str, int], int], crossed: dict[str, list[tuple[int, int]]]
) -> tuple[str, str]:
    """Title and reading: who is ahead at which efforts, as far as the tests tell, and where the curves cross."""
    names = evidence.leader, evidence.challenger or ""
    ahead, behind = (sum(sign == wanted for sign in tests.values()) for wanted in (1, -1))
    efforts = sorted({effort for _, effort in tests})
    if ahead == len(tests) or behind == len(tests):
        title = f"{names[behind > 0]} finds more than {names[ahead > 0]} however much is read"
    elif ahead and behind:
        title = f"How much is read decides between {names[0]} and {names[1]}"
    else:
        title = "PRES, average precision and recall against effort"
    said = f"Tested at {both([count(effort) for effort in efforts])} documents by three measures, "
    said += (
        f"{names[0]} is significantly ahead of {names[1]} in {ahead} of {len(tests)} comparisons"
        + (f", behind in {behind}" if behind else "")
        if ahead or behind
        else f"{names[0]} and {names[1]} cannot be told apart at any effort"
    )
    crosses = [f"{_where(crossed[name])} by {TITLES[name]}" for name in MEASURES if crossed[name]]
    text = f"{said}." + (f" Their curves cross {both(crosses)}." if crosses else "")
    left_out = len(evidence.runs) - SHOWN
    return title, text + (
        f" The {left_out} systems below the best {SHOWN} are drawn only if highlighted." if left_out > 0 else ""
    )


def _where(crossed: list[tuple[int, int]]) -> str:
    """Where two curves cross.

    >>> _where([(180, 1)]), _where([(3, -1), (50, 1), (90, -1), (500, 1)])
    ('at 180 documents', '4 times')
    """
    if len(crossed) > 2:
        return f"{len(crossed)} times"
    return f"at {both([count(effort) for effort, _ in crossed])} documents"
