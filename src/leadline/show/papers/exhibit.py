"""One table or figure of a paper: what was printed, what we get, or why it cannot be had."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from leadline.records.scores.table import Table
from leadline.show.figures.figure import Figure

State = Literal["same", "differs", "own", "new", "needs", "none"]

STATES: dict[State, tuple[str, str]] = {  # what a chip says, and what that means
    "same": ("● the same", "made from the published figures, and ours agree with theirs"),
    "differs": ("◐ differs", "made from the published figures, and something differs, as said"),
    "own": ("● on these runs", "the same analysis on the runs of the lab, for the paper's own were never published"),
    "new": ("● new", "a question that none of the papers could ask"),
    "needs": ("◌ needs a lab", "cannot be made from published figures; a lab with runs and judgements allows it"),
    "none": ("◌ not here", "no data to make it from, or another part of the program"),
}


@dataclass(frozen=True)
class Exhibit:
    """A table or figure of a paper, made again as far as the data allow."""

    name: str  # as the paper calls it
    about: str  # what it shows
    state: State
    finding: str  # theirs and ours in a sentence, or why it cannot be made
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A paper and what became of its tables and figures."""

    name: str  # a word for addresses
    title: str
    citation: str
    exhibits: tuple[Exhibit, ...]

    def count(self, *states: State) -> int:
        return sum(exhibit.state in states for exhibit in self.exhibits)

    def figures(self) -> list[Figure]:
        return [figure for exhibit in self.exhibits for figure in exhibit.figures]


def renamed(figure: Figure, paper: str) -> Figure:
    """The figure under an address of its own, for several papers may show the same kind."""
    return replace(figure, name=f"{paper}-{figure.name}".replace("_", "-"))


def needs_lab(name: str, about: str, what: str) -> Exhibit:
    """An exhibit for which nothing was published that it could be made from."""
    return Exhibit(name, about, "needs", f"Not from published figures: {what}.")


def not_here(name: str, about: str, why: str) -> Exhibit:
    return Exhibit(name, about, "none", why)


def same_to(printed: float, ours: float, digits: int) -> bool:
    """Whether a number agrees with a printed one to the printed digits, give or take one of the last.

    >>> same_to(0.87, 0.8783, 2), same_to(0.5, 0.53, 2)
    (True, False)
    """
    return abs(printed - ours) <= 10.0**-digits + 1e-12
