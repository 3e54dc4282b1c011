"""The manifest beside a file: it tells damage to either, goes with its file, and older ones are sound without sums."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.commands.shared.argument_kinds import OutputFile
from leadline.records.manifest import check_manifest, write_manifest


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "a.run"
    path.write_text("1 Q0 d 1 2.5 tag\n")
    write_manifest(path, {"what": "a run", "leadline": "0.2", "timing": float("nan"), "name": "a\udcff\u202e"})
    return path


def test_a_manifest_and_its_file_are_sound_together(run: Path) -> None:
    assert list(check_manifest(run)) == []
    said = json.loads(Path(f"{run}.manifest.json").read_text(encoding="utf-8"))
    assert list(said) == ["what", "leadline", "timing", "name", "sha256", "checksum"]


def test_another_run_under_its_name_is_told(run: Path) -> None:
    run.write_text("1 Q0 d 1 2.4 tag\n")
    (finding,) = check_manifest(run)
    assert (finding.path, finding.problem) == (str(run), "is damaged, its checksum does not fit")
    assert finding.mend == "make it again with the command that made it"


@pytest.mark.parametrize("wrong", ["[]", "", "{", '{"sha256": "a"}'])
def test_a_damaged_manifest_is_told(run: Path, wrong: str) -> None:
    Path(f"{run}.manifest.json").write_text(wrong)
    (finding,) = check_manifest(run)
    assert finding.path == f"{run}.manifest.json"


def test_manifests_of_the_first_version_are_sound(run: Path) -> None:
    Path(f"{run}.manifest.json").write_text('{"what": "a run", "leadline": "0.1.0"}')
    assert list(check_manifest(run)) == []
    Path(f"{run}.manifest.json").unlink()
    assert list(check_manifest(run)) == []


def test_a_run_is_made_again_over_its_manifest_and_over_no_other_file_of_ours(run: Path) -> None:
    kind = OutputFile("runs", beside=(".manifest.json",))
    assert kind.refused(str(run)) is None
    other = run.with_name("b.run.manifest.json")
    other.write_bytes(b"SQLite format 3\0".ljust(68, b"\0") + b"LHST")
    assert kind.refused(str(run.with_name("b.run"))) == (str(other), "a search history")
