"""What is on the disk when: files before the manifest that names them, and a full disk as an error."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from leadline.errors import InputError
from leadline.retrieval.index import arrays
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.manifest import MANIFEST, check_index

DOCUMENTS = [{"id": f"D{number}", "body": f"acid film number {number}"} for number in range(20)]
needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to name open files")


@needs_proc
@pytest.mark.parametrize("change", ["build", "add", "merge"])
def test_everything_is_on_disk_before_the_manifest_names_it(tmp_path: Path, monkeypatch, change: str) -> None:
    index = Index.build(DOCUMENTS[:5], tmp_path, fields=["body"]).add(DOCUMENTS[5:9])
    old = {path.name for path in tmp_path.glob("*.arrays")}
    calls: list[tuple[str, str]] = []
    fsync, replace, unlink = os.fsync, os.replace, os.unlink

    def recorded_fsync(descriptor: int) -> None:
        calls.append(("sync", str(Path(f"/proc/self/fd/{descriptor}").readlink())))
        fsync(descriptor)

    def recorded_replace(source, target) -> None:
        calls.append(("rename", f"{source} {target}"))
        replace(source, target)

    def recorded_unlink(path, **options) -> None:
        calls.append(("remove", str(path)))
        unlink(path, **options)

    monkeypatch.setattr(os, "fsync", recorded_fsync)
    monkeypatch.setattr(os, "replace", recorded_replace)
    monkeypatch.setattr(os, "unlink", recorded_unlink)
    if change == "build":
        index = Index.build(DOCUMENTS, tmp_path, fields=["body"])
    else:
        index = index.add(DOCUMENTS[9:]) if change == "add" else index.merge()
    renamed = next(n for n, (what, names) in enumerate(calls) if what == "rename" and names.endswith(MANIFEST))
    part = calls[renamed][1].split()[0]
    new = [index.segments[-1].path, tmp_path / index.manifest["order"]["file"]]
    before = calls[:renamed]
    synced = [before.index(("sync", str(path))) for path in new]  # each was flushed,
    folder = next(n for n, call in enumerate(before) if n > max(synced) and call == ("sync", str(tmp_path)))
    assert before.index(("sync", part)) > folder  # then their names, then the manifest,
    assert calls[renamed + 1] == ("sync", str(tmp_path))  # which takes its name, and that is flushed;
    removed = [n for n, (what, name) in enumerate(calls) if what == "remove" and Path(name).name in old]
    assert removed
    assert min(removed) > renamed + 1  # old files go last


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("needs to mount a file system, which only root can")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"a file system cannot be mounted here: {mounted.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=False)


def test_a_full_disk_is_an_error_and_the_old_index_stays(small_disk: Path) -> None:
    code = (
        "import sys; from leadline.errors import InputError; from leadline.retrieval.index.index import Index\n"
        "many = ({'id': f'D{n}', 'body': ' '.join(f'w{n}x{m}' for m in range(20))} for n in range(40_000))\n"
        "index = Index.build([{'id': 'one', 'body': 'acid'}], sys.argv[1], fields=['body'])\n"
        "try:\n"
        "    Index.build(many, sys.argv[1], fields=['body'], positions=True)\n"
        "except InputError as error:\n"
        "    print(error)\n"
    )
    command = [sys.executable, "-c", code, str(small_disk / "index")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    assert "cannot be written: the disk is full (" in done.stdout
    assert "MB needed, " in done.stdout
    assert Index.open(small_disk / "index").ids == ["one"]
    assert list(check_index(small_disk / "index")) == []
    assert len(list((small_disk / "index").iterdir())) == 4  # nothing is left of what did not fit


def test_room_is_reserved_where_the_system_cannot(tmp_path: Path, monkeypatch) -> None:
    layout = {"a": (np.int32, 700_000)}
    for fail in (True, False):
        if fail:
            monkeypatch.setattr(
                os, "posix_fallocate", lambda *_: (_ for _ in ()).throw(OSError(22, "no")), raising=False
            )
        else:
            monkeypatch.delattr(os, "posix_fallocate")
        with arrays.create(tmp_path / "file", layout) as into:
            into["a"][:] = 7
        assert (arrays.read(tmp_path / "file")["a"] == 7).all()
        assert (tmp_path / "file").stat().st_blocks * 512 >= 2_800_000


def test_a_file_that_is_not_filled_is_removed(tmp_path: Path) -> None:
    with pytest.raises(KeyError), arrays.create(tmp_path / "file", {"a": (np.int32, 3)}) as into:
        into["b"][:] = 1
    assert not (tmp_path / "file").exists()
    with arrays.create(tmp_path / "file", {"a": (np.int32, 3)}) as into:
        into["a"][:] = 1
    assert arrays.resume_file(tmp_path / "file", {"a": (np.int32, 4)}) is None
    assert arrays.resume_file(tmp_path / "absent", {"a": (np.int32, 4)}) is None
    with pytest.raises(InputError, match="is damaged, it has no b: build the index again"):
        arrays.read(tmp_path / "file")["b"]
    with pytest.raises(InputError, match="is damaged, a has the type <i4: build the index again"):
        arrays.read(tmp_path / "file").whole("a", np.int64)
