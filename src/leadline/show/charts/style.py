"""The colours and the style of every figure."""

from __future__ import annotations

import importlib
from typing import Any

from leadline.errors import LeadlineError

INK, PAPER, GREY = "#1b2a36", "#fbfaf7", "#8b959c"
BUOY = "#d9601a"  # orange, only for what the title is about
DEPTH = ("#dcebf2", "#a9cfe0", "#6aa8c6", "#347fa6", "#175a80", "#0b3a57")  # blues from light to dark
OKABE_ITO = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2])


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
