"""Check that a collection, index, simulated office, grid, review, lab or demo is undamaged.

Reads everything in full and compares it with its checksums. Prints a line for each problem, with how to fix it, and
exits with status 1 if there are any. Files that are not Leadline's are mentioned and left alone.

Examples:
  leadline check patents patents.index
  leadline check patents -f json
"""

from __future__ import annotations

import argparse
import sys

from leadline.commands.shared.argument_kinds import OUR_FOLDER
from leadline.commands.shared.options import add_options, check_format
from leadline.commands.shared.output import print_notes, write, write_table
from leadline.errors import LeadlineError
from leadline.records.result import Table, counted

COLUMNS = ("folder", "kind", "file", "problem", "fix")
NAMED = 3  # files of others that are named


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folders", type=OUR_FOLDER, nargs="+", metavar="DIR", help="folder of a collection, index, office, grid or demo"
    )
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.collections.documents.collection import NOT_FINISHED
    from leadline.show.check import Examination, examine
    from leadline.text.files import readable_size

    def size(found: Examination) -> str:
        return f"{counted(found.files, 'file')}, {readable_size(found.bytes)}"

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
        rows += [[folder, found.kind, each.path, each.problem, each.fix] for each in found.findings]
        if found.findings:
            lines += [f"{each.path}: {each.problem}; {each.fix}" for each in found.findings]
            unfinished = all(each.problem == NOT_FINISHED for each in found.findings)
            state = "unfinished:" if unfinished else f"damaged: {counted(len(found.findings), 'problem')},"
            lines.append(f"the {found.kind} {folder} is {state} {size(found)}")
        else:
            lines.append(f"the {found.kind} {folder} is sound: {size(found)}")
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
