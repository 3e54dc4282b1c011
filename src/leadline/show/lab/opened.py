"""What is open of a lab: collections, indexes and judgements, opened once and kept while their files are unchanged."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from leadline.collections.directory.tree import Directory, directory
from leadline.collections.documents.store import Collection
from leadline.errors import InputError
from leadline.records.qrels.qrels import Qrels
from leadline.records.qrels.read_qrels import read_qrels
from leadline.records.side_tables import read_groups
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.context import SearchContext
from leadline.show.lab.kept import Kept, file_version
from leadline.show.lab.kinds import KINDS
from leadline.show.lab.lab import Lab, LabEntry

T = TypeVar("T")
MOST_OPEN, MOST_COMPUTED = 8, 32  # of each kind at once, in memory; and what was computed of them
Version = tuple[object, ...]


class OpenedLab:
    """The things of a lab, opened. Threads may share it: each thing is opened by one of them, the others wait."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self._collections, self._indexes = Kept[Collection](MOST_OPEN), Kept[Index](MOST_OPEN)
        self._contexts, self._qrels = Kept[SearchContext](MOST_OPEN), Kept[Qrels](MOST_OPEN)
        self._computed = Kept[Any](MOST_COMPUTED)

    def computed(self, what: str, entries: list[LabEntry], make: Callable[[], T], *more: Hashable) -> T:
        """What `make` makes of some entries, from memory while their files are unchanged."""
        found: T = self._computed.get((what, *map(version_of, entries), *more), make)
        return found

    def collection(self, name: str) -> Collection:
        """A collection of the lab."""
        entry = self.lab.get("collection", name)
        return self._collections.get(version_of(entry), lambda: Collection.open(entry.path))

    def index(self, name: str) -> Index:
        """An index of the lab."""
        entry = self.lab.get("index", name)
        return self._indexes.get(version_of(entry), lambda: Index.open(entry.path))

    def context(self, name: str) -> SearchContext:
        """An index of the lab with its collection, ready to search."""
        index, collection = self.index(name), self.collection_of(name)
        version = version_of(self.lab.get("index", name))
        if not collection:
            return self._contexts.get(version, lambda: SearchContext.open(index.folder))
        texts = self.collection(collection)
        key = (*version, *version_of(self.lab.get("collection", collection)))
        return self._contexts.get(key, lambda: _prepared(SearchContext(index, texts)))

    def collection_of(self, index: str) -> str:
        """The name of the collection in the lab that an index was made of; empty where the lab lacks it."""
        there = [each for each in self.lab.entries("collection") if each.path.exists()]
        entries = [self.lab.get("index", index), *there]
        return self.computed("collection of", entries, lambda: self._collection_of(index, there))

    def _collection_of(self, name: str, entries: list[LabEntry]) -> str:
        index = self.index(name)
        source = index.folder / index.manifest["source"] if index.manifest["source"] else None
        for entry in entries:
            if source is not None and entry.path.resolve() == source.resolve():
                return entry.name
        # A lab or a demo that was moved: the collection that has the index's documents.
        for entry in entries:
            try:
                collection = self.collection(entry.name)
            except InputError:
                continue
            if len(index) and len(collection) == len(index) and collection.documents_there([index.id_of(0)])[0]:
                return entry.name
        return ""

    def indexes_of(self, collection: str) -> list[str]:
        """The names of the indexes in the lab that were made of a collection."""
        found = []
        for entry in self.lab.entries("index"):
            try:
                if self.collection_of(entry.name) == collection:
                    found.append(entry.name)
            except InputError:  # a damaged index is not one of them
                continue
        return found

    def directory(self, collection: str) -> Directory:
        """The tree of a collection's classes."""
        entry = self.lab.get("collection", collection)
        return self.computed("directory", [entry], lambda: directory(self.collection(collection)))

    def qrels(self, name: str) -> Qrels:
        """Judgements of the lab."""
        entry = self.lab.get("qrels", name)
        return self._qrels.get(version_of(entry), lambda: read_qrels(entry.path))

    def duplicates(self, name: str) -> dict[str, str]:
        """Near-duplicates of the lab: the group of each document that has one."""
        entry = self.lab.get("duplicates", name)
        return self.computed("duplicates", [entry], lambda: read_groups(entry.path))


def _prepared(context: SearchContext) -> SearchContext:
    """A context that many searches use: the places of all documents are looked up once."""
    if context.index.unit == "document":
        _ = context.collection_rows
    return context


def version_of(entry: LabEntry) -> Version:
    """What changes when the files of an entry do; InputError where they are gone."""
    kind = KINDS[entry.kind]
    path = entry.path / kind.manifest if kind.is_folder else entry.path
    version = file_version(path)
    if not any(version):
        raise InputError(entry.name, f"the {entry.kind} is gone: put it back at {entry.path}, or add it again")
    return str(path), *version
