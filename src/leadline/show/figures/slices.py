"""On which kinds of topics does a system do well? Scores by attributes of the topics, with the number of topics."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from leadline.errors import MismatchError
from leadline.measures.definition import inside
from leadline.records.scores import FEWEST_TOPICS
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    GREY,
    HEIGHT,
    INK,
    WIDTH,
    Figure,
    both,
    count,
    decimal,
    drawable,
    narrow,
    needs,
    rounded,
    rows_data,
    tips,
    with_rows,
)
from leadline.show.report.drawing import WHERE, chosen_params, highlighted, report_figure, system_colour, tested_signs
from leadline.show.report.evidence import Evidence
from leadline.trust.by_topic import Slices, slices
from leadline.trust.rankings import sign

NAME = "slices"
SOURCE = "Means over the topics of each slice, with 95 % intervals by Student's t where five topics or more allow one"
RELEVANT = "relevant documents"  # the attribute of a topic that needs no table
MOST_SLICES, MOST_PANELS = 12, 4
# The grey bars are below the scores; as shares of the axis of the scores, the room for them and the tallest bar.
FLOOR, TALLEST = 0.28, 0.17


@report_figure(NAME, section=WHERE, label="by kind of topic", place=40)
def figure(evidence: Evidence, by: str | Sequence[str] | None = None) -> Figure:
    """The deciding measure by attributes of topics. Default: the number of relevant documents, and all attributes."""
    lack = partial(needs, NAME, "On which kinds of topics does a system do well?", source=SOURCE)
    wanted = (RELEVANT, *evidence.attributes) if by is None else (by,) if isinstance(by, str) else tuple(by)
    found, left = list[Slices](), list[str]()
    for name in wanted:
        sliced = _sliced(evidence, name)
        if sliced is not None and _worth_drawing(sliced) and len(found) < MOST_PANELS:
            found.append(sliced)
        else:
            left.append(name)
    if not found:
        return lack(
            "Needs topics that share a value of something: 2 to 12 slices by relevant documents or a column of a table."
        )
    rows = [row for sliced in found for row in rows_of(evidence, sliced)]
    chart = _chart(evidence, found, rows)
    more = {"wide": len(found) > 1}  # two panels in a row
    return Figure(NAME, title(evidence, found), reading(evidence, found, left), chart, rows, SOURCE, more)


def _sliced(evidence: Evidence, by: str) -> Slices | None:
    counts = {topic: int(n) for topic, n in zip(evidence.topics, evidence.relevant, strict=True)}
    values = counts if by == RELEVANT else evidence.attributes.get(by, {})
    try:
        return slices(evidence.main, evidence.measure.text, values, by)
    except MismatchError:
        return None


def _worth_drawing(sliced: Slices) -> bool:
    """Whether there are several slices, and one has several topics; a title or an id differs for each topic."""
    return 1 < len(sliced.names) <= MOST_SLICES and int(sliced.counts.max()) > 1


def topic_slices(evidence: Evidence) -> list[dict[str, Any]]:
    """The slices of topics that a reader can choose, each with its name and its topics."""
    kinds = [_sliced(evidence, name) for name in (RELEVANT, *evidence.attributes)]
    return [
        {
            "name": f"{sliced.by}: {name}",
            "topics": [topic for topic, member in zip(sliced.topics, sliced.members[s], strict=True) if member],
        }
        for sliced in kinds
        if sliced is not None and _worth_drawing(sliced)
        for s, name in enumerate(sliced.names)
    ]


def rows_of(evidence: Evidence, sliced: Slices) -> list[dict[str, Any]]:
    """A row for each slice and run, the best run first."""
    order = [evidence.place(run) for run in evidence.order]
    low, high = inside(evidence.measure, sliced.low), inside(evidence.measure, sliced.high)
    return [
        {
            "by": sliced.by,
            "slice": name,
            "topics": int(sliced.counts[s]),
            "run": sliced.runs[r],
            "mean": rounded(sliced.means[s, r]),
            "low": rounded(low[s, r]),
            "high": rounded(high[s, r]),
        }
        for s, name in enumerate(sliced.names)
        for r in order
    ]


def title(evidence: Evidence, found: Sequence[Slices]) -> str:
    """The slices in which another named run is significantly ahead of the leader; else what is shown."""
    kinds = both([f"number of {sliced.by}" if sliced.by == RELEVANT else sliced.by for sliced in found])
    neutral = f"{evidence.measure.text} by {kinds}"
    enough = [(sliced, s) for sliced in found for s in range(len(sliced.names)) if not sliced.warning(s)]
    others = [evidence.place(run) for run in evidence.named[1:]]
    if not others or not enough:
        return neutral
    values = evidence.main.values[:, :, 0] * sign(found[0].better)
    topics = {topic: t for t, topic in enumerate(evidence.topics)}
    tried, differences = [], []
    for sliced, s in enough:
        here = [topics[topic] for topic, member in zip(sliced.topics, sliced.members[s], strict=True) if member]
        for r in others:
            tried.append((sliced, s, r))
            differences.append(values[evidence.place(evidence.leader), here] - values[r, here])
    signs = tested_signs(differences).tolist()
    behind = [place for place, sign_of in zip(tried, signs, strict=True) if sign_of < 0]
    if behind:
        sliced, s, r = behind[0]
        return (
            f"{evidence.leader} is first overall, but {sliced.runs[r]} does better on topics with {_where(sliced, s)}"
        )
    if all(sign_of > 0 for sign_of in signs):
        return f"{evidence.leader} is ahead of {both([evidence.runs[r] for r in others])} in every slice by {kinds}"
    return neutral


def reading(evidence: Evidence, found: Sequence[Slices], left: Sequence[str]) -> str:
    """The leader's best and worst slice, and what is too small or not drawn."""
    text = f"Over all topics {evidence.leader} has {evidence.measure.text} {decimal(_overall(evidence))}; by slice it "
    text += f"{_span(evidence, found[0])}."
    small = sum(bool(sliced.warning(s)) for sliced in found for s in range(len(sliced.names)))
    if small:
        text += f" {count(small, 'slice')} with fewer than {FEWEST_TOPICS} topics say nothing and have no interval."
    others = len(evidence.runs) - len(evidence.named)
    text += f" Grey ticks: the {count(others, 'other system')}." if others else ""
    return text + (f" Not drawn: {', '.join(left)}." if left else "")


def _span(evidence: Evidence, sliced: Slices) -> str:
    """The range of the leader's means."""
    means = sliced.means[:, evidence.place(evidence.leader)]
    low, high = int(means.argmin()), int(means.argmax())
    return (
        f"goes from {decimal(float(means[low]), among=means)} (topics with {_where(sliced, low)}) "
        f"to {decimal(float(means[high]), among=means)} ({sliced.names[high]})"
    )


def _overall(evidence: Evidence) -> float:
    return float(evidence.means[evidence.place(evidence.leader)])


def _where(sliced: Slices, s: int) -> str:
    name = sliced.names[s]
    return f"{name} {sliced.by}" if sliced.by == RELEVANT else f"{sliced.by} {name}"


def _chart(evidence: Evidence, found: Sequence[Slices], rows: Sequence[dict[str, Any]]) -> Any:
    panels = [_panel(evidence, sliced, HEIGHT if len(found) == 1 else 240) for sliced in found]
    chart = panels[0] if len(panels) == 1 else alt.concat(*panels, columns=2, spacing=28)
    return with_rows(chart.add_params(narrow(), *chosen_params()), rows)


def _panel(evidence: Evidence, sliced: Slices, height: int) -> Any:
    """Dots with intervals side by side, above grey bars for the number of topics."""
    low, high = _ends(sliced)
    span, most = high - low, int(sliced.counts.max())
    floor = low - FLOOR * span
    bars = [
        {
            "slice": name,
            "from": floor,
            "to": floor + TALLEST * span * int(topics) / most,
            "text": count(int(topics), "topic"),
            "tight": str(topics) if place else count(int(topics), "topic"),
        }
        for place, (name, topics) in enumerate(zip(sliced.names, sliced.counts, strict=True))
    ]
    x = alt.X(
        "slice:N",
        title=f"{RELEVANT} of the topic" if sliced.by == RELEVANT else sliced.by,
        sort=list(sliced.names),
        axis=alt.Axis(labelAngle=0, grid=False, labelLimit=110),
        scale=alt.Scale(paddingInner=0.25),
    )
    scale = alt.Scale(domain=[floor, high], nice=False, clamp=True)
    ticks = [round(low + span * step / 5, 6) for step in range(6)]
    y = alt.Y(
        "mean:Q",
        title=evidence.measure.text,
        scale=scale,
        axis=alt.Axis(values=ticks, tickCount=len(ticks), domain=False),
    )
    support = alt.Chart.of(alt.values(bars)).encode(x=x)
    bar = support.mark_bar(color=GREY, opacity=0.3).encode(y=alt.Y("from:Q", scale=scale), y2=alt.Y2("to:Q"))
    number = support.transform_calculate(shown="narrow ? datum.tight : datum.text").mark_text(dy=-8)
    number = number.encode(y=alt.Y("to:Q", scale=scale), text=alt.Text("shown:N"))
    base = alt.Chart.of(rows_data()).transform_filter(alt.equals(sliced.by, "by"))
    tip = tips("run:N", "slice:N", "topics:Q", "mean:Q", "low:Q", "high:Q")
    is_named = alt.one_of("run", list(evidence.named))
    others = (
        base.transform_filter(alt.unless(is_named))
        .mark_tick(color=GREY, opacity=0.35, thickness=1, width=34)
        .encode(x=x, y=y, tooltip=tip)
    )
    beside = alt.XOffset("run:N", sort=list(evidence.named), scale=alt.Scale(domain=list(evidence.named)))
    named = base.transform_filter(is_named).encode(x=x, xOffset=beside, color=_legend(evidence))
    intervals = (
        named.transform_filter("isValid(datum.low)")
        .transform_calculate(bottom=f"max(datum.low, {low})")  # never below the bars
        .mark_rule(strokeWidth=2)
        .encode(y=alt.Y("bottom:Q", scale=scale), y2=alt.Y2("high:Q"))
    )
    dots = named.mark_point(filled=True, size=70, opacity=1).encode(y=y, tooltip=tip, shape=_shapes(evidence))
    # A highlighted system without a colour of its own: a tick over the whole slice, with its name in one of the first.
    picked = highlighted(base.transform_filter(alt.unless(is_named))).encode(x=x, y=y, tooltip=tip)
    ticks_of = picked.mark_tick(thickness=3, width=44)
    spots = json.dumps(drawable(list(sliced.names[:3])))
    one = picked.transform_filter(f"datum.slice == {spots}[indexof(chosen, datum.run) % length({spots})]")
    name = one.mark_text(align="left", dx=-20, dy=-9, fontWeight="bold", limit=120).encode(
        text=alt.Text("run:N"), color=alt.ColorValue(INK)
    )
    return alt.layer(bar, number, others, intervals, dots, ticks_of, name).properties(width=WIDTH, height=height)


def _ends(sliced: Slices) -> tuple[float, float]:
    """The axis of the scores: 0 to 1, or the range of the values for other kinds of measures."""
    values = np.concatenate([sliced.means.ravel(), sliced.low.ravel(), sliced.high.ravel()])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return (0.0, 1.0) if sliced.means.min() >= 0 and sliced.means.max() <= 1 else (min(0.0, low), high)


def _legend(evidence: Evidence) -> Any:
    """The colours with a legend, because dots have no end to label."""
    columns = alt.expr("narrow ? 1 : 3")
    return system_colour(evidence).legend(title=None, orient="top", columns=columns, labelLimit=180)


def _shapes(evidence: Evidence) -> Any:
    forms = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right"]
    domain = list(evidence.named)
    legend = alt.Legend(title=None, orient="top", columns=alt.expr("narrow ? 1 : 3"), labelLimit=180)
    return alt.Shape("run:N", legend=legend, scale=alt.Scale(domain=domain, range=forms[: len(domain)]))
