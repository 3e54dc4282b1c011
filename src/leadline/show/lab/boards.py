"""The runs of a lab under its judgements: joined once, kept while the files are unchanged, scored by any measure."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from leadline.errors import InputError, LeadlineError, MeasureError, MismatchError
from leadline.measures.alignment import Alignment, Summary
from leadline.measures.definition import Measure
from leadline.measures.evaluate import check_needs, hits_of_runs
from leadline.measures.join import RunHits
from leadline.measures.run_source import Source
from leadline.records.choices import Order
from leadline.records.qrels.qrels import Qrels
from leadline.records.qrels.read_qrels import read_qrels
from leadline.records.runs.read_runs import read_run
from leadline.records.runs.run import Run
from leadline.records.scores.result import counted
from leadline.show.figures.evidence import Evidence
from leadline.show.lab.first_measure import FirstMeasure, first_measure
from leadline.show.lab.kept import FileVersion, Kept, file_version
from leadline.show.lab.kinds import KINDS
from leadline.show.lab.lab import Lab, LabEntry
from leadline.text.checksums import file_sha256
from leadline.trust.study import common_view, study_of_hits

MOST_BOARDS, MOST_JOINED, MOST_RUNS = 12, 4, 8  # in memory at once: boards, judgements with their hits, whole runs
SAMPLES = 100  # with half the judgements, for a verdict

Unfit = str  # why a run is not for some judgements


@dataclass(frozen=True)
class Board:
    """The runs that share topics with some judgements, scored by one measure."""

    entry: LabEntry  # of the judgements
    qrels: Qrels
    measure: Measure
    runs: tuple[LabEntry, ...]  # those that fit
    others: Mapping[str, Unfit]  # those that do not, and why
    parts: tuple[RunHits, ...]
    versions: tuple[FileVersion, ...]  # of the judgements, then of the runs
    first: FirstMeasure  # what the pages begin with

    @cached_property
    def evidence(self) -> Evidence | None:
        """What figures and verdicts are made from; None where no run fits."""
        if not self.runs:
            return None
        names = tuple(run.name for run in self.runs)
        return Evidence(study_of_hits(names, self.parts, self.qrels, [self.measure]), samples=SAMPLES)

    def pair(self, first: str, second: str) -> Evidence:
        """The same of two runs alone."""
        places = [self.place(name) for name in (first, second)]
        study = study_of_hits((first, second), [self.parts[place] for place in places], self.qrels, [self.measure])
        return Evidence(study, samples=SAMPLES)

    def place(self, run: str) -> int:
        """The index of a run; InputError with the nearest name, or why it is not for these judgements."""
        names = [each.name for each in self.runs]
        if run not in names:
            if run in self.others:
                raise InputError(run, f"is not for these judgements: {self.others[run]}")
            from leadline.errors import not_a_choice

            raise not_a_choice("run", run, names)
        return names.index(run)

    def unscored_topics(self, run: str) -> str:
        """How many topics of a run are not judged, and how many judged ones it lacks, in words; empty if none."""
        part = self.parts[self.place(run)]
        answered, unjudged = int(part.answered.sum()), len(part.unjudged_topics)
        missing = len(part.answered) - answered
        said = []
        if unjudged:
            are = "is not judged here and is" if unjudged == 1 else "are not judged here and are"
            said.append(f"{unjudged} of {counted(answered + unjudged, 'topic')} {are} left out")
            if missing:
                said.append(f"{missing} of {counted(len(part.answered), 'judged topic')} are not in it and score 0")
        return "; ".join(said)

    @cached_property
    def hashes(self) -> dict[str, str]:
        """The SHA-256 of the judgements and of every run that is scored, by name."""
        files = [("qrels", self.entry), *((f"run {run.name}", run) for run in self.runs)]
        return {
            name: _sha256(entry.path, version)
            for (name, entry), version in zip(files, self.versions, strict=True)
        }  # fmt: skip


_hashes: Kept[str] = Kept(2000)


def _sha256(path: Path, version: FileVersion) -> str:
    return _hashes.get((path, version), lambda: file_sha256(path))


class Boards:
    """The boards of a lab."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self._boards: Kept[Board] = Kept(MOST_BOARDS)
        self._first: Kept[FirstMeasure] = Kept(MOST_BOARDS)
        self._judgements: Kept[Qrels] = Kept(MOST_JOINED)
        self._joined: Kept[_JoinedRuns] = Kept(MOST_JOINED)
        self._runs: Kept[Run] = Kept(MOST_RUNS)

    def board(self, qrels: str = "", measure: Measure | None = None) -> Board:
        """The board of judgements by name (default: the first that any run fits) and a measure (default: `first`)."""
        if qrels:
            return self._board(self.lab.get("qrels", qrels), measure)
        entries = self.lab.entries("qrels")
        if not entries:
            raise InputError("lab", "has no judgements: add them with `leadline lab add`")
        boards: list[Board] = []
        for entry in entries:
            try:
                boards.append(self._board(entry, measure))
            except (InputError, MismatchError, MeasureError):
                continue  # damaged, or not for this measure: the next may do
            if boards[-1].runs:
                return boards[-1]
        return boards[0] if boards else self._board(entries[0], measure)

    def judgements(self, entry: LabEntry) -> Qrels:
        """The judgements in a file, named as in the lab."""
        key = (entry.path, file_version(entry.path))
        return self._judgements.get(key, lambda: replace(read_qrels(entry.path), name=entry.name))

    def run(self, entry: LabEntry) -> Run:
        """A run read in full, for its rankings."""
        return self._runs.get((entry.path, file_version(entry.path)), lambda: read_run(entry.path, entry.name))

    def fits(self, path: Path, name: str, qrels: str) -> None:
        """Raise MismatchError if a run in a file shares nothing with judgements."""
        judged = self.judgements(self.lab.get("qrels", qrels))
        (part,) = hits_of_runs([Source(name, str(path))], judged, common_view([], "score"), "score")
        Alignment([name], judged, [Summary.of(part)]).check()

    def _board(self, entry: LabEntry, measure: Measure | None) -> Board:
        runs = self.lab.entries("run")
        versions = [file_version(each.path) for each in (entry, *runs)]
        files = (entry.path, tuple(each.path for each in runs), tuple(versions), self._collections())
        first = self._first.get(files, lambda: self._first_measure(entry, runs, versions))
        wanted = measure or first.measure
        return self._boards.get((*files, wanted.text), lambda: self._new_board(entry, wanted, runs, versions, first))

    def _collections(self) -> tuple[FileVersion, ...]:
        manifest = KINDS["collection"].manifest
        return tuple(file_version(each.path / manifest) for each in self.lab.entries("collection"))

    def _first_measure(
        self, entry: LabEntry, runs: Sequence[LabEntry], versions: Sequence[FileVersion]
    ) -> FirstMeasure:
        found = self._parts(entry, self.judgements(entry), "score", runs, versions)
        longest = [int(each.retrieved.max(initial=0)) for each in found if isinstance(each, RunHits)]
        return first_measure(self.lab, max(longest, default=0))

    def _parts(
        self, entry: LabEntry, judged: Qrels, order: Order, runs: Sequence[LabEntry], versions: Sequence[FileVersion]
    ) -> list[RunHits | Unfit]:
        joined = self._joined.get((entry.path, versions[0], order), lambda: _JoinedRuns(judged, order))
        return joined.parts(dict(zip(runs, versions[1:], strict=True)))

    def _new_board(
        self, entry: LabEntry, measure: Measure, runs: Sequence[LabEntry], versions: Sequence[FileVersion],
        first: FirstMeasure,
    ) -> Board:  # fmt: skip
        judged = self.judgements(entry)
        if measure.definition.better == "neither":
            raise MeasureError(f"{measure.text} does not say which of two runs is better: choose another measure")
        check_needs([measure], judged)
        order: Order = measure.view.order or "score"
        common_view([measure], order)  # MeasureError for one that needs more than ranks
        Alignment((), judged, (), [measure]).check()  # MismatchError if no document has the grade it needs
        found = self._parts(entry, judged, order, runs, versions)
        fitting = [place for place, each in enumerate(found) if isinstance(each, RunHits)]
        return Board(
            entry, judged, measure, tuple(runs[place] for place in fitting),
            {run.name: each for run, each in zip(runs, found, strict=True) if isinstance(each, Unfit)},
            tuple(each for each in found if isinstance(each, RunHits)),
            (versions[0], *(versions[1 + place] for place in fitting)), first,
        )  # fmt: skip


class _JoinedRuns:
    """The runs of a lab joined with some judgements; a run that is added or changed is joined alone."""

    def __init__(self, judged: Qrels, order: Order) -> None:
        self._judged, self._order = judged, order
        self._lock = threading.Lock()
        self._parts: dict[Path, tuple[FileVersion, RunHits | Unfit]] = {}

    def parts(self, runs: Mapping[LabEntry, FileVersion]) -> list[RunHits | Unfit]:
        """The hits of each run, or why it is not for these judgements."""
        with self._lock:
            known = {run.path for run, version in runs.items() if self._parts.get(run.path, (None,))[0] == version}
            new = [run for run in runs if run.path not in known]
            for run, part in zip(new, self._join(new), strict=True):
                self._parts[run.path] = (runs[run], part)
            there = {run.path for run in runs}
            self._parts = {path: part for path, part in self._parts.items() if path in there}
            return [self._parts[run.path][1] for run in runs]

    def _join(self, runs: Sequence[LabEntry]) -> list[RunHits | Unfit]:
        sources = [Source(run.name, str(run.path)) for run in runs]
        try:
            joined: list[RunHits | Unfit] = [*self._hits(sources)] if sources else []
        except LeadlineError:  # one of them is wrong: which?
            joined = [self._one(source) for source in sources]
        return [self._checked(source.name, part) for source, part in zip(sources, joined, strict=True)]

    def _hits(self, sources: Sequence[Source]) -> list[RunHits]:
        return list(hits_of_runs(sources, self._judged, common_view([], self._order), self._order))

    def _one(self, source: Source) -> RunHits | Unfit:
        try:
            return self._hits([source])[0]
        except InputError as error:
            return error.problem if error.line is None else f"line {error.line}: {error.problem}"

    def _checked(self, name: str, part: RunHits | Unfit) -> RunHits | Unfit:
        if isinstance(part, Unfit):
            return part
        try:
            Alignment([name], self._judged, [Summary.of(part)]).check()
        except MismatchError as error:
            return str(error)
        return part
