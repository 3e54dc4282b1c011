"""Only what is listed as ours is ever removed, and only folders that say they are ours are written to."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.errors import InputError
from leadline.text.owned_folder import IDENTITY, OwnedFolder, identity_of


def make(folder: Path, *names: str) -> OwnedFolder:
    owned = OwnedFolder.claim(folder, "collection", 1)
    owned.add(*names)
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"x")
    return owned


def test_a_new_folder_is_claimed_and_opened_again(tmp_path: Path) -> None:
    made = make(tmp_path / "c", "a.parquet", "parts/p0")
    again = OwnedFolder.claim(tmp_path / "c", "collection", 1)
    assert (again.id, again.names, len(again.id)) == (made.id, {"a.parquet", "parts/p0"}, 32)


def test_a_strangers_folder_is_refused_and_untouched(tmp_path: Path) -> None:
    for name in ("manifest.json", "lock", "notes.txt"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "building").mkdir()
    with pytest.raises(InputError, match="has other things in it, or is a collection of an older version"):
        OwnedFolder.claim(tmp_path, "collection", 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["building", "lock", "manifest.json", "notes.txt"]


def test_two_processes_that_claim_one_folder_at_once_agree(tmp_path: Path) -> None:
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(OwnedFolder.claim(tmp_path / "c", "collection", 1).id))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(found), len(set(found))) == (8, 1)
    assert [path.name for path in (tmp_path / "c").iterdir()] == [IDENTITY]


def test_the_second_writer_learns_who_holds_the_lock(tmp_path: Path) -> None:
    with OwnedFolder.locked(tmp_path / "c", "collection", 1) as owned:
        owned.add("a")
        (tmp_path / "c" / "a").touch()
        with (
            pytest.raises(InputError, match=f"process {os.getpid()} on .* is writing in this folder"),
            OwnedFolder.locked(tmp_path / "c", "collection", 1),
        ):
            pass
    assert sorted(path.name for path in (tmp_path / "c").iterdir()) == ["a", IDENTITY]


def test_a_folder_in_which_nothing_was_made_is_removed(tmp_path: Path) -> None:
    with contextlib.suppress(RuntimeError), OwnedFolder.locked(tmp_path / "c", "collection", 1):
        raise RuntimeError
    assert not (tmp_path / "c").exists()


def test_another_kind_and_a_newer_format_are_refused(tmp_path: Path) -> None:
    OwnedFolder.claim(tmp_path / "i", "index", 3)
    with pytest.raises(InputError, match="is an index, not a collection"):
        OwnedFolder.claim(tmp_path / "i", "collection", 1)
    with pytest.raises(InputError, match="has format 3, this version reads up to 2"):
        OwnedFolder.open(tmp_path / "i", "index", 2)


def test_only_listed_names_are_removed(tmp_path: Path) -> None:
    owned = make(tmp_path / "c", "a", "parts/p0")
    owned.add("parts")
    (tmp_path / "c" / "mine.txt").write_text("stays")
    with pytest.raises(InputError, match="not listed"):
        owned.remove(["mine.txt"])
    assert owned.remove(["parts", "parts/p0", "a"]) == []
    assert sorted(path.name for path in (tmp_path / "c").iterdir()) == [IDENTITY, "mine.txt"]


def test_a_folder_with_somebody_elses_file_in_it_stays(tmp_path: Path) -> None:
    owned = make(tmp_path / "c", "parts/p0")
    owned.add("parts")
    (tmp_path / "c/parts/notes").write_text("stays")
    assert owned.remove(["parts", "parts/p0"]) == ["parts"]
    assert (tmp_path / "c/parts/notes").read_text() == "stays"


def test_links_are_not_followed(tmp_path: Path) -> None:
    owned = make(tmp_path / "c", "parts/p0")
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "p0").write_text("stays")
    (tmp_path / "c/parts/p0").unlink()
    (tmp_path / "c/parts").rmdir()
    (tmp_path / "c/parts").symlink_to(precious)
    assert owned.remove(["parts/p0"]) == ["parts/p0"]
    assert (precious / "p0").read_text() == "stays"


@pytest.mark.parametrize("name", ["../precious", "/etc/passwd", "a/../../b", "a/b/c", "", ".", "..", IDENTITY, 7, None])
def test_names_that_lead_outside_are_refused(tmp_path: Path, name: object) -> None:
    make(tmp_path / "c", "a")
    with (tmp_path / "c" / IDENTITY).open("a") as file:
        file.write(json.dumps({"name": name}) + "\n")
    with pytest.raises(InputError, match="not a name inside the folder"):
        identity_of(tmp_path / "c")


def test_a_name_cut_by_a_kill_is_passed_over(tmp_path: Path) -> None:
    make(tmp_path / "c", "a")
    with (tmp_path / "c" / IDENTITY).open("a") as file:
        file.write('{"name": "b')
    found = identity_of(tmp_path / "c")
    assert found is not None
    assert found.names == {"a"}
    found.add("c")
    again = identity_of(tmp_path / "c")
    assert again is not None
    assert again.names == {"a", "c"}


@given(st.binary(max_size=200))
def test_any_bytes_are_an_identity_or_one_error(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / IDENTITY).write_bytes(content)
    with contextlib.suppress(InputError):
        identity_of(folder)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give folders away")
def test_an_empty_folder_of_another_user_is_not_taken_by_root_either(tmp_path: Path) -> None:
    place = tmp_path / "theirs"
    place.mkdir()
    os.chown(place, 54_321, 54_321)
    with pytest.raises(
        InputError, match=r"belongs to another user \(number 54321\): name a folder of your own, or make"
    ):
        OwnedFolder.claim(place, "collection", 1)
    assert list(place.iterdir()) == []
    os.chown(place, 0, 0)
    make(place, "a")
    os.chown(place, 54_321, 54_321)  # it is a folder of ours by now
    assert OwnedFolder.claim(place, "collection", 1).names == {"a"}
