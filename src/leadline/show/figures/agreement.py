"""Do three measures agree on which of two runs is better? All pairs of runs, grouped by which measures agree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from leadline.errors import MismatchError
from leadline.show import vega_lite as alt
from leadline.show.charts import BUOY, DEPTH, WIDTH, Figure, both, count, needs, percent, tips
from leadline.show.report.drawing import BELIEVED, report_figure
from leadline.show.report.evidence import Evidence
from leadline.trust.measure_comparison import Agreement, agreement

NAME = "agreement"
SOURCE = "Magdy and Jones, SIGIR 2010: every pair of runs by Wilcoxon's test at 95 %, without correction"
FEWEST_TOPICS = 6  # with fewer, Wilcoxon's p cannot be below 0.05
ROW = 46  # pixels: a line of text and the bar below it

BETTER, ALIKE, OPPOSED = "one run is better", "no difference seen", "two measures prefer opposite runs"


@report_figure(NAME, section=BELIEVED, label="do the measures agree", place=20, estimated=True)
def figure(evidence: Evidence, measures: Sequence[str] | None = None) -> Figure:
    """On how many pairs three measures agree, and on how many only two. Default: those of `evidence.trio`."""
    lack = partial(needs, NAME, "Do the measures agree?", source=SOURCE)
    names = evidence.trio if measures is None else tuple(measures)
    if len(evidence.runs) < 2:
        return lack("Needs two runs or more, to compare them under each measure.")
    if len(evidence.answerable) < FEWEST_TOPICS:
        return lack(f"Needs {FEWEST_TOPICS} topics or more: with fewer, Wilcoxon's test tells no two runs apart.")
    try:
        found = agreement(evidence.scores(names), names)
    except MismatchError as error:
        return lack(f"Nothing to compare: {error}.")
    rows = groups(found)
    return Figure(NAME, title(found, rows), reading(rows), _chart(rows), rows, SOURCE)


def groups(found: Agreement) -> list[dict[str, Any]]:
    """A row for each group of agreeing measures: the number of pairs, and what these measures say about them."""
    rows = []
    for name, pairs, part, one_better, alike, opposed in found.table().rows:
        better = 0 if name == "none" else one_better - opposed
        rows.append(
            {"agree": name, "pairs": pairs, "share": round(part, 5), BETTER: better, ALIKE: alike, OPPOSED: opposed}
        )
    return rows


def title(found: Agreement, rows: Sequence[dict[str, Any]]) -> str:
    """Which measure is between the other two: the one that is least often alone with its verdict."""
    alone = [rows[3]["pairs"], rows[2]["pairs"], rows[1]["pairs"]]  # of the first, second and third measure
    middle = min(range(3), key=lambda m: alone[m])
    if alone.count(alone[middle]) > 1:
        return f"{both(found.measures)} agree on {percent(rows[0]['share'])} of the pairs of runs"
    others = [name for m, name in enumerate(found.measures) if m != middle]
    part = percent(alone[middle] / found.verdicts.shape[1])
    alone_in = f"alone with its verdict on {part} of the pairs" if alone[middle] else "never alone with its verdict"
    return f"{found.measures[middle]} is between {both(others)}: it is {alone_in}"


def reading(rows: Sequence[dict[str, Any]]) -> str:
    """How often all agree, and how often two of them contradict each other."""
    pairs = sum(row["pairs"] for row in rows)
    opposed = sum(row[OPPOSED] for row in rows)
    agreed = rows[0]["pairs"]
    of_pairs = f"{count(agreed)} of {count(pairs, 'pair')} ({percent(agreed / pairs)})"
    against = "in no pair do two" if not opposed else f"in {count(opposed)} ({percent(opposed / pairs)}) two"
    return f"All three measures say the same of {of_pairs}; {against} of them prefer opposite runs."


def _chart(rows: Sequence[dict[str, Any]]) -> Any:
    """A line of text above a bar for each group, which fits any width."""
    pairs = sum(row["pairs"] for row in rows)
    words, bars = [], []
    for place, row in enumerate(rows):
        who = row["agree"] if row["agree"] in ("all three", "none") else f"only {row['agree']}"
        words.append({"y": place, "text": f"{who}: {count(row['pairs'])} ({percent(row['pairs'] / pairs)})"})
        start = 0
        for kind in (BETTER, ALIKE, OPPOSED):
            if row[kind]:
                ends = {"from": start / pairs, "to": (start + row[kind]) / pairs}
                bars.append({"y": place + 0.4, "y2": place + 0.85, "says": kind, "pairs": row[kind], **ends})
                start += row[kind]
    heights = alt.Scale(domain=[0, len(rows)], reverse=True, nice=False)
    y = alt.Y("y:Q", scale=heights, axis=None)
    colour = alt.Color(
        "says:N",
        title=None,
        scale=alt.Scale(domain=[BETTER, ALIKE, OPPOSED], range=[DEPTH[4], DEPTH[1], BUOY]),
        legend=alt.Legend(orient="top", columns=1, labelLimit=300),
    )
    widest = max(row["pairs"] for row in rows) / pairs
    bar = (
        alt.Chart.of(alt.values(bars))
        .mark_rect()
        .encode(
            x=alt.X(
                "from:Q",
                title="share of the pairs of runs",
                axis=alt.Axis(format="%", tickCount=5, grid=False),
                scale=alt.Scale(domain=[0, widest]),
            ),
            x2=alt.X2("to:Q"),
            y=y,
            y2=alt.Y2("y2:Q"),
            color=colour,
            tooltip=tips("says:N", "pairs:Q"),
        )
    )
    text = alt.Chart.of(alt.values(words)).mark_text(align="left", baseline="top", dy=3, fontSize=12)
    return alt.layer(bar, text.encode(x=alt.XValue(0), y=y, text=alt.Text("text:N"))).properties(
        width=WIDTH, height=ROW * len(rows)
    )
