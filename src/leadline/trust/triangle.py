"""The p of every pair of runs by two tests, one on each side of a diagonal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leadline.measures.hits import Array
from leadline.records.result import Result, Table
from leadline.records.scores import Scores
from leadline.trust.paired_tests import all_pairs, student_t
from leadline.trust.randomisation import randomisation
from leadline.trust.rankings import aligned, best_first


@dataclass(frozen=True, repr=False)
class Triangle(Result):
    """p of every pair of runs by two tests: Student's t below the diagonal, randomisation above; runs best first."""

    measure: str
    runs: tuple[str, ...]
    p: Array
    notes: tuple[str, ...] = ()

    def table(self) -> Table:
        """The square of p values, a row and a column for each run."""
        rows = [[run, *values] for run, values in zip(self.runs, self.p.tolist(), strict=True)]
        return Table(["run", *self.runs], rows, levels=self.runs)

    def _finding(self) -> str:
        return f"{self.measure}: p of every pair of {len(self.runs)} runs, by t test below and randomisation above"

    def _shown_table(self) -> Table:
        return self.table()


def triangle(
    scores: Scores, measure: str, *, draws: int | None = None, seed: int | np.random.Generator = 1
) -> Triangle:
    """The p of every pair by the t test and by the randomisation test, uncorrected."""
    matrix, _, notes = aligned(scores, measure)
    order = best_first(matrix.mean(axis=1), scores.runs, scores.better[scores.measures.index(measure)])
    matrix = matrix[order]
    first, second = all_pairs(len(matrix))
    p = np.full((len(order), len(order)), np.nan)
    p[first, second] = randomisation(matrix, rng=np.random.default_rng(seed), draws=draws).p
    p[second, first] = student_t(matrix).p
    return Triangle(measure, tuple(scores.runs[run] for run in order), p, notes)
