"""A small index of patents about cars, baths of acid and beds."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Claim, Document
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.context import SearchContext

ABSTRACTS = [
    "A car with an electric motor.", "A vehicle driven by a battery.", "A bath of acid for etching metal.",
    "Sulphuric solution in which steel is pickled.", "A bed for a baby.", "", "Cot in which an infant sleeps.",
]  # fmt: skip


@pytest.fixture
def abstracts() -> list[str]:
    """The abstracts of the documents of `context`."""
    return ABSTRACTS


@pytest.fixture
def context(tmp_path: Path) -> SearchContext:
    documents = [
        Document(f"EP000000{number}B1", office="EP", serial=f"000000{number}", kind="B1", abstract=text,
                 description="As drawn.", claims=(Claim(1, "A thing."),), publication="1999-01-01")
        for number, text in enumerate(ABSTRACTS)
    ]  # fmt: skip
    write_collection(documents, tmp_path / "collection", {"made": "by a test"}, part=3)
    collection = Collection.open(tmp_path / "collection")
    Index.build(collection, tmp_path / "index", fields=["abstract"], origin=str(tmp_path / "collection"))
    return SearchContext.open(tmp_path / "index")
