"""A review in one file, and back."""

from __future__ import annotations

import contextlib
import stat
import zipfile
from pathlib import Path

import pytest
from tests.judge.review.conftest import Mark, articles

from leadline.collections.documents.build import build
from leadline.errors import InputError
from leadline.judge.journal import People
from leadline.judge.review.exchange import begin_review, extend_review
from leadline.judge.review.project import PEOPLE, ReviewProject, ReviewSettings, back_up_review, bring_back_review
from leadline.judge.review.review_state import ReviewState


def state_of(folder: Path) -> ReviewState:
    project = ReviewProject.open(folder)
    with contextlib.closing(project.journal()) as journal:
        return ReviewState.of(project, journal.events())


def test_a_review_comes_back_whole_while_it_is_open(project: ReviewProject, mark: Mark, tmp_path: Path) -> None:
    token = People(project.folder / PEOPLE).add("anna", "assessor")
    with contextlib.closing(project.journal()):  # as a running server has it
        mark("a1", "a5")
        made = back_up_review(project, tmp_path / "monday.zip")
    assert made.elsewhere == ()
    assert stat.S_IMODE((tmp_path / "monday.zip").stat().st_mode) == 0o600
    mark("a10")
    found = bring_back_review(tmp_path / "monday.zip", tmp_path / "again")
    assert (found.events, found.files) == (made.events, made.files)
    state = state_of(tmp_path / "again")
    assert [state.project.units[row][0] for row in state.first_read] == ["a0", "a1", "a5"]
    assert People(tmp_path / "again" / PEOPLE).find(token) is not None
    # It has its own documents.
    (project.folder / "collection-1").rename(tmp_path / "gone")
    assert len(state.project.features()) == 60


def test_another_copy_gets_what_it_lacks(project: ReviewProject, mark: Mark, tmp_path: Path) -> None:
    back_up_review(project, tmp_path / "start.zip")
    bring_back_review(tmp_path / "start.zip", tmp_path / "laptop")
    mark("a1", "a2")
    mark("a5", person="ben", of=ReviewProject.open(tmp_path / "laptop"))
    back_up_review(ReviewProject.open(tmp_path / "laptop"), tmp_path / "laptop.zip")
    assert bring_back_review(tmp_path / "laptop.zip", project.folder).events == 1
    assert bring_back_review(tmp_path / "laptop.zip", project.folder).events == 0  # each once
    assert set(state_of(project.folder).first_read) == {0, 1, 2, 5}


def test_rounds_and_collections_elsewhere(project: ReviewProject, tmp_path: Path) -> None:
    back_up_review(project, tmp_path / "first.zip")
    (tmp_path / "newer.ris").write_text(articles(10, first=60))
    build([tmp_path / "newer.ris"], tmp_path / "newer", keep="all")
    grown = extend_review(project, [tmp_path / "newer"])
    made = back_up_review(grown, tmp_path / "second.zip")
    assert made.elsewhere == (str(tmp_path / "newer"),)
    bring_back_review(tmp_path / "first.zip", tmp_path / "old")
    with pytest.raises(InputError, match="of one with more rounds"):
        bring_back_review(tmp_path / "second.zip", tmp_path / "old")
    assert bring_back_review(tmp_path / "first.zip", grown.folder).events == 0
    other = begin_review(tmp_path / "other", [tmp_path / "newer"], ReviewSettings("Other"))
    with pytest.raises(InputError, match="a backup of another review"):
        bring_back_review(tmp_path / "first.zip", other.folder)


def test_wrong_files_are_told(project: ReviewProject, tmp_path: Path) -> None:
    backup = tmp_path / "b.zip"
    back_up_review(project, backup)
    with pytest.raises(InputError, match="exists already"):
        back_up_review(project, backup)
    with pytest.raises(InputError, match="cannot be read: no such file"):
        bring_back_review(tmp_path / "none.zip", tmp_path / "new")
    (tmp_path / "text.zip").write_text("not a backup")
    with pytest.raises(InputError, match=r"text.zip: is not a backup of a review, or is damaged"):
        bring_back_review(tmp_path / "text.zip", tmp_path / "new")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a", "b")
    with pytest.raises(InputError, match="`leadline review backup` makes one"):
        bring_back_review(tmp_path / "other.zip", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_no_damaged_byte_becomes_another_review(project: ReviewProject, tmp_path: Path) -> None:
    backup = tmp_path / "b.zip"
    back_up_review(project, backup)
    content = backup.read_bytes()
    bring_back_review(backup, tmp_path / "sound")
    sound = {path.relative_to(tmp_path / "sound"): path.read_bytes() for path in _stored(tmp_path / "sound")}
    refused = 0
    for number, at in enumerate(range(7, len(content), len(content) // 60)):
        backup.write_bytes(content[:at] + bytes([content[at] ^ 0x41]) + content[at + 1 :])
        place = tmp_path / f"new-{number}"
        try:
            bring_back_review(backup, place)
        except InputError:
            refused += 1
            assert not (place / "review.json").exists()
            continue
        assert {path.relative_to(place): path.read_bytes() for path in _stored(place)} == sound
    assert refused > 40
    backup.write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match="is damaged"):
        bring_back_review(backup, tmp_path / "half")


def _stored(folder: Path) -> list[Path]:
    """The files whose bytes are those of the backup; SQLite writes to the journal when it is opened."""
    return [
        path for path in folder.rglob("*")
        if path.is_file() and "journal" not in path.name and path.name not in ("lock", "leadline.jsonl")
    ]  # fmt: skip


def test_no_name_leads_out_of_the_folder(project: ReviewProject, tmp_path: Path) -> None:
    from leadline.judge.review.project import LIST
    from leadline.text.checksums import sealed

    for name in ("../evil", "/evil", "collection-1/../../evil", "collection-1/a/b/c", "other"):
        path = tmp_path / "evil.zip"
        listed = {name: {"bytes": 1, "sha256": "x"}, "review.json": {}, "journal": {}}
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(name, "x")
            archive.writestr(LIST, sealed({"what": "a backup of a review", "format": 1, "events": 0, "files": listed}))
        with pytest.raises(InputError, match="it has a file"):
            bring_back_review(path, tmp_path / "new")
        path.unlink()
    assert not (tmp_path / "evil").exists()
