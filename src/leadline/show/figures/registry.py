"""The register of figures: what the report can show, from the files of `catalogue/`, other packages and user code.

A figure is a function of the evidence under the decorator `report_figure`. Registering it is all that is needed to show
it in the report: in its section, in the order of `place`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from leadline.register import Register
from leadline.show.figures.evidence import Evidence
from leadline.show.figures.figure import Figure

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

    def draw(self, evidence: Evidence, **options: Any) -> Figure:
        """The figure, under the name it is registered with."""
        return replace(self.function(evidence, **options), name=self.name)

    @property
    def order(self) -> tuple[int, str, float, str]:
        """The sort key of the report."""
        known = SECTIONS.index(self.section) if self.section in SECTIONS else len(SECTIONS)
        return known, self.section, self.place, self.name


FIGURES = Register[FigureEntry]("figure", "leadline.show.figures.catalogue", entry_points="leadline.figures")


def report_figure(name: str, *, section: str, label: str, place: float = 100) -> Callable[[Function], Function]:
    """Register a function of Evidence that returns a Figure, under a name."""

    def enter(function: Function) -> Function:
        FIGURES.add(name, FigureEntry(name, function, section, label, place), home=function.__module__)
        return function

    return enter


def in_order() -> list[FigureEntry]:
    """All figures, in the order of the report."""
    return sorted(FIGURES.values(), key=lambda entry: entry.order)
