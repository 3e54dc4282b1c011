"""The tree of a collection: sections, classes, subclasses and groups, or clusters, each with its documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.directory.class_titles import SECTIONS
from leadline.collections.directory.clusters import clusters
from leadline.collections.documents.store import Collection
from leadline.errors import InputError, nearest
from leadline.records.scores.result import Result, counted
from leadline.records.scores.table import Table

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

LEVELS = ("section", "class", "subclass", "group")
LENGTHS = (1, 3, 4, 5)  # of their codes; that of a group has at least this
UNCLASSED = "none"  # the code of the branch of documents without a class
COLUMNS = ("code", "title", "level", "documents", "under")


@dataclass
class Branch:
    """A class or cluster with its documents, those of its branches among them."""

    code: str
    title: str
    level: str  # one of LEVELS; "cluster"; "all" for the whole collection
    rows: NDArray[np.int64]
    branches: list[Branch] = field(default_factory=list)

    def walk(self, depth: int | None = None) -> Iterator[tuple[int, Branch]]:
        """This branch and those under it, each with how deep it is."""
        yield 0, self
        for branch in self.branches if depth != 0 else ():
            for below, each in branch.walk(None if depth is None else depth - 1):
                yield below + 1, each


@dataclass(frozen=True, repr=False)
class Directory(Result):
    """The tree of a collection, or one branch of it."""

    collection: Collection
    root: Branch
    notes: tuple[str, ...] = ()

    def _finding(self) -> str:
        what = (
            f"{self.root.code} {self.root.title}".strip() if self.root.level != "all" else str(self.collection.folder)
        )
        branches = len(self.root.branches)
        return f"{what}: {counted(len(self.root.rows), 'document')} in {branches:,} branch{'es' * (branches != 1)}"

    def table(self, depth: int | None = None) -> Table:
        """A row for each branch under the root, with the branch that it is under."""
        rows = []

        def add(branch: Branch, under: str, left: int | None) -> None:
            for each in branch.branches if left != 0 else ():
                rows.append([each.code, each.title, each.level, len(each.rows), under])
                add(each, each.code, None if left is None else left - 1)

        add(self.root, "" if self.root.level == "all" else self.root.code, depth)
        return Table(COLUMNS, rows)

    def _shown_table(self) -> Table:
        return self.table(2)


def directory(collection: Collection, *, under: str = "", titles: Mapping[str, str] | None = None) -> Directory:
    """The tree of a collection's classes, or what is under one of them.

    A document is under each of its classes, so counts of branches add up to more than the documents. Those without a
    class are gathered in clusters, named by their words. `titles` are those of classes; the sections have their own.
    """
    import polars as pl

    named = {**SECTIONS, **(titles or {})}
    symbols = collection.records.with_row_index("row").select("row", symbol=pl.concat_list("ipc", "cpc"))
    classed = symbols.explode("symbol", empty_as_null=True).drop_nulls().filter(pl.col("symbol") != "")
    known: dict[str, Branch] = {}
    root = Branch("", "all documents", "all", np.arange(len(collection)))
    for level, name in enumerate(LEVELS):
        for code, rows in _by_code(classed, level):
            above = root if level == 0 else known.get(code[: LENGTHS[level - 1]])
            if above is not None:
                known[code] = Branch(code, named.get(code, ""), name, rows)
                above.branches.append(known[code])
    for branch in [root, *known.values()]:
        branch.branches.sort(key=lambda each: (-len(each.rows), each.code) if each.level == "group" else (0, each.code))
    notes = [] if titles or not known else ["only sections have titles: --titles FILE gives those of classes"]
    if under:
        if under not in known:
            close = nearest(under, list(known)) or (f"; there are {', '.join(list(known)[:8])}" if known else "")
            raise InputError("--class", f"no document has the class {under}{close}")
        return Directory(collection, known[under], tuple(notes))
    unclassed = np.setdiff1d(root.rows, classed["row"].unique().to_numpy())
    if len(unclassed):
        gathered = [
            Branch(f"cluster {number}", name, "cluster", rows)
            for number, (name, rows) in enumerate(clusters(collection, unclassed), start=1)
        ]
        if known:
            root.branches.append(Branch(UNCLASSED, "without a class", "cluster", unclassed, gathered))
        else:
            root.branches = gathered
            notes.append("no document has a class: these are clusters, named by their words")
    return Directory(collection, root, tuple(notes))


def _by_code(classed: pl.DataFrame, level: int) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """The documents under each section, class, subclass or group, in the order of codes."""
    import polars as pl

    symbol = pl.col("symbol")
    code = symbol.str.split("/").list.first() if level == 3 else symbol.str.slice(0, LENGTHS[level])
    longer = pl.col("code").str.len_chars() >= LENGTHS[level]
    cut = classed.select("row", code=code).filter(longer).unique().sort("code", "row")
    for symbol_cut, rows in cut.group_by("code", maintain_order=True).agg("row").iter_rows():
        yield symbol_cut, np.array(rows, np.int64)
