"""The tables of a collection besides its texts: records, citations, families, and where each document is.

A filter by date or class, or a walk along citations, reads no text. The tables are made a part at a time; what is found
by name, such as the documents that others cite, a range of names at a time (`named_rows.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.documents.citation_table import CitationRows
from leadline.collections.documents.column_sums import Written, write_pieces
from leadline.collections.documents.family import Families
from leadline.collections.documents.keep import NO_CLAIMS
from leadline.collections.documents.kept import KeptDocuments, Replaced, kept_documents
from leadline.collections.documents.lookup import Lookup
from leadline.collections.documents.named_rows import Room

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

_NARROW = (
    "id", "office", "serial", "kind", "language", "title", "application", "publication", "application_number",
    "ipc", "cpc", "national", "family", "relatives", "applicants", "priority_number", "priority_date", "words",
)  # fmt: skip
TWICE = "listed twice"
LOOKUP_ROWS = 8192  # in a row group: the amount that is unpacked to find one name
ROWS = 100_000  # of the other tables


def write_tables(
    parts: Sequence[Path],
    folder: Path,
    side_citations: pl.DataFrame | None = None,
    side_families: pl.DataFrame | None = None,
    *,
    claims_needed: bool = False,
    replaced: Replaced | None = None,
    room: Room | None = None,
) -> tuple[dict[str, int], dict[str, Written], list[str]]:
    """Write the tables; return the counts of the manifest, the checksums of each table, and ids that are there twice.

    With `claims_needed`, patents without claims are left out if any document has claims; with `replaced`, documents of
    an older collection that were deleted or are there anew. `room` says how much is in memory at once.
    """
    room = room or Room(folder)
    kept, left_out, twice = kept_documents(parts, room, claims_needed=claims_needed, replaced=replaced)
    lookup, families = Lookup(kept, room), Families(len(kept), room, side_families)
    citations = CitationRows(kept, lookup, room, side_citations)
    for rows in kept.frames(*_narrow()):
        records = _records(rows)
        lookup.add(records)
        families.add(rows)
    citations.ask()
    written = {
        "lookup": write_pieces(lookup.pieces(), folder / "lookup.parquet", rows=LOOKUP_ROWS, sorted_by="name"),
    }
    citations.ask_families(families)
    family, of_citers = families.found()
    counts = {"documents": len(kept), NO_CLAIMS: left_out[0], TWICE: left_out[1]}
    counts |= dict.fromkeys(("families", "citations", "citations inside", *_DATED, "not dated"), 0)
    counts["families"] = int(family[: len(kept)].max(initial=0)) + 1 if len(kept) else 0
    written |= {
        "records": write_pieces(_dated(kept, family, counts), folder / "records.parquet", rows=ROWS),
        "citations": write_pieces(citations.pieces(of_citers, counts), folder / "citations.parquet", rows=ROWS),
        "families": write_pieces(families.numbers(family), folder / "families.parquet", rows=ROWS),
    }
    return counts, written, twice


_DATED = {"dated by filing": "application", "dated by publication": "publication"}


def _narrow() -> list[pl.Expr]:
    """The columns of a part that the records need."""
    import polars as pl

    return [
        *map(pl.col, _NARROW),
        pl.col("claim_numbers").list.len().alias("claims"),
        pl.col("cited_number").list.count_matches("").alias("literature"),
    ]


def _dated(kept: KeptDocuments, family: NDArray[np.uint32], counts: dict[str, int]) -> Iterator[pl.DataFrame]:
    """The records of each part with their families; how they are dated is added to the counts."""
    import polars as pl

    for rows in kept.frames(*_narrow()):
        records = _records(rows).with_columns(family=pl.Series(family[rows["row"].to_numpy()]))
        for name, by in _DATED.items():
            counts[name] += int((records["dated_by"] == by).sum())
        counts["not dated"] += int(records["known"].is_null().sum())
        yield records.drop("row")


def _records(narrow: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    priority = _first_day(pl.col("priority_date").list.max())
    application, publication = _first_day(pl.col("application")), _last_day(pl.col("publication"))
    dated = narrow.with_columns(
        priority=priority, application=application, publication=publication, earliest=_first_day(pl.col("publication"))
    )
    return dated.select(
        "row", "id", "key", "office", "serial", "kind", "language", "title", "priority", "application", "publication",
        pl.coalesce("priority", "application", "earliest").alias("known"),
        pl.when(pl.col("priority").is_not_null()).then(pl.lit("priority"))
        .when(pl.col("application").is_not_null()).then(pl.lit("application"))
        .when(pl.col("publication").is_not_null()).then(pl.lit("publication")).otherwise(pl.lit("")).alias("dated_by"),
        "ipc", "cpc", "national", "applicants", "claims", "words", "literature", "part", "place",
    )  # fmt: skip


def _first_day(date: pl.Expr) -> pl.Expr:
    """A date as its first possible day, if only the month or year is known, so that no later document is found."""
    import polars as pl

    return pl.concat_str(date, pl.lit("-01-01")).str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)


def _last_day(date: pl.Expr) -> pl.Expr:
    """A date as its last possible day: a document published in some year may not have existed before its end."""
    import polars as pl

    first = _first_day(date)
    length = date.str.len_bytes()
    return (
        pl.when(length >= 10)
        .then(first)
        .when(length >= 7)
        .then(first.dt.month_end())
        .otherwise(first.dt.offset_by("11mo").dt.month_end())
    )
