"""What the reader chooses once for all figures: systems to highlight, the effort, a measure, a slice of the topics.

The page sets these Vega parameters in every figure that has them: `chosen` (names of systems) with `shades` (their
colours), `effort`, `minutes`, `measure`, and `slice` (topics; empty for all). A figure follows a choice if its chart
has the parameter; nothing else is needed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from leadline.show.charts.style import PAPER, altair

CHOSEN = "indexof(chosen, datum.run) >= 0"
IN_SLICE = "length(slice) == 0 || indexof(slice, datum.topic) >= 0"
# On an axis of systems, the labels of the chosen ones are bold.
BOLD = {
    "condition": {"test": "indexof(chosen, datum.value) >= 0", "value": "bold"},
    "value": "normal",
}


def chosen_params() -> list[Any]:
    """The parameters of a chart that highlights the chosen systems."""
    alt = altair()
    return [alt.param(name="chosen", value=[]), alt.param(name="shades", value=[])]


def slice_param() -> Any:
    """The parameter of a chart that can show only some topics."""
    return altair().param(name="slice", value=[])


def highlighted(base: Any) -> Any:
    """Only the rows of the chosen systems, each in its colour; `base` is a chart with a column `run`."""
    shade = altair().Color("shade:N", scale=None)
    return (
        base.transform_filter(CHOSEN)
        .transform_calculate(shade="shades[indexof(chosen, datum.run)]")
        .encode(color=shade, detail="run:N")
    )


def highlighted_lines(base: Any, field: str, spots: Sequence[float], *, rising: bool = True) -> Any:
    """The lines of the chosen systems with their names, each name at another spot of the axis `field`.

    A name is below a line that rises, and above one that falls: so it stays inside the chart.
    """
    lines = highlighted(base)
    places = json.dumps(list(spots))
    names = lines.transform_filter(f"datum.{field} == {places}[indexof(chosen, datum.run) % {len(spots)}]")
    # Names of systems in ink: a light colour cannot be read on paper. The rim keeps them readable over lines.
    text = {"align": "right", "dx": -4, "dy": 12 if rising else -9, "limit": 160}
    ink = altair().value
    rim = names.mark_text(**text, stroke=PAPER, strokeWidth=4).encode(text="run:N", color=ink(PAPER))
    return lines.mark_line(strokeWidth=3.5) + rim + names.mark_text(**text, fontWeight="bold").encode(text="run:N")


def spread_over(values: Sequence[float]) -> list[float]:
    """Four values of an axis, far from each other, for the names of lines; none at an end, where lines have labels.

    >>> spread_over(list(range(21)))
    [15, 10, 12, 17]
    """
    last = len(values) - 1
    return list(dict.fromkeys(values[round(last * share)] for share in (0.75, 0.5, 0.62, 0.85)))
