"""One figure: its finding as title, a sentence of reading, a chart, and the rows the chart is drawn from.

A figure gives a plain chart: no title and no configuration of its own. Alone it is `finished` with both; the page
writes title and reading as text, and lets a reader switch between light and dark. For that to work, colours come from
`charts/style.py` (the page swaps ink, paper, grey, the depth scale and the systems' colours one for one), and depths
are drawn in steps, with `depth_scale`: a browser cannot mix two colours that it only knows by name.

Altair copies and checks inline data at every step, which takes seconds for thousands of rows. Where a chart is drawn
from the figure's own rows, take `rows_data()` for its data and give the finished chart to `with_rows`: the rows are
then passed along once, and the page writes them once, for the chart and for the CSV.

Controls are Vega-Lite parameters with a binding (a range, or a select): the page turns them into labelled inputs that
work by keyboard, and keeps their values in the address. A parameter `narrow` is set on narrow screens and in small
multiples. `Figure.more` may say `wide` (across the page), `fixed` (never stretched), `steps` (values of a range),
`drag` (the parameter that a hand on the chart moves) and `readout` (the runs whose numbers stand below the chart).
"""

from __future__ import annotations

import csv
import io
import os
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from leadline.errors import InputError
from leadline.show.charts.save import check_ending
from leadline.show.charts.save import save as save_chart
from leadline.show.charts.style import BUOY, DEPTH, GREY, INK, OKABE_ITO, PAPER, altair
from leadline.text.source import write_whole

Theme = Literal["light", "dark"]
Row = Mapping[str, Any]

WIDTH, HEIGHT = 640, 360  # of a chart that stands alone, in pixels; the page fits the width to the reader's screen
ROWS = "rows"  # the name of a figure's rows in its chart
LETTERS = 100  # of a title or a reading in one line

# What each colour of the light theme becomes on dark paper. Black would vanish, deep blue nearly; the depth scale turns
# round, so that the deepest still stands out most.
DARK: dict[str, str] = {
    INK: "#e6edf2",
    PAPER: "#0e1a24",
    GREY: "#7f8d97",
    BUOY: "#f08a4b",
    **dict(zip(DEPTH, ("#16303f", "#1d4a63", "#2b6d92", "#5a9cc0", "#9cc9de", "#e3f1f7"), strict=True)),
    **dict(zip(OKABE_ITO, ("#4aa8e0", "#f0803c", "#2fbf95", "#e09bc3", "#f0b429", "#7cc7f2", "#f5f5f5"), strict=True)),
}


@dataclass(frozen=True)
class Figure:
    """What a reader sees of one question.

    >>> figure = Figure("tau", "Nothing to see", "Two runs are needed.", None)
    >>> figure.csv()
    ''
    """

    name: str  # a word for addresses and file names
    title: str  # the finding
    reading: str  # one sentence of what to see, or of what is lacking where there is no chart
    chart: Any  # a plain Altair chart, or None
    rows: Sequence[Row] = ()  # what the chart is drawn from: "data as CSV"
    source: str = ""  # where the method comes from
    more: Mapping[str, Any] = field(default_factory=dict)  # what the page needs beside the chart, such as read-outs

    def finished(self, theme: Theme = "light") -> Any:
        """The chart with its title, its reading and its colours, for use outside the page."""
        if self.chart is None:
            raise InputError(self.name, f"cannot be drawn: {self.reading}")
        alt = altair()
        chart = self.chart.copy(deep=False)
        chart.title = alt.TitleParams(
            textwrap.wrap(self.title, LETTERS), subtitle=textwrap.wrap(self.reading, LETTERS), offset=14
        )
        chart.config = alt.Config(**config(theme))
        return chart

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the figure as SVG, PNG, PDF, a page or Vega-Lite, or its data as CSV: the ending tells."""
        if Path(path).suffix.lower() == ".csv":
            write_whole(path, self.csv().encode())
            return
        check_ending(path)
        save_chart(_Unchecked(self.finished()), path)

    def csv(self) -> str:
        """The rows as CSV, with every column that any of them has."""
        columns = list(dict.fromkeys(name for row in self.rows for name in row))
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
        if columns:
            writer.writeheader()
        writer.writerows(self.rows)
        return text.getvalue()

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        """A notebook shows the finished chart, or says why there is none."""
        if self.chart is None:
            return {"text/plain": f"{self.title}. {self.reading}"}
        return self.finished()._repr_mimebundle_(*args, **kwargs)


@dataclass(frozen=True)
class _Unchecked:
    """A chart whose rows are not checked one by one on the way to a file: that takes longer than drawing them."""

    chart: Any

    def to_dict(self) -> Any:
        return specification(self.chart)


def specification(chart: Any) -> dict[str, Any]:
    """The Vega-Lite text of a chart; the rows given to `with_rows` are passed by, not walked through."""
    bare = chart.copy(deep=False)
    own = bare._kwds.get("datasets")
    own = own if isinstance(own, dict) else {}
    bare.datasets = altair().Undefined
    found: dict[str, Any] = bare.to_dict(validate=False)
    return {**found, "datasets": {**found.get("datasets", {}), **own}}


def rows_data() -> Any:
    """The figure's own rows, for a chart that is given to `with_rows` in the end."""
    return altair().NamedData(name=ROWS)


def with_rows(chart: Any, rows: Sequence[Row]) -> Any:
    """A chart drawn from `rows_data()`, together with these rows."""
    chart.datasets = {ROWS: list(rows)}
    return chart


def config(theme: Theme = "light") -> dict[str, Any]:
    """The Vega-Lite configuration of every figure: paper, ink and hairlines, and no text under 12 pixels."""
    ink, paper, grey = (shade(colour, theme) for colour in (INK, PAPER, GREY))
    depth = [shade(colour, theme) for colour in DEPTH]
    return {
        "font": "system-ui, sans-serif",
        "background": paper,
        "view": {"stroke": None},
        "axis": {
            "labelColor": ink, "titleColor": ink, "gridColor": ink, "domainColor": ink, "tickColor": ink,
            "gridOpacity": 0.12, "domainOpacity": 0.3, "tickOpacity": 0.3,
            "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 200,
        },
        "legend": {
            "labelColor": ink, "titleColor": ink, "labelFontSize": 12, "titleFontSize": 12,
            "titleFontWeight": "normal", "labelLimit": 240,
        },
        "header": {"labelColor": ink, "titleColor": ink, "labelFontSize": 12, "titleFontSize": 12},
        "title": {
            "color": ink, "subtitleColor": ink, "anchor": "start", "fontSize": 15, "subtitleFontSize": 13,
            "subtitlePadding": 6,
        },
        "text": {"color": ink, "fontSize": 12},
        "rule": {"color": ink},
        "line": {"color": grey},
        "point": {"color": grey},
        "bar": {"color": grey},
        "range": {
            "category": [shade(colour, theme) for colour in OKABE_ITO],
            "ordinal": depth, "ramp": depth, "heatmap": depth,
        },
    }  # fmt: skip


def shade(colour: str, theme: Theme) -> str:
    """A colour of the light theme as the theme shows it.

    >>> shade(INK, "light"), shade(INK, "dark")
    ('#1b2a36', '#e6edf2')
    """
    return DARK.get(colour, colour) if theme == "dark" else colour


def depth_scale(low: float, high: float) -> Any:
    """A colour scale from shallow to deep in six equal steps."""
    return altair().Scale(type="quantize", domain=[low, high], range=list(DEPTH))


def needs(name: str, title: str, reading: str, source: str = "") -> Figure:
    """A figure that cannot be drawn from this evidence; `reading` says what it needs."""
    return Figure(name, title, reading, None, (), source)
