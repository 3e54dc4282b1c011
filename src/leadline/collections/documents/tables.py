"""The tables of a collection besides its texts: records, citations, families, and where each document is.

A filter by date or class, or a walk along citations, reads no text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.collections.documents.column_sums import Written, write_table
from leadline.collections.documents.document import OTHER_KINDS
from leadline.collections.documents.family import families, without_kind
from leadline.collections.documents.keep import NO_CLAIMS

if TYPE_CHECKING:
    import polars as pl

_NARROW = (
    "id", "office", "serial", "kind", "language", "title", "application", "publication", "application_number",
    "ipc", "cpc", "national", "family", "relatives", "citers", "applicants", "priority_number", "priority_date",
    "words",
)  # fmt: skip
TWICE = "listed twice"
TWICE_SHOWN = 100  # ids in the manifest
LOOKUP_ROWS = 8192  # in a row group: the amount that is unpacked to find one name


@dataclass(frozen=True)
class Replaced:
    """Which documents of an older collection stay: those that are neither deleted nor among the new ones."""

    old_parts: int  # the first parts are those of the older collection
    live: pl.DataFrame  # part and place of each of its documents; the parts may have others, which are dead
    deleted: Sequence[str]  # ids

    def left(self, narrow: pl.DataFrame) -> pl.DataFrame:
        import polars as pl

        old, new = narrow.filter(pl.col("part") < self.old_parts), narrow.filter(pl.col("part") >= self.old_parts)
        gone = pl.concat([pl.Series("id", self.deleted, pl.String), new["id"]])
        stay = old.join(self.live, on=["part", "place"], how="semi", maintain_order="left")
        return pl.concat([stay.filter(~pl.col("id").is_in(gone.implode())), new])


def write_tables(
    parts: Sequence[Path],
    folder: Path,
    side_citations: pl.DataFrame | None = None,
    side_families: pl.DataFrame | None = None,
    *,
    claims_needed: bool = False,
    replaced: Replaced | None = None,
) -> tuple[dict[str, int], dict[str, Written], list[str]]:
    """Write the tables; return the counts of the manifest, the checksums of each table, and ids that are there twice.

    With `claims_needed`, patents without claims are left out if any document has claims; with `replaced`, documents of
    an older collection that were deleted or are there anew.
    """
    import polars as pl

    narrow = pl.concat([_narrow(part, place) for place, part in enumerate(parts)]).collect()
    if replaced is not None:
        narrow = replaced.left(narrow)
    everything = len(narrow)
    if claims_needed and (narrow["claims"] > 0).any():
        narrow = narrow.filter((pl.col("claims") > 0) | pl.col("kind").is_in(OTHER_KINDS))
    with_copies = len(narrow)
    twice = narrow.filter(pl.col("id").is_duplicated())["id"].unique(maintain_order=True).head(TWICE_SHOWN).to_list()
    narrow = narrow.unique("id", keep="first", maintain_order=True).with_row_index("row")
    narrow = narrow.with_columns(key=_key())
    family, known_families = families(narrow, side_families)
    records = _records(narrow).with_columns(family=pl.Series(family))
    names = _names(records)
    lookup = names.join(narrow.select("row", "part", "place"), on="row", how="left").sort("name")
    citations = _resolved(_citations(parts, narrow, names, side_citations), names)
    citations = _with_citers(citations, narrow, names, records, known_families)
    own = records.filter(pl.col("serial") != "").select("family", number=pl.concat_str("office", "serial", "kind"))
    known_families = pl.concat([own.select("number", "family"), known_families]).unique("number", maintain_order=True)
    written = {
        "records": write_table(records.drop("row"), folder / "records.parquet"),
        "citations": write_table(citations, folder / "citations.parquet"),
        "families": write_table(known_families.sort("number"), folder / "families.parquet"),
        "lookup": write_table(lookup, folder / "lookup.parquet", sorted_by="name", row_group_size=LOOKUP_ROWS),
    }
    counts = {
        "documents": len(records),
        NO_CLAIMS: everything - with_copies,
        TWICE: with_copies - len(records),
        "families": int(records["family"].n_unique()),
        "citations": len(citations),
        "citations inside": int(citations["cited"].is_not_null().sum()),
        "dated by filing": int((records["dated_by"] == "application").sum()),
        "dated by publication": int((records["dated_by"] == "publication").sum()),
        "not dated": int(records["known"].is_null().sum()),
    }
    return counts, written, twice


def _narrow(part: Path, place: int) -> pl.LazyFrame:
    import polars as pl

    return (
        pl.scan_parquet(part)
        .select(
            *_NARROW,
            claims=pl.col("claim_numbers").list.len(),
            literature=pl.col("cited_number").list.count_matches(""),
        )
        .with_row_index("place")
        .with_columns(part=pl.lit(place, pl.UInt32))
    )


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


def _key() -> pl.Expr:
    """Office and number without the kind, by which citations find a document; the id for an article."""
    import polars as pl

    return pl.when(pl.col("serial") != "").then(pl.col("office") + pl.col("serial")).otherwise(pl.col("id"))


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


def _citations(
    parts: Sequence[Path], narrow: pl.DataFrame, names: pl.DataFrame, side_table: pl.DataFrame | None
) -> pl.DataFrame:
    """Every citation of a patent, one per row, with the row of the citing document."""
    import polars as pl

    fields = ("number", "origin", "category", "date")
    live = narrow.select("part", "place", citing="row")
    exploded = pl.concat(
        [
            pl.scan_parquet(part)
            .select(pl.col(f"cited_{field}").alias(field) for field in fields)
            .with_row_index("place")
            .filter(pl.col("number").list.len() > 0)
            .explode(*fields)
            .filter(pl.col("number") != "")
            .with_columns(part=pl.lit(place, pl.UInt32))
            for place, part in enumerate(parts)
        ]
    ).collect()
    found = exploded.join(live, on=["part", "place"], how="inner", maintain_order="left").select("citing", *fields)
    if side_table is None:
        return found
    named = _found(side_table.with_columns(asked="citing"), names).filter(pl.col("found").is_not_null())
    more = named.select(citing="found", **{field: pl.col(field) for field in fields})
    return pl.concat([found, more]).sort("citing", maintain_order=True)


def _names(records: pl.DataFrame) -> pl.DataFrame:
    """Every name of a document, the most exact first: its id, its whole number, its number without a kind."""
    import polars as pl

    whole = pl.when(pl.col("serial") != "").then(pl.concat_str("office", "serial", "kind")).otherwise("id")
    by_age = records.sort("publication", "row", nulls_last=True)
    names = [
        records.select("row", name="id"),
        records.select("row", name=whole),
        by_age.select("row", name="key"),
    ]
    return pl.concat(names).unique("name", keep="first", maintain_order=True)


def _found(asked: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """The row of the document that each `asked` names: that publication, else another with the same number."""
    import polars as pl

    exact = names.select(asked="name", exact="row")
    loose = names.select(bare="name", loose="row")
    return (
        asked.with_columns(bare=without_kind(pl.col("asked")))
        .join(exact, on="asked", how="left", maintain_order="left")
        .join(loose, on="bare", how="left", maintain_order="left")
        .with_columns(found=pl.coalesce("exact", "loose"))
        .drop("exact", "loose", "bare", "asked")
    )


def _resolved(citations: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """Citations with the row of the cited document if it is in the collection."""
    resolved = _found(citations.with_columns(asked="number"), names)
    return resolved.select("citing", "number", "origin", "category", "date", cited="found")


def _with_citers(
    citations: pl.DataFrame, narrow: pl.DataFrame, names: pl.DataFrame, records: pl.DataFrame, outside: pl.DataFrame
) -> pl.DataFrame:
    """The citations, and those that only the source of the cited document lists.

    If the citing document is not in the collection, `citing` is null and `citing_family` is its family.
    """
    import polars as pl

    listed = narrow.select(cited="row", asked="citers").explode("asked", empty_as_null=True).drop_nulls("asked")
    whole = records.select(cited="row", number=pl.concat_str("key", "kind"))
    listed = listed.with_columns(citing_number="asked").join(whole, on="cited", how="left")
    found = _found(listed, names)
    inside = (
        found.filter(pl.col("found").is_not_null())
        .rename({"found": "citing"})
        .join(citations.select("citing", "cited"), on=["citing", "cited"], how="anti")
        .select("citing", "number", "cited")
    )
    families = outside.with_columns(bare=without_kind(pl.col("number"))).unique("bare", maintain_order=True)
    not_inside = (
        found.filter(pl.col("found").is_null())
        .with_columns(bare=without_kind(pl.col("citing_number")))
        .join(families.select("bare", citing_family="family"), on="bare")
        .select("number", "cited", "citing_number", "citing_family")
    )
    unknown = {"origin": pl.lit("unknown"), "category": pl.lit(""), "date": pl.lit("")}
    more = pl.concat([inside, not_inside], how="diagonal").with_columns(**unknown)
    return pl.concat([citations, more], how="diagonal").select(
        "citing", "number", "cited", "origin", "category", "date",
        pl.col("citing_number").fill_null(""), "citing_family",
    )  # fmt: skip
