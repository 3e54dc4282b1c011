"""`leadline check`: what a folder is, what is damaged in it, what else lies there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import leadline as ll
from leadline.cli import main
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Document
from leadline.text.files import PART_PREFIX, PART_SUFFIX, new_file
from leadline.text.owned_folder import IDENTITY

DOCUMENTS = [Document("X1", title="Nail"), Document("X2", title="Bolt")]
LEFT = f"{PART_PREFIX}0123456789abcdef{PART_SUFFIX}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_collection(DOCUMENTS, tmp_path / "c", {})
    return tmp_path / "c"


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_a_sound_folder_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", str(folder)])
    output = capsys.readouterr()
    assert output.out.startswith(f"the collection {folder} is sound: ")
    assert output.out.count("\n") == 1
    assert "files, " in output.out
    assert not output.err
    assert ll.check(folder) == []


def test_damage_is_a_line_and_status_1(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    part = next(folder.glob("collection-*/part-00000.parquet"))
    flip(part)
    with pytest.raises(SystemExit) as ended:
        main(["check", str(folder)])
    assert ended.value.code == 1
    line, summary = capsys.readouterr().out.splitlines()
    assert line == f"{part}: is damaged, its checksum does not fit; build the collection again"
    assert summary.startswith(f"the collection {folder} is damaged: 1 problem, ")
    with pytest.raises(SystemExit):
        main(["check", str(folder), "-f", "json"])
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["kind"], row["file"]) == ("collection", str(part))


def test_others_are_mentioned_and_left_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "thesis.tex").write_text("mine")
    (folder / LEFT).write_bytes(b"half")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    main(["check", str(folder)])
    error = capsys.readouterr().err
    assert f"1 other file in {folder}: {folder / 'thesis.tex'}" in error
    assert f"{folder / LEFT} was left by a process that was killed" in error
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_the_next_writer_removes_what_a_killed_one_left(folder: Path) -> None:
    inside = next(folder.glob("collection-*"))
    for place in (folder, inside):
        (place / LEFT).write_bytes(b"half")
    (folder / ".leadline-mine.part").write_text("another name")
    (folder / f"{PART_PREFIX}1123456789abcdef{PART_SUFFIX}").symlink_to(folder / IDENTITY)
    alive, descriptor = new_file(folder)  # somebody is writing it
    write_collection(DOCUMENTS, folder, {})
    names = {path.name for path in folder.iterdir()}
    assert LEFT not in names
    assert not (inside / LEFT).exists()
    assert {".leadline-mine.part", alive.name, f"{PART_PREFIX}1123456789abcdef{PART_SUFFIX}"} <= names
    assert len(ll.Collection.open(folder)) == 2
    import os

    os.close(descriptor)


@pytest.mark.parametrize(
    ("name", "problem"),
    [("nowhere", "no such file or folder"), ("file", "is not a file that leadline keeps, or its beginning is damaged")],
)
def test_what_is_no_folder_of_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, problem: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(SystemExit) as ended:
        main(["check", str(tmp_path / name)])
    assert ended.value.code == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{tmp_path / name}: {problem}")
    with pytest.raises(ll.InputError, match=problem):
        ll.check(tmp_path / name)


def test_a_strangers_folder(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"what": "mine"}')
    with pytest.raises(ll.InputError, match="is not a folder that leadline wrote"):
        ll.check(tmp_path)


def test_several_folders(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_collection(DOCUMENTS, tmp_path / "d", {})
    flip(next((tmp_path / "d").glob("collection-*/records.parquet")))
    with pytest.raises(SystemExit):
        main(["check", str(folder), str(tmp_path / "d")])
    lines = capsys.readouterr().out.splitlines()
    assert "is sound" in lines[0]
    assert "records.parquet: is damaged" in lines[1]
