"""One run to be scored: how it is read, whole or in pieces, here or elsewhere; copies in it, and logs of reading."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from leadline.errors import InputError, LeadlineError, MeasureError, checked_choice
from leadline.measures.definition import Measure, View
from leadline.measures.hits import AGAIN, Hits, Integers, Judged, Reading
from leadline.measures.join import RunHits, join, join_text, pays, reading_of
from leadline.records.inputs import DuplicatesLike, read_groups
from leadline.records.large_runs import RunCut, RunParts, cuts, has_parts, text_size
from leadline.records.other_packages import Order
from leadline.records.qrels import Qrels
from leadline.records.runs import Run, run_of_text
from leadline.text.fields import decode_id, encode_id, ranges
from leadline.text.files import readable_size
from leadline.text.memory import NEW_ARRAYS, NewArrays, ReusedArrays
from leadline.text.sheet import DOCUMENT, TOPIC, read_columns
from leadline.text.source import SourceText, physical_memory, read_text, stem
from leadline.text.spread import MemoryBudget, Spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Measured with benchmarks/memory.py: what an evaluation holds without any run, and for each byte of a run's text.
BASE_BYTES, BYTES_A_BYTE, PLAIN_BYTES_A_BYTE = 160_000_000, 4, 16
QRELS_BYTES_A_BYTE = 12  # judgements with their hash tables, for each byte of their file
SCORE_BYTES = 32  # a score is held four times when results are made
SMALLEST_PART = 1 << 20


@dataclass(frozen=True)
class Source:
    """One run: its name, and the file or object that holds it; `text` is a part of the file."""

    name: str
    path: str | None = None
    run: Run | None = None
    text: SourceText | None = None

    def hits(self, qrels: Qrels, view: View, order: Order, *, kernels: bool, memory: NewArrays) -> RunHits:
        """Return the hits of the run, reading no more of it than they need."""
        wanted = view.order or order
        if kernels and self.path is not None and view.layout == "trec":
            return join_text(self._read(memory), self.name, qrels, wanted, kernels=True, memory=memory)
        return join(self.open(view, order, kernels, memory), qrels, kernels=kernels)

    def open(self, view: View, order: Order, kernels: bool, memory: NewArrays) -> Run:
        wanted = view.order or order
        if self.path is not None:
            text = self._read(memory)
            return run_of_text(text, self.name, order=wanted, layout=view.layout, kernels=kernels, memory=memory)
        assert self.run is not None
        if self.run.sorting != wanted:
            raise InputError(
                self.name, f"is in {self.run.sorting} order, and a measure needs {wanted} order: give the file"
            )
        return self.run

    def _read(self, memory: NewArrays) -> SourceText:
        assert self.path is not None
        return read_text(self.path, memory) if self.text is None else self.text


@dataclass(frozen=True)
class RunReading:
    """How runs are read and joined."""

    qrels: Qrels
    view: View
    order: Order
    size: int  # bytes of all runs
    words: Mapping[bytes, float] | None
    logs: ReadingLogs | None
    groups: Mapping[bytes, int] | None

    def hits(self, source: Source, kernels: bool, memory: NewArrays) -> RunHits:
        """The hits of one run."""
        qrels, view, order = self.qrels, self.view, self.order
        if qrels.extents is not None:
            passages = self._passages(source, kernels, memory)
            if passages is not None:
                return passages
        if self.groups is not None:
            run = source.open(view, order, kernels, memory)
            return replace(join(run, qrels, kernels=kernels), copies=later_copies(run, qrels, self.groups))
        if not view.needs & {"words", "iterations", "seconds"}:
            return source.hits(qrels, view, order, kernels=kernels, memory=memory)
        opened = self.logs.of(source.name) if self.logs else (source.open(view, order, kernels, memory), None)
        run, seconds = opened
        reading = reading_of(run, qrels, view.needs, self.words, seconds)
        return join(run, qrels, kernels=kernels, reading=reading)

    def _passages(self, source: Source, kernels: bool, memory: NewArrays) -> RunHits | None:
        """The hits of a run of passages: each document where its first passage stands. None for a run of documents."""
        from leadline.measures.characters import joined_passages
        from leadline.records.passages import is_passage_run, passages_of_text

        text = None if source.path is None else source._read(memory)
        if text is None or not is_passage_run(text):
            if "characters" in self.view.needs:
                problem = (
                    "is a run of documents, and a measure of characters needs passages: lines of topic Q0 document"
                )
                raise InputError(source.name, f"{problem} rank score tag offset length")
            return None
        read = passages_of_text(text, source.name, self.view.order or self.order)
        return replace(join(read.run, self.qrels, kernels=kernels), characters=joined_passages(read, self.qrels))


@dataclass(frozen=True)
class ReadingPlan:
    """How much of a run is in memory at once: `part` bytes of text for each of `workers` runs."""

    part: int
    workers: int
    fixed: int = 0  # bytes of memory without any run
    bytes_a_byte: int = BYTES_A_BYTE
    folder: str | None = None  # for temporary files

    @classmethod
    def of(
        cls,
        sources: Sequence[Source],
        budget: MemoryBudget | None,
        *,
        kernels: bool,
        held: int = 0,
        elsewhere: bool = False,
    ) -> ReadingPlan:
        """A plan for these runs that keeps to a budget, of which `held` bytes are for judgements and scores.

        Without a budget, a run is read whole unless the machine's memory is too small for it. With `elsewhere` the
        budget is that of each of the processes that read one run, or a part of one, at a time.
        """
        cost = BYTES_A_BYTE if kernels else PLAIN_BYTES_A_BYTE
        workers = max(1, min(len(sources), os.cpu_count() or 1)) if kernels and not elsewhere else 1
        if budget is None:
            beside = os.cpu_count() or 1 if elsewhere else workers
            return cls(physical_memory() // (cost * beside), workers, 0, cost)
        sizes = {source.path: text_size(source.path) for source in sources if source.path is not None}
        fixed, largest = BASE_BYTES + held, max(sizes.values(), default=0)
        budget.require(fixed + cost * SMALLEST_PART, "these judgements and runs")
        room = (budget.size - fixed) // cost
        while workers > 1 and room // workers < min(16 * SMALLEST_PART, largest):
            workers -= 1
        part = room // workers
        for path, size in sizes.items():
            if size > part and not has_parts(path):
                problem = "is read whole, as tables and standard input are: with --memory, give lines of text in a file"
                raise InputError(path, problem)
        how = f"the largest run in {-(-largest // part):,} parts of {readable_size(part)}"
        at_once = ", in every worker" if elsewhere else f", {workers} runs at a time" if workers > 1 else ""
        budget.state((how if largest > part else "every run whole") + at_once)
        return cls(part, workers, fixed, cost, budget.folder)

    def divides(self, source: Source) -> bool:
        """Whether a run is read in parts."""
        return source.path is not None and text_size(source.path) > self.part and has_parts(source.path)

    def hits(self, source: Source, qrels: Qrels, arrays: NewArrays, one: Callable[[Source], RunHits]) -> RunHits:
        """The hits of a run that is read in parts; `one` gives those of a part."""
        assert source.path is not None

        def memory_for(size: int) -> int:
            return self.fixed + self.bytes_a_byte * size + SMALLEST_PART

        parts = RunParts(source.path, self.part, arrays, memory_for, self.folder)
        found = JoinedParts(len(qrels.topics))
        for text in parts.in_order():
            if not found.add(PartHits.of(one(replace(source, text=text)))):
                break
        else:
            if not len(found):
                raise InputError(source.path, "is empty")
            return found.whole()
        found = JoinedParts(len(qrels.topics))
        for text in parts.by_topic():
            found.add(PartHits.of(one(replace(source, text=text))))
        whole = found.whole()
        place = {decode_id(topic): number for number, topic in enumerate(parts.topics)}
        return replace(whole, unjudged_topics=tuple(sorted(whole.unjudged_topics, key=place.__getitem__)))


def least_memory(judged: int, topics: int = 0, runs: int = 0, values: int = 0, *, kernels: bool = True) -> int:
    """The smallest budget for so many bytes of judgements, and for `values` scores of each run on each topic."""
    cost = BYTES_A_BYTE if kernels else PLAIN_BYTES_A_BYTE
    return BASE_BYTES + held_bytes(judged, topics, runs, values) + cost * SMALLEST_PART


def held_bytes(judged: int, topics: int, runs: int, values: int) -> int:
    """Bytes of memory for so many bytes of judgements, and for `values` scores of each run on each topic."""
    return QRELS_BYTES_A_BYTE * judged + SCORE_BYTES * topics * runs * values


def judgement_bytes(qrels: object, budget: MemoryBudget | None) -> int:
    """The bytes of a file of judgements, 0 of others; a file that is too large for a budget is refused unread."""
    judged = text_size(os.fspath(qrels)) if isinstance(qrels, (str, os.PathLike)) else 0
    if budget is not None and judged > SMALLEST_PART:  # fewer do not matter, and once they are read all is known
        more = f"{SCORE_BYTES} bytes for each topic, run and measure"
        budget.require(least_memory(judged), f"{readable_size(judged)} of judgements", more)
    return judged


@dataclass(frozen=True)
class PartHits:
    """The hits of a part of a run, for the topics that it answers: there may be many parts, and many topics."""

    topics: NDArray[np.int64]  # places in the judgements, ascending
    hits: RunHits  # with only these topics
    has_copies: bool

    @classmethod
    def of(cls, hits: RunHits) -> PartHits:
        topics = np.flatnonzero(hits.answered)

        def of_these(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
            return np.append(offsets[topics], offsets[-1])  # the other topics have nothing

        reading = None if hits.reading is None else replace(hits.reading, offsets=of_these(hits.reading.offsets))
        some = replace(
            hits,
            offsets=of_these(hits.offsets),
            retrieved=hits.retrieved[topics],
            answered=hits.answered[topics],
            reading=reading,
            copies=[hits.copies[topic] for topic in topics.tolist()] if hits.copies else (),
        )
        return cls(topics, some, bool(hits.copies))


class JoinedParts:
    """The parts of a run, of which no two have a topic in common, as the hits of the run."""

    def __init__(self, topics: int) -> None:
        self.parts: list[PartHits] = []
        self.answered = np.zeros(topics, np.bool_)
        self.strangers: dict[str, None] = {}  # topics that are not judged

    def __len__(self) -> int:
        return len(self.parts)

    def add(self, part: PartHits) -> bool:
        """Take the next part; False, and nothing is taken, where it has a topic of an earlier part."""
        if self.answered[part.topics].any() or any(topic in self.strangers for topic in part.hits.unjudged_topics):
            return False
        self.answered[part.topics] = True
        self.strangers |= dict.fromkeys(part.hits.unjudged_topics)
        self.parts.append(part)
        return True

    def whole(self) -> RunHits:
        """The hits of the run."""
        hits = [part.hits for part in self.parts]
        offsets, places = self._by_topic([part.offsets for part in hits])

        def joined(name: str) -> NDArray[np.int32]:
            column: NDArray[np.int32] = np.concatenate([getattr(part, name) for part in hits])[places]
            return column

        retrieved = np.zeros(len(self.answered), np.int64)
        copies: list[NDArray[np.int64]] = []
        if any(part.has_copies for part in self.parts):
            copies = [np.empty(0, np.int64)] * len(self.answered)
        for part in self.parts:
            retrieved[part.topics] = part.hits.retrieved
            for topic, ranks in zip(part.topics.tolist(), part.hits.copies, strict=False):
                copies[topic] = ranks
        return RunHits(
            offsets,
            joined("rank"),
            joined("document"),
            joined("tie_first"),
            joined("tie_last"),
            retrieved,
            self.answered,
            tuple(self.strangers),
            sum(part.longer_lines for part in hits),
            self._joint_reading(),
            copies,
        )

    def _by_topic(self, parts: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The offsets of all topics, and where each of their entries is when parts are behind each other."""
        topics = np.concatenate([part.topics for part in self.parts])
        bases = np.cumsum([0, *(int(offsets[-1]) for offsets in parts[:-1])])
        starts = np.concatenate([offsets[:-1] + base for offsets, base in zip(parts, bases, strict=True)])
        lengths = np.concatenate([np.diff(offsets) for offsets in parts])
        counts = np.zeros(len(self.answered), np.int64)
        counts[topics] = lengths
        order = np.argsort(topics)
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), ranges(starts[order], lengths[order])

    def _joint_reading(self) -> Reading | None:
        readings = [part.hits.reading for part in self.parts if part.hits.reading is not None]
        if not readings:
            return None
        offsets, places = self._by_topic([reading.offsets for reading in readings])

        def joined(name: str) -> NDArray[np.float64] | None:
            columns = [getattr(reading, name) for reading in readings]
            return None if columns[0] is None else np.concatenate(columns)[places]

        return Reading(offsets, joined("words"), joined("seconds"), joined("iterations"))  # type: ignore[arg-type]


# Near-duplicates in runs: a copy of a document that stands higher in the list is not relevant, or left out.
#
# Either way a document counts as itself when it is the first of its group in the list, and the group counts once, with
# its highest grade, among the relevant documents of a topic.


Copies = Literal["not-relevant", "collapse"]
Groups = Mapping[bytes, int]


def open_groups(duplicates: DuplicatesLike, copies: Copies, measures: Sequence[Measure], qrels: Qrels) -> Groups:
    """The group of each document, by the bytes of its id; an error where judgements or measures cannot use them."""
    checked_choice("copies", copies, get_args(Copies))
    if qrels.kind != "plain":
        raise MeasureError(f"duplicates need judgements with one grade for a document; those of {qrels.name} have more")
    for measure in measures:
        if measure.view.needs & {"words", "seconds", "iterations"}:
            raise MeasureError(f"{measure.text} is a measure of reading time, which has no value with duplicates")
    numbers: dict[str, int] = {}
    groups = read_groups(duplicates).items()
    return {encode_id(name): numbers.setdefault(group, len(numbers)) for name, group in groups}


def later_copies(run: Run, qrels: Qrels, groups: Groups) -> Sequence[Integers]:
    """For each topic of the judgements the ranks of documents of which a copy stands higher in the list."""
    places = {topic: t for t, topic in enumerate(run.topics)}
    group = np.array([groups.get(name, -1) for name in run.documents.as_bytes()], np.int64)
    found = []
    for topic in qrels.topics:
        t = places.get(topic, -1)
        here = group[run.order[run.offsets[t] : run.offsets[t + 1]]] if t >= 0 else np.empty(0, np.int64)
        member = np.flatnonzero(here >= 0)
        first = np.unique(here[member], return_index=True)[1]
        found.append(np.delete(member, first) + 1)
    return found


def counted_once(qrels: Qrels, groups: Groups) -> Judged:
    """The judgements with one document of each group: the highest grade counts, the others become 0.

    >>> qrels = Qrels.of({"1": {"a": 1, "b": 2, "c": 1}})
    >>> counted_once(qrels, {b"a": 0, b"b": 0}).grades
    array([0, 2, 1])
    """
    judged = Judged.of(qrels)
    group = np.array([groups.get(name, -1) for name in qrels.documents.as_bytes()], np.int64)
    member = np.flatnonzero((group >= 0) & (judged.grades > 0))
    order = member[np.lexsort((-judged.grades[member], group[member], judged.topic[member]))]
    same = (np.diff(group[order]) == 0) & (np.diff(judged.topic[order]) == 0)
    grades = judged.grades.copy()
    grades[order[1:][same]] = 0
    return Judged(judged.offsets, grades)


def without_copies(hits: Hits, copies: Sequence[Integers], judged: Judged, treatment: Copies) -> Hits:
    """The hits with copies as not relevant or left out. `copies` has the ranks of later copies of each row.

    >>> hits = Hits.of(ranks=[1, 2, 4], relevant=3)
    >>> apart = without_copies(hits, [np.array([2, 3])], hits.judged, "collapse")
    >>> apart.rank, apart.retrieved, without_copies(hits, [np.array([2, 3])], hits.judged, "not-relevant").grade
    (array([1, 2]), array([2]), array([1, 0, 1]))
    """
    counts = np.array([len(ranks) for ranks in copies], np.int64)
    depth = max(int(hits.retrieved.max(initial=0)), int(hits.rank.max(initial=0))) + 1
    keys = np.repeat(np.arange(hits.rows), counts) * depth + np.concatenate([np.empty(0, np.int64), *copies])
    at = hits.row * depth + hits.rank
    is_copy = np.isin(at, keys)
    if treatment == "not-relevant":
        return replace(hits, grade=np.where(is_copy, np.minimum(hits.grade, 0), hits.grade), judged=judged)
    kept = hits.where(~is_copy)
    before = np.cumsum(counts) - counts
    rank = kept.rank - (np.searchsorted(keys, at[~is_copy]) - before[kept.row])
    return replace(kept, rank=rank, retrieved=hits.retrieved - counts, tie_first=rank, tie_last=rank, judged=judged)


# Reading logs: the documents that a searcher opened, in order, with the seconds spent on each.


_SECONDS = ("seconds", "time", "duration")
Log = tuple[Run, "NDArray[np.float64]"]  # what was read, in its order, and the seconds of each


def read_reading_log(path: str | os.PathLike[str]) -> tuple[Run, NDArray[np.float64]]:
    """Read a reading log as a run in the order read, and the seconds of each line of that run.

    A line holds topic, document and seconds, separated by blanks; `#` starts a comment. A CSV or TSV file needs a
    header with these names. A document opened again takes time but gains nothing, so the run has it under another,
    unjudged name.
    """
    sheet = read_columns(path, TOPIC, DOCUMENT, _SECONDS)
    topics, documents = sheet.labels(sheet.pick(TOPIC)), sheet.labels(sheet.pick(DOCUMENT))
    seconds = sheet.amounts(sheet.pick(_SECONDS))
    times: dict[tuple[str, str], int] = {}
    names = []
    for pair in zip(topics, documents, strict=True):
        times[pair] = times.get(pair, 0) + 1
        names.append(pair[1] if times[pair] == 1 else f"{pair[1]}{AGAIN}{times[pair]}")
    run = Run.from_columns(topics, names, np.zeros(len(names)), stem(path), order="file")
    return run, np.array(seconds)


@dataclass(frozen=True)
class ReadingLogs:
    """The reading log of each run, or one of all runs."""

    of_all: Log | None
    of_each: Mapping[str, Log]

    @classmethod
    def read(cls, reads: str | os.PathLike[str] | Mapping[str, str | os.PathLike[str]]) -> ReadingLogs:
        """Read the log of a file, or those of several, by the names of their runs."""
        if isinstance(reads, Mapping):
            return cls(None, {name: read_reading_log(path) for name, path in reads.items()})
        return cls(read_reading_log(reads), {})

    def of(self, run: str) -> Log:
        """The log of a run."""
        found = self.of_each.get(run, self.of_all)
        if found is None:
            raise InputError(run, f"has no reading log: there are those of {', '.join(self.of_each)}")
        return found


# The hits of runs that are read elsewhere, a large run in pieces of whole topics.
#
# What is said of a run that is wrong must be what is said where it is read whole. So a run of which a piece is refused
# is read again, whole and in one place, and so is a run whose topics come back in another piece.


PIECE_BYTES = 64 << 20  # of a run's text: large enough that handing it out costs little beside reading it


def spread_hits(
    sources: Sequence[Source],
    reading: RunReading,
    spread: Spread,
    plan: ReadingPlan | None,
    progress: Callable[[int, int], None] | None,
) -> Iterator[RunHits]:
    """Yield the hits of each run; `plan` says how much of one a worker may hold (default: what its memory allows)."""
    length = PIECE_BYTES if plan is None else min(PIECE_BYTES, plan.part)
    pieces = [
        _pieces(source, length) if reading.logs is None and reading.qrels.extents is None else [None]
        for source in sources
    ]
    ends = list(accumulate(map(len, pieces)))
    handed: deque[int] = deque()
    to_read_whole: set[int] = set()

    def pieces_to_read() -> Iterator[tuple[Source, RunCut | None]]:
        for number, source in enumerate(sources):
            for cut in pieces[number]:
                if number in to_read_whole:
                    break
                handed.append(number)
                yield source, cut

    def report(done: int) -> None:
        if progress is not None:
            progress(done, ends[-1])

    results = ((handed.popleft(), hits) for hits in spread(hits_elsewhere, pieces_to_read(), reading, plan))
    for number, some in groupby(results, itemgetter(0)):
        parts, whole = JoinedParts(len(reading.qrels.topics)), None
        for done, (_, hits) in enumerate(some, start=ends[number] - len(pieces[number]) + 1):
            if isinstance(hits, RunHits):
                whole = hits
            elif number not in to_read_whole and (hits is None or not parts.add(hits)):
                to_read_whole.add(number)
            if done < ends[number]:
                report(done)
        if number in to_read_whole:
            (whole,) = spread(hits_of_whole, [(sources[number],)], reading, plan)
        yield whole or parts.whole()
        report(ends[number])


def _pieces(source: Source, length: int) -> Sequence[RunCut | None]:
    return (cuts(source.path, length) if source.path is not None else []) or [None]


def hits_elsewhere(
    source: Source, cut: RunCut | None, reading: RunReading, plan: ReadingPlan | None
) -> RunHits | PartHits | None:
    """The hits of a run, or of a piece of one; None for a piece that is wrong, or that `plan` does not allow."""
    if cut is None:
        return hits_of_whole(source, reading, plan)
    if plan is not None and cut.end - cut.begin > plan.part:
        return None
    text = cut.text(NEW_ARRAYS)
    try:
        return PartHits.of(reading.hits(replace(source, text=text), pays(reading.size), NEW_ARRAYS))
    except LeadlineError:
        return None


def hits_of_whole(source: Source, reading: RunReading, plan: ReadingPlan | None) -> RunHits:
    """The hits of a run, of which no more is held than `plan` or the memory of this machine allows."""
    kernels = pays(reading.size)
    plan = plan or ReadingPlan.of([source], None, kernels=kernels, elsewhere=True)
    if reading.logs is None and plan.divides(source):
        arrays = ReusedArrays()
        return plan.hits(source, reading.qrels, arrays, lambda part: reading.hits(part, kernels, arrays))
    return reading.hits(source, kernels, NEW_ARRAYS)
