"""A collection on disk: documents by id in milliseconds, and tables of all documents without their texts."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.collections.documents.column_sums import FIX, CheckedTable, sums_name
from leadline.collections.documents.document import Document
from leadline.collections.documents.manifest import files_of, read_manifest
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.parts import document_of
from leadline.errors import InputError
from leadline.records.scores.result import Result, counted
from leadline.text.days import parse_date
from leadline.text.owned_folder import identity_of

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

CRAWL_KIND, INSIDE_CRAWL = "crawl", "collection"  # the folder of a crawl has its collection in this one


@dataclass(frozen=True, repr=False)
class Collection(Result):
    """Documents to search, with their bibliographic data.

    `records` has a row for each document, `citations` one for each patent cited, `families` one for each number with a
    known family. Rows are counted from 0 in the order in which the documents were read.
    """

    folder: Path  # the folder of the manifest
    manifest: dict[str, Any]

    def _finding(self) -> str:
        counts = self.manifest["counts"]
        return f"{self.folder}: {counted(len(self), 'document')}, {counts['families']:,} families"

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Collection:
        """Open a collection that `build`, `write_collection` or a crawl made."""
        place = _collection_of_crawl(Path(folder))
        collection = cls(place, read_manifest(place))
        if collection.inside.is_symlink():
            raise InputError(str(collection.inside), f"is a link, expected a folder of the collection: {FIX}")
        found: set[str] = set()
        with contextlib.suppress(OSError), os.scandir(collection.inside) as entries:
            found.update(entry.name for entry in entries)
        for name in files_of(collection.manifest):
            if name not in found:
                raise InputError(str(collection.inside / name), f"is missing: {FIX}")
        return collection

    @classmethod
    def build(
        cls, sources: Iterable[str | os.PathLike[str]], folder: str | os.PathLike[str], **options: Any
    ) -> Collection:
        """Make a collection from files, folders and archives, and open it. `options` are those of `build.build`."""
        from leadline.collections.documents.build import build

        build(sources, folder, **options)
        return cls.open(folder)

    @property
    def inside(self) -> Path:
        """The folder of the parts and tables."""
        return self.folder / self.manifest["folder"]

    @cached_property
    def _files(self) -> dict[str, CheckedTable]:
        """The parts and tables, by the names of their files."""
        tables = {part["file"]: part["sha256"] for part in self.manifest["parts"]} | self.manifest["tables"]
        sums = self.manifest.get("checksums", {})
        return {
            name: CheckedTable(self.inside / name, sha256, sums.get(sums_name(name))) for name, sha256 in tables.items()
        }

    def tables(self) -> list[CheckedTable]:
        """The parts and tables as files, for a check of them."""
        return list(self._files.values())

    def check_bounds(self) -> None:
        """Raise InputError where the tables do not fit the parts or each other."""
        for part in self.manifest["parts"]:
            if len(self._files[part["file"]].read(["id"])) != part["documents"]:
                raise InputError(str(self.inside / part["file"]), f"is damaged, it has other documents: {FIX}")
        for name in ("records", "lookup"):
            self._table(name)
        _ = self.citations, self.families

    def _part(self, number: int) -> CheckedTable:
        parts = self.manifest["parts"]
        if not 0 <= number < len(parts):
            raise InputError(str(self.inside), f"is damaged, a table names part {number} of {len(parts)}: {FIX}")
        return self._files[parts[number]["file"]]

    def __len__(self) -> int:
        return self.manifest["counts"]["documents"]

    @cached_property
    def records(self) -> pl.DataFrame:
        return self._table("records")

    @cached_property
    def citations(self) -> pl.DataFrame:
        citations = self._table("citations")
        for column in ("citing", "cited"):
            self._check_numbers("citations", citations[column], len(self))
        return citations

    @cached_property
    def families(self) -> pl.DataFrame:
        return self._table("families")

    def records_at(self, rows: NDArray[np.integer[Any]], columns: Sequence[str]) -> pl.DataFrame:
        """Some columns of the records in some rows, for which only the row groups around them are read."""
        if not len(rows):
            return self._files["records.parquet"].rows(0, 1, columns)[:0]
        first = int(rows.min())
        frame = self._files["records.parquet"].rows(first, int(rows.max()) + 1, columns)
        return self._within_bounds("records", frame[(rows - first).astype(np.int64)])

    def _table(self, name: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """A table, or some of its columns."""
        table = self._files[f"{name}.parquet"]
        frame = table.read(columns)
        if name == "records" and len(frame) != len(self):
            raise InputError(str(table.path), f"is damaged, it has {len(frame)} rows for {len(self)} documents: {FIX}")
        return self._within_bounds(name, frame)

    def _within_bounds(self, name: str, frame: pl.DataFrame) -> pl.DataFrame:
        """What was read of a table; InputError where a number of a document or part is not one of the collection."""
        if "row" in frame.columns:
            self._check_numbers(name, frame["row"], len(self))
        if "part" in frame.columns:
            self._check_numbers(name, frame["part"], len(self.manifest["parts"]))
            sizes = np.array([part["documents"] for part in self.manifest["parts"]], np.int64)
            place, size = frame["place"].to_numpy(), sizes[frame["part"].to_numpy()]
            if len(place) and not (place < size).all():
                path = self._files[f"{name}.parquet"].path
                raise InputError(str(path), f"is damaged, it names a document that no part has: {FIX}")
        return frame

    def _check_numbers(self, name: str, numbers: pl.Series, count: int) -> None:
        """Raise InputError unless all numbers of a column are below a count, or null."""
        highest = numbers.max()
        if not numbers.dtype.is_unsigned_integer() or (isinstance(highest, int) and highest >= count):
            path = self._files[f"{name}.parquet"].path
            raise InputError(str(path), f"is damaged, `{numbers.name}` has numbers outside the collection: {FIX}")

    def document(self, name: str) -> Document:
        """One document by its id, or by its number in any spelling.

        A number without a kind finds the first publication under it.
        """
        return self.documents_named([name])[0]

    def documents_named(self, names: Sequence[str]) -> list[Document]:
        """Some documents, each named as `document` takes it."""
        documents = []
        for name, document in zip(names, self.documents_there(names), strict=True):
            if document is None:
                raise InputError(name, f"is not in the collection {self.folder}")
            documents.append(document)
        return documents

    def documents_there(self, names: Sequence[str]) -> list[Document | None]:
        """Some documents, each named as `document` takes it; None for one that is not there."""
        spellings = []
        for name in names:
            number = normalise(name)
            spellings.append(dict.fromkeys((name, number.id, number.key)))  # the most exact first
        asked = sorted({spelling for each in spellings for spelling in each})
        found = self._files["lookup.parquet"].named(asked) if asked else None
        places: dict[str, tuple[int, int]] = {}
        for name, part, place in found.select("name", "part", "place").iter_rows() if found is not None else ():
            places.setdefault(name, (part, place))
        documents: list[Document | None] = []
        for each in spellings:
            at = next((places[spelling] for spelling in each if spelling in places), None)
            table = self._part(at[0]) if at else None
            documents.append(_document(table.row(at[1]), table.path) if at and table else None)
        return documents

    def documents_at(self, rows: Sequence[int]) -> list[Document]:
        """The documents in some rows; quicker than by name once `records` are read."""
        places = self.records.select("part", "place")[list(rows)].iter_rows()
        tables = ((self._part(part), place) for part, place in places)
        return [_document(table.row(place), table.path) for table, place in tables]

    def rows(self, names: Iterable[str]) -> NDArray[np.int64]:
        """The row of each name, in any spelling; -1 for one that is not there."""
        import polars as pl

        lookup = self._table("lookup", ["name", "row"])

        def found(asked: Sequence[str]) -> NDArray[np.int64]:
            frame = pl.DataFrame({"name": asked}, schema={"name": pl.String})
            joined = frame.join(lookup, on="name", how="left", maintain_order="left")
            return joined["row"].cast(pl.Int64).fill_null(-1).to_numpy()

        asked = [name.encode("utf-8", "replace").decode() for name in names]  # a file need not be UTF-8
        rows = found(asked).copy()
        for spelling in ("id", "key"):
            missing = np.flatnonzero(rows < 0)
            rows[missing] = found([getattr(normalise(asked[at]), spelling) for at in missing.tolist()])
        return rows

    def texts(self, fields: Sequence[str], rows: NDArray[np.integer[Any]] | None = None) -> Iterator[pl.DataFrame]:
        """The texts of documents, one table for each part: the column `row`, and one for each field."""
        import polars as pl

        live = self._table("records", ["part", "place"]).with_row_index("row")
        if rows is not None:
            live = live.filter(pl.col("row").is_in(pl.Series(np.asarray(rows, np.uint32)).implode()))
        for part, wanted in _by_part(live):
            texts = self._part(part).read(fields).with_row_index("place")
            yield texts.join(wanted, on="place", maintain_order="left").select("row", *fields)

    def documents(self) -> Iterator[Document]:
        """Every document, with one part at a time in memory."""
        live = self._table("records", ["part", "place"])
        for part, wanted in _by_part(live):
            table = self._part(part)
            for row in table.read()[wanted["place"]].iter_rows(named=True):
                yield _document(row, table.path)

    def select(
        self,
        *,
        before: str = "",
        after: str = "",
        classes: Sequence[str] = (),
        offices: Sequence[str] = (),
    ) -> NDArray[np.bool_]:
        """Which documents were published before or after a day, have one of these classes, are of these offices.

        Of a month or a year, before its first day or after its last. A class is a section, class, subclass or group and
        includes everything below it: C07 includes C07D401/04.
        """
        import polars as pl

        columns = ["publication"] * bool(before or after) + ["ipc", "cpc"] * bool(classes) + ["office"] * bool(offices)
        chosen = np.ones(len(self), np.bool_)
        if not columns:
            return chosen
        records = self._table("records", columns)
        if before:
            chosen &= (records["publication"] < parse_date(before)).fill_null(False).to_numpy()
        if after:
            chosen &= (records["publication"] > parse_date(after, late=True)).fill_null(False).to_numpy()
        if classes:
            pattern = "|".join(f"^{_escaped(symbol)}" for symbol in classes)
            under = pl.element().str.contains(pattern)
            both = records.select(pl.concat_list("ipc", "cpc").list.eval(under).list.any())
            chosen &= both.to_series().fill_null(False).to_numpy()
        if offices:
            chosen &= records["office"].is_in([office.upper() for office in offices]).to_numpy()
        return chosen


def _by_part(live: pl.DataFrame) -> Iterator[tuple[int, pl.DataFrame]]:
    """Documents with their parts and places, a part at a time: records are in the order of their parts."""
    parts = live["part"].to_numpy()
    bounds = [0, *(np.flatnonzero(np.diff(parts)) + 1).tolist(), len(parts)] if len(parts) else []
    for first, last in pairwise(bounds):
        yield int(parts[first]), live[first:last]


def _collection_of_crawl(folder: Path) -> Path:
    """The collection in the folder of a crawl; any other folder as it is."""
    owned = identity_of(folder)
    if owned is None or owned.kind != CRAWL_KIND:
        return folder
    if not (folder / INSIDE_CRAWL).is_dir():
        raise InputError(str(folder), f"is a crawl without documents yet: `leadline crawl -o {folder}` goes on with it")
    return folder / INSIDE_CRAWL


def _document(row: dict[str, Any], path: Path) -> Document:
    try:
        return document_of(row)
    except (ValueError, TypeError, KeyError):
        raise InputError(str(path), f"is damaged, its columns are not those of documents: {FIX}") from None


def _escaped(symbol: str) -> str:
    import re

    compact = "".join(symbol.upper().split())
    # C07D4 is group 4, not 40 to 49.
    ending = r"(?:/|$)" if len(compact) > 4 and "/" not in compact else ""
    return re.escape(compact) + ending
