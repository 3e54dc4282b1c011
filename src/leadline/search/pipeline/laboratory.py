"""Where searches are made: an index, the collection it came from, and what steps ask of both as plain arrays.

Everything is made when it is first asked for and kept. Arrays have a place for each row of the index.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.documents.document import Document
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.store import Collection
from leadline.errors import InputError
from leadline.records.topics.topic import Topic
from leadline.search.index.derived import parted
from leadline.search.index.index import Index
from leadline.search.index.segment import MISSING
from leadline.search.models.ranking import Ranking
from leadline.search.models.searcher import Searcher
from leadline.search.pipeline.arrows import Arrows
from leadline.search.pipeline.classing import Classes
from leadline.search.pipeline.forward import Forward
from leadline.search.pipeline.options import Fields
from leadline.search.pipeline.outside import Kinship, day_of
from leadline.search.pipeline.request import Request
from leadline.search.pipeline.units import units
from leadline.search.pipeline.visibility import RULES, Serials

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Laboratory:
    """An index with its collection, ready for steps to work in."""

    def __init__(self, index: Index, collection: Collection | None = None) -> None:
        self.index, self._collection = index, collection
        self.searcher = Searcher(index)
        self.guests: dict[str, Document] = {}  # patents outside the collection that topics may name
        self._neighbours: dict[Path, Laboratory] = {}
        self._last: tuple[str, Document] | None = None  # steps ask for the same one again and again

    @classmethod
    def open(cls, folder: str | os.PathLike[str], collection: str | os.PathLike[str] | None = None) -> Laboratory:
        """The laboratory of an index. Its collection is where the index says it was, unless told."""
        index = Index.open(folder)
        if collection is not None:
            return cls(index, Collection.open(collection))
        written = index.manifest["source"]
        for place in (Path(written), index.folder / written):
            if written and place.is_dir():
                return cls(index, Collection.open(place))
        return cls(index)

    def neighbour(self, folder: str) -> Laboratory:
        """The laboratory of another index, opened once."""
        path = Path(folder).resolve()
        if path not in self._neighbours:
            self._neighbours[path] = Laboratory.open(folder)
        return self._neighbours[path]

    @property
    def collection(self) -> Collection:
        if self._collection is None:
            source = self.index.manifest["source"]
            where = f"and its collection {source} is not there" if source else "which was made of no collection"
            what = f"is an index without texts and citations, {where}: name the collection"
            raise InputError(str(self.index.folder), what)
        return self._collection

    @property
    def whole(self) -> str:
        """What is searched, in a word for messages."""
        return str(self.index.folder if self._collection is None else self._collection.folder)

    @cached_property
    def fields(self) -> list[str]:
        """The documents' own fields in the index, in which words are sought unless said."""
        return parted(self.index.fields)[0]

    def filled(self, fields: Fields) -> dict[str, float]:
        """Those of the fields that have any word, with their weights: a source may have no claims at all."""
        named = self.fields if fields is None else fields
        weighted = named if isinstance(named, Mapping) else dict.fromkeys(named, 1.0)
        return {name: weight for name, weight in weighted.items() if self._words(self.index.field(name))}

    def _words(self, field: str) -> int:
        return sum(len(segment.field(field).documents) for segment in self.index.segments)

    # Topics

    def invite(self, patents: Iterable[Document]) -> None:
        """Patents outside the collection, which topics may name."""
        self.guests |= {patent.id: patent for patent in patents}

    def requests(self, topics: Iterable[Topic | Document | str]) -> list[Request]:
        """Topics with all that is known of them: patents of the collection, patents given whole, or texts."""
        given = [Topic(each) if isinstance(each, str) else each for each in topics]
        named = [Topic(each.id) if isinstance(each, Document) else each for each in given]
        outside = [each if isinstance(each, Document) else self.guests.get(each.patent) for each in given]
        rows, days = self._located([topic.patent for topic in named])
        return [self._request(*each) for each in zip(named, rows.tolist(), days.tolist(), outside, strict=True)]

    def request(self, topic: Topic | Document | str) -> Request:
        return self.requests([topic])[0]

    def _request(self, topic: Topic, row: int, day: int, outside: Document | None) -> Request:
        families: tuple[int, ...] = ()
        if row >= 0:
            families = (int(self.family[row]),) * bool(self.family[row] >= 0)
        elif outside is not None:
            families = self.kinship.families(outside) if self._collection is not None else ()
            day = day_of(outside)
        else:
            return Request(topic)
        request = Request(topic, row if row >= 0 else None, outside, families, day)
        return request if request.is_dated else request.noted("without any date, for which nothing was too late")

    def _located(self, names: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The row in the index of each patent, in any spelling of its number, and its day; -1 for one not there."""
        if self._collection is None:
            rows = self.rows([name if name in self.row_of else normalise(name).id for name in names])
            return rows, self.known[rows]
        inside = self._collection.rows(names)
        # A row of the index may be a whole family, whose day is not the topic's.
        days = self._collection.records["known"].to_physical().fill_null(int(MISSING)).to_numpy()[inside]
        return np.where(inside >= 0, self.units[inside], -1), days

    def document(self, request: Request) -> Document:
        """The patent that is the topic."""
        if request.outside is not None:
            return request.outside
        if request.row is None:
            raise InputError(f"topic {request.topic.patent}", f"is no patent of {self.whole}")
        if self._last is None or self._last[0] != request.topic.patent:
            self._last = request.topic.patent, self.collection.document(request.topic.patent)
        return self._last[1]

    def symbols(self, request: Request) -> list[str]:
        """The classes of the topic's patent, the main one first."""
        if request.outside is not None:
            return [*request.outside.ipc, *request.outside.cpc]
        return [] if request.row is None else self.classes.of_document(request.row)

    def visible(self, request: Request) -> NDArray[np.bool_]:
        """Which documents may be found: not the topic's own family, nothing too late, and what filters allow."""
        hidden = RULES[request.dates](self, request)
        for family in request.families:
            hidden |= self.family == family
        if request.row is not None:
            hidden[request.row] = True
        return ~hidden if request.mask is None else ~hidden & request.mask

    # Documents

    def names(self, rows: NDArray[np.integer]) -> list[str]:
        segment = np.searchsorted(self.index.bases, rows, "right") - 1
        places = zip(segment.tolist(), (rows - self.index.bases[segment]).tolist(), strict=True)
        return [self.index.segments[number].ids[place].decode() for number, place in places]

    @cached_property
    def row_of(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.index.ids)}

    def rows(self, ids: Iterable[str]) -> NDArray[np.int64]:
        """The row of each id; -1 for one that is not there."""
        return np.array([self.row_of.get(name, -1) for name in ids], np.int64)

    def ranking(self, rows: NDArray[np.integer], scores: NDArray[np.float64]) -> Ranking:
        """Documents by score, high first; equal scores by id, high first, as `runs/order.py` has it."""
        order = np.lexsort((-self.index.ranks[rows].astype(np.int64), -scores))
        return Ranking(rows[order].astype(np.int32), scores[order])

    @cached_property
    def family(self) -> NDArray[np.int64]:
        """A number for each family, -1 where none is known."""
        return self.index.column("family")

    @cached_property
    def known(self) -> NDArray[np.int32]:
        """The day of the latest priority, else of filing, else of publication."""
        return self.index.column("known")

    @cached_property
    def public(self) -> NDArray[np.int32]:
        """The day since when a document may have been public."""
        published = self.index.column("publication")
        return np.where(published == MISSING, self.known, published)

    @cached_property
    def serials(self) -> Serials:
        return Serials.of(self.collection.records, self.units, len(self.index))

    @cached_property
    def units(self) -> NDArray[np.int64]:
        """The row in the index of each row of the collection; -1 for one that was not indexed."""
        return units(self.index, self.collection)

    @cached_property
    def kinship(self) -> Kinship:
        return Kinship(self.collection)

    @cached_property
    def cites(self) -> Arrows:
        return Arrows.of(self.collection.citations, self.units, len(self.index))

    @cached_property
    def relatives(self) -> Arrows:
        """The members of each document's family, itself among them."""
        return Arrows.of_groups(self.kin)

    @cached_property
    def kin(self) -> NDArray[np.int64]:
        """A number for each family, a document of unknown family being one by itself."""
        alone = self.family.max(initial=-1) + 1 + np.arange(len(self.family))
        return np.where(self.family < 0, alone, self.family)

    @cached_property
    def classes(self) -> Classes:
        return Classes([segment.coded("classes") for segment in self.index.segments])

    @cached_property
    def forward(self) -> Forward:
        return Forward(self.index)

    def document_frequencies(self, terms: Sequence[str], fields: Iterable[str]) -> NDArray[np.int64]:
        """In how many documents each term stands, in that of the fields where it is commonest."""
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
