"""Check that a collection, index, crawl, grid, review, pool, lab or other file is undamaged.

Reads everything in full and compares it with its checksums. PATH may also be a journal, a search history, a run or
judgements with a manifest, or the backup of a review. Prints a line for each problem, with how to mend it, and exits
with status 1 if there are any. Files that are not Leadline's are mentioned and left alone.

Examples:
  leadline check patents patents.index pool.txt
  leadline check patents -f json
"""

from __future__ import annotations

import argparse
import sys

from leadline.commands.shared.argument_kinds import OURS
from leadline.commands.shared.options import add_options, check_format
from leadline.commands.shared.output import print_notes, write, write_table
from leadline.errors import LeadlineError
from leadline.records.result import Table, counted

COLUMNS = ("folder", "kind", "file", "problem", "mend")
NAMED = 3  # files of others that are named


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folders", type=OURS, nargs="+", metavar="PATH", help="a folder of ours, a pool, or another file of ours"
    )
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.check import examine

    check_format(options)
    rows: list[list[str]] = []
    lines, notes = [], []
    for folder in options.folders:
        try:
            found = examine(folder)
        except LeadlineError as error:
            rows.append([folder, "", "", str(error), ""])
            lines.append(str(error))
            continue
        rows += [[folder, found.kind, each.path, each.problem, each.mend] for each in found.findings]
        lines += [f"{each.path}: {each.problem}; {each.mend}" for each in found.findings]
        lines.append(found.verdict(folder))
        notes += [
            f"{path} was left by a process that was killed; the next writer removes it" for path in found.leftovers
        ]
        notes += [f"{path} is unfinished; the same command continues it" for path in found.unfinished]
        notes += found.notes
        if found.strangers:
            names = ", ".join(map(str, found.strangers[:NAMED])) + ", …" * (len(found.strangers) > NAMED)
            notes.append(f"{counted(len(found.strangers), 'other file')} in {folder}: {names}")
    if options.format == "table":
        write("".join(f"{line}\n" for line in lines), options.output)
    else:
        write_table(Table(list(COLUMNS), rows), options)
    print_notes(notes, options)
    if rows:
        sys.exit(1)
