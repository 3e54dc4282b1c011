"""The picture of a study of missing judgements: how alike the ranking stays, against the share of them kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.charts.style import DASHES, GREY, OKABE_ITO, altair, styled

if TYPE_CHECKING:
    from leadline.compare.incomplete import Incomplete

WIDTH, HEIGHT, LABEL, LINE = 540, 340, 130, 15  # in pixels; a label is LABEL wide and LINE high


def chart(study: Incomplete) -> Any:
    """Lines coloured by measure and dashed by effort, labelled where they start, with the band of 95 % of samples."""
    alt = altair()
    low, high = study.interval
    floor = max(0.0, np.floor(10 * np.nanmin(low) - 1e-9) / 10)
    lines = [
        {"measure": name, "keep": share, "tau": mean, "low": least, "high": most}
        for m, name in enumerate(study.measures)
        for share, mean, least, most in [
            *zip(study.keep, study.mean[:, m].tolist(), low[:, m].tolist(), high[:, m].tolist(), strict=True),
            (1.0, 1.0, 1.0, 1.0),
        ]
    ]
    first = int(np.argmin(study.keep))
    fewest = study.keep[first]
    places = spread(study.mean[first].tolist(), LINE / HEIGHT * (1 - floor))
    labels = [
        {"measure": name, "keep": fewest, "place": place, "text": f"{name}  {mean:.2f}"}
        for name, place, mean in zip(study.measures, places, study.mean[first].tolist(), strict=True)
    ]
    colours, dashes = styles(study.measures)
    colour = alt.Color("measure:N", legend=None, scale=alt.Scale(domain=list(study.measures), range=colours))
    dash = alt.StrokeDash("measure:N", legend=None, scale=alt.Scale(domain=list(study.measures), range=dashes))
    likeness = "likeness to the full ranking (Kendall's τ" + (")" if floor == 0 else f", from {floor:.1f})")
    heights = alt.Scale(domain=[floor, 1])
    axis = alt.Axis(orient="right", format=".1f", tickCount=5, domain=False)  # on the left stand the labels
    x = alt.X(
        "keep:Q",
        title="share of the relevant documents that is known",
        scale=alt.Scale(domain=[fewest - (1 - fewest) * LABEL / (WIDTH - LABEL), 1], nice=False),
        axis=alt.Axis(format="%", values=[*study.keep, 1.0], grid=False),
    )
    y = alt.Y("tau:Q", title=likeness, scale=heights, axis=axis)
    base = alt.Chart(alt.Data(values=lines))
    lowest = alt.Y("low:Q", title=likeness, scale=heights, axis=axis)
    band = base.mark_area(opacity=0.08).encode(x=x, y=lowest, y2="high:Q", color=colour)
    line = base.mark_line(strokeWidth=2, point=alt.OverlayMarkDef(size=28)).encode(
        x=x, y=y, color=colour, strokeDash=dash, tooltip=["measure:N", "keep:Q", "tau:Q", "low:Q", "high:Q"]
    )
    named = alt.Chart(alt.Data(values=labels)).mark_text(align="right", dx=-8, fontSize=12)
    named = named.encode(x="keep:Q", y="place:Q", text="text:N", color=colour)
    subtitle = f"{study.runs} runs, {study.tau.shape[1]} samples a share; the bands hold 95 % of the samples"
    title = alt.TitleParams(_two_lines(study.finding()), subtitle=subtitle)
    return styled(alt.layer(band, line, named).properties(width=WIDTH, height=HEIGHT, title=title))


def styles(measures: Sequence[str]) -> tuple[list[str], list[list[int]]]:
    """A colour for each measure and a dash for each of its efforts; grey beyond the colours people tell apart.

    >>> styles(["AP@100", "AP@1000", "R@100"])
    (['#0072b2', '#0072b2', '#d55e00'], [[1, 0], [6, 3], [1, 0]])
    """
    families: dict[str, list[str]] = {}
    for name in measures:
        families.setdefault(name.partition("@")[0], []).append(name)
    order = list(families)
    colours, dashes = [], []
    for name in measures:
        family = name.partition("@")[0]
        place = order.index(family)
        colours.append(OKABE_ITO[place] if place < len(OKABE_ITO) else GREY)
        dashes.append(DASHES[families[family].index(name) % len(DASHES)])
    return colours, dashes


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Where labels go that want to stand at these heights but need a gap between them: from the top down.

    >>> [round(place, 2) for place in spread([0.9, 0.5, 0.89], 0.05)]
    [0.9, 0.5, 0.85]
    """
    places = list(heights)
    above = float("inf")
    for at in sorted(range(len(places)), key=lambda at: -heights[at]):
        places[at] = above = min(places[at], above - gap)
    return places


def _two_lines(sentence: str) -> list[str]:
    """A title broken at the comma nearest its middle, if it has one."""
    breaks = [at for at, letter in enumerate(sentence) if letter == ","]
    if not breaks:
        return [sentence]
    at = min(breaks, key=lambda at: abs(at - len(sentence) / 2)) + 1
    return [sentence[:at], sentence[at:].strip()]
