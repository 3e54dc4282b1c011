"""The rows of an index that hold the documents of its collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.documents.store import Collection
from leadline.retrieval.index.index import Index

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray


def index_rows(index: Index, collection: Collection) -> NDArray[np.int64]:
    """The row in the index of each row of the collection; -1 for a document that is not in the index.

    Most indexes hold the whole collection in its order. In an index of families a document is in its family's row.
    """
    import polars as pl

    ids = collection.records["id"]
    if len(ids) == len(index) and _same_order(index, ids):
        return np.arange(len(ids))
    places = pl.DataFrame({"id": index.ids, "place": np.arange(len(index))})
    by_id = ids.to_frame("id").join(places, on="id", how="left", maintain_order="left")["place"]
    if index.unit != "family":
        return by_id.fill_null(-1).to_numpy()
    families = pl.DataFrame({"family": index.column("family"), "place": np.arange(len(index))})
    of_records = collection.records.select(pl.col("family").cast(pl.Int64))
    by_family = of_records.join(families.unique("family", keep="first"), on="family", how="left", maintain_order="left")
    return by_family["place"].fill_null(-1).to_numpy()


def _same_order(index: Index, ids: pl.Series) -> bool:
    """Whether the index has these ids in this order; compared as bytes, which needs no Python object per id."""
    if "".join(ids.to_list()).encode() != b"".join(segment.ids.buffer.tobytes() for segment in index.segments):
        return False
    lengths = np.concatenate([np.diff(segment.ids.offsets) for segment in index.segments])
    return bool((ids.str.len_bytes().to_numpy() == lengths).all())
