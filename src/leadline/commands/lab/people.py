"""Make, list and revoke the personal links of those who may open a lab.

A reader looks and searches; a runner also adds runs and starts jobs; an assessor also judges; the organiser does
everything. A link is shown once, when it is made. The pages are then served with `leadline serve LAB --team`.

Examples:
  leadline lab people brakes add anna --role runner
  leadline lab people brakes add ben eve --role reader --days 14 --url https://lab.example.org
  leadline lab people brakes list
  leadline lab people brakes revoke anna
"""

from __future__ import annotations

import argparse
from typing import get_args

from leadline.commands.shared.argument_kinds import OUR_FOLDER
from leadline.commands.shared.judging import add_people_arguments, change_people
from leadline.commands.shared.options import check_format
from leadline.judge.choices import Role


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lab", metavar="LAB", type=OUR_FOLDER, help="lab that `leadline lab init` made")
    add_people_arguments(parser, get_args(Role), "reader")


def run(options: argparse.Namespace) -> None:
    from leadline.show.lab.lab import Lab

    check_format(options)
    change_people(Lab.open(options.lab).people_file(), options)
