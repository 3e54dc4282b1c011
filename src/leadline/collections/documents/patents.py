"""The interface of a collection for topics and judgements: its tables, and the patents that are topics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from leadline.records.topics.topic import Topic


class Patents(Protocol):
    """The tables of a collection: documents, their citations, and families with members outside the collection."""

    @property
    def records(self) -> pl.DataFrame: ...

    @property
    def citations(self) -> pl.DataFrame: ...

    @property
    def families(self) -> pl.DataFrame: ...

    def rows(self, names: Iterable[str]) -> NDArray[np.integer[Any]]:
        """The row of each name, in any spelling; -1 for one that is not there."""
        ...


def located(topics: Iterable[Topic], patents: Patents) -> pl.DataFrame:
    """The row in the collection of every topic that is a patent in it: columns topic and row, in the topics' order."""
    import polars as pl

    asked = list(topics)
    rows = patents.rows([topic.patent for topic in asked])
    names = [topic.id.encode("utf-8", "replace").decode() for topic in asked]  # a file need not be UTF-8
    table = pl.DataFrame({"topic": names, "row": rows.tolist()}, strict=False)
    return table.cast({"topic": pl.String, "row": pl.Int64}).filter(pl.col("row") >= 0).cast({"row": pl.UInt32})


def citing_family(records: pl.DataFrame) -> pl.Expr:
    """The family of the citing document of a citation, which may be outside the collection."""
    import polars as pl

    inside = pl.lit(records["family"]).gather(pl.col("citing"))
    return pl.coalesce(inside, "citing_family")


def row_numbers() -> pl.Expr:
    """The place of each row in its table, as the tables refer to one another."""
    import polars as pl

    return pl.int_range(pl.len(), dtype=pl.UInt32)
