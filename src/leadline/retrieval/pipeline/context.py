"""An open index with its collection, the state of a topic in a pipeline, and the terms of a patent by field.

Each array is computed on first use and kept. Unless noted otherwise, arrays have one entry per row of the index.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.collections.documents.families import DateRule
from leadline.errors import InputError, checked_choice
from leadline.records.topics import Topic
from leadline.retrieval.index import derived
from leadline.retrieval.index.derived import split_fields
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.models.ranking import Ranking
from leadline.retrieval.models.searcher import Searcher

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.collections.documents.families import DocumentDates
    from leadline.collections.links.graph import LinkGraph
    from leadline.options import Fields
    from leadline.retrieval.language.language import Answer, Language
    from leadline.retrieval.pipeline.context_data import (
        AnchorWords,
        ClaimUnits,
        Classes,
        DocumentTerms,
        FamilyFinder,
        Links,
    )

# The state of a topic in a pipeline: its queries, the documents it may find, and its results so far.


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
class BooleanTopic:
    """What the query language found for the text of a topic."""

    part: str  # of the topic: title or narrative
    answer: Answer
    language: Language

    @property
    def is_ranked(self) -> bool:
        """Whether words rank its documents; if not, their dates do."""
        return self.answer.order == "score"

    @property
    def fields(self) -> Mapping[str, float]:
        """The fields that it searches: those of documents, and those that it names."""
        return self.answer.fields

    @property
    def by_date(self) -> Ranking:
        """The documents in the order of the query, with scores that keep the order."""
        rows = self.answer.ranking.rows
        return Ranking(rows, np.arange(len(rows), 0, -1, dtype=np.float64))

    def completed(self, ranking: Ranking, k: int) -> Ranking:
        """The ranking with the documents that match without any word to rank them by at its end."""
        return self.language.completed(ranking, self.answer.matching, k) if len(ranking) < k else ranking


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
    boolean: BooleanTopic | None = None  # of a text that is a Boolean query

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


class SearchContext:
    """An index and its collection, ready for the steps of a pipeline."""

    def __init__(self, index: Index, collection: Collection | None = None) -> None:
        self.index, self._collection = index, collection
        self.searching: Callable[[Index], Searcher] = Searcher  # makes what ranks the documents of an index
        self.searcher = Searcher(index)
        self.elsewhere: Callable[..., Iterator[Any]] | None = None  # answers requests in place of `answering.answered`
        self.outside_patents: dict[str, Document] = {}  # topics that are not in the collection, by id
        self._others: dict[Path, SearchContext] = {}
        self._last: tuple[str, Document] | None = None  # the steps of a pipeline read the same document again

    @classmethod
    def open(cls, folder: str | os.PathLike[str], collection: str | os.PathLike[str] | None = None) -> SearchContext:
        """Open an index. The default collection is the one the index was built from, if it is still there."""
        index = Index.open(folder)
        if collection is not None:
            return cls(index, Collection.open(collection))
        source = index.manifest["source"]
        for place in (Path(source), index.folder / source):
            if source and place.is_dir():
                return cls(index, Collection.open(place))
        return cls(index)

    def other_index(self, folder: str) -> SearchContext:
        """The context of another index, opened once."""
        path = Path(folder).resolve()
        if path not in self._others:
            self._others[path] = SearchContext.open(folder)
        return self._others[path]

    @property
    def collection(self) -> Collection:
        if self._collection is None:
            source = self.index.manifest["source"]
            where = f"and its collection {source} is missing" if source else "not made from a collection"
            what = f"is an index without texts and citations, {where}: name the collection"
            raise InputError(str(self.index.folder), what)
        return self._collection

    @property
    def has_collection(self) -> bool:
        """Whether the collection is known, with its texts and citations."""
        return self._collection is not None

    @property
    def location(self) -> str:
        """The folder of the collection, or of the index where there is no collection, for messages."""
        return str(self.index.folder if self._collection is None else self._collection.folder)

    @cached_property
    def outdated(self) -> str:
        """A line that says that the collection has changed since it was indexed, and the fix; empty if it has not."""
        if self._collection is None:
            return ""
        known = self.index.manifest.get("collection")
        if known is not None and known["hash"]:
            same = known["hash"] == self._collection.manifest["hash"]
        else:
            same = self.index.unit != "document" or len(self.index) == len(self._collection)
        return "" if same else f"{self.location} has changed since it was indexed: {self.up_to_date}"

    @property
    def up_to_date(self) -> str:
        """How to bring the index up to date with its collection."""
        return f"`leadline index {self.location} -o {self.index.folder} --update` brings the index up to date"

    @cached_property
    def fields(self) -> list[str]:
        """The fields of the index that are not derived, which are searched by default."""
        return split_fields(self.index.fields)[0]

    def nonempty_fields(self, fields: Fields) -> dict[str, float]:
        """Those of the fields that have any word, with their weights; some sources have no claims."""
        named = self.fields if fields is None else fields
        weighted = named if isinstance(named, Mapping) else dict.fromkeys(named, 1.0)
        return {name: weight for name, weight in weighted.items() if self._postings(self.index.field(name))}

    def _postings(self, field: str) -> int:
        return sum(len(segment.field(field).documents) for segment in self.index.segments)

    # Topics

    def add_patents(self, patents: Iterable[Document]) -> None:
        """Add patents that are not in the collection, so that topics may name them."""
        self.outside_patents |= {patent.id: patent for patent in patents}

    def requests(self, topics: Iterable[Topic | Document | str]) -> list[Request]:
        """A request for each topic: a patent of the collection, a patent given as a Document, or a text."""
        from leadline.collections.documents.numbers import is_patent_number
        from leadline.records.topics import Topic

        parsed = [Topic(each) if isinstance(each, str) else each for each in topics]
        named = [Topic(each.id) if isinstance(each, Document) else each for each in parsed]
        outside = [each if isinstance(each, Document) else self.outside_patents.get(each.patent) for each in parsed]
        rows, days = self._rows_and_days([topic.patent for topic in named])
        # A topic with text is a text even where a document has the same id, unless that is the number of a patent.
        texts = [topic.has_text and not (topic.document or is_patent_number(topic.id)) for topic in named]
        rows = np.where(texts, -1, rows)
        return [self._request(*each) for each in zip(named, rows.tolist(), days.tolist(), outside, strict=True)]

    def request(self, topic: Topic | Document | str) -> Request:
        return self.requests([topic])[0]

    def _request(self, topic: Topic, row: int, day: int, outside: Document | None) -> Request:
        from leadline.retrieval.pipeline.context_data import day_of

        families: tuple[int, ...] = ()
        if row >= 0:
            families = (int(self.family[row]),) * bool(self.family[row] >= 0)
        elif outside is not None:
            families = self.family_finder.families(outside) if self._collection is not None else ()
            day = day_of(outside)
        else:
            return Request(topic)
        request = Request(topic, row if row >= 0 else None, outside, families, day)
        return request if request.is_dated else request.with_note("without any date, for which nothing was too late")

    def _rows_and_days(self, names: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The row in the index of each patent, by any spelling of its number, and its day; row -1: not in the index."""
        from leadline.collections.documents.families import days_of
        from leadline.collections.documents.numbers import normalise

        if self._collection is None:
            rows = self.rows([name if name in self.row_of else normalise(name).id for name in names])
            return rows, self.dates.known[rows]
        inside = self._collection.rows(names)
        # A row of the index may be a whole family, whose day is not the topic's.
        days = days_of(self._collection.records["known"])[inside]
        return np.where(inside >= 0, self.index_rows[inside], -1), days

    def document(self, request: Request) -> Document:
        """The patent that is the topic."""
        if request.outside is not None:
            return request.outside
        if request.row is None:
            raise InputError(f"topic {request.topic.patent}", f"is not a patent of {self.location}")
        last = self._last  # other threads may replace it
        if last is None or last[0] != request.topic.patent:
            last = self._last = request.topic.patent, self.collection.document(request.topic.patent)
        return last[1]

    def class_symbols(self, request: Request) -> list[str]:
        """The classes of the topic's patent, the main one first."""
        if request.outside is not None:
            return [*request.outside.ipc, *request.outside.cpc]
        return [] if request.row is None else self.classes.of_document(request.row)

    def visible(self, request: Request) -> NDArray[np.bool_]:
        """The documents that may be found: not the topic's own family, nothing too late, and what filters allow."""
        visible = ~self.dates.hidden(request, request.dates)
        return visible if request.mask is None else visible & request.mask

    # Documents

    def names(self, rows: NDArray[np.integer]) -> list[str]:
        """The ids of the documents in these rows."""
        segment = np.searchsorted(self.index.bases, rows, "right") - 1
        places = zip(segment.tolist(), (rows - self.index.bases[segment]).tolist(), strict=True)
        return [self.index.segments[number].ids[place].decode() for number, place in places]

    @cached_property
    def row_of(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.index.ids)}

    def rows(self, ids: Iterable[str]) -> NDArray[np.int64]:
        """The row of each id; -1 for one that is not in the index."""
        return np.array([self.row_of.get(name, -1) for name in ids], np.int64)

    def ranking(self, rows: NDArray[np.integer], scores: NDArray[np.float64], k: int | None = None) -> Ranking:
        """The ranking of these documents, best first: the first k, or all."""
        from leadline.records.ties import tie_order

        order = tie_order(scores, self.index.ranks[rows])[:k]
        return Ranking(rows[order].astype(np.int32), scores[order])

    def one_a_family(self, ranking: Ranking, k: int | None = None) -> Ranking:
        """The first document of each family, for the first k families or all."""
        first = np.sort(np.unique(self.family_or_self[ranking.rows], return_index=True)[1])[:k]
        return Ranking(ranking.rows[first], ranking.scores[first])

    @cached_property
    def family(self) -> NDArray[np.int64]:
        """A number for each family; -1 where it is unknown."""
        return self.index.column("family")

    @cached_property
    def family_or_self(self) -> NDArray[np.int64]:
        """A number for each family; each document of unknown family has a unique number."""
        alone = self.family.max(initial=-1) + 1 + np.arange(len(self.family))
        return np.where(self.family < 0, alone, self.family)

    @cached_property
    def dates(self) -> DocumentDates:
        from leadline.collections.documents.families import DocumentDates, Serials

        known, publication = self.index.column("known"), self.index.column("publication")
        serials = cache(lambda: Serials.of(self.collection.records, self.index_rows, len(self.index)))
        return DocumentDates(self.family, known, publication, serials)

    @cached_property
    def index_rows(self) -> NDArray[np.int64]:
        """The row in the index of each row of the collection; -1 for a document that was not indexed."""
        from leadline.retrieval.pipeline.context_data import index_rows

        return index_rows(self.index, self.collection)

    @cached_property
    def collection_rows(self) -> NDArray[np.int64]:
        """The row in the collection of each row of an index of documents; -1 where the collection lacks it."""
        rows = np.full(len(self.index), -1, np.int64)
        indexed = np.flatnonzero(self.index_rows >= 0)
        rows[self.index_rows[indexed]] = indexed
        return rows

    def documents(self, rows: NDArray[np.integer]) -> list[Document | None]:
        """The documents in these rows, by their names; by their rows in the collection if these are known already."""
        if "collection_rows" not in vars(self) or self.index.unit != "document":
            return self.collection.documents_there(self.names(rows))
        inside = self.collection_rows[rows]
        found = iter(self.collection.documents_at(inside[inside >= 0].tolist()))
        return [next(found) if row >= 0 else None for row in inside.tolist()]

    def texts(self, rows: NDArray[np.integer], fields: Sequence[str]) -> dict[int, tuple[str, list[str]]]:
        """The language and the texts of documents in some fields, by their rows; read all at once."""
        from leadline.retrieval.index.inverting import joined_claims

        inside = self.collection_rows[rows]
        row_of = dict(zip(inside.tolist(), rows.tolist(), strict=True))
        found: dict[int, tuple[str, list[str]]] = {}
        for part in self.collection.texts(fields, np.sort(inside[inside >= 0])):
            named = part["row"].to_numpy()
            languages = self.collection.records_at(named, ["language"])["language"].fill_null("").to_list()
            texts = joined_claims(part, fields).select(*fields).fill_null("").rows()
            for place, language, each in zip(named.tolist(), languages, texts, strict=True):
                found[row_of[place]] = (language, list(each))
        return found

    @cached_property
    def family_finder(self) -> FamilyFinder:
        from leadline.retrieval.pipeline.context_data import FamilyFinder

        return FamilyFinder(self.collection)

    @cached_property
    def citations(self) -> Links:
        """From each document to those it cites."""
        from leadline.retrieval.pipeline.context_data import Links

        return Links.of(self.collection.citations, self.index_rows, len(self.index))

    @cached_property
    def links(self) -> LinkGraph:
        """The links of a crawl, or the citations, between documents of the index."""
        from leadline.collections.links.graph import LinkGraph
        from leadline.collections.links.reading import collection_links

        sources, targets = (self.index_rows[rows] for rows in collection_links(self.collection))
        inside = (sources >= 0) & (targets >= 0)
        return LinkGraph.of_arrays(sources[inside], targets[inside], list(self.index.ids), self_links="drop")

    @cached_property
    def page_ranks(self) -> dict[float, NDArray[np.float64]]:
        """The PageRank of every document over all links, by the damping: filled by the step that needs it."""
        return {}

    @cached_property
    def anchors(self) -> AnchorWords:
        """The words of the links to each document."""
        from leadline.retrieval.pipeline.context_data import AnchorWords

        return AnchorWords.of(self.collection, self.index, self.row_of)

    @cached_property
    def family_members(self) -> Links:
        """From each document to the members of its family, including itself."""
        from leadline.retrieval.pipeline.context_data import Links

        return Links.of_groups(self.family_or_self)

    @cached_property
    def classes(self) -> Classes:
        from leadline.retrieval.pipeline.context_data import Classes

        return Classes([segment.coded("classes") for segment in self.index.segments])

    @cached_property
    def claim_units(self) -> ClaimUnits:
        """The claims of documents, each as a text of its own."""
        from leadline.retrieval.pipeline.context_data import ClaimUnits

        def read(rows: Sequence[int]) -> list[Document]:
            return self.collection.documents_named(self.names(np.array(rows, np.int64)))

        return ClaimUnits(self.index, read, self.document_frequencies)

    @cached_property
    def document_terms(self) -> DocumentTerms:
        from leadline.retrieval.pipeline.context_data import DocumentTerms

        known = self.has_collection and self.index.unit == "document"
        return DocumentTerms(self.index, self.documents if known else None)

    def document_frequencies(self, terms: Sequence[str], fields: Iterable[str]) -> NDArray[np.int64]:
        """The document frequency of each term, in the field where it is largest."""
        encoded = [term.encode() for term in terms]
        most = np.zeros(len(terms), np.int64)
        for field in fields:
            total = np.zeros(len(terms), np.int64)
            for segment in self.index.segments:
                part = segment.field(self.index.field(field))
                numbers = part.terms.find(encoded)
                here = numbers >= 0
                total[here] += (part.starts[1:] - part.starts[:-1])[numbers[here]]
            most = np.maximum(most, total)
        return most


# The terms of a patent, by field.


PATENT_FIELDS = ("title", "abstract", "claims", "description")
Into = Literal["all", "same"]  # whether a field's terms are searched for in all fields of documents, or in that field


def text_of(document: Document, field: str) -> str:
    """The text of a field of a patent."""
    if field == "claims":
        return "\n".join(claim.text for claim in document.claims)
    return str(getattr(document, field))


def term_counts(context: SearchContext, document: Document, field: str, of: Sequence[str] = ()) -> Counter[str]:
    """The frequency of each term in a field of a patent, which may be a derived field of the index.

    A derived field is made of the patent's fields `of`, or of all that the index has.
    """
    own, derived_fields = derived.split_fields(context.index.fields)
    checked_choice("field", field, (*PATENT_FIELDS, *derived_fields))
    if field in PATENT_FIELDS:
        return Counter(context.index.analysis.terms(text_of(document, field)))
    texts = [text_of(document, name) for name in of or own if name in PATENT_FIELDS]
    return Counter(derived.terms(field, texts, context.index.analysis))


def queries_of(parts: Mapping[str, Mapping[str, float]], into: Into) -> tuple[Query, ...]:
    """The terms of several fields as one query, or as one for each field."""
    if into == "same":
        return tuple(Query(terms, {field: 1.0}, field) for field, terms in parts.items() if terms)
    return (Query(summed(parts.values())),)


def summed(vectors: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The sum of weighted terms.

    >>> summed([{"acid": 1.0}, {"acid": 2.0, "base": 0.5}])
    {'acid': 3.0, 'base': 0.5}
    """
    total: dict[str, float] = {}
    for terms in vectors:
        for term, weight in terms.items():
            total[term] = total.get(term, 0.0) + weight
    return total
