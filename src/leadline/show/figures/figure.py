"""One figure: a title that states the finding, a sentence on how to read it, a chart, and the data of the chart.

A figure's chart has no title and no configuration of its own. `finished` adds both for use outside the page; the page
writes title and reading as text, and lets a reader switch between light and dark. For that to work, colours must come
from `charts/style.py` (the page replaces ink, paper, grey, the depth scale and the systems' colours one by one), and
colour scales must have steps, as `depth_scale` has: a browser cannot interpolate colours that are CSS variables.

Altair copies and validates inline data at every step, which takes seconds for thousands of rows. If a chart is drawn
from the figure's own rows, use `rows_data()` as its data and pass the finished chart to `with_rows`: the rows are then
not copied, and the page contains them once, for the chart and for the CSV.

Controls are Vega-Lite parameters with a binding (range or select): the page turns them into labelled inputs that work
by keyboard, and keeps their values in the address. A parameter `narrow` is set on narrow screens and in small
multiples; `choice.py` has those that the reader sets once for all figures. `Figure.more` may contain `wide` (across the
page), `fixed` (never stretched), `square` (a matrix: never stretched, but narrower on a narrow screen), `steps` (values
of a range), `drag` (the parameter set by dragging on the chart) and `readout` (the runs whose numbers are shown below
the chart).
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
from leadline.show.charts.style import BUOY, DEPTH, GREY, INK, MEASURE_COLOURS, OKABE_ITO, PAPER, altair
from leadline.text.files import write_whole

Theme = Literal["light", "dark"]
Row = Mapping[str, Any]

WIDTH, HEIGHT = 640, 360  # of a chart outside the page, in pixels; the page fits the width to the reader's screen
ROWS = "rows"  # the name of a figure's rows in its chart
LETTERS = 100  # of a title or a reading in one line

# The colours of the dark theme for those of the light theme. The depth scale is reversed, so that the deepest colour
# still has the most contrast with the paper.
DARK: dict[str, str] = {
    INK: "#e6edf2",
    PAPER: "#0e1a24",
    GREY: "#7f8d97",
    BUOY: "#f08a4b",
    **dict(zip(DEPTH, ("#16303f", "#1d4a63", "#2b6d92", "#5a9cc0", "#9cc9de", "#e3f1f7"), strict=True)),
    **dict(zip(OKABE_ITO, ("#4aa8e0", "#f0803c", "#2fbf95", "#e09bc3", "#f0b429", "#7cc7f2", "#f5f5f5"), strict=True)),
    **dict(zip(MEASURE_COLOURS, ("#a79cf0", "#d9a05f", "#9ccb6f", "#e58ab0", "#6fc6cd"), strict=True)),
}


@dataclass(frozen=True)
class Figure:
    """A figure that answers one question.

    >>> figure = Figure("tau", "Nothing to see", "Two runs are needed.", None)
    >>> figure.csv()
    ''
    """

    name: str  # in addresses and file names
    title: str  # the finding
    reading: str  # a sentence on what to see, or on what is missing if there is no chart
    chart: Any  # an Altair chart without title and configuration, or None
    rows: Sequence[Row] = ()  # the data of the chart, for "data as CSV"
    source: str = ""  # the source of the method
    more: Mapping[str, Any] = field(default_factory=dict)  # settings for the page: see above

    def finished(self, theme: Theme = "light") -> Any:
        """The chart with title, reading and colours, for use outside the page."""
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
        """Write the figure as SVG, PNG, PDF, HTML or Vega-Lite JSON, or its data as CSV, depending on the file name."""
        if Path(path).suffix.lower() == ".csv":
            write_whole(path, self.csv().encode())
            return
        check_ending(path)
        save_chart(_Unchecked(self.finished()), path)

    def csv(self) -> str:
        """The rows as CSV, with every column that any row has."""
        columns = list(dict.fromkeys(name for row in self.rows for name in row))
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
        if columns:
            writer.writeheader()
        writer.writerows(self.rows)
        return text.getvalue()

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        """What a notebook shows: the finished chart, or why there is none."""
        if self.chart is None:
            return {"text/plain": f"{self.title}. {self.reading}"}
        return self.finished()._repr_mimebundle_(*args, **kwargs)


@dataclass(frozen=True)
class _Unchecked:
    """A chart whose rows are not validated when it is saved: that takes longer than drawing them."""

    chart: Any

    def to_dict(self) -> Any:
        return specification(self.chart)


def specification(chart: Any) -> dict[str, Any]:
    """The Vega-Lite specification of a chart; rows given to `with_rows` are not copied."""
    bare = chart.copy(deep=False)
    own = bare._kwds.get("datasets")
    own = own if isinstance(own, dict) else {}
    bare.datasets = altair().Undefined
    found: dict[str, Any] = bare.to_dict(validate=False)
    return {**found, "datasets": {**found.get("datasets", {}), **own}}


def rows_data() -> Any:
    """The figure's own rows as the data of a chart that is later passed to `with_rows`."""
    return altair().NamedData(name=ROWS)


def with_rows(chart: Any, rows: Sequence[Row]) -> Any:
    """Add the rows to a chart drawn from `rows_data()`."""
    chart.datasets = {ROWS: list(rows)}
    return chart


def with_params(chart: Any, *params: Any) -> Any:
    """Add parameters to a layered or concatenated chart. Altair's `add_params` copies the chart several times."""
    chart.params = [each.param for each in params]
    return chart


def config(theme: Theme = "light") -> dict[str, Any]:
    """The Vega-Lite configuration of every figure: colours, thin lines, and no text below 12 pixels."""
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
    """The colour that a theme has for a colour of the light theme.

    >>> shade(INK, "light"), shade(INK, "dark")
    ('#1b2a36', '#e6edf2')
    """
    return DARK.get(colour, colour) if theme == "dark" else colour


def depth_scale(low: float, high: float) -> Any:
    """A colour scale from shallow to deep in six equal steps."""
    return altair().Scale(type="quantize", domain=[low, high], range=list(DEPTH))


def needs(name: str, title: str, reading: str, source: str = "") -> Figure:
    """A figure without a chart; `reading` says what it needs to be drawn."""
    return Figure(name, title, reading, None, (), source)
