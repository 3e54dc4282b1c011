"""How does it look? One palette, labels without overlaps, numbers in words, and a figure with its finding."""

from __future__ import annotations

import csv
import importlib
import io
import json
import math
import os
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from leadline.errors import InputError, LeadlineError, shortage_in
from leadline.records.result import decimals, human, number
from leadline.show import vega_lite as alt
from leadline.show.choices import FIGURE_ENDINGS
from leadline.text.files import write_whole

if TYPE_CHECKING:
    from leadline.measures.definition import Measure

INK, PAPER, GREY = "#1b2a36", "#fbfaf7", "#8b959c"
BUOY = "#d9601a"  # orange, only for what the title is about
DEPTH = ("#dcebf2", "#a9cfe0", "#6aa8c6", "#347fa6", "#175a80", "#0b3a57")  # blues from light to dark
OKABE_ITO = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
# Measures have colours of their own, so that none is taken for a system.
MEASURE_COLOURS = ("#5a4fa2", "#8c5a1e", "#4d7c2a", "#a03f6b", "#2a7f86")
_FAMILIES = {"PRES": 0, "AP": 1, "MAP": 1, "R": 2, "recall": 2, "nDCG": 3, "RR": 4}
DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2])


def measure_colours(names: Sequence[str]) -> list[str]:
    """The colour of each measure: the same in every figure for the usual ones, grey when colours run out.

    >>> measure_colours(["AP@100", "PRES@100", "bpref", "Rprec"])
    ['#8c5a1e', '#5a4fa2', '#4d7c2a', '#a03f6b']
    """
    families = list(dict.fromkeys(re.split(r"[@(]", name)[0] for name in names))
    taken = {family: MEASURE_COLOURS[_FAMILIES[family]] for family in families if family in _FAMILIES}
    free = [colour for colour in MEASURE_COLOURS if colour not in taken.values()]
    for family in families:
        if family not in taken:
            taken[family] = free.pop(0) if free else GREY
    return [taken[re.split(r"[@(]", name)[0]] for name in names]


def tips(*fields: str) -> list[Any]:
    """The tooltip of some fields."""
    return [alt.Tooltip(field) for field in fields]


def styled(chart: alt.Chart) -> alt.Chart:
    """The chart with the colours and fonts of all figures."""
    axis = {"labelColor": INK, "titleColor": INK, "gridColor": INK, "gridOpacity": 0.12, "domainOpacity": 0.12}
    axis |= {"tickOpacity": 0.12, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"}
    title = {"color": INK, "subtitleColor": INK, "subtitleFontSize": 12, "anchor": "start", "fontSize": 14}
    look = {"font": "system-ui, sans-serif", "background": PAPER, "view": {"stroke": None}, "axis": axis}
    return chart.properties(config={**look, "title": title})


# Labels beside a chart, at the start or end of their lines, without overlaps.


LINE = 16  # pixels of a line of text
TIGHT = 20  # letters of a label on a narrow screen


def narrow() -> Any:
    """The parameter, for `add_params`, that a page sets on a narrow screen: `beside` then writes inside the plot."""
    return alt.param(name="narrow", value=False)


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
        (at_end, end, -6 * outwards, 9 * outwards)
        if corner is None
        else ("width", "right", -16, -7)
        if corner == "bottom right"
        else ("0", "left", 16, 7)
    )
    base = alt.Chart.of(alt.values(rows)).transform_calculate(
        said="narrow ? datum.tight : datum.text", at="narrow ? datum.listed : datum.y"
    )
    # In charts side by side, the word width is that of each of them, but in an expression it is that of all.
    x = alt.XValue({"expr": f"narrow ? {inside_x} : {at_end}"} if corner else "width" if side == "right" else 0)
    base = base.encode(x=x, y=alt.Y("at:Q", scale=alt.Scale(domain=[low, high])))
    # Each row has its colour: a colour scale would be shared with the lines, which have another domain.
    dot = alt.expr(f"narrow ? {inside_dot} : {9 * outwards}")
    dots = base.mark_point(filled=True, size=36, xOffset=dot, opacity=1)
    beyond = alt.expr(f"narrow ? {inside_dx} : {16 * outwards}")
    align = alt.expr(f"narrow ? '{inside_align}' : '{start}'")
    text = {"align": align, "dx": beyond, "baseline": "middle", "fontSize": 12}
    rim = base.mark_text(**text, stroke=PAPER, strokeWidth=4).encode(text=alt.Text("said:N"))
    return (
        dots.encode(color=alt.Color("colour:N", scale=None))
        + rim
        + base.mark_text(**text).encode(text=alt.Text("said:N"))
    )


def _in_corner(
    places: Sequence[float], corner: str | None, line: float, domain: tuple[float, float]
) -> Sequence[float]:
    """The heights of labels that are listed in a corner, in the order of their places; without one the places.

    >>> _in_corner([0.3, 0.9], "top left", 0.1, (0.0, 1.0)), _in_corner([0.3, 0.9], "bottom right", 0.1, (0.0, 1.0))
    ([0.8, 0.9], [0.2, 0.3])
    """
    if corner is None:
        return places
    order = sorted(range(len(places)), key=lambda at: places[at])  # the lowest first
    lowest = domain[0] + 2 * line  # above a word at the foot
    if corner == "top left":
        lowest = domain[1] - len(places) * line
    return [round(lowest + order.index(at) * line, 6) for at in range(len(places))]


def _cut(text: str) -> str:
    """A label shortened in the middle: similar names differ at their ends."""
    return text if len(text) <= TIGHT else f"{text[: TIGHT // 2 - 1]}…{text[-TIGHT // 2 :]}"


# Names that Vega can draw.


# Vega keeps groups in JavaScript objects, in which these names already mean something.
_TAKEN = frozenset(
    [
        "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "constructor",
        "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
    ]
)  # fmt: skip
_INVISIBLE = "\N{WORD JOINER}"


def drawable(data: Any) -> Any:
    """Return data or a specification with every name that Vega cannot draw made drawable: it looks the same.

    >>> drawable({"run": ["bm25", "constructor"]}) == {"run": ["bm25", "constructor\\N{WORD JOINER}"]}
    True
    """
    if isinstance(data, str):
        return data + _INVISIBLE if data in _TAKEN else data
    if isinstance(data, dict):
        return {drawable(name): drawable(value) for name, value in data.items()}
    return [drawable(value) for value in data] if isinstance(data, (list, tuple)) else data


# A quote without a backslash begins or ends a string, and no letter follows one that ends it.
_TAKEN_IN_JSON = re.compile(rf'(?<!\\)"({"|".join(sorted(_TAKEN))})"')


def drawable_json(text: str) -> str:
    """The same for data that is already JSON, all at once.

    >>> print(drawable_json(r'["bm25", "constructor", "a \\"constructor\\""]'))
    ["bm25", "constructor\\u2060", "a \\"constructor\\""]
    """
    return _TAKEN_IN_JSON.sub(lambda found: json.dumps(f"{found[1]}{_INVISIBLE}"), text)


# Save a chart; the format depends on the ending of the file name.


ADDRESSES_TO_DRAW = 64 << 30  # bytes of address space that V8 may reserve, of which it uses little
SCALE = 2  # of PNG, for screens with a high resolution
SVG_PADDING = {"left": 22, "top": 5, "right": 24, "bottom": 5}  # the reader's letters may be wider than those measured


def has_room_to_draw() -> bool:
    """Whether this process may take the addresses that drawing reserves; where it may not, V8 would end the process."""
    try:
        import resource
    except ImportError:  # not on this system
        return True
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    return most == resource.RLIM_INFINITY or most >= ADDRESSES_TO_DRAW


def converter(what: str) -> Any:
    """The package that converts figures; LeadlineError where it is not installed, which says what needs it."""
    try:
        return importlib.import_module("vl_convert")
    except ImportError as error:
        if shortage_in(error):
            raise
        raise LeadlineError(f"{what} needs the package vl-convert-python: pip install vl-convert-python") from None


def save(chart: Any, path: str | os.PathLike[str]) -> None:
    """Write an Altair chart as SVG, PNG, PDF, HTML that needs no network, or Vega-Lite JSON."""
    ending = check_ending(path)
    if ending == ".json":
        write_whole(path, json.dumps(specification(chart)).encode())
        return
    convert = converter(f"a figure as {ending}")
    drawn = drawable(specification(chart))
    if ending == ".svg":
        content = convert.vegalite_to_svg({"padding": SVG_PADDING, **drawn}).encode()
    elif ending == ".png":
        content = convert.vegalite_to_png(drawn, scale=SCALE)
    elif ending == ".pdf":
        content = convert.vegalite_to_pdf(drawn)
    else:
        content = convert.vegalite_to_html(drawn, bundle=True).encode()
    write_whole(path, content)


def check_ending(path: str | os.PathLike[str]) -> str:
    """The ending of a figure's file name; an error for an unknown format.

    >>> check_ending("tau.svg")
    '.svg'
    """
    ending = Path(path).suffix.lower()
    if ending not in FIGURE_ENDINGS:
        raise InputError(os.fspath(path), f"the name of a figure must end in one of {', '.join(FIGURE_ENDINGS)}")
    return ending


# Numbers, names and lists as the text of a report shows them.


THIN = "\u202f"  # narrow no-break space: between thousands, and before %
SHORT = 24  # letters of a system's name in a chart; a name may be as long as a file name


def count(number: float, noun: str = "", plural: str = "") -> str:
    """A whole number with thin spaces between thousands, and with its noun if one is given.

    >>> count(1, "pair"), count(2, "query", "queries"), count(10153).replace(THIN, " ")
    ('1 pair', '2 queries', '10 153')
    """
    text = f"{number:,.0f}".replace(",", THIN)
    return f"{text} {noun if number == 1 else plural or noun + 's'}" if noun else text


def percent(share: float) -> str:
    """A share in per cent: a whole number, with one decimal below 10 % and above 90 % unless it is 0 or 100.

    >>> [percent(share).replace(THIN, " ") for share in (0.7, 0.0129, 0.9996, 0.0)]
    ['70 %', '1.3 %', '99.9 %', '0 %']
    """
    value = 100 * share
    if 10 <= value <= 90 or value in (0, 100):
        return f"{value:.0f}{THIN}%"
    shown = min(max(value, 0.1), 99.9) if 0 < value < 100 else value
    return f"{shown:.1f}{THIN}%".replace(f".0{THIN}", THIN)


def decimal(value: float, least: int = 3, among: Iterable[float] = ()) -> str:
    """A score with the digits that tell it from the others it stands among, and a real minus sign; a dash for NaN.

    >>> decimal(-0.3333, 2), decimal(-0.0004, 2), decimal(0.5521, among=[0.5519]), decimal(float("nan"))
    ('−0.33', '−0.00040', '0.5521', '–')
    """
    return number(value, among, least).replace("-", "−")


def decimal_column(values: Sequence[float], least: int = 3) -> list[str]:
    """Scores that stand below each other, with the same decimals: those that tell them apart.

    >>> decimal_column([0.5521, -0.5519])
    ['0.552', '−0.552']
    """
    places = decimals(values, least)
    return [human(value, places).replace("-", "−") for value in values]


def hours(minutes: float) -> str:
    """A time in minutes or hours.

    >>> hours(200), hours(60), hours(40), hours(1)
    ('3.3 hours', '1 hour', '40 minutes', '1 minute')
    """
    if minutes < 60:
        return count(minutes, "minute")
    shown = f"{minutes / 60:.1f}".removesuffix(".0")
    return f"{shown} hour{'s' * (shown != '1')}"


def ordinal(number: int) -> str:
    """A place as an ordinal number.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 22, 113)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd', '113th']
    """
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def both(names: Sequence[str]) -> str:
    """Names joined with commas and "and".

    >>> both(["AP"]), both(["AP", "R"]), both(["AP", "PRES", "R"])
    ('AP', 'AP and R', 'AP, PRES and R')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def sentence(text: str) -> str:
    """The text with a capital first letter and a full stop.

    >>> sentence("two runs; one topic")
    'Two runs; one topic.'
    """
    return f"{text[:1].upper()}{text[1:]}."


def short(name: str, most: int = SHORT) -> str:
    """A name shortened in the middle: the ends of similar names tell them apart.

    >>> short("covidex.r1.t5.colbert.long.rerank")
    'covidex.r1.t…long.rerank'
    """
    if len(name) <= most:
        return name
    return f"{name[: most // 2]}…{name[len(name) - (most - most // 2 - 1) :]}"


def rounded(value: float, digits: int = 4) -> float | None:
    """A number for the rows of a figure, of that many decimals and significant digits at least; None for NaN.

    >>> rounded(0.123456), rounded(0.00123456), rounded(float("nan"))
    (0.1235, 0.001235, None)
    """
    if math.isnan(value) or math.isinf(value):
        return None if math.isnan(value) else float(value)
    small = -math.floor(math.log10(abs(value))) - 1 if 0 < abs(value) < 1 else 0
    return round(float(value), digits + small)


def in_time(seconds: float) -> str:
    """A time for people.

    >>> in_time(0.0123), in_time(0.14), in_time(1.5), in_time(1500)
    ('12 ms', '140 ms', '1.5 s', '1,500 s')
    """
    value, unit = (1000 * seconds, "ms") if seconds < 0.9995 else (seconds, "s")
    return f"{value:,.0f} {unit}" if value >= 9.95 else f"{value:.2g} {unit}"


def in_words(measure: Measure) -> str:
    """A measure with its meaning in a few words: the first clause of what `leadline explain` says.

    >>> from leadline.measures.definition import parse_measure
    >>> in_words(parse_measure("PRES@100")), in_words(parse_measure("P@10"))
    ('PRES@100 (recall weighted by how early it comes)', 'P@10 (share of the first documents that is relevant)')
    """
    meaning = re.sub(r"`\w+` ", "", re.split(r"[,;:]", measure.definition.meaning)[0].rstrip("."))
    return f"{measure.text} ({meaning[:1].lower()}{meaning[1:]})"


# One figure: a title that states the finding, a sentence on how to read it, a chart, and the data of the chart.
#
# A figure's chart has no title and no configuration of its own. `finished` adds both for use outside the page; the page
# writes title and reading as text, and lets a reader switch between light and dark. For that to work, colours must come
# from the style above (the page replaces ink, paper, grey, the depth scale and the systems' colours one by one), and
# colour scales must have steps, as `depth_scale` has: a browser cannot interpolate colours that are CSS variables.
#
# Charts are made with `show/vega_lite.py`; those of Altair are drawn too, but take a second to import it. If a chart is
# drawn from the figure's own rows, use `rows_data()` as its data and pass the finished chart to `with_rows`: the page
# then contains the rows once, for the chart and for the CSV.
#
# Controls are Vega-Lite parameters with a binding (range or select): the page turns them into labelled inputs that work
# by keyboard, and keeps their values in the address. A parameter `narrow` is set on narrow screens and in small
# multiples; `report/drawing.py` has those that the reader sets once for all figures. `Figure.more` may contain `wide`
# (across the page), `fixed` (never stretched), `square` (a matrix: never stretched, but narrower on a narrow screen),
# `steps` (values of a range), `drag` (the parameter set by dragging on the chart) and `readout` (the runs whose numbers
# are shown below the chart).


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
    chart: Any  # a chart of ours or of Altair without title and configuration, or None
    rows: Sequence[Row] = ()  # the data of the chart, for "data as CSV"
    source: str = ""  # the source of the method
    more: Mapping[str, Any] = field(default_factory=dict)  # settings for the page: see above

    def finished(self, theme: Theme = "light") -> Any:
        """The chart with title, reading and colours, for use outside the page."""
        if self.chart is None:
            raise InputError(self.name, f"cannot be drawn: {self.reading}")
        title = {
            "text": textwrap.wrap(self.title, LETTERS),
            "subtitle": textwrap.wrap(self.reading, LETTERS),
            "offset": 14,
        }
        if isinstance(self.chart, alt.Chart):
            return self.chart.properties(title=title, config=config(theme))
        chart = self.chart.copy(deep=False)
        chart.title, chart.config = title, config(theme)
        return chart

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the figure as SVG, PNG, PDF, HTML or Vega-Lite JSON, or its data as CSV, depending on the file name."""
        if Path(path).suffix.lower() == ".csv":
            write_whole(path, self.csv().encode())
            return
        check_ending(path)
        save(self.finished(), path)

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


def specification(chart: Any) -> dict[str, Any]:
    """The Vega-Lite specification of a chart, ours or Altair's; rows given to `with_rows` are not copied."""
    if isinstance(chart, alt.Chart):
        return chart.to_dict()
    bare = chart.copy(deep=False)
    own = bare._kwds.get("datasets")
    own = own if isinstance(own, dict) else {}
    bare.datasets = alt.altair().Undefined
    found: dict[str, Any] = bare.to_dict(validate=False)
    return {**found, "datasets": {**found.get("datasets", {}), **own}}


def rows_data() -> alt.Part:
    """The figure's own rows as the data of a chart that is later passed to `with_rows`."""
    return {"name": ROWS}


def with_rows(chart: Any, rows: Sequence[Row]) -> Any:
    """Add the rows to a chart drawn from `rows_data()`."""
    if isinstance(chart, alt.Chart):
        return chart.properties(datasets={ROWS: list(rows)})
    chart.datasets = {ROWS: list(rows)}
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
            "labelColor": ink,
            "titleColor": ink,
            "gridColor": ink,
            "domainColor": ink,
            "tickColor": ink,
            "gridOpacity": 0.12,
            "domainOpacity": 0.3,
            "tickOpacity": 0.3,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelLimit": 200,
        },
        "legend": {
            "labelColor": ink,
            "titleColor": ink,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelLimit": 240,
        },
        "header": {"labelColor": ink, "titleColor": ink, "labelFontSize": 12, "titleFontSize": 12},
        "title": {
            "color": ink,
            "subtitleColor": ink,
            "anchor": "start",
            "fontSize": 15,
            "subtitleFontSize": 13,
            "subtitlePadding": 6,
        },
        "text": {"color": ink, "fontSize": 12},
        "rule": {"color": ink},
        "line": {"color": grey},
        "point": {"color": grey},
        "bar": {"color": grey},
        "range": {
            "category": [shade(colour, theme) for colour in OKABE_ITO],
            "ordinal": depth,
            "ramp": depth,
            "heatmap": depth,
        },
    }


def shade(colour: str, theme: Theme) -> str:
    """The colour that a theme has for a colour of the light theme.

    >>> shade(INK, "light"), shade(INK, "dark")
    ('#1b2a36', '#e6edf2')
    """
    return DARK.get(colour, colour) if theme == "dark" else colour


def depth_scale(low: float, high: float) -> Any:
    """A colour scale from shallow to deep in six equal steps."""
    return alt.Scale(type="quantize", domain=[low, high], range=list(DEPTH))


def needs(name: str, title: str, reading: str, source: str = "") -> Figure:
    """A figure without a chart; `reading` says what it needs to be drawn."""
    return Figure(name, title, reading, None, (), source)
