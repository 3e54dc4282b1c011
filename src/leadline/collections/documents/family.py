"""Simple families: documents of one invention, which claim the same priorities.

A family named by the source is used. Otherwise documents are one family when they claim the same set of earlier
applications; a document that claims none counts as claiming its own application, so that a first filing joins those
that claim only it. Members that a source lists always belong together, and so do publications under one number (the
A1 and the B1).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.documents.components import first_of, unite
from leadline.collections.documents.named_rows import NamedRows, Room

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray


class Families:
    """The families of documents: the connected components of a graph whose nodes are documents and families.

    Documents are joined by the names of groups: numbers, families that a source names, and sets of priorities. `given`
    is a side table with family and number, whose families are nodes behind those of the documents.
    """

    def __init__(self, documents: int, room: Room, given: pl.DataFrame | None = None) -> None:
        import polars as pl

        self._documents, self._room = documents, room
        self._groups, self._numbers = NamedRows(room), NamedRows(room)
        self._asked = 0
        self._nodes = documents
        if given is not None:
            names = given["family"].unique().sort()
            code = pl.DataFrame(
                {"family": names, "node": np.arange(documents, documents + len(names), dtype=np.uint32)}
            )
            beside = given.join(code, on="family", how="left", maintain_order="left")
            self._nodes += len(names)
            self._add_groups(beside.select("node", name=_group_of(pl.col("number"))))
            self._add_numbers(beside.select("node", name="number"), own=False)

    def add(self, rows: pl.DataFrame) -> None:
        """Some documents: their rows and numbers, what they claim, and what they are said to be related to."""
        import polars as pl

        documents = rows.rename({"row": "node"})
        named = documents.filter(pl.col("family") != "").select("node", name=pl.lit("named ") + pl.col("family"))
        listed = documents.select("node", name="relatives").explode("name", empty_as_null=True).drop_nulls()
        claimed = (
            documents.filter(pl.col("family") == "")
            .select("node", each=pl.col("priority_number").list.filter(pl.element() != ""), own="application_number")
            .with_columns(each=pl.col("each").list.unique().list.sort().list.join(" + "))
            .select("node", name=pl.when(pl.col("each") != "").then("each").otherwise("own"))
            .filter(pl.col("name") != "")
            .with_columns(name=pl.lit("claims ") + pl.col("name"))
        )
        own = documents.select("node", name=pl.lit("number ") + pl.col("key"))
        outside = listed.with_columns(name=_group_of(pl.col("name")))
        self._add_groups(pl.concat([own, named, outside, claimed]))
        whole = pl.concat_str("office", "serial", "kind")
        self._add_numbers(documents.filter(pl.col("serial") != "").select("node", name=whole), own=True)
        self._add_numbers(listed, own=False)

    def ask(self, numbers: pl.Series) -> None:
        """Numbers of which no document is there, whose families are asked for; `found` answers in their order."""
        import polars as pl

        slots = np.arange(self._asked, self._asked + len(numbers), dtype=np.uint32)
        frame = pl.DataFrame({"node": slots, "number": numbers}, schema={"node": pl.UInt32, "number": pl.String})
        self._groups.add(frame.select("node", name=_group_of(pl.col("number")), asks=pl.lit(True)))
        self._asked += len(numbers)

    def _add_groups(self, rows: pl.DataFrame) -> None:
        import polars as pl

        self._groups.add(rows.select("node", "name", asks=pl.lit(False)))

    def _add_numbers(self, rows: pl.DataFrame, *, own: bool) -> None:
        import polars as pl

        self._numbers.add(rows.select("node", "name", listed=pl.lit(not own)))

    def found(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """The family of each node, and of each number that was asked for; -1 where it is not known.

        Families are numbered by their first document, so that the same collection always gets the same numbers.
        """
        import polars as pl

        above = self._room.numbers(self._nodes, np.uint32)  # a node of the same family, or the node itself
        above[:] = np.arange(self._nodes, dtype=np.uint32)
        answers = np.full(self._asked, -1, np.int64)
        for rows in self._groups.ranges():
            edges = rows.filter(~pl.col("asks")).sort("name", "node")
            if not len(edges):
                continue
            begins = (edges["name"] != edges["name"].shift(1)).fill_null(True).to_numpy()
            nodes = edges["node"].to_numpy()
            first = nodes[begins][np.cumsum(begins) - 1]  # the first of each group
            unite(above, nodes, first)
            asked = rows.filter("asks").rename({"node": "slot"})
            if len(asked):
                known = asked.join(edges.filter(pl.Series(begins)), on="name")
                answers[known["slot"].to_numpy()] = known["node"].to_numpy()
        family = _numbered(above, self._room)
        there = answers >= 0
        answers[there] = family[answers[there]]
        return family, answers

    def numbers(self, family: NDArray[np.uint32]) -> Iterator[pl.DataFrame]:
        """All numbers with a known family, of documents in the collection or not, in their order."""
        import polars as pl

        yield pl.DataFrame(schema={"number": pl.String, "family": pl.UInt32})
        for rows in self._numbers.ranges():
            each = rows.sort("name", "listed", "node").unique("name", keep="first", maintain_order=True)
            yield pl.DataFrame({"number": each["name"], "family": family[each["node"].to_numpy()]})


def without_kind(number: pl.Expr) -> pl.Expr:
    """A normalised number without its kind code: US7412705B2 is US7412705."""
    return number.str.replace(r"^([A-Z]{2}.*\d)[A-Z]\d?$", "$1")


def _group_of(number: pl.Expr) -> pl.Expr:
    """The group of all publications under a number."""
    import polars as pl

    return pl.lit("number ") + without_kind(number)


def _numbered(above: NDArray[np.uint32], room: Room) -> NDArray[np.uint32]:
    """The number of each node's family, counted by the first nodes of families."""
    number, count = room.numbers(len(above), np.uint32), 0
    step = 1 << 20  # nodes at a time: what is computed of them takes more memory than the numbers
    for start in range(0, len(above), step):
        nodes = np.arange(start, min(start + step, len(above)), dtype=np.uint32)
        is_first = above[nodes] == nodes
        number[nodes] = count + np.cumsum(is_first, dtype=np.uint32) - is_first
        count += int(np.count_nonzero(is_first))
    for start in range(0, len(above), step):
        nodes = np.arange(start, min(start + step, len(above)), dtype=np.uint32)
        number[nodes] = number[first_of(above, nodes)]
    return number
