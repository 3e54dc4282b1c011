"""The picture of a study of missing judgements: how alike the ranking stays, against the share of them kept."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import LeadlineError

if TYPE_CHECKING:
    from leadline.compare.incomplete import Incomplete

INK, PAPER, GREY = "#1b2a36", "#fbfaf7", "#8b959c"
OKABE_ITO = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2])
WIDTH, HEIGHT, LABEL, LINE = 540, 340, 130, 15  # in pixels; a label is LABEL wide and LINE high


def chart(study: Incomplete) -> Any:
    """Lines coloured by measure and dashed by effort, labelled where they start, with the band of 95 % of samples."""
    try:
        altair: Any = importlib.import_module("altair")
    except ImportError:
        raise LeadlineError("a chart needs the package altair: pip install altair") from None
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
    colour = altair.Color("measure:N", legend=None, scale=altair.Scale(domain=list(study.measures), range=colours))
    dash = altair.StrokeDash("measure:N", legend=None, scale=altair.Scale(domain=list(study.measures), range=dashes))
    likeness = "likeness to the full ranking (Kendall's τ" + (")" if floor == 0 else f", from {floor:.1f})")
    heights = altair.Scale(domain=[floor, 1])
    axis = altair.Axis(orient="right", format=".1f", tickCount=5, domain=False)  # on the left stand the labels
    x = altair.X(
        "keep:Q",
        title="share of the relevant documents that is known",
        scale=altair.Scale(domain=[fewest - (1 - fewest) * LABEL / (WIDTH - LABEL), 1], nice=False),
        axis=altair.Axis(format="%", values=[*study.keep, 1.0], grid=False),
    )
    y = altair.Y("tau:Q", title=likeness, scale=heights, axis=axis)
    base = altair.Chart(altair.Data(values=lines))
    lowest = altair.Y("low:Q", title=likeness, scale=heights, axis=axis)
    band = base.mark_area(opacity=0.08).encode(x=x, y=lowest, y2="high:Q", color=colour)
    line = base.mark_line(strokeWidth=2, point=altair.OverlayMarkDef(size=28)).encode(
        x=x, y=y, color=colour, strokeDash=dash, tooltip=["measure:N", "keep:Q", "tau:Q", "low:Q", "high:Q"]
    )
    named = altair.Chart(altair.Data(values=labels)).mark_text(align="right", dx=-8, fontSize=12)
    named = named.encode(x="keep:Q", y="place:Q", text="text:N", color=colour)
    subtitle = f"{study.runs} runs, {study.tau.shape[1]} samples a share; the bands hold 95 % of the samples"
    title = altair.TitleParams(_two_lines(study.finding()), subtitle=subtitle, anchor="start", fontSize=14)
    return (
        altair.layer(band, line, named)
        .properties(width=WIDTH, height=HEIGHT, title=title, background=PAPER)
        .configure(font="system-ui, sans-serif")
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK, titleColor=INK, gridColor=INK, gridOpacity=0.12, domainOpacity=0.12, tickOpacity=0.12,
            labelFontSize=12, titleFontSize=12, titleFontWeight="normal",
        )
        .configure_title(color=INK, subtitleColor=INK, subtitleFontSize=12)
    )  # fmt: skip


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
