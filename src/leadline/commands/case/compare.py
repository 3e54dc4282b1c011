"""Set your search, your present system's and ours beside each other by the marks of a case.

--run is a run of the present system that was added to the lab. The figures count families; notes say how few judgements
they rest on.

Examples:
  leadline case compare brakes films
  leadline case compare brakes films --run present --topic films
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import OUR_FOLDER, WORD
from leadline.commands.shared.options import add_options, check_format
from leadline.commands.shared.output import print_notes, write_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("lab", metavar="LAB", type=OUR_FOLDER, help="lab, or the folder of a demo")
    add("case", metavar="CASE", type=WORD, help="name of the case")
    add("--run", metavar="RUN", type=WORD, default="", help="run of the present system (default: the lab's baseline)")
    add("--topic", metavar="NAME", type=WORD, default="", help="topic of the case in the run (default: its patent)")
    add_options(parser, "-f", "-o", "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.demo import open_lab
    from leadline.show.lab.case import Cases
    from leadline.show.lab.case_judgements import compared
    from leadline.show.lab.opened import OpenedLab

    check_format(options)
    lab = open_lab(options.lab)
    case = Cases(lab).read(options.case)
    found = compared(OpenedLab(lab), case, options.run or lab.baseline, options.topic)
    write_table(found.table, options)
    print_notes([*found.says, *found.notes], options)
