"""A lab: a folder with runs and judgements of them, from which a paper's analysis can be made on other data.

LAB/runs/*.run                  the runs
LAB/qrels.citations.txt         judgements; or qrels.txt, or any one file qrels*
LAB/qrels.true.txt              what is true, where it is known
LAB/qrels.true.claims.txt       by claim; or qrels.claims.txt
LAB/topics.csv, topics.tsv      what is known of topics
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from leadline.errors import InputError
from leadline.records.runs.read_runs import read_run, run_names, run_paths
from leadline.records.runs.run import Run
from leadline.show.figures.evidence import MEASURE, Evidence

JUDGEMENTS = ("qrels.citations.txt", "qrels.txt", "qrels.true.txt")
TRUE = "qrels.true.txt"
CLAIMS = ("qrels.true.claims.txt", "qrels.claims.txt")
TOPICS = ("topics.csv", "topics.tsv")


@dataclass(frozen=True)
class Lab:
    """Runs and the judgements to score them by. Everything is read when it is first asked for."""

    folder: Path

    @classmethod
    def open(cls, folder: str | Path) -> Lab:
        lab = cls(Path(folder))
        if not lab.folder.is_dir():
            raise InputError(str(folder), "is no folder of runs and judgements")
        _ = lab.judgements, lab.paths  # refused here where there are none
        return lab

    @cached_property
    def judgements(self) -> Path:
        found = self._first(JUDGEMENTS) or next(iter(sorted(self.folder.glob("qrels*"))), None)
        if found is None:
            raise InputError(str(self.folder), f"has no judgements: put them there as {' or '.join(JUDGEMENTS[:2])}")
        return found

    @cached_property
    def paths(self) -> list[Path]:
        """The files of the runs."""
        folder = self.folder / "runs"
        found = [Path(path) for path in run_paths([folder])] if folder.is_dir() else sorted(self.folder.glob("*.run"))
        kept = [path for path in found if path.suffix not in (".json", ".unfinished")]
        if not kept:
            raise InputError(str(self.folder), "has no runs: put them into its folder runs")
        return kept

    @cached_property
    def runs(self) -> dict[str, Run]:
        names = run_names([str(path) for path in self.paths])
        return {name: read_run(path, name) for name, path in zip(names, self.paths, strict=True)}

    @property
    def true(self) -> Path | None:
        """What is true, where that is known."""
        return self._first((TRUE,))

    @property
    def files(self) -> list[Path]:
        """All that a page is made from."""
        others = [self.true, self._first(CLAIMS), self._first(TOPICS)]
        return [self.judgements, *self.paths, *(path for path in others if path is not None)]

    def _first(self, names: Sequence[str]) -> Path | None:
        return next((self.folder / name for name in names if (self.folder / name).is_file()), None)

    @cached_property
    def evidence(self) -> Evidence:
        return Evidence.of(self.judgements, self.runs, MEASURE, topics=self._first(TOPICS))

    @cached_property
    def by_claim(self) -> Evidence | None:
        """The same runs judged by claim."""
        claims = self._first(CLAIMS)
        if claims is None:
            return self.evidence if self.evidence.subtopics is not None else None
        return Evidence.of(claims, self.runs, MEASURE, qrels_format="subtopics")

    def counted(self) -> str:
        return f"{self.evidence.counted()}, judged by {self.judgements.name}"
