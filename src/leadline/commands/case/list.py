"""List the cases of a lab: of what they are, what is in them, and who worked on them last.

Examples:
  leadline case list brakes
  leadline case list brakes --format json
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import OUR_FOLDER
from leadline.commands.shared.options import add_options, check_format
from leadline.commands.shared.output import print_notes, write_table
from leadline.records.result import Table

COLUMNS = ["case", "title", "about", "contents", "last", "at", "signed"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lab", metavar="LAB", type=OUR_FOLDER, help="lab, or the folder of a demo")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.demo import open_lab
    from leadline.show.lab.case import Cases

    check_format(options)
    rows = []
    cases = Cases(open_lab(options.lab))
    for case in cases:
        person, act = max(case.people.items(), key=lambda each: each[1].at)
        signed = case.signature.act.by if case.signature else ""
        rows.append([case.name, case.title, case.subject, case.counts, person, act.at[:16], signed])
    write_table(Table(COLUMNS, rows), options)
    notes = [str(error) for error in cases.problems()]
    if not rows and not notes:
        notes = [f"there is no case yet: begin one with `leadline case begin {options.lab}`, or in the browser"]
    print_notes(notes, options)
