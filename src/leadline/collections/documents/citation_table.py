"""The citations of a collection: of its documents, of a side table, and those that only cited documents list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.documents.family import Families
from leadline.collections.documents.kept import KeptDocuments
from leadline.collections.documents.lookup import Lookup
from leadline.collections.documents.named_rows import Room

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

_FIELDS = ("number", "origin", "category", "date")


class CitationRows:
    """Every citation of a patent, one per row, with the rows of both documents if they are in the collection."""

    def __init__(self, kept: KeptDocuments, lookup: Lookup, room: Room, beside: pl.DataFrame | None) -> None:
        self._kept, self._lookup, self._room, self._beside = kept, lookup, room, beside
        self._first: list[tuple[int, int]] = []  # the answers for what each part cites
        self._citers: list[tuple[int, int, int]] = []  # parts that list who cites them, and the answers for those
        self._beside_first = (0, 0)

    def ask(self) -> None:
        """Ask for all documents that are cited, or are said to cite."""
        import polars as pl

        for number, rows in enumerate(self._kept.frames(*_cited(), *_own_number(), pl.col("citers"))):
            cited = _exploded(rows)
            self._first.append((self._lookup.ask(cited["number"]), len(cited)))
            citers = _listed(rows)
            if len(citers):
                self._citers.append((number, self._lookup.ask(citers["citing_number"]), len(citers)))
        if self._beside is not None:
            self._beside_first = self._lookup.ask(self._beside["citing"]), self._lookup.ask(self._beside["number"])

    def ask_families(self, families: Families) -> None:
        """Ask for the families of citing documents that are not in the collection."""
        import polars as pl

        for rows in self._with_citers():
            families.ask(rows.filter(pl.col("citing").is_null())["citing_number"])

    def pieces(self, of_citers: NDArray[np.int64], counts: dict[str, int]) -> Iterator[pl.DataFrame]:
        """The table; the counts of citations are added to. `of_citers` are the families that were asked for."""
        for piece in self._pieces(of_citers):
            counts["citations"] += len(piece)
            counts["citations inside"] += int(piece["cited"].is_not_null().sum())
            yield piece

    def _pieces(self, of_citers: NDArray[np.int64]) -> Iterator[pl.DataFrame]:
        import polars as pl

        pairs = _Pairs(self._with_citers())
        beside = self._of_side_table()
        yield _in_shape(
            pl.DataFrame(schema={"citing": pl.UInt32, **dict.fromkeys(_FIELDS, pl.String), "cited": pl.UInt32})
        )
        for (first, count), rows in zip(self._first, self._kept.frames(*_cited(), *_own_number()), strict=True):
            found = _exploded(rows).with_columns(cited=self._lookup.answers(first, count))
            if beside is not None:
                low, high = rows["row"].min(), rows["row"].max()
                more = beside.filter(pl.col("citing").is_between(low, high)) if len(rows) else beside[:0]
                found = pl.concat([found, more]).sort("citing", maintain_order=True)
            pairs.note(found)
            yield _in_shape(found)
        unknown = {"origin": pl.lit("unknown"), "category": pl.lit(""), "date": pl.lit("")}
        at = 0
        for rows in self._with_citers():
            new = rows.filter(pl.Series(~pairs.is_known[at : at + len(rows)]))
            at += len(rows)
            yield _in_shape(new.filter(pl.col("citing").is_not_null()).drop("citing_number").with_columns(**unknown))
        at = 0
        for rows in self._with_citers():
            outside = rows.filter(pl.col("citing").is_null())
            family = pl.Series("citing_family", of_citers[at : at + len(outside)])
            at += len(outside)
            known = outside.with_columns(family, **unknown).filter(pl.col("citing_family") >= 0)
            yield _in_shape(known)

    def _with_citers(self) -> Iterator[pl.DataFrame]:
        """Who is said to cite the documents of each part: the columns cited, number, citing_number and citing."""
        import polars as pl

        if not self._citers:
            return
        answers = {number: (first, count) for number, first, count in self._citers}
        for number, rows in enumerate(self._kept.frames(*_own_number(), pl.col("citers"))):
            if number in answers:
                yield _listed(rows).with_columns(citing=self._lookup.answers(*answers[number]))

    def _of_side_table(self) -> pl.DataFrame | None:
        import polars as pl

        if self._beside is None:
            return None
        citing, cited = (self._lookup.answers(first, len(self._beside)) for first in self._beside_first)
        table = self._beside.select(*_FIELDS).with_columns(citing=citing, cited=cited)
        return table.filter(pl.col("citing").is_not_null()).select("citing", *_FIELDS, "cited")


class _Pairs:
    """Which of the citations that cited documents list are among those of citing documents, too."""

    def __init__(self, listed: Iterator[pl.DataFrame]) -> None:
        pairs = [_pairs_of(rows) for rows in listed]
        self._pairs = np.concatenate(pairs) if pairs else np.empty(0, np.int64)
        self.is_known = np.zeros(len(self._pairs), np.bool_)
        self._order = np.argsort(self._pairs)
        self._sorted = self._pairs[self._order]

    def note(self, citations: pl.DataFrame) -> None:
        """Some citations of documents."""
        if len(self._pairs) and len(citations):
            found = np.unique(_pairs_of(citations))
            first, last = (np.searchsorted(self._sorted, found, side) for side in ("left", "right"))
            for low, high in zip(first[last > first].tolist(), last[last > first].tolist(), strict=True):
                self.is_known[self._order[low:high]] = True


def _pairs_of(citations: pl.DataFrame) -> NDArray[np.int64]:
    """A number for each pair of documents; -1 where one of them is not in the collection."""
    import polars as pl

    pair = pl.col("citing").cast(pl.Int64) * (1 << 32) + pl.col("cited").cast(pl.Int64)
    return citations.select(pair.fill_null(-1)).to_series().to_numpy()


def _cited() -> list[pl.Expr]:
    import polars as pl

    return [pl.col(f"cited_{field}").alias(field) for field in _FIELDS]


def _own_number() -> list[pl.Expr]:
    import polars as pl

    return [pl.col(name) for name in ("id", "office", "serial", "kind")]


def _exploded(rows: pl.DataFrame) -> pl.DataFrame:
    """What documents cite, one citation per row."""
    import polars as pl

    some = rows.filter(pl.col("number").list.len() > 0).select("row", *_FIELDS).explode(*_FIELDS)
    return some.filter(pl.col("number") != "").rename({"row": "citing"})


def _listed(rows: pl.DataFrame) -> pl.DataFrame:
    """Who cites documents, as they list it, one citation per row."""
    import polars as pl

    listed = rows.select(cited="row", number=pl.concat_str("key", "kind"), citing_number="citers")
    return listed.explode("citing_number", empty_as_null=True).drop_nulls("citing_number")


def _in_shape(citations: pl.DataFrame) -> pl.DataFrame:
    """Citations with all columns of the table."""
    import polars as pl

    more = {"citing_number": pl.lit(""), "citing_family": pl.lit(None)}
    missing = {name: value for name, value in more.items() if name not in citations.columns}
    return citations.with_columns(**missing).select(
        pl.col("citing").cast(pl.UInt32), "number", pl.col("cited").cast(pl.UInt32), "origin", "category", "date",
        "citing_number", pl.col("citing_family").cast(pl.UInt32),
    )  # fmt: skip
