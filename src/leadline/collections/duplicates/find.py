"""Find near-duplicates: the texts compared, groups that are nearly the same, and whether they are families."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Protocol, TypeAlias, get_args

import numpy as np

from leadline.collections.choices import COMPARED_FIELDS, PLACES, WIDEST_SHINGLE, By, Keep
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.collection_files import MANIFEST
from leadline.collections.documents.document import Document
from leadline.collections.documents.registry import Broken, readers_by_form
from leadline.collections.documents.sources import find_sources, open_streams
from leadline.collections.documents.splitting import split
from leadline.collections.duplicates.grouping import (
    Groups,
    Likeness,
    ShingleSets,
    StoredBands,
    StoredSets,
    join_alike,
    pairs_in_bands,
    pairs_in_several_bands,
    pairs_with_rare_shingles,
    shared_bands,
)
from leadline.collections.duplicates.sketches import (
    UNITS,
    Bands,
    ShingleHashes,
    bands,
    check_places,
    sketched_bands,
)
from leadline.collections.links.reading import collection_links
from leadline.errors import InputError, checked_choice
from leadline.options import Bounds, Count, Part
from leadline.records.result import Result, Table, counted
from leadline.text.files import readable_size
from leadline.text.memory import cuts
from leadline.text.owned_files import IDENTITY
from leadline.text.sheet import read_sheet
from leadline.text.source import COMPRESSED, read_text
from leadline.text.spread import LargestDocument, MemoryBudget, MemoryLike, Spread, spread_here

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

# The texts that are compared: those of a collection, of files and folders, or of objects in memory.


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

        table = _open_unchanged(self.folder, self.content).tables()[self.part]  # the parts come first
        frame = table.read(self.fields)[self.places].with_columns(row=pl.Series(self.rows))
        yield from _joined_texts(frame, self.fields, self.batch_bytes)


@lru_cache(maxsize=1)
def _open_unchanged(folder: str, content: str) -> Collection:
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


def open_texts(source: TextSource, fields: Sequence[str] = COMPARED_FIELDS) -> Texts:
    """The texts of a collection or its folder, of files and folders, or of documents in memory."""
    for name in fields:
        checked_choice("fields", name, COMPARED_FIELDS)
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
        self.notes = [f"{counted(len(broken), 'problem')} in reading; the first: {broken[0]}"] if broken else []

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


Progress = Callable[[int, int, str], None]
# Measured with benchmarks/memory.py: the memory of the libraries, of each document, and of each byte of a batch.
BASE_BYTES, BYTES_A_DOCUMENT, BYTES_A_BYTE = 200_000_000, 500, 12
BYTES_A_LETTER = 40  # of each byte of a batch whose tokens are letters
SMALLEST_BATCH = 1 << 20
COLUMNS = ("group", "document", "resemblance", "kept")


@dataclass(frozen=True, repr=False)
class Duplicates(Result):
    """The documents that have a near-duplicate, group by group, the kept copy first.

    `entries` are (group, document, resemblance, kept): groups are numbered from 1, the largest first; the resemblance
    is to the kept copy of the group, exact, and 1 for that copy itself.
    """

    entries: Sequence[tuple[int, str, float, bool]]
    documents: int
    pairs_compared: int
    bands: Bands | None  # None: every pair that can be alike was compared
    resemblance: float
    notes: tuple[str, ...] = ()

    @property
    def groups(self) -> int:
        return self.entries[-1][0] if self.entries else 0

    @property
    def superfluous(self) -> int:
        """How many documents go if one of each group is kept."""
        return len(self.entries) - self.groups

    @property
    def share(self) -> float:
        """The share of all documents that are superfluous."""
        return self.superfluous / self.documents

    @cached_property
    def group_of(self) -> dict[str, int]:
        """The group of each document that has a duplicate."""
        return {document: group for group, document, _, _ in self.entries}

    def table(self) -> Table:
        """A row for each document that has a duplicate."""
        return Table(COLUMNS, [list(entry) for entry in self.entries])

    def _finding(self) -> str:
        if not self.entries:
            return f"no near-duplicates among {counted(self.documents, 'document')}"
        return (
            f"{100 * self.share:.1f} % of {counted(self.documents, 'document')} are near-duplicates of another that is "
            f"kept: {counted(len(self.entries), 'document')} in {counted(self.groups, 'group')}"
        )

    def _shown_table(self) -> Table:
        return self.table()


def duplicates(
    source: TextSource,
    *,
    shingle: Annotated[int, Bounds(1, WIDEST_SHINGLE)] = 4,
    resemblance: Part = 0.8,
    by: By = "words",
    exact: bool = False,
    containment: Part | None = None,
    keep: Keep = "earliest",
    fields: Sequence[str] = COMPARED_FIELDS,
    places: Count = PLACES,
    progress: Progress | None = None,
    spread: Spread | None = None,
    memory: MemoryLike = None,
) -> Duplicates:
    """Groups of documents whose shingles are nearly the same.

    source: a collection; or a file or folder: JSON lines and other forms of `collection build`, and text files
    shingle: tokens of a shingle
    resemblance: smallest resemblance of near-duplicates
    by: tokens
    exact: miss no pair: slower, and holds all shingles in memory
    containment: also group a document with one that contains this share of its shingles; implies `exact`
    keep: copy to keep of each group
    fields: fields to compare: title, abstract, claims, description (default: all)
    places: numbers in a sketch, a power of 2
    memory: most memory to hold, such as 2GB or 500MB; larger work is done in parts (default: no limit)

    The source may also be a mapping from ids to texts, or documents in memory. Two documents are near-duplicates if
    `resemblance` of the shingles that either has are in both; with `containment`, also if so much of the smaller is in
    the larger. Groups are what hangs together by such pairs. Pairs are found by sketches and compared exactly; `exact`
    finds all without sketches, as `containment` does. With `memory`, batches become smaller, and the groups are the
    same. `spread` hashes the texts elsewhere.

    >>> found = duplicates({"a": "one two three four five", "b": "One two three, four FIVE.", "c": "six"})
    >>> found.entries
    [(1, 'a', 1.0, True), (1, 'b', 1.0, False)]
    """
    if not 1 <= shingle <= WIDEST_SHINGLE:
        raise InputError("shingle", f"must be from 1 to {WIDEST_SHINGLE}, got {shingle}")
    for name, share in (("resemblance", resemblance), ("containment", containment)):
        if share is not None and not 0 < share <= 1:
            raise InputError(name, f"must be above 0 and at most 1, got {share}")
    checked_choice("by", by, list(UNITS))
    checked_choice("keep", keep, get_args(Keep))
    check_places(places)
    alike = Likeness(resemblance, containment)
    cut = None if exact or containment is not None else bands(resemblance, places)
    texts = open_texts(source, fields)
    if keep == "best-linked":
        _ = texts.links()  # refused before anything is read
    budget = MemoryBudget.of(memory)
    a_byte = BYTES_A_LETTER if by == "letters" else BYTES_A_BYTE
    folder = _keep_to(texts, budget, cut, a_byte)
    with ExitStack() as stack:
        sets = stack.enter_context(closing(StoredSets(folder)))
        stored = None if cut is None else stack.enter_context(closing(StoredBands(cut.count, folder)))
        pieces = texts.batches if spread is None else texts.pieces
        spread = spread or spread_here
        seen = _warn_of_largest(pieces(), LargestDocument(budget, texts.batch_bytes, a_byte))
        read = spread(_hashed, ((piece,) for piece in seen), shingle, by, places, cut)
        first = _first_reading(read, texts, stored, sets, progress)
        total = len(first.tokens)
        groups = Groups(total)
        same = first.same_text()
        distinct = (same == np.arange(total)) & (first.tokens > 0)
        if stored is not None:
            distinct = shared_bands(stored, distinct, spread)
            for several in spread(_shingles_of, ((piece,) for piece in pieces(distinct)), shingle, by):
                for found in several:
                    sets.append(*found)
                    _step(progress, int(found[0][-1]) + 1, total, "comparing")
        opened = ShingleSets(*sets.opened(total))
        if stored is None or cut is None:
            pairs = pairs_with_rare_shingles(opened, distinct, alike)
        elif cut.least == 1:
            pairs = pairs_in_bands(stored, distinct, groups)
        else:
            pairs = pairs_in_several_bands(stored, distinct, cut.least)
        compared = join_alike(groups, pairs, opened, alike)
        has_text = np.flatnonzero(first.tokens > 0)
        groups.join(has_text, same[has_text])
        entries = _entries(texts, groups.labels, first.tokens, same, opened, keep)
    notes = [*texts.notes, *first.notes(shingle, by)]
    if cut is not None:
        notes.append(
            f"a pair at the resemblance {resemblance:g} is missed with a probability of {cut.missed(resemblance):.1g} "
            f"({cut}); --exact misses none"
        )
    return Duplicates(entries, total, compared, cut, resemblance, tuple(notes))


def _keep_to(texts: Texts, budget: MemoryBudget | None, cut: Bands | None, bytes_a_byte: int) -> str | None:
    """Make the batches of texts small enough for a budget; return the folder for temporary files."""
    if budget is None:
        return None
    if cut is None:
        raise InputError("--memory", "cannot be kept by --exact or --containment, which hold all shingles in memory")
    # Pairs that must be equal in several bands are counted with the order of all bands in memory.
    a_document = BYTES_A_DOCUMENT + (8 * cut.count if cut.least > 1 else 0)
    fixed = BASE_BYTES + a_document * len(texts.ids)
    budget.require(fixed + SMALLEST_BATCH * bytes_a_byte, f"duplicates among {counted(len(texts.ids), 'document')}")
    texts.batch_bytes = min(BATCH_BYTES, (budget.size - fixed) // bytes_a_byte)
    budget.state(f"batches of {readable_size(texts.batch_bytes)} of text, bands and shingles in temporary files")
    return budget.folder


def _warn_of_largest(
    pieces: Iterator[TextBatch] | Iterator[TextBatch | PartTexts], largest: LargestDocument
) -> Iterator[TextBatch | PartTexts]:
    """The same pieces, with a warning where a single text is too large for the budget."""
    for piece in pieces:
        if isinstance(piece, TextBatch) and len(piece.texts) == 1:
            largest.see(len(piece.texts[0]))
        yield piece


@dataclass(frozen=True)
class _Read:
    """What the first reading tells of each document."""

    tokens: NDArray[np.int64]
    fingerprints: NDArray[np.uint64]

    def same_text(self) -> NDArray[np.int64]:
        """For each document the first with the same shingles in the same order: itself, if there is no other."""
        _, first, which = np.unique(self.fingerprints, return_index=True, return_inverse=True)
        return first[which]

    def notes(self, width: int, by: By) -> list[str]:
        empty, short = int((self.tokens == 0).sum()), int(((self.tokens > 0) & (self.tokens < width)).sum())
        said = []
        if empty:
            said.append(f"{counted(empty, 'document')} without text: never a duplicate")
        if short:
            said.append(f"{counted(short, 'document')} with fewer than {width} {by}: only equal ones are duplicates")
        return said


def _first_reading(
    read: Iterator[list[_HashedBatch]],
    texts: Texts,
    stored: StoredBands | None,
    sets: StoredSets,
    progress: Progress | None,
) -> _Read:
    """Take what was read of every document: the number of tokens, and bands, or shingles where there are no bands."""
    tokens: list[NDArray[np.int64]] = []
    fingerprints: list[NDArray[np.uint64]] = []
    for batch in chain.from_iterable(read):
        tokens.append(batch.tokens)
        fingerprints.append(batch.fingerprints)
        if stored is not None and batch.bands is not None:
            stored.append(batch.bands)
        elif batch.sets is not None:
            sets.append(batch.rows, *batch.sets)
        _step(progress, int(batch.rows[-1]) + 1, len(texts.ids), "reading")
    if not tokens:
        raise InputError("duplicates", "there are no documents")
    return _Read(np.concatenate(tokens), np.concatenate(fingerprints))


@dataclass(frozen=True)
class _HashedBatch:
    """What is kept of some texts: their bands, or their shingles where there are no bands."""

    rows: NDArray[np.int64]
    tokens: NDArray[np.int64]
    fingerprints: NDArray[np.uint64]
    bands: NDArray[np.uint64] | None
    sets: tuple[NDArray[np.uint64], NDArray[np.int64]] | None


def _hashed(piece: TextBatch | PartTexts, width: int, by: By, places: int, cut: Bands | None) -> list[_HashedBatch]:
    return [_hashed_batch(batch, width, by, places, cut) for batch in piece.batches()]


def _hashed_batch(batch: TextBatch, width: int, by: By, places: int, cut: Bands | None) -> _HashedBatch:
    shingles = ShingleHashes.of(batch.texts, width, by)
    bands = None if cut is None else sketched_bands(shingles, places, cut)
    sets = shingles.sets() if cut is None else None
    return _HashedBatch(batch.rows, shingles.tokens, shingles.fingerprints, bands, sets)


def _shingles_of(
    piece: TextBatch | PartTexts, width: int, by: By
) -> list[tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64]]]:
    return [(batch.rows, *ShingleHashes.of(batch.texts, width, by).sets()) for batch in piece.batches()]


def _step(progress: Progress | None, done: int, total: int, what: str) -> None:
    if progress is not None:
        progress(done, max(done, total), what)


def _entries(
    texts: Texts,
    labels: NDArray[np.int64],
    tokens: NDArray[np.int64],
    same: NDArray[np.int64],
    sets: ShingleSets,
    keep: Keep,
) -> list[tuple[int, str, float, bool]]:
    def alike(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
        found = np.ones(len(first))
        differ = same[first] != same[second]
        found[differ] = sets.resemblance(same[first][differ], same[second][differ])
        return found

    # The preference of each copy, smallest first; equal ones in the order of reading.
    if keep == "earliest":
        rank = np.array([date or "9999" for date in texts.dates])
    else:
        rank = -(tokens if keep == "longest" else texts.links())
    return entries_of_groups(texts.ids, labels, tokens > 0, rank, alike)


def entries_of_groups(
    ids: Sequence[str],
    labels: NDArray[np.int64],
    has_text: NDArray[np.bool_],
    rank: NDArray[Any],
    alike: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]],
) -> list[tuple[int, str, float, bool]]:
    """The members of every group: the largest group first, in it the kept copy first, then by resemblance to it.

    The copy of the smallest `rank` is kept, the first of equal ones; `alike` says how much documents resemble others.
    """
    sizes = np.bincount(labels, minlength=len(labels))
    members = np.flatnonzero((sizes[labels] > 1) & has_text)
    if not len(members):
        return []
    order = np.lexsort((members, np.unique(rank[members], return_inverse=True)[1], labels[members]))
    members = members[order]
    begins = np.flatnonzero(np.r_[True, np.diff(labels[members]) != 0])
    counts = np.diff(np.append(begins, len(members)))
    kept = np.repeat(members[begins], counts)
    shares = alike(members, kept)
    # Largest groups first; those of one size in the order of their kept copies.
    place = np.empty(len(begins), np.int64)
    place[np.lexsort((members[begins], -counts))] = np.arange(len(begins))
    group = np.repeat(place, counts)
    final = np.lexsort((members, -shares, members != kept, group))
    return [
        (int(group[at]) + 1, ids[members[at]], float(shares[at]), bool(members[at] == kept[at]))
        for at in final.tolist()
    ]


# Whether groups of near-duplicates are patent families: precision and recall over pairs of documents.


class FamilyScores(NamedTuple):
    """How the pairs within groups agree with those within families."""

    precision: float  # of the pairs in one group, the share in one family
    recall: float  # of the pairs in one family, the share in one group
    recall_of_pairs: float  # of the pairs that are named as related, the share in one group


def read_pairs(path: str | os.PathLike[str], kind: str) -> list[tuple[str, str]]:
    """The pairs of one type in a table with the columns citing, cited and type."""
    sheet = read_sheet(path)
    citing, cited, types = (sheet.labels(sheet.pick((name,))) for name in ("citing", "cited", "type"))
    return [(a, b) for a, b, type_ in zip(citing, cited, types, strict=True) if type_ == kind]


def compare_with_families(
    found: Duplicates, pairs: Iterable[tuple[str, str]], documents: Sequence[str]
) -> FamilyScores:
    """Compare groups with families: what hangs together by pairs of relatives that are both among the documents.

    >>> from leadline.collections.duplicates.find import duplicates
    >>> same = duplicates({"a": "one two", "b": "one two", "c": "one two", "d": "three"})
    >>> compare_with_families(same, [("a", "b"), ("c", "d")], "abcd")
    FamilyScores(precision=0.3333333333333333, recall=0.5, recall_of_pairs=0.5)
    """
    place = {name: row for row, name in enumerate(documents)}
    inside = [(place[a], place[b]) for a, b in pairs if a in place and b in place and a != b]
    first, second = np.array(inside, np.int64).reshape(-1, 2).T
    families = Groups(len(documents))
    families.join(first, second)
    # A document without a duplicate is a group of its own.
    groups = np.array([found.group_of.get(name, -1 - row) for row, name in enumerate(documents)], np.int64)
    both = np.unique(np.stack([groups, families.labels]), axis=1, return_counts=True)[1]
    together = _pairs(both)
    grouped = _pairs(np.unique(groups, return_counts=True)[1])
    related = _pairs(np.unique(families.labels, return_counts=True)[1])
    named = float(np.mean(groups[first] == groups[second])) if len(first) else float("nan")
    return FamilyScores(_share(together, grouped), _share(together, related), named)


def _pairs(sizes: np.ndarray) -> int:
    """How many pairs there are in groups of these sizes."""
    return int((sizes * (sizes - 1) // 2).sum())


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
