"""Whose judgements does the ranking depend on? Rank again without them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from leadline.measures.hits import Array, Integers
from leadline.records.scores.result import Result, counted
from leadline.records.scores.table import Table
from leadline.trust.incomplete import full_ranking, ranking, tau_of
from leadline.trust.order import places
from leadline.trust.study import Study
from leadline.trust.thinning import Sources


@dataclass(frozen=True, repr=False)
class LeftOut(Result):
    """How the ranking changes when some judgements are missing."""

    runs: tuple[str, ...]
    measures: tuple[str, ...]
    names: tuple[str, ...]  # what is left out, one case each
    relevant: Integers  # relevant documents lost in each case
    tau: Array  # case, measure: Kendall's tau_b against the full ranking
    places: Integers  # measure, run: the rank by all the judgements, 1 for the best
    places_without: Integers  # case, measure, run

    def table(self) -> Table:
        """A row for each measure and case: how many relevant documents are lost, and which run moves most."""
        rows = []
        for m, measure in enumerate(self.measures):
            moved = np.abs(self.places_without[:, m] - self.places[m])
            for k, name in enumerate(self.names):
                r = int(moved[k].argmax())
                mover = [self.runs[r], int(self.places[m, r]), int(self.places_without[k, m, r])]
                none_moves = moved[k, r] == 0 or np.isnan(self.tau[k, m])
                change = [None, None, None] if none_moves else mover
                rows.append([measure, name, int(self.relevant[k]), float(self.tau[k, m]), *change])
        columns = ["measure", "without", "relevant_lost", "tau", "moves_most", "rank", "rank_without"]
        return Table(columns, rows)

    def _finding(self) -> str:
        cases = f"{counted(len(self.names), 'case')} under {counted(len(self.measures), 'measure')}"
        if not self.tau.size or np.isnan(self.tau).all():
            return cases
        k, m = np.unravel_index(int(np.nanargmin(self.tau)), self.tau.shape)
        return f"{cases}: lowest τ {self.tau[k, m]:.2f} ({self.measures[m]} without {self.names[k]})"

    def _shown_table(self) -> Table:
        return self.table()


def left_out(study: Study, others: Iterable[tuple[str, Study]]) -> LeftOut:
    """Compare the full ranking with the rankings of named studies in which judgements are missing.

    >>> from leadline.trust.study import open_study
    >>> qrels = {"7": {"a": 1, "b": 1, "c": 1, "d": 1}}
    >>> runs = {"x": {"7": {"a": 9, "b": 8}}, "y": {"7": {"c": 8, "a": 7, "d": 6}}, "z": {"7": {"c": 9}}}
    >>> study = open_study(qrels, runs, "R")
    >>> left_out(study, each_run(study)).tau[:, 0].round(3)
    array([0.816, 0.816, 1.   ])
    """
    full = full_ranking(study, study.values())
    names, lost, means = [], [], []
    for name, other in others:
        names.append(name)
        lost.append(study.relevant - other.relevant)
        means.append(ranking(other, other.values()))
    stacked = np.stack(means) if means else np.empty((0, *full.shape))
    return LeftOut(
        study.runs,
        tuple(measure.text for measure in study.measures),
        tuple(names),
        np.array(lost, np.int64),
        tau_of(full, stacked),
        places(full),
        places(stacked),
    )


def each_run(
    study: Study, *, depth: int | None = None, teams: Mapping[str, str] | None = None
) -> Iterator[tuple[str, Study]]:
    """For each run (or team of runs), the study without the relevant documents that only it found."""
    together: dict[str, list[str]] = {}
    for run in study.runs:
        together.setdefault((teams or {}).get(run, run), []).append(run)
    for name, runs in together.items():
        yield name, study.without_unique_of(*runs, depth=depth)


def each_source(study: Study, sources: Sources) -> Iterator[tuple[str, Study]]:
    """For each source of citations, the study without the documents that only it found."""
    for source in sorted({name for names in sources.values() for name in names}):
        yield source, study.without_source(sources, source)


def each_depth(study: Study, depths: Iterable[int]) -> Iterator[tuple[str, Study]]:
    """For each depth, the study with only the judgements of a pool of that depth."""
    for depth in depths:
        yield f"deeper than {depth}", study.to_depth(depth)
