"""The runs and judgements on which the analyses of the papers are repeated: the folder of `leadline reproduce LAB`.

LAB/runs/*.run                  the runs
LAB/qrels.citations.txt         judgements; or qrels.txt, or any one file qrels*
LAB/qrels.true.txt              the true judgements, if they are known
LAB/qrels.true.claims.txt       judgements by claim; or qrels.claims.txt
LAB/topics.csv, topics.tsv      attributes of the topics
LAB/collection                  the documents; or office/collection
LAB/lengths.tsv                 the words of each document, if there is no collection
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from leadline.collections.documents.store import Collection
from leadline.errors import InputError
from leadline.measures.evaluate import MAIN_MEASURE
from leadline.records.runs.read_runs import read_run, run_names, run_paths
from leadline.records.runs.run import Run
from leadline.records.side_tables import read_lengths
from leadline.show.figures.evidence import Evidence

JUDGEMENTS = ("qrels.citations.txt", "qrels.txt", "qrels.true.txt")
TRUE = "qrels.true.txt"
CLAIMS = ("qrels.true.claims.txt", "qrels.claims.txt")
TOPICS = ("topics.csv", "topics.tsv")
LENGTHS = ("lengths.tsv", "words.tsv")
COLLECTIONS = ("collection", "office/collection")


@dataclass(frozen=True)
class PaperInputs:
    """A folder of runs and judgements. Each file is read when it is first needed."""

    folder: Path
    name: ClassVar[str] = "the lab"

    @classmethod
    def open(cls, folder: str | Path) -> PaperInputs:
        """The folder; an error if it has no runs or no judgements."""
        inputs = cls(Path(folder))
        if not inputs.folder.is_dir():
            raise InputError(str(folder), "is not a folder; give one with runs and judgements")
        _ = inputs.judgements, inputs.paths
        return inputs

    @cached_property
    def judgements(self) -> Path:
        """The file of the judgements."""
        found = self._first(JUDGEMENTS) or next(iter(sorted(self.folder.glob("qrels*"))), None)
        if found is None:
            raise InputError(str(self.folder), f"has no judgements: add a file {' or '.join(JUDGEMENTS[:2])}")
        return found

    @cached_property
    def paths(self) -> list[Path]:
        """The files of the runs."""
        folder = self.folder / "runs"
        found = [Path(path) for path in run_paths([folder])] if folder.is_dir() else sorted(self.folder.glob("*.run"))
        kept = [path for path in found if path.suffix not in (".json", ".unfinished")]
        if not kept:
            raise InputError(str(self.folder), "has no runs: add them to its folder runs")
        return kept

    @cached_property
    def runs(self) -> dict[str, Run]:
        """The runs by name."""
        names = run_names([str(path) for path in self.paths])
        return {name: read_run(path, name) for name, path in zip(names, self.paths, strict=True)}

    @property
    def true(self) -> Path | None:
        """The file of the true judgements, if there is one."""
        return self._first((TRUE,))

    @property
    def files(self) -> list[Path]:
        """All files that a page is made from."""
        manifests = [f"{name}/manifest.json" for name in COLLECTIONS]
        others = [self.true, *map(self._first, (CLAIMS, TOPICS, LENGTHS, manifests))]
        return [self.judgements, *self.paths, *(path for path in others if path is not None)]

    def _first(self, names: Sequence[str]) -> Path | None:
        return next((self.folder / name for name in names if (self.folder / name).is_file()), None)

    def under(self, measure: str) -> Evidence:
        """The runs under the judgements, decided by this measure."""
        return Evidence.of(self.judgements, self.runs, measure, topics=self._first(TOPICS))

    @cached_property
    def evidence(self) -> Evidence:
        """The runs under the judgements."""
        return self.under(MAIN_MEASURE)

    @cached_property
    def lengths(self) -> dict[str, int] | None:
        """The words of every document: of the lab's collection, or of its file of lengths; None if it has neither."""
        stored = self._first(LENGTHS)
        if stored is not None:
            return {document: round(words) for document, words in read_lengths(stored).items()}
        collection = self._collection
        return None if collection is None else dict(collection.records.select("id", "words").rows())

    @cached_property
    def classes(self) -> dict[str, int] | None:
        """How many documents of the lab's collection are in each subclass; None if it has none."""
        collection = self._collection
        if collection is None:
            return None
        symbols = collection.records.select("id", symbol="ipc").explode("symbol").drop_nulls()
        counts = symbols.with_columns(symbol=symbols["symbol"].str.slice(0, 4)).unique()["symbol"].value_counts()
        return dict(sorted(counts.rows()))

    @cached_property
    def _collection(self) -> Collection | None:
        found = next((self.folder / name for name in COLLECTIONS if (self.folder / name).is_dir()), None)
        return None if found is None else Collection.open(found)

    @cached_property
    def by_claim(self) -> Evidence | None:
        """The runs under the judgements by claim, if there are any."""
        claims = self._first(CLAIMS)
        if claims is None:
            return self.evidence if self.evidence.subtopics is not None else None
        return Evidence.of(claims, self.runs, qrels_format="subtopics")

    def counted(self) -> str:
        """What is in the folder, for captions."""
        return f"{self.evidence.counted()}, judged by {self.judgements.name}"
