"""Encodings and labels that several figures share: the colours of systems, text over lines, names on an axis.

`numbered`, `staggered` and `room_above` need a chart with the parameter `narrow` (`charts/labels.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from leadline.show.charts.drawable import drawable
from leadline.show.charts.style import DASHES, PAPER, altair
from leadline.show.figures.evidence import Evidence
from leadline.show.figures.figure import rows_data
from leadline.show.figures.formatting import short

NARROW_LETTERS = 13  # of a name on a narrow screen
NARROW_ROWS = 3  # rows of names above the plot on a narrow screen
ROW_HEIGHT = 14  # pixels of such a row
STRIP, STRIP_NARROW = 0.06, 0.48  # of a row in a list: where the strip begins; on a narrow screen the name is above it
LIST_ROW, LIST_ROW_NARROW = 24, 40  # pixels of such a row
BLANK = "\u200b"  # browsers give an empty line no height, and Vega strips spaces


def system_colour(evidence: Evidence, field: str = "run:N") -> Any:
    """The colour of each named run, without a legend: lines are labelled at their ends."""
    alt = altair()
    domain = list(evidence.named)
    return alt.Color(field, legend=None, scale=alt.Scale(domain=domain, range=[evidence.colour(run) for run in domain]))


def system_dash(evidence: Evidence, field: str = "run:N") -> Any:
    """The dash of each named run, so that lines differ in more than colour."""
    alt = altair()
    domain = list(evidence.named)
    dashes = [DASHES[place % len(DASHES)] for place in range(len(domain))]
    return alt.StrokeDash(field, legend=None, scale=alt.Scale(domain=domain, range=dashes))


def haloed(rows: Sequence[Mapping[str, Any]], x: str = "x:Q", y: str = "y:Q", **mark: Any) -> Any:
    """Text with an outline in the paper's colour, so that it can be read over lines."""
    base = altair().Chart(altair().Data(values=list(rows))).encode(x=x, y=y, text="text:N")
    return base.mark_text(stroke=PAPER, strokeWidth=4, **mark) + base.mark_text(**mark)


def numbered(evidence: Evidence, shown: Sequence[str]) -> str:
    """The Vega expression that labels an axis of runs with their place in the report and their name.

    >>> evidence = Evidence.of({"1": {"a": 1}}, {"lucene": {"1": {"a": 1}}})
    >>> numbered(evidence, ["lucene"])
    '(narrow ? ["1 lucene"] : ["1  lucene"])[indexof(["lucene"], datum.value)]'
    """
    places = {run: place for place, run in enumerate(evidence.order, start=1)}
    wide = [f"{places[run]}  {short(run)}" for run in shown]
    tight = [f"{places[run]} {short(run, NARROW_LETTERS)}" for run in shown]
    known = json.dumps(drawable(list(shown)))
    return f"(narrow ? {json.dumps(tight)} : {json.dumps(wide)})[indexof({known}, datum.value)]"


def place_and_name(evidence: Evidence, shown: Sequence[str]) -> list[str]:
    """The labels of a list of runs: the place of each in the report, and its name."""
    places = {run: place for place, run in enumerate(evidence.order, start=1)}
    return [f"{places[run]}  {short(run)}" for run in shown]


def listed() -> Any:
    """A chart of the figure's own rows (`rows_data`), those of the runs of `list_params` one below the other.

    Each has a strip from `top` to `bottom` with its name beside it; on a narrow screen the name is above the strip,
    which then has the whole width. Add the layer `names_of_list` and the parameters `list_params`.
    """
    at = "indexof(systems, datum.run)"
    below = f"(narrow ? {STRIP_NARROW} : {STRIP})"
    base = altair().Chart(rows_data()).transform_filter(f"{at} >= 0")
    base = base.transform_calculate(top=f"{at} + {below}", bottom=f"{at} + {1 - STRIP}")
    return base.transform_calculate(middle="(datum.top + datum.bottom) / 2")


def list_params(evidence: Evidence, shown: Sequence[str]) -> list[Any]:
    """The parameters of a list: its runs in their order, and their labels. The page changes both with the choice."""
    alt = altair()
    return [
        alt.param(name="systems", value=drawable(list(shown))),
        alt.param(name="labels", value=place_and_name(evidence, shown)),
    ]


def list_y(field: str, rows: int) -> Any:
    """The vertical axis of a list, with the names of the runs unless the screen is narrow."""
    alt = altair()
    bold = {"condition": {"test": "indexof(chosen, systems[floor(datum.value)]) >= 0", "value": "bold"}}
    axis = alt.Axis(
        values=[row + 0.5 for row in range(rows)], tickCount=rows, ticks=False, domain=False, grid=False,
        labelExpr="narrow ? '' : labels[floor(datum.value)]", labelFontWeight={**bold, "value": "normal"},
        labelLimit=200, labelOverlap=False,
    )  # fmt: skip
    return alt.Y(field, title=None, axis=axis, scale=alt.Scale(domain=[rows, 0], nice=False))


def names_of_list(rows: int) -> Any:
    """The names above the strips of a list, on a narrow screen."""
    alt = altair()
    base = alt.Chart(alt.sequence(0, rows, as_="row"))
    base = base.transform_calculate(top=f"datum.row + {STRIP_NARROW / 2}", text="labels[datum.row]")
    base = base.transform_filter("narrow")
    return base.mark_text(align="left", baseline="middle").encode(
        x=alt.value(0), y=list_y("top:Q", rows), text="text:N"
    )


def staggered(names: Sequence[str], ticks: Sequence[float], rows: int = 1) -> str:
    """The Vega expression that labels columns above the plot, in `rows` rows in turn so that names do not overlap.

    A narrow screen always has three rows.

    >>> print(staggered(["AP", "RR"], [0, 1]).replace(BLANK, "_"))
    (narrow ? [["_", "_", "AP"], ["_", "RR", "_"]] : [["AP"], ["RR"]])[indexof([0, 1], datum.value)]
    """
    places = json.dumps(list(ticks))
    return f"(narrow ? {_in_rows(names, NARROW_ROWS)} : {_in_rows(names, rows)})[indexof({places}, datum.value)]"


def _in_rows(names: Sequence[str], rows: int) -> str:
    lines = [[name if row == rows - 1 - at % rows else BLANK for row in range(rows)] for at, name in enumerate(names)]
    return json.dumps(lines, ensure_ascii=False)


def room_above(rows: int = 1) -> Any:
    """The padding that `staggered` labels need above the plot."""
    return altair().ExprRef(f"narrow ? {4 + (NARROW_ROWS - 1) * ROW_HEIGHT} : {4 + (rows - 1) * ROW_HEIGHT}")
