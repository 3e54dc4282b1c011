"""A build removes nothing that it did not make, whatever lies in its folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.errors import InputError
from leadline.text.owned_folder import IDENTITY, OwnedFolder

ONE, TWO = [Document("X1", title="Nail")], [Document("X2", title="Screw")]


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    folder = tmp_path / "precious"
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")
    (folder / "manifest.json").write_text("{}")
    return folder


@pytest.mark.parametrize(
    "names", [["manifest.json"], ["building/notes"], ["lock"], ["manifest.json", "lock", "building/a"]]
)
def test_a_strangers_folder_is_refused_and_untouched(tmp_path: Path, names: list[str]) -> None:
    folder = tmp_path / "w"
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text('{"what": "mine"}')
    before = content(folder)
    with pytest.raises(InputError, match="other things in it"):
        write_collection(ONE, folder, {})
    assert content(folder) == before


def test_a_collection_without_identity_is_read_but_not_written(tmp_path: Path) -> None:
    write_collection(ONE, tmp_path / "c", {"of": 1})
    (tmp_path / "c" / IDENTITY).unlink()
    before = content(tmp_path / "c")
    assert len(Collection.open(tmp_path / "c")) == 1
    with pytest.raises(InputError, match="of an older version: make it in a new folder"):
        write_collection(TWO, tmp_path / "c", {"of": 2})
    assert content(tmp_path / "c") == before


def test_a_manifest_cannot_name_a_folder_outside(tmp_path: Path, precious: Path) -> None:
    manifest = write_collection(ONE, tmp_path / "c", {"of": 1})
    before = content(precious)
    inside = tmp_path / "c" / manifest["folder"] / "manifest.json"
    for path in (inside, tmp_path / "c" / "manifest.json"):
        path.write_text(json.dumps({**manifest, "folder": "../precious"}))
    shutil.copytree(inside.parent, tmp_path / "c" / "building")
    write_collection(TWO, tmp_path / "c2", {"of": 2})
    with pytest.raises(InputError, match="building"):  # somebody made it, so it is not replaced
        write_collection(ONE, tmp_path / "c", {"of": 1})
    assert content(precious) == before


@pytest.mark.parametrize("name", ["building", "collection-000000000000"])
def test_a_planted_link_is_not_followed(tmp_path: Path, precious: Path, name: str) -> None:
    OwnedFolder.claim(tmp_path / "c", "collection", 1)
    (tmp_path / "c" / name).symlink_to(precious)
    before = content(precious)
    try:
        write_collection(ONE, tmp_path / "c", {"of": 1})
    except InputError as error:
        assert "cannot be written: file exists" in str(error)  # noqa: PT017
    assert content(precious) == before
    assert (tmp_path / "c" / name).is_symlink()


def test_a_link_in_place_of_a_listed_folder_is_removed_and_what_it_leads_to_stays(
    tmp_path: Path, precious: Path
) -> None:
    owned = OwnedFolder.claim(tmp_path / "c", "collection", 1)
    owned.add("building", "building/thesis.tex", "building/manifest.json")
    (tmp_path / "c" / "building").symlink_to(precious)
    before = content(precious)
    write_collection(ONE, tmp_path / "c", {"of": 1})
    assert content(precious) == before
    assert len(Collection.open(tmp_path / "c")) == 1


def test_what_the_user_put_into_the_folder_stays(tmp_path: Path) -> None:
    first = write_collection(ONE, tmp_path / "c", {"of": 1})
    (tmp_path / "c" / "notes.txt").write_text("mine")
    (tmp_path / "c" / "collection-mine").mkdir()
    (tmp_path / "c" / first["folder"] / "notes.txt").write_text("mine as well")
    second = write_collection(TWO, tmp_path / "c", {"of": 2})
    kept = {name for name in content(tmp_path / "c") if name.endswith("notes.txt")}
    assert kept == {"notes.txt", f"{first['folder']}/notes.txt"}
    assert (tmp_path / "c" / "collection-mine").is_dir()
    assert content(tmp_path / "c" / first["folder"]) == {"notes.txt": b"mine as well"}
    assert Collection.open(tmp_path / "c").manifest["folder"] == second["folder"]


def test_an_unfinished_build_never_takes_the_place_of_a_finished_collection(tmp_path: Path) -> None:
    def stopped() -> object:
        yield TWO[0]
        raise KeyboardInterrupt

    write_collection(ONE, tmp_path / "c", {"of": 1})
    before = content(tmp_path / "c")
    with pytest.raises(KeyboardInterrupt):
        write_collection(stopped(), tmp_path / "c", {"of": 2}, part=1)  # type: ignore[arg-type]
    assert (tmp_path / "c" / "building" / "part-00000.parquet").exists()
    write_collection(ONE, tmp_path / "c", {"of": 1})
    assert [each.id for each in Collection.open(tmp_path / "c").documents()] == ["X1"]
    after = content(tmp_path / "c")
    assert {name: after[name] for name in before if name != IDENTITY} == {
        name: each for name, each in before.items() if name != IDENTITY
    }


def test_a_planted_link_at_the_name_of_a_part_in_the_making(tmp_path: Path, precious: Path) -> None:
    def planting() -> object:
        (tmp_path / "c" / "building" / "part-00000.unfinished").symlink_to(precious / "thesis.tex")
        yield ONE[0]

    before = content(precious)
    write_collection(planting(), tmp_path / "c", {})  # type: ignore[arg-type]
    assert content(precious) == before


def test_a_failed_build_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no documents"):
        write_collection([], tmp_path / "c", {})
    assert not (tmp_path / "c").exists()
