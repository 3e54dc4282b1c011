"""What is open of a lab: collections, indexes, judgements, topics and documents, opened once and kept."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from leadline.collections.directory import Directory, directory
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.errors import InputError, visible
from leadline.judge.citations import Provenance
from leadline.records.inputs import read_groups
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.topics import Topic, Topics
from leadline.retrieval.index.index import Index
from leadline.retrieval.passages import Snippet
from leadline.retrieval.pipeline.context import SearchContext
from leadline.show.lab.kinds import KINDS
from leadline.show.lab.lab import Kept, Lab, LabEntry, file_version

if TYPE_CHECKING:
    import polars as pl

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


# What the lab's collections know of documents that runs and judgements name: title, family, and which collection.


MOST_COLLECTIONS = 4  # whose titles are in memory at once


@dataclass(frozen=True)
class KnownDocument:
    """A document of a collection in the lab."""

    id: str
    title: str
    family: tuple[str, int]  # the collection, and the number of the family in it
    collection: str


class LabDocuments:
    """The documents of all collections of a lab."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._titles: Kept[pl.DataFrame] = Kept(MOST_COLLECTIONS)

    def known(self, ids: Iterable[str]) -> dict[str, KnownDocument]:
        """The documents among these ids that a collection has; the first collection that has one counts."""
        import polars as pl

        wanted = {id for id in ids if id.isascii() or id.isprintable()}
        found: dict[str, KnownDocument] = {}
        for entry in self._lab.entries("collection"):
            with contextlib.suppress(InputError):  # a damaged collection: the page of the collection says so
                rows = self._titles_of(entry).filter(pl.col("id").is_in(sorted(wanted - found.keys())))
                for id, title, family in rows.iter_rows():
                    number = -1 if family is None else family
                    found[id] = KnownDocument(id, title or "", (entry.name, number), entry.name)
        return found

    def document(self, name: str) -> tuple[str, Document] | None:
        """A document with its texts, and the name of its collection."""
        for entry in self._lab.entries("collection"):
            with contextlib.suppress(InputError):
                (document,) = Collection.open(entry.path).documents_there([name])
                if document is not None:
                    return entry.name, document
        return None

    def _titles_of(self, entry: LabEntry) -> pl.DataFrame:
        key = (entry.path, file_version(entry.path / KINDS["collection"].manifest))
        return self._titles.get(key, lambda: Collection.open(entry.path).records.select("id", "title", "family"))


# The topics of a lab: the need behind each, and the reasons that judgements were given with.


_MOST = 6  # files in memory at once
_RULES = {
    1: "cited by the topic",
    2: "of the family of {cited}, which the topic cites",
    3: "cited by {citing}, of the topic's family",
}


class Needs:
    """The needs and reasons in the files of a lab."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._topics: Kept[dict[str, Topic]] = Kept(_MOST)
        self._reasons: Kept[dict[str, dict[str, tuple[str, ...]]]] = Kept(_MOST)

    def topic(self, id: str) -> Topic | None:
        """The need of a topic; None where no file of topics has it."""
        for entry in self._lab.entries("topics"):
            if (found := self._topics_of(entry).get(id)) is not None:
                return found
        return None

    def reasons(self, qrels: LabEntry, topic: str) -> dict[str, tuple[str, ...]]:
        """Why each document of a topic was judged relevant, where a file beside the judgements says it."""
        path = Path(f"{qrels.path}.why.tsv")
        if not path.is_file():
            return {}
        with contextlib.suppress(InputError):
            return self._reasons.get((path, file_version(path)), lambda: _reasons(path)).get(topic, {})
        return {}

    def _topics_of(self, entry: LabEntry) -> dict[str, Topic]:
        def read() -> dict[str, Topic]:
            with contextlib.suppress(InputError):
                return {topic.id: topic for topic in Topics.read(entry.path)}
            return {}

        return self._topics.get((entry.path, file_version(entry.path)), read)


def _reasons(path: Path) -> dict[str, dict[str, tuple[str, ...]]]:
    """By topic and document: the citations behind each judgement in words."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for way in Provenance.read(path).ways.iter_rows(named=True):
        documents = found.setdefault(way["topic"], {})
        documents[way["document"]] = (*documents.get(way["document"], ()), reason_in_words(**way))
    return found


def reason_in_words(
    rule: int, origin: str, category: str | None, citing: str, cited: str, topic: str = "", document: str = ""
) -> str:
    """A citation behind a judgement, in words.

    >>> reason_in_words(3, "examiner", "Y", "WO2006000001A1", "EP0091442B1")
    "examiner, category Y: cited by WO2006000001A1, of the topic's family"
    """
    who = f"{origin}, category {category}" if category else origin
    return f"{who}: {_RULES[rule].format(citing=citing, cited=cited)}"


# Texts from files as pages show them: control characters visible, and the words of a query marked.


def clean(text: str) -> str:
    """A text in which control codes are visible, and line ends stay."""
    return visible(text, "\t\n")


def pieces(snippet: Snippet) -> list[dict[str, Any]]:
    """A snippet as pieces of text, each with whether it is a word of the query.

    >>> pieces(Snippet("a bent nail", ((2, 6),)))
    [{'text': 'a ', 'marked': False}, {'text': 'bent', 'marked': True}, {'text': ' nail', 'marked': False}]
    """
    found, at = [], 0
    for start, end in snippet.marks:
        found += [(snippet.text[at:start], False), (snippet.text[start:end], True)]
        at = end
    found.append((snippet.text[at:], False))
    return [{"text": clean(text), "marked": marked} for text, marked in found if text]
