"""One run of an evaluation: where it comes from, and how it is read and joined with the judgements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import InputError
from leadline.measures.definition import View
from leadline.measures.join import RunHits, join, join_text, pays, reading_of
from leadline.records.choices import Order
from leadline.records.qrels.qrels import Qrels
from leadline.records.runs.read_runs import run_of_text
from leadline.records.runs.run import Run
from leadline.text.memory import NEW_ARRAYS, NewArrays
from leadline.text.source import read_text

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Source:
    """One run: its name, and the file or object that holds it."""

    name: str
    path: str | None = None
    run: Run | None = None

    def hits(self, qrels: Qrels, view: View, order: Order, *, kernels: bool, memory: NewArrays) -> RunHits:
        """Return the hits of the run, reading no more of it than they need."""
        wanted = view.order or order
        if kernels and self.path is not None and view.layout == "trec":
            return join_text(read_text(self.path, memory), self.name, qrels, wanted, kernels=True, memory=memory)
        return join(self.open(view, order, kernels, memory), qrels, kernels=kernels)

    def open(self, view: View, order: Order, kernels: bool, memory: NewArrays) -> Run:
        wanted = view.order or order
        if self.path is not None:
            text = read_text(self.path, memory)
            return run_of_text(text, self.name, order=wanted, layout=view.layout, kernels=kernels, memory=memory)
        assert self.run is not None
        if self.run.sorting != wanted:
            raise InputError(
                self.name, f"is in {self.run.sorting} order, and a measure needs {wanted} order: give the file"
            )
        return self.run


@dataclass(frozen=True)
class RunReading:
    """How runs are read and joined."""

    qrels: Qrels
    view: View
    order: Order
    size: int  # bytes of all runs
    words: Mapping[bytes, float] | None
    log: tuple[Run, NDArray[np.float64]] | None
    groups: Mapping[bytes, int] | None

    def hits(self, source: Source, kernels: bool, memory: NewArrays) -> RunHits:
        """The hits of one run."""
        qrels, view, order = self.qrels, self.view, self.order
        if self.groups is not None:
            from leadline.measures.copies import later_copies

            run = source.open(view, order, kernels, memory)
            return replace(join(run, qrels, kernels=kernels), copies=later_copies(run, qrels, self.groups))
        if not view.needs & {"words", "iterations", "seconds"}:
            return source.hits(qrels, view, order, kernels=kernels, memory=memory)
        run, seconds = self.log if self.log is not None else (source.open(view, order, kernels, memory), None)
        reading = reading_of(run, qrels, view.needs, self.words, seconds)
        return join(run, qrels, kernels=kernels, reading=reading)


def hits_elsewhere(source: Source, reading: RunReading) -> RunHits:
    """The hits of one run, in a process that reads this one only."""
    return reading.hits(source, pays(reading.size), NEW_ARRAYS)
