"""The evidence: runs and judgements read once, and everything that figures need from them, computed once.

>>> qrels = {"1": {"a": 1, "b": 1, "c": 0}, "2": {"d": 1}}
>>> runs = {"good": {"1": {"a": 9, "b": 8}, "2": {"d": 7}}, "poor": {"1": {"c": 9, "a": 8}, "2": {"x": 1}}}
>>> evidence = Evidence.of(qrels, runs, "PRES@10")
>>> evidence.order, evidence.trio
(('good', 'poor'), ('AP', 'PRES@10', 'R@10'))
>>> evidence.relevant
array([2, 1])
"""

from __future__ import annotations

import os
import re
import warnings
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.measures.definition import Measure, MeasureLike, MeasuresLike, parse_measure, parse_measures
from leadline.measures.evaluate import MAIN_MEASURE, Progress
from leadline.measures.hits import Array, Hits, Integers
from leadline.options import SAMPLES
from leadline.records.inputs import QrelsLike, RunsLike, read_runs_info
from leadline.records.qrels import Qrels, Subtopics
from leadline.records.runs import run_paths
from leadline.records.scores import Scores
from leadline.retrieval.engines.engine import QueryTiming, manifest_of, recorded_timings
from leadline.show.charts import GREY, OKABE_ITO, count
from leadline.text.checksums import parsed_object, stored_bytes
from leadline.trust.by_topic import read_attributes
from leadline.trust.pairs import Pairs, Standing, compare, stand, why_not_compared
from leadline.trust.study import Study, open_study

Path = str | os.PathLike[str]
Attributes = Mapping[str, Mapping[str, Any]]  # column, topic, value

EFFORT = 1000  # documents a searcher reads, if the measure has no cutoff
COLOURED = len(OKABE_ITO)  # systems that people can tell apart by colour


@dataclass(frozen=True)
class Evidence:
    """Some runs under some judgements, with everything computed from them. Make one with `Evidence.of`."""

    study: Study  # its only measure is the deciding one
    seed: int = 1
    samples: int = SAMPLES  # with half the judgements
    attributes: Attributes = field(default_factory=dict)  # of topics
    runs_info: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # of runs: team, task, ...
    timings: Mapping[str, QueryTiming] = field(default_factory=dict)  # of runs whose times were recorded
    baseline: str = ""  # the run of the system that is used today
    complete: bool = False  # every relevant document is in the judgements
    machine_saved: str = ""  # what a machine that helped to draw the judgements saved, in words
    title: str = "Which system finds more?"
    _kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        qrels: QrelsLike,
        runs: RunsLike,
        measure: MeasureLike = MAIN_MEASURE,
        *,
        topics: Path | Attributes | None = None,
        runs_info: Path | Mapping[str, Mapping[str, str]] | None = None,
        timings: Mapping[str, QueryTiming] | None = None,
        seed: int = 1,
        samples: int = SAMPLES,
        baseline: str = "",
        complete: bool = False,
        title: str = "",
        progress: Progress | None = None,
        **reading: Any,
    ) -> Evidence:
        """Read judgements and runs, given as `evaluate` takes them.

        `measure` is the deciding one. `topics` is a table of attributes of topics (office, class, ...), `runs_info` one
        of runs; `timings` says what a query took and cost (default: from the records beside the files of runs).
        `baseline` is the run of the system used today; `complete` says that every relevant document is in the
        judgements. Other options go to `open_study`.
        """
        known = read_attributes(topics) if isinstance(topics, (str, os.PathLike)) else topics
        info = read_runs_info(runs_info) if isinstance(runs_info, (str, os.PathLike)) else runs_info
        study = open_study(qrels, runs, measure, progress=progress, **reading)
        if baseline:
            checked_choice("baseline", baseline, study.runs)
        timings = recorded_timings(run_files(runs)) if timings is None else timings
        return cls(
            study,
            seed,
            samples,
            known or {},
            info or {},
            timings,
            baseline,
            complete,
            _saved(qrels),
            title or cls.title,
        )

    @property
    def runs(self) -> tuple[str, ...]:
        """All runs, in the given order."""
        return self.study.runs

    @property
    def topics(self) -> tuple[str, ...]:
        """All judged topics, including those without a relevant document."""
        return self.study.topics

    @property
    def qrels(self) -> Qrels:
        """The judgements."""
        return self.study.qrels

    @property
    def hits(self) -> Hits:
        """The hits; rows are all topics of the first run, then of the second, and so on."""
        return self.study.hits

    @property
    def subtopics(self) -> Subtopics | None:
        """Judgements by claim or aspect, or None."""
        table = self.qrels.subtopics
        # TREC-COVID's second column is a round of judging, 0.5 or 1, which looks like a subtopic.
        halves = table is not None and any(re.fullmatch(r"\d+\.\d+", name) for name in table.names)
        return None if halves else table

    @property
    def measure(self) -> Measure:
        """The deciding measure."""
        return self.study.measures[0]

    @property
    def estimated(self) -> bool:
        """Whether measures are estimated, from judgements drawn with known probabilities."""
        return self.qrels.kind == "drawn"

    @property
    def level(self) -> int:
        """The smallest grade that is relevant."""
        return self.measure.level

    @property
    def effort(self) -> int:
        """How many documents the searcher reads."""
        return self.measure.cutoff or EFFORT

    @property
    def trio(self) -> tuple[str, str, str]:
        """The three measures that figures compare: average precision, PRES, recall."""
        options = "" if self.level == 1 else f"(rel={self.level})"
        pres = self.measure.text if self.measure.definition.name == "PRES" else f"PRES{options}@{self.effort}"
        return f"AP{options}", pres, f"R{options}@{self.effort}"

    def scores(self, measures: MeasuresLike) -> Scores:
        """The scores of any measures. No file is read again, and each measure is computed once."""
        wanted = tuple(parse_measures(measures))
        new = tuple(measure for measure in wanted if ("values", measure.text) not in self._kept)
        if new:
            cube = replace(self.study, measures=new).values()
            for m, measure in enumerate(new):
                self._kept["values", measure.text] = cube[:, :, m]
        values = np.stack([self._kept["values", measure.text] for measure in wanted], axis=-1)
        return replace(replace(self.study, measures=wanted).scores(values), attributes=self.runs_info)

    @cached_property
    def main(self) -> Scores:
        """The scores of the deciding measure."""
        return self.scores(self.measure)

    @cached_property
    def means(self) -> Array:
        """The mean of each run under the deciding measure, over the topics where every run has a value."""
        return self.main.order_means()[:, 0]

    @cached_property
    def order(self) -> tuple[str, ...]:
        """All runs, best mean first; equal means by name."""
        return tuple(self.runs[r] for r in self.main.ranking())

    @property
    def leader(self) -> str:
        """The run with the best mean."""
        return self.order[0]

    @property
    def challenger(self) -> str | None:
        """The second best run; None if there is only one."""
        return self.order[1] if len(self.order) > 1 else None

    def place(self, run: str) -> int:
        """The index of a run in `runs` and in all scores."""
        return self.runs.index(run)

    @cached_property
    def named(self) -> tuple[str, ...]:
        """The runs that get a colour and a label, best first: all of a few, or the first two and the baseline."""
        if len(self.order) <= COLOURED:
            return self.order
        return (*self.order[:2], *([self.baseline] if self.baseline and self.baseline not in self.order[:2] else []))

    def colour(self, run: str) -> str:
        """A run's colour in every figure."""
        return OKABE_ITO[self.named.index(run)] if run in self.named else GREY

    @property
    def standing(self) -> Standing:
        """Where every run stands: everything that is said about which is better."""
        return self.decide()

    def decide(self, progress: Progress | None = None) -> Standing:
        """The standing, computed once. `progress` reports how far it is: this is the slowest step of a report."""
        if "standing" not in self._kept:
            found = stand(
                self.main,
                self.measure.text,
                study=self.study,
                samples=self.samples,
                seed=self.seed,
                complete=self.complete,
                progress=progress,
            )
            self.take(found)
        standing: Standing = self._kept["standing"]
        return standing

    @property
    def is_decided(self) -> bool:
        """Whether the standing is known by now."""
        return "standing" in self._kept

    def take(self, found: Standing) -> None:
        """Use a standing that was computed before from the same runs and judgements."""
        self._kept["standing"] = found

    @cached_property
    def no_verdict(self) -> str:
        """Why no run is called better than another, as a sentence; empty if one may be."""
        return why_not_compared(self.main, self.measure.text)

    def pairs(self, measure: MeasureLike) -> Pairs:
        """Every pair of runs by a measure; by the deciding one, those of the standing."""
        name = parse_measure(measure).text
        if name == self.measure.text and not self.no_verdict:
            return self.standing.pairs
        if ("pairs", name) not in self._kept:
            self._kept["pairs", name] = compare(self.scores(name), name)
        pairs: Pairs = self._kept["pairs", name]
        return pairs

    @cached_property
    def comparable(self) -> bool:
        """Whether there are two or more runs, and two or more topics with a value for all of them."""
        return bool(len(self.runs) > 1 and np.isfinite(self.main.values).all(axis=(0, 2)).sum() > 1)

    @cached_property
    def relevant(self) -> Integers:
        """The number of relevant documents of each topic."""
        judged = self.qrels
        found = judged.topic_of_document[judged.grades >= self.level]
        return np.bincount(found, minlength=len(self.topics)).astype(np.int64)

    @cached_property
    def answerable(self) -> Integers:
        """The indices of the topics that have a relevant document."""
        return np.flatnonzero(self.relevant > 0)

    @cached_property
    def depth(self) -> int:
        """The length of the longest list that any run returned for a topic."""
        return int(self.hits.retrieved.max(initial=0))

    @cached_property
    def ranks(self) -> Integers:
        """Run × relevant document: the rank at which the run lists it, or 0.

        The documents are those of `relevant_documents`, topic by topic.
        """
        place = np.full(len(self.qrels), -1, np.int64)
        place[self.relevant_documents] = np.arange(len(self.relevant_documents))
        found = self.hits.only_relevant(self.level)
        ranks = np.zeros((len(self.runs), len(self.relevant_documents)), np.int64)
        ranks[found.row // len(self.topics), place[found.document]] = found.rank
        return ranks

    @cached_property
    def relevant_documents(self) -> Integers:
        """The indices of the relevant documents in `qrels.documents` and `qrels.grades`, topic by topic."""
        return np.flatnonzero(self.qrels.grades >= self.level)

    def rng(self, purpose: str) -> np.random.Generator:
        """A random generator for one purpose, so that no figure depends on which others were made before it."""
        return np.random.default_rng([self.seed, zlib.crc32(purpose.encode())])

    def counted(self) -> str:
        """The numbers of runs, topics and judgements, for captions.

        >>> Evidence.of({"1": {"a": 1}}, {"1": {"a": 1}}).counted()
        '1 run · 1 topic · 1 judgement'
        """
        judged = int((self.qrels.grades >= 0).sum()) if self.estimated else len(self.qrels)
        parts = ((len(self.runs), "run"), (len(self.topics), "topic"), (judged, "judgement"))
        return " · ".join(count(number, noun) for number, noun in parts)


def _saved(qrels: QrelsLike) -> str:
    """What a machine saved, by the record beside a file of judgements; nothing where there is none that can be read."""
    if not isinstance(qrels, (str, os.PathLike)) or os.fspath(qrels) == "-":
        return ""
    record = manifest_of(os.fspath(qrels))
    try:
        return str(parsed_object(stored_bytes(record), str(record), "").get("saved", ""))
    except (OSError, InputError):
        return ""


def run_files(runs: RunsLike) -> list[str]:
    """The files of runs that are given as paths or patterns; none for runs in memory.

    >>> run_files({"only": {"1": {"a": 1}}})
    []
    """
    listed = [runs] if isinstance(runs, (str, os.PathLike)) else runs
    if not isinstance(listed, Sequence) or not all(isinstance(each, (str, os.PathLike)) for each in listed):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whoever reads the runs has warned of what is left out
        return run_paths([each for each in listed if isinstance(each, (str, os.PathLike))])


def measure_at(name: str, effort: int, level: int = 1) -> Measure:
    """A measure for a searcher who reads `effort` documents.

    >>> measure_at("PRES", 50, level=2).text
    'PRES(rel=2)@50'
    """
    return parse_measure(f"{name}{'' if level == 1 else f'(rel={level})'}@{effort}")
