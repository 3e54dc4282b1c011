"""The family as the unit of an index: one row for all publications of an invention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.collections.documents.family import without_kind
from leadline.retrieval.index.batches import DAYS, DocumentBatch, joined_claims, number_columns

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

Unit = Literal["document", "family"]
Members = Literal["joined", "first", "longest"]  # whose texts a family has
BLOCK_BYTES = 512 << 20  # of text read at once: members of a family may be far apart in a collection
_BYTES_A_WORD = 6
_ONE, _SEVERAL = (
    ("office", "kind", "language"),
    ("ipc", "cpc", "classes", "applicants"),
)  # columns of one word, and of several


def family_batches(
    collection: Any, fields: Sequence[str], size: int, members: Members, chosen: NDArray[np.int64] | None = None
) -> Iterator[DocumentBatch]:
    """Batches of the families of a collection, in the order of their representatives, whose ids they have.

    The representative is the member published first, or with `members="longest"` the one with most words. A family has
    the representative's text, or with `members="joined"` the texts of all members, the representative's first. It has
    the earliest dates of its members, and all their offices and classes. So a family passes a filter by date if one
    member was published in time, although its joined text has words of later members as well. `chosen` are the places
    of some families in this order (default: all).
    """
    units = _units(collection.records, members)
    if chosen is not None:
        units = units[chosen]
    words = units["words"].to_numpy() * _BYTES_A_WORD
    block = np.cumsum(words) // BLOCK_BYTES
    for (_,), wanted in units.with_columns(block=block).group_by("block", maintain_order=True):
        texts = _texts(collection, fields, wanted)
        weight = sum(int(texts[name].str.len_bytes().sum()) for name in fields)
        step = max(1, len(texts) * size // max(weight, 1))
        for start in range(0, len(texts), step):
            yield _batch(texts[start : start + step], wanted[start : start + step], fields)


def family_ids(records: pl.DataFrame, members: Members) -> list[str]:
    """The ids of the representatives of all families, in the order of `family_batches`."""
    return _units(records, members)["id"].to_list()


def member_sums(records: pl.DataFrame, parts: Sequence[str], members: Members) -> dict[str, int]:
    """For the representative of each family a checksum of the places of all its members, in their order.

    `parts` are the SHA-256 of the collection's parts, so a checksum stays the same as long as all members do.
    """
    places = [
        f"{parts[part]} {place} ".encode()
        for part, place in zip(records["part"].to_list(), records["place"].to_list(), strict=True)
    ]
    units = _units(records, members)
    return {
        name: int.from_bytes(blake2b(b"".join([places[row] for row in rows]), digest_size=8).digest(), signed=True)
        for name, rows in zip(units["id"].to_list(), units["all_rows"].to_list(), strict=True)
    }


def _units(records: pl.DataFrame, members: Members) -> pl.DataFrame:
    """A row per family: the rows of the members whose texts it has, and the metadata of all members."""
    import polars as pl

    order = ("words", "row") if members == "longest" else ("publication", "row")
    taken = pl.col("row") if members == "joined" else pl.col("row").head(1)
    return (
        records.with_columns(classes=pl.concat_list("ipc", "cpc").fill_null([]), number="key")
        .select("id", "family", "words", "number", *DAYS, *_ONE, *_SEVERAL)
        .with_row_index("row")
        .sort(order, descending=[members == "longest", False], nulls_last=True)
        .group_by("family", maintain_order=True)
        .agg(
            pl.col("id").first(),
            first=pl.col("row").first(),
            rows=taken,
            words=pl.col("words").sum(),
            all_rows=pl.col("row"),
            **{name: pl.col(name).filter(pl.col(name) != "").unique(maintain_order=True) for name in (*_ONE, "number")},
            **{name: pl.col(name).explode().drop_nulls().unique(maintain_order=True) for name in _SEVERAL},
            **{name: pl.col(name).min() for name in DAYS},
        )
        .sort("first")
    )


def _texts(collection: Any, fields: Sequence[str], units: pl.DataFrame) -> pl.DataFrame:
    """The texts of these families, a row per family, in their order."""
    import polars as pl

    places = units.select("rows").with_row_index("unit").explode("rows").with_row_index("place")
    parts = list(collection.texts(fields, places["rows"].to_numpy()))
    frame = joined_claims(pl.concat(parts), fields)
    texts = (
        places.join(frame, left_on="rows", right_on="row", how="left", maintain_order="left")
        .group_by("unit", maintain_order=True)
        .agg(pl.col(name).fill_null("").str.join("\n") for name in fields)
    )
    return texts.hstack(_names(collection, units))


def _names(collection: Any, units: pl.DataFrame) -> pl.DataFrame:
    """The inventors of all members of these families, and the numbers that they cite."""
    import polars as pl

    members = units.select("all_rows").with_row_index("unit").explode("all_rows")
    frame = pl.concat(collection.texts(["inventors", "cited_number"], members["all_rows"].to_numpy()))
    joined = members.join(frame, left_on="all_rows", right_on="row", how="left", maintain_order="left")
    named = {"inventors": pl.col("inventors"), "cites": pl.col("cited_number").list.eval(without_kind(pl.element()))}
    grouped = joined.select("unit", **named).group_by("unit", maintain_order=True)
    listed = grouped.agg(pl.col(name).explode().drop_nulls().unique(maintain_order=True) for name in named)
    return listed.select(pl.col(name).list.eval(pl.element().filter(pl.element() != "")) for name in named)


def _batch(texts: pl.DataFrame, units: pl.DataFrame, fields: Sequence[str]) -> DocumentBatch:
    return DocumentBatch(
        ids=units["id"].to_list(),
        texts={name: texts[name].to_list() for name in fields},
        numbers=number_columns(units),
        codes={
            **{name: units[name].to_list() for name in (*_ONE, "number", "ipc", "cpc", "classes")},
            "applicant": units["applicants"].to_list(),
            "inventor": texts["inventors"].to_list(),
            "cites": texts["cites"].to_list(),
        },
    )
