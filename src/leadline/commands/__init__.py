"""One file per command: `compare/pairs.py` is `leadline compare pairs`, `prior_art.py` is `leadline prior-art`.

The first line of a file's docstring is the command's line in `leadline --help`; the whole docstring is its own help.
`add_arguments` declares the arguments and `run` does the work. `shared/` holds what several commands use.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).parent
GROUPS = {  # the first words of the commands for each job, as `leadline --help` lists them
    "Measure runs": ("evaluate", "curve", "explain", "measures", "ideal"),
    "Can it be believed?": ("compare",),
    "Pages for people": ("serve", "lab", "case", "campaign", "report", "demo", "reproduce"),
    "Make a test collection": ("collection", "crawl", "topics", "qrels", "simulate"),
    "Links, copies and classes": ("links", "duplicates", "directory"),
    "Judge it": ("pool", "judge", "review"),
    "Search it, and make runs": ("index", "search", "strategy", "prior-art", "show", "run", "grid", "tune", "systems"),
    "Look after what is stored": ("check", "estimate"),
    "In the shell": ("completion",),
}
ORDER = tuple(word for words in GROUPS.values() for word in words)
OTHERS = "Other"  # a command that is in no group


def command_files() -> dict[str, Path]:
    """The file of every command by the command's name, in the order of `leadline --help`."""
    paths = {path.relative_to(FOLDER).with_suffix("").parts: path for path in FOLDER.rglob("[a-z]*.py")}
    files = {" ".join(words).replace("_", "-"): path for words, path in paths.items() if words[0] != "shared"}
    places = {word: place for place, word in enumerate(ORDER)}  # a group that is not in ORDER comes last
    return dict(sorted(files.items(), key=lambda file: (places.get(file[0].split()[0], len(places)), file[0])))


def command_module(name: str) -> ModuleType:
    """The module of a command, imported."""
    return importlib.import_module(f"{__name__}.{name.replace(' ', '.').replace('-', '_')}")


def grouped(files: Mapping[str, Path]) -> dict[str, list[str]]:
    """The names of commands by job, in the order of `leadline --help`."""
    job = {word: name for name, words in GROUPS.items() for word in words}
    found: dict[str, list[str]] = {}
    for name in files:
        found.setdefault(job.get(name.split()[0], OTHERS), []).append(name)
    return found


def summary(path: Path) -> str:
    """The first line of a file's docstring, without the full stop."""
    with path.open(encoding="utf-8") as file:
        return file.readline().strip().strip('"').removesuffix(".")
