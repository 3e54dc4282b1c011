"""The one place where runs meet judgements: reading order joined with what is judged, into Hits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError, MeasureError
from leadline.measures.hits import Hits, Judged, Reading
from leadline.qrels.qrels import Qrels
from leadline.runs.run import Run
from leadline.text import compiled
from leadline.text.ids import Ids, encode_id
from leadline.text.table import number_of, shown


@dataclass(frozen=True)
class RunHits:
    """The hits of one run, topic by topic of the judgements; what is kept of a run once it is joined."""

    offsets: NDArray[np.int64]
    rank: NDArray[np.int32]
    document: NDArray[np.int32]
    tie_first: NDArray[np.int32]
    tie_last: NDArray[np.int32]
    retrieved: NDArray[np.int64]
    answered: NDArray[np.bool_]
    unjudged_topics: tuple[str, ...]  # of the run, not of the judgements
    longer_lines: int = 0
    reading: Reading | None = None


def join(run: Run, qrels: Qrels, *, kernels: bool, reading: Reading | None = None) -> RunHits:
    """The judged documents of a run with their ranks."""
    places = {topic: t for t, topic in enumerate(run.topics)}
    run_topic = np.array([places.get(topic, -1) for topic in qrels.topics], np.int32)
    answered = run_topic >= 0
    retrieved = np.where(answered, np.diff(run.offsets)[run_topic], 0)
    joined = _join_compiled if kernels else _join_plain
    offsets, rank, document, first, last = joined(run, qrels, run_topic)
    known = set(qrels.topics)
    strangers = tuple(topic for topic in run.topics if topic not in known)
    return RunHits(
        offsets, rank, document, first, last, retrieved, answered, strangers, run.longer_lines, reading
    )


_TIE_ENDS = ("tie_first", "tie_last")
_Joined = tuple[
    NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]
]


def _join_compiled(run: Run, qrels: Qrels, run_topic: NDArray[np.int32]) -> _Joined:
    most = min(len(run), len(qrels))
    offsets = np.empty(len(qrels.topics) + 1, np.int64)
    rank, document = np.empty(most, np.int32), np.empty(most, np.int32)
    first, last = np.empty(most, np.int32), np.empty(most, np.int32)
    starts, slots = qrels.tables
    count = compiled.kernel("join_run")(
        run.documents.buffer, len(qrels.topics), run_topic, run.offsets, run.order,
        run.documents.starts, run.documents.lengths, run.documents.hashes(), run.keys, run.sorting != "file",
        qrels.documents.buffer, qrels.documents.starts, qrels.documents.lengths, qrels.documents.hashes(),
        starts, slots, offsets, rank, document, first, last,
    )  # fmt: skip
    return offsets, rank[:count].copy(), document[:count].copy(), first[:count].copy(), last[:count].copy()


def _join_plain(run: Run, qrels: Qrels, run_topic: NDArray[np.int32]) -> _Joined:
    names, keys = run.documents.as_bytes(), run.keys.tolist()
    offsets, rank, document, first, last = [0], [], [], [], []
    for topic, t in zip(qrels.topics, run_topic.tolist(), strict=True):
        if t >= 0:
            judged = qrels.lookup[topic]
            lines = run.order[run.offsets[t] : run.offsets[t + 1]].tolist()
            for place, line in enumerate(lines):
                hit = judged.get(names[line])
                if hit is None:
                    continue
                low = high = place
                if run.sorting != "file":
                    while low > 0 and keys[lines[low - 1]] == keys[line]:
                        low -= 1
                    while high + 1 < len(lines) and keys[lines[high + 1]] == keys[line]:
                        high += 1
                rank.append(place + 1)
                document.append(hit)
                first.append(low + 1)
                last.append(high + 1)
        offsets.append(len(rank))
    flat = (np.array(column, np.int32) for column in (rank, document, first, last))
    return np.array(offsets, np.int64), *flat  # type: ignore[return-value]


def together(parts: Sequence[RunHits], qrels: Qrels, *, with_ties: bool = True) -> Hits:
    """The hits of several runs as rows of one Hits: all topics of the first run, then of the second, and so on."""
    topics = len(qrels.topics)
    starts = np.cumsum([0] + [len(part.rank) for part in parts])
    offsets = np.concatenate(
        [part.offsets[:-1] + start for part, start in zip(parts, starts, strict=False)] + [starts[-1:]]
    )
    document = np.concatenate([part.document for part in parts]).astype(np.int64)
    grades = qrels.grades.astype(np.int64)
    rank = np.concatenate([part.rank for part in parts]).astype(np.int64)
    ties = [rank, rank]
    if with_ties:
        ties = [np.concatenate([getattr(part, end) for part in parts]).astype(np.int64) for end in _TIE_ENDS]
    return Hits(
        offsets=offsets,
        rank=rank,
        grade=grades[document],
        document=document,
        retrieved=np.concatenate([part.retrieved for part in parts]),
        judged=Judged(qrels.offsets, grades),
        topic=np.tile(np.arange(topics), len(parts)),
        tie_first=ties[0],
        tie_last=ties[1],
        qrels=qrels,
        reading=_readings([part.reading for part in parts]),
    )


def _readings(readings: Sequence[Reading | None]) -> Reading | None:
    present = [reading for reading in readings if reading is not None]
    if len(present) < len(readings):
        return None
    starts = np.cumsum([0] + [int(reading.offsets[-1]) for reading in present])
    shifted = [reading.offsets[:-1] + start for reading, start in zip(present, starts, strict=False)]

    def whole(name: str) -> NDArray[np.float64] | None:
        columns = [getattr(reading, name) for reading in present]
        return None if any(column is None for column in columns) else np.concatenate(columns)

    iterations = whole("iterations")
    return Reading(
        np.concatenate([*shifted, starts[-1:]]),
        whole("words"),
        whole("seconds"),
        None if iterations is None else iterations.astype(np.int64),
    )


def reading_of(
    run: Run,
    qrels: Qrels,
    needs: frozenset[str],
    lengths: Mapping[bytes, float] | None,
    seconds: NDArray[np.float64] | None,
) -> Reading:
    """Words, seconds and iterations of every document of the run, in the order of reading."""
    places = {topic: t for t, topic in enumerate(run.topics)}
    slices = [
        run.order[run.offsets[t] : run.offsets[t + 1]] if t >= 0 else np.empty(0, np.int32)
        for t in (places.get(topic, -1) for topic in qrels.topics)
    ]
    offsets = np.concatenate([[0], np.cumsum([len(lines) for lines in slices])]).astype(np.int64)
    lines = np.concatenate(slices) if slices else np.empty(0, np.int32)
    iterations = None
    if "iterations" in needs:
        iterations = _numbers(run, run.column(1, 6), "iteration")[lines].astype(np.int64)
    return Reading(
        offsets,
        _words(run, lengths)[lines] if "words" in needs else None,
        seconds[lines] if seconds is not None else None,
        iterations,
    )


def _words(run: Run, lengths: Mapping[bytes, float] | None) -> NDArray[np.float64]:
    if lengths is None:
        # The authors of the Cube Test wrote a document's length behind the tag.
        if run.longer_lines == len(run) and run.text is not None:
            return _numbers(run, run.column(6, 7), "length")
        raise MeasureError("this measure counts the words read: give --lengths FILE (document, words)")
    words = np.empty(len(run))
    for line, document in enumerate(run.documents.as_bytes()):
        count = lengths.get(document)
        if count is None:
            raise MeasureError(f"the lengths lack document {shown(document)} of run {run.name}")
        words[line] = count
    return words


def _numbers(run: Run, column: Ids, what: str) -> NDArray[np.float64]:
    values = np.empty(len(column))
    for line, field in enumerate(column.as_bytes()):
        number = number_of(field)
        if number is None or math.isnan(number):
            raise InputError(run.name, f"{what} {shown(field)} is not a number")
        values[line] = number
    return values


def length_table(lengths: Mapping[str, float]) -> dict[bytes, float]:
    return {encode_id(str(document)): float(words) for document, words in lengths.items()}
