"""Who found what? How deep each system's list was judged, and which relevant documents only it found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leadline.measures.hits import Array, Integers, ratio
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    BUOY,
    DEPTH,
    INK,
    PAPER,
    WIDTH,
    Figure,
    count,
    depth_scale,
    narrow,
    needs,
    percent,
    rounded,
    sentence,
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

NAME = "pool_map"
SOURCE = "Share of the documents at these ranks that have a grade, all topics together; relevant ones within the effort"
EDGES = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)  # the last rank of each band
MOST = 18  # systems shown
BARS, GAP = 2.0, 0.3  # in widths of a band: the longest bar, and the gap before the bars


@dataclass(frozen=True)
class PoolMap:
    """What each run contributed to the judgements."""

    bands: tuple[tuple[int, int], ...]  # first and last rank
    judged: Array  # run, band: share of the documents there that were judged; NaN where the run lists none
    found: Integers  # run: relevant documents within the effort
    alone: Integers  # run: those of them that no other run lists within the effort
    finders: Integers  # relevant document: how many runs list it within the effort


@report_figure(NAME, section=WHERE, label="who found what", place=60)
def figure(evidence: Evidence) -> Figure:
    """Systems against ranks, darker where more was judged; and the relevant documents found, alone in orange."""
    if not len(evidence.answerable) or not evidence.depth:
        return needs(NAME, "Who found what?", "Needs a relevant document, and a run that lists something.", SOURCE)
    pool = pool_of(evidence)
    shown = choice(evidence, pool)
    rows = [row for run in evidence.order for row in _rows(evidence, pool, run)]
    chart = _chart(evidence, pool, shown, rows)
    more = {"narrow_row": LIST_ROW_NARROW, "pool": _counts(evidence, pool, shown)}
    return Figure(NAME, title(evidence, pool), reading(evidence, pool, len(shown)), chart, rows, SOURCE, more)


def pool_of(evidence: Evidence) -> PoolMap:
    """Count the judged and relevant documents of each run by rank."""
    hits, runs = evidence.hits, len(evidence.runs)
    starts = [1, *(edge + 1 for edge in EDGES)]
    bands = tuple(
        (low, min(high, evidence.depth)) for low, high in zip(starts, EDGES, strict=False) if low <= evidence.depth
    )
    run_of_hit = hits.row // len(evidence.topics)
    run_of_row = np.arange(hits.rows) // len(evidence.topics)
    judged = np.empty((runs, len(bands)))
    for b, (low, high) in enumerate(bands):
        here = (hits.grade >= 0) & (hits.rank >= low) & (hits.rank <= high)
        graded = np.bincount(run_of_hit[here], minlength=runs)
        listed = np.clip(hits.retrieved - low + 1, 0, high - low + 1)
        total = np.bincount(run_of_row, weights=listed, minlength=runs)
        judged[:, b] = np.where(total > 0, ratio(graded, total), np.nan)
    within = (evidence.ranks > 0) & (evidence.ranks <= evidence.effort)
    finders = within.sum(axis=0)
    alone = within & (finders == 1) & (runs > 1)  # with a single run, nothing is found alone
    return PoolMap(bands, judged, within.sum(axis=1), alone.sum(axis=1), finders)


def choice(evidence: Evidence, pool: PoolMap) -> list[str]:
    """The runs to show, best first: those that found most alone, and always leader and challenger."""
    by_alone = sorted(evidence.order, key=lambda run: -pool.alone[evidence.place(run)])
    kept = {*by_alone[: MOST - 2], *evidence.order[:2]}
    return [run for run in evidence.order if run in kept]


def title(evidence: Evidence, pool: PoolMap) -> str:
    """Who found most that no other system found."""
    place = int(pool.alone.argmax())
    if len(evidence.runs) == 1:
        where = f"lists at ranks {_band(pool.bands[0])}"
        return f"{percent(float(pool.judged[0, 0]))} of the documents that {evidence.leader} {where} were judged"
    if pool.alone[place] == 0:
        return "Every relevant document that is found is found by two systems or more"
    others = int((pool.alone > 0).sum()) - 1
    rest = f"; {count(others, 'other system')} found some alone" if others else ""
    return f"{evidence.runs[place]} alone found {count(int(pool.alone[place]), 'relevant document')}{rest}"


def reading(evidence: Evidence, pool: PoolMap, shown: int) -> str:
    """How much was found by one system or none, and how deep the leader was judged."""
    known, r = len(pool.finders), evidence.place(evidence.leader)
    one, none = int((pool.finders == 1).sum()), int((pool.finders == 0).sum())
    known_of, within = f"of {count(known, 'relevant document')}", f"within {count(evidence.effort, 'document')}"
    if len(evidence.runs) > 1:
        parts = [f"{known_of}, {count(one)} {_are(one)} found by one system alone and {count(none)} by none {within}"]
    else:
        parts = [f"{known_of}, {count(known - none)} {_are(known - none)} found {within}"]
    depths = [b for b in (0, len(pool.bands) - 1) if not np.isnan(pool.judged[r, b])]
    said = [f"{percent(float(pool.judged[r, b]))} at ranks {_band(pool.bands[b])}" for b in dict.fromkeys(depths)]
    if said:
        parts.append(f"of what {evidence.leader} lists, {' and '.join(said)} were judged (per cent in the cells)")
    left = len(evidence.runs) - shown
    if left:
        parts.append(f"{count(left, 'system')} that alone found less not shown")
    return sentence("; ".join(parts))


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _band(band: tuple[int, int]) -> str:
    return f"{band[0]}–{count(band[1])}"


def _judged(band: tuple[int, int]) -> str:
    return f"judged {_band(band)}"


def _rows(evidence: Evidence, pool: PoolMap, run: str) -> list[dict[str, Any]]:
    r = evidence.place(run)
    judged = {_judged(band): rounded(value) for band, value in zip(pool.bands, pool.judged[r], strict=True)}
    return [{"run": run, "relevant found": int(pool.found[r]), "alone": int(pool.alone[r]), **judged}]


def _chart(evidence: Evidence, pool: PoolMap, shown: Sequence[str], rows: Sequence[dict[str, Any]]) -> Any:
    """Bands and bars on one axis, so that the page can set the width; on a narrow screen below each system's name."""
    bands, high = len(pool.bands), len(shown)
    start = bands + GAP
    heads = [f"–{count(last)}" if b else _band((first, last)) for b, (first, last) in enumerate(pool.bands)]
    heads.append("found")
    ticks = [*range(bands), start]
    x = alt.X(
        "x:Q",
        title=None,
        scale=alt.Scale(domain=[0, start + BARS], nice=False),
        axis=alt.Axis(
            values=ticks,
            tickCount=len(ticks),
            orient="top",
            labelAlign="left",
            labelOverlap=False,
            grid=False,
            labelExpr=staggered(heads, ticks),
            labelPadding=room_above(),
            ticks=False,
            domain=False,
        ),
    )
    names = [_judged(band) for band in pool.bands]
    cell = (
        listed()
        .transform_fold(names, as_=["ranks", "judged"])
        .transform_filter("isValid(datum.judged)")
        .transform_calculate(x=f"indexof({json.dumps(names)}, datum.ranks)")
        .transform_calculate(x2="datum.x + 1", center="datum.x + 0.5", said="format(100 * datum.judged, '.0f')")
        .encode(tooltip=tips("run:N", "ranks:N", "judged:Q"))
    )
    top, middle, bottom = list_y("top:Q", high), list_y("middle:Q", high), alt.Y2("bottom:Q")
    squares = cell.mark_rect().encode(
        x=x, x2=alt.X2("x2:Q"), y=top, y2=bottom, color=alt.Color("judged:Q", scale=depth_scale(0, 1), legend=None)
    )
    # Numbers in the cells instead of a legend.
    inside = cell.mark_text().encode(
        x=alt.X("center:Q"),
        y=middle,
        text=alt.Text("said:N"),
        color=alt.condition("datum.judged < 0.5", alt.value(INK), alt.value(PAPER)),
    )
    base = (
        listed()
        .transform_calculate(x=f"{start}", found="datum['relevant found']")
        .transform_calculate(end=f"{start} + {BARS} * datum.found / most")
        .transform_calculate(common=f"{start} + {BARS} * (datum.found - datum.alone) / most")
        .transform_calculate(
            said="format(datum.found, ',d') + (datum.alone > 0 ? ', ' + format(datum.alone, ',d') + ' alone' : '')",
            line="narrow ? datum.top : datum.middle",
        )
        .encode(tooltip=tips("run:N", "found:Q", "alone:Q"))
    )
    shared = base.mark_bar(color=DEPTH[2]).encode(x=alt.X("x:Q"), x2=alt.X2("common:Q"), y=top, y2=bottom)
    alone = base.mark_bar(color=BUOY).encode(x=alt.X("common:Q"), x2=alt.X2("end:Q"), y=top, y2=bottom)
    # The number is to the right of the bars; on a narrow screen at the end of the line with the name.
    number = base.mark_text(
        align=alt.expr("narrow ? 'right' : 'left'"),
        baseline=alt.expr("narrow ? 'bottom' : 'middle'"),
        dx=alt.expr("narrow ? 0 : 6"),
        dy=alt.expr("narrow ? -3 : 0"),
    ).encode(x=alt.XValue("width"), y=alt.Y("line:Q"), text=alt.Text("said:N"))
    chart = alt.layer(squares, inside, shared, alone, number, names_of_list(high)).add_params(
        narrow(),
        *chosen_params(),
        *list_params(evidence, shown),
        alt.param(name="most", value=max(int(pool.found.max()), 1)),
    )
    return with_rows(chart.properties(width=WIDTH, height=LIST_ROW * high), rows)


def _counts(evidence: Evidence, pool: PoolMap, shown: Sequence[str]) -> dict[str, Any]:
    """The judged and the listed documents of each shown run by topic and band: for the topics that a reader chooses."""
    hits, topics = evidence.hits, len(evidence.topics)
    counts: dict[str, Any] = {}
    for run in shown:
        first = evidence.place(run) * topics
        mine = (hits.row >= first) & (hits.row < first + topics) & (hits.grade >= 0)
        row, rank = hits.row[mine] - first, hits.rank[mine]
        judged = [
            np.bincount(row[(rank >= low) & (rank <= high)], minlength=topics).tolist() for low, high in pool.bands
        ]
        retrieved = hits.retrieved[first : first + topics]
        listed_there = [np.clip(retrieved - low + 1, 0, high - low + 1).tolist() for low, high in pool.bands]
        counts[run] = {"judged": judged, "listed": listed_there}
    return {"bands": [_judged(band) for band in pool.bands], "runs": counts}
