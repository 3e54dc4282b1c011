"""Which of the documents in the parts of a collection it has, each once, and their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.documents.document import OTHER_KINDS
from leadline.collections.documents.named_rows import NamedRows, Room

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

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
