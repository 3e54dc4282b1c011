"""A full disk is one line, with what was needed and what is free; the old state stays, and nothing half written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from leadline.cli import main

SIZE = 768 << 10


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 768 kB."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("needs Linux and root, to mount a small disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip(f"cannot mount a disk here: {mounted.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def full(small_disk: Path) -> Callable[[int], None]:
    """Fill the disk but for some bytes."""

    def fill(left: int) -> None:
        room = os.statvfs(small_disk)
        with (small_disk / "filler").open("wb") as file:
            file.write(bytes(max(0, room.f_bavail * room.f_frsize - left)))

    return fill


def failed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line of a command that fails."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    error = capsys.readouterr().err
    assert ended.value.code == 1, error
    assert "Traceback" not in error
    lines = error.strip().splitlines()
    assert len(lines) == 1, error
    return lines[0]


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "filler")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def noise(number: int, size: int) -> str:
    """A text that cannot be compressed much."""
    import hashlib

    return " ".join(hashlib.sha256(f"{number} {part}".encode()).hexdigest() for part in range(size // 64))


@pytest.fixture
def sources(tmp_path: Path) -> Callable[[int], Path]:
    def write(count: int) -> Path:
        path = tmp_path / f"{count}.jsonl"
        with path.open("w") as file:
            for number in range(count):
                fields = {"id": f"US{7_000_000 + number}B2", "title": "Nail", "abstract": noise(number, 1500)}
                file.write(json.dumps(fields | {"claims": ["A nail."]}) + "\n")
        return path

    return write


def test_collection_build(
    small_disk: Path, sources: Callable[[int], Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    target = str(small_disk / "c")
    main(["collection", "build", str(sources(40)), "-o", target, "-q"])
    before = content(small_disk)
    error = failed(capsys, "collection", "build", str(sources(2000)), "-o", target, "-q")
    assert "the disk is full (" in error
    assert "needed" in error
    assert "free)" in error
    after = content(small_disk)
    same = [name for name in before if not name.endswith("leadline.jsonl")]
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert set(after) == set(before)
    main(["check", target])


@pytest.mark.parametrize("left", [0, 8 << 10, 64 << 10, 200 << 10])
def test_simulate(small_disk: Path, full: Callable[[int], None], capsys: pytest.CaptureFixture[str], left: int) -> None:
    full(left)
    error = failed(capsys, "simulate", "office", "-o", str(small_disk / "o"), "--patents", "700", "-q")
    assert "the disk is full (" in error
    assert not [name for name in content(small_disk) if name.endswith((".unfinished", ".part", ".parquet"))]


def test_what_an_office_was_stays(small_disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(small_disk / "o")
    size = ["--length", "20", "--topics", "5"]
    main(["simulate", "office", "-o", target, "--patents", "100", *size])
    before = content(small_disk)
    error = failed(capsys, "simulate", "office", "-o", target, "--patents", "3000", "-q")
    assert "the disk is full (" in error
    after = content(small_disk)
    assert {name: after[name] for name in before if not name.endswith("leadline.jsonl")} == {
        name: each for name, each in before.items() if not name.endswith("leadline.jsonl")
    }
    main(["check", target])


def test_evaluate_report_run_and_grid(
    small_disk: Path,
    full: Callable[[int], None],
    capsys: pytest.CaptureFixture[str],
    example_files: Path,
    monkeypatch: pytest.MonkeyPatch,
    one_figure: None,
) -> None:
    monkeypatch.chdir(example_files)
    old = small_disk / "old.csv"
    old.write_text("the old content")
    full(0)
    qrels, runs = "qrels.txt", ["runs/bm25.run", "runs/dph.run"]
    disk = str(small_disk)
    commands = {
        "evaluate": ["evaluate", qrels, *runs, "-m", "PRES@100", "--by-topic", "-f", "csv", "-o", str(old)],
        "report": ["report", qrels, *runs, "-o", f"{disk}/r.html", "--samples", "5", "-q"],
        "run": ["run", "patents.index", "topics.tsv", "-o", f"{disk}/x.run", "-k", "20", "-q"],
        "grid": ["grid", "patents.index", "topics.tsv", "grid.toml", "-o", f"{disk}/g", "-k", "20", "-q"],
    }
    for name, arguments in commands.items():
        error = failed(capsys, *arguments)
        assert "the disk is full (" in error, (name, error)
    assert old.read_text() == "the old content"
    left = sorted(name for name in content(small_disk) if not name.startswith("g/"))
    assert set(left) <= {"old.csv", "x.run.unfinished"}
    (small_disk / "filler").unlink()
    for name in ("run", "grid"):
        main(commands[name])
    assert not list(small_disk.rglob("*.unfinished"))


@pytest.mark.parametrize("left", range(130 << 10, 280 << 10, 20 << 10))
def test_tables_that_polars_writes(
    small_disk: Path, full: Callable[[int], None], capsys: pytest.CaptureFixture[str], tmp_path: Path, left: int
) -> None:
    """The texts of these documents need little room, and the tables of their names and citations much."""
    source = tmp_path / "citing.jsonl"
    with source.open("w") as file:
        for number in range(3000):
            cited = [f"US{4_000_000 + (number * 8 + place) * 7919 % 2_999_999}A" for place in range(8)]
            fields = {"id": f"US{7_000_000 + number}B2", "title": "Nail", "abstract": "A nail.", "citations": cited}
            file.write(json.dumps(fields) + "\n")
    full(left)
    error = failed(capsys, "collection", "build", str(source), "-o", str(small_disk / "c"), "-q")
    assert "the disk is full (" in error
    assert not content(small_disk)
