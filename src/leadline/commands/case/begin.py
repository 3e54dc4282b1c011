"""Begin a case in a lab: of a patent of an index, or of a question in words.

It is worked on in the browser (`leadline serve LAB`), where queries, marks and the claim chart are kept with who did
what and when.

Examples:
  leadline case begin brakes --index words --question "Which films are applied to metal?" --name films
"""

from __future__ import annotations

import argparse
import getpass

from leadline.commands.shared.argument_kinds import OUR_FOLDER, WORD
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import write


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("lab", metavar="LAB", type=OUR_FOLDER, help="lab, or the folder of a demo")
    add("--index", metavar="NAME", type=WORD, help="index of the lab (default: the first)")
    add("--patent", metavar="NUMBER", type=WORD, default="", help="patent of the index that is searched for")
    add("--question", metavar="TEXT", type=WORD, default="", help="question in words, where it is no patent")
    add("--title", metavar="TEXT", type=WORD, default="", help="title (default: the patent, or the question)")
    add("--name", metavar="NAME", type=WORD, default="", help="name of the case (default: made of the patent or title)")
    add("--person", metavar="NAME", type=WORD, help="who begins it (default: your name on this machine)")
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.errors import InputError, UsageError
    from leadline.show.demo import open_lab
    from leadline.show.lab.case_search import begin_case
    from leadline.show.lab.opened import OpenedLab

    lab = open_lab(options.lab)
    index = options.index or next((each.name for each in lab.entries("index")), "")
    if not index:
        raise InputError(options.lab, "has no index to search: add one with `leadline lab add`")
    about = {name: getattr(options, name) for name in ("patent", "question", "title", "name")}
    if not (options.patent or options.question):
        raise UsageError("--patent", "name the patent that is searched for, or --question in words")
    made = begin_case(OpenedLab(lab), options.person or getpass.getuser(), "organiser", index=index, **about)
    if not options.quiet:
        write(f"{made.name}: a case in {options.lab}; work on it with `leadline serve {options.lab}`\n")
