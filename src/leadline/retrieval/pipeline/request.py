"""The state of a topic in a pipeline: its queries, the documents it may find, and its results so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from leadline.collections.documents.document import Document
from leadline.collections.documents.hidden import DateRule
from leadline.records.topics.topic import Topic
from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.models.ranking import Ranking

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Query:
    """Terms of the index with their weights. A topic may have several queries: one for each claim, or for each field.

    `fields` are the document fields to search for these terms; None leaves the choice to the search.
    """

    terms: Mapping[str, float]
    fields: Mapping[str, float] | None = None
    name: str = ""  # "claim 3", "title"
    weight: float = 1.0


@dataclass(frozen=True)
class ScorePart:
    """What one step adds to the scores of some documents."""

    name: str  # of the step
    rows: NDArray[np.int32]
    scores: NDArray[np.float64]

    def score_of(self, row: int) -> float:
        """What the step adds to one document."""
        return float(self.scores[self.rows == row].sum())


@dataclass(frozen=True)
class Request:
    """One topic with everything known about it. Steps never change a request: each returns a new one."""

    topic: Topic
    row: int | None = None  # in the index, of the patent that is the topic
    outside: Document | None = None  # the patent that is the topic, if it is not in the collection
    families: tuple[int, ...] = ()  # of the topic: their documents are never found
    day: int = int(MISSING)  # the topic's latest priority, in days since 1970
    dates: DateRule = "publication"  # which documents are too late
    queries: tuple[Query, ...] = ()
    mask: NDArray[np.bool_] | None = None  # documents that filters allow, besides families and dates
    ranking: Ranking | None = None
    parts: tuple[ScorePart, ...] = ()  # of the scores, where steps that gain say what they add; empty: all by the query
    notes: tuple[str, ...] = ()

    @property
    def is_patent(self) -> bool:
        return self.row is not None or self.outside is not None

    @property
    def is_dated(self) -> bool:
        return self.day != MISSING

    def with_note(self, note: str) -> Request:
        """The request with a note that is shown beside the result."""
        return replace(self, notes=(*self.notes, note))

    def only(self, allowed: NDArray[np.bool_]) -> Request:
        """The request limited to allowed documents; others are removed from its results."""
        both = allowed if self.mask is None else self.mask & allowed
        return replace(self, mask=both).filtered(allowed)

    def filtered(self, allowed: NDArray[np.bool_]) -> Request:
        """The request with only the allowed results."""
        if self.ranking is None:
            return self
        kept = allowed[self.ranking.rows]
        return replace(self, ranking=Ranking(self.ranking.rows[kept], self.ranking.scores[kept]))
