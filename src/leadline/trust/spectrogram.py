"""Which topics are answered by no run, by some or by most? Every run on every topic, both sorted by their means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from leadline.errors import InputError
from leadline.measures.hits import Array, Integers
from leadline.records.scores.result import Result, counted
from leadline.records.scores.scores import Scores
from leadline.records.scores.table import Table
from leadline.trust.order import best_first

Answered = Literal["nobody", "one", "some", "most"]


@dataclass(frozen=True, repr=False)
class Spectrogram(Result):
    """Runs × topics: the run with the best mean first, the topic with the best mean first."""

    measure: str
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    values: Array
    fair: float  # a run answers a topic when its value is at least this

    @property
    def answering(self) -> Integers:
        """How many runs answer each topic."""
        return np.asarray((self.values >= self.fair).sum(axis=0), np.int64)

    def answered_by(self) -> tuple[Answered, ...]:
        """How many runs answer each topic, in words."""
        half = len(self.runs) / 2
        return tuple(
            "nobody" if count == 0 else "one" if count == 1 else "most" if count > half else "some"
            for count in self.answering.tolist()
        )

    def table(self) -> Table:
        """The values: a row for each run, a column for each topic."""
        rows = [[run, *row] for run, row in zip(self.runs, self.values.tolist(), strict=True)]
        return Table(["run", *self.topics], rows)

    def topic_table(self) -> Table:
        """A row for each topic: its mean, its best run, and how many runs answer it."""
        best = np.nanargmax(np.where(np.isnan(self.values), -np.inf, self.values), axis=0)
        means = np.nanmean(self.values, axis=0)
        rows = [
            [topic, float(means[t]), float(self.values[best[t], t]), self.runs[best[t]], count, who]
            for t, (topic, count, who) in enumerate(
                zip(self.topics, self.answering.tolist(), self.answered_by(), strict=True)
            )
        ]
        return Table(["topic", "mean", "best", "best_run", "runs_answering", "answered_by"], rows)

    def _finding(self) -> str:
        size = f"{counted(len(self.runs), 'run')} × {counted(len(self.topics), 'topic')}"
        return f"{self.measure}: {size}; {counted(self.answered_by().count('nobody'), 'topic')} answered by nobody"

    def _shown_table(self) -> Table:
        return self.topic_table()


def spectrogram(scores: Scores, measure: str, *, fair: float | None = None) -> Spectrogram:
    """Every run on every topic. A run answers a topic when its value is at least `fair` (default: half the best mean).

    Lupu, Huang, Zhu and Tait, Overview of the TREC 2009 Chemical IR track, figures 11 and 12. Topics that are undefined
    for every run are left out.

    >>> values = np.array([[0.0, 0.8], [0.5, 0.9]])[:, :, None]
    >>> found = spectrogram(Scores(("a", "b"), ("1", "2"), ("AP",), values), "AP")
    >>> found.runs, found.topics, found.answered_by()
    (('b', 'a'), ('2', '1'), ('most', 'one'))
    """
    if scores.better[scores.measures.index(measure)] == "lower":
        raise InputError("spectrogram", f"{measure} is better when lower; use a measure that is better when higher")
    matrix = scores.of(measure)
    defined = np.flatnonzero(~np.isnan(matrix).all(axis=0))
    if not len(defined):
        raise InputError("spectrogram", f"{measure} is undefined for every run on every topic")
    matrix = matrix[:, defined]
    means = np.nan_to_num(np.array([np.nanmean(row) if not np.isnan(row).all() else 0.0 for row in matrix]))
    by_run = best_first(means, scores.runs)
    by_topic = sorted(range(len(defined)), key=lambda t: (-np.nanmean(matrix[:, t]), t))
    return Spectrogram(
        measure,
        tuple(scores.runs[r] for r in by_run),
        tuple(scores.topics[defined[t]] for t in by_topic),
        matrix[np.ix_(by_run, by_topic)],
        float(means.max() / 2 if fair is None else fair),
    )
