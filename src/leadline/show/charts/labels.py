"""Labels beside a chart, at the start or end of their lines, without overlaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from leadline.show.charts.style import PAPER, altair

LINE = 16  # pixels of a line of text
TIGHT = 20  # letters of a label on a narrow screen


def narrow() -> Any:
    """The parameter, for `add_params`, that a page sets on a narrow screen: `beside` then writes inside the plot."""
    return altair().param(name="narrow", value=False)


def spread(heights: Sequence[float], gap: float, low: float = 0.0, high: float = 1.0) -> list[float]:
    """Heights of labels as near as possible to the wanted ones, inside the chart, with a gap between any two.

    >>> [round(place, 2) for place in spread([0.9, 0.5, 0.89], 0.05)]
    [0.9, 0.5, 0.85]
    >>> [round(place, 2) for place in spread([0.0, 0.01, 0.02], 0.05)]
    [0.0, 0.05, 0.1]
    """
    places = list(heights)
    by_height = sorted(range(len(places)), key=lambda at: (heights[at], -at))  # of equal ones, the first is on top
    above = high + gap
    for at in reversed(by_height):
        places[at] = above = min(places[at], above - gap)
    below = low - gap
    for at in by_height:  # labels pushed out at the bottom push the others up again
        places[at] = below = max(places[at], below + gap)
    return places


def beside(
    labels: Mapping[str, tuple[float, str]],
    colours: Mapping[str, str],
    domain: tuple[float, float],
    height: float,
    side: Literal["left", "right"] = "right",
    corner: Literal["top left", "bottom right"] | None = None,
) -> Any:
    """Labels outside the plot, at the height of each line's end on an axis of this domain; the chart needs `narrow`.

    The text is dark, because a light colour cannot be read on paper; a dot has the line's colour. On a narrow screen
    the text is inside the plot, with an outline in the paper's colour: at the line's end, or listed in a `corner` that
    the lines leave free.
    """
    alt = altair()
    low, high = domain
    places = spread([at for at, _ in labels.values()], LINE / height * (high - low), low, high)
    listed = _in_corner(places, corner, LINE / height * (high - low), domain)
    rows = [
        {"of": name, "y": place, "listed": inside, "text": text, "tight": _cut(text), "colour": colours[name]}
        for (name, (_, text)), place, inside in zip(labels.items(), places, listed, strict=True)
    ]
    outwards, start, end = (1, "left", "right") if side == "right" else (-1, "right", "left")
    # Where it is on a narrow screen: at the line's end, inside the plot, or in a corner with its dot.
    at_end = "width" if side == "right" else "0"
    inside_x, inside_align, inside_dx, inside_dot = (
        (at_end, end, -6 * outwards, 9 * outwards) if corner is None
        else ("width", "right", -16, -7) if corner == "bottom right"
        else ("0", "left", 16, 7)
    )  # fmt: skip
    base = alt.Chart(alt.Data(values=rows)).transform_calculate(
        said="narrow ? datum.tight : datum.text", at="narrow ? datum.listed : datum.y"
    )
    # In charts side by side, the word width is that of each of them, but in an expression it is that of all.
    x = alt.value({"expr": f"narrow ? {inside_x} : {at_end}"} if corner else "width" if side == "right" else 0)
    base = base.encode(x=x, y=alt.Y("at:Q", scale=alt.Scale(domain=[low, high])))
    # Each row has its colour: a colour scale would be shared with the lines, which have another domain.
    dot = alt.ExprRef(f"narrow ? {inside_dot} : {9 * outwards}")
    dots = base.mark_point(filled=True, size=36, xOffset=dot, opacity=1)
    beyond = alt.ExprRef(f"narrow ? {inside_dx} : {16 * outwards}")
    align = alt.ExprRef(f"narrow ? '{inside_align}' : '{start}'")
    text = {"align": align, "dx": beyond, "baseline": "middle", "fontSize": 12}
    rim = base.mark_text(**text, stroke=PAPER, strokeWidth=4).encode(text="said:N")
    return dots.encode(color=alt.Color("colour:N", scale=None)) + rim + base.mark_text(**text).encode(text="said:N")


def _in_corner(
    places: Sequence[float], corner: str | None, line: float, domain: tuple[float, float]
) -> Sequence[float]:
    """The heights of labels that are listed in a corner, in the order of their places; without one the places.

    >>> _in_corner([0.3, 0.9], "top left", 0.1, (0.0, 1.0)), _in_corner([0.3, 0.9], "bottom right", 0.1, (0.0, 1.0))
    ([0.8, 0.9], [0.1, 0.2])
    """
    if corner is None:
        return places
    order = sorted(range(len(places)), key=lambda at: places[at])  # the lowest first
    lowest = domain[1] - len(places) * line if corner == "top left" else domain[0] + line
    return [round(lowest + order.index(at) * line, 6) for at in range(len(places))]


def _cut(text: str) -> str:
    """A label shortened in the middle: similar names differ at their ends."""
    return text if len(text) <= TIGHT else f"{text[: TIGHT // 2 - 1]}…{text[-TIGHT // 2 :]}"
