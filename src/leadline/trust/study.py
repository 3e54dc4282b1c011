"""A study: runs and judgements that are read once and can then be scored many times with fewer judgements.

>>> from leadline.trust.study import open_study
>>> study = open_study({"7": {"a": 1, "b": 1, "c": 0}}, {"x": {"7": {"a": 3, "c": 2}}, "y": {"7": {"b": 1}}}, "R")
>>> study.values()[:, :, 0]
array([[0.5],
       [0.5]])
>>> study.without_unique_of("x").values()[:, :, 0]
array([[0.],
       [1.]])
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, get_args

import numpy as np

from leadline.errors import InputError, MeasureError, checked_choice
from leadline.measures.alignment import Alignment, Summary, listed
from leadline.measures.definition import Measure, Need, View
from leadline.measures.evaluate import (
    Progress,
    check_needs,
    hits_of_runs,
    open_qrels,
    open_sources,
    timed_by_log,
    view_with_reads,
)
from leadline.measures.hits import Array, Hits, Mask
from leadline.measures.join import RunHits, together
from leadline.measures.notation import MeasuresLike, parse_measures
from leadline.measures.unjudged import first_only
from leadline.records.choices import Order
from leadline.records.inputs import QrelsLike, RunsLike
from leadline.records.qrels.qrels import Qrels
from leadline.records.scores.result import Result, counted
from leadline.records.scores.scores import Scores
from leadline.text.spread import Spread
from leadline.trust.thinning import (
    Drawn,
    Rounding,
    Sources,
    Thinned,
    at_random,
    found_by_source_alone,
    found_by_these_alone,
    within_depth,
)

MOST_SAMPLES = 100_000  # they take hours, and a thousand tell as much
Path = str | os.PathLike[str]
BLOCK = 100_000  # hits scored at once: they fit into the processor's cache, and are enough for NumPy to be fast


class Sample(NamedTuple):
    """What a random sample of the judgements gives."""

    values: Array  # run × topic × measure; NaN for the topics that lost all their relevant documents
    realised: float  # the share of the relevant documents that was kept
    topics_lost: int  # that had relevant documents and have none in the sample


@dataclass(frozen=True, repr=False)
class Study(Result):
    """The hits of every run on every topic, and the measures to score them by."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    hits: Hits  # all topics of the first run, then of the second, and so on
    qrels: Qrels
    level: int = 1  # the smallest grade that counts as relevant when relevant documents are left out
    notes: tuple[str, ...] = ()

    def _finding(self) -> str:
        names = ", ".join(measure.text for measure in self.measures)
        size = f"{counted(len(self.runs), 'run')} × {counted(len(self.topics), 'topic')}"
        return f"{size}, {counted(self.relevant, 'relevant document')}; {names}"

    def values(self, kept: Mask | None = None) -> Array:
        """The scores, run × topic × measure, as `evaluate` returns them, by all judgements or those in the mask."""
        thinned = None if kept is None else Thinned.of(self.qrels, kept)
        parts = []
        for block in self._blocks:
            hits = block if thinned is None else thinned.hits(block)
            values = np.stack([measure(hits) for measure in self.measures], axis=-1)
            parts.append(values.reshape(-1, len(self.topics), len(self.measures)))
        return np.concatenate(parts)

    def scores(self, values: Array | None = None) -> Scores:
        """The values as Scores."""
        return Scores(
            self.runs,
            self.topics,
            tuple(measure.text for measure in self.measures),
            self.values() if values is None else values,
            tuple(measure.definition.aggregate for measure in self.measures),
            tuple(measure.definition.better for measure in self.measures),
            notes=self.notes,
        )

    def sample(
        self, keep: float, rng: np.random.Generator, *, of: Drawn = "relevant", rounding: Rounding = "random"
    ) -> Sample:
        """The values when only a random share of each topic's relevant documents is known and the rest is unjudged.

        With `of="judged"` only the same share of its other judgements is known as well. A topic that loses all its
        relevant documents is undefined in the sample; with `rounding="at-least-one"` it keeps one.
        """
        return self.sampled(self.drawn(keep, rng, of=of, rounding=rounding))

    def drawn(
        self, keep: float, rng: np.random.Generator, *, of: Drawn = "relevant", rounding: Rounding = "random"
    ) -> Mask:
        """The judgements of a random sample."""
        return at_random(self.qrels, checked_share(keep), rng, self.level, of=of, rounding=rounding)

    def sampled(self, kept: Mask) -> Sample:
        """The values by the judgements of a sample."""
        relevant = self.qrels.grades >= self.level
        before, after = (
            np.bincount(self.qrels.topic_of_document[mask], minlength=len(self.topics))
            for mask in (relevant, relevant & kept)
        )
        lost = (before > 0) & (after == 0)
        values = self.values(kept)
        values[:, lost] = np.nan
        return Sample(values, float(after.sum() / max(before.sum(), 1)), int(lost.sum()))

    def only(self, kept: Mask) -> Study:
        """The same study with only the judgements in the mask."""
        if kept.shape != self.qrels.grades.shape:
            raise InputError("mask", f"has {kept.size} elements for {len(self.qrels)} judgements")
        thinned = Thinned.of(self.qrels, kept.astype(bool))
        return replace(self, hits=thinned.hits(self.hits), qrels=thinned.qrels)

    def without_unique_of(self, *runs: str, depth: int | None = None) -> Study:
        """The study without the relevant documents that only these runs retrieve (within the depth).

        The judgements then are as if these runs had not taken part. Give all runs of a team together: they are alike.
        """
        unknown = [run for run in runs if run not in self.runs]
        if unknown or not runs:
            problem = f"no run {unknown[0]!r}" if unknown else "give at least one run"
            raise InputError("runs", f"{problem}; the runs are {listed(self.runs)}")
        these = np.isin(np.arange(len(self.runs)), [self.runs.index(run) for run in runs])
        rows = np.repeat(these, len(self.topics))
        unique = found_by_these_alone(self.hits, rows, len(self.qrels), depth)
        return self.only(~(unique & (self.qrels.grades >= self.level)))

    def without_source(self, sources: Sources, source: str) -> Study:
        """The study without the documents that only this source of citations found."""
        return self.only(~found_by_source_alone(self.qrels, sources, source))

    def to_depth(self, depth: int) -> Study:
        """The study with only the judgements that a pool of this depth would contain."""
        if depth < 1:
            raise InputError("depth", f"must be at least 1, got {depth}")
        return self.only(within_depth(self.hits, len(self.qrels), depth))

    def read_to(self, effort: int) -> Study:
        """The study for a searcher who stops after `effort` documents; for measures without a cutoff of their own."""
        if effort < 1:
            raise InputError("effort", f"must be at least 1, got {effort}")
        return replace(self, hits=first_only(self.hits, effort))

    @property
    def relevant(self) -> int:
        """The number of known relevant documents."""
        return int((self.qrels.grades >= self.level).sum())

    @cached_property
    def _blocks(self) -> list[Hits]:
        """The hits of a few runs at a time: arrays that fit into the processor's cache are twice as fast."""
        topics = len(self.topics)
        ends = self.hits.offsets[topics::topics]  # the last hit of each run
        block = np.repeat(ends // BLOCK, topics)
        return [self.hits.rows_where(block == number) for number in np.unique(block)]


def open_study(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike,
    *,
    rel: int | None = None,
    order: Order = "score",
    topics: Iterable[str] | None = None,
    reads: Path | None = None,
    lengths: Path | Mapping[str, float] | None = None,
    qrels_format: str | None = None,
    progress: Progress | None = None,
    spread: Spread | None = None,
) -> Study:
    """Read and join runs and judgements, given as `evaluate` takes them.

    Measures of time need `lengths` or `reads`, as in `evaluate`. With `reads` all measures must be measures of time,
    since the log replaces the order of the runs.
    """
    checked_choice("order", order, get_args(Order))
    if isinstance(lengths, (str, os.PathLike)):
        from leadline.records.side_tables import read_lengths

        lengths = read_lengths(lengths)
    judged = open_qrels(qrels, format=qrels_format, topics=topics)
    wanted = parse_measures(measures, rel=rel)
    check_needs(wanted, judged)
    if reads is not None:
        wanted = [timed_by_log(measure) for measure in wanted]
    view = common_view(wanted, order, reads, has_lengths=lengths is not None)
    sources = open_sources(runs)
    parts = list(
        hits_of_runs(sources, judged, view, order, reads=reads, lengths=lengths, progress=progress, spread=spread)
    )
    names = tuple(source.name for source in sources)
    return study_of_hits(names, parts, judged, wanted, level=1 if rel is None else rel)


def study_of_hits(
    runs: tuple[str, ...], parts: Sequence[RunHits], qrels: Qrels, measures: Sequence[Measure], *, level: int = 1
) -> Study:
    """A study of runs that have been joined with the judgements; MismatchError for one that does not fit them."""
    report = Alignment(runs, qrels, [Summary.of(part) for part in parts], measures)
    report.check()
    hits = together(parts, qrels, with_ties=any(measure.condensed for measure in measures))
    return Study(runs, qrels.topics, tuple(measures), hits, qrels, level, tuple(report.notes()))


def common_view(
    measures: Iterable[Measure], order: Order, reads: Path | None = None, *, has_lengths: bool = False
) -> View:
    """How the runs are read for all measures at once; an error if one needs another reading than the others."""
    needs: set[Need] = set()
    logged = set()
    for measure in measures:
        view = view_with_reads(measure, reads) if reads is not None else measure.view
        given = ({"words"} if has_lengths else set()) | ({"seconds"} if reads is not None else set())
        times = sorted(view.needs & {"words", "seconds", "iterations"} - given)
        if times or view.layout != "trec":
            raise MeasureError(
                f"{measure.text} needs more from each run than the ranks of judged documents "
                f"({', '.join(times) or 'another layout'}): {_how_to_give(times)}"
            )
        if "seconds" not in view.needs and view.order not in (None, order):
            raise MeasureError(f"{measure.text} reads runs in {view.order} order, but this study reads them by {order}")
        logged.add("seconds" in view.needs)
        needs |= view.needs & {"words", "seconds"}
    if len(logged) > 1:
        raise MeasureError("a reading log replaces the order of the runs: with --reads name only CT, its kin and TBG")
    return View(order="file" if True in logged else None, needs=frozenset(needs))


def _how_to_give(times: Sequence[str]) -> str:
    options = {
        "words": "give --lengths FILE (document, words)",
        "seconds": "give --reads FILE (topic document seconds)",
    }
    return " and ".join(options.get(each, "") for each in times) or "a study of missing judgements does not keep it"


def dropped_topics(study: Study, keep: Sequence[float], realised: Array, topics_lost: Array) -> list[str]:
    """A note for each share whose samples left topics without a relevant document: these topics dropped out of them.

    `realised` and `topics_lost` are those of each sample: share × sample.
    """
    return [
        f"keeping {100 * share:.3g} % of the relevant documents ({100 * kept.mean():.3g} % realised) left "
        f"{lost.mean():.3g} of {counted(len(study.topics), 'topic')} a sample without any: they dropped out of it"
        for share, kept, lost in zip(keep, realised, topics_lost, strict=True)
        if lost.any()
    ]


def checked_samples(samples: int) -> int:
    """The number of random samples; an error unless it is between 1 and 100,000."""
    if not 1 <= samples <= MOST_SAMPLES:
        raise InputError("samples", f"{samples:,} samples asked for; give between 1 and {MOST_SAMPLES:,}")
    return samples


def checked_share(keep: float) -> float:
    """The share of the judgements to keep; an error unless it is above 0 and at most 1."""
    if not 0 < keep <= 1:
        raise InputError("keep", f"must be a share above 0 and at most 1, got {keep:g}")
    return float(keep)
