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
    from leadline.show.lab.lab import Lab, LabEntry

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
    from leadline.show.lab.check_lab import check_own_files

    check_format(options)
    lab = open_lab(options.lab)
    entries = [(entry, _state(lab, entry)) for entry in lab.entries()]
    write_table(Table(COLUMNS, [_row(entry, state) for entry, state in entries]), options)
    states = [state for _, state in entries]
    notes = [
        f"{count(states.count(state), 'entry', 'entries')} {said}" for state, said in _WORDS.items() if state in states
    ]
    if "damaged" in states:
        notes.append(f"`leadline check {lab.folder}` says what is damaged")
    notes += [f"{each.path}: {each.problem}; {each.fix}" for each in check_own_files(lab)]
    if not entries:
        notes = [*notes, f"the lab is empty: add files with `leadline lab add {options.lab} FILE ...`"]
    print_notes(notes, options)


def _state(lab: Lab, entry: LabEntry) -> str:
    """As the entry says, and whether what people marked in it is damaged, as `leadline check` finds it."""
    from leadline.show.lab.check_lab import check_entry

    state = entry.state
    return "damaged" if state in ("sound", "found") and any(check_entry(lab, entry)) else state


def _row(entry: LabEntry, state: str) -> list[object]:
    made = entry.made_from().get("leadline", "")
    return [entry.kind, entry.name, state, entry.added, made and f"leadline {made}", entry.sha256[:12], str(entry.path)]
