"""The colours and the style of every figure."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from typing import Any

from leadline.errors import LeadlineError

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


def altair() -> Any:
    """The package altair; an error that says how to install it if it is missing."""
    try:
        return importlib.import_module("altair")
    except ImportError:
        raise LeadlineError("a chart needs the package altair: pip install altair") from None


def styled(chart: Any) -> Any:
    """The chart with the colours and fonts of all figures."""
    return (
        chart.configure(font="system-ui, sans-serif", background=PAPER)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK, titleColor=INK, gridColor=INK, gridOpacity=0.12, domainOpacity=0.12, tickOpacity=0.12,
            labelFontSize=12, titleFontSize=12, titleFontWeight="normal",
        )
        .configure_title(color=INK, subtitleColor=INK, subtitleFontSize=12, anchor="start", fontSize=14)
    )  # fmt: skip
