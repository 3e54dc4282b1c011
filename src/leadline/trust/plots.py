"""The register of plots: functions that draw the result of a comparison, by name.

`Incomplete.plot()` looks its function up here; the function itself is in `show/plots/`, which imports the result class.
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
