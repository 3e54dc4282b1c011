"""Counts of a collection: documents by office, kind, year and class, citations by origin, sizes of families."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leadline.collections.documents.store import Collection

if TYPE_CHECKING:
    import polars as pl

VIEWS = ("office", "kind", "year", "section", "class", "subclass", "origin", "category", "family size", "language")
_LEVEL = {"section": 1, "class": 3, "subclass": 4}


def counts(collection: Collection, by: str) -> pl.DataFrame:
    """The number of documents with each value; for origin and category, the number of citations.

    A document counts once for each of its classes.
    """
    import polars as pl

    records = collection.records
    if by in _LEVEL:
        symbols = records.select("id", symbol=pl.concat_list("ipc", "cpc")).explode("symbol", empty_as_null=True)
        prefix = symbols.drop_nulls().select("id", value=pl.col("symbol").str.slice(0, _LEVEL[by])).unique()
        return _counted(prefix["value"])
    if by in ("origin", "category"):
        return _counted(collection.citations[by])
    if by == "year":
        return _counted(records["publication"].dt.year().cast(pl.String).fill_null("unknown")).sort("value")
    if by == "family size":
        sizes = records.group_by("family").len()["len"]
        return _counted(sizes.cast(pl.String)).sort(pl.col("value").cast(pl.Int64))
    return _counted(records[by])


def _counted(values: pl.Series) -> pl.DataFrame:
    import polars as pl

    named = (
        values.alias("value")
        .to_frame()
        .with_columns(value=pl.when(pl.col("value") == "").then(pl.lit("not given")).otherwise(pl.col("value")))
    )
    return named.group_by("value").len("count").sort("count", "value", descending=[True, False])


def summary(collection: Collection) -> list[tuple[str, Any]]:
    """The figures that describe the collection as a whole."""
    manifest, records = collection.manifest, collection.records
    tallies = manifest["counts"]
    found = [
        ("documents", len(collection)),
        ("families", tallies["families"]),
        ("claims", int(records["claims"].sum())),
        ("words", int(records["words"].sum())),
        ("patents cited", tallies["citations"]),
        ("  of them in the collection", tallies["citations inside"]),
        ("literature cited", int(records["literature"].sum())),
        ("first published", str(records["publication"].min() or "not known")),
        ("last published", str(records["publication"].max() or "not known")),
        ("without a priority date: dated by filing", tallies["dated by filing"]),
        ("  dated by publication", tallies["dated by publication"]),
        ("  not dated", tallies["not dated"]),
        ("broken", manifest["broken"]),
    ]
    return found + [(f"dropped: {reason}", count) for reason, count in manifest["dropped"].items()]
