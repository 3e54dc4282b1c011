"""The user's cache: nothing in it is believed that is damaged, or that another user could have written."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from leadline.text.files import cache_directory, read_cached, write_cached

posix = pytest.mark.skipif(os.name != "posix", reason="a system without modes and owners")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "cache" / "leadline" / "file"
    assert write_cached(path, b"content") is None
    return path


def test_what_was_written_is_read(path: Path) -> None:
    assert read_cached(path) == b"content"
    assert [each.name for each in path.parent.iterdir()] == ["file"]


def test_what_is_damaged_is_not_read(path: Path) -> None:
    stored = path.read_bytes()
    for damaged in (b"", stored[:-1], stored + b"x", b"x" + stored[1:]):
        path.write_bytes(damaged)
        assert read_cached(path) is None


def test_a_file_in_the_place_of_another_is_not_read(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    assert read_cached(other) is None
    path.replace(other)
    assert read_cached(other) is None


@posix
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_the_folder_is_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        assert write_cached(tmp_path / "c" / "file", b"x") is None
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "c").stat().st_mode) == 0o700
    assert read_cached(tmp_path / "c" / "file") == b"x"


@posix
def test_a_link_or_a_pipe_is_not_read(path: Path) -> None:
    other = path.with_name("other")
    path.rename(other)
    path.symlink_to(other)
    assert read_cached(path) is None
    path.unlink()
    os.mkfifo(path)
    assert read_cached(path) is None


@posix
def test_what_others_can_write_is_neither_read_nor_written(path: Path) -> None:
    path.chmod(0o620)
    assert read_cached(path) is None
    path.chmod(0o600)
    path.parent.chmod(0o777)
    assert read_cached(path) is None
    assert "other users can write" in str(write_cached(path, b"new"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_the_file_or_folder_of_another_user_is_not_read(path: Path) -> None:
    os.chown(path, 12345, 12345)
    assert read_cached(path) is None
    os.chown(path, 0, 0)
    os.chown(path.parent, 12345, 12345)
    assert read_cached(path) is None


@posix
@pytest.mark.parametrize("home", [{"HOME": "relative"}, {"XDG_CACHE_HOME": "relative"}])
def test_a_relative_home_means_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: dict[str, str]) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("LEADLINE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in home.items():
        monkeypatch.setenv(name, value)
    path = cache_directory() / "file"
    assert isinstance(write_cached(path, b"x"), OSError)
    assert read_cached(path) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_link_of_another_user_on_the_way_is_not_followed(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(path.parent.parent)
    through = link / path.parent.name / path.name
    assert read_cached(through) is not None
    os.lchown(link, 12345, 12345)
    assert read_cached(through) is None
    assert "belongs to another user" in str(write_cached(through, b"new"))
    assert "belongs to another user" in str(write_cached(link / "new" / "file", b"new"))
    assert not (path.parent.parent / "new").exists()


@posix
def test_what_a_killed_process_left_is_removed(path: Path) -> None:
    left = path.with_name(".leadline-0123456789abcdef.part")
    left.write_bytes(b"half")
    write_cached(path, b"new")
    assert not left.exists()
