"""Stored files are regular files: a link, a pipe or a device in their place is refused at once."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from leadline.errors import InputError
from leadline.text import files
from leadline.text.checksums import open_stored, stored_bytes
from leadline.text.files import is_leftover, new_file, remove_leftovers, replacing, write_stored, write_whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert stored_bytes(tmp_path / "a") == b"abc"
    assert stored_bytes(tmp_path / "a", 2) == b"ab"


def test_a_pipe_a_link_a_device_and_a_folder_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"abc")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    for name, words in (("pipe", "a pipe"), ("link", "a link"), (".", "a folder")):
        with pytest.raises(OSError, match=words):
            stored_bytes(tmp_path / name)
    with pytest.raises(OSError, match="a device"):
        stored_bytes("/dev/null")
    with pytest.raises(OSError, match="a pipe"):
        open_stored(tmp_path / "pipe", os.O_WRONLY)


def test_a_stored_file_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(b"mine")
    (tmp_path / "manifest.json").symlink_to(tmp_path / "mine")
    with pytest.raises(InputError, match="expected a file"):
        write_stored(tmp_path / "manifest.json", b"ours")
    assert (tmp_path / "mine").read_bytes() == b"mine"


def test_a_pipe_that_nobody_reads_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PIPE_WAIT", 0.1)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="nobody read the pipe within"):
        write_whole(tmp_path / "pipe", b"x")


def test_a_pipe_with_a_reader_is_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_whole(tmp_path / "pipe", b"x" * 200_000)
    reader.join()
    assert found == [b"x" * 200_000]


def _killed_writer(folder: Path) -> Path:
    """What a process left that was killed while it wrote."""
    code = "import os, sys; from pathlib import Path; from leadline.text.files import new_file; "
    code += "print(new_file(Path(sys.argv[1]))[0], flush=True); os._exit(1)"
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False)
    return Path(done.stdout.strip())


def test_the_next_writer_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    left = _killed_writer(tmp_path)
    mine = tmp_path / ".leadline-mine.part"
    mine.write_bytes(b"mine")
    alive, descriptor = new_file(tmp_path)
    assert left.exists()
    write_whole(tmp_path / "out", b"x")
    assert not left.exists()
    assert alive.exists()
    assert mine.exists()
    os.close(descriptor)
    assert is_leftover(alive)
    remove_leftovers(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".leadline-mine.part", "out"]


def test_a_file_in_the_making_stays_locked_until_it_has_its_name(tmp_path: Path) -> None:
    with replacing(tmp_path / "out") as file:
        file.write(b"x")
        remove_leftovers(tmp_path)
    assert (tmp_path / "out").read_bytes() == b"x"
