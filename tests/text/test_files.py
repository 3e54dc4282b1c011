"""Files are written whole or not at all, under names nobody can guess, and never through somebody else's link."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
from pathlib import Path

import pytest

from leadline.errors import InputError
from leadline.text import files
from leadline.text.files import replacing, replacing_ours, shortage_at, write_stored, write_whole
from leadline.text.owned_folder import OwnedFolder


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_old_content_stays_until_the_new_one_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_bytes(b"old")
    with contextlib.suppress(RuntimeError), replacing(path) as file:
        file.write(b"half")
        assert path.read_bytes() == b"old"
        raise RuntimeError
    assert path.read_bytes() == b"old"
    assert names_in(tmp_path) == ["out.txt"]


def test_file_then_rename_then_folder_reach_the_disk_in_this_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    fsync, replace = os.fsync, os.replace

    def logged_fsync(descriptor: int) -> None:
        calls.append("fsync folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "fsync file")
        fsync(descriptor)

    def logged_replace(old: os.PathLike[str], new: os.PathLike[str]) -> None:
        calls.append("rename")
        replace(old, new)

    monkeypatch.setattr(os, "fsync", logged_fsync)
    monkeypatch.setattr(os, "replace", logged_replace)
    write_whole(tmp_path / "out.txt", b"new")
    assert calls == ["fsync file", "rename", "fsync folder"]


def test_a_file_keeps_its_mode_and_a_new_one_follows_the_umask(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_bytes(b"")
    old.chmod(0o640)
    before = os.umask(0o027)
    try:
        write_whole(old, b"1")
        write_whole(tmp_path / "new", b"2")
    finally:
        os.umask(before)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_a_link_of_ones_own_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "file")
    write_whole(tmp_path / "link", b"content")
    assert (tmp_path / "there" / "file").read_bytes() == b"content"
    assert (tmp_path / "link").is_symlink()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can make another user's link")
def test_a_link_of_another_user_is_refused(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"mine")
    link = tmp_path / "out.txt"
    link.symlink_to(precious)
    os.lchown(link, 12345, 12345)
    with pytest.raises(InputError, match="another user"):
        write_whole(link, b"overwritten")
    assert precious.read_bytes() == b"mine"


def test_names_of_files_in_the_making_are_never_used_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = tmp_path / f"{files.PART_PREFIX}{b'guessed'.hex()}{files.PART_SUFFIX}"
    planted.symlink_to(tmp_path / "precious")
    names = iter([b"guessed", b"other"])
    monkeypatch.setattr("leadline.text.files.os.urandom", lambda _size: next(names))
    write_whole(tmp_path / "out", b"x")
    assert not (tmp_path / "precious").exists()


def test_many_threads_write_one_file_and_each_content_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out"
    contents = [bytes([65 + n]) * 20_000 for n in range(8)]

    def work(content: bytes) -> None:
        for _ in range(20):
            write_whole(path, content)
            assert path.read_bytes() in contents

    threads = [threading.Thread(target=work, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() in contents
    assert names_in(tmp_path) == ["out"]


def test_a_full_disk_is_one_line_with_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"the disk is full \(3\.0 kB needed, .* free\)"):
        write_whole(path, b"x" * 3000)
    assert path.read_bytes() == b"old"
    assert names_in(tmp_path) == ["out"]


def test_what_a_library_says_of_a_full_disk_is_the_same_line(tmp_path: Path) -> None:
    panic = type("PanicException", (BaseException,), {})
    for error in (ValueError("No space left on device (os error 28)"), panic("Err: No space left on device")):
        with (
            pytest.raises(InputError, match=r"out: cannot be written: the disk is full \(.* free\)"),
            replacing(tmp_path / "out"),
        ):
            raise error
    with pytest.raises(RuntimeError, match="new thread"), replacing(tmp_path / "out"):
        raise RuntimeError("can't start new thread")  # memory is not short because of this file
    assert names_in(tmp_path) == []


def test_a_limit_that_was_reached_is_named(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    assert shortage_at(tmp_path / "store") == ""
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, before[1]))
    try:
        with pytest.raises(InputError) as refused:
            write_whole(tmp_path / "out", b"x" * 6000)
        assert "raise `ulimit -f`" in shortage_at(tmp_path / "store")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    said = "out: cannot be written: file too large, this process may write files of 5,000 bytes: raise `ulimit -f`"
    assert str(refused.value).endswith(said)


def test_a_file_of_ours_is_refused_and_our_own_writers_may(tmp_path: Path) -> None:
    with OwnedFolder.locked(tmp_path / "words", "index", 1) as owned:
        owned.reserve("manifest.json")
        write_stored(tmp_path / "words" / "manifest.json", b"{}")
    (tmp_path / "alias").symlink_to(tmp_path / "words")
    for name in ("words/manifest.json", "words/new", "words/deep/er", "alias/manifest.json", "words/leadline.jsonl"):
        with pytest.raises(InputError, match=r"inside the index|the name by which"):
            write_whole(tmp_path / name, b"x")
    with replacing_ours(tmp_path / "words" / "manifest.json") as file:
        file.write(b"[]")
    write_whole(tmp_path / "beside", b"x")
    assert (tmp_path / "words" / "manifest.json").read_bytes() == b"[]"
    assert names_in(tmp_path) == ["alias", "beside", "words"]
