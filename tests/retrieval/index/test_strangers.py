"""Writers of an index remove nothing that they did not make, and do not meet."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Document
from leadline.errors import InputError
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.manifest import KIND, VERSION, check_index
from leadline.text.files import FolderLock
from leadline.text.owned_folder import IDENTITY, OwnedFolder

ONE, TWO = {"id": "d1", "title": "acid"}, {"id": "d2", "title": "film"}


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def built(folder: Path) -> Index:
    return Index.build([ONE], folder, fields=["title"])


@pytest.mark.parametrize("name", ["manifest.json", "segment-1.arrays", "order-1.arrays", ".unfinished-1/a", "lock"])
def test_a_strangers_folder_is_refused_and_untouched(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    before = content(tmp_path)
    with pytest.raises(InputError, match="other things in it"):
        built(tmp_path)
    assert content(tmp_path) == before


def test_another_kind_of_folder_is_refused(tmp_path: Path) -> None:
    built(tmp_path / "i")
    write_collection([Document("X", title="Nail")], tmp_path / "c", {})
    before = content(tmp_path)
    with pytest.raises(InputError, match="is an index, not a collection"):
        write_collection([Document("X", title="Nail")], tmp_path / "i", {})
    with pytest.raises(InputError, match="is a collection, not an index"):
        built(tmp_path / "c")
    assert content(tmp_path) == before


def test_leftovers_are_removed_only_if_they_are_listed(tmp_path: Path) -> None:
    index = built(tmp_path / "i")
    owned = OwnedFolder.claim(index.folder, KIND, VERSION)
    owned.add("unfinished-1", "unfinished-1/segment-1.arrays", "segment-1.arrays", "order-1.arrays")
    (index.folder / "unfinished-1").mkdir()
    ours = ["unfinished-1/segment-1.arrays", "segment-1.arrays", "order-1.arrays"]
    mine = ["segment-mine.arrays", "order-mine.arrays"]
    for name in (*ours, *mine):
        (index.folder / name).write_text("left")
    (index.folder / "unfinished-mine").mkdir()
    assert len(index.add([TWO])) == 2
    left = {path.name for path in index.folder.iterdir()}
    assert left >= {*mine, "unfinished-mine"}
    assert not left & {"unfinished-1", "segment-1.arrays", "order-1.arrays"}


def test_one_lock_for_build_add_and_merge(tmp_path: Path) -> None:
    index = built(tmp_path / "i").add([TWO])
    before = content(index.folder)
    with FolderLock(index.folder):
        for write in (lambda: built(index.folder), lambda: index.add([{"id": "d3"}]), index.merge):
            with pytest.raises(InputError, match=f"process {os.getpid()} on .* is writing in this folder"):
                write()
    assert content(index.folder) == before


def test_what_another_process_added_is_not_lost(tmp_path: Path) -> None:
    index = built(tmp_path / "i")
    index.add([TWO])
    with pytest.raises(InputError, match="was changed by another process: open it again"):
        index.add([{"id": "d3", "title": "nail"}])
    assert len(Index.open(index.folder)) == 2


def test_an_index_without_identity_is_read_but_not_written(tmp_path: Path) -> None:
    index = built(tmp_path / "i")
    (index.folder / IDENTITY).unlink()
    before = content(index.folder)
    assert len(Index.open(index.folder)) == 1
    for write in (lambda: built(index.folder), lambda: index.add([TWO])):
        with pytest.raises(InputError, match="of an older version: make it in a new folder"):
            write()
    assert content(index.folder) == before


def test_a_damaged_line_of_the_identity_is_reported_and_its_file_removed_by_a_rebuild(tmp_path: Path) -> None:
    index = built(tmp_path / "index")
    identity, segment = index.folder / IDENTITY, index.manifest["segments"][0]["file"]
    identity.write_text(identity.read_text().replace(segment, segment.replace("segment", "sagment")))
    assert "damaged lines" in next(check_index(index.folder)).problem
    built(index.folder)
    assert not (index.folder / segment).exists()
    assert list(check_index(index.folder)) == []


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and links of POSIX")
@pytest.mark.parametrize("name", ["manifest.json", "order", "segment"])
def test_a_pipe_or_a_link_in_the_place_of_a_file_is_refused(tmp_path: Path, name: str) -> None:
    index = built(tmp_path / "index")
    path = next(index.folder.glob(f"{name}*"))
    path.rename(tmp_path / "copy")
    for plant, words in ((os.mkfifo, "a pipe"), (lambda at: at.symlink_to(tmp_path / "copy"), "a link")):
        plant(path)
        with pytest.raises(InputError, match=words):
            Index.open(index.folder)
        path.unlink()
