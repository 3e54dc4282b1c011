"""Topics that are patents outside the collection: read from a file, with their day and their families."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

from leadline.collections.documents.build import build
from leadline.collections.documents.document import Document
from leadline.collections.documents.family import without_kind
from leadline.collections.documents.store import Collection
from leadline.retrieval.index.segment import MISSING
from leadline.text.days import day_number

if TYPE_CHECKING:
    import polars as pl


def read_patents(path: str | os.PathLike[str]) -> Iterator[Document]:
    """The documents of a file in any form that `leadline collection build` reads, even if parts are missing."""
    with tempfile.TemporaryDirectory() as folder:
        build([path], folder, keep="all")
        yield from Collection.open(folder).documents()


def day_of(document: Document) -> int:
    """The day of a patent's latest priority, else of its filing, else of its publication, in days since 1970.

    >>> day_of(Document("X", application="1970-02")), day_of(Document("X", publication="1970")), day_of(Document("X"))
    (31, 364, -2147483648)
    """
    written = document.priority or document.application
    if written:
        return day_number(written)  # the first day of a month or year, so that no later document is found
    return day_number(document.publication, late=True) if document.publication else int(MISSING)


class FamilyFinder:
    """Finds the family of a patent that is not in the collection, by the rules of `documents/family.py`."""

    def __init__(self, collection: Collection) -> None:
        import polars as pl

        self.collection = collection
        claims = pl.concat(collection.texts(["family", "priority_number", "application_number"]))
        numbers = pl.col("priority_number").list.filter(pl.element() != "")
        priorities = numbers.list.unique().list.sort().list.join(" + ")
        self.claims = claims.select(
            named="family",
            claims=pl.when(priorities != "").then(priorities).otherwise("application_number"),
            family=pl.lit(collection.records["family"]).gather(pl.col("row")),
        )

    def families(self, document: Document) -> tuple[int, ...]:
        """The families of the collection that the document belongs to: none, one, or several that it joins."""
        import polars as pl

        numbers = [*document.relatives, document.office + document.serial + document.kind, document.id]
        claimed = " + ".join(sorted({priority.number for priority in document.priorities if priority.number}))
        same = (pl.col("claims") == (claimed or document.application_number)) & (pl.col("claims") != "")
        named = (pl.col("named") == document.family) & (pl.col("named") != "")
        rows = self.collection.rows(numbers)
        families = [
            *self.claims.filter(same | named)["family"].to_list(),
            *self.collection.records["family"].gather(rows[rows >= 0]).to_list(),
            *self._listed(numbers).to_list(),
        ]
        return tuple(sorted(set(map(int, families))))

    def _listed(self, numbers: list[str]) -> pl.Series:
        """The families whose lists of members have one of these numbers, with any kind code."""
        import polars as pl

        wanted = pl.DataFrame({"number": numbers}).select(bare=without_kind(pl.col("number"))).unique()
        members = self.collection.families.with_columns(bare=without_kind(pl.col("number")))
        return members.join(wanted, on="bare", how="semi")["family"]
