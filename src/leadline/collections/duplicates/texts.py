"""The texts that are compared: those of a collection, of files and folders, or of objects in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from leadline.collections.documents.document import Document
from leadline.collections.documents.manifest import MANIFEST
from leadline.collections.documents.raw import Broken
from leadline.collections.documents.registry import readers_by_form
from leadline.collections.documents.sources import find_sources, open_streams
from leadline.collections.documents.splitting import split
from leadline.collections.documents.store import Collection
from leadline.collections.links.reading import collection_links
from leadline.errors import InputError, checked_choice
from leadline.text.cuts import cuts
from leadline.text.owned_folder import IDENTITY
from leadline.text.source import COMPRESSED, read_text

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

FIELDS = ("title", "abstract", "claims", "description")
BATCH_BYTES = 16 << 20
PLAIN = (".txt", ".text", ".md", ".html", ".htm", ".xhtml")  # files that are one document each, by their endings

TextSource: TypeAlias = (
    "str | os.PathLike[str] | Collection | Mapping[str, str] | Iterable[Document | Mapping[str, Any] | tuple[str, str]]"
)
Item: TypeAlias = tuple[str, str, str]  # id, date, text


@dataclass(frozen=True)
class TextBatch:
    """Some documents, in the order in which they are read."""

    rows: NDArray[np.int64]
    texts: list[str]

    def batches(self) -> Iterator[TextBatch]:
        """This batch: it is a piece of work that needs no reading."""
        yield self


@dataclass(frozen=True)
class PartTexts:
    """Documents of one part of a collection, which are read where they are needed."""

    folder: str
    content: str  # hash of the collection
    fields: list[str]
    part: int
    rows: NDArray[np.int64]
    places: NDArray[np.int64]  # in the part
    batch_bytes: int

    def batches(self) -> Iterator[TextBatch]:
        import polars as pl

        table = _opened(self.folder, self.content).tables()[self.part]  # the parts come first
        frame = table.read(self.fields)[self.places].with_columns(row=pl.Series(self.rows))
        yield from _joined_texts(frame, self.fields, self.batch_bytes)


@lru_cache(maxsize=1)
def _opened(folder: str, content: str) -> Collection:
    collection = Collection.open(folder)
    if collection.manifest["hash"] != content:
        raise InputError(folder, "has changed since the command began: start it again")
    return collection


class Texts(Protocol):
    """Documents that can be read twice. `ids`, `dates` and `notes` are complete once they were read."""

    ids: list[str]
    dates: list[str]
    notes: list[str]
    batch_bytes: int  # of text, in a batch

    def batches(self, wanted: NDArray[np.bool_] | None = None) -> Iterator[TextBatch]: ...
    def pieces(self, wanted: NDArray[np.bool_] | None = None) -> Iterator[TextBatch | PartTexts]: ...
    def links(self) -> NDArray[np.int64]: ...


def open_texts(source: TextSource, fields: Sequence[str] = FIELDS) -> Texts:
    """The texts of a collection or its folder, of files and folders, or of documents in memory."""
    for name in fields:
        checked_choice("fields", name, FIELDS)
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        if not (path / IDENTITY).exists() and not (path / MANIFEST).exists():
            return ItemTexts(_Files(path, fields), str(source))
        source = Collection.open(path)
    if isinstance(source, Collection):
        return CollectionTexts(source, fields)
    if isinstance(source, Mapping):
        return MemoryTexts([(str(name), "", text) for name, text in source.items()])
    return MemoryTexts([_item(each, place, fields) for place, each in enumerate(source)])


class CollectionTexts:
    """The texts of a collection, with one part of it in memory at a time."""

    batch_bytes = BATCH_BYTES

    def __init__(self, collection: Collection, fields: Sequence[str]) -> None:
        self.collection, self.fields = collection, list(fields)
        records = collection.records
        self.ids: list[str] = records["id"].to_list()
        self.dates = [str(day or "") for day in records["publication"].to_list()]
        self.notes: list[str] = []

    def batches(self, wanted: NDArray[np.bool_] | None = None) -> Iterator[TextBatch]:
        rows = None if wanted is None else np.flatnonzero(wanted)
        if rows is not None and not len(rows):
            return
        for part in self.collection.texts(self.fields, rows):
            yield from _joined_texts(part, self.fields, self.batch_bytes)

    def pieces(self, wanted: NDArray[np.bool_] | None = None) -> Iterator[TextBatch | PartTexts]:
        """The documents of each part, to be read elsewhere."""
        rows = np.arange(len(self.ids)) if wanted is None else np.flatnonzero(wanted)
        part, place = (self.collection.records[name].to_numpy()[rows].astype(np.int64) for name in ("part", "place"))
        folder, content = str(self.collection.folder), self.collection.manifest["hash"]
        for some in np.split(np.arange(len(rows)), 1 + np.flatnonzero(np.diff(part))) if len(rows) else ():
            number = int(part[some[0]])
            yield PartTexts(folder, content, self.fields, number, rows[some], place[some], self.batch_bytes)

    def links(self) -> NDArray[np.int64]:
        """How many other documents of the collection cite each; of a crawl, how many other pages link to it."""
        sources, targets = collection_links(self.collection)
        apart, size = sources != targets, len(self.ids)
        return np.bincount(np.unique(sources[apart] * size + targets[apart]) % size, minlength=size)


class MemoryTexts:
    """Texts in memory. A later document with an id that an earlier one has is left out."""

    batch_bytes = BATCH_BYTES

    def __init__(self, items: Sequence[Item]) -> None:
        if not items:
            raise InputError("documents", "has no documents")
        first = {name: place for place, (name, _, _) in reversed(list(enumerate(items)))}
        repeated = len(items) - len(first)
        kept = [item for place, item in enumerate(items) if first[item[0]] == place] if repeated else items
        self.notes = [_repeated(repeated)] if repeated else []
        self.ids = [item[0] for item in kept]
        self.dates = [item[1] for item in kept]
        self._texts = [item[2] for item in kept]
        self._lengths = np.array([len(text) for text in self._texts])

    def batches(self, wanted: NDArray[np.bool_] | None = None) -> Iterator[TextBatch]:
        rows = np.arange(len(self.ids)) if wanted is None else np.flatnonzero(wanted)
        for start, end in cuts(self._lengths[rows], self.batch_bytes):
            some = rows[start:end]
            yield TextBatch(some, [self._texts[row] for row in some.tolist()])

    pieces = batches

    def links(self) -> NDArray[np.int64]:
        raise _no_links()


class ItemTexts:
    """Texts with ids that are read anew each time. A later document with an id that an earlier one has is left out."""

    batch_bytes = BATCH_BYTES

    def __init__(self, items: Iterable[Item], name: str) -> None:
        self.items, self.name = items, name
        self.ids: list[str] = []
        self.dates: list[str] = []
        self.notes: list[str] = []

    def batches(self, wanted: NDArray[np.bool_] | None = None) -> Iterator[TextBatch]:
        self.ids, self.dates, seen = [], [], set[str]()
        rows: list[int] = []
        texts: list[str] = []
        size = repeated = 0
        for name, date, text in self.items:
            if name in seen:
                repeated += 1
                continue
            seen.add(name)
            self.ids.append(name)
            self.dates.append(date)
            if wanted is not None and not wanted[len(self.ids) - 1]:
                continue
            if texts and size + len(text) > self.batch_bytes:
                yield TextBatch(np.array(rows, np.int64), texts)
                rows, texts, size = [], [], 0
            rows.append(len(self.ids) - 1)
            texts.append(text)
            size += len(text)
        if texts:
            yield TextBatch(np.array(rows, np.int64), texts)
        if not self.ids:
            raise InputError(self.name, "has no documents")
        self.notes = list(getattr(self.items, "notes", ()))
        if repeated:
            self.notes.append(_repeated(repeated))

    pieces = batches

    def links(self) -> NDArray[np.int64]:
        raise _no_links()


def _joined_texts(part: pl.DataFrame, fields: Sequence[str], batch_bytes: int) -> Iterator[TextBatch]:
    """Batches of the documents of a table with the column `row`; the fields of each are joined."""
    import polars as pl

    lists = [name for name in fields if isinstance(part.schema[name], pl.List)]
    frame = part.with_columns(pl.col(name).list.join("\n") for name in lists)
    whole = pl.concat_str([pl.col(name).fill_null("") for name in fields], separator="\n")
    joined = frame.select("row", text=whole)
    for start, end in cuts(joined["text"].str.len_bytes().to_numpy().astype(np.int64), batch_bytes):
        piece = joined[start:end]
        yield TextBatch(piece["row"].to_numpy().astype(np.int64), piece["text"].to_list())


def _repeated(count: int) -> str:
    ids = "id" if count == 1 else "ids"
    return f"{count:,} documents with {ids} that an earlier one has were left out"


def _no_links() -> InputError:
    return InputError("--keep", "best-linked needs a collection with citations; use earliest or longest")


@dataclass
class _Files:
    """The documents of a file or folder: a text file is one document, others are read as a build reads them."""

    path: Path
    fields: Sequence[str]
    notes: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Item]:
        broken: list[str] = []
        for path in find_sources([self.path]):
            if _ending(path) in PLAIN:
                yield self._name(path), "", read_text(path).bytes().decode("utf-8", "replace") if _size(path) else ""
            else:
                yield from self._documents(path, broken)
        self.notes = [f"{len(broken):,} could not be read; the first: {broken[0]}"] if broken else []

    def _name(self, path: Path) -> str:
        return path.relative_to(self.path).as_posix() if self.path.is_dir() else path.name

    def _documents(self, path: Path, broken: list[str]) -> Iterator[Item]:
        readers = readers_by_form()
        try:
            for stream in open_streams(path):
                for raw in split(stream.pieces, None, readers):
                    if isinstance(raw, Broken):
                        broken.append(f"{stream.name} at byte {raw.offset}: {raw.reason}")
                        continue
                    try:
                        document = readers[raw.form].read(raw.content, raw.encoding)
                    except (ValueError, RecursionError) as error:
                        broken.append(f"{stream.name} at byte {raw.offset}: {error}")
                        continue
                    yield _item(document, 0, self.fields)
        except InputError as error:
            broken.append(str(error))


def _ending(path: Path) -> str:
    name = path.name.lower()
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return Path(name).suffix


def _size(path: Path) -> int:
    return path.stat().st_size


def _item(document: Document | Mapping[str, Any] | tuple[str, str], place: int, fields: Sequence[str]) -> Item:
    """A document as its id, its date and its text."""
    if isinstance(document, tuple) and len(document) == 2:
        name, date, text = str(document[0]), "", str(document[1])
    elif isinstance(document, Document):
        parts = [_text(getattr(document, name)) for name in fields]
        return document.id, document.publication, "\n".join(parts)
    elif isinstance(document, Mapping):
        name = str(document.get("id") or "")
        text = "\n".join(_text(document.get(each)) for each in ("text", *fields) if document.get(each))
        date = str(document.get("publication") or "")
    else:
        raise InputError(f"document {place + 1}", "must be a Document, a mapping with `id`, or a pair of id and text")
    if not name:
        raise InputError(f"document {place + 1}", "has no id")
    return name, date, text


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "\n".join(getattr(each, "text", each) for each in value or ())
