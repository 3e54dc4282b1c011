"""Labels beside a chart: each stands where its line starts or ends, and none covers another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from leadline.show.charts.style import PAPER, altair

LINE = 16  # pixels that a line of text takes


def narrow() -> Any:
    """What a page sets to true on a narrow screen: `beside` then writes inside the plot. Goes to `add_params`."""
    return altair().param(name="narrow", value=False)


def spread(heights: Sequence[float], gap: float, low: float = 0.0, high: float = 1.0) -> list[float]:
    """Where labels go that want to stand at these heights, with a gap between any two, and inside the chart.

    >>> [round(place, 2) for place in spread([0.9, 0.5, 0.89], 0.05)]
    [0.9, 0.5, 0.85]
    >>> [round(place, 2) for place in spread([0.0, 0.01, 0.02], 0.05)]
    [0.0, 0.05, 0.1]
    """
    places = list(heights)
    by_height = sorted(range(len(places)), key=lambda at: heights[at])
    above = high + gap
    for at in reversed(by_height):
        places[at] = above = min(places[at], above - gap)
    below = low - gap
    for at in by_height:  # what was pushed out at the bottom pushes the others up again
        places[at] = below = max(places[at], below + gap)
    return places


def beside(
    labels: Mapping[str, tuple[float, str]],
    colours: Mapping[str, str],
    domain: tuple[float, float],
    height: float,
    side: Literal["left", "right"] = "right",
) -> Any:
    """Labels outside the plot, at the height of each line's end on an axis of this domain; the chart needs `narrow`.

    The text is in ink, for yellow letters cannot be read on paper; a dot in the line's colour says whose it is. On a
    narrow screen the text stands on a rim of paper inside the plot.
    """
    alt = altair()
    low, high = domain
    places = spread([at for at, _ in labels.values()], LINE / height * (high - low), low, high)
    rows = [
        {"y": place, "text": text, "colour": colours[name]}
        for (name, (_, text)), place in zip(labels.items(), places, strict=True)
    ]
    outwards, start, end = (1, "left", "right") if side == "right" else (-1, "right", "left")
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.value("width" if side == "right" else 0), y=alt.Y("y:Q", scale=alt.Scale(domain=[low, high]))
    )
    # The colours are written into the rows: a scale would be shared with the lines, and name other systems.
    dots = base.mark_point(filled=True, size=36, xOffset=9 * outwards, opacity=1)
    beyond = alt.ExprRef(f"narrow ? {-6 * outwards} : {16 * outwards}")
    text = {"align": alt.ExprRef(f"narrow ? '{end}' : '{start}'"), "dx": beyond, "baseline": "middle", "fontSize": 12}
    rim = base.mark_text(**text, stroke=PAPER, strokeWidth=4).encode(text="text:N")
    return dots.encode(color=alt.Color("colour:N", scale=None)) + rim + base.mark_text(**text).encode(text="text:N")
