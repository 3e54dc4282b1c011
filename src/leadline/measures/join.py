"""The one place where runs meet judgements, joined into Hits, and how well they fit together."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import InputError, MeasureError, MismatchError
from leadline.measures.definition import Measure
from leadline.measures.hits import AGAIN, Characters, Hits, Judged, Reading, characters_together
from leadline.measures.kernel_arguments import HitColumns, JudgedDocuments, JudgedTopics, TopicHits
from leadline.records.kernel_arguments import LineOrder, RunLines
from leadline.records.other_packages import Order
from leadline.records.qrels import Qrels
from leadline.records.result import counted
from leadline.records.runs import SORTING, Run, arrays_for, check_ends_of_lines, run_of_text
from leadline.text import sheet
from leadline.text.engine import Kernel, compiled_job
from leadline.text.fields import SEED, Ids, encode_id, number_of, shown, table_size
from leadline.text.memory import NEW_ARRAYS, NewArrays
from leadline.text.source import SourceText

if TYPE_CHECKING:
    from numpy.typing import NDArray

    _Joined = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]


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
    copies: Sequence[NDArray[np.int64]] = ()  # with groups of duplicates: the ranks of later copies, by topic
    characters: Characters | None = None  # of a run of passages


def join(run: Run, qrels: Qrels, *, kernels: bool, reading: Reading | None = None) -> RunHits:
    """The judged documents of a run with their ranks."""
    places = {topic: t for t, topic in enumerate(run.topics)}
    run_topic = np.array([places.get(topic, -1) for topic in qrels.topics], np.int32)
    answered = run_topic >= 0
    retrieved = np.where(answered, np.diff(run.offsets)[run_topic], 0)
    offsets, rank, document, first, last = _join.version(kernels)(run, qrels, run_topic)
    known = set(qrels.topics)
    strangers = tuple(topic for topic in run.topics if topic not in known)
    # A reading that found lengths behind the tag, or what follows in another layout, has been read.
    longer = run.longer_lines if reading is None else 0
    return RunHits(offsets, rank, document, first, last, retrieved, answered, strangers, longer, reading)


MOST_TOPICS = 50_000  # in a run that is joined in one pass
_TIE_ENDS = ("tie_first", "tie_last")


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


def _judged_documents(qrels: Qrels) -> JudgedDocuments:
    starts, slots, judged = qrels.tables
    return JudgedDocuments(judged.buffer, judged.starts, judged.lengths, judged.hashes(), starts, slots)


@compiled_job("leadline.measures.kernels.join_run", plain=_join_plain)
def _join(kernel: Kernel, run: Run, qrels: Qrels, run_topic: NDArray[np.int32]) -> _Joined:
    most = min(len(run), len(qrels))
    offsets = np.empty(len(qrels.topics) + 1, np.int64)
    hits = HitColumns(*(np.empty(most, np.int32) for _ in HitColumns._fields))
    ids = run.documents
    lines = RunLines(run.order, ids.starts, ids.lengths, ids.hashes(), run.keys)  # the topics are not needed
    count = kernel(
        ids.buffer,
        len(qrels.topics),
        run_topic,
        run.offsets,
        run.order,
        lines,
        run.sorting != "file",
        _judged_documents(qrels),
        offsets,
        hits,
    )
    return offsets, *(column[:count].copy() for column in hits)


def _join_text_plain(text: SourceText, name: str, qrels: Qrels, order: Order, memory: NewArrays) -> RunHits:
    return join(run_of_text(text, name, order=order, kernels=False, memory=memory), qrels, kernels=False)


@compiled_job("leadline.measures.kernels.join_text", plain=_join_text_plain)
def _join_text(kernel: Kernel, text: SourceText, name: str, qrels: Qrels, order: Order, memory: NewArrays) -> RunHits:
    hits = None
    if sheet.named_kind(text.name, text.buffer[text.begin : text.begin + 4096].tobytes()) is None:
        hits = _in_one_pass(kernel, text, qrels, order, memory)
    if hits is None:
        hits = join(run_of_text(text, name, order=order, kernels=True, memory=memory), qrels, kernels=True)
    return hits


def join_text(
    text: SourceText,
    name: str,
    qrels: Qrels,
    order: Order,
    *,
    kernels: bool | None = None,
    memory: NewArrays = NEW_ARRAYS,
) -> RunHits:
    """The hits of a run straight from its text: `join(run_of_text(...))`, with machine code in one pass."""
    return _join_text.version(pays(text.size()) if kernels is None else kernels)(text, name, qrels, order, memory)


def pays(size: int) -> bool:
    """Whether to use machine code for runs of so many bytes."""
    return _join_text.pays(size)


def expects(size: int) -> bool:
    """Whether to use machine code from the start for runs of so many bytes together; `pays` is asked for each later."""
    return _join_text.engine.expects(size)


def _in_one_pass(kernel: Kernel, text: SourceText, qrels: Qrels, order: Order, memory: NewArrays) -> RunHits | None:
    """None where topics are scattered over the file, a number needs Python, or the text is to be refused."""
    topics, lines = arrays_for(text, memory, most_topics=MOST_TOPICS)
    capacity = len(lines.keys)
    into = LineOrder(
        sequence=memory.take("order", capacity, np.int32),
        spare=memory.take("spare", capacity, np.int32),
        slots=memory.take("slots", table_size(capacity), np.int32),
    )
    state = np.array([text.begin, 0, 0, 0])
    names, name_slots = qrels.topic_table
    judged_topics = JudgedTopics(names.buffer, names.starts, names.lengths, name_slots, len(name_slots) - 1)
    count = len(qrels.topics)
    of_topics = TopicHits(
        start=np.full(count, -1), retrieved=np.zeros(count, np.int64), judged=np.empty(len(topics.starts), np.int32)
    )
    hits = HitColumns(*(memory.take(name, min(capacity, len(qrels)), np.int32) for name in HitColumns._fields))
    total = kernel(
        text.buffer,
        text.end,
        SEED,
        3 if order == "rank" else 4,
        -1 if order == "rank" else 1,
        SORTING[order],
        len(topics.starts) - 1,
        topics,
        lines,
        into,
        state,
        judged_topics,
        _judged_documents(qrels),
        of_topics,
        hits,
    )
    if total < 0 or state[1] == 0:
        return None
    in_run = of_topics.judged[: state[1]]
    strangers = Ids(text.buffer, topics.starts, topics.lengths).take(np.flatnonzero(in_run < 0)).names()
    offsets, place = _in_order_of_judgements(of_topics.start, in_run[in_run >= 0], total)
    rank, document, first, last = (column[:total].copy() if place is None else column[place] for column in hits)
    retrieved, answered, longer = of_topics.retrieved, of_topics.start >= 0, int(state[2])
    if longer:
        check_ends_of_lines(text)
    return RunHits(offsets, rank, document, first, last, retrieved, answered, tuple(strangers), longer)


def _in_order_of_judgements(
    hit_start: NDArray[np.int64], in_run: NDArray[np.int32], total: int
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Offsets of each topic's hits, and where each hit is found, when `hit_start` says where a topic's hits start.

    `in_run` are the topics in the order of the run: a topic without hits starts where the next one does, so that the
    starts alone do not tell which of them has the hits. None where they are found in order, as they mostly are.
    """
    counts = np.zeros(len(hit_start), np.int64)
    counts[in_run] = np.diff(np.append(hit_start[in_run], total))
    offsets = np.concatenate([[0], np.cumsum(counts)])
    if (np.diff(in_run) > 0).all():
        return offsets, None
    return offsets, np.arange(total) - np.repeat(offsets[:-1], counts) + np.repeat(hit_start, counts)


def together(parts: Sequence[RunHits], qrels: Qrels, *, judged: Judged | None = None, with_ties: bool = True) -> Hits:
    """The hits of several runs as rows of one Hits: all topics of the first run, then of the second, and so on."""
    topics = len(qrels.topics)
    starts = np.cumsum([0] + [len(part.rank) for part in parts])
    offsets = np.concatenate(
        [part.offsets[:-1] + start for part, start in zip(parts, starts, strict=False)] + [starts[-1:]]
    )
    document = np.concatenate([part.document for part in parts]).astype(np.int64)
    judged = judged or Judged.of(qrels)
    rank = np.concatenate([part.rank for part in parts]).astype(np.int64)
    ties = [rank, rank]
    if with_ties:
        ties = [np.concatenate([getattr(part, end) for part in parts]).astype(np.int64) for end in _TIE_ENDS]
    return Hits(
        offsets=offsets,
        rank=rank,
        grade=judged.grades[document],
        document=document,
        retrieved=np.concatenate([part.retrieved for part in parts]),
        judged=judged,
        topic=np.tile(np.arange(topics), len(parts)),
        tie_first=ties[0],
        tie_last=ties[1],
        qrels=qrels,
        reading=_readings([part.reading for part in parts]),
        characters=characters_together([part.characters for part in parts]),
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
        raise MeasureError(
            "a measure of reading time needs document lengths: give --lengths FILE (document, words), which"
            " `leadline collection lengths DIR -o FILE` writes"
        )
    words = np.empty(len(run))
    for line, document in enumerate(run.documents.as_bytes()):
        count = lengths.get(document.partition(encode_id(AGAIN))[0])
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


# How well runs and judgements fit together; whatever is left out of a score is reported.


MANY_LENGTHS = 3  # of lists, beyond which one line says it for all
SHOWN = 8  # names in a list before "and 3 more"


@dataclass(frozen=True)
class Summary:
    """Which judged topics one run answers."""

    answered: NDArray[np.bool_]  # by topic of the judgements
    hits: int
    unjudged_topics: tuple[str, ...]  # topics of the run that are not judged
    longer_lines: int
    longest: int  # documents in the longest list

    @classmethod
    def of(cls, part: RunHits) -> Summary:
        longest = int(part.retrieved.max(initial=0))
        return cls(part.answered, len(part.rank), part.unjudged_topics, part.longer_lines, longest)


@dataclass(frozen=True)
class Alignment:
    """Which judged topics every run answers."""

    runs: Sequence[str]
    qrels: Qrels
    summaries: Sequence[Summary]
    measures: Sequence[Measure] = ()
    missing_are: str = "scored 0"  # how topics missing from a run are treated

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Run × topic."""
        return np.stack([summary.answered for summary in self.summaries])

    def check(self) -> None:
        """Raise an error for a run that shares no topic or document with the judgements, and for a mean of nothing."""
        wanted = min((measure.level for measure in self.measures if not measure.definition.counts), default=0)
        largest = int(self.qrels.grades.max(initial=0))
        if wanted > largest:
            known = f"the largest grade is {largest}" if largest > 0 else "judge some documents first"
            raise MismatchError(
                f"{self.qrels.name}: no document has grade {wanted} or more, so no topic has a score; {known}"
            )
        for run, summary in zip(self.runs, self.summaries, strict=True):
            if not summary.answered.any():
                theirs, ours = summary.unjudged_topics, self.qrels.topics
                raise MismatchError(
                    f"{run} and {self.qrels.name} have no topic in common: the run has {', '.join(theirs[:3])}, "
                    f"the judgements have {', '.join(ours[:3])}; {_likely_cause(theirs, ours)}"
                )
            if summary.hits == 0:
                example = self.qrels.documents[0]
                accents = "" if example.isascii() else ", with accented letters as one character (NFC) or two (NFD)"
                raise MismatchError(
                    f"{run} and {self.qrels.name} share {counted(int(summary.answered.sum()), 'topic')} but not one "
                    f"document: the judgements have ids such as {example!r}; check that both use the same ids{accents}"
                )

    def notes(self) -> list[str]:
        """Return sentences for the reader: topics answered, missing, unknown, without a relevant document."""
        notes: dict[str, list[str]] = {}
        topics = self.qrels.topics
        scored = self.missing_are == "scored 0"
        empty = self._without_relevant(1) if scored else []
        for run, summary in zip(self.runs, self.summaries, strict=True):
            count = int(summary.answered.sum())
            text = f"{count} of {len(topics)} topic{'s' * (len(topics) != 1)}"
            if count < len(topics):
                missing = [topics[t] for t in np.flatnonzero(~summary.answered) if topics[t] not in empty]
                text += f"; missing {listed(missing)} ({self.missing_are})" if missing else ""
            if summary.unjudged_topics:
                text += f"; not judged and left out: {listed(summary.unjudged_topics)}"
                missing = [topics[t] for t in np.flatnonzero(~summary.answered)]
                cause = _difference(summary.unjudged_topics, missing)
                text += f" (some {cause} from those missing)" if cause else ""
            if summary.longer_lines:
                text += f"; {counted(summary.longer_lines, 'line')} with words after the tag, which are not read"
            notes.setdefault(text, []).append(run)
        lines = [text if len(runs) == len(self.runs) else f"{listed(runs, 4)}: {text}" for text, runs in notes.items()]
        if empty:
            topics_word = "topic" if len(empty) == 1 else "topics"
            lines.append(f"{len(empty)} {topics_word} with nothing relevant, left out of means: {listed(empty)}")
        for level in self._levels() if scored else ():
            below = [topic for topic in self._without_relevant(level) if topic not in empty]
            if below:
                number = f"{len(below)} topic{'s' * (len(below) != 1)}"
                lines.append(f"{number} with nothing of grade {level} or more, left out of means: {listed(below)}")
        if self.qrels.kind == "drawn":
            lines += self._estimated()
        return [*lines, *self._short_lists()]

    def _estimated(self) -> list[str]:
        """Which measures are estimated, and from how many judgements."""
        names = dict.fromkeys(each.text for each in self.measures if each.definition.estimated is not None)
        return [f"{', '.join(names)}: {estimated_from(self.qrels)}, drawn with known probabilities"] if names else []

    def _levels(self) -> list[int]:
        """The smallest relevant grades that measures ask for, above 1."""
        return sorted({measure.level for measure in self.measures if not measure.definition.counts} - {0, 1})

    def _without_relevant(self, level: int) -> list[str]:
        found = np.bincount(self.qrels.topic_of_document[self.qrels.grades >= level], minlength=len(self.qrels.topics))
        return [topic for topic, count in zip(self.qrels.topics, found.tolist(), strict=True) if count == 0]

    def _short_lists(self) -> list[str]:
        """Notes on runs whose lists all end before the effort of a measure."""
        efforts = {measure.cutoff: measure.text for measure in reversed(self.measures) if measure.cutoff}
        if not efforts:
            return []
        deepest = max(efforts)
        by_length: dict[int, list[str]] = {}
        for run, summary in zip(self.runs, self.summaries, strict=True):
            if summary.longest < deepest:
                by_length.setdefault(summary.longest, []).append(run)
        if len(by_length) > MANY_LENGTHS:
            count = sum(map(len, by_length.values()))
            least, most = min(by_length), max(by_length)
            return [
                f"{count} runs have lists shorter than the effort of {efforts[deepest]}: at most "
                f"{counted(least, 'document')} in {listed(by_length[least], 2)}, up to {most} in "
                f"{listed(by_length[most], 2)}"
            ]
        return [
            f"{'all runs' if len(runs) == len(self.runs) else listed(runs, 4)}: lists of at most "
            f"{counted(longest, 'document')}, shorter than the effort of {efforts[deepest]}"
            for longest, runs in by_length.items()
        ]


def estimated_from(qrels: Qrels) -> str:
    """`estimated from 100 judged a topic`, with the range where topics differ.

    >>> qrels = Qrels.from_columns(["7"] * 3, list("abc"), [1, 0, -1], probabilities=[1, 1, 0.5], expected=[1, 0, 0.5])
    >>> estimated_from(qrels)
    'estimated from 2 judged a topic'
    """
    counts = np.bincount(qrels.topic_of_document[qrels.grades >= 0], minlength=len(qrels.topics))
    least, most = int(counts.min()), int(counts.max())
    return f"estimated from {f'{least} to ' * (least < most)}{most} judged a topic"


def listed(names: Sequence[str], most: int = SHOWN) -> str:
    """Return names for a sentence, cut when there are many.

    >>> listed(["12", "31"]), listed(list("abcde"), 3)
    ('12, 31', 'a, b, c and 2 more')
    """
    text = ", ".join(names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most} more"


def _likely_cause(theirs: Sequence[str], ours: Sequence[str]) -> str:
    """The likeliest cause of two sets of topics without a common one."""
    if cause := _difference(theirs, ours):
        return f"they {cause}"
    ends = set(ours)
    prefixes = {name[: -len(end)] for name in theirs for end in _ends(name) & ends}
    starts = set(theirs)
    prefixes |= {name[: -len(end)] for name in ours for end in _ends(name) & starts}
    if len(prefixes) == 1:
        return f"one side has {min(prefixes)!r} before the topic"
    return "are the judgements of another year or collection?"


def _ends(name: str) -> set[str]:
    """The ends of a name after something that is not a digit: `CLEF-501` ends in 501, and 401 not in 1."""
    return {name[place:] for place in range(1, len(name)) if not name[place - 1].isdigit()}


def _difference(theirs: Sequence[str], ours: Sequence[str]) -> str:
    """In what some names of two sets differ, if they are the same otherwise."""
    for change, words in _CHANGES:
        if {change(name) for name in theirs} & {change(name) for name in ours}:
            return f"differ {words}"
    return ""


def _normal_form(name: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFC", name)


_CHANGES: tuple[tuple[Callable[[str], str], str], ...] = (
    (lambda name: name.lstrip("0"), "in leading zeros"),
    (str.lower, "in upper and lower case"),
    (_normal_form, "in how accented letters are written: one character (NFC) or two (NFD)"),
)
