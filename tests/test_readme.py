"""Every command and the Python of README work as printed, in order, in one folder; what it shows is what is printed."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

import leadline
from leadline.cli import main

sys.path.insert(0, str(Path(__file__).parent))
from only_required import write_site

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


def follow(folder: Path, run: Callable[[Path, str], str]) -> Path:
    """Run every command in its folder and compare what it prints with what is shown; the folder of the last."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copytree(ROOT / "tests/golden/documents", folder / "tests/golden/documents")
    for line, shown in commands():
        words = shlex.split(line, comments=True)
        if line.startswith("mkdir"):
            assert words == ["mkdir", "-p", "tour/runs", "&&", "cd", "tour"]
            folder /= "tour"
            (folder / "runs").mkdir(parents=True)
        elif " ".join(words) not in ELSEWHERE:
            assert words[0] == "leadline"
            printed = run(folder, line)
            # A terminal breaks long lines, a pipe does not.
            assert not shown or shown.split() == printed.split(), line
    return folder


def test_every_command_works_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(folder: Path, line: str) -> str:
        monkeypatch.chdir(folder)
        capsys.readouterr()
        main(shlex.split(line, comments=True)[1:])  # ends the process if a command fails
        return "".join(capsys.readouterr())

    monkeypatch.chdir(follow(tmp_path, run))
    exec(compile(python(), "README.md", "exec"), {"__name__": "page"})


def follow_installed(folder: Path, programs: Path, environment: dict[str, str]) -> None:
    """Run README as a newcomer does, in a shell and with these programs: commands, Python, and pages in the browser."""
    environment = {**environment, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("COLUMNS", None)

    def run(folder: Path, line: str) -> str:
        command = ["sh", "-c", line]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        assert "--system york" not in line or "the package chemicals" in done.stderr, "a package is hidden in silence"
        return done.stdout + done.stderr

    tour = follow(folder, run)
    (folder / "page.py").write_text(python(), encoding="utf-8")
    run(tour, "python ../page.py")
    manifest = json.loads((tour / "york.run.manifest.json").read_text(encoding="utf-8"))
    assert manifest["packages"] == {"chemicals": None}
    run(tour, "leadline lab init lab")
    for pages in (
        "serve lab --no-open",
        "judge serve pool.txt --documents office/collection",
        "review serve review --documents office/collection --query coating",
    ):
        command = [programs / "leadline", *pages.split(), "--port", "0"]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, cwd=tour, env=environment, stdout=pipe, stderr=pipe) as one:
            assert one.stdout is not None
            is_open = any(b"http://127.0.0.1:" in line for line in one.stdout)
            one.terminate()
            assert is_open, f"{pages}\n{one.communicate()[1].decode()}"


@pytest.mark.skipif(os.name == "nt", reason="README is written for a shell")
def test_nothing_but_what_is_required_is_needed(tmp_path: Path) -> None:
    """The short form of the next test: modules that a plain installation has not are hidden."""
    site, programs = tmp_path / "site", tmp_path / "programs"
    site.mkdir()
    programs.mkdir()
    write_site(site)
    for name, words in (("leadline", "-m leadline.cli "), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {words}"$@"\n', encoding="utf-8")
        (programs / name).chmod(0o755)
    source = Path(leadline.__file__).parents[1]
    follow_installed(tmp_path, programs, {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{source}"})


@pytest.mark.soak
@pytest.mark.skipif(os.name == "nt", reason="README is written for a shell")
def test_every_command_works_after_a_plain_installation(soak: bool, tmp_path: Path) -> None:
    if not soak:
        pytest.skip("makes an environment of its own, in `make soak`; the test before is its short form")
    made = tmp_path / "environment"
    venv.create(made, with_pip=True)
    install = [made / "bin/python", "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", ROOT]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    follow_installed(tmp_path, made / "bin", {k: v for k, v in os.environ.items() if k != "PYTHONPATH"})


def test_no_line_of_a_block_is_too_long_to_read() -> None:
    blocks = re.findall(r"^```\w+\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    assert max(len(line) for block in blocks for line in block.splitlines()) <= 120
