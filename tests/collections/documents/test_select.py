"""Choosing documents of a collection by date, class and office: what stands on the edge, and what is not known."""

from __future__ import annotations

from pathlib import Path

import pytest

import leadline as ll
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Citation, Document, Priority

DOCUMENTS = [
    Document("EP1A1", "EP", "0000001", "A1", title="a", publication="1998-08-12", ipc=("C07D401/04",)),
    Document("EP2A1", "EP", "0000002", "A1", title="b", publication="1998-08-13", ipc=("C07D4/06",)),
    Document("US3A", "US", "3", "A", title="c", publication="1998", cpc=("C07D4",)),  # some day of the year
    Document("US4A", "US", "4", "A", title="d", ipc=("A61K31/00", "C07C1/00")),  # no date
    Document("DE5C", "DE", "5", "C", title="e", publication="1998-08", ipc=("C08J5/18",)),  # some day of August
]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> ll.Collection:
    folder = tmp_path_factory.mktemp("select") / "c"
    write_collection(DOCUMENTS, folder, {"sources": "a test"})
    return ll.Collection.open(folder)


@pytest.mark.parametrize(
    ("asked", "chosen"),
    [
        ({}, "abcde"),
        ({"before": "1998-08-12"}, ""),
        ({"before": "1998-08-13"}, "a"),
        ({"before": "1998-08-14"}, "ab"),
        ({"before": "1998-08-31"}, "ab"),
        ({"before": "1998-09-01"}, "abe"),
        ({"before": "1998-12-31"}, "abe"),
        ({"before": "1999"}, "abce"),
        ({"after": "1998-08-12"}, "bce"),
        ({"after": "1998-08-11"}, "abce"),
        ({"after": "1998-08-31"}, "c"),
        ({"after": "1998-12-31"}, ""),
        ({"after": "1998-08"}, "c"),
        ({"after": "1998"}, ""),
        ({"after": "1998-08-12", "before": "1998-08-14"}, "b"),
        ({"classes": ["C07"]}, "abcd"),
        ({"classes": ["C07D"]}, "abc"),
        ({"classes": ["c07d 4"]}, "bc"),
        ({"classes": ["C07D4/06"]}, "b"),
        ({"classes": ["C07D4/00"]}, "bc"),
        ({"classes": ["C07D40"]}, ""),
        ({"classes": ["C07C", "C08"]}, "de"),
        ({"offices": ["ep"]}, "ab"),
        ({"offices": ["US", "DE"], "after": "1990"}, "ce"),
    ],
)
def test_select(collection: ll.Collection, asked: dict[str, object], chosen: str) -> None:
    mask = collection.select(**asked)  # type: ignore[arg-type]
    assert "".join(title for title, kept in zip("abcde", mask.tolist(), strict=True) if kept) == chosen


def test_dates_known_in_part_let_nothing_leak(tmp_path: Path) -> None:
    """A publication is taken late, a priority early; of several priorities the latest counts."""
    days = (Priority("EP1", "1997"), Priority("EP2", "1998-03"), Priority("EP3", "1996-01-01"))
    documents = [
        Document("EP9A1", "EP", "0000009", "A1", title="a", publication="1999", application="1998-05", priorities=days),
        Document("EP8A1", "EP", "0000008", "A1", title="b", publication="1999-02", application="1998-05"),
        Document("EP7A1", "EP", "0000007", "A1", title="c", publication="1999-02"),
        Document("EP6A1", "EP", "0000006", "A1", title="d"),
    ]
    write_collection(documents, tmp_path / "c", {"sources": "a test"})
    records = ll.Collection.open(tmp_path / "c").records
    assert records["publication"].cast(str).to_list() == ["1999-12-31", "1999-02-28", "1999-02-28", None]
    assert records["known"].cast(str).to_list() == ["1998-03-01", "1998-05-01", "1999-02-01", None]
    assert records["dated_by"].to_list() == ["priority", "application", "publication", ""]


def test_of_a_document_listed_twice_the_first_is_kept(tmp_path: Path) -> None:
    """Also where the second is in another part; what it cites goes with it."""
    documents = [
        Document("EP1A1", "EP", "0000001", "A1", title="first", citations=(Citation("US5A"),)),
        Document("EP2A1", "EP", "0000002", "A1", title="other"),
        Document("EP1A1", "EP", "0000001", "A1", title="second", citations=(Citation("US6A"), Citation("US7A"))),
    ]
    write_collection(documents, tmp_path / "c", {"sources": "a test"}, part=2)
    collection = ll.Collection.open(tmp_path / "c")
    assert [document.title for document in collection.documents()] == ["first", "other"]
    assert collection.document("EP1A1").title == "first"
    assert collection.citations["number"].to_list() == ["US5A"]
    assert collection.manifest["dropped"] == {"listed twice": 1}
