"""Under a limit of memory or of open files, what libraries would end with a crash is one line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from leadline import cli

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of address space, as Linux has them")


@pytest.mark.parametrize("megabytes", [64, 128, 700])
def test_memory_that_runs_out_is_one_line(tmp_path: Path, megabytes: int) -> None:
    (tmp_path / "documents.jsonl").write_text('{"id": "EP1", "title": "film", "abstract": "a film"}\n')
    command = "collection build documents.jsonl --keep all -o c"
    command = f"ulimit -v {megabytes << 10}; exec {sys.executable} -m leadline.cli {command}"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert done.stderr.startswith("leadline: not enough memory")
    assert len(done.stderr.splitlines()) == 1


def under(limit: str, command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    line = f"ulimit {limit}; exec {sys.executable} -m leadline.cli {command}"
    return subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("files", [6, 8])
def test_too_few_open_files_are_one_line(tmp_path: Path, files: int) -> None:
    """Polars panics there, and what it read was called damaged."""
    (tmp_path / "documents.jsonl").write_text('{"id": "EP1", "title": "film", "abstract": "a film"}\n')
    done = under(f"-n {files}", "collection build documents.jsonl --keep all -o c", tmp_path)
    assert done.returncode == 1, done.stderr
    (line,) = done.stderr.splitlines()
    assert re.fullmatch(
        rf"leadline: too many open files \(\d+ are needed\), this process may open {files}: raise `ulimit -n`", line
    )


def test_as_many_open_files_are_allowed_as_is_usual(tmp_path: Path) -> None:
    (tmp_path / "documents.jsonl").write_text('{"id": "EP1", "title": "film", "abstract": "a film"}\n')
    done = under("-Sn 8", "collection build documents.jsonl --keep all -o c -q", tmp_path)
    assert done.returncode == 0, done.stderr


def test_one_gigabyte_is_enough_for_a_small_index(tmp_path: Path) -> None:
    (tmp_path / "documents.jsonl").write_text('{"id": "EP1", "title": "film", "abstract": "a film"}\n')
    for command in ("collection build documents.jsonl --keep all -o c -q", "index c -o i -q"):
        done = under("-v 1000000", command, tmp_path)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RuntimeError("can't start new thread"), "not enough memory (can't start new thread)"),
        (ValueError("No space left on device (os error 28)"), "the disk is full"),
        (type("PanicException", (BaseException,), {})("index out of\nbounds"), "a library failed: index out of bounds"),
    ],
)
def test_what_a_library_says_in_its_own_words_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException, said: str
) -> None:
    def fails(_: list[str]) -> None:
        raise error

    monkeypatch.setattr(cli, "_run", fails)
    with pytest.raises(SystemExit, match="1"):
        cli.main(["measures"])
    assert capsys.readouterr().err == f"leadline: {said}\n"


def test_a_fault_of_ours_is_no_such_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: list[str]) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr(cli, "_run", fails)
    with pytest.raises(RuntimeError, match="a fault"):
        cli.main(["measures"])
