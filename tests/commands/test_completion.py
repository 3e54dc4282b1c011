"""What `leadline completion` prints completes commands, options, choices and files, in each shell that is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from leadline.cli import main
from leadline.commands.completion import SHELLS

pytestmark = pytest.mark.skipif(os.name != "posix", reason="shells and terminals of POSIX")
# What is typed before the tabulator, and what it becomes, in a folder with one file and one folder.
TYPED = {
    "leadline eval": "leadline evaluate",
    "leadline --vers": "leadline --version",
    "leadline compare verd": "leadline compare verdict",
    "leadline completion fi": "leadline completion fish",
    "leadline evaluate --qrels-": "leadline evaluate --qrels-format",
    "leadline evaluate -f parq": "leadline evaluate -f parquet",
    "leadline evaluate --format=parq": "leadline evaluate --format=parquet",
    "leadline collection build x.xml --form uspto_": "leadline collection build x.xml --form uspto_wrapper",
    "leadline run x.index x.tsv --system york -o first.": "leadline run x.index x.tsv --system york -o first.run",
    "leadline compare pairs first.": "leadline compare pairs first.run",
    "leadline compare pairs --seed first": "leadline compare pairs --seed first",
    "leadline index x -o fir": "leadline index x -o first-folder",  # a file is no folder
}
LONGEST_WAIT = 120.0  # seconds, for a shell that says nothing more
BEGIN = {
    "bash": [". {script}"],
    "zsh": ["autoload -U compinit; compinit -D -u", ". {script}"],
}
SAY = "leadline() { printf '%sleadline %s>\\n' '<' \"$*\"; }"  # prints how it is called


@contextmanager
def terminal(command: list[str], folder: Path) -> Iterator[Callable[[str], str]]:
    """A shell in a terminal of its own: takes what is typed, until our function says how it was called."""
    import pty
    import select

    ours, theirs = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "dumb", "LC_ALL": "C.UTF-8"}
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    with subprocess.Popen(command, **streams, cwd=folder, env=environment, start_new_session=True) as shell:
        os.close(theirs)

        def called(text: str) -> str:
            os.write(ours, text.encode())
            shown, end = "", time.monotonic() + LONGEST_WAIT
            while (found := re.search(r"<(leadline .*)>\r?\n", shown)) is None:
                assert select.select([ours], [], [], max(0.0, end - time.monotonic()))[0], shown
                shown += os.read(ours, 65536).decode()
            return found[1]

        try:
            yield called
        finally:
            shell.kill()
            os.close(ours)


def in_terminal(name: str, program: str, script: Path, folder: Path) -> dict[str, str]:
    """What bash and zsh make of each line."""
    command = [program, "--norc", "--noprofile", "-i"] if name == "bash" else [program, "-f", "-i"]
    with terminal(command, folder) as called:
        begin = [line.format(script=script) for line in BEGIN[name]]
        called("\n".join([*begin, SAY, "leadline is ready", ""]))
        return {line: called(f"{line}\t\n") for line in TYPED}


def by_fish(program: str, script: Path, folder: Path) -> dict[str, str]:
    """What fish offers for the last word, put in its place."""
    asked = "".join(f"complete -C '{line}'; echo =;" for line in TYPED)
    command = [program, "--no-config", "-c", f"source {script}; {asked}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert not done.stderr
    offers = [each.split() for each in done.stdout.split("=\n")]
    found = {}
    for line, words in zip(TYPED, offers, strict=False):
        start, _, last = line.rpartition(" ")
        (offer,) = words or [last]
        found[line] = f"{start} {offer}"
    return found


@pytest.mark.parametrize("name", SHELLS)
def test_what_is_typed_is_completed(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"the shell {name} is not installed: make services")
    script, folder = tmp_path / "script", tmp_path / "folder"
    (folder / "first-folder").mkdir(parents=True)
    (folder / "first.run").touch()
    main(["completion", name])
    script.write_text(capsys.readouterr().out, encoding="utf-8")
    found = by_fish(program, script, folder) if name == "fish" else in_terminal(name, program, script, folder)
    assert {line: completed.removesuffix("/") for line, completed in found.items()} == TYPED  # of a folder
