"""A run: the ranked lists of one system."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError, nearest
from leadline.records.choices import Order
from leadline.records.runs.order import ordered
from leadline.records.scores.result import MOST_ROWS, Result, counted
from leadline.records.scores.table import Table
from leadline.text.fields import read_fields, shown
from leadline.text.files import write_whole
from leadline.text.ids import Ids, encode_id
from leadline.text.source import SourceText

if TYPE_CHECKING:
    import pandas
    import polars
    from numpy.typing import NDArray

    from leadline.records.others import OtherRun


@dataclass(frozen=True, repr=False)
class Run(Result):
    """For each topic a list of documents, best first.

    Lines keep the order of the file; `order[offsets[t]:offsets[t+1]]` are the lines of topic t from rank 1 on.

    >>> run = Run.of({"7": {"d1": 0.2, "d2": 0.9, "d3": 0.9}})
    >>> run
    <Run run: 1 topic, 3 documents>
    >>> run.ranking("7")
    [('d3', 0.9), ('d2', 0.9), ('d1', 0.2)]
    >>> run.to_dict()
    {'7': {'d3': 0.9, 'd2': 0.9, 'd1': 0.2}}
    """

    name: str
    topics: tuple[str, ...]
    offsets: NDArray[np.int64]
    order: NDArray[np.int32]
    documents: Ids
    keys: NDArray[np.float64]  # sort keys, largest first
    sorting: Order = "score"
    text: SourceText | None = field(default=None)
    longer_lines: int = 0  # lines with words after the last field, which are not read

    @classmethod
    def of(cls, run: Run | OtherRun, name: str = "run", *, order: Order = "score") -> Run:
        """A run from {topic: {document: score}}, a data frame, a Run of ranx, or rows of ir_measures or ir_datasets.

        `name` is used where the object has no name of its own.
        """
        from leadline.records.objects import run_columns

        return run if isinstance(run, cls) else cls.from_columns(*run_columns(run, name), order=order)

    @classmethod
    def from_columns(
        cls,
        topics: Sequence[str],
        documents: Sequence[str],
        scores: Sequence[float] | NDArray[np.float64],
        name: str = "run",
        *,
        order: Order = "score",
    ) -> Run:
        """A run from three columns of equal length."""
        if not len(topics):
            raise InputError(name, "is empty")
        known: dict[str, int] = {}
        codes = np.fromiter((known.setdefault(topic, len(known)) for topic in topics), np.int32, len(topics))
        try:
            keys = np.array(scores, np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InputError(name, "a score is not a number") from None
        if keys.ndim != 1:
            raise InputError(name, "a score is not a number")
        if np.isnan(keys).any():
            place = int(np.isnan(keys).argmax())
            raise InputError(name, f"topic {topics[place]}: the score of {documents[place]} is NaN")
        ids = Ids.of(documents)
        offsets, sequence, twice = ordered(codes, len(known), ids, keys, order)
        if twice is not None:
            raise InputError(name, f"topic {topics[twice[1]]} names document {shown(ids.at(twice[1]))} twice")
        return cls(name, tuple(known), offsets, sequence, ids, keys, order)

    def __len__(self) -> int:
        return len(self.order)

    def ranking(self, topic: str) -> list[tuple[str, float]]:
        """Return the documents of a topic with their scores, best first."""
        if topic not in self.topics:
            raise InputError(self.name, f"no topic {topic!r} among {len(self.topics)}{nearest(topic, self.topics)}")
        return self._ranked(self.topics.index(topic))

    def _ranked(self, t: int) -> list[tuple[str, float]]:
        lines = self.order[self.offsets[t] : self.offsets[t + 1]].tolist()
        return [(self.documents[line], float(self.keys[line])) for line in lines]

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The run as {topic: {document: score}}, best first, which pytrec_eval, ranx and ir_measures take.

        Of a run that is ordered by rank, the score is minus the rank.
        """
        return {topic: dict(self._ranked(t)) for t, topic in enumerate(self.topics)}

    def _columns(self) -> dict[str, list[Any]]:
        rows = [
            (topic, document, rank, score)
            for t, topic in enumerate(self.topics)
            for rank, (document, score) in enumerate(self._ranked(t), start=1)
        ]
        return dict(zip(("topic", "document", "rank", "score"), map(list, zip(*rows, strict=True)), strict=True))

    def to_polars(self) -> polars.DataFrame:
        """The run as a Polars data frame: topic, document, rank, score."""
        from leadline.records.objects import polars_frame

        return polars_frame(self._columns(), self.name)

    def to_pandas(self) -> pandas.DataFrame:
        """The run as a pandas data frame: topic, document, rank, score."""
        import pandas

        return pandas.DataFrame(self._columns())

    def to_ranx(self) -> Any:
        """The run as a Run of ranx."""
        import ranx

        return ranx.Run(self.to_dict(), name=self.name)

    def to_ir_measures(self) -> list[Any]:
        """The run as rows of ir_measures."""
        import ir_measures

        return [
            ir_measures.ScoredDoc(topic, *scored) for t, topic in enumerate(self.topics) for scored in self._ranked(t)
        ]

    def _finding(self) -> str:
        return f"{self.name}: {counted(len(self.topics), 'topic')}, {counted(len(self), 'document')}"

    def _shown_table(self) -> Table:
        """The first topics: how many documents each has, and the first of them."""
        rows: list[list[Any]] = []
        for t, topic in enumerate(self.topics[:MOST_ROWS]):
            first = int(self.order[self.offsets[t]])
            count = int(self.offsets[t + 1] - self.offsets[t])
            rows.append([topic, count, self.documents[first], float(self.keys[first])])
        return Table(["topic", "documents", "first", "score"], rows)

    def __str__(self) -> str:
        return f"{self._finding()}\n\n{super().__str__()}"

    def column(self, place: int, most: int) -> Ids:
        """Return another column of the file that the run was read from."""
        if self.text is None:
            raise InputError(self.name, f"column {place + 1} is needed, and only a run read from a file has it")
        return read_fields(self.text, 5, most, lambda found: f"{found} fields").ids[place]

    def to_bytes(self) -> bytes:
        """The run in TREC's format, ranks counted from 1."""
        tag = encode_id("_".join(self.name.split()))
        lines = []
        for t, topic in enumerate(self.topics):
            ranked = self.order[self.offsets[t] : self.offsets[t + 1]].tolist()
            lines += [
                b"%s Q0 %s %d %s %s\n"
                % (encode_id(topic), self.documents.at(line), rank, repr(float(self.keys[line])).encode(), tag)
                for rank, line in enumerate(ranked, start=1)
            ]
        return b"".join(lines)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the run in TREC's format, completely or not at all."""
        write_whole(path, self.to_bytes())
