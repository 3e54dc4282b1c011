"""List what is in a lab, and whether it is still what was added.

Examples:
  leadline lab status brakes
  leadline lab status brakes --format json
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.options import add_options, check_format
from leadline.commands.shared.output import print_notes, write_table
from leadline.records.scores.table import Table
from leadline.show.figures.formatting import count
from leadline.show.lab.lab import LabEntry
from leadline.show.lab.of_demo import open_lab

COLUMNS = ["kind", "name", "state", "added", "made_by", "sha256", "path"]
_WORDS = {"missing": "gone", "changed": "changed since they were added", "found": "found there, not added"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lab", metavar="LAB", help="lab, or the folder of a demo")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    check_format(options)
    lab = open_lab(options.lab)
    entries = [(entry, entry.state) for entry in lab.entries()]
    write_table(Table(COLUMNS, [_row(entry, state) for entry, state in entries]), options)
    states = [state for _, state in entries]
    notes = [
        f"{count(states.count(state), 'entry', 'entries')} {said}" for state, said in _WORDS.items() if state in states
    ]
    if not entries:
        notes = [f"the lab is empty: add files with `leadline lab add {options.lab} FILE ...`"]
    print_notes(notes, options)


def _row(entry: LabEntry, state: str) -> list[object]:
    made = entry.made_from().get("leadline", "")
    return [entry.kind, entry.name, state, entry.added, made and f"leadline {made}", entry.sha256[:12], str(entry.path)]
