"""Simple families: documents of one invention, which claim the same priorities.

A family named by the source is used. Otherwise documents are one family when they claim the same set of earlier
applications; a document that claims none counts as claiming its own application, so that a first filing joins those
that claim only it. Members that a source lists always belong together, and so do publications under one number (the
A1 and the B1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray


def families(documents: pl.DataFrame, given: pl.DataFrame | None = None) -> tuple[NDArray[np.uint32], pl.DataFrame]:
    """The family of each row, and a table of all numbers with a known family, in the collection or not.

    `documents` has the columns row, key, family, relatives, priority_number and application_number; `given` is a side
    table with family and number.
    """
    import polars as pl

    rows = documents.with_columns(key=pl.lit("number ") + pl.col("key"))
    named = rows.filter(pl.col("family") != "").select("row", group=pl.lit("named ") + pl.col("family"))
    own = rows.select("row", group="key")
    listed = rows.select("row", number="relatives").explode("number", empty_as_null=True).drop_nulls()
    outside = listed.select("row", group=pl.lit("number ") + without_kind(pl.col("number")))
    claimed = (
        rows.filter(pl.col("family") == "")
        .select("row", priorities=pl.col("priority_number").list.filter(pl.element() != ""), own="application_number")
        .with_columns(priorities=pl.col("priorities").list.unique().list.sort().list.join(" + "))
        .select("row", group=pl.when(pl.col("priorities") != "").then("priorities").otherwise("own"))
        .filter(pl.col("group") != "")
        .with_columns(group=pl.lit("claims ") + pl.col("group"))
    )
    edges = pl.concat([own, named, outside, claimed])
    numbers = listed["number"].unique().sort()
    if given is not None:
        side_table = given.select(group=pl.lit("beside ") + pl.col("family"), number="number")
        numbers = pl.concat([numbers, side_table["number"]]).unique().sort()
    else:
        side_table = pl.DataFrame(schema={"group": pl.String, "number": pl.String})
    return _components(len(documents), edges, side_table, numbers)


def without_kind(number: pl.Expr) -> pl.Expr:
    """A normalised number without its kind code: US7412705B2 is US7412705."""
    return number.str.replace(r"^([A-Z]{2}.*\d)[A-Z]\d?$", "$1")


def _components(
    documents: int, edges: pl.DataFrame, side_table: pl.DataFrame, numbers: pl.Series
) -> tuple[NDArray[np.uint32], pl.DataFrame]:
    """Families as the connected components of a graph whose nodes are documents and groups."""
    import polars as pl
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    keyed = side_table.select("group", other=pl.lit("number ") + without_kind(pl.col("number")))
    known = pl.lit("number ") + without_kind(pl.col("number"))
    loose = pl.DataFrame({"number": numbers}, schema={"number": pl.String}).select(group=known)["group"]
    names = pl.concat([edges["group"], keyed["group"], keyed["other"], loose]).unique().sort()
    code = pl.DataFrame({"group": names, "node": np.arange(documents, documents + len(names), dtype=np.uint32)})
    edge_nodes = edges.join(code, on="group", how="left")["node"].to_numpy()
    first = keyed.join(code, on="group", how="left")["node"].to_numpy()
    second = keyed.join(code, left_on="other", right_on="group", how="left")["node"].to_numpy()
    from_nodes = np.concatenate([edges["row"].to_numpy(), first])
    to_nodes = np.concatenate([edge_nodes, second])
    size = documents + len(names)
    graph = coo_array((np.ones(len(from_nodes), np.int8), (from_nodes, to_nodes)), shape=(size, size))
    _, component = connected_components(graph, directed=False)
    # Numbered by their first document, so that the same collection always gets the same numbers.
    _, first_seen, dense = np.unique(component, return_index=True, return_inverse=True)
    place = np.empty(len(first_seen), np.uint32)
    place[np.argsort(first_seen)] = np.arange(len(first_seen), dtype=np.uint32)
    family = place[dense]
    outside = loose.to_frame().join(code, on="group", how="left")["node"].to_numpy()
    table = pl.DataFrame({"number": numbers, "family": family[outside] if len(outside) else family[:0]})
    return family[:documents], table
