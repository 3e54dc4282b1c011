"""Passages: judgements of parts of documents, and runs whose results are parts of documents.

A passage is a document, where it begins and how long it is, counted in characters from 0 (or in bytes, if judgements
and runs both do). Two forms are in use for each:

    judgements   INEX          topic 0 document characters size best-entry offset:length offset:length ...
                 Genomics      topic document offset length [aspects]
    runs         INEX          topic Q0 document rank score tag offset length
                 Genomics      topic document rank score offset length tag

A line of the first form without `offset:length` is a document that was judged and has nothing relevant; the numbers
between its document and its passages are not read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import InputError
from leadline.records.other_packages import Order
from leadline.records.runs import Run
from leadline.text.fields import decode_id, is_skipped, number_of, shown
from leadline.text.source import SourceText

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

Span = tuple[int, int]  # where it begins, and where the next character is
MOST_CHARACTERS = 10**12
_SPAN = re.compile(rb"(\d+):(\d+)")
_FORMS = "topic 0 document ... offset:length ..., or topic document offset length"
_RUN_FORMS = "topic Q0 document rank score tag offset length, or topic document rank score offset length tag"


@dataclass(frozen=True)
class Extents:
    """The relevant characters of each judged document, as spans that neither overlap nor touch, in their order."""

    offsets: Integers  # of each judged document: its spans
    start: Integers
    end: Integers

    @classmethod
    def of(cls, spans: Sequence[Iterable[Span]]) -> Extents:
        """The extents of documents from the spans marked in each, which may overlap."""
        joined = [joined_spans(each) for each in spans]
        flat = [span for each in joined for span in each]
        table = np.array(flat, np.int64).reshape(-1, 2)
        return cls(np.cumsum([0, *map(len, joined)]).astype(np.int64), table[:, 0].copy(), table[:, 1].copy())

    def spans(self, document: int) -> list[Span]:
        """The spans of the judged document at this place."""
        first, last = self.offsets[document : document + 2].tolist()
        return list(zip(self.start[first:last].tolist(), self.end[first:last].tolist(), strict=True))

    @property
    def sizes(self) -> Integers:
        """How many relevant characters each judged document has."""
        counted = np.concatenate([[0], np.cumsum(self.end - self.start)])
        return np.asarray(counted[self.offsets[1:]] - counted[self.offsets[:-1]], np.int64)

    def where(self, documents: NDArray[np.bool_]) -> Extents:
        """The extents of some of the documents."""
        counts = np.diff(self.offsets)
        kept = np.repeat(documents, counts)
        return Extents(np.concatenate([[0], np.cumsum(counts[documents])]), self.start[kept], self.end[kept])


def joined_spans(spans: Iterable[Span]) -> list[Span]:
    """The same characters as spans that neither overlap nor touch.

    >>> joined_spans([(10, 20), (0, 5), (15, 30), (30, 31)])
    [(0, 5), (10, 31)]
    """
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def without(span: Span, taken: Sequence[Span]) -> list[Span]:
    """What is left of a span without others, which are in order and do not overlap.

    >>> without((0, 30), [(5, 10), (20, 40)])
    [(0, 5), (10, 20)]
    """
    left, at = [], span[0]
    for start, end in taken:
        if end > at and start < span[1]:
            if start > at:
                left.append((at, start))
            at = end
    return [*left, (at, span[1])] if at < span[1] else left


def are_extents(line: bytes) -> bool:
    """Whether a line of judgements has passages in INEX's form."""
    return any(_SPAN.fullmatch(field) for field in line.split()[3:])


def extents_of_text(text: SourceText) -> list[tuple[bytes, bytes, list[Span]]]:
    """Topic, document and the spans marked in it, for every line of judgements of passages."""
    lines = [(number, line) for number, line in enumerate(text.bytes().split(b"\n"), start=1) if not is_skipped(line)]
    if not lines:
        raise InputError(text.name, "is empty")
    inex = any(are_extents(line) for _, line in lines)
    found: list[tuple[bytes, bytes, list[Span]]] = []
    seen: dict[tuple[bytes, bytes], int] = {}
    for number, line in lines:
        fields = line.split()
        line_number = text.file_line(number)
        if inex:
            if len(fields) < 4:
                raise InputError(text.name, f"{len(fields)} fields, expected {_FORMS}", line=line_number)
            topic, document, marked = fields[0], fields[2], [_SPAN.fullmatch(field) for field in fields[3:]]
            spans = [(int(each[1]), int(each[2])) for each in marked if each]
            if (topic, document) in seen:
                first = seen[topic, document]
                problem = f"document {shown(document)} is judged twice for topic {shown(topic)} (first on line {first})"
                raise InputError(text.name, problem, line=line_number)
            seen[topic, document] = line_number
        else:
            if len(fields) < 4 or not (fields[2].isdigit() and fields[3].isdigit()):
                raise InputError(text.name, f"not a judged passage: expected {_FORMS}", line=line_number)
            topic, document, spans = fields[0], fields[1], [(int(fields[2]), int(fields[3]))]
        for start, length in spans:
            if not length or start + length > MOST_CHARACTERS:
                problem = f"a passage of {length} characters from {start} on"
                raise InputError(text.name, problem, line=line_number)
        found.append((topic, document, [(start, start + length) for start, length in spans]))
    return found


@dataclass(frozen=True)
class PassageRun:
    """A run of passages: its passages in the order of reading, and the run of their documents.

    A document stands in the run where its first passage stands.
    """

    run: Run
    offsets: Integers  # of each topic of the run: its passages
    documents: list[bytes]
    start: Integers
    end: Integers


def is_passage_run(text: SourceText) -> bool:
    """Whether the first line of a run names a passage, and not a document."""
    for line in text.bytes().split(b"\n", 200)[:200]:
        if not is_skipped(line):
            return _places(line.split()) is not None
    return False


def _places(fields: list[bytes]) -> tuple[int, int, int, int, int] | None:
    """Where a line has document, rank, score, offset and length."""
    if len(fields) == 8 and fields[6].isdigit() and fields[7].isdigit():
        return 2, 3, 4, 6, 7
    if len(fields) == 7 and fields[4].isdigit() and fields[5].isdigit():
        return 1, 2, 3, 4, 5
    return None


def passages_of_text(text: SourceText, name: str, order: Order = "score") -> PassageRun:
    """A run of passages from its text. Equal scores are in the order of documents, high first, then of lines."""
    by_topic: dict[bytes, list[tuple[float, bytes, int, int]]] = {}
    seen: dict[tuple[bytes, bytes, int, int], int] = {}
    for number, line in enumerate(text.bytes().split(b"\n"), start=1):
        if is_skipped(line):
            continue
        fields = line.split()
        places = _places(fields)
        if places is None:
            problem = f"not a passage: {len(fields)} fields, expected {_RUN_FORMS}"
            raise InputError(text.name, problem, line=text.file_line(number))
        document, start, length = fields[places[0]], int(fields[places[3]]), int(fields[places[4]])
        if not length or start + length > MOST_CHARACTERS:
            problem = f"a passage of {length} characters from {start} on; a passage has at least one"
            raise InputError(text.name, problem, line=text.file_line(number))
        first = seen.setdefault((fields[0], document, start, length), number)
        if first != number:
            problem = f"the same passage of {shown(document)} again (first on line {text.file_line(first)})"
            raise InputError(text.name, problem, line=text.file_line(number))
        key = 0.0
        if order != "file":
            field = fields[places[1 if order == "rank" else 2]]
            value = number_of(field)
            if value is None or math.isnan(value):
                problem = f"{'rank' if order == 'rank' else 'score'} {shown(field)} is not a number"
                raise InputError(text.name, problem, line=text.file_line(number))
            key = -value if order == "rank" else value
        by_topic.setdefault(fields[0], []).append((key, document, start, start + length))
    if not by_topic:
        raise InputError(text.name, "is empty")
    topics, documents, keys, offsets = list[str](), list[str](), list[float](), [0]
    passages: list[tuple[float, bytes, int, int]] = []
    for topic, lines in by_topic.items():
        listed = lines
        if order == "score":
            listed = sorted(lines, key=lambda each: each[:2], reverse=True)  # of equal ones the first line stays first
        elif order == "rank":
            listed = sorted(lines, key=lambda each: -each[0])
        known: set[bytes] = set()
        for key, document, _, _ in listed:
            if document not in known:
                known.add(document)
                topics.append(decode_id(topic))
                documents.append(decode_id(document))
                keys.append(key)
        passages += listed
        offsets.append(len(passages))
    run = Run.from_columns(topics, documents, keys, name, order=order)
    spans = np.array([each[2:] for each in passages], np.int64)
    names = [each[1] for each in passages]
    return PassageRun(run, np.array(offsets), names, spans[:, 0].copy(), spans[:, 1].copy())
