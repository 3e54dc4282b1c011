"""The evidence: runs and judgements read once, and everything that figures ask of them, computed once.

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
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from leadline.measures.evaluate import Progress
from leadline.measures.hits import Array, Hits, Integers
from leadline.measures.measure import Measure
from leadline.measures.notation import parse_measure, parse_measures
from leadline.records.qrels.qrels import Qrels, Subtopics
from leadline.records.scores.scores import Scores
from leadline.records.side_tables import read_runs_info
from leadline.show.charts.style import GREY, OKABE_ITO
from leadline.trust.slices import read_attributes
from leadline.trust.study import Study, open_study
from leadline.trust.verdict import Verdicts, verdicts

Path = str | os.PathLike[str]
Attributes = Mapping[str, Mapping[str, Any]]  # column, topic, value

MEASURE = "PRES@1000"
EFFORT = 1000  # documents a searcher reads, where the measure does not say
COLOURED = len(OKABE_ITO)  # systems that people can tell apart by colour


@dataclass(frozen=True)
class Evidence:
    """What is known of some runs under some judgements. Make one with `Evidence.of`."""

    study: Study  # its one measure is the one that decides
    seed: int = 1
    samples: int = 100  # with half the judgements, for the verdict
    attributes: Attributes = field(default_factory=dict)  # of topics: for each column, each topic's value
    runs_info: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # of runs: team, task, ...
    _kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        qrels: Any,
        runs: Any,
        measure: str | Measure = MEASURE,
        *,
        topics: Path | Attributes | None = None,
        runs_info: Path | Mapping[str, Mapping[str, str]] | None = None,
        seed: int = 1,
        samples: int = 100,
        progress: Progress | None = None,
        **reading: Any,
    ) -> Evidence:
        """Read judgements and runs, given as `evaluate` takes them.

        `measure` is the one to decide by. `topics` is a table of what is known of topics (office, class, ...), and
        `runs_info` one of runs. What else is given goes to `open_study`.
        """
        known = read_attributes(topics) if isinstance(topics, (str, os.PathLike)) else topics
        info = read_runs_info(runs_info) if isinstance(runs_info, (str, os.PathLike)) else runs_info
        study = open_study(qrels, runs, measure, progress=progress, **reading)
        return cls(study, seed, samples, known or {}, info or {})

    @property
    def runs(self) -> tuple[str, ...]:
        """All runs, in the order given."""
        return self.study.runs

    @property
    def topics(self) -> tuple[str, ...]:
        """All judged topics, those with nothing relevant as well."""
        return self.study.topics

    @property
    def qrels(self) -> Qrels:
        return self.study.qrels

    @property
    def hits(self) -> Hits:
        """Rows: all topics of the first run, then of the second, and so on."""
        return self.study.hits

    @property
    def subtopics(self) -> Subtopics | None:
        """Judgements by claim or aspect, where there are any."""
        table = self.qrels.subtopics
        # TREC-COVID's second column is a round of judging, 0.5 or 1, which looks like a subtopic but is none.
        halves = table is not None and any(re.fullmatch(r"\d+\.\d+", name) for name in table.names)
        return None if halves else table

    @property
    def measure(self) -> Measure:
        """The measure to decide by."""
        return self.study.measures[0]

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
        """The three measures whose rankings are set side by side: average precision, PRES, recall."""
        options = "" if self.level == 1 else f"(rel={self.level})"
        pres = self.measure.text if self.measure.definition.name == "PRES" else f"PRES{options}@{self.effort}"
        return f"AP{options}", pres, f"R{options}@{self.effort}"

    def scores(self, measures: str | Measure | Iterable[str | Measure]) -> Scores:
        """The score cube of any measures, by name as written: no file is read again, nothing is computed twice."""
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
        """The score cube of the measure to decide by."""
        return self.scores(self.measure)

    @cached_property
    def means(self) -> Array:
        """The mean of each run under the measure to decide by."""
        return self.main.means()[:, 0]

    @cached_property
    def order(self) -> tuple[str, ...]:
        """All runs, the best mean first; equal ones by name."""
        sign = 1 if self.measure.definition.better == "lower" else -1
        means = np.nan_to_num(sign * self.means, nan=np.inf)
        return tuple(self.runs[r] for r in sorted(range(len(self.runs)), key=lambda r: (means[r], self.runs[r])))

    @property
    def leader(self) -> str:
        return self.order[0]

    @property
    def challenger(self) -> str | None:
        """The second best; None where there is one run only."""
        return self.order[1] if len(self.order) > 1 else None

    def place(self, run: str) -> int:
        """Where a run is in `runs` and in every cube."""
        return self.runs.index(run)

    @cached_property
    def named(self) -> tuple[str, ...]:
        """The runs that get a colour and a label: all of a few, leader and challenger of many; best first."""
        return self.order if len(self.order) <= COLOURED else self.order[:2]

    def colour(self, run: str) -> str:
        """A run's colour in every figure."""
        return OKABE_ITO[self.named.index(run)] if run in self.named else GREY

    @cached_property
    def verdict(self) -> Verdicts | None:
        """The leader against every other run; None where there are too few runs or topics to compare."""
        return self.decide()

    def decide(self, progress: Progress | None = None) -> Verdicts | None:
        """The verdict, with its progress shown: it takes longer than all else. Computed once."""
        if "verdict" not in self._kept:
            enough = len(self.runs) > 1 and np.isfinite(self.main.values).all(axis=(0, 2)).sum() > 1
            self._kept["verdict"] = (
                verdicts(
                    self.main, self.measure.text, study=self.study, samples=self.samples, rng=self.rng("verdict"),
                    progress=progress,
                )
                if enough
                else None
            )  # fmt: skip
        return self._kept["verdict"]

    @cached_property
    def relevant(self) -> Integers:
        """How many relevant documents each topic has."""
        judged = self.qrels
        found = judged.topic_of_document[judged.grades >= self.level]
        return np.bincount(found, minlength=len(self.topics)).astype(np.int64)

    @cached_property
    def answerable(self) -> Integers:
        """The places of the topics that have a relevant document."""
        return np.flatnonzero(self.relevant > 0)

    @cached_property
    def depth(self) -> int:
        """The longest list that any run returned for a topic."""
        return int(self.hits.retrieved.max(initial=0))

    @cached_property
    def ranks(self) -> Integers:
        """Run × relevant document: the rank at which the run lists it, 0 where it does not.

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
        """The places of the relevant documents in `qrels.documents` and `qrels.grades`, topic by topic."""
        return np.flatnonzero(self.qrels.grades >= self.level)

    def rng(self, purpose: str) -> np.random.Generator:
        """A generator for one purpose, so that no figure depends on which others were made before it."""
        return np.random.default_rng([self.seed, zlib.crc32(purpose.encode())])

    def counted(self) -> str:
        """What the evidence consists of, for captions.

        >>> Evidence.of({"1": {"a": 1}}, {"1": {"a": 1}}).counted()
        '1 run · 1 topic · 1 judgement'
        """
        parts = ((len(self.runs), "run"), (len(self.topics), "topic"), (len(self.qrels), "judgement"))
        return " · ".join(f"{number:,} {noun}{'s' * (number != 1)}".replace(",", "\u202f") for number, noun in parts)


def measure_at(name: str, effort: int, level: int = 1) -> Measure:
    """A measure for a searcher who reads `effort` documents.

    >>> measure_at("PRES", 50, level=2).text
    'PRES(rel=2)@50'
    """
    return parse_measure(f"{name}{'' if level == 1 else f'(rel={level})'}@{effort}")
