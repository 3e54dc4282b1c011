"""The charts of TREC-CHEM 2009, from its printed tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from leadline.measures.hits import Array
from leadline.records.scores.scores import Scores
from leadline.show.charts.labels import narrow
from leadline.show.charts.style import BUOY, DEPTH, GREY, altair
from leadline.show.figures.figure import WIDTH, Figure, depth_scale, rows_data, with_rows
from leadline.show.papers.published import ChemScores
from leadline.trust.spectrogram import spectrogram

SOURCE = "Lupu, Piroi, Huang, Zhu and Tait, Overview of the TREC 2009 Chemical IR Track"
ROW = 17  # pixels of a line of cells or a bar
Records = Sequence[Mapping[str, Any]]


def spectrogram_chart(scores: Scores, measure: str) -> Figure:
    """A heat map of run × topic: the best run at the top, the topic with the best mean on the left."""
    found = spectrogram(scores, measure)
    rows = [
        {"run": run, "topic": topic, measure: float(found.values[r, t])}
        for r, run in enumerate(found.runs)
        for t, topic in enumerate(found.topics)
    ]
    alt = altair()
    x = alt.X("topic:N", sort=list(found.topics), title="topic, the one answered best first",
              axis=alt.Axis(labelAngle=-60, ticks=False, domain=False))  # fmt: skip
    y = alt.Y("run:N", sort=list(found.runs), title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=130))
    colour = alt.Color(f"{measure}:Q", scale=depth_scale(0, 1))
    colour = colour.legend(title=measure, orient="top", direction="horizontal", format=".2f", gradientLength=220)
    tip = ["run:N", "topic:N", f"{measure}:Q"]
    chart = alt.Chart(rows_data()).mark_rect().encode(x=x, y=y, color=colour, tooltip=tip)
    who = found.answered_by()
    alone = [topic for topic, by in zip(found.topics, who, strict=True) if by == "one"]
    nobody = [topic for topic, by in zip(found.topics, who, strict=True) if by == "nobody"]
    title = f"{measure}: {found.topics[0]} is answered best, {found.topics[-1]} worst, of {len(found.topics)} topics"
    reading = f"A run answers a topic from {found.fair:.2f} up, half the best mean. " + (
        f"Only one run answers {', '.join(alone)}. " if alone else ""
    ) + (f"No run answers {', '.join(nobody)}." if nobody else "Every topic is answered by some run.")  # fmt: skip
    chart = chart.properties(width=WIDTH, height=ROW * len(found.runs)).add_params(narrow())
    source = f"{SOURCE}, figure {'11' if measure == 'xinfAP' else '12'}"
    return Figure(f"chem-2009-{measure.lower()}", title, reading, with_rows(chart, rows), rows, source)


def disagreement_chart(records: Records) -> Figure:
    """For each topic, the share of documents on which two judges conflict, and the share that one judge left open."""
    kinds = {"conflict": "one says relevant, one not", "lenient": "one is unsure or did not judge"}
    share = sum(record["strict"] for record in records) / sum(record["documents"] for record in records)
    shares = [record["strict"] / record["documents"] for record in records]
    span = f"{100 * min(shares):.0f} to {100 * max(shares):.0f} % by topic"
    title = f"Two judges disagree on {100 * share:.0f} % of the documents: {span}"
    return _bars(records, kinds, [BUOY, DEPTH[1]], "chem-2009-disagreement", title, "table 5")


def grades_chart(records: Records, who: str, where: str) -> Figure:
    """For each topic, the share of documents that are relevant according to the students or the experts."""
    kinds = {"highly_relevant": "highly relevant", "relevant": "relevant"}
    shares = [(record["highly_relevant"] + record["relevant"]) / record["documents"] for record in records]
    span = f"{100 * min(shares):.0f} to {100 * max(shares):.0f} %"
    title = f"The share of a topic's documents that the {who} call relevant varies widely: {span}"
    return _bars(records, kinds, [DEPTH[4], DEPTH[2]], f"chem-2009-{who}", title, where)


def _bars(
    records: Records, kinds: Mapping[str, str], colours: Sequence[str], name: str, title: str, where: str
) -> Figure:
    """A bar for each topic, in parts, the longest first."""
    total = {record["topic"]: sum(record[kind] for kind in kinds) / record["documents"] for record in records}
    order = sorted(total, key=lambda topic: -total[topic])
    rows = [
        {
            "topic": record["topic"], "kind": words, "documents": record[kind],
            "share": round(record[kind] / record["documents"], 4),
        }
        for record in records
        for kind, words in kinds.items()
    ]  # fmt: skip
    alt = altair()
    x = alt.X("sum(share):Q", title="share of the topic's documents", axis=alt.Axis(format="%", tickCount=5),
              scale=alt.Scale(domain=[0, 1]))  # fmt: skip
    y = alt.Y("topic:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False))
    colour = alt.Color("kind:N", title=None, scale=alt.Scale(domain=list(kinds.values()), range=list(colours)),
                       legend=alt.Legend(orient="top", columns=1, labelLimit=300))  # fmt: skip
    chart = alt.Chart(rows_data()).mark_bar().encode(
        x=x, y=y, color=colour, order=alt.Order("kind:N", sort="ascending"),
        tooltip=["topic:N", "kind:N", "documents:Q", alt.Tooltip("share:Q", format=".0%")],
    )  # fmt: skip
    chart = chart.properties(width=WIDTH, height=ROW * len(order)).add_params(narrow())
    first, last = (f"{topic} with {100 * total[topic]:.0f} %" for topic in (order[0], order[-1]))
    reading = f"First is {first}, last is {last}."
    return Figure(name, title, reading, with_rows(chart, rows), rows, f"{SOURCE}, {where}")


def measures_chart(name: str, runs: Sequence[str], measures: Sequence[str], values: Array, where: str) -> Figure:
    """Six measures side by side: a dot for each run, as a share of the best. NaN is left out."""
    shares = values / np.nanmax(values, axis=0)
    rows = [
        {"run": run, "measure": measure, "value": float(values[r, m]), "of the best": float(shares[r, m])}
        for r, run in enumerate(runs)
        for m, measure in enumerate(measures)
        if not np.isnan(values[r, m])
    ]
    alt = altair()
    x = alt.X("of the best:Q", title="as a share of the best run", axis=alt.Axis(format="%", tickCount=5),
              scale=alt.Scale(domain=[0, 1]))  # fmt: skip
    y = alt.Y("run:N", sort=list(runs), title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=130))
    shape = alt.Shape("measure:N", sort=list(measures), legend=alt.Legend(title=None, orient="top", columns=3))
    dots = alt.Chart(rows_data()).mark_point(size=44, strokeWidth=1.6, color=DEPTH[4]).encode(
        x=x, y=y, shape=shape, tooltip=["run:N", "measure:N", "value:Q"]
    )  # fmt: skip
    lines = alt.Chart(rows_data()).mark_rule(color=GREY, opacity=0.5).encode(
        x=alt.X("min(of the best):Q"), x2="max(of the best):Q", y=y
    )  # fmt: skip
    widest = int(np.argmax(np.nanmax(shares, axis=1) - np.nanmin(shares, axis=1)))
    least, most = int(np.nanargmin(shares[widest])), int(np.nanargmax(shares[widest]))
    low, high = (f"{100 * shares[widest, m]:.0f} % of the best {measures[m]}" for m in (least, most))
    title = f"{runs[widest]} has {high} and {low}"
    chart = alt.layer(lines, dots).properties(width=WIDTH, height=ROW * len(runs)).add_params(narrow())
    reading = "Short line: the measures agree about the run. Long line: they measure different things."
    return Figure(f"chem-2009-{name}", title, reading, with_rows(chart, rows), rows, f"{SOURCE}, {where}")


def offices_chart(ep: ChemScores, us: ChemScores) -> Figure:
    """For each measure, a mark for every run at the quotient of its score on American and on European topics."""
    quotients = us.values / ep.values
    rows = [
        {
            "run": run, "measure": measure, "EP": float(ep.values[r, m]), "US": float(us.values[r, m]),
            "quotient": float(quotients[r, m]),
        }
        for r, run in enumerate(ep.runs)
        for m, measure in enumerate(ep.measures)
    ]  # fmt: skip
    alt = altair()
    scale = alt.Scale(type="log", domain=[0.9 * float(quotients.min()), 1.1 * float(quotients.max())], nice=False)
    x = alt.X("quotient:Q", title="score on US topics / score on EP topics", scale=scale,
              axis=alt.Axis(values=[0.5, 1, 2, 4, 8, 16], format="~g", grid=False))  # fmt: skip
    y = alt.Y("measure:N", sort=list(ep.measures), title=None, axis=alt.Axis(ticks=False, domain=False))
    colour = alt.condition("indexof(datum.run, 'york') == 0", alt.value(BUOY), alt.value(DEPTH[4]))
    marks = alt.Chart(rows_data()).mark_tick(thickness=2, opacity=0.6, height=22).encode(
        x=x, y=y, color=colour, tooltip=["run:N", "measure:N", "EP:Q", "US:Q", alt.Tooltip("quotient:Q", format=".2f")]
    )  # fmt: skip
    one = alt.Chart(alt.Data(values=[{"quotient": 1}])).mark_rule(color=GREY, strokeDash=[4, 3]).encode(x=x)
    higher = (us.values > ep.values).sum(axis=0).tolist()
    first, last = (order(range(len(higher)), key=lambda m: higher[m]) for order in (max, min))
    title = (
        f"On American topics {higher[first]} of {len(ep.runs)} runs score higher by {ep.measures[first]}, "
        f"but only {higher[last]} by {ep.measures[last]}"
    )
    reading = "Right of the line: better on American topics. Coloured: the two runs of York."
    chart = alt.layer(one, marks).properties(width=WIDTH, height=44 * len(ep.measures)).add_params(narrow())
    source = f"{SOURCE}, tables 12 and 13, figure 6"
    return Figure("chem-2009-offices", title, reading, with_rows(chart, rows), rows, source)
