"""A collection on disk: documents by id in milliseconds, and tables of all documents without their texts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.collections.documents.document import Document
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.parts import MANIFEST, VERSION, document_of
from leadline.errors import InputError
from leadline.text.days import parse_date

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Collection:
    """Documents to search, with their bibliographic data.

    `records` has a row for each document, `citations` one for each patent cited, `families` one for each number with a
    known family. Rows are counted from 0 in the order in which the documents were read.
    """

    folder: Path  # the folder of the manifest
    manifest: dict[str, Any]

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Collection:
        """Open a collection that `build` or `write_collection` made."""
        path = Path(folder) / MANIFEST
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(os.fspath(folder), f"is not a collection; {_hint(Path(folder))}") from None
        except (OSError, ValueError) as error:
            raise InputError(str(path), f"cannot be read: {' '.join(str(error).split())}") from None
        if not isinstance(manifest, dict) or manifest.get("what") != "a leadline collection":
            raise InputError(os.fspath(folder), f"is not a collection; {_hint(Path(folder))}")
        if manifest["version"] != VERSION:
            raise InputError(str(path), f"is of version {manifest['version']}, not {VERSION}: build it again")
        collection = cls(Path(folder), manifest)
        for name in (*manifest["tables"], *collection._parts):
            if not (collection.inside / name).exists():
                raise InputError(str(collection.inside / name), "is missing: build the collection again")
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

    @property
    def _parts(self) -> list[str]:
        return [part["file"] for part in self.manifest["parts"]]

    def __len__(self) -> int:
        return self.manifest["counts"]["documents"]

    @cached_property
    def records(self) -> pl.DataFrame:
        return self._table("records")

    @cached_property
    def citations(self) -> pl.DataFrame:
        return self._table("citations")

    @cached_property
    def families(self) -> pl.DataFrame:
        return self._table("families")

    def _table(self, name: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        import polars as pl

        path = self.inside / f"{name}.parquet"
        try:
            return pl.read_parquet(path, columns=list(columns) if columns is not None else None)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise InputError(str(path), f"is damaged: {str(error).splitlines()[0]}") from None

    def document(self, name: str) -> Document:
        """One document by its id, or by its number in any spelling.

        A number without a kind finds the first publication under it.
        """
        import polars as pl

        number = normalise(name)
        names = dict.fromkeys((name, number.id, number.key))
        lookup = pl.scan_parquet(self.inside / "lookup.parquet")
        for asked in names:  # the most exact first
            found = lookup.filter(pl.col("name") == asked).collect()
            if len(found):
                return self._at(found["part"][0], found["place"][0])
        raise InputError(name, f"is not in the collection {self.folder}")

    def _at(self, part: int, place: int) -> Document:
        import polars as pl

        path = self.inside / self._parts[part]
        try:
            return document_of(pl.scan_parquet(path).slice(place, 1).collect().row(0, named=True))
        except (pl.exceptions.PolarsError, OSError) as error:
            raise InputError(str(path), f"is damaged: {str(error).splitlines()[0]}") from None

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
            lost = np.flatnonzero(rows < 0)
            rows[lost] = found([getattr(normalise(asked[at]), spelling) for at in lost.tolist()])
        return rows

    def texts(self, fields: Sequence[str], rows: NDArray[np.integer[Any]] | None = None) -> Iterator[pl.DataFrame]:
        """The texts of documents, one table for each part: the column `row`, and one for each field."""
        import polars as pl

        live = self._table("records", ["part", "place"]).with_row_index("row")
        if rows is not None:
            live = live.filter(pl.col("row").is_in(pl.Series(np.asarray(rows, np.uint32)).implode()))
        for (part,), wanted in live.group_by("part", maintain_order=True):
            texts = pl.scan_parquet(self.inside / self._parts[part]).select(*fields).with_row_index("place")
            yield texts.collect().join(wanted, on="place", maintain_order="left").select("row", *fields)

    def documents(self) -> Iterator[Document]:
        """Every document, with one part at a time in memory."""
        import polars as pl

        live = self._table("records", ["part", "place"])
        for (part,), wanted in live.group_by("part", maintain_order=True):
            frame = pl.read_parquet(self.inside / self._parts[part])
            for row in frame[wanted["place"]].iter_rows(named=True):
                yield document_of(row)

    def select(
        self,
        *,
        before: str = "",
        after: str = "",
        classes: Sequence[str] = (),
        offices: Sequence[str] = (),
    ) -> NDArray[np.bool_]:
        """Which documents were published before or after a day, have one of these classes, are of these offices.

        A class is a section, class, subclass or group and includes everything below it: C07 includes C07D401/04.
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
            chosen &= (records["publication"] > parse_date(after)).fill_null(False).to_numpy()
        if classes:
            pattern = "|".join(f"^{_escaped(symbol)}" for symbol in classes)
            under = pl.element().str.contains(pattern)
            both = records.select(pl.concat_list("ipc", "cpc").list.eval(under).list.any())
            chosen &= both.to_series().fill_null(False).to_numpy()
        if offices:
            chosen &= records["office"].is_in([office.upper() for office in offices]).to_numpy()
        return chosen


def _escaped(symbol: str) -> str:
    import re

    compact = "".join(symbol.upper().split())
    # C07D4 asks for the group 4, not for 40 to 49.
    ending = r"(?:/|$)" if len(compact) > 4 and "/" not in compact else ""
    return re.escape(compact) + ending


def _hint(folder: Path) -> str:
    inside = folder / "collection"  # where a simulated office keeps its own
    return f"did you mean {inside}?" if (inside / MANIFEST).exists() else "`leadline collection build` makes one"
