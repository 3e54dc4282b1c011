"""The lock on a folder: one holder at a time, among threads, processes and operating systems."""

from __future__ import annotations

import importlib
import importlib.util
import multiprocessing
import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from leadline.errors import InputError
from leadline.text import files
from leadline.text.files import FolderLock

HOLDER = """
import multiprocessing, os
from leadline.text.files import FolderLock

def hold(folder, ready, kill):
    lock = FolderLock(folder)
    lock.acquire()
    ready.set()
    if kill:
        os._exit(1)
    multiprocessing.parent_process().join()
"""


def test_a_second_holder_learns_who_the_first_is(tmp_path: Path) -> None:
    with (
        FolderLock(tmp_path),
        pytest.raises(InputError, match=f"process {os.getpid()} on .* is writing in this folder"),
    ):
        FolderLock(tmp_path).acquire()
    assert not list(tmp_path.iterdir())
    with FolderLock(tmp_path):
        assert [path.name for path in tmp_path.iterdir()] == ["lock"]


@pytest.mark.parametrize("kill", [False, True])
def test_a_lock_holds_among_spawned_processes_and_ends_with_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kill: bool
) -> None:
    (tmp_path / "lock_holder.py").write_text(HOLDER)
    monkeypatch.syspath_prepend(str(tmp_path))
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    hold = importlib.import_module("lock_holder").hold
    process = context.Process(target=hold, args=(str(tmp_path), ready, kill), daemon=True)
    process.start()
    assert ready.wait(60)
    if not kill:
        with pytest.raises(InputError, match=f"process {process.pid} on"):
            FolderLock(tmp_path).acquire()
        process.terminate()
    process.join()
    with FolderLock(tmp_path):
        assert f"process {os.getpid()}" in (tmp_path / "lock").read_text()


def test_a_lock_on_a_file_that_was_deleted_meanwhile_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, plain = FolderLock(tmp_path), files.try_lock
    first.acquire()
    opened = []

    def late(file: object) -> bool:
        opened.append(file)
        first.release()  # after the second opened the file, before it locks it
        return plain(file)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "try_lock", late)
    with FolderLock(tmp_path):
        assert len(opened) == 2
        assert (tmp_path / "lock").exists()


def test_windows_locks_a_byte_behind_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def locking(number: int, mode: int, count: int) -> None:
        assert (mode, count, os.lseek(number, 0, os.SEEK_CUR)) == (2, 1, 1 << 30)
        if held:
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    spec = importlib.util.spec_from_file_location("lock_on_windows", files.__file__)
    module: ModuleType = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    held = False
    with module.FolderLock(tmp_path):
        held = True
        with pytest.raises(InputError, match=f"process {os.getpid()} on .* is writing"):
            module.FolderLock(tmp_path).acquire()
    assert not list(tmp_path.iterdir())
