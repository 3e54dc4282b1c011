"""Families may change when documents are added: the index follows, or the wrong documents would be hidden."""

from __future__ import annotations

from pathlib import Path

import pytest

import leadline as ll
from leadline.cli import main
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Document

FIRST = [
    Document("EP1A1", "EP", "0000001", "A1", title="ink on paper"),
    Document("US2A", "US", "2", "A", title="ink on glass"),
]
STRANGER = Document("DE3A1", "DE", "3", "A1", title="steel")
RELATIVE = Document("DE4A1", "DE", "4", "A1", title="ink", relatives=("EP0000001A1", "US2A"))


@pytest.fixture
def folders(tmp_path: Path) -> tuple[str, str]:
    collection, index = str(tmp_path / "c"), str(tmp_path / "i")
    write_collection(FIRST, collection, {"made": "first"})
    main(["index", collection, "-o", index, "-q"])
    return collection, index


def test_a_document_of_its_own_family_is_added(folders: tuple[str, str]) -> None:
    collection, index = folders
    write_collection([*FIRST, STRANGER], collection, {"made": "then"})
    main(["index", collection, "-o", index, "--add", "-q"])
    assert ll.Index.open(index).ids == ["EP1A1", "US2A", "DE3A1"]


def test_a_document_that_joins_two_families_joins_them_in_the_index(folders: tuple[str, str]) -> None:
    collection, index = folders
    write_collection([*FIRST, RELATIVE], collection, {"made": "then"})
    assert ll.Collection.open(collection).records["family"].n_unique() == 1
    main(["index", collection, "-o", index, "--add", "-q"])
    updated = ll.Index.open(index)
    assert updated.ids == ["EP1A1", "US2A", "DE4A1"]
    assert updated.column("family").tolist() == [0, 0, 0]
    assert updated.merge().column("family").tolist() == [0, 0, 0]


def test_a_document_that_joins_two_families_joins_them_in_an_index_of_families(folders: tuple[str, str]) -> None:
    collection, index = folders
    main(["index", collection, "-o", index, "--unit", "family", "-q"])
    assert ll.Index.open(index).ids == ["EP1A1", "US2A"]
    write_collection([*FIRST, RELATIVE], collection, {"made": "then"})
    main(["index", collection, "-o", index, "--update", "-q"])
    updated = ll.Index.open(index)
    assert updated.ids == ["EP1A1"]
    assert updated.lists("title", [b"glass"]).documents.tolist() == [0]
