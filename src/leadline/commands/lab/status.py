"""List what is in a lab, and whether it is still what was added.

Examples:
  leadline lab status brakes
  leadline lab status brakes --format json
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from leadline.commands.shared.argument_kinds import OUR_FOLDER
from leadline.commands.shared.options import add_options, check_format
from leadline.commands.shared.output import print_notes, write_table
from leadline.records.result import Table

if TYPE_CHECKING:
    from leadline.show.lab.lab import LabEntry

COLUMNS = ["kind", "name", "state", "added", "made_by", "sha256", "path"]
_WORDS = {
    "missing": "gone",
    "changed": "changed since they were added",
    "damaged": "damaged",
    "found": "found there, not added",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lab", metavar="LAB", type=OUR_FOLDER, help="lab, or the folder of a demo")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.charts import count
    from leadline.show.demo import open_lab
    from leadline.show.lab.check_lab import checked_entries, state_of

    check_format(options)
    lab = open_lab(options.lab)
    checked = list(checked_entries(lab.folder))
    entries = [(entry, state_of(entry, found)) for entry, found in checked if entry is not None]
    write_table(Table(COLUMNS, [_row(entry, state) for entry, state in entries]), options)
    states = [state for _, state in entries]
    notes = [
        f"{count(states.count(state), 'entry', 'entries')} {said}" for state, said in _WORDS.items() if state in states
    ]
    own = [each for entry, found in checked if entry is None for each in found]
    notes += [f"{each.path}: {each.problem}; {each.mend}" for each in own]
    if problems := dict.fromkeys(each for _, found in checked for each in found):
        notes.append(f"the lab is damaged: `leadline check {lab.folder}` names {count(len(problems), 'problem')}")
    if not entries:
        notes = [*notes, f"the lab is empty: add files with `leadline lab add {options.lab} FILE ...`"]
    print_notes(notes, options)


def _row(entry: LabEntry, state: str) -> list[object]:
    made = entry.made_from().get("leadline", "")
    return [entry.kind, entry.name, state, entry.added, made and f"leadline {made}", entry.sha256[:12], str(entry.path)]
