"""A build that was stopped takes over finished parts only when their files are what the journal says."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import leadline as ll
from leadline.cli import main
from leadline.collections.documents.build import build

PART_BYTES = 2_000


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    records = [
        {"id": f"US{number}B2", "title": f"Nail {number}", "abstract": "About nails.", "claims": ["A nail."]}
        for number in range(7_000_000, 7_000_100)
    ]
    path = tmp_path / "patents.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def stopped_build(sources: Path, folder: Path) -> Path:
    """A build that is stopped after three parts; the folder in which they are."""
    done = 0

    def stop(*_: object) -> None:
        nonlocal done
        done += 1
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build([sources], folder, part_bytes=PART_BYTES, progress=stop)
    building = folder / "building"
    assert len(list(building.glob("part-*.parquet"))) == 3
    return building


def parts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("collection-*/part-*.parquet")}


def ids(folder: Path) -> list[str]:
    return [document.id for document in ll.Collection.open(folder).documents()]


def swapped(building: Path) -> None:
    """A readable part, but another one's."""
    shutil.copyfile(building / "part-00001.parquet", building / "part-00000.parquet")


def cut(building: Path) -> None:
    part = building / "part-00001.parquet"
    part.write_bytes(part.read_bytes()[:-100])


def one_bit(building: Path) -> None:
    part = building / "part-00002.parquet"
    content = bytearray(part.read_bytes())
    content[len(content) // 3] ^= 1
    part.write_bytes(content)


def lost(building: Path) -> None:
    (building / "part-00000.parquet").unlink()


def journal_cut(building: Path) -> None:
    """As if the process was killed while it wrote the last line."""
    journal = building / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-20])


@pytest.mark.parametrize("damage", [swapped, cut, one_bit, lost, journal_cut])
def test_a_damaged_part_is_made_again(sources: Path, tmp_path: Path, damage: Callable[[Path], None]) -> None:
    whole = build([sources], tmp_path / "whole", part_bytes=PART_BYTES)
    damage(stopped_build(sources, tmp_path / "stopped"))
    resumed = build([sources], tmp_path / "stopped", part_bytes=PART_BYTES)
    assert ids(tmp_path / "stopped") == ids(tmp_path / "whole")
    assert parts(tmp_path / "stopped") == parts(tmp_path / "whole")
    assert resumed["hash"] == whole["hash"]
    assert resumed["counts"] == whole["counts"]


def test_whole_parts_are_not_made_again(sources: Path, tmp_path: Path) -> None:
    building = stopped_build(sources, tmp_path / "c")
    before = {path.name: path.stat().st_mtime_ns for path in building.glob("part-*.parquet")}
    said: list[str] = []
    build([sources], tmp_path / "c", part_bytes=PART_BYTES, say=said.append)
    assert said == ["continues a build that was stopped, with 3 finished parts"]
    after = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "c").glob("collection-*/part-*.parquet")}
    assert {name: after[name] for name in before} == before


def test_a_stopped_build_is_unfinished_and_not_damaged(
    sources: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stopped_build(sources, tmp_path / "c")
    with pytest.raises(SystemExit):
        main(["check", str(tmp_path / "c")])
    problem, state = capsys.readouterr().out.splitlines()
    assert problem == f"{tmp_path / 'c'}: is not finished; the same command continues a build that was stopped"
    assert state.startswith(f"the collection {tmp_path / 'c'} is unfinished: ")


def test_parts_of_other_sources_are_not_taken_over(sources: Path, tmp_path: Path) -> None:
    stopped_build(sources, tmp_path / "c")
    sources.write_text(sources.read_text(encoding="utf-8").replace("US7000000B2", "US6999999B2"), encoding="utf-8")
    build([sources], tmp_path / "c", part_bytes=PART_BYTES)
    assert ids(tmp_path / "c")[0] == "US6999999B2"
