"""Runs joined with judgements one at a time, for the reports in the form of other programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from leadline.errors import MismatchError
from leadline.measures.evaluate import open_sources
from leadline.measures.join import RunHits, join, pays
from leadline.records.choices import Order
from leadline.records.qrels.qrels import Qrels
from leadline.records.runs.read_runs import read_run
from leadline.records.runs.run import Run


def joined_runs(runs: Any, judged: Qrels, order: Order) -> Iterator[tuple[Run, RunHits]]:
    """Yield each run with its hits; a run without a topic of the judgements is a MismatchError."""
    for source in open_sources(runs):
        run = source.run if source.path is None else read_run(source.path, source.name, order=order)
        assert run is not None
        part = join(run, judged, kernels=pays(0 if run.text is None else run.text.size()))
        if not part.answered.any():
            raise MismatchError(f"{source.name} and {judged.name} have no topic in common")
        yield run, part
