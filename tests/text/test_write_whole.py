"""A file is written whole or not at all: whoever reads it sees the old content or the new, never a part."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import leadline as ll
from leadline.text.files import write_whole

OLD, NEW = b"old content\n", b"new" * 50_000
resource = pytest.importorskip("resource")


@contextmanager
def files_end_at(size: int) -> Iterator[None]:
    """As on a full disk: the system refuses to write more than so many bytes to a file."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_a_write_that_fails_in_the_middle_leaves_the_old_content(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(OLD)
    with pytest.raises(ll.InputError, match="cannot be written"), files_end_at(1000):
        write_whole(target, NEW)
    assert target.read_bytes() == OLD
    assert names(tmp_path) == ["file"]


def test_a_new_file_that_fails_in_the_middle_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ll.InputError, match="cannot be written"), files_end_at(1000):
        write_whole(tmp_path / "file", NEW)
    assert names(tmp_path) == []


def test_whoever_is_reading_the_old_content_reads_it_to_its_end(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(OLD)
    with target.open("rb") as reader:
        write_whole(target, NEW)
        assert reader.read() == OLD
    assert target.read_bytes() == NEW
    assert names(tmp_path) == ["file"]


def test_nothing_is_lost_where_the_new_file_cannot_take_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "file"
    target.write_bytes(OLD)

    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(ll.InputError, match="cannot be written: permission denied"):
        write_whole(target, NEW)
    assert target.read_bytes() == OLD
    assert names(tmp_path) == ["file"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "real").write_bytes(OLD)
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "real")
    write_whole(tmp_path / "link", NEW)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "real").read_bytes() == NEW
    assert names(tmp_path / "folder") == ["real"]


def test_a_device_is_written_to_and_stays_one() -> None:
    write_whole(os.devnull, NEW)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_content_may_be_empty(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(OLD)
    write_whole(tmp_path / "file", b"")
    assert (tmp_path / "file").read_bytes() == b""


@pytest.mark.parametrize("where", ["", "no/such/folder/file"])
def test_what_cannot_be_written_is_named(tmp_path: Path, where: str) -> None:
    with pytest.raises(ll.InputError, match="cannot be written: no such file"):
        write_whole(tmp_path / where if where else "", NEW)


def write_run(path: Path) -> None:
    ll.Run.of({"7": {f"d{number}": number for number in range(1000)}}).write(path)


def write_qrels(path: Path) -> None:
    ll.Qrels.of({"7": {f"d{number}": 1 for number in range(1000)}}).write(path)


def write_scores(path: Path) -> None:
    ll.evaluate({"7": {"d": 1}}, {"7": {"d": 1.0}}, ["AP"] + [f"P@{k}" for k in range(1, 200)]).to_parquet(path)


@pytest.mark.parametrize("write", [write_run, write_qrels, write_scores])
def test_everything_that_is_kept_is_written_so(tmp_path: Path, write: Callable[[Path], None]) -> None:
    target = tmp_path / "file"
    target.write_bytes(OLD)
    with pytest.raises(ll.InputError, match="cannot be written"), files_end_at(1000):
        write(target)
    assert target.read_bytes() == OLD
    write(target)
    assert target.stat().st_size > 1000
