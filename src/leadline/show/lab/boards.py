"""The runs of a lab under its judgements: received, joined once, scored by any measure, and compared topic by topic."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from leadline.errors import InputError, LeadlineError, MeasureError, MismatchError
from leadline.measures.definition import Measure, parse_measure
from leadline.measures.evaluate import MAIN_MEASURE, check_needs, hits_of_runs
from leadline.measures.hits import Array, Integers
from leadline.measures.join import Alignment, RunHits, Summary
from leadline.measures.run_source import Source
from leadline.options import SAMPLES
from leadline.records.other_packages import Order
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.result import counted
from leadline.records.runs import Run, read_run
from leadline.show.charts import in_words
from leadline.show.demo import demo_measure, is_truth
from leadline.show.lab.kinds import KINDS
from leadline.show.lab.lab import (
    BESIDE_ENDINGS,
    FileVersion,
    Kept,
    Lab,
    LabEntry,
    check_file_name,
    file_version,
    fingerprint,
)
from leadline.show.report.evidence import Evidence
from leadline.text.checksums import file_sha256
from leadline.text.files import readable_size
from leadline.text.source import pieces_of, stem, within_ratio
from leadline.trust.rankings import sign
from leadline.trust.study import common_view, study_of_hits

MOST_BOARDS, MOST_JOINED, MOST_RUNS = 12, 4, 8  # in memory at once: boards, judgements with their hits, whole runs

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
    complete: bool = False  # every relevant document is in the judgements
    baseline: str = ""  # the run of the system that is used today, if it fits
    samples: int = SAMPLES  # with half the judgements

    @cached_property
    def evidence(self) -> Evidence | None:
        """What figures and verdicts are made from; None where no run fits."""
        if not self.runs:
            return None
        names = tuple(run.name for run in self.runs)
        study = study_of_hits(names, self.parts, self.qrels, [self.measure])
        return Evidence(study, samples=self.samples, complete=self.complete, baseline=self.baseline)

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
        return {name: _sha256(entry.path, version) for (name, entry), version in zip(files, self.versions, strict=True)}


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
        key = (*files, wanted.text, self.lab.baseline, self.lab.samples)
        return self._boards.get(key, lambda: self._new_board(entry, wanted, runs, versions, first))

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
        self,
        entry: LabEntry,
        measure: Measure,
        runs: Sequence[LabEntry],
        versions: Sequence[FileVersion],
        first: FirstMeasure,
    ) -> Board:
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
            entry,
            judged,
            measure,
            tuple(runs[place] for place in fitting),
            {run.name: each for run, each in zip(runs, found, strict=True) if isinstance(each, Unfit)},
            tuple(each for each in found if isinstance(each, RunHits)),
            (versions[0], *(versions[1 + place] for place in fitting)),
            first,
            is_truth(self.lab, entry),
            self.lab.baseline if self.lab.baseline in {runs[place].name for place in fitting} else "",
            self.lab.samples,
        )


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


# The measure that a lab begins with: PRES at an effort that fits its runs and its collections.


EFFORTS = (10, 20, 50, 100, 200, 500, 1000)
PART = 10  # a searcher reads at most one document in so many


@dataclass(frozen=True)
class FirstMeasure:
    """A measure, and why a lab begins with it."""

    measure: Measure
    why: str

    def __str__(self) -> str:
        return f"{in_words(self.measure)}: {self.why}."


def first_measure(lab: Lab, depth: int) -> FirstMeasure:
    """The measure that a lab begins with; `depth` is the length of the longest list of its runs, 0 if unknown."""
    if (own := demo_measure(lab)) is not None:
        return FirstMeasure(parse_measure(own), "the measure of the demo's report")
    return fitting_measure(depth, max((_documents(each.made_from()) for each in lab.entries("collection")), default=0))


def fitting_measure(depth: int, documents: int) -> FirstMeasure:
    """The main measure at the largest effort that fits lists of `depth` documents and a collection; 0: unknown.

    >>> first = fitting_measure(1000, 800)
    >>> first.measure.text, first.why
    ('PRES@50', 'at most a tenth of the 800 documents of the collection')
    >>> [fitting_measure(*each).measure.text for each in ((100, 6000), (3, 0), (0, 0), (2000, 10**6))]
    ['PRES@100', 'PRES@10', 'PRES@1000', 'PRES@1000']
    """
    limits = {EFFORTS[-1]: "the usual effort"}
    if documents:
        limits[documents // PART] = f"at most a tenth of the {documents:,} documents of the collection"
    if depth:
        limits[depth] = f"the runs list at most {depth:,} documents for a topic"
    smallest = min(limits)
    effort = max((each for each in EFFORTS if each <= smallest), default=EFFORTS[0])
    name = MAIN_MEASURE.partition("@")[0]
    return FirstMeasure(parse_measure(f"{name}@{effort}"), limits[smallest])


def _documents(manifest: dict[str, object]) -> int:
    """The number of documents of a collection, from its manifest; 0 where it does not say so."""
    counts = manifest.get("counts")
    number = counts.get("documents") if isinstance(counts, dict) else None
    return number if isinstance(number, int) else 0


# Two runs topic by topic: where one is ahead, and the relevant documents that only one of them finds.


EARLY = 50  # a rank that a searcher reaches


@dataclass(frozen=True)
class Miss:
    """A relevant document that one run finds and another does not."""

    topic: str
    document: str
    finder: str
    rank: int
    misser: str


def lead_by_topic(evidence: Evidence, first: str, second: str) -> Array:
    """How far the first run is ahead on each topic, behind if below 0; NaN where a value is undefined."""
    values = evidence.main.values[:, :, 0]
    ahead = values[evidence.place(first)] - values[evidence.place(second)]
    return np.asarray(ahead * sign(evidence.measure.definition.better), np.float64)


def documents_of(evidence: Evidence, topic: int) -> Integers:
    """The places of a topic's relevant documents in `relevant_documents` and in the columns of `ranks`."""
    topics = evidence.qrels.topic_of_document[evidence.relevant_documents]
    return np.flatnonzero(topics == topic)


def clearest_miss(evidence: Evidence) -> Miss | None:
    """The relevant document that the leader lists highest of those that another run misses.

    It is one that the challenger misses, if the leader has such a document early.
    """
    ours = evidence.ranks[evidence.place(evidence.leader)]
    others = np.array([evidence.place(run) for run in evidence.order[1:]], np.int64)
    missed = evidence.ranks[others] == 0  # other run, best first × relevant document
    for runs, deepest in ((missed[:1], EARLY), (missed, None)):
        wanted = np.flatnonzero((ours > 0) & (ours <= (deepest or ours.max(initial=0))) & runs.any(axis=0))
        if len(wanted):
            place = int(wanted[ours[wanted].argmin()])
            row = int(evidence.relevant_documents[place])
            topic = evidence.topics[int(evidence.qrels.topic_of_document[row])]
            misser = evidence.order[1 + int(missed[:, place].argmax())]
            return Miss(topic, evidence.qrels.documents[row], evidence.leader, int(ours[place]), misser)
    return None


# A run that somebody sends: checked as the evaluator checks it, and added to the lab only if it is right.


LARGEST_SENT = 64 << 20  # bytes of an upload
LARGEST_UNPACKED = 256 << 20  # bytes: a run of two million lines has half of it
MOST_ROWS_SENT = 5_000_000  # of a Parquet file
_one_at_a_time = threading.Lock()  # reading a run takes memory, and the lab is written by one at a time


class NameTakenError(InputError):
    """Another run has the name."""


@dataclass(frozen=True)
class Received:
    """What became of a run that was sent."""

    entry: LabEntry
    is_new: bool  # False: the same run was there already


def check_run_name(name: str) -> str:
    """The name of a file to store a run under; InputError for any other."""
    check_file_name(name, "name")
    if name.endswith(BESIDE_ENDINGS):
        problem = f"{name!r} is not a name for a run: let it end in .run, .txt, .csv, .jsonl or .parquet"
        raise InputError("name", problem)
    return name


def receive_run(boards: Boards, path: Path, sender: str, qrels: str = "") -> Received:
    """Add the run in a file to the lab under the file's name; InputError or MismatchError if it is wrong.

    With `qrels` it must share topics and documents with these judgements.
    """
    _check_size(path)
    with _one_at_a_time:
        sha256 = fingerprint(KINDS["run"], path)
        for entry in boards.lab.entries("run"):
            same_size = entry.path.is_file() and entry.path.stat().st_size == path.stat().st_size
            if same_size and fingerprint(KINDS["run"], entry.path) == sha256:
                return Received(entry, is_new=False)
        name = stem(path)
        if boards.lab.is_taken("run", name):
            raise NameTakenError("name", f"there is another run {name} in the lab: choose another name")
        if qrels:
            read_run(path)  # a wrong line before what does not fit the judgements
            boards.fits(path, name, qrels)
        return Received(boards.lab.add(path, kind="run", origin=f"uploaded by {sender}", owner=sender), is_new=True)


def receive(boards: Boards, path: Path, kind: str, sender: str, *, is_organiser: bool) -> Received:
    """Add a file as what it is under its name; all but runs only by the organiser."""
    if kind == "run":
        check_run_name(path.name)
        return receive_run(boards, path, sender)
    if not is_organiser:
        raise InputError(path.name, "is no run: the organiser of the lab adds the others")
    _check_size(path)
    with _one_at_a_time:
        sha256 = fingerprint(KINDS[kind], path)
        if boards.lab.is_taken(kind, stem(path)) and boards.lab.get(kind, stem(path)).sha256 != sha256:
            raise NameTakenError("name", f"there is another {kind} {stem(path)} in the lab: choose another name")
        before = {entry.name for entry in boards.lab.entries(kind)}
        entry = boards.lab.add(path, kind=kind, origin=f"uploaded by {sender}", owner=sender)
        return Received(entry, is_new=entry.name not in before)


def _check_rows(path: Path) -> None:
    """Raise InputError for a Parquet file with too many rows, which a few bytes can have."""
    import polars

    try:
        rows = int(polars.scan_parquet(path).select(polars.len()).collect().item())
    except (polars.exceptions.PolarsError, OSError):
        raise InputError(path.name, "is not readable Parquet") from None
    if rows > MOST_ROWS_SENT:
        raise InputError(path.name, f"has {rows:,} rows; at most {MOST_ROWS_SENT:,} are taken")


def _check_size(path: Path) -> None:
    """Raise InputError for a file that holds too much when it is unpacked."""
    total = 0
    with open(path, "rb") as file:
        for piece in within_ratio(pieces_of(file, path.name), path.name, path.stat().st_size):
            if not total and piece.startswith(b"PAR1"):
                _check_rows(path)
            total += len(piece)
            if total > LARGEST_UNPACKED:
                raise InputError(path.name, f"holds more than {readable_size(LARGEST_UNPACKED)} when it is unpacked")
