"""Who needs to read less for the same recall? The frontier of recall against effort of the first two systems."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from leadline.measures.hits import Array
from leadline.show import vega_lite as alt
from leadline.show.charts import (
    BUOY,
    HEIGHT,
    WIDTH,
    Figure,
    beside,
    both,
    count,
    narrow,
    needs,
    percent,
    rounded,
    rows_data,
    short,
    with_rows,
)
from leadline.show.report.drawing import (
    LOG_FROM,
    WHO,
    effort_x,
    haloed,
    minutes_param,
    report_figure,
    system_colour,
    system_dash,
)
from leadline.show.report.evidence import Evidence
from leadline.trust.effort_to_recall import EffortPair, EffortToRecall, effort_to_recall, ratio_interval
from leadline.trust.paired_tests import holm

NAME = "effort_at_recall"
TITLE = "Documents read for the same recall"
STEP = 0.05  # between two points of a line
TRIED = (0.5, 0.8, 0.9, 0.95)
ALPHA = 0.05
SOURCE = (
    "Medians over topics; a run that never gets there counts as worse than any that does. Test: flips of signs on the "
    "ranks of the ratios by topic (Wilcoxon 1945), Holm's correction over the shares named; band: ratios that the test "
    "does not exclude (Hodges and Lehmann 1963), at each share by itself, away from the other line as far as lists go."
)


@report_figure(NAME, section=WHO, label="effort at equal recall", place=12)
def figure(evidence: Evidence) -> Figure:
    """For each recall the median effort of the leader and the challenger, with a band for their difference."""
    if evidence.challenger is None or len(evidence.answerable) < 2:
        return needs(NAME, TITLE, "Needs two runs, and two topics with a relevant document.", SOURCE)
    two = (evidence.leader, evidence.challenger)
    found = _of_two(evidence, two)
    medians = {run: found.medians[found.runs.index(run)] for run in two}
    if not np.isfinite([medians[run][0] for run in two]).all():
        least = percent(found.recall[0])
        return needs(NAME, TITLE, f"{' or '.join(two)} does not find {least} of what is known on most topics.", SOURCE)
    pairs = {pair.recall: pair for pair in found.pairs}
    tested = dict(zip(TRIED, holm(np.array([pairs[share].p for share in TRIED])).tolist(), strict=True))
    rows = [*_lines(found, two), *_band(found, two, evidence.depth)]
    said = _supported(pairs, tested)
    chart = with_rows(_chart(evidence, two, medians, found.recall, said), rows)
    return Figure(NAME, _title(said, two), _reading(pairs, tested, two), chart, rows, SOURCE)


def _of_two(evidence: Evidence, two: tuple[str, str]) -> EffortToRecall:
    """The efforts of two runs, at every step of recall."""
    runs = tuple(run for run in evidence.runs if run in two)
    rows = np.repeat(np.isin(np.array(evidence.runs, object), runs), len(evidence.topics))
    study = replace(evidence.study, runs=runs, hits=evidence.hits.rows_where(rows), level=evidence.level)
    steps = round(1 / STEP)
    return effort_to_recall(study, [step / steps for step in range(1, steps + 1)], samples=0, alpha=ALPHA)


def _lines(found: EffortToRecall, two: tuple[str, str]) -> list[dict[str, Any]]:
    """A row for each run and recall that it reaches on most topics."""
    return [
        {
            "kind": "run",
            "run": run,
            "recall": recall,
            "documents": float(found.medians[place, r]),
            "never": int(found.never[place, r]),
            "topics": len(found.topics),
        }
        for run in two
        for place in [found.runs.index(run)]
        for r, recall in enumerate(found.recall)
        if math.isfinite(found.medians[place, r])
    ]


def _band(found: EffortToRecall, two: tuple[str, str], depth: int) -> list[dict[str, Any]]:
    """A row for each recall: the ratio of the leader's effort to the challenger's, and where it puts the leader.

    The limit of its interval that faces the challenger's line is the test's. The other is often 0 where the challenger
    never gets there on some topics: it is drawn as if these took one document more than the longest list.
    """
    first, second = (found.effort[found.runs.index(run)] for run in two)
    base = found.medians[found.runs.index(two[1])]
    rows = []
    for r, recall in enumerate(found.recall):
        ratio, low, high = ratio_interval(first[:, r], second[:, r])
        if not math.isfinite(base[r]) or math.isnan(low):
            continue
        _, *drawn = ratio_interval(np.minimum(first[:, r], depth + 1), np.minimum(second[:, r], depth + 1))
        left, right = (max(low, drawn[0]), high) if ratio <= 1 else (low, min(high, drawn[1]))
        rows.append(
            {
                "kind": "band",
                "run": two[0],
                "recall": recall,
                "ratio": _finite(ratio),
                "ratio_low": _finite(low),
                "ratio_high": _finite(high),
                "low": min(max(base[r] * left, 1.0), depth),
                "high": min(max(base[r] * right, 1.0), depth),
            }
        )
    return rows


def _finite(value: float) -> float | None:
    return rounded(value) if math.isfinite(value) else None


def _supported(pairs: dict[float, EffortPair], tested: dict[float, float]) -> EffortPair | None:
    """The largest recall for which the test says who needs less; None where it does for none."""
    for share in reversed(TRIED):
        pair = pairs[share]
        if tested[share] < ALPHA and pair.needs_less and pair.medians[0] < pair.medians[1]:
            return pair
    return None


def _title(said: EffortPair | None, two: tuple[str, str]) -> str:
    if said is None:
        return f"{TITLE}: {two[0]} and {two[1]}"
    one, other = said.medians
    against = "never" if math.isinf(other) else f"within {_documents(other)}"
    share, read = percent(said.recall), _documents(one)
    sooner = f"{said.first} is sooner on {said.less} of {count(said.topics, 'topic')}"
    return f"{said.first} finds {share} of what is known within {read} documents, {said.other} {against}; {sooner}"


def _reading(pairs: dict[float, EffortPair], tested: dict[float, float], two: tuple[str, str]) -> str:
    """Both efforts for each recall that was tested, and what is drawn."""
    clauses, neither = [], []
    for share in TRIED:
        pair = pairs[share]
        turned = pair.first != two[0]
        one, other = pair.medians[::-1] if turned else pair.medians
        less, more = (pair.more, pair.less) if turned else (pair.less, pair.more)
        if math.isinf(one) and math.isinf(other):
            neither.append(percent(share))
            continue
        read = f"{percent(share)} takes {_documents(one)} documents against {_documents(other)}"
        clauses.append(f"{read}, less on {less} and more on {more} (p = {tested[share]:.2g})")
    said = [f"{two[0]} against {two[1]}, medians over {count(pairs[TRIED[0]].topics, 'topic')}: {'; '.join(clauses)}."]
    if neither:
        said.append(f"On most topics neither finds {both(neither)}.")
    said.append(
        f"Shaded: where the line of {two[0]} may lie, with 95\u202f% confidence at each share; where that leaves the "
        f"line of {two[1]}, the difference is hardly chance."
    )
    return " ".join(said)


def _documents(effort: float) -> str:
    return "never" if math.isinf(effort) else count(effort) if effort == int(effort) else f"{effort:.1f}"


def _chart(
    evidence: Evidence,
    two: tuple[str, str],
    medians: dict[str, Array],
    recall: tuple[float, ...],
    said: EffortPair | None,
) -> Any:
    depth = evidence.depth
    y = alt.Y(
        "recall:Q",
        title="share of the known relevant documents found",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%", tickCount=5),
    )
    x = effort_x("documents:Q", depth)
    base = alt.Chart.of(rows_data()).encode(y=y)
    lines = base.transform_filter("datum.kind == 'run'").encode(
        x=x, color=system_colour(evidence), order="recall:Q", tooltip=["run:N", "recall:Q", "documents:Q", "never:Q"]
    )
    band = base.transform_filter("datum.kind == 'band'").encode(
        x=effort_x("low:Q", depth),
        x2="high:Q",
        color=system_colour(evidence),
    )
    ends = {run: max(r for r, read in zip(recall, medians[run], strict=True) if math.isfinite(read)) for run in two}
    last = [
        {"run": run, "recall": ends[run], "from": float(medians[run][recall.index(ends[run])]), "to": depth}
        for run in two
    ]
    further = alt.Chart.of(alt.values(last)).encode(y=y, color=system_colour(evidence))
    layers = [
        band.mark_area(orient="horizontal", opacity=0.18),
        further.mark_rule(strokeDash=[1, 4], strokeWidth=2).encode(x=alt.X("from:Q"), x2="to:Q"),
        lines.mark_line(strokeWidth=2.5).encode(strokeDash=system_dash(evidence)),
    ]
    if said is not None:
        spots = [
            {"documents": read, "recall": said.recall, "text": percent(said.recall)}
            for read in said.medians
            if math.isfinite(read)
        ]
        marks = alt.Chart.of(alt.values(spots)).encode(x="documents:Q", y="recall:Q")
        layers.append(marks.mark_line(color=BUOY, strokeWidth=1.5))
        layers.append(marks.mark_point(filled=True, size=60, color=BUOY, opacity=1))
        layers.append(haloed(spots[:1], x="documents:Q", y="recall:Q", align="right", dx=-8, color=BUOY))
    corner: Literal["top left", "bottom right"] = "top left" if depth > LOG_FROM else "bottom right"
    labels = {run: (ends[run], f"{short(run)}  {percent(ends[run])}") for run in two}
    layers.append(beside(labels, {run: evidence.colour(run) for run in two}, (0, 1), HEIGHT, corner=corner))
    chart = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)
    return chart.add_params(minutes_param(), narrow())
