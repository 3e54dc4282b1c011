"""Every command of docs/pools.md works as printed, in order, in one folder."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from leadline.cli import main

PAGE = Path(__file__).parents[3] / "docs" / "pools.md"


def test_every_command_works(
    example_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(example_files, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    text = PAGE.read_text(encoding="utf-8")
    lines = [
        line.removeprefix("$ ")
        for block in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
    ]
    assert len(lines) > 15
    for line in lines:
        words = shlex.split(line)
        assert words[0] == "leadline"
        capsys.readouterr()
        main(words[1:])
        out, err = capsys.readouterr()
        assert out or err, line
        if "--runs" in words:
            assert "The verdict does" in out
    assert (PAGE.with_suffix(".svg")).read_text(encoding="utf-8").startswith("<svg")
