"""The register of plots: how the result of a comparison is drawn.

A result knows only that it can be drawn; the drawing is a file of `show/plots/`, which knows the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from leadline.register import Register

Plot = Callable[[Any], Any]
Function = TypeVar("Function", bound=Plot)

PLOTS = Register[Plot]("plot", "leadline.show.plots")


def plot(name: str) -> Callable[[Function], Function]:
    """Register a function that draws a result as an Altair chart."""

    def enter(function: Function) -> Function:
        PLOTS.add(name, function, home=function.__module__)
        return function

    return enter
