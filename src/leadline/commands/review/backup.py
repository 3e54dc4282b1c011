"""Copy a review to one file, also while people read.

The file has everything: documents, candidates, journal and people. `leadline review import` brings it back, or adds
what another copy of the review lacks. A collection outside the folder of the review is not copied.

Examples:
  leadline review backup asthma -o monday.zip
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import OutputFile
from leadline.commands.shared.judging import add_review
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import print_notes
from leadline.records.result import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_review(parser)
    add_options(parser, "-o", type=OutputFile("exports"), required=True, help="file to write; it must not exist")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.judge.review.project import ReviewProject, back_up_review

    made = back_up_review(ReviewProject.open(options.review), options.output)
    notes = [f"{counted(made.events, 'event')} and {counted(made.files, 'file')} copied"]
    notes += [f"not copied, since it is not in {options.review}: {each}" for each in made.elsewhere]
    print_notes(notes, options)
