"""The family as the unit: one row an invention, with whose texts was asked for, and what is known of any member."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Claim, Document
from leadline.errors import InputError
from leadline.retrieval.index import manifest
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.pipeline.context_data import index_rows

FIELDS = ["title", "claims", "phrases"]


def patent(number: int, family: str, published: str, title: str, claim: str = "", office: str = "EP") -> Document:
    return Document(
        f"{office}000000{number}B1", office=office, serial=f"000000{number}", kind="B1", title=title, family=family,
        claims=(Claim(1, claim or f"A thing numbered {number}."),), ipc=(f"C07D40{number}/04", "A61K31/00"),
        publication=published,
    )  # fmt: skip


DOCUMENTS = [
    patent(1, "F", "2001-05-06", "acid film", "A very long claim with many, many words."),
    patent(2, "G", "1999-01-02", "metal"),
    patent(3, "F", "2000-01-01", "acid", office="US"),
    patent(4, "H", "", "base"),
    patent(5, "F", "2002-01-01", "oxide", office="JP"),
]


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    write_collection(DOCUMENTS, tmp_path / "collection", {"made": "by a test"}, part=2)
    return Collection.open(tmp_path / "collection")


def documents_with(index: Index, word: str) -> list[str]:
    return [index.id_of(row) for row in index.lists("title", [word.encode()]).documents.tolist()]


@pytest.mark.parametrize("block", [1, manifest.BLOCK_BYTES])
def test_a_family_has_the_texts_of_its_members(block: int, collection, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(manifest, "BLOCK_BYTES", block)
    index = Index.build(collection, tmp_path / "index", fields=FIELDS, unit="family")
    assert index.ids == ["EP0000002B1", "US0000003B1", "EP0000004B1"]  # of each family the first published
    assert documents_with(index, "film") == documents_with(index, "oxid") == ["US0000003B1"]
    assert index.lists("title", [b"acid"]).frequencies.tolist() == [2]
    assert index.lists("phrases", [b"acid film"]).documents.tolist() == [1]
    assert index.column("publication").tolist() == [10593, 10957, MISSING]
    assert index.having("office", ["JP"]).tolist() == [False, True, False]
    assert index.having("classes", ["C07D401"]).tolist() == [False, True, False]
    assert index_rows(index, collection).tolist() == [1, 0, 1, 2, 1]
    with pytest.raises(InputError, match="is an index of families"):
        index.add(DOCUMENTS)
    assert Index.open(tmp_path / "index").unit == "family"


@pytest.mark.parametrize(
    ("members", "chosen", "with_film"), [("first", "US0000003B1", []), ("longest", "EP0000001B1", ["EP0000001B1"])]
)
def test_a_family_may_have_one_members_text(members, chosen, with_film, collection, tmp_path: Path) -> None:
    index = Index.build(collection, tmp_path / "index", fields=FIELDS, unit="family", members=members)
    assert documents_with(index, "acid") == [chosen]
    assert documents_with(index, "film") == with_film
    assert documents_with(index, "oxid") == []
    assert index.having("office", ["JP"]).sum() == 1  # the others are still known of
    assert index_rows(index, collection)[[0, 2, 4]].tolist() == [index.row(chosen)] * 3


def test_what_cannot_be_a_unit_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="family needs a collection"):
        Index.build(DOCUMENTS, tmp_path, unit="family")
    with pytest.raises(InputError, match=r"unit: 'familiy' is not one of document, family; did you mean family\?"):
        Index.build(DOCUMENTS, tmp_path, unit="familiy")
    with pytest.raises(InputError, match="members: 'all' is not one of joined, first, longest"):
        Index.build(DOCUMENTS, tmp_path, unit="family", members="all")
