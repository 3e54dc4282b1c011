"""Make a lab: one folder for collections, indexes, topics, judgements, runs and pools.

`leadline lab add` puts files into it, other commands may write into it, and `leadline serve` shows it in a browser.

Examples:
  leadline lab init brakes
  leadline lab init brakes --title "Prior-art search, autumn"
"""

from __future__ import annotations

import argparse

from leadline.commands.shared.argument_kinds import WORD, OutputFolder
from leadline.commands.shared.options import add_options
from leadline.commands.shared.output import write


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "lab", metavar="LAB", type=OutputFolder(), help="folder to make; it must not exist, or be empty"
    )
    parser.add_argument(
        "--title", type=WORD, default="", help="title that the pages show (default: the name of the folder)"
    )
    add_options(parser, "-q")


def run(options: argparse.Namespace) -> None:
    from leadline.show.lab.kinds import KINDS
    from leadline.show.lab.lab import Lab

    lab = Lab.create(options.lab, options.title)
    if not options.quiet:
        folders = ", ".join(f"{kind.folder}/" for kind in KINDS.values())
        write(
            f"{lab.title}: a lab in {options.lab}, with the folders {folders}\n"
            f"Add files with `leadline lab add {options.lab} FILE ...`, or let commands write there;\n"
            f"then open it with `leadline serve {options.lab}`\n"
        )
