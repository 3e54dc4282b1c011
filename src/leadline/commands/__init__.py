"""One file per command: `compare/pairs.py` is `leadline compare pairs`, `prior_art.py` is `leadline prior-art`.

The first line of a file's docstring is the command's line in `leadline --help`; the whole docstring is its own help.
`add_arguments` declares the arguments and `run` does the work. `shared/` holds what several commands use.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
ORDER = ("evaluate", "measures", "explain", "compare", "collection", "topics", "qrels", "simulate", "index", "search",
         "prior-art", "run", "grid", "report", "check", "ideal", "reproduce")  # fmt: skip


def command_files() -> dict[str, Path]:
    """The file of every command by the command's name, in the order of `leadline --help`."""
    paths = {path.relative_to(FOLDER).with_suffix("").parts: path for path in FOLDER.rglob("[a-z]*.py")}
    files = {" ".join(words).replace("_", "-"): path for words, path in paths.items() if words[0] != "shared"}
    places = {word: place for place, word in enumerate(ORDER)}  # a group that is not in ORDER comes last
    return dict(sorted(files.items(), key=lambda file: (places.get(file[0].split()[0], len(places)), file[0])))


def summary(path: Path) -> str:
    """The first line of a file's docstring, without the full stop."""
    with path.open(encoding="utf-8") as file:
        return file.readline().strip().strip('"').removesuffix(".")
