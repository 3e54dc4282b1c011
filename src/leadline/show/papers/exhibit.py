"""One table or figure of a paper: the printed numbers beside ours, or why it cannot be made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from leadline.records.scores.table import Table
from leadline.show.figures.figure import Figure

State = Literal["same", "differs", "shown", "other", "needs", "not here", "new"]

STATES: dict[State, tuple[str, str]] = {  # the text of a chip, and its meaning
    "same": ("● same", "the paper prints numbers that are computed again here, and ours agree with them"),
    "differs": ("◐ differs", "computed again here, and a number does not agree; both are given"),
    "shown": ("○ shown", "shown from the printed numbers or the formula; no printed number to compute again"),
    "other": (
        "● other data",
        "the same analysis of a simulated office, of a lab's runs or of an example; the paper's data are not published",
    ),
    "needs": ("◌ needs a lab", "cannot be made from what was published, and the lab lacks what it needs"),
    "not here": ("◌ not here", "not reproduced, for the reason given"),
    "new": ("● new", "a question that none of the papers could ask"),
}
PARTS = re.compile(r"(?P<kind>tables?|figures?)|(?P<first>\d+)(?:\([a-z]\))?(?: to (?P<last>\d+))?", re.IGNORECASE)


@dataclass(frozen=True)
class Exhibit:
    """A table or figure of a paper, reproduced as far as the data allow."""

    name: str  # as the paper calls it
    about: str  # what it shows
    state: State
    finding: str  # their result and ours in a sentence, or why there is none
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()

    @property
    def parts(self) -> tuple[tuple[str, int], ...]:
        """The tables and figures of the paper that its name lists, as kind and number."""
        return tuple(dict.fromkeys(_parts(self.name)))


@dataclass(frozen=True)
class Paper:
    """A paper and its reproduced tables and figures."""

    name: str  # in addresses
    title: str
    citation: str
    exhibits: tuple[Exhibit, ...]
    n_tables: int = 0  # in the paper
    n_figures: int = 0

    def count(self, *states: State) -> int:
        """The number of tables and figures in these states; an exhibit that is neither counts as one."""
        return sum(max(1, len(exhibit.parts)) for exhibit in self.exhibits if exhibit.state in states)

    def figures(self) -> list[Figure]:
        """The figures of all exhibits."""
        return [figure for exhibit in self.exhibits for figure in exhibit.figures]


def _parts(name: str) -> Iterator[tuple[str, int]]:
    """Each table and figure of a name such as "Tables 3, 4, figures 7 to 10"."""
    kind = ""
    for match in PARTS.finditer(name):
        if match["kind"]:
            kind = match["kind"].lower().rstrip("s")
        elif kind:
            first = int(match["first"])
            yield from ((kind, number) for number in range(first, int(match["last"] or first) + 1))


def renamed(figure: Figure, paper: str) -> Figure:
    """The figure with a name of its own: several papers may show the same kind of figure."""
    return replace(figure, name=f"{paper}-{figure.name}".replace("_", "-"))


def needs_lab(name: str, about: str, what: str) -> Exhibit:
    """An exhibit that cannot be made from what was published."""
    return Exhibit(name, about, "needs", f"Not from published figures: {what}.")


def not_here(name: str, about: str, why: str) -> Exhibit:
    """An exhibit that is not reproduced, with the reason."""
    return Exhibit(name, about, "not here", why)


def same_to(printed: float, ours: float, digits: int) -> bool:
    """Whether a number agrees with a printed one, within 1 in the last printed digit.

    >>> same_to(0.87, 0.8783, 2), same_to(0.5, 0.53, 2)
    (True, False)
    """
    return abs(printed - ours) <= 10.0**-digits + 1e-12
