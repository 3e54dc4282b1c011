"""Every name of a document, and the documents that names stand for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.documents.family import without_kind
from leadline.collections.documents.kept import KeptDocuments
from leadline.collections.documents.named_rows import NamedRows, Room

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

_LAST = 2**31 - 1  # the day of a document without one: it comes last
_ID, _WHOLE, _BARE, _ASKED, _ASKED_BARE = range(5)


class Lookup:
    """The names of documents, the most exact first: the id, the whole number, the number without its kind.

    While the table is made, the documents of all names that were asked for are found.
    """

    def __init__(self, kept: KeptDocuments, room: Room) -> None:
        self._kept, self._room, self._rows = kept, room, NamedRows(room)
        self.asked = 0
        self._exact: NDArray[np.uint32]
        self._loose: NDArray[np.uint32]

    def add(self, records: pl.DataFrame) -> None:
        """The names of some documents."""
        import polars as pl

        whole = pl.when(pl.col("serial") != "").then(pl.concat_str("office", "serial", "kind")).otherwise("id")
        age = pl.col("publication").cast(pl.Int32).fill_null(_LAST)
        for level, name, day in ((_ID, pl.col("id"), 0), (_WHOLE, whole, 0), (_BARE, pl.col("key"), age)):
            self._add(records.select(name=name, number=pl.col("row").cast(pl.UInt64), day=day), level)

    def ask(self, names: pl.Series) -> int:
        """Ask for documents by names; returns the place of the first in the answers."""
        import polars as pl

        first, self.asked = self.asked, self.asked + len(names)
        numbers = np.arange(first, self.asked, dtype=np.uint64)
        asked = pl.DataFrame({"name": names, "number": numbers}, schema={"name": pl.String, "number": pl.UInt64})
        asked = asked.with_columns(day=0, bare=without_kind(pl.col("name")))
        self._add(asked, _ASKED)
        self._add(asked.filter(pl.col("bare") != pl.col("name")).with_columns(name="bare"), _ASKED_BARE)
        return first

    def _add(self, rows: pl.DataFrame, level: int) -> None:
        import polars as pl

        columns = ("name", "number", pl.col("day").cast(pl.Int32), pl.lit(level, pl.UInt8).alias("level"))
        self._rows.add(rows.select(*columns))

    def pieces(self) -> Iterator[pl.DataFrame]:
        """The table, sorted by name: the row, part and place of the document of each name."""
        import polars as pl

        self._exact, self._loose = (self._room.numbers(self.asked, np.uint32) for _ in range(2))
        place = self._places()
        yield pl.DataFrame(schema={"row": pl.UInt32, "name": pl.String, "part": pl.UInt32, "place": pl.UInt32})
        for rows in self._rows.ranges():
            named = rows.filter(pl.col("level") <= _BARE).sort("name", "level", "day", "number")
            named = named.unique("name", keep="first", maintain_order=True)
            found = rows.filter(pl.col("level") > _BARE).join(named.select("name", row="number"), on="name")
            for level, answers in ((_ASKED, self._exact), (_ASKED_BARE, self._loose)):
                some = found.filter(pl.col("level") == level)
                answers[some["number"].to_numpy()] = some["row"].to_numpy() + 1
            row = named["number"].to_numpy().astype(np.uint32)
            part = np.searchsorted(self._kept.first_rows, row, "right") - 1
            yield pl.DataFrame({"row": row, "name": named["name"], "part": part.astype(np.uint32), "place": place[row]})

    def _places(self) -> NDArray[np.uint32]:
        """The place of each row in its part."""
        place = self._room.numbers(len(self._kept), np.uint32)
        for number, first in enumerate(self._kept.first_rows[:-1].tolist()):
            chosen = self._kept.chosen[self._kept.starts[number] : self._kept.starts[number + 1]]
            here = np.flatnonzero(chosen)
            place[first : first + len(here)] = here
        return place

    def answers(self, first: int, count: int) -> pl.Series:
        """The rows of names that were asked for, once `pieces` are made: that publication, else another of its number.

        Null where there is none.
        """
        import polars as pl

        exact, loose = self._exact[first : first + count], self._loose[first : first + count]
        row = np.where(exact > 0, exact, loose)
        return pl.Series(row).replace(0, None) - 1
