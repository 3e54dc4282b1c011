"""The tables of a collection besides its texts: which documents it has, their names, citations and families.

A filter by date or class, or a walk along citations, reads no text. The tables are made a part at a time; what is found
by name, such as the documents that others cite, a range of names at a time (`NamedRows` in `families.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.documents.collection_files import Written, write_pieces
from leadline.collections.documents.document import NO_CLAIMS, OTHER_KINDS
from leadline.collections.documents.families import Families, NamedRows, Room, without_kind

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
        "row",
        "id",
        "key",
        "office",
        "serial",
        "kind",
        "language",
        "title",
        "priority",
        "application",
        "publication",
        pl.coalesce("priority", "application", "earliest").alias("known"),
        pl.when(pl.col("priority").is_not_null())
        .then(pl.lit("priority"))
        .when(pl.col("application").is_not_null())
        .then(pl.lit("application"))
        .when(pl.col("publication").is_not_null())
        .then(pl.lit("publication"))
        .otherwise(pl.lit(""))
        .alias("dated_by"),
        "ipc",
        "cpc",
        "national",
        "applicants",
        "claims",
        "words",
        "literature",
        "part",
        "place",
    )


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


# Which of the documents in the parts of a collection it has, each once, and their rows.


TWICE_SHOWN = 100  # ids in the manifest


@dataclass(frozen=True)
class Replaced:
    """Which documents of an older collection stay: those that are neither deleted nor among the new ones."""

    old_parts: int  # the first parts are those of the older collection
    live: pl.DataFrame  # part and place of each of its documents; the parts may have others, which are dead
    deleted: Sequence[str]  # ids


@dataclass(frozen=True)
class KeptDocuments:
    """The documents of a collection, in the order of their parts. Rows are counted over all parts."""

    parts: Sequence[Path]
    starts: NDArray[np.int64]  # the number of the first document of each part among all, and the number of all
    chosen: NDArray[np.bool_]  # which of all are kept
    first_rows: NDArray[np.int64]  # the row of the first that is kept of each part, and the number of rows

    def __len__(self) -> int:
        return int(self.first_rows[-1])

    def frames(self, *columns: pl.Expr) -> Iterator[pl.DataFrame]:
        """Some columns of the documents of each part, and their rows, parts and places."""
        import polars as pl

        for number, part in enumerate(self.parts):
            chosen = self.chosen[self.starts[number] : self.starts[number + 1]]
            rows = np.arange(self.first_rows[number], self.first_rows[number + 1], dtype=np.uint32)
            frame = pl.scan_parquet(part).select(*columns).with_row_index("place").collect().filter(pl.Series(chosen))
            yield frame.with_columns(row=pl.Series(rows), part=pl.lit(number, pl.UInt32)).with_columns(key=key())


def key() -> pl.Expr:
    """Office and number without the kind, by which citations find a document; the id for an article."""
    import polars as pl

    return pl.when(pl.col("serial") != "").then(pl.col("office") + pl.col("serial")).otherwise(pl.col("id"))


def kept_documents(
    parts: Sequence[Path], room: Room, *, claims_needed: bool, replaced: Replaced | None
) -> tuple[KeptDocuments, tuple[int, int], list[str]]:
    """The documents that are kept, how many are not for want of claims or as copies, and the ids of copies."""
    import polars as pl

    sizes = [int(pl.scan_parquet(part).select(pl.len()).collect().item()) for part in parts]
    starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    has_claims, needs_them, there = (room.numbers(int(starts[-1]), np.bool_) for _ in range(3))
    ids, first_new = NamedRows(room), 0 if replaced is None else int(starts[replaced.old_parts])
    there[:] = True
    for part, (first, last) in zip(parts, pairwise(starts.tolist()), strict=True):
        claims, other = pl.col("claim_numbers").list.len() > 0, pl.col("kind").is_in(OTHER_KINDS)
        frame = pl.scan_parquet(part).select(name="id", claims=claims, other=other).collect()
        has_claims[first:last] = frame["claims"].to_numpy()
        needs_them[first:last] = ~(has_claims[first:last] | frame["other"].to_numpy())
        ids.add(frame.select("name", order=pl.Series(np.arange(first, last, dtype=np.uint32))))
    if replaced is not None:
        there[:first_new] = False
        live = replaced.live.select(pl.col("part").cast(pl.Int64), "place").to_numpy()
        there[starts[live[:, 0]] + live[:, 1]] = True
        gone = pl.DataFrame({"name": replaced.deleted}, schema={"name": pl.String})
        for rows in ids.ranges():
            old, new = rows.filter(pl.col("order") < first_new), rows.filter(pl.col("order") >= first_new)
            replacing = pl.concat([gone, new.select("name")])
            there[old.join(replacing, on="name", how="semi")["order"].to_numpy()] = False
    everything = int(np.count_nonzero(there))
    if claims_needed and (has_claims & there).any():
        there &= ~needs_them
    with_copies, copies = int(np.count_nonzero(there)), pl.DataFrame(schema={"name": pl.String, "order": pl.UInt32})
    for rows in ids.ranges():
        same = rows.filter(pl.Series(there[rows["order"].to_numpy()])).sort("name", "order")
        again = same.filter((same["name"] == same["name"].shift(1)).fill_null(False))
        there[again["order"].to_numpy()] = False
        several = same.join(again.select("name"), on="name", how="semi").unique(
            "name", keep="first", maintain_order=True
        )
        copies = pl.concat([copies, several]).sort("order").head(TWICE_SHOWN)
    kept = np.array([np.count_nonzero(there[first:last]) for first, last in pairwise(starts.tolist())], np.int64)
    first_rows = np.concatenate([[0], np.cumsum(kept)])
    return (
        KeptDocuments(parts, starts, there, first_rows),
        (everything - with_copies, with_copies - int(first_rows[-1])),
        copies["name"].to_list(),
    )


# Every name of a document, and the documents that names stand for.


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


# The citations of a collection: of its documents, of a side table, and those that only cited documents list.


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
            citers = _citing_rows(rows)
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
                yield _citing_rows(rows).with_columns(citing=self._lookup.answers(*answers[number]))

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


def _citing_rows(rows: pl.DataFrame) -> pl.DataFrame:
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
        pl.col("citing").cast(pl.UInt32),
        "number",
        pl.col("cited").cast(pl.UInt32),
        "origin",
        "category",
        "date",
        "citing_number",
        pl.col("citing_family").cast(pl.UInt32),
    )
