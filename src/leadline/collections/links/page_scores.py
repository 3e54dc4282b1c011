"""Scores of pages, best first: what PageRank, HITS and counts of links return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from leadline.collections.links.graph import LinkGraph
from leadline.collections.links.hits import hubs_and_authorities
from leadline.collections.links.pagerank import DAMPING, MOST_ROUNDS, TOLERANCE, page_ranks, personal_weights
from leadline.collections.links.summing import LinkWorkers
from leadline.errors import checked_choice
from leadline.records.scores.result import Result, counted
from leadline.records.scores.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Form = Literal["sum", "paper"]


@dataclass(frozen=True, repr=False)
class PageScores(Result):
    """Scores of all pages of a graph. The first column orders them, highest first; ties are in the order of pages."""

    graph: LinkGraph
    columns: Mapping[str, NDArray[np.float64] | NDArray[np.int64]]
    notes: tuple[str, ...] = ()

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The places of the pages, best first."""
        names = np.array(self.graph.pages, dtype=object)
        by_name = np.empty(len(names), np.int64)
        by_name[np.argsort(names, kind="stable")] = np.arange(len(names))
        return np.lexsort((by_name, -next(iter(self.columns.values()))))

    def __getitem__(self, page: str) -> float | dict[str, float]:
        """The score of a page; both scores of HITS by name."""
        place = self.graph.place(page)
        values = {name: float(column[place]) for name, column in self.columns.items()}
        return values if len(values) > 1 else next(iter(values.values()))

    def __len__(self) -> int:
        return len(self.graph)

    def table(self, k: int | None = None) -> Table:
        """A row for each page, or for the k best."""
        places = self.order[:k].tolist()
        values = [column.tolist() for column in self.columns.values()]
        rows = [[self.graph.pages[place], *(column[place] for column in values)] for place in places]
        return Table(["page", *self.columns], rows, digits=6)

    def _finding(self) -> str:
        first = f"; first: {self.graph.pages[self.order[0]]}" if len(self) else ""
        return f"{', '.join(self.columns)} of {counted(len(self), 'page')}{first}"

    def _shown_table(self) -> Table:
        return self.table(20)


def pagerank_of(
    graph: LinkGraph,
    *,
    damping: float = DAMPING,
    personal: Mapping[str, float] | str | None = None,
    form: Form = "sum",
    tolerance: float = TOLERANCE,
    rounds: int = MOST_ROUNDS,
    workers: LinkWorkers | None = None,
) -> PageScores:
    """The PageRank of every page of a graph."""
    checked_choice("form", form, ("sum", "paper"))
    named = {personal: 1.0} if isinstance(personal, str) else personal
    jumps = None if named is None else personal_weights(graph, named)
    ranks, done = page_ranks(graph, damping, jumps, tolerance=tolerance, rounds=rounds, workers=workers)
    notes = [
        f"{counted(len(graph), 'page')}, {counted(graph.links, 'link')}; {counted(done, 'round')}, d = {damping:g}"
    ]
    notes[0] += "" if done < rounds else f", stopped at the limit of {rounds:,}"
    without = int((graph.out_weights == 0).sum())
    if without:
        whom = "all pages" if jumps is None else "the personal pages"
        notes.append(f"{counted(without, 'page')} without links: rank shared with {whom}")
    if form == "paper":
        ranks = ranks * len(graph)
        notes.append(
            f"the paper's formula, (1 − d) + d Σ PR/C: ranks sum to the number of pages, {len(graph):,}, and not to 1 "
            "as it says; divided by that number they are those of (1 − d)/N + d Σ PR/C"
        )
    return PageScores(graph, {"value": ranks}, (*graph.notes, *notes))


def hits_of(
    graph: LinkGraph, *, rounds: int | None = None, tolerance: float = TOLERANCE, workers: LinkWorkers | None = None
) -> PageScores:
    """The authority and the hub score of every page of a graph."""
    found = hubs_and_authorities(graph, rounds=rounds, tolerance=tolerance, workers=workers)
    note = f"{counted(len(graph), 'page')}, {counted(graph.links, 'link')}; {counted(found.rounds, 'round')}"
    notes = (*graph.notes, note, *([found.note] if found.note else []))
    return PageScores(graph, {"authority": found.authorities, "hub": found.hubs}, notes)


def in_degrees_of(graph: LinkGraph) -> PageScores:
    """How many pages link to each page of a graph."""
    note = f"{counted(len(graph), 'page')}, {counted(graph.links, 'link')}"
    return PageScores(graph, {"value": graph.in_degrees}, (*graph.notes, note))
