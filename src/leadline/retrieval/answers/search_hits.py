"""Search results prepared for display: one hit per family, with its facts and a snippet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.collections.documents.document import Document
from leadline.errors import InputError
from leadline.records.scores.result import Result
from leadline.records.scores.table import Table
from leadline.retrieval.answers.passages import Passages, rarity
from leadline.retrieval.answers.snippets import Marker, Snippet
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.batches import claims_text
from leadline.retrieval.index.inverting import content_sums
from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.models.ranking import Ranking
from leadline.retrieval.pipeline.context import SearchContext

if TYPE_CHECKING:
    from numpy.typing import NDArray

RESULT_COLUMNS = ("rank", "document", "score", "title", "published", "class", "members", "snippet")


@dataclass(frozen=True, repr=False)
class Hit(Result):
    """One result: the best document of its family."""

    rank: int
    row: int  # in the index
    name: str
    score: float
    members: int  # of its family, including itself
    document: Document | None  # None if the collection is missing
    published: str
    changed: bool = False  # whether its text in the collection is another than the one that was indexed

    def _finding(self) -> str:
        return f"{self.rank}: {self.label} ({self.score:.3f})"

    @property
    def label(self) -> str:
        """The name with the title, where there is one."""
        return f"{self.name} {self.title}".strip()

    @property
    def title(self) -> str:
        return " ".join(self.document.title.split()) if self.document else ""

    @property
    def symbol(self) -> str:
        classes = (*self.document.ipc, *self.document.cpc) if self.document else ()
        return classes[0] if classes else ""

    @property
    def facts(self) -> list[str]:
        """The facts under the title of a hit."""
        family = f"{self.members} in the family" if self.members > 1 else ""
        changed = "changed since it was indexed" if self.changed else ""
        return [self.name if self.title else "", self.published or "undated", self.symbol, family, changed]


def hits_table(hits: Sequence[Hit]) -> Table:
    """A row for each hit."""
    rows = [[hit.rank, hit.name, hit.score, hit.published, hit.title] for hit in hits]
    return Table(["rank", "document", "score", "published", "title"], rows)


def result_table(hits: Sequence[Hit], snippets: Sequence[Snippet], more: Mapping[str, Sequence[Any]]) -> Table:
    """A row for each hit with its snippet and what else is given, for programs."""
    rows = [
        [hit.rank, hit.name, hit.score, hit.title, hit.published, hit.symbol, hit.members, snippet.text,
         *(values[place] for values in more.values())]
        for place, (hit, snippet) in enumerate(zip(hits, snippets, strict=True))
    ]  # fmt: skip
    return Table([*RESULT_COLUMNS, *more], rows)


def read_hits(context: SearchContext, ranking: Ranking, start: int = 0) -> list[Hit]:
    """The hits of a ranking after the first `start`; only their texts are read."""
    ranking = Ranking(ranking.rows[start:], ranking.scores[start:])
    names = context.names(ranking.rows)
    documents: list[Document | None] = [None] * len(names)
    if has_texts(context):
        documents = context.documents(ranking.rows)
    rows = ranking.rows.tolist()
    sums = context.index.column("content")[ranking.rows].tolist()
    members = _members(context, ranking.rows)
    days = context.index.column("publication")[ranking.rows].astype("datetime64[D]")
    found = zip(names, rows, ranking.scores.tolist(), members, documents, days, sums, strict=True)
    return [
        Hit(rank, row, name, score, count, document, _published(document, day), _is_changed(context, document, content))
        for rank, (name, row, score, count, document, day, content) in enumerate(found, start=start + 1)
    ]


def _is_changed(context: SearchContext, document: Document | None, content: int) -> bool:
    """Whether a document's text differs from the text that was indexed; unknown for an index of families."""
    if document is None or context.index.unit == "family":
        return False
    texts = [claims_text(c.text for c in document.claims) if name == "claims" else getattr(document, name, "")
             for name in context.index.own]  # fmt: skip
    return int(content_sums([[text] for text in texts])[0]) != content


def texts_of(hits: Sequence[Hit]) -> list[Document]:
    """The documents of hits, empty ones where the collection no longer has them."""
    return [hit.document or Document(hit.name) for hit in hits]


def changes(context: SearchContext, hits: Sequence[Hit]) -> list[str]:
    """A line where the collection differs from the index, as far as these hits and the state of the collection show."""
    if not has_texts(context):
        return []
    gone, changed = sum(hit.document is None for hit in hits), sum(hit.changed for hit in hits)
    seen = [f"{count:,} {what}" for count, what in ((gone, "deleted"), (changed, "changed")) if count]
    if not seen:
        return [context.outdated] if context.outdated else []
    of_hits = f"of the documents shown {' and '.join(seen)}"
    return [f"{context.location} has changed since it was indexed, {of_hits}: {context.up_to_date}"]


def has_texts(context: SearchContext) -> bool:
    try:
        return context.collection is not None
    except InputError:
        return False


def _published(document: Document | None, day: np.datetime64) -> str:
    if document is not None:
        return document.publication
    return "" if day == MISSING.astype("datetime64[D]") else str(day)


def _members(context: SearchContext, rows: NDArray[np.int32]) -> list[int]:
    """The number of documents in the family of each row."""
    families = context.family
    if context.index.unit == "family" and has_texts(context):  # a row is a family: count documents of the collection
        families = context.collection.records["family"].to_numpy()
    return [int(np.count_nonzero(families == family)) if family >= 0 else 1 for family in context.family[rows].tolist()]


def weighed(context: SearchContext, terms: Sequence[str]) -> dict[str, float]:
    """Terms with their weights, by rarity in the index."""
    frequencies = context.document_frequencies(terms, context.fields)
    return dict(zip(terms, rarity(frequencies, len(context.index)).tolist(), strict=True))


def snippets(
    context: SearchContext,
    hits: Sequence[Hit],
    passages: Passages,
    terms: Mapping[str, float],
    width: int,
    analysis: Analysis | None = None,
) -> list[Snippet]:
    """For each hit the piece of its text with the largest share of the weighted terms.

    `analysis` is that of the hits' language (default: that of the index).
    """
    best, marker = passages.best(terms), Marker(analysis or context.index.analysis, terms)
    texts = [best[place].passage.text if place in best else "" for place in range(len(hits))]
    return [marker.snippet(text, width) for text in texts]
