"""Every command and the Python of README and docs/tour.md work as printed, in order; what they show is what is printed.

tests/test_install.py runs them where nothing but what is required is installed.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from leadline.cli import main

sys.path.insert(0, str(Path(__file__).parents[1] / "tools/docs"))
from printed import ALONE, README, TOUR, TUTORIALS, commands, follow, python_of, renewed

ROOT = Path(__file__).parents[1]
MOST_WORDS = 800  # a door, not the house
PAGES = [README, TOUR]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_works_as_printed(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(folder: Path, line: str) -> str:
        monkeypatch.chdir(folder)
        capsys.readouterr()
        main(shlex.split(line, comments=True)[1:])  # ends the process if a command fails
        return "".join(capsys.readouterr())

    text = page.read_text(encoding="utf-8")
    folder, printed = follow(text, tmp_path, run)
    for (line, shown), said in zip(commands(text), printed, strict=True):
        assert not shown or shown.split() == said.split(), line  # a terminal breaks long lines, a pipe does not
    monkeypatch.chdir(folder)
    exec(compile(python_of(text), page.name, "exec"), {"__name__": "page"})


def test_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").split()) < MOST_WORDS


@pytest.mark.parametrize("page", ALONE, ids=lambda page: page.stem)
def test_no_line_of_a_block_is_too_long_to_read(page: Path) -> None:
    blocks = re.findall(r"^```\w+\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert max(len(line) for block in blocks for line in block.splitlines()) <= 120


def test_outputs_are_written_again_where_they_are_shown() -> None:
    page = "Text.\n\n```console\n$ one\n$ two  # why\nold\nolder\n```\n\n```console\n$ three\nold\n```\n"
    printed = ["not shown\n", "new\n", f"{'word ' * 30}\n\na table\n"]
    new = renewed(page, printed)
    assert "$ one\n$ two  # why\nnew\n```" in new
    assert "not shown" not in new
    assert new.count("word") == 30
    assert max(map(len, new.splitlines())) < 100
    assert [line for line, _ in commands(new)] == ["one", "two  # why", "three"]
    assert renewed(new, printed) == new


def test_all_pages_that_are_written_again_are_there() -> None:
    assert all(page.exists() for page in ALONE)
    assert {page.parent for page in TUTORIALS} == {ROOT / "docs/tutorials"}
