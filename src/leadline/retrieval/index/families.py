"""The family as the unit of an index: one row for all publications of an invention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.retrieval.index.batches import DocumentBatch, joined_claims, number_columns
from leadline.retrieval.index.segment import NUMBERS

if TYPE_CHECKING:
    import polars as pl

Unit = Literal["document", "family"]
Members = Literal["joined", "first", "longest"]  # whose texts a family has
BLOCK_BYTES = 512 << 20  # of text read at once: members of a family may be far apart in a collection
_BYTES_A_WORD = 6


def family_batches(collection: Any, fields: Sequence[str], size: int, members: Members) -> Iterator[DocumentBatch]:
    """Batches of the families of a collection, in the order of their representatives, whose ids they have.

    The representative is the member published first, or with `members="longest"` the one with most words. A family has
    the representative's text, or with `members="joined"` the texts of all members, the representative's first. It has
    the earliest dates of its members, and all their offices and classes. So a family passes a filter by date if one
    member was published in time, although its joined text has words of later members as well.
    """
    units = _units(collection.records, members)
    words = units["words"].to_numpy() * _BYTES_A_WORD
    block = np.cumsum(words) // BLOCK_BYTES
    for (_,), wanted in units.with_columns(block=block).group_by("block", maintain_order=True):
        texts = _texts(collection, fields, wanted)
        weight = sum(int(texts[name].str.len_bytes().sum()) for name in fields)
        step = max(1, len(texts) * size // max(weight, 1))
        for start in range(0, len(texts), step):
            yield _batch(texts[start : start + step], wanted[start : start + step], fields)


def _units(records: pl.DataFrame, members: Members) -> pl.DataFrame:
    """A row per family: the rows of the members whose texts it has, and the metadata of all members."""
    import polars as pl

    days = [name for name in NUMBERS if name != "family"]
    order = ("words", "row") if members == "longest" else ("publication", "row")
    taken = pl.col("row") if members == "joined" else pl.col("row").head(1)
    return (
        records.select("id", "family", "office", "words", *days, classes=pl.concat_list("ipc", "cpc").fill_null([]))
        .with_row_index("row")
        .sort(order, descending=[members == "longest", False], nulls_last=True)
        .group_by("family", maintain_order=True)
        .agg(
            pl.col("id").first(),
            first=pl.col("row").first(),
            rows=taken,
            words=pl.col("words").sum(),
            office=pl.col("office").filter(pl.col("office") != "").unique(maintain_order=True),
            classes=pl.col("classes").explode().drop_nulls().unique(maintain_order=True),
            **{name: pl.col(name).min() for name in days},
        )
        .sort("first")
    )


def _texts(collection: Any, fields: Sequence[str], units: pl.DataFrame) -> pl.DataFrame:
    """The texts of these families, a row per family, in their order."""
    import polars as pl

    places = units.select("rows").with_row_index("unit").explode("rows").with_row_index("place")
    parts = list(collection.texts(fields, places["rows"].to_numpy()))
    frame = joined_claims(pl.concat(parts), fields)
    return (
        places.join(frame, left_on="rows", right_on="row", how="left", maintain_order="left")
        .group_by("unit", maintain_order=True)
        .agg(pl.col(name).fill_null("").str.join("\n") for name in fields)
    )


def _batch(texts: pl.DataFrame, units: pl.DataFrame, fields: Sequence[str]) -> DocumentBatch:
    return DocumentBatch(
        ids=units["id"].to_list(),
        texts={name: texts[name].to_list() for name in fields},
        numbers=number_columns(units),
        codes={name: units[name].to_list() for name in ("office", "classes")},
    )
