"""Judgements: for each topic the judged documents and their grades, from files in each of the formats in use."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from leadline.errors import InputError, nearest, not_a_choice
from leadline.records.other_packages import LARGEST_GRADE, Format, data_frames, is_handle, rows_of
from leadline.records.result import MOST_ROWS, Result, Table, counted
from leadline.text import sheet
from leadline.text.fields import (
    Coded,
    FieldTable,
    Ids,
    decode_id,
    encode_id,
    hash_tables,
    number_of,
    read_fields,
    shown,
)
from leadline.text.files import write_whole
from leadline.text.source import SourceText, read_text

if TYPE_CHECKING:
    import pandas
    import polars
    from numpy.typing import NDArray

    from leadline.records.other_packages import OtherQrels
    from leadline.records.passages import Extents

# Judgements by subtopic, and some of them.


@dataclass(frozen=True)
class Subtopics:
    """Judgements by subtopic: which document is relevant to which subtopic, and its grade.

    Subtopics are numbered over all topics; those of topic t are `offsets[t]` to `offsets[t + 1]`, in the natural
    order of their names. Rows are sorted by document, then subtopic; passages of one document are rows of their own.
    """

    names: tuple[str, ...]
    offsets: NDArray[np.int64]
    weights: NDArray[np.float64] | None  # a fifth column, not normalised
    document: NDArray[np.int64]  # of each row: its place in Qrels.documents
    subtopic: NDArray[np.int64]
    grade: NDArray[np.int32]
    largest_of_all: int | None = None  # the largest grade of the file, where these are some of its topics

    @property
    def largest(self) -> int:
        """The largest grade, at least 1."""
        return self.largest_of_all or max(1, int(self.grade.max(initial=1)))


def kept_subtopics(subtopics: Subtopics, keep: NDArray[np.bool_], documents: NDArray[np.bool_]) -> Subtopics:
    """The judgements of the topics and documents to keep, numbered anew."""
    counts = np.diff(subtopics.offsets)
    names = np.repeat(keep, counts)
    rows = documents[subtopics.document]
    new_document, new_subtopic = np.cumsum(documents) - 1, np.cumsum(names) - 1
    return Subtopics(
        tuple(name for name, kept in zip(subtopics.names, names.tolist(), strict=True) if kept),
        np.concatenate([[0], np.cumsum(counts[keep])]).astype(np.int64),
        None if subtopics.weights is None else subtopics.weights[names],
        new_document[subtopics.document[rows]],
        new_subtopic[subtopics.subtopic[rows]],
        subtopics.grade[rows],
        subtopics.largest,
    )


Kind = Literal["plain", "strata", "subtopics", "prels", "passages", "drawn", "characters"]


@dataclass(frozen=True, repr=False)
class Qrels(Result):
    """Judgements: grade 1 and up relevant, 0 not relevant, below 0 in the pool but not judged.

    >>> qrels = Qrels.of({"7": {"d1": 2, "d2": 0}, "8": {"d9": 1}})
    >>> qrels
    <Qrels qrels: 2 topics, 3 judgements, 2 relevant>
    >>> qrels.topics, qrels.grades.tolist(), len(qrels)
    (('7', '8'), [2, 0, 1], 3)
    """

    name: str
    topics: tuple[str, ...]
    offsets: NDArray[np.int64]
    documents: Ids
    grades: NDArray[np.int32]  # where judged by subtopic, a document's largest
    kind: Kind = "plain"
    strata: NDArray[np.int32] | None = None
    probabilities: NDArray[np.float64] | None = None
    subtopics: Subtopics | None = None
    expected: NDArray[np.float64] | None = None  # the probability of relevance that a model expected: kind `drawn`
    extents: Extents | None = None  # the relevant characters of each document: kind `characters`

    @classmethod
    def of(cls, judgements: Qrels | OtherQrels, name: str = "qrels") -> Qrels:
        """Qrels from {topic: {document: grade}}, a data frame, ranx, or rows of ir_measures or ir_datasets.

        `name` is used where the object has no name of its own.
        """
        if isinstance(judgements, cls):
            return judgements
        from leadline.records.columns import judgement_columns

        return cls.from_columns(**judgement_columns(judgements, name)._asdict())

    @classmethod
    def from_columns(
        cls,
        topics: Sequence[str],
        documents: Sequence[str],
        grades: Sequence[int] | NDArray[np.int32],
        name: str = "qrels",
        *,
        subtopics: Sequence[str] | None = None,
        weights: Sequence[float] | None = None,
        strata: Sequence[str] | None = None,
        probabilities: Sequence[float] | None = None,
        expected: Sequence[float] | None = None,
    ) -> Qrels:
        """Qrels from columns of equal length."""
        if not len(topics):
            raise InputError(name, "is empty")
        values = np.asarray(grades)
        whole = values.dtype.kind in "iub" or (values.dtype.kind == "f" and bool((values == np.floor(values)).all()))
        if not whole or (len(values) and np.abs(values.astype(float)).max() > LARGEST_GRADE):
            raise InputError(name, "a grade is not a whole number of at most nine digits")
        builder = Builder(name, Coded.of(topics), Coded.of(documents), values.astype(np.int32))
        if strata is not None:
            return builder.strata(Coded.of(strata).codes)
        if probabilities is not None and expected is not None:
            for what, chances in (("probability", probabilities), ("expected probability", expected)):
                if not all(0 <= chance <= 1 for chance in chances) or (what == "probability" and 0 in chances):
                    raise InputError(name, f"a {what} is not between 0 and 1")
            return builder.drawn(np.asarray(probabilities, float), np.asarray(expected, float))
        if probabilities is not None:
            return builder.prels(np.asarray(probabilities, float))
        if subtopics is not None:
            return builder.by_subtopic(Coded.of(subtopics), None if weights is None else np.asarray(weights, float))
        return builder.plain()

    def __len__(self) -> int:
        return len(self.grades)

    def judgements(self, topic: str) -> dict[str, int]:
        """Return the judged documents of a topic with their grades."""
        if topic not in self.topics:
            raise InputError(self.name, f"no topic {topic!r} among {len(self.topics)}{nearest(topic, self.topics)}")
        return self._judged(self.topics.index(topic))

    def _judged(self, t: int) -> dict[str, int]:
        return {self.documents[i]: int(self.grades[i]) for i in range(self.offsets[t], self.offsets[t + 1])}

    def to_dict(self) -> dict[str, dict[str, int]]:
        """The judgements as {topic: {document: grade}}, which pytrec_eval, ranx and ir_measures take.

        Where judged by subtopic, a document has its largest grade.
        """
        return {topic: self._judged(t) for t, topic in enumerate(self.topics)}

    def _columns(self) -> dict[str, list[Any]]:
        topics, table = [self.topics[t] for t in self.topic_of_document.tolist()], self.subtopics
        if table is not None:
            columns = {
                "topic": [topics[row] for row in table.document.tolist()],
                "subtopic": [table.names[row] for row in table.subtopic.tolist()],
                "document": [self.documents[row] for row in table.document.tolist()],
                "grade": table.grade.tolist(),
            }
            return columns if table.weights is None else columns | {"weight": table.weights[table.subtopic].tolist()}
        columns = {
            "topic": topics,
            "document": [self.documents[row] for row in range(len(self))],
            "grade": self.grades.tolist(),
        }
        more = ("stratum", self.strata), ("probability", self.probabilities), ("expected", self.expected)
        for name, values in more:
            if values is not None:
                columns[name] = values.tolist()
        return columns

    def to_polars(self) -> polars.DataFrame:
        """The judgements as a Polars data frame: topic, document, grade, and what else they have, such as subtopic."""
        from leadline.records.columns import polars_frame

        return polars_frame(self._columns(), self.name)

    def to_pandas(self) -> pandas.DataFrame:
        """The same as a pandas data frame."""
        frame: pandas.DataFrame = data_frames("to_pandas").DataFrame(self._columns())
        return frame

    def to_ranx(self) -> Any:
        """The judgements as Qrels of ranx."""
        import ranx

        return ranx.Qrels(self.to_dict(), name=self.name)

    def to_ir_measures(self) -> list[Any]:
        """The judgements as rows of ir_measures; where judged by subtopic, the subtopic is the iteration."""
        import ir_measures

        columns = self._columns()
        labels = columns.get("subtopic", ["0"] * len(columns["topic"]))
        rows = zip(columns["topic"], columns["document"], columns["grade"], labels, strict=True)
        return [ir_measures.Qrel(*row) for row in rows]

    def _finding(self) -> str:
        relevant = int((self.grades >= 1).sum())
        sizes = f"{counted(len(self.topics), 'topic')}, {counted(len(self), 'judgement')}"
        return f"{self.name}: {sizes}, {relevant:,} relevant{'' if self.kind == 'plain' else f' ({self.kind})'}"

    def _shown_table(self) -> Table:
        """The first topics: how many documents are judged and relevant."""
        rows = []
        for t, topic in enumerate(self.topics[:MOST_ROWS]):
            grades = self.grades[self.offsets[t] : self.offsets[t + 1]]
            rows.append([topic, len(grades), int((grades >= 1).sum())])
        return Table(["topic", "judged", "relevant"], rows)

    def __str__(self) -> str:
        return f"{self._finding()}\n\n{super().__str__()}"

    @cached_property
    def topic_of_document(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self.topics)), np.diff(self.offsets))

    @cached_property
    def ideals(self) -> dict[Any, Any]:
        """A cache of ideal lists by their options: a study asks for the same ones many times."""
        return {}

    @cached_property
    def lookup(self) -> dict[str, dict[bytes, int]]:
        """The place of each judged document of a topic, for plain Python."""
        names = self.documents.as_bytes()
        places = self.offsets.tolist()
        return {topic: {names[i]: i for i in range(places[t], places[t + 1])} for t, topic in enumerate(self.topics)}

    @cached_property
    def tables(self) -> tuple[NDArray[np.int64], NDArray[np.int32], Ids]:
        """The same for the kernels: the start of each topic's hash table, all slots, and the documents."""
        documents = self.documents.compact()
        return *hash_tables(self.offsets, documents), documents

    @cached_property
    def topic_table(self) -> tuple[Ids, NDArray[np.int32]]:
        """The topics' names and a hash table of them, for the kernels."""
        names = Ids.of(self.topics)
        return names, hash_tables(np.array([0, len(names)]), names)[1]

    def restricted_to(self, topics: Sequence[str]) -> Qrels:
        """Return the judgements of some topics only; unknown names are ignored."""
        wanted = set(topics)
        keep = np.array([topic in wanted for topic in self.topics], bool)
        rows = keep[self.topic_of_document]
        offsets = np.concatenate([[0], np.cumsum(np.diff(self.offsets)[keep])]).astype(np.int64)
        return Qrels(
            self.name,
            tuple(topic for topic in self.topics if topic in wanted),
            offsets,
            self.documents.take(np.flatnonzero(rows)),
            self.grades[rows],
            self.kind,
            None if self.strata is None else self.strata[rows],
            None if self.probabilities is None else self.probabilities[rows],
            None if self.subtopics is None else kept_subtopics(self.subtopics, keep, rows),
            None if self.expected is None else self.expected[rows],
            None if self.extents is None else self.extents.where(rows),
        )

    def where(self, rows: NDArray[np.bool_]) -> Qrels:
        """Return only some of the judgements. Topics and subtopics stay listed, even where no judgement is left.

        >>> Qrels.of({"7": {"d1": 2, "d2": 0}, "8": {"d9": 1}}).where(np.array([True, False, False])).offsets
        array([0, 1, 1])
        """
        every_topic = np.ones(len(self.topics), bool)
        return replace(
            self,
            offsets=np.concatenate([[0], np.cumsum(rows)]).astype(np.int64)[self.offsets],
            documents=self.documents.take(np.flatnonzero(rows)),
            grades=self.grades[rows],
            strata=None if self.strata is None else self.strata[rows],
            probabilities=None if self.probabilities is None else self.probabilities[rows],
            subtopics=None if self.subtopics is None else kept_subtopics(self.subtopics, every_topic, rows),
            expected=None if self.expected is None else self.expected[rows],
            extents=None if self.extents is None else self.extents.where(rows),
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the judgements in TREC's format, completely or not at all.

        Judgements by subtopic have lines `topic subtopic document grade`, and the weight where there is one.
        """
        write_whole(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        lines = {
            "subtopics": self._subtopic_lines,
            "drawn": self._drawn_lines,
            "characters": self._passage_lines,
            "strata": self._strata_lines,
        }.get(self.kind, self._plain_lines)
        return b"".join(lines())

    def _passage_lines(self) -> Iterator[bytes]:
        assert self.extents is not None
        for i, t in enumerate(self.topic_of_document.tolist()):
            spans = [b" %d:%d" % (start, end - start) for start, end in self.extents.spans(i)]
            yield b"%s 0 %s 0%s\n" % (encode_id(self.topics[t]), self.documents.at(i), b"".join(spans))

    def _plain_lines(self) -> Iterator[bytes]:
        for t, topic in enumerate(self.topics):
            for i in range(self.offsets[t], self.offsets[t + 1]):
                yield b"%s 0 %s %d\n" % (encode_id(topic), self.documents.at(i), self.grades[i])

    def _strata_lines(self) -> Iterator[bytes]:
        assert self.strata is not None
        places = zip(self.topic_of_document.tolist(), self.strata.tolist(), self.grades.tolist(), strict=True)
        for i, (t, stratum, grade) in enumerate(places):
            yield b"%s 0 %s %d %d\n" % (encode_id(self.topics[t]), self.documents.at(i), stratum, grade)

    def _drawn_lines(self) -> Iterator[bytes]:
        assert self.probabilities is not None
        assert self.expected is not None
        values = zip(self.grades.tolist(), self.probabilities.tolist(), self.expected.tolist(), strict=True)
        topics = [encode_id(topic) for topic in self.topics]
        for i, (t, (grade, chance, expected)) in enumerate(zip(self.topic_of_document.tolist(), values, strict=True)):
            yield drawn_line(topics[t], self.documents.at(i), grade, chance, expected)

    def _subtopic_lines(self) -> Iterator[bytes]:
        table = self.subtopics
        assert table is not None
        topic_of = self.topic_of_document.tolist()
        # A weight keeps its decimal point, 1.0: a whole number could be read as the grade of a passage.
        weights = [b""] * len(table.names) if table.weights is None else [b" %r" % w for w in table.weights.tolist()]
        rows = zip(table.document.tolist(), table.subtopic.tolist(), table.grade.tolist(), strict=True)
        for document, subtopic, grade in rows:
            names = encode_id(self.topics[topic_of[document]]), encode_id(table.names[subtopic])
            yield b"%s %s %s %d%s\n" % (*names, self.documents.at(document), grade, weights[subtopic])


def drawn_line(topic: bytes, document: bytes, grade: int, probability: float, expected: float) -> bytes:
    r"""A line of judgements drawn with known probabilities, which are written so that they are read back the same.

    >>> drawn_line(b"7", b"EP-1", -1, 0.25, 0.0625)
    b'7 0 EP-1 -1 0.25 0.0625\n'
    """
    return b"%s 0 %s %d %r %r\n" % (topic, document, grade, probability, expected)


def natural(name: str) -> tuple[Any, ...]:
    """Return a sort key for names in natural order: 2 before 10.

    >>> sorted(["TS-10", "TS-2", "TS-1"], key=natural)
    ['TS-1', 'TS-2', 'TS-10']
    """
    return tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in re.split(r"(\d+)", name) if part)


class Builder:
    """Makes Qrels from lines of judgements in any order; a judgement given twice is an error."""

    def __init__(
        self,
        name: str,
        topics: Coded,
        documents: Coded,
        grades: NDArray[np.int32],
        line_number: Any = None,
    ) -> None:
        self.name, self.grades, self._line_number = name, grades, line_number
        self._documents = documents
        names = [topic.decode("utf-8", "surrogateescape") for topic in topics.names]
        rank = np.empty(len(names), np.int64)
        places = sorted(range(len(names)), key=lambda t: natural(names[t]))
        rank[places] = np.arange(len(names))
        self.topics = tuple(names[t] for t in places)
        self.topic = rank[topics.codes]
        pair = self.topic * len(documents) + documents.codes
        self.pairs, self.first, self.place = np.unique(pair, return_index=True, return_inverse=True)

    def _twice(self, key: NDArray[np.int64], what: str) -> None:
        """Raise an error for the first line whose key an earlier line has."""
        order = np.argsort(key, kind="stable")
        again = np.flatnonzero(key[order][1:] == key[order][:-1])
        if not len(again):
            return
        at = int(order[again + 1].argmin())
        line, earlier = int(order[again[at] + 1]), int(order[again[at]])
        document = shown(self._documents.ids.at(self._documents.codes[line]))
        problem = f"{what} {document} is judged twice for topic {self.topics[self.topic[line]]}"
        if self._line_number is None:
            raise InputError(self.name, problem)
        raise InputError(
            self.name,
            f"{problem} (first on line {self._line_number(earlier)}); keep one of the two",
            line=self._line_number(line),
        )

    def _qrels(self, kind: Kind, grades: NDArray[np.int32], **more: Any) -> Qrels:
        counts = np.bincount(self.topic[self.first], minlength=len(self.topics))
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        documents = self._documents.ids.take(self._documents.codes[self.first])
        return Qrels(self.name, self.topics, offsets, documents, grades, kind, **more)

    def plain(self) -> Qrels:
        self._twice(self.place.astype(np.int64), "document")
        return self._qrels("plain", self.grades[self.first])

    def strata(self, strata: NDArray[np.int32]) -> Qrels:
        self._twice(self.place.astype(np.int64), "document")
        return self._qrels("strata", self.grades[self.first], strata=strata[self.first])

    def prels(self, probabilities: NDArray[np.float64]) -> Qrels:
        self._twice(self.place.astype(np.int64), "document")
        return self._qrels("prels", self.grades[self.first], probabilities=probabilities[self.first])

    def drawn(self, probabilities: NDArray[np.float64], expected: NDArray[np.float64]) -> Qrels:
        self._twice(self.place.astype(np.int64), "document")
        more = {"probabilities": probabilities[self.first], "expected": expected[self.first]}
        return self._qrels("drawn", self.grades[self.first], **more)

    def by_subtopic(
        self,
        labels: Coded,
        weights: NDArray[np.float64] | None = None,
        *,
        passages: bool = False,
    ) -> Qrels:
        key = self.topic * len(labels) + labels.codes
        keys, first, subtopic = np.unique(key, return_index=True, return_inverse=True)
        if not passages:
            self._twice(self.place * len(keys) + subtopic, "document and subtopic of")
        names = [labels.names[code].decode("utf-8", "surrogateescape") for code in labels.codes[first].tolist()]
        owner = self.topic[first]
        places = sorted(range(len(names)), key=lambda s: (owner[s], natural(names[s])))
        rank = np.empty(len(names), np.int64)
        rank[places] = np.arange(len(names))
        given = None
        if weights is not None:
            differing = np.flatnonzero(weights != weights[first][subtopic])
            if len(differing):
                line = int(differing[0])
                raise InputError(
                    self.name,
                    f"subtopic {names[subtopic[line]]} of topic {self.topics[self.topic[line]]} has two weights",
                    line=None if self._line_number is None else self._line_number(line),
                )
            given = weights[first][places]
        row_order = np.lexsort((rank[subtopic], self.place))
        grades = np.full(len(self.pairs), -(2**30), np.int32)
        np.maximum.at(grades, self.place, self.grades)
        counts = np.bincount(owner, minlength=len(self.topics))
        table = Subtopics(
            tuple(names[s] for s in places),
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            given,
            self.place[row_order].astype(np.int64),
            rank[subtopic][row_order],
            self.grades[row_order],
        )
        return self._qrels("passages" if passages else "subtopics", grades, subtopics=table)


# Qrels from files in each of the formats in use.


MOST_GRADE = 999  # prels write -999 for no judgement; a larger number is that of a document
_COLUMNS = {
    "plain": "topic 0 document grade",
    "strata": "topic 0 document stratum grade",
    "subtopics": "topic subtopic document grade [weight]",
    "prels": "topic document grade method probability",
    "passages": "topic subtopic document passage grade",
    "drawn": "topic 0 document grade probability expected",
    "characters": "topic 0 document offset:length ..., or topic document offset length",
}


def read_qrels(source: str | os.PathLike[str], *, format: str | None = None) -> Qrels:
    """Read judgements from a file, or from a handle of ir_datasets.

    `format` may be left out where only one reading is possible.
    """
    if is_handle(source):
        return Qrels.of(rows_of(os.fspath(source), "qrels"), os.fspath(source))
    return qrels_of_text(read_text(source), format=format)


def qrels_of_text(text: SourceText, *, format: str | None = None) -> Qrels:
    """Read judgements from a text in memory."""
    if format is not None and format not in get_args(Format):
        raise not_a_choice("qrels format", format, get_args(Format))
    kind = sheet.named_kind(text.name, text.buffer[text.begin : text.begin + 4096].tobytes())
    if kind is not None:
        from leadline.records.columns import judgement_columns_of_frame

        return Qrels.from_columns(**judgement_columns_of_frame(sheet.frame_of_text(text, kind), text.name)._asdict())
    if format == "characters" or (format is None and _are_characters(text)):
        return _characters(text)
    fewest = 6 if format == "drawn" else 5 if format in ("strata", "prels", "passages") else 4
    table = read_fields(text, fewest, 7, lambda found: _wrong_count(found, format))
    if table.columns == 7:
        line = int(np.flatnonzero(table.ids[6].lengths)[0])
        raise table.error(line, _wrong_count(7, format))
    if table.columns == 6:
        if format == "drawn" or (format is None and _can_be_drawn(table)):
            return _drawn(table)
        line = int(np.flatnonzero(table.ids[5].lengths)[0])
        raise table.error(line, _wrong_count(6, format))
    if table.columns == 5 and not table.ids[4].lengths.all():
        line = int(np.flatnonzero(table.ids[4].lengths == 0)[0])
        raise table.error(line, "4 fields, but other lines have 5")
    if format == "plain" and table.columns == 5:
        raise table.error(0, _wrong_count(5, format))
    return _READERS[format or _guess(table)](table)


def _are_characters(text: SourceText) -> bool:
    """Whether judgements name passages as `offset:length`; ids of documents with a colon stand in the third field."""
    opening = text.buffer[text.begin : min(text.end, text.begin + 65536)].tobytes()
    if b":" not in opening:
        return False
    from leadline.records.passages import are_extents

    return any(are_extents(line) for line in opening.split(b"\n")[:-1] or [opening])


def _characters(text: SourceText) -> Qrels:
    from leadline.records.passages import Extents, extents_of_text

    marked: dict[tuple[bytes, bytes], list[tuple[int, int]]] = {}
    for topic, document, spans in extents_of_text(text):
        marked.setdefault((topic, document), []).extend(spans)
    topics, documents = (Coded.of([decode_id(key[part]) for key in marked]) for part in (0, 1))
    grades = np.array([int(bool(spans)) for spans in marked.values()], np.int32)
    builder = Builder(text.name, topics, documents, grades)
    plain, marks = builder.plain(), list(marked.values())
    return replace(plain, kind="characters", extents=Extents.of([marks[first] for first in builder.first.tolist()]))


def _wrong_count(found: int, format: str | None) -> str:
    expected = _COLUMNS[format or "plain"]
    counts = {"strata": "5", "prels": "5", "passages": "5", "drawn": "6", "subtopics": "4 or 5"}
    count = counts.get(format or "", "4")
    problem = f"{found} field{'s' * (found != 1)}, expected {count} ({expected})"
    like_a_run = found >= 6 and format != "drawn"
    return problem + "; this looks like a run, which comes after the judgements" if like_a_run else problem


def _guess(table: FieldTable) -> Format:
    """The format of a file, where only one reading is possible."""
    if table.columns == 4:
        labels = table.coded(1)
        if len(labels) == 1 or _once_a_topic(table, 2):
            return "plain"
        triples = table.coded(0).pair(table.coded(2)) * len(labels) + labels.codes
        # The same document twice with the same label is an error; `plain` has the better message for it.
        return "subtopics" if len(labels) > 1 and len(np.unique(triples)) == len(triples) else "plain"
    possible = [format for format, test in _FIVE_COLUMNS.items() if test(table)]
    if len(possible) == 1:
        return possible[0]
    raise InputError(
        table.text.name,
        "5 fields can be read in several ways; say which with --qrels-format "
        + ", ".join(f"{format} ({_COLUMNS[format]})" for format in (possible or _FIVE_COLUMNS)),
    )


def _numbers(table: FieldTable, column: int) -> list[float | None]:
    coded = table.coded(column)
    values = [number_of(name) for name in coded.names]
    return [values[code] for code in coded.codes.tolist()]


def _whole(table: FieldTable, column: int) -> bool:
    return all(name.lstrip(b"+-").isdigit() for name in table.coded(column).names)


def _grades(table: FieldTable, column: int) -> bool:
    """Whether a column may hold grades: whole numbers that are no document numbers."""
    return _whole(table, column) and all(abs(int(name)) <= MOST_GRADE for name in table.coded(column).names)


def _once_a_topic(table: FieldTable, column: int) -> bool:
    """Whether no value of a column occurs twice for a topic, as in a column of documents."""
    return len(np.unique(table.coded(0).pair(table.coded(column)))) == len(table)


def _can_be_strata(table: FieldTable) -> bool:
    return len(table.coded(1)) == 1 and _once_a_topic(table, 2) and _whole(table, 3) and _whole(table, 4)


def _can_be_weights(table: FieldTable) -> bool:
    labels, weights = table.coded(1), table.coded(4)
    if not _whole(table, 3) or not all((number_of(name) or -1) > 0 for name in weights.names):
        return False
    if len(labels) == 1 and _whole(table, 4):
        return False  # a weight that we write has a decimal point, also that of a single claim
    if _grades(table, 2) and _once_a_topic(table, 1):
        return False  # the second column names documents, the third their grades
    subtopics = table.coded(0).pair(labels)
    return len(np.unique(subtopics)) == len(np.unique(subtopics * len(weights) + weights.codes))


def _can_be_prels(table: FieldTable) -> bool:
    chances = [number_of(name) for name in table.coded(4).names if name.upper() != b"NA"]
    return (
        _once_a_topic(table, 1)
        and set(table.coded(3).names) <= {b"0", b"1", b"2"}
        and _grades(table, 2)
        and all(chance is not None and 0 <= chance <= 1 for chance in chances)
    )


def _can_be_drawn(table: FieldTable) -> bool:
    """Whether six columns are judgements drawn with known probabilities: those of a run are a rank and a score."""
    last = [number_of(name) for column in (4, 5) for name in table.coded(column).names]
    return (
        bool(table.ids[5].lengths.all())
        and len(table.coded(1)) == 1
        and _grades(table, 3)
        and all(number is not None and 0 <= number <= 1 for number in last)
    )


def _can_be_passages(table: FieldTable) -> bool:
    return len(table.coded(1)) > 1 and _whole(table, 4)


_FIVE_COLUMNS: dict[Format, Any] = {
    "strata": _can_be_strata,
    "subtopics": _can_be_weights,
    "prels": _can_be_prels,
    "passages": _can_be_passages,
}


def _plain(table: FieldTable) -> Qrels:
    builder = Builder(table.text.name, table.coded(0), table.coded(2), table.integers(3, "grade"), table.line_number)
    if len(table.coded(1)) > 1:
        # No document is judged twice, so the second column may name subtopics; measures that need them can use it.
        plain = builder.plain()
        by_subtopic = builder.by_subtopic(table.coded(1))
        return Qrels(
            plain.name,
            plain.topics,
            plain.offsets,
            plain.documents,
            plain.grades,
            "plain",
            subtopics=by_subtopic.subtopics,
        )
    return builder.plain()


def _strata(table: FieldTable) -> Qrels:
    grades, strata = table.integers(4, "grade"), table.integers(3, "stratum")
    return Builder(table.text.name, table.coded(0), table.coded(2), grades, table.line_number).strata(strata)


def _subtopics(table: FieldTable) -> Qrels:
    if table.columns == 5 and not _can_be_weights(table) and _can_be_passages(table):
        return _passages(table)
    grades = table.integers(3, "grade")
    weights = table.floats(4, "weight") if table.columns == 5 else None
    builder = Builder(table.text.name, table.coded(0), table.coded(2), grades, table.line_number)
    return builder.by_subtopic(table.coded(1), weights)


def _passages(table: FieldTable) -> Qrels:
    grades = table.integers(4, "grade")
    builder = Builder(table.text.name, table.coded(0), table.coded(2), grades, table.line_number)
    return builder.by_subtopic(table.coded(1), passages=True)


def _prels(table: FieldTable) -> Qrels:
    """Sampled judgements with the probability each document had of being sampled.

    As Northeastern's program reads them: only documents of method 1 were sampled, all others have probability 1;
    lines without a judgement (-999) or without a usable probability are left out.
    """
    grades = table.integers(2, "grade")
    chances = np.array([np.nan if value is None else value for value in _numbers(table, 4)])
    method = table.integers(3, "method")
    usable = (grades != -999) & (chances >= 0) & (chances <= 1)
    chances = np.where(method == 1, chances, 1.0)
    usable &= chances > 0
    if not usable.any():
        raise InputError(table.text.name, "no line has a judgement and a probability")
    lines = np.flatnonzero(usable)
    builder = Builder(
        table.text.name,
        table.coded(0).at(lines),
        table.coded(1).at(lines),
        grades[lines],
        lambda line: table.line_number(int(lines[line])),
    )
    return builder.prels(chances[lines])


def _drawn(table: FieldTable) -> Qrels:
    """Every document that could be drawn, with its grade if it was judged.

    Probabilities are those of being drawn, above 0 and at most 1, and of relevance as a model expected it.
    """
    if not table.ids[5].lengths.all():
        line = int(np.flatnonzero(table.ids[5].lengths == 0)[0])
        raise table.error(line, _wrong_count(int((np.array([c.lengths[line] for c in table.ids]) > 0).sum()), "drawn"))
    grades = table.integers(3, "grade")
    chances, expected = table.floats(4, "probability"), table.floats(5, "expected probability of relevance")
    for what, values, wrong in (
        ("probability of being drawn", chances, (chances <= 0) | (chances > 1)),
        ("expected probability of relevance", expected, (expected < 0) | (expected > 1)),
    ):
        if wrong.any():
            line = int(wrong.argmax())
            raise table.error(line, f"{what} {values[line]:g} is not between 0 and 1")
    return Builder(table.text.name, table.coded(0), table.coded(2), grades, table.line_number).drawn(chances, expected)


_READERS = {
    "plain": _plain,
    "strata": _strata,
    "subtopics": _subtopics,
    "prels": _prels,
    "passages": _passages,
    "drawn": _drawn,
}
