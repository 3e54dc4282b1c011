"""Every command and the Python of README work as printed, in order, in one folder; what it shows is what is printed."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from leadline.cli import main

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
ELSEWHERE = ("make demo", "make test")  # the demo has tests of its own; these are the tests


def commands() -> list[tuple[str, str]]:
    """Every command of the console blocks, and the output shown under it."""
    found: list[tuple[str, str]] = []
    for block in re.findall(r"^```console\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, output = part.partition("\n")
            found.append((line, output))
    return found


def python() -> str:
    return "\n".join(re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL))


def test_every_command_works_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copytree(ROOT / "tests/golden/documents", tmp_path / "tests/golden/documents")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    for line, shown in commands():
        words = shlex.split(line, comments=True)
        if line.startswith("mkdir"):
            assert words == ["mkdir", "-p", "tour/runs", "&&", "cd", "tour"]
            Path("tour/runs").mkdir(parents=True)
            monkeypatch.chdir("tour")
        elif " ".join(words) not in ELSEWHERE:
            assert words[0] == "leadline"
            capsys.readouterr()
            main(words[1:])  # ends the process if a command fails
            out, err = capsys.readouterr()
            # A terminal breaks long lines, a pipe does not.
            assert not shown or shown.split() == (out + err).split(), line
    exec(compile(python(), "README.md", "exec"), {"__name__": "page"})


def test_no_line_of_a_block_is_too_long_to_read() -> None:
    blocks = re.findall(r"^```\w+\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    assert max(len(line) for block in blocks for line in block.splitlines()) <= 120
