"""A study: runs and judgements read once, and scored many times with fewer judgements; and the register of plots.

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
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeVar, get_args

import numpy as np

from leadline.errors import InputError, MeasureError, MismatchError, checked_choice
from leadline.measures.definition import Measure, MeasuresLike, Need, View, parse_measures
from leadline.measures.evaluate import (
    Progress,
    check_needs,
    hits_of_runs,
    open_qrels,
    open_sources,
    timed_by_log,
    view_with_reads,
)
from leadline.measures.hits import Array, Hits, Integers, Judged, Mask, first_only
from leadline.measures.join import Alignment, RunHits, Summary, listed, together
from leadline.options import MOST_SAMPLES
from leadline.records.inputs import QrelsLike, RunsLike
from leadline.records.other_packages import Order
from leadline.records.qrels import Qrels
from leadline.records.result import Result, counted
from leadline.records.scores import Scores
from leadline.register import Register
from leadline.text.fields import decode_id, encode_id, read_fields
from leadline.text.source import read_text
from leadline.text.spread import Spread

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
        """The hits of a few runs at a time: arrays that fit into the processor's cache are twice as fast.

        Where no measure looks at the others, only the relevant ones: often a small part.
        """
        topics, hits = len(self.topics), self.hits
        alone = all(measure.definition.relevant_alone and not measure.condensed for measure in self.measures)
        if alone and self.qrels.kind != "drawn":  # there every document counts with its estimate
            hits = hits.only_relevant(min((measure.level for measure in self.measures), default=1))
        ends = hits.offsets[topics::topics]  # the last hit of each run
        block = np.repeat(ends // BLOCK, topics)
        return [hits.rows_where(block == number) for number in np.unique(block)]


def open_study(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike,
    *,
    rel: int | None = None,
    order: Order = "score",
    topics: Iterable[str] | None = None,
    reads: Path | Mapping[str, Path] | None = None,
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
        from leadline.records.inputs import read_lengths

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


def common_view(measures: Iterable[Measure], order: Order, reads: Any = None, *, has_lengths: bool = False) -> View:
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
        needs |= view.needs & {"words", "seconds", "characters"}
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


# Leave out judgements, as masks over the existing ones: nothing is read or joined again.
#
# A mask has an element for each judgement: True keeps it. A document without its judgement is unjudged: it is removed
# from the hits, from the ideal list, and from its subtopics and stratum.


Drawn = Literal["relevant", "judged"]
Rounding = Literal["random", "at-least-one"]
Sources = Mapping[tuple[str, str], Collection[str]]  # who found a document for a topic, by (topic, document)


@dataclass(frozen=True)
class Thinned:
    """A subset of the judgements, and what is needed to restrict the hits of any run to it."""

    kept: Mask
    place: Integers  # index of each judgement among those kept
    qrels: Qrels
    judged: Judged

    @classmethod
    def of(cls, qrels: Qrels, kept: Mask) -> Thinned:
        """The judgements in the mask; of drawn judgements the others were not drawn, and the rest less probably."""
        if qrels.kind == "drawn":
            fewer = _drawn_again(qrels, kept)
            return cls(np.ones(len(kept), bool), np.arange(len(kept)), fewer, Judged.of(fewer))
        fewer = qrels.where(kept)
        return cls(kept, np.cumsum(kept) - 1, fewer, Judged.of(fewer))

    def hits(self, hits: Hits) -> Hits:
        """The hits as if only these judgements had been made."""
        if self.qrels.kind == "drawn":
            return replace(hits, grade=self.judged.grades[hits.document], judged=self.judged, qrels=self.qrels)
        inner = hits.where(self.kept[hits.document])
        read = inner.characters
        return replace(
            inner,
            document=self.place[inner.document],
            judged=self.judged,
            qrels=self.qrels,
            characters=None if read is None else read.judged_where(self.kept, self.place),
        )


def _drawn_again(qrels: Qrels, kept: Mask) -> Qrels:
    """Drawn judgements as if only those in the mask had been drawn: each with its topic's share of the probability."""
    assert qrels.probabilities is not None
    made = qrels.grades >= 0
    before, after = (
        np.bincount(qrels.topic_of_document[mask], minlength=len(qrels.topics)) for mask in (made, made & kept)
    )
    share = np.divide(after, before, out=np.ones(len(before)), where=(before > 0) & (after > 0))
    grades = np.where(made & ~kept, -1, qrels.grades).astype(np.int32)
    return replace(qrels, grades=grades, probabilities=qrels.probabilities * share[qrels.topic_of_document])


def at_random(
    qrels: Qrels,
    share: float,
    rng: np.random.Generator,
    level: int = 1,
    *,
    of: Drawn = "relevant",
    rounding: Rounding = "random",
) -> Mask:
    """A mask that keeps a random share of each topic's relevant documents, and all that are not relevant.

    Of n documents the whole part of share · n is kept, and one more with the probability that remains, so that the
    share is true on average; a topic may be left without any. With `rounding="at-least-one"` the number is rounded half
    up and is at least one. With `of="judged"` the same share of the documents that are not relevant is kept as well, as
    if fewer documents had been read. Magdy and Jones, CLEF 2010.

    >>> qrels = Qrels.of({"7": {"a": 1, "b": 1, "c": 2, "d": 1, "e": 1, "f": 0}, "8": {"g": 1, "h": 0}})
    >>> kept = at_random(qrels, 0.3, np.random.default_rng(1), rounding="at-least-one")
    >>> [int((kept & (qrels.grades >= 1))[a:b].sum()) for a, b in ((0, 6), (6, 8))], int((~kept).sum())
    ([2, 1], 3)
    >>> rng = np.random.default_rng(1)
    >>> sum(int(at_random(qrels, 0.3, rng)[:5].sum()) for _ in range(1000)) / 5000
    0.3002
    """
    wrong = qrels.grades < level
    if qrels.kind == "drawn":  # what was judged was drawn as a whole, and is left out as a whole
        of = "judged"
    drawn = np.flatnonzero(~wrong) if checked_choice("of", of, get_args(Drawn)) == "relevant" else np.arange(len(qrels))
    if qrels.kind == "drawn":
        drawn = np.flatnonzero(qrels.grades >= 0)
    group = 2 * qrels.topic_of_document[drawn] + wrong[drawn]  # a topic's relevant documents, then its others
    counts = np.bincount(group, minlength=2 * len(qrels.topics))
    # 0.145 · 100 is 14.499999999999998 in floating point: round to nine digits first.
    exact = np.round(share * counts, 9)
    if checked_choice("rounding", rounding, get_args(Rounding)) == "random":
        wanted = np.floor(exact) + (rng.random(len(exact)) < exact - np.floor(exact))
    else:
        wanted = np.floor(exact + 0.5)
        wanted[::2] = np.maximum(wanted[::2], 1)
    # Shuffle within each group, and drop the documents beyond the wanted number of their group.
    order = np.lexsort((rng.random(len(drawn)), group))
    place = np.arange(len(drawn)) - np.repeat(np.cumsum(counts) - counts, counts)
    kept = np.ones(len(qrels), bool)
    kept[drawn[order[place >= np.repeat(wanted, counts)]]] = False
    return kept


def within_depth(hits: Hits, count: int, depth: int) -> Mask:
    """A mask over `count` judgements that keeps the documents that some run ranks within the depth."""
    kept = np.zeros(count, bool)
    kept[hits.document[hits.rank <= depth]] = True
    return kept


def found_by_these_alone(hits: Hits, these: Mask, count: int, depth: int | None = None) -> Mask:
    """A mask over `count` judgements: documents that `these` rows retrieve (within the depth) and no other row does."""
    read = hits if depth is None else hits.where(hits.rank <= depth)
    ours = these[read.row]
    mine, others = (np.bincount(read.document[mask], minlength=count) for mask in (ours, ~ours))
    return (mine > 0) & (others == 0)


def found_by_source_alone(qrels: Qrels, sources: Sources, source: str) -> Mask:
    """A mask over the judgements: documents that this source found and no other source did.

    >>> qrels = Qrels.of({"7": {"a": 1, "b": 1, "c": 1}})
    >>> found = {("7", "a"): {"examiner"}, ("7", "b"): {"examiner", "applicant"}}
    >>> found_by_source_alone(qrels, found, "examiner")
    array([ True, False, False])
    """
    known = {name for names in sources.values() for name in names}
    if source not in known:
        raise InputError("source", f"{source!r} found no document; the sources are {listed(sorted(known))}")
    places = [
        qrels.lookup.get(topic, {}).get(encode_id(document), -1)
        for (topic, document), names in sources.items()
        if set(names) == {source}
    ]
    judged = [place for place in places if place >= 0]
    if places and not judged:
        raise MismatchError(
            f"no document found by {source} alone is judged in {qrels.name}; check that both use the same ids"
        )
    alone = np.zeros(len(qrels), bool)
    alone[judged] = True
    return alone


def sources_of(rows: Iterable[tuple[str, str, str]]) -> Sources:
    """Who found each document, from rows of topic, document and source; a document may have several.

    >>> sources_of([("7", "a", "examiner"), ("7", "a", "applicant")]) == {("7", "a"): {"applicant", "examiner"}}
    True
    """
    found: dict[tuple[str, str], set[str]] = {}
    for topic, document, source in rows:
        found.setdefault((topic, document), set()).add(source)
    return found


def read_sources(path: str | os.PathLike[str]) -> Sources:
    """Who found each document, from a file with three fields per line: topic, document, source."""
    expected = "expected 3 (topic document source)"
    table = read_fields(read_text(os.fspath(path)), 3, 4, lambda found: f"{found} fields, {expected}")
    if table.columns > 3:
        raise table.error(int(np.flatnonzero(table.ids[3].lengths)[0]), f"more than 3 fields, {expected}")
    columns = ([decode_id(name) for name in column.as_bytes()] for column in table.ids[:3])
    return sources_of(zip(*columns, strict=True))


# The register of plots: functions that draw the result of a comparison, by name.
#
# `Incomplete.plot()` looks its function up here; the function itself is in `show/plots.py`, which imports the result
# class.


Plot = Callable[[Any], Any]
Function = TypeVar("Function", bound=Plot)

PLOTS = Register[Plot]("plot", "leadline.show.plots")


def plot(name: str) -> Callable[[Function], Function]:
    """Register a function that draws a result as an Altair chart."""

    def enter(function: Function) -> Function:
        PLOTS.add(name, function, home=function.__module__)
        return function

    return enter
