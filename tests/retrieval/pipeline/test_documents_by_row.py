"""Documents of hits: by their names, or by their rows in the collection once these are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.context import SearchContext


def test_rows_and_names_give_the_same_documents(tmp_path: Path) -> None:
    documents = [Document(f"D{n}", title=f"Film {n}", description="Films. " * n) for n in range(40)]
    write_collection(documents, tmp_path / "documents", {"what": "test"})
    # The index has them in another order, and one that the collection lacks.
    records = [{"id": each.id, "title": each.title} for each in reversed(documents)]
    Index.build([*records, {"id": "GONE", "title": "Film"}], tmp_path / "index", fields=["title"])
    collection = Collection.open(tmp_path / "documents")
    by_name, by_row = (SearchContext(Index.open(tmp_path / "index"), collection) for _ in range(2))
    assert (by_row.collection_rows[:-1] == np.arange(39, -1, -1)).all()
    assert by_row.collection_rows[-1] == -1
    rows = np.array([0, 40, 17, 3])
    found = by_row.documents(rows)
    assert found == by_name.documents(rows)
    assert [each.id if each else None for each in found] == ["D39", None, "D22", "D36"]
