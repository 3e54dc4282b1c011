"""One table or figure of a paper: the printed numbers beside ours, or why it cannot be made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from leadline.records.scores.table import Table
from leadline.show.figures.figure import Figure

State = Literal["same", "differs", "own", "new", "needs", "none"]

STATES: dict[State, tuple[str, str]] = {  # the text of a chip, and its meaning
    "same": ("● the same", "made from the published figures, and ours agree with theirs"),
    "differs": ("◐ differs", "made from the published figures, and something differs, as described"),
    "own": ("● on these runs", "the same analysis on the runs of the lab, because the paper's runs were not published"),
    "new": ("● new", "a question that none of the papers could ask"),
    "needs": ("◌ needs a lab", "cannot be made from published figures, but from a lab with runs and judgements"),
    "none": ("◌ not here", "there are no data to make it from, or it belongs to another part of the program"),
}


@dataclass(frozen=True)
class Exhibit:
    """A table or figure of a paper, reproduced as far as the data allow."""

    name: str  # as the paper calls it
    about: str  # what it shows
    state: State
    finding: str  # their result and ours in a sentence, or why there is none
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A paper and its reproduced tables and figures."""

    name: str  # in addresses
    title: str
    citation: str
    exhibits: tuple[Exhibit, ...]

    def count(self, *states: State) -> int:
        """The number of exhibits in these states."""
        return sum(exhibit.state in states for exhibit in self.exhibits)

    def figures(self) -> list[Figure]:
        """The figures of all exhibits."""
        return [figure for exhibit in self.exhibits for figure in exhibit.figures]


def renamed(figure: Figure, paper: str) -> Figure:
    """The figure with a name of its own: several papers may show the same kind of figure."""
    return replace(figure, name=f"{paper}-{figure.name}".replace("_", "-"))


def needs_lab(name: str, about: str, what: str) -> Exhibit:
    """An exhibit that cannot be made from what was published."""
    return Exhibit(name, about, "needs", f"Not from published figures: {what}.")


def not_here(name: str, about: str, why: str) -> Exhibit:
    """An exhibit that is not reproduced, with the reason."""
    return Exhibit(name, about, "none", why)


def same_to(printed: float, ours: float, digits: int) -> bool:
    """Whether a number agrees with a printed one, within 1 in the last printed digit.

    >>> same_to(0.87, 0.8783, 2), same_to(0.5, 0.53, 2)
    (True, False)
    """
    return abs(printed - ours) <= 10.0**-digits + 1e-12
