"""What the figures of the report share: their register, a reader's choices, encodings, effort, tests of titles.

A figure is a function of the evidence under the decorator `report_figure`. Registering it is all that is needed to show
it in the report: in its section, in the order of `place`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from leadline.errors import MeasureError
from leadline.measures.estimated import counted
from leadline.measures.hits import Array, Integers
from leadline.records.scores import Scores
from leadline.register import Register
from leadline.show import vega_lite as alt
from leadline.show.charts import DASHES, PAPER, THIN, Figure, drawable, rows_data, short
from leadline.show.report.evidence import Evidence, measure_at
from leadline.trust.randomisation import flip_test

# The sections of the report in their order, each a question. Other sections follow, in the order of their names.
WHO, BELIEVED, WHERE, BEHAVE = SECTIONS = (
    "Who finds more?",
    "Can it be believed?",
    "Where, and on what?",
    "How do the measures behave?",
)

Function = TypeVar("Function", bound=Callable[..., Figure])


@dataclass(frozen=True)
class FigureEntry:
    """A figure of the report, and where it is shown."""

    name: str  # in addresses and file names
    function: Callable[..., Figure]
    section: str  # the question it answers
    label: str  # in the table of contents
    place: float  # within the section; figures with equal places are sorted by name
    estimated: bool = False  # whether it needs scores alone, which can be estimated from a part of the judgements

    def draw(self, evidence: Evidence, **options: Any) -> Figure:
        """The figure, under the name it is registered with."""
        if evidence.estimated and not self.estimated:
            raise MeasureError("it needs all judgements, and these are a part, drawn with known probabilities")
        return replace(self.function(evidence, **options), name=self.name)

    @property
    def order(self) -> tuple[int, str, float, str]:
        """The sort key of the report."""
        known = SECTIONS.index(self.section) if self.section in SECTIONS else len(SECTIONS)
        return known, self.section, self.place, self.name


FIGURES = Register[FigureEntry]("figure", "leadline.show.figures", entry_points="leadline.figures")


def report_figure(
    name: str, *, section: str, label: str, place: float = 100, estimated: bool = False
) -> Callable[[Function], Function]:
    """Register a function of Evidence that returns a Figure, under a name.

    `estimated`: it draws scores alone, so that it is right also where they are estimated from a part of the judgements.
    """

    def enter(function: Function) -> Function:
        FIGURES.add(name, FigureEntry(name, function, section, label, place, estimated), home=function.__module__)
        return function

    return enter


def in_order() -> list[FigureEntry]:
    """All figures, in the order of the report."""
    return sorted(FIGURES.values(), key=lambda entry: entry.order)


# What the reader chooses once for all figures: systems to highlight, the effort, a measure, a slice of the topics.
#
# The page sets these Vega parameters in every figure that has them: `chosen` (names of systems) with `shades` (their
# colours), `effort`, `minutes`, `measure`, and `slice` (topics; empty for all). A figure follows a choice if its chart
# has the parameter; nothing else is needed.


CHOSEN = "indexof(chosen, datum.run) >= 0"
IN_SLICE = "length(slice) == 0 || indexof(slice, datum.topic) >= 0"
# On an axis of systems, the labels of the chosen ones are bold.
BOLD = {
    "condition": {"test": "indexof(chosen, datum.value) >= 0", "value": "bold"},
    "value": "normal",
}


def chosen_params() -> list[Any]:
    """The parameters of a chart that highlights the chosen systems."""
    return [alt.param(name="chosen", value=[]), alt.param(name="shades", value=[])]


def slice_param() -> Any:
    """The parameter of a chart that can show only some topics."""
    return alt.param(name="slice", value=[])


def highlighted(base: Any) -> Any:
    """Only the rows of the chosen systems, each in its colour; `base` is a chart with a column `run`."""
    shade = alt.Color("shade:N", scale=None)
    return (
        base.transform_filter(CHOSEN)
        .transform_calculate(shade="shades[indexof(chosen, datum.run)]")
        .encode(color=shade, detail=alt.Detail("run:N"))
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
    names = names.encode(text=alt.Text("run:N"))
    rim = names.mark_text(**text, stroke=PAPER, strokeWidth=4).encode(color=alt.ColorValue(PAPER))
    return lines.mark_line(strokeWidth=3.5) + rim + names.mark_text(**text, fontWeight="bold")


def spread_over(values: Sequence[float]) -> list[float]:
    """Four values of an axis, far from each other, for the names of lines; none at an end, where lines have labels.

    >>> spread_over(list(range(21)))
    [15, 10, 12, 17]
    """
    last = len(values) - 1
    return list(dict.fromkeys(values[round(last * share)] for share in (0.75, 0.5, 0.62, 0.85)))


# Encodings and labels that several figures share: the colours of systems, text over lines, names on an axis.
#
# `numbered`, `staggered` and `room_above` need a chart with the parameter `narrow` (`show/charts.py`).


NARROW_LETTERS = 13  # of a name on a narrow screen
NARROW_ROWS = 3  # rows of names above the plot on a narrow screen
ROW_HEIGHT = 14  # pixels of such a row
STRIP, STRIP_NARROW = 0.06, 0.48  # of a row in a list: where the strip begins; on a narrow screen the name is above it
LIST_ROW, LIST_ROW_NARROW = 24, 40  # pixels of such a row
BLANK = "\u200b"  # browsers give an empty line no height, and Vega strips spaces


def system_colour(evidence: Evidence, field: str = "run:N") -> Any:
    """The colour of each named run, without a legend: lines are labelled at their ends."""
    domain = list(evidence.named)
    return alt.Color(field, legend=None, scale=alt.Scale(domain=domain, range=[evidence.colour(run) for run in domain]))


def system_dash(evidence: Evidence, field: str = "run:N") -> Any:
    """The dash of each named run, so that lines differ in more than colour."""
    domain = list(evidence.named)
    dashes = [DASHES[place % len(DASHES)] for place in range(len(domain))]
    return alt.StrokeDash(field, legend=None, scale=alt.Scale(domain=domain, range=dashes))


def haloed(
    rows: Sequence[Mapping[str, Any]], x: str | alt.Channel = "x:Q", y: str | alt.Channel = "y:Q", **mark: Any
) -> Any:
    """Text with an outline in the paper's colour, so that it can be read over lines."""
    base = alt.Chart.of(alt.values(list(rows))).encode(
        text=alt.Text("text:N"), x=alt.X(x) if isinstance(x, str) else x, y=alt.Y(y) if isinstance(y, str) else y
    )
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
    base = alt.Chart.of(rows_data()).transform_filter(f"{at} >= 0")
    base = base.transform_calculate(top=f"{at} + {below}", bottom=f"{at} + {1 - STRIP}")
    return base.transform_calculate(middle="(datum.top + datum.bottom) / 2")


def list_params(evidence: Evidence, shown: Sequence[str]) -> list[Any]:
    """The parameters of a list: its runs in their order, and their labels. The page changes both with the choice."""
    return [
        alt.param(name="systems", value=drawable(list(shown))),
        alt.param(name="labels", value=place_and_name(evidence, shown)),
    ]


def list_y(field: str, rows: int) -> Any:
    """The vertical axis of a list, with the names of the runs unless the screen is narrow."""
    bold = {"condition": {"test": "indexof(chosen, systems[floor(datum.value)]) >= 0", "value": "bold"}}
    axis = alt.Axis(
        values=[row + 0.5 for row in range(rows)],
        tickCount=rows,
        ticks=False,
        domain=False,
        grid=False,
        labelExpr="narrow ? '' : labels[floor(datum.value)]",
        labelFontWeight={**bold, "value": "normal"},
        labelLimit=200,
        labelOverlap=False,
    )
    return alt.Y(field, title=None, axis=axis, scale=alt.Scale(domain=[rows, 0], nice=False))


def names_of_list(rows: int) -> Any:
    """The names above the strips of a list, on a narrow screen."""
    base = alt.Chart.of(alt.sequence(0, rows, as_="row"))
    base = base.transform_calculate(top=f"datum.row + {STRIP_NARROW / 2}", text="labels[datum.row]")
    base = base.transform_filter("narrow")
    return base.mark_text(align="left", baseline="middle").encode(
        x=alt.XValue(0), y=list_y("top:Q", rows), text=alt.Text("text:N")
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
    return alt.expr(f"narrow ? {4 + (NARROW_ROWS - 1) * ROW_HEIGHT} : {4 + (rows - 1) * ROW_HEIGHT}")


# Effort in the figures: numbers of documents read, scores at each of them, and an axis that also shows the time.


MINUTES = 2  # to read a document: an assumption that the reader of the page can change
LOG_FROM = 100  # an axis that reaches beyond this is logarithmic
_STEPS = (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9)

_HOURS = "(datum.value * minutes < 60 ? format(datum.value * minutes, '.2~r') + ' min' : "
_HOURS += "format(datum.value * minutes / 60, '.2~r') + ' h')"
_COUNT = f"replace(format(datum.value, ',d'), ',', '{THIN}')"


def efforts_up_to(depth: int) -> list[int]:
    """Round numbers of documents from 1 to the depth, enough for a smooth curve.

    >>> efforts_up_to(30)
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25, 30]
    """
    grid: list[int] = []
    decade = 1
    while decade <= max(depth, 1):
        steps: Sequence[float] = (1, 2, 3, 4, 5, 6, 7, 8, 9) if decade == 1 else _STEPS
        grid += [round(step * decade) for step in steps]
        decade *= 10
    kept = [effort for effort in grid if effort < depth]
    return [*kept, max(depth, 1)]


def efforts_of(evidence: Evidence) -> list[int]:
    """The efforts at which curves are drawn: up to the longest list, including the effort of the evidence."""
    depth = max(evidence.depth, 1)
    return sorted({*efforts_up_to(depth), min(evidence.effort, depth)})


def curves(evidence: Evidence, name: str) -> Scores:
    """The scores of a measure at every effort: run × topic × effort."""
    return evidence.scores([measure_at(name, effort, evidence.level) for effort in efforts_of(evidence)])


def recall_after_each(evidence: Evidence, run: str) -> Array:
    """The mean recall after reading 1, 2, … documents, up to the length of the longest list."""
    found = np.zeros(evidence.depth + 1)
    if evidence.estimated:
        first = evidence.place(run) * len(evidence.topics)
        rows = np.isin(np.arange(evidence.hits.rows), first + evidence.answerable)
        hits, known = evidence.hits.rows_where(rows), counted(evidence.hits, evidence.level)
        each = known.counts[hits.document] / known.relevant[hits.topic[hits.row]] / len(evidence.answerable)
        np.add.at(found, hits.rank, each)
        return np.asarray(np.clip(np.cumsum(found[1:]), 0, 1), np.float64)
    ranks = evidence.ranks[evidence.place(run)]
    topic = evidence.qrels.topic_of_document[evidence.relevant_documents]
    np.add.at(found, ranks, 1 / evidence.relevant[topic] / len(evidence.answerable))
    return np.asarray(np.cumsum(found[1:]), np.float64)


def minutes_param() -> Any:
    """The parameter for how many minutes a document takes; the page has one control for all figures."""
    return alt.param(name="minutes", value=MINUTES)


def first_effort(evidence: Evidence) -> int:
    """The effort at which the line stands when the page opens."""
    grid = efforts_of(evidence)
    return min(evidence.effort, grid[-1]) if len(grid) < 3 else grid[int(len(grid) * 0.6)]


def effort_x(field: str, depth: int, *, title: str = "documents read, and the time that takes") -> Any:
    """The axis of effort, with the reading time below each number; the chart needs `minutes_param`."""
    wide = depth > LOG_FROM
    scale = alt.Scale(type="log", domain=[1, depth], nice=False) if wide else alt.Scale(domain=[0, depth], nice=False)
    values = [tick for power in range(9) for tick in (10**power, 3 * 10**power) if tick <= depth] if wide else None
    ticks: dict[str, Any] = {"values": values} if values else {"tickCount": 6}
    axis = alt.Axis(
        labelExpr=f"[{_COUNT}, {_HOURS}]",
        grid=False,
        labelFlush=False,
        labelOverlap="greedy",
        labelSeparation=6,
        **ticks,
    )
    return alt.X(field, title=title, scale=scale, axis=axis)


# Tests for what titles say: a title claims a difference only if a test supports it.


ALPHA = 0.05


def tested_signs(differences: list[Array]) -> Integers:
    """For each set of differences by topic: 1 or −1 if its mean is significantly above or below 0, else 0.

    Randomisation tests with Holm's correction over all sets.

    >>> tested_signs([np.full(20, 0.1), np.array([0.1, -0.1] * 10), np.full(20, -0.2)])
    array([ 1,  0, -1])
    """
    defined = [each[np.isfinite(each)] for each in differences]
    rows = np.zeros((len(defined), max((len(each) for each in defined), default=0)))  # a 0 has no sign to flip
    for row, each in zip(rows, defined, strict=True):
        row[: len(each)] = each
    means = [float(each.mean()) if len(each) else 0.0 for each in defined]
    return np.where(flip_test(rows, ALPHA).corrected < ALPHA, np.sign(means), 0).astype(np.int64)
