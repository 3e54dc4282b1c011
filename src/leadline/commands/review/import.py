"""Bring a review back from a backup, or add what another copy of it lacks.

Where REVIEW is a new folder, the whole review is brought back. Where it is a review with the candidates of the backup,
only events are added that its journal lacks, such as those of a colleague who read on another machine.

Examples:
  leadline review import asthma monday.zip
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import INPUT_FILE, OutputFolder
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import print_notes
from leadline.records.result import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "review", metavar="REVIEW", type=OutputFolder("reviews"), help="a new folder, or a review to add to"
    )
    parser.add_argument("backup", metavar="FILE", type=INPUT_FILE, help="made by `leadline review backup`")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.review.project import bring_back_review

    found = bring_back_review(options.backup, options.review)
    if not found.files:
        print_notes([f"{counted(found.events, 'event')} added"], options)
        return
    notes = [f"{counted(found.events, 'event')} and {counted(found.files, 'file')} brought back"]
    notes += [f"the documents are in {each}, which is not in the backup" for each in found.elsewhere]
    print_notes(notes, options)
