"""Add collections, indexes, topics, judgements, runs, pools, reviews and reports to a lab.

What a file is, is recognised by its content; --as says it where that fails. Files are read in full, so that a wrong one
is refused with its line, and copied with the manifest beside them; folders stay where they are. If one is wrong, none
is added.

Examples:
  leadline lab add brakes qrels.txt topics.tsv runs/*.run
  leadline lab add brakes patents patents.index
  leadline lab add brakes late.run --as run --name bm25 --replace
"""

from __future__ import annotations

import argparse
import contextlib
import glob
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import INPUT_FILES, OUR_FOLDER, WORD
from leadline.commands.shared.options import add_choice, add_options
from leadline.commands.shared.output import progress_bar, write
from leadline.errors import InputError, LeadlineError, UsageError
from leadline.records.result import counted
from leadline.show.choices import LAB_KINDS

if TYPE_CHECKING:
    from leadline.show.lab.lab import Lab


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("lab", metavar="LAB", type=OUR_FOLDER, help="lab that `leadline lab init` made")
    add(
        "paths",
        metavar="PATH",
        type=INPUT_FILES,
        nargs="+",
        help="files and folders; patterns such as runs/*.run are expanded",
    )
    add_choice(parser, "--as", LAB_KINDS, "what they are", None, "found by their content")
    add("--name", metavar="NAME", type=WORD, help="name in the lab, for a single PATH (default: its own)")
    add("--replace", action="store_true", help="let them take the place of others of the same name")
    add("--baseline", metavar="RUN", type=WORD, help="run of the system used today, by its name in the lab")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.lab.lab import Lab

    lab = Lab.open(options.lab)
    paths = [path for pattern in options.paths for path in _expanded(pattern)]
    if options.name is not None and len(paths) > 1:
        raise UsageError("--name", f"is for one file, and there are {len(paths)}")
    before = {(each.kind, each.name): each.added for each in lab.entries()}
    entries = lab.add_all(paths, kind=getattr(options, "as"), name=options.name, replaced=options.replace)
    if options.baseline is not None:
        lab.set_baseline(options.baseline)
    again = [before.get((each.kind, each.name)) == each.added for each in entries]
    lines = [
        f"  {entry.kind:<10} {entry.name}{'  (there already)' if old else ''}\n"
        for entry, old in zip(entries, again, strict=True)
    ]
    if not options.quiet:
        there = f"{counted(len(lab.entries()), 'thing')} in {options.lab}"
        lines.append(f"{again.count(False):,} added, {there}; see them with `leadline serve {options.lab}`\n")
        write("".join(lines))
    if any(each.kind in ("qrels", "run") for each in entries):
        _prepare(lab, quiet=options.quiet)


def _prepare(lab: Lab, *, quiet: bool) -> None:
    """Compute what the lab's first page says, so that it is there at once."""
    from leadline.show.lab.boards import Boards
    from leadline.show.lab.stored_results import StoredResults, prepare

    with contextlib.suppress(LeadlineError), lab.kept_open():  # what is wrong or missing, the pages say
        if lab.entries("qrels") and lab.entries("run"):
            with progress_bar("the first page", quiet=quiet) as progress:
                prepare(Boards(lab).board(), StoredResults(lab), progress=progress)


def _expanded(pattern: str) -> list[str]:
    if Path(pattern).exists() or not glob.has_magic(pattern):
        return [pattern]
    found = sorted(glob.glob(pattern))
    if not found:
        raise InputError(pattern, "no such file")
    return found
