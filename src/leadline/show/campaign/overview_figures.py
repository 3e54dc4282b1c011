"""The figures of an overview, as drawings: the same on a page, in a file and in print, whatever fonts there are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leadline.measures.hits import Array
from leadline.show.charts import BUOY, DEPTH, GREY, INK, PAPER
from leadline.show.pages.drawing import SvgShape, box, drawing, line, words

WIDE = 660  # of every figure, in its own units
NAMES = 190  # for the names at the left
ROW = 18
LONGEST = 26  # letters of a name

STYLE = (
    f".name,.tick{{font:12px sans-serif;fill:{INK}}}.tick{{font-size:11px}}.axis{{stroke:{INK};stroke-opacity:.25}}"
    f".whisker{{stroke:{DEPTH[3]};stroke-width:1.5}}.dot{{fill:{DEPTH[4]};stroke:{DEPTH[4]};stroke-width:1.5}}"
    f".dot.undecided{{fill:{PAPER}}}.dot.first,.whisker.first{{fill:{BUOY};stroke:{BUOY}}}"
    f".support{{fill:{GREY};fill-opacity:.35}}.none{{fill:none;stroke:{GREY};stroke-width:.5}}"
    + "".join(f".d{place}{{fill:{colour}}}" for place, colour in enumerate(DEPTH))
    + f".unknown{{fill:{GREY};fill-opacity:.25}}"
)


@dataclass(frozen=True)
class Picture:
    """A drawing of this height, and what it says to whoever does not see it."""

    shapes: tuple[SvgShape, ...]
    height: float
    says: str
    width: float = WIDE

    def svg(self, *, styled: bool = True) -> str:
        """The drawing as SVG; a page that has the styles of `overview.css` needs them not again."""
        style = [SvgShape("style", text=STYLE)] if styled else []
        about: dict[str, object] = {"role": "img", "aria_label": self.says}
        size: dict[str, object] = {"width": self.width, "height": self.height} if styled else {"class_": "drawn"}
        return str(drawing(self.width, self.height, [*style, *self.shapes], **about, **size))


def cut(name: str) -> str:
    """A name that fits at the left; similar names differ at their ends.

    >>> cut("a-very-long-name-of-a-run-of-a-team-1")
    'a-very-long-…n-of-a-team-1'
    """
    return name if len(name) <= LONGEST else f"{name[: LONGEST // 2 - 1]}…{name[-LONGEST // 2 :]}"


def _axis(low: float, high: float, top: float, bottom: float) -> tuple[list[SvgShape], float]:
    """Lines and numbers of the horizontal axis from 0, and how many units one is."""
    most = max(high, 1e-9)
    step = 10 ** math.floor(math.log10(most))
    step = next(each for each in (step / 5, step / 2, step, step * 2) if most / each <= 6)
    scale = (WIDE - NAMES - 40) / most
    shapes = []
    for tick in range(int(most / step + 1e-9) + 1):
        x = NAMES + tick * step * scale
        shapes.append(line(x, top, x, bottom, "axis"))
        shapes.append(words(x, bottom + 14, f"{tick * step:.10g}", "tick", "middle"))
    return shapes, scale


def interval_picture(rows: Sequence[tuple[str, float, float, float, str]], measure: str) -> Picture:
    """A line for each run: its mean, its interval, and whether it can be told from the first."""
    bottom = 8 + ROW * len(rows)
    most = max((high if not math.isnan(high) else mean for _, mean, _, high, _ in rows), default=1.0)
    shapes, scale = _axis(0, most, 4, bottom)
    for place, (name, mean, low, high, word) in enumerate(rows):
        y = 8 + ROW * place + ROW / 2
        shapes.append(words(NAMES - 12, y + 4, cut(name), "name", "end"))
        if not math.isnan(low):
            shapes.append(line(NAMES + low * scale, y, NAMES + high * scale, y, f"whisker {word}"))
        at = {"class": f"dot {word}", "cx": round(NAMES + mean * scale, 2), "cy": round(y, 2), "r": 4.5}
        shapes.append(SvgShape("circle", at))
    shapes.append(words(NAMES, bottom + 32, measure, "tick"))
    return Picture(tuple(shapes), bottom + 40, f"{measure} of {len(rows)} runs with intervals")


def counts_picture(rows: Sequence[tuple[str, int]], what: str) -> Picture:
    """A bar for each count."""
    scale = (WIDE - NAMES - 60) / max((size for _, size in rows), default=1)
    shapes: list[SvgShape] = []
    for place, (name, size) in enumerate(rows):
        y = 4 + ROW * place
        shapes.append(words(NAMES - 12, y + 13, cut(name), "name", "end"))
        shapes.append(box(NAMES, y + 2, max(size * scale, 0.5), ROW - 4, "d3"))
        shapes.append(words(NAMES + size * scale + 8, y + 13, f"{size:,}", "tick"))
    return Picture(tuple(shapes), 12 + ROW * len(rows), f"{what} by {len(rows)} kinds")


def grades_picture(rows: Sequence[Sequence[object]]) -> Picture:
    """A bar for each topic: the shares of its grades. Rows: topic, documents, then counts of 2, 1, 0, -2 and -1."""
    shapes: list[SvgShape] = []
    scale = WIDE - NAMES - 60
    for place, row in enumerate(rows):
        y, x = 4 + ROW * place, float(NAMES)
        total = int(str(row[1]))
        shapes.append(words(NAMES - 12, y + 13, cut(str(row[0])), "name", "end"))
        for count, kind in zip(row[2:7], ("d5", "d3", "d0", "unknown", "unknown"), strict=True):
            wide = scale * int(str(count)) / total if total else 0.0
            if wide:
                shapes.append(box(x, y + 2, wide, ROW - 4, kind))
            x += wide
        shapes.append(words(NAMES + scale + 8, y + 13, f"{total:,}", "tick"))
    return Picture(tuple(shapes), 12 + ROW * len(rows), f"documents by grade of {len(rows)} topics")


def spectrogram_picture(runs: Sequence[str], topics: Sequence[str], values: Array) -> Picture:
    """A cell for each run and topic, the darker the higher; cells without a value are empty."""
    wide = (WIDE - NAMES) / max(len(topics), 1)
    row = 14
    most = float(np.nanmax(values)) if np.isfinite(values).any() else 1.0
    shapes: list[SvgShape] = []
    for place, name in enumerate(runs):
        y = 4 + row * place
        shapes.append(words(NAMES - 12, y + 11, cut(name), "name", "end"))
        for t in range(len(topics)):
            value = float(values[place, t])
            shade = "none" if math.isnan(value) else f"d{min(int(value / most * len(DEPTH)), 5) if most > 0 else 0}"
            shapes.append(box(NAMES + t * wide, y, max(wide - 0.5, 0.5), row - 1, shade))
    y = 4 + row * len(runs)
    ends = (topics[0], topics[-1]) if topics else ("", "")
    shapes.append(words(NAMES, y + 16, f"easiest: {cut(ends[0])}", "tick"))
    shapes.append(words(WIDE, y + 16, f"hardest: {cut(ends[1])}", "tick", "end"))
    return Picture(tuple(shapes), y + 24, f"{len(runs)} runs on {len(topics)} topics")


def support_picture(rows: Sequence[tuple[str, int, Sequence[float]]], runs: Sequence[str], measure: str) -> Picture:
    """A line for each kind of topic: the means of a few runs, over a bar of how many topics they rest on."""
    top = 8 + 16 * len(runs)
    row = 22
    bottom = top + row * len(rows)
    most = max((value for _, _, values in rows for value in values if not math.isnan(value)), default=1.0)
    shapes, scale = _axis(0, most, top, bottom)
    largest = max((size for _, size, _ in rows), default=1)
    kinds = ("first", "", "undecided")
    for place, run in enumerate(runs):
        shapes.append(
            SvgShape("circle", {"class": f"dot {kinds[place % 3]}", "cx": NAMES, "cy": 8 + 16 * place, "r": 4.5})
        )
        shapes.append(words(NAMES + 12, 12 + 16 * place, run, "tick"))
    for place, (name, size, values) in enumerate(rows):
        y = top + row * place
        shapes.append(box(NAMES, y + 4, (WIDE - NAMES - 40) * 0.3 * size / largest, row - 8, "support"))
        shapes.append(words(NAMES - 12, y + 15, f"{cut(name)} ({size})", "name", "end"))
        for number, value in reversed(list(enumerate(values))):
            if not math.isnan(value):
                x = round(NAMES + value * scale, 2)
                at = {"class": f"dot {kinds[number % 3]}", "cx": x, "cy": y + row / 2, "r": 4.5}
                shapes.append(SvgShape("circle", at))
    shapes.append(words(NAMES, bottom + 32, measure, "tick"))
    return Picture(tuple(shapes), bottom + 40, f"{measure} by kind of topic")
