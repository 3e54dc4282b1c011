"""An index of families follows its collection, and an index follows a collection that was moved."""

from __future__ import annotations

import random
import shutil
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from leadline.cli import main
from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.update import update as update_collection
from leadline.retrieval.choices import Members
from leadline.retrieval.index import writing
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.manifest import check_index
from leadline.retrieval.index.writing import changes_of

sys.path.insert(0, str(Path(__file__).parents[2]))
from living_collection import FIELDS, answers, change, differences, document, written

MEMBERS = get_args(Members)


def built(collection: Path, index: Path, members: Members) -> Index:
    return Index.build(
        Collection.open(collection), index, fields=FIELDS, positions=True, workers=1, unit="family", members=members
    )


def by_id(index: Path) -> dict[str, Any]:
    """All answers; what is listed by row is sorted by id, because a changed family gets a new row at the end."""
    found = answers(index, systems=False)
    order = sorted(range(len(found["ids"])), key=found["ids"].__getitem__)
    for name in ("ids", "ranks"):
        found[name] = [found[name][row] for row in order]
    found["columns"] = [[column[row] for row in order] for column in found["columns"]]
    return found


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(12))
def test_families_answer_as_in_an_index_built_again(
    tmp_path: Path, seed: int, soak: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if seed > 1 and not soak:
        pytest.skip("takes minutes: make soak")
    draw = random.Random(seed)
    monkeypatch.setattr(writing, "WIDTH", 2 + seed % 3)
    monkeypatch.setattr(writing, "MOST_DEAD", [0.9, 0.01, 0.2][seed % 3])
    collection, index, again = (tmp_path / name for name in ("collection", "index", "again"))
    build([written(tmp_path / "first.jsonl", [document(number, draw) for number in range(25)])], collection)
    built(collection, index, MEMBERS[seed % 3])
    for _ in range(3 if soak else 2):
        for _ in range(draw.randint(1, 2)):
            change(collection, draw)
        Index.open(index).update(Collection.open(collection))
        built(collection, again, MEMBERS[seed % 3])
        assert differences(by_id(index), by_id(again)) == []
        assert list(check_index(index)) == []
    assert changes_of(Index.open(index), Collection.open(collection)).is_same_collection


def member(number: int, family: str, title: str, year: int) -> dict[str, Any]:
    priorities = [{"number": f"GB{family}", "date": "1980-01-01"}]
    return {"id": f"EP{number}B1", "title": title, "publication": f"{year}-01-01", "priorities": priorities}


def test_only_families_whose_members_changed_are_indexed_again(tmp_path: Path) -> None:
    collection, index = tmp_path / "collection", tmp_path / "index"
    first = [member(1000001, "1", "ink", 1990), member(1000002, "2", "film", 1991), member(1000003, "3", "oil", 1992)]
    build([written(tmp_path / "first.jsonl", first)], collection)
    built(collection, index, "joined")
    update_collection(collection, [written(tmp_path / "new.jsonl", [member(1000004, "2", "foil", 1995)])])
    changes = changes_of(Index.open(index), Collection.open(collection))
    assert (changes.added, changes.changed, changes.deleted) == (0, 1, 0)
    updated = Index.open(index).update(Collection.open(collection))
    assert updated.ids == ["EP1000001B1", "EP1000003B1", "EP1000002B1"]
    assert updated.lists("title", [b"foil", b"film"]).documents.tolist() == [2, 2]
    # A member that was published earlier gives its family another representative.
    update_collection(collection, [written(tmp_path / "new.jsonl", [member(1000005, "3", "fat", 1970)])])
    assert updated.update(Collection.open(collection)).ids == ["EP1000001B1", "EP1000002B1", "EP1000005B1"]
    # A collection built again has other parts: families are compared by their texts and data.
    build([tmp_path / "first.jsonl"], collection)
    changes = changes_of(Index.open(index), Collection.open(collection))
    assert (changes.added, changes.changed, changes.deleted) == (1, 1, 1)


def new_ids(collection: Path, index: Path, unit: str) -> list[str]:
    main(["index", str(collection), "-o", str(index), "--unit", unit, "-q"])
    return sorted(Index.open(index).ids)


@pytest.mark.parametrize("unit", ["document", "family"])
def test_an_index_follows_a_collection_that_was_moved(tmp_path: Path, unit: str) -> None:
    old, new, draw = tmp_path / "old", tmp_path / "new", random.Random(1)
    build([written(tmp_path / "first.jsonl", [document(number, draw) for number in range(9)])], old / "collection")
    main(["index", str(old / "collection"), "-o", str(old / "index"), "--unit", unit, "-q"])
    old.rename(new)
    update_collection(
        new / "collection", [written(tmp_path / "new.jsonl", [document(number, draw) for number in (8, 9)])]
    )
    main(["index", str(new / "collection"), "-o", str(new / "index"), "--update", "-q"])
    updated = Index.open(new / "index")
    assert sorted(updated.ids) == new_ids(new / "collection", tmp_path / "again", unit)
    assert updated.manifest["source"] == str((new / "collection").resolve())
    # Moved again: nothing else has changed, and the index knows where its collection is now.
    new.rename(tmp_path / "newer")
    main(["index", str(tmp_path / "newer/collection"), "-o", str(tmp_path / "newer/index"), "--update", "-q"])
    assert Index.open(tmp_path / "newer/index").manifest["source"] == str((tmp_path / "newer/collection").resolve())
    # Built again in the same folder, where all parts are new, and moved.
    build([tmp_path / "first.jsonl"], tmp_path / "newer/collection")
    (tmp_path / "newer").rename(tmp_path / "newest")
    main(["index", str(tmp_path / "newest/collection"), "-o", str(tmp_path / "newest/index"), "--update", "-q"])
    assert sorted(Index.open(tmp_path / "newest/index").ids) == new_ids(
        tmp_path / "newest/collection", tmp_path / "again", unit
    )


def test_another_collection_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draw = random.Random(1)
    for name in ("one", "other"):
        build([written(tmp_path / f"{name}.jsonl", [document(number, draw) for number in range(3)])], tmp_path / name)
    main(["index", str(tmp_path / "one"), "-o", str(tmp_path / "index"), "-q"])
    with pytest.raises(SystemExit):
        main(["index", str(tmp_path / "other"), "-o", str(tmp_path / "index"), "--update", "-q"])
    assert "is another collection: --update needs the same collection" in capsys.readouterr().err
    shutil.rmtree(tmp_path / "one")
    with pytest.raises(SystemExit):
        main(["index", str(tmp_path / "other"), "-o", str(tmp_path / "index"), "--update", "-q"])
