"""Write again what the commands of README, the tour and the tutorials print: printed.py [PAGE ...]

All commands are run; those with an output under them get the new one. Sentences that repeat a number of it stay.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
README, TOUR = ROOT / "README.md", ROOT / "docs/tour.md"
TUTORIALS = tuple(ROOT / f"docs/tutorials/{name}.md" for name in ("choose-a-patent-search-tool", "compare-your-runs"))
ALONE = (README, TOUR, *TUTORIALS)  # pages that begin with nothing, and make all files that they use
ELSEWHERE = ("make", "leadline judge serve", "leadline review serve", "leadline serve", "leadline demo")
WIDTH = 99
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)  # with the output shown under it


def commands(text: str) -> list[tuple[str, str]]:
    """Every command of the console blocks of a page, and the output shown under it.

    >>> commands("```console\\n$ one   # why\\nsaid\\n$ two\\n```\\n")
    [('one   # why', 'said\\n'), ('two', '')]
    """
    return [pair for block in BLOCK.findall(text) for pair in COMMAND.findall(block)]


def python_of(text: str) -> str:
    """The Python of a page."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))


def follow(text: str, folder: Path, run: Callable[[Path, str], str]) -> tuple[Path, list[str]]:
    """Run every command of a page in a folder, or the one it changes to: the last, and what each command printed."""
    for needed in ("examples", "tests/golden/documents"):
        shutil.copytree(ROOT / needed, folder / needed, dirs_exist_ok=True)
    printed = []
    for line, _ in commands(text):
        words = shlex.split(line, comments=True)
        if words[0] == "mkdir":
            made, _, inside = " ".join(words[2:]).partition(" && cd ")
            (folder / made).mkdir(parents=True)
            folder /= inside
            printed.append("")
        elif line.startswith(ELSEWHERE):
            printed.append("")
        else:
            assert words[0] == "leadline", line
            printed.append(run(folder, line))
    return folder, printed


def renewed(text: str, printed: list[str]) -> str:
    """A page with what each command printed in place of what is shown; long lines are broken as a terminal does."""
    left = iter(printed)

    def block(found: re.Match[str]) -> str:
        return found[0].replace(found[1], COMMAND.sub(command, found[1]))

    def command(found: re.Match[str]) -> str:
        said = "\n".join(textwrap.fill(line, WIDTH) if len(line) > WIDTH else line for line in next(left).splitlines())
        return f"$ {found[1]}\n{said}\n" if found[2] else found[0]

    return BLOCK.sub(block, text)


def in_shell(folder: Path, line: str) -> str:
    """What the program of this clone prints, on both streams."""
    begin = f'leadline() {{ {shlex.quote(sys.executable)} -m leadline.cli "$@"; }}; '
    places = os.pathsep.join(filter(None, (str(ROOT / "src"), os.environ.get("PYTHONPATH"))))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"PYTHONPATH": places}
    done = subprocess.run(["sh", "-c", begin + line], cwd=folder, env=environment, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{line}\n{done.stderr.decode()}")
    return (done.stdout + done.stderr).decode()


def main() -> None:
    for page in map(Path, sys.argv[1:]) if sys.argv[1:] else ALONE:
        text = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            _, printed = follow(text, Path(folder), in_shell)
        new = renewed(text, printed)
        page.write_text(new, encoding="utf-8", newline="\n")
        print(f"{page}: {len(printed)} commands, {'changed' if new != text else 'the same'}")


if __name__ == "__main__":
    main()
